//! Sites that are made by scripts: learned, recrawled and repaired with a real browser. Skipped
//! with a line where Chromium is missing.

use std::collections::BTreeSet;

use magpie_engine::collect::{LearnedRules, Method, SiteRendering, navigation_file, read_navigation};
use magpie_engine::learn::learn;
use magpie_engine::recrawl::recrawl;
use magpie_engine::{Event, Observer, Session};
use magpie_lab::{ScriptStyle, Size, Vertical, Web, WebSpec};
use magpie_patterns::rendering::{Mode, RenderingRule};
use magpie_store::ObjectFilter;

use crate::bench::Bench;
use crate::rendered::has_browser;

const NEEDED: &str = "render.pages = \"needed\"\nrender.time = \"60s\"\n";

fn scripted(seed: u64) -> WebSpec {
    WebSpec {
        deep: 0,
        hazards: false,
        scripted: 1_000,
        ..WebSpec::new(Vertical::Events, Size::Small, seed).with_sites(4)
    }
}

/// A web with an open endpoint, a guarded one, and inline state.
fn with_all_ways() -> WebSpec {
    let has_all = |spec: &WebSpec| {
        let scripts: Vec<_> = Web::new(spec.clone())
            .sites()
            .filter_map(|site| site.scripts)
            .collect();
        let has = |wanted: fn(ScriptStyle, bool) -> bool| {
            scripts
                .iter()
                .any(|scripts| wanted(scripts.style, scripts.guarded))
        };
        has(|style, guarded| style == ScriptStyle::Endpoint && !guarded)
            && has(|style, guarded| style != ScriptStyle::InlineState && guarded)
            && has(|style, _| style == ScriptStyle::InlineState)
    };
    (1..).map(scripted).find(has_all).expect("a web")
}

fn rules(session: &Session) -> LearnedRules {
    LearnedRules::read(session.store(), session.vertical()).expect("rules")
}

fn modes(session: &Session) -> BTreeSet<Mode> {
    let rules = rules(session).rules.into_values().flatten();
    rules.map(|rule| rule.mode).collect()
}

fn objects(session: &Session) -> usize {
    session.objects(&ObjectFilter::default()).expect("objects").len()
}

/// Counts the pages of crawls that a browser was asked to show.
#[derive(Default)]
struct Rendered(Vec<String>);

impl Observer for Rendered {
    fn observe(&mut self, event: Event<'_>) {
        if let Event::Crawl(magpie_engine::crawl::Event::Page(page)) = event
            && page.rendered.is_some()
        {
            self.0.push(page.url.clone());
        }
    }
}

#[test]
fn each_kind_of_pages_is_had_by_the_cheapest_way() {
    if !has_browser() {
        return;
    }
    let spec = with_all_ways();
    let without = Bench::new_of(spec.clone(), "");
    learn(without.session(), &without.all_sites(), &mut ()).expect("it learns");
    assert_eq!(modes(without.session()), BTreeSet::from([Mode::Embedded]));
    assert_eq!(without.session().rendered_pages(), 0);

    let with = Bench::new_of(spec, NEEDED);
    let session = with.session();
    learn(session, &with.all_sites(), &mut ()).expect("it learns");
    let found = modes(session);
    for mode in [Mode::Embedded, Mode::Endpoint, Mode::Render] {
        assert!(found.contains(&mode), "{found:?}");
    }
    assert!(objects(session) > objects(without.session()));
    assert!(session.rendered_pages() > 0);

    // The rules are in the files of the navigations, which a person may change.
    let learned = rules(session);
    let mut written = Vec::new();
    for (key, rules) in &learned.rules {
        let file = navigation_file(session.folder(), session.vertical(), key);
        let Some(navigation) = read_navigation(&file).expect("readable") else {
            continue;
        };
        let wanted = rules.iter().filter(|rule| rule.mode != Mode::Plain);
        assert_eq!(navigation.rendering, wanted.cloned().collect::<Vec<_>>());
        written.extend(
            navigation
                .rendering
                .iter()
                .map(|rule| (key.clone(), rule.clone())),
        );
    }
    assert!(!written.is_empty(), "{learned:?}");

    // A round has few pages shown, and only those of kinds that need it.
    with.pass_weeks(1);
    let mut rendered = Rendered::default();
    let round = recrawl(session, Method::Selective, &mut rendered).expect("a round");
    let round = round.expect("it was not stopped");
    assert!(
        (rendered.0.len() as u64) < round.fetched / 3,
        "{:?} of {}",
        rendered.0,
        round.fetched
    );
    let needs_one = |url: &String| {
        let of_render = |(_, rule): &(String, RenderingRule)| {
            let url = magpie_model::CanonicalUrl::trusted(url.as_str()).expect("a URL");
            rule.mode == Mode::Render && rule.pattern.matches(&url)
        };
        learned
            .rules
            .iter()
            .any(|(key, rules)| rules.iter().any(|rule| of_render(&(key.clone(), rule.clone()))))
    };
    assert!(rendered.0.iter().all(needs_one), "{:?}", rendered.0);

    // What a person writes into the file holds, also when the navigations are made again.
    for (key, _) in &written {
        let file = navigation_file(session.folder(), session.vertical(), key);
        let text = std::fs::read_to_string(&file).expect("a file");
        std::fs::write(&file, text.replace("mode = \"render\"", "mode = \"plain\"")).expect("written");
    }
    with.pass_weeks(1);
    let mut rendered = Rendered::default();
    recrawl(session, Method::Selective, &mut rendered).expect("a round");
    assert_eq!(rendered.0, Vec::<String>::new());
    for (key, rule) in written.iter().filter(|(_, rule)| rule.mode == Mode::Render) {
        let learned = rules(session);
        let site = SiteRendering::read(session.folder(), session.vertical(), &learned, key).expect("a file");
        let changed = site
            .written
            .iter()
            .find(|written| written.pattern == rule.pattern);
        assert_eq!(changed.map(|rule| rule.mode), Some(Mode::Plain), "{key}");
    }
}

#[test]
fn sites_without_scripts_are_never_shown_by_a_browser() {
    if !has_browser() {
        return;
    }
    let spec = WebSpec {
        scripted: 0,
        ..scripted(2)
    };
    let bench = Bench::new_of(spec, NEEDED);
    let session = bench.session();
    learn(session, &bench.all_sites(), &mut ()).expect("it learns");
    assert!(objects(session) > 0);
    bench.pass_weeks(1);
    recrawl(session, Method::Selective, &mut ()).expect("a round");
    assert_eq!(session.rendered_pages(), 0);
    assert_eq!(modes(session), BTreeSet::new());
    let fetches = session.store().all_fetches(None).expect("pages");
    assert!(!fetches.is_empty());
}

#[test]
fn rules_that_mean_nothing_are_refused_with_what_to_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("navigation.toml");
    let said = |rule: &str| {
        let text = format!("entry = \"https://hall.example/\"\n\n[[rendering]]\n{rule}\n");
        std::fs::write(&file, text).expect("written");
        read_navigation(&file).expect_err("it is refused").to_string()
    };
    let pattern = "pattern = \"https://hall.example/{slug}\"\n";
    let check = |rule: &str, expected: &[&str]| {
        let message = said(&format!("{pattern}{rule}"));
        for part in expected {
            assert!(message.contains(part), "{part}: {message}");
        }
    };
    check(
        "mode = \"browser\"",
        &["browser", "plain", "embedded", "endpoint", "render"],
    );
    check(
        "mode = \"endpoint\"",
        &["needs the URL of the data", "endpoint = "],
    );
    check(
        "mode = \"render\"\nendpoint = \"https://hall.example/api\"",
        &["`endpoint` has no effect with the mode `render`", "remove it"],
    );
    check(
        "mode = \"endpoint\"\nendpoint = \"https://hall.example/{slug}\"",
        &["unknown place {slug}", "{path}", "{query}"],
    );
    check("mode = \"plain\"\nwait = 3", &["wait"]);
}
