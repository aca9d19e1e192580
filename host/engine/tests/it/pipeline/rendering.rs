//! Sites that are made by scripts: learned, recrawled and repaired with a real browser. Skipped
//! with a line where Chromium is missing.

use std::collections::BTreeSet;

use magpie_engine::learn::learn;
use magpie_engine::recrawl::Method;
use magpie_engine::recrawl::recrawl;
use magpie_engine::site::{LearnedRules, SiteRendering, navigation_file, read_navigation};
use magpie_engine::{Event, Observer, Session};
use magpie_lab::{ScriptChange, ScriptStyle, Size, Vertical, Web, WebSpec};
use magpie_patterns::rendering::{Mode, RenderingRule};
use magpie_rows::ObjectFilter;
use magpie_test_support::has_program;
use magpie_test_support::server::{Reply, Site};
use magpie_tests::TestWorkspace;

use crate::bench::Bench;

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
    if !has_program("chromium") {
        return;
    }
    let spec = with_all_ways();
    let without = Bench::of(spec.clone(), "");
    learn(without.session(), &without.all_sites(), &mut ()).expect("it learns");
    assert_eq!(modes(without.session()), BTreeSet::from([Mode::Embedded]));
    assert_eq!(without.session().rendered_pages(), 0);

    let with = Bench::of(spec, NEEDED);
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

    // Edits of a person hold, also when the navigations are made again.
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
    if !has_program("chromium") {
        return;
    }
    let spec = WebSpec {
        scripted: 0,
        ..scripted(2)
    };
    let bench = Bench::of(spec, NEEDED);
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

/// A web with one site of a style whose lists begin in the page.
fn hydrated(style: ScriptStyle, seeds: std::ops::Range<u64>) -> impl Iterator<Item = WebSpec> {
    let specs = seeds.map(|seed| WebSpec {
        hydrated: 1_000,
        ..scripted(seed).with_sites(1)
    });
    specs.filter(move |spec| {
        let mut sites = Web::new(spec.clone())
            .sites()
            .filter_map(|site| site.scripts)
            .collect::<Vec<_>>()
            .into_iter();
        sites
            .any(|scripts| scripts.style == style && scripts.hydrated && !scripts.guarded && !scripts.details)
    })
}

/// A list that continues when a reader scrolls is recognised, though its first part has objects
/// without a script.
#[test]
fn a_list_that_goes_on_by_scrolling_is_sampled() {
    if !has_program("chromium") {
        return;
    }
    let mut outcomes = Vec::new();
    let is_found = hydrated(ScriptStyle::InfiniteScroll, 1..80).take(8).any(|spec| {
        let without = Bench::of(spec.clone(), "");
        learn(without.session(), &without.all_sites(), &mut ()).expect("it learns");
        assert_eq!(without.session().rendered_pages(), 0);
        let with = Bench::of(spec.clone(), &format!("{NEEDED}render.clicks = 40\n"));
        learn(with.session(), &with.all_sites(), &mut ()).expect("it learns");
        assert!(with.session().rendered_pages() < 30, "few pages are sampled");
        let counts = (objects(without.session()), objects(with.session()));
        assert!(counts.1 >= counts.0, "{counts:?}");
        outcomes.push((spec.seed, counts, modes(with.session())));
        modes(with.session()).iter().any(|mode| *mode != Mode::Plain)
    });
    assert!(is_found, "{outcomes:?}");
}

/// A hall of which every other event is shown by a script alone.
fn mixed_site() -> Site {
    let event = |number: &str| {
        format!(
            r#"{{"@context":"https://schema.org","@type":"Event","name":"Night {number}",
            "startDate":"2027-05-{number:0>2}T20:00:00+02:00","location":{{"@type":"Place","name":"Hall {number}"}}}}"#
        )
    };
    Site::start(move |path| {
        let number = path.rsplit('/').next().unwrap_or_default();
        let is_odd = number.parse::<u32>().is_ok_and(|number| number % 2 == 1);
        let page = |body: &str| Reply::html(format!("<!doctype html><title>Hall</title>{body}"));
        if path == "/" {
            let link = |number: u32| format!("<li><a href=\"/event/{number}\">Night {number}</a></li>");
            return page(&format!("<ul>{}</ul>", (1..=12).map(link).collect::<String>()));
        }
        if path == "/app.js" {
            let script = "fetch('/part' + location.pathname).then(answer => answer.text()).then(text => {\
                const data = document.createElement('script'); data.type = 'application/ld+json';\
                data.textContent = text; document.getElementById('app').append(data); });";
            return Reply::text(script).with("Content-Type", "text/javascript");
        }
        match path.strip_prefix("/part") {
            Some(_) => Reply::text(event(number)),
            None if is_odd => page("<div id=\"app\"></div><script src=\"/app.js\" defer></script>"),
            None if path.starts_with("/event/") => page(&format!(
                "<h1>Night {number}</h1><script type=\"application/ld+json\">{}</script>",
                event(number)
            )),
            None => Reply::status(404),
        }
    })
}

/// A browser also shows a page without objects if other pages of its kind have some.
#[test]
fn a_kind_that_yields_on_some_pages_alone_is_sampled() {
    if !has_program("chromium") {
        return;
    }
    let site = mixed_site();
    let counts = ["", NEEDED].map(|more| {
        let workspace = TestWorkspace::local(&magpie_tests::vertical("events"), more);
        workspace.learn(&site.url("/"));
        let session = workspace.open();
        (objects(&session), modes(&session))
    });
    assert_eq!(
        counts,
        [(6, BTreeSet::new()), (12, BTreeSet::from([Mode::Render]))]
    );
}

#[test]
fn sites_that_begin_to_need_scripts_get_rules() {
    if !has_program("chromium") {
        return;
    }
    let spec = WebSpec {
        script_change: Some(ScriptChange::BeginIn(1)),
        ..with_all_ways()
    };
    let bench = Bench::of(spec, NEEDED);
    let session = bench.session();
    learn(session, &bench.all_sites(), &mut ()).expect("it learns");
    assert_eq!(modes(session), BTreeSet::new());
    for _ in 0..4 {
        bench.pass_weeks(1);
        recrawl(session, Method::Selective, &mut ()).expect("a round");
    }
    assert!(modes(session).contains(&Mode::Endpoint), "{:?}", rules(session));
}
