//! A watch on the small web of the lab: it keeps its budget, survives kills and reports its work.

use std::time::{Duration, Instant};

use crate::context::{Running, TestContext};
use crate::web::{LOOPBACK, Served, Spec, venue};
use magpie_lab::Vertical;
use serde_json::{Value, json};

const WEB: Spec = (Vertical::Events, 7);

/// Time after which a test fails instead of hanging.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// A workspace in which the web of week 0 was learned, and the web a week later.
fn learned() -> (TestContext, Served) {
    let served = Served::start(WEB, 0, 0);
    let context = TestContext::with_workspace("events", served.settings());
    context.learn(&served.homes());
    (context, served.later(1))
}

#[test]
fn a_plan_says_what_is_next_and_what_more_would_reach() {
    let (context, _served) = learned();
    let plan = "plan -w ws --later 1w --budget 30/day";
    let lines = context.json(&format!("{plan} --json --plot plot.svg"));
    let pages: Vec<&Value> = lines.iter().filter(|line| line["due"].is_string()).collect();
    assert_eq!(pages.len(), 20);
    assert!(pages.is_sorted_by_key(|page| page["due"].as_str()), "{pages:?}");
    let has_reason = |page: &&Value| page["why"].as_str().is_some_and(|why| !why.is_empty());
    assert!(pages.iter().all(has_reason), "{pages:?}");
    let budgets: Vec<&Value> = lines.iter().filter(|line| line["budget"].is_string()).collect();
    let of = |key: &str| -> Vec<f64> { budgets.iter().filter_map(|line| line[key].as_f64()).collect() };
    assert_eq!(of("pages_per_day"), [15.0, 30.0, 60.0]);
    assert!(of("freshness").is_sorted(), "{budgets:?}");
    let delays = of("new_object_days");
    assert!(delays.is_sorted_by(|one, other| one >= other), "{budgets:?}");
    // The planned visits stay within the budget, which also pays for new pages.
    let visits = of("visits_per_day");
    let mut visits = visits.iter().zip([15.0, 30.0, 60.0]);
    assert!(
        visits.all(|(visits, budget)| *visits <= budget * 1.01),
        "{budgets:?}"
    );
    let svg = context.read("plot.svg");
    assert!(svg.starts_with("<svg"), "{svg}");
    context
        .ok(plan)
        .says(["half", "double", "right at any time", "new ones expected every"]);
    context.fails(2, "plan -w ws --budget lots").says(["5000/day"]);
}

/// A watch that runs until it is stopped.
fn watching(context: &TestContext) -> Running {
    context.start("watch -w ws --later 1w --budget 100000/day --set watch.interval=1s")
}

/// Returns what a watch has last said about itself.
pub(crate) fn health(context: &TestContext) -> Value {
    let text = std::fs::read_to_string(context.path("ws/watch.json")).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

/// Waits until its health is as wanted.
pub(crate) fn wait_for_health(context: &TestContext, is: impl Fn(&Value) -> bool) -> Value {
    let began = Instant::now();
    loop {
        let health = health(context);
        if is(&health) {
            return health;
        }
        assert!(began.elapsed() < PATIENCE, "still {health}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Waits until a watch has ended a cycle.
fn wait_for_cycle(context: &TestContext, watch: &Running) {
    wait_for_health(context, |health| {
        health["process"] == watch.0.id() && health["last"].is_object()
    });
}

#[test]
#[cfg(unix)]
fn a_service_is_killed_reloaded_and_stopped() {
    let (context, served) = learned();
    let watch = watching(&context);
    wait_for_cycle(&context, &watch);
    // It is dropped as `kill -9` does.
    drop(watch);

    // While it runs, a plan can be made, and changed settings take effect or are reported.
    let set = |more: &str| context.write("ws/magpie.toml", served.settings() + more);
    let mut watch = watching(&context);
    wait_for_cycle(&context, &watch);
    context.ok("plan -w ws --later 1w");
    set("[watch]\ngoal = \"fame\"\n");
    let health = wait_for_health(&context, |health| !health["last"]["problems"][0].is_null());
    let problem = health["last"]["problems"][0].as_str().expect("a sentence");
    assert!(
        problem.contains("goal") && problem.contains("stay in force"),
        "{problem}"
    );
    set("[watch]\ngoal = \"age\"\n");
    wait_for_health(&context, |health| health["last"]["problems"] == json!([]));
    let status = context.json("status -w ws --json");
    assert_eq!(status[0]["watch"]["state"], "watching");
    context.ok("status -w ws").says(["watching events"]);

    watch.terminate();
    assert!(watch.0.wait().expect("it ended").success());
    wait_for_health(&context, |health| health["state"] == "stopped");
}

#[test]
fn until_when_a_budget_is_used_up_is_told_and_a_wrong_call_is_no_watch() {
    let site = venue(6);
    let context = TestContext::with_workspace("events", LOOPBACK);
    context.learn(&[site.url("/")]);
    // By then every page is due, and the first of them is all that a day pays.
    let watch = "watch -w ws --once --budget 1/day --later 200d";
    let first = context.ok(&format!("{watch} --json")).last();
    let count = |key: &str| first[key].as_u64().expect("a number");
    assert_eq!(count("lists") + count("known"), 1, "{first}");
    context.ok(watch).says(["the budget is used up until 2"]);
    let before = health(&context);
    context.fails(2, "watch -w ws --once --budget banana");
    assert_eq!(health(&context), before);
}

#[test]
#[cfg(unix)]
fn a_page_follows_a_crawl_and_tells_that_a_watch_was_killed() {
    let Some(mut browser) = magpie_test_support::browser::Browser::start() else {
        return;
    };
    let limit = Duration::from_secs(15);
    let (context, served) = learned();
    let now = |text: &str| {
        let text = Value::from(text);
        format!("[...document.querySelectorAll('[data-live]')].some(part => part.innerText.includes({text}))")
    };
    let mut tab = browser.tab();
    tab.set(1_280, false, true);

    // A first crawl: the numbers of the page rise by themselves.
    context.workspace("fresh", &[magpie_tests::vertical("events")], served.settings());
    let page = context.serve("serve -w fresh");
    tab.open(&page.url());
    tab.wait_until(&now("nothing runs"), limit);
    let homes = served.homes().join(" ");
    let crawl = context.start(&format!("learn -w fresh --delay 100ms {homes}"));
    let fetched = "Number(document.querySelector('[data-live=fetched]').innerText.replace(/,/g, ''))";
    tab.wait_until(&now("runs ("), limit);
    tab.wait_until(&format!("{fetched} > 0"), limit);
    let before = tab.evaluate(fetched);
    tab.wait_until(&format!("{fetched} > {before}"), limit);
    drop(crawl);
    tab.wait_until(&now("nothing runs"), limit);
    drop(page);

    let page = context.serve("serve -w ws");
    let url = page.url();
    tab.open(&url);
    let watch = watching(&context);
    tab.wait_until(&now("watch runs"), limit);
    wait_for_cycle(&context, &watch);
    drop(watch);
    tab.wait_until(&now("was killed"), limit);
    // Each page about the watch shows it, and so does the command.
    for path in ["sites", "plan"] {
        tab.open(&format!("{url}{path}"));
        let is_told = "document.querySelector('[data-live=watch].bad').innerText.includes('was killed')";
        assert_eq!(tab.evaluate(is_told), true, "/{path}");
    }
    context.ok("status -w ws").says(["was killed"]);
    let status = context.json("status -w ws --json");
    assert_eq!(status[0]["watch"]["state"], "killed");
    // Another command that writes is no watch.
    context.ok("objects cluster -w ws");
    context.ok("status -w ws").says(["was killed"]);
    // A page that is open follows a watch that begins, and one that ends.
    tab.open(&format!("{url}sites"));
    let watch = watching(&context);
    tab.wait_until(&now("watching events"), limit);
    drop(watch);
    tab.wait_until(&now("was killed"), limit);
    tab.wait_until("document.querySelector('[data-live=watch].bad') !== null", limit);
    tab.open(&url);
    let watch = watching(&context);
    tab.wait_until(&format!("!{}", now("was killed")), limit);
    tab.wait_until(&now("watch runs"), limit);
    drop(watch);

    // A server that is gone is reported, too.
    drop(page);
    tab.wait_until(&now("does not answer"), limit);
}
