//! Focused crawls by typed commands: of sites that words lead to, killed and continued.

use std::time::{Duration, Instant};

use magpie_lab::Vertical;
use magpie_test_support::server::{Reply, Site};
use serde_json::Value;

use crate::context::TestContext;
use crate::web::{LOOPBACK, Served, Spec};

const WEB: Spec = (Vertical::Events, 7);

/// Words that are searched for.
const MAX_WORDS: usize = 12;

/// Time after which a process is killed that should have ended.
const LIMIT: Duration = Duration::from_secs(300);

fn prepared(served: &Served, strategy: &str) -> TestContext {
    let settings = format!(
        "{}[crawl]\ncommit = \"10ms\"\n[focus]\niterations = 10\nstrategy = \"{strategy}\"\n",
        served.settings()
    );
    TestContext::with_workspace("events", settings)
}

/// The URLs that were fetched as pages of sites, each once for every fetch.
fn fetched(context: &TestContext) -> Vec<String> {
    let reader = magpie_engine::open_reader(&context.path("ws")).expect("a reader");
    let rows = reader.all_fetches(None).expect("rows");
    let own = rows.into_iter().filter(|row| row.url_id.is_some());
    own.map(|row| row.url).collect()
}

fn assert_each_is_fetched_once(context: &TestContext) {
    let mut urls = fetched(context);
    let all = urls.len();
    urls.sort();
    urls.dedup();
    assert_eq!(urls.len(), all, "no page is fetched twice");
}

/// Starts a command and kills it once it has fetched `pages` pages.
fn kill_after(context: &TestContext, line: &str, pages: usize) {
    let mut running = context.start(line);
    let began = Instant::now();
    let is_far =
        || magpie_engine::open_reader(&context.path("ws")).is_ok() && fetched(context).len() >= pages;
    while began.elapsed() < LIMIT && !is_far() && running.0.try_wait().expect("a state").is_none() {
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Returns words of the names of objects that the web has.
fn words(served: &Served) -> String {
    let seeds = served.seeds();
    let names = seeds.lines().filter_map(|line| {
        let seed: Value = serde_json::from_str(line).expect("JSON");
        seed["name"][0].as_str().map(str::to_owned)
    });
    let names: Vec<String> = names.collect();
    assert!(!names.is_empty(), "no names in {seeds}");
    let words = names
        .iter()
        .flat_map(|name| name.split(|letter: char| !letter.is_alphanumeric()));
    let words = words.filter(|word| word.chars().count() > 3);
    words.take(MAX_WORDS).collect::<Vec<_>>().join(" ")
}

fn stage<'a>(lines: &'a [Value], name: &str) -> &'a Value {
    let line = lines.iter().find(|line| line["stage"] == name);
    &line.unwrap_or_else(|| panic!("no stage {name} in {lines:?}"))["kept"]
}

#[test]
fn words_lead_to_sites_and_a_page_is_explained() {
    let served = Served::start(WEB, 0, 0);
    let context = prepared(&served, "expected");
    let focus = format!("focus -w ws --tokens '{}' --json", words(&served));
    let lines = context.json(&focus);
    let find = stage(&lines, "find");
    assert_eq!(find["strategy"], "expected");
    let search = &find["words"];
    assert!(search["accepted"].as_u64() > Some(0), "{search}");
    assert!(
        search["judged"].as_u64() >= search["accepted"].as_u64(),
        "{search}"
    );
    assert!(!find["ways_in"].as_array().expect("pages").is_empty());
    let crawl = stage(&lines, "crawl");
    assert!(crawl["records"].as_u64() > Some(0), "{crawl}");
    assert!(stage(&lines, "navigate")["sites"].as_u64() > Some(0));
    // An authority was fetched while it was judged, and not again.
    assert_each_is_fetched_once(&context);

    let authority = find["ways_in"][0].as_str().expect("a URL");
    let explained = context.json(&format!("explain -w ws --json {authority}"));
    let focused = &explained[0]["focus"][0];
    assert_eq!(focused["strategy"], "expected", "{explained:?}");
    assert!(focused["place"].as_u64() > Some(0), "{focused}");
    assert!(focused["weights"]["rate"].as_f64() > Some(0.0), "{focused}");
    context
        .ok(&format!("explain -w ws {authority}"))
        .says(["focused crawl of events by \"expected\""]);

    // A second time all is done.
    let again = context.json(&focus);
    assert!(again.iter().all(|line| line["stage"] != "crawl"), "{again:?}");
}

#[test]
fn killed_at_any_moment_the_same_command_goes_on() {
    let served = Served::start(WEB, 0, 0);
    let context = prepared(&served, "expected");
    let focus = format!("focus -w ws --tokens '{}' --json", words(&served));
    // While it searches, and while it crawls.
    for pages in [3, 15, 40] {
        kill_after(&context, &focus, pages);
    }
    let lines = context.json(&focus);
    assert!(stage(&lines, "navigate")["sites"].as_u64() > Some(0));
    assert_each_is_fetched_once(&context);
}

/// A walk that is killed half-way and continued finds about as much as one that was not.
#[test]
fn a_walk_that_is_killed_finds_as_much_as_one_that_is_not() {
    let served = Served::start(WEB, 0, 0);
    let focus = format!("focus -w ws --json {}", served.homes().join(" "));
    let found = [false, true].map(|is_killed| {
        let context = prepared(&served, "walk");
        if is_killed {
            kill_after(&context, &focus, 60);
        }
        let lines = context.json(&focus);
        assert!(stage(&lines, "crawl")["records"].as_u64() > Some(0));
        let objects = context.json("objects -w ws --json --limit 0");
        (objects.len(), fetched(&context).len())
    });
    let [(objects, pages), (objects_killed, pages_killed)] = found;
    assert!(20 * objects_killed >= 19 * objects, "{found:?}");
    assert!(5 * pages_killed <= 6 * pages, "{found:?}");
}

#[test]
fn a_judgement_is_explained() {
    let context = TestContext::new();
    // One vertical of two components: one finds objects, the other judges pages.
    let components = ["ordinary", "only-judges"].map(magpie_tests::guest);
    context.workspace("ws", &components, LOOPBACK);
    let site = Site::start(|path| {
        let title = match path {
            "/one" => "A relevant page",
            _ => "A list",
        };
        Reply::html(format!(
            "<!doctype html><title>{title}</title><a href=\"/one\">one</a>"
        ))
    });
    context.ok(&format!("focus -w ws {}", site.url("/")));
    for (path, accepted, words) in [("/", false, "rejects"), ("/one", true, "accepts")] {
        let explain = format!("explain -w ws {}", site.url(path));
        let explained = context.json(&format!("{explain} --json"));
        let judgement = &explained[0]["known"][0]["fetches"][0]["judgements"][0];
        assert_eq!(judgement["accepted"], accepted, "{explained:?}");
        assert_eq!(judgement["reason"], "the title says so");
        context.ok(&explain).says([&format!(
            "ordinary 1.2.3 {words} the page with a confidence of 0.75: the title says so"
        )]);
    }
}
