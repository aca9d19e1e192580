//! A watch on the lab's small web: it keeps to its budget, survives whatever happens to it, and says what it does.

mod web;

use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use magpie_test_support::server::{Reply, Site, links};
use serde_json::Value;
use web::{Served, json, magpie, ran, said};

const WEB: [&str; 5] = ["--vertical", "events", "--seed", "7", "--light"];

/// Tests end some time, whatever hangs.
const PATIENCE: Duration = Duration::from_secs(120);

/// A workspace in which the web of week 0 was learned, and the web a week later.
fn learned(folder: &Path, more: &str) -> Served {
    let served = Served::start(folder, &WEB, 0, 0);
    assert!(ran(folder, &["init", "ws"]).status.success());
    std::fs::copy(
        magpie_tests::vertical("events"),
        folder.join("ws/verticals/events.wasm"),
    )
    .expect("copied");
    settings(folder, served.proxy(), more);
    std::fs::write(folder.join("sites.txt"), served.homes().join("\n")).expect("written");
    let learned = ran(folder, &["learn", "-w", "ws", "--sites", "sites.txt"]);
    assert!(learned.status.success(), "{}", said(&learned));
    let port = served.port();
    drop(served);
    Served::start(folder, &WEB, 1, port)
}

fn settings(folder: &Path, proxy: &str, more: &str) {
    let settings = format!(
        "[network]\nproxy = \"{proxy}\"\n[politeness]\ndelay = \"0s\"\nautothrottle = false\nrequests = 8\n{more}"
    );
    std::fs::write(folder.join("ws/magpie.toml"), settings).expect("written");
}

/// One beat, so much later than now.
fn beat(folder: &Path, budget: &str, later: &str) -> Value {
    let arguments = [
        "watch", "-w", "ws", "--once", "--json", "--budget", budget, "--later", later,
    ];
    json(&ran(folder, &arguments)).pop().expect("a line")
}

fn number(value: &Value, key: &str) -> u64 {
    value[key].as_u64().unwrap_or_else(|| panic!("{key} in {value}"))
}

fn picked(beat: &Value) -> u64 {
    number(beat, "lists") + number(beat, "known") + number(beat, "new")
}

#[test]
fn a_budget_is_kept_whatever_the_clock_does() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let _served = learned(folder, "");

    // A day's budget is there to begin with, and goes to lists and what is new on them.
    let first = beat(folder, "30/day", "1w");
    assert!(number(&first, "lists") > 0, "{first}");
    assert!((1..=30).contains(&picked(&first)), "{first}");
    assert!(number(&first, "new_objects") > 0, "{first}");
    let spent = number(&first, "left");
    assert!(spent <= 30 - picked(&first), "{first}");

    // At once again there is what is left; after a standstill of weeks no more than a day's.
    let second = beat(folder, "30/day", "1w");
    assert!(picked(&second) <= spent.max(1), "{first} {second}");
    let third = beat(folder, "30/day", "5w");
    assert!((1..=30).contains(&picked(&third)), "{third}");

    // The clock steps back by weeks: what was spent by its old time stands in nobody's way, and nothing breaks.
    let back = beat(folder, "30/day", "1w");
    assert!(picked(&back) <= 30, "{back}");

    // With nothing to spend nothing is spent.
    let none = beat(folder, "0/day", "6w");
    assert_eq!((picked(&none), number(&none, "left")), (0, 0), "{none}");
    // Less than a page for each site is one page now and then.
    let little = beat(folder, "1/week", "30w");
    assert_eq!(picked(&little), 1, "{little}");
    let little = beat(folder, "1/week", "30w");
    assert_eq!(picked(&little), 0, "{little}");
    // Bytes are counted too: a page may cost more than there is, and is paid back.
    let bytes = beat(folder, "1 KB/day", "50w");
    assert!(picked(&bytes) >= 1, "{bytes}");
    assert_eq!(number(&beat(folder, "1 KB/day", "50w"), "left"), 0);
}

#[test]
fn a_site_keeps_its_own_limit() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let _served = learned(folder, "[watch]\nsite_budget = \"1/day\"\n");
    let beat = beat(folder, "24000/day", "1w");
    assert!(picked(&beat) <= 3, "one of each of three sites: {beat}");
}

#[test]
fn a_plan_says_what_is_next_and_what_more_would_reach() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let _served = learned(folder, "");
    let plan = |arguments: &[&str]| {
        let all = [
            &["plan", "-w", "ws", "--later", "1w", "--budget", "30/day"],
            arguments,
        ]
        .concat();
        ran(folder, &all)
    };
    let lines = json(&plan(&["--json", "--plot", "plot.svg"]));
    let pages: Vec<&Value> = lines.iter().filter(|line| line["due"].is_string()).collect();
    assert_eq!(pages.len(), 20);
    assert!(pages.is_sorted_by_key(|page| page["due"].as_str()), "{pages:?}");
    assert!(
        pages
            .iter()
            .all(|page| page["why"].as_str().is_some_and(|why| !why.is_empty()))
    );
    let budgets: Vec<&Value> = lines.iter().filter(|line| line["budget"].is_string()).collect();
    let of = |key: &str| -> Vec<f64> { budgets.iter().filter_map(|line| line[key].as_f64()).collect() };
    assert_eq!(of("pages_per_day"), [15.0, 30.0, 60.0]);
    assert!(of("freshness").is_sorted(), "{budgets:?}");
    assert!(
        of("new_object_days").is_sorted_by(|one, other| one >= other),
        "{budgets:?}"
    );
    // What is planned is what the budget pays, but for what is left to new pages.
    let visits = of("visits_per_day");
    assert!(
        visits
            .iter()
            .zip([15.0, 30.0, 60.0])
            .all(|(visits, budget)| *visits <= budget * 1.01),
        "{budgets:?}"
    );
    let svg = std::fs::read_to_string(folder.join("plot.svg")).expect("a plot");
    assert!(svg.starts_with("<svg"), "{svg}");
    let people = said(&plan(&[]));
    for part in ["half", "double", "right at any time", "brings an object"] {
        assert!(people.contains(part), "{part} in {people}");
    }
    let refused = said(&ran(folder, &["plan", "-w", "ws", "--budget", "lots"]));
    assert!(refused.contains("5000/day"), "{refused}");
}

/// A watch that runs until it is stopped.
fn watching(folder: &Path) -> Child {
    magpie(folder)
        .args([
            "watch",
            "-w",
            "ws",
            "--later",
            "1w",
            "--budget",
            "100000/day",
            "--set",
            "watch.beat=1s",
        ])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it runs")
}

/// Waits until its health is as wanted.
fn health(folder: &Path, is: impl Fn(&Value) -> bool) -> Value {
    let began = Instant::now();
    loop {
        let text = std::fs::read_to_string(folder.join("ws/watch.json")).unwrap_or_default();
        let health: Value = serde_json::from_str(&text).unwrap_or_default();
        if is(&health) {
            return health;
        }
        assert!(began.elapsed() < PATIENCE, "still {health}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
#[cfg(unix)]
fn a_service_is_killed_reloaded_and_stopped() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let served = learned(folder, "");
    let mut child = watching(folder);
    let is_of = |child: &Child, health: &Value| health["process"] == child.id() && health["last"].is_object();
    health(folder, |health| is_of(&child, health));
    child.kill().expect("kill -9");
    child.wait().expect("it ended");

    // It goes on, and while it does a plan can be made, and settings take effect or are told to be wrong.
    let mut child = watching(folder);
    health(folder, |health| is_of(&child, health));
    let plan = ran(folder, &["plan", "-w", "ws", "--later", "1w"]);
    assert!(plan.status.success(), "{}", said(&plan));
    settings(folder, served.proxy(), "[watch]\ngoal = \"fame\"\n");
    let problem = health(folder, |health| !health["last"]["problems"][0].is_null());
    let problem = problem["last"]["problems"][0]
        .as_str()
        .expect("a sentence")
        .to_owned();
    assert!(
        problem.contains("goal") && problem.contains("stay in force"),
        "{problem}"
    );
    settings(folder, served.proxy(), "[watch]\ngoal = \"age\"\n");
    health(folder, |health| {
        health["last"]["problems"] == serde_json::json!([])
    });
    let status = json(&ran(folder, &["status", "-w", "ws", "--json"]));
    assert_eq!(status[0]["watch"]["state"], "watching");
    let people = said(&ran(folder, &["status", "-w", "ws"]));
    assert!(people.contains("watching events"), "{people}");

    let terminated = std::process::Command::new("kill")
        .arg(child.id().to_string())
        .status()
        .expect("kill runs");
    assert!(terminated.success());
    assert!(child.wait().expect("it ended").success());
    assert_eq!(health(folder, |_| true)["state"], "stopped");
}

/// Lists of a site, and events on each of them.
const LISTS: usize = 40;
const ON_EACH: usize = 2;

/// A site of lists with events, one of which comes when it is told so: to the last of its lists, and to its feed.
fn programme(has_come: &Arc<AtomicBool>) -> Site {
    let has_come = Arc::clone(has_come);
    Site::start(move |path| {
        let has_come = has_come.load(Ordering::Relaxed);
        let new = || has_come.then(|| format!("/event/number-{}", LISTS * ON_EACH));
        let number = |before: &str| path.strip_prefix(before)?.parse::<usize>().ok();
        if let Some(list) = number("/list/").filter(|list| *list < LISTS) {
            let events = (0..ON_EACH).map(|event| format!("/event/number-{}", list * ON_EACH + event));
            let events: Vec<String> = events.chain(new().filter(|_| list + 1 == LISTS)).collect();
            return linked(&format!("The events of list {list}"), "", &events);
        }
        if let Some(name) = path.strip_prefix("/event/") {
            return Reply::html(format!(
                "<title>{name}</title><script type=application/ld+json>{{\"@context\": \"https://schema.org\", \
                 \"@type\": \"Event\", \"name\": \"An evening called {name}\", \"startDate\": \"2099-05-01T20:00\", \
                 \"location\": {{\"@type\": \"Place\", \"name\": \"The hall of {name}\"}}}}</script><h1>{name}</h1>"
            ));
        }
        match path {
            "/" => {
                let lists: Vec<String> = (0..LISTS).map(|list| format!("/list/{list}")).collect();
                let feed = "<link rel=alternate type=application/rss+xml href=/news.xml>";
                linked("What is on", feed, &lists)
            }
            "/news.xml" => {
                let item = new().map(|new| format!("<item><link>{new}</link></item>"));
                Reply::text(&format!(
                    "<rss><channel>{}</channel></rss>",
                    item.unwrap_or_default()
                ))
            }
            _ => Reply::status(404),
        }
    })
}

fn linked(title: &str, head: &str, hrefs: &[String]) -> Reply {
    let mut page = links(title, &hrefs.iter().map(String::as_str).collect::<Vec<_>>());
    page.body.splice(0..0, head.bytes());
    page
}

/// Requests that a watch of six a day makes until it fetches the event that has come.
fn requests_until_found(reads_feeds: bool) -> usize {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let has_come = Arc::new(AtomicBool::new(false));
    let site = programme(&has_come);
    assert!(ran(folder, &["init", "ws"]).status.success());
    let vertical = magpie_tests::vertical("events");
    std::fs::copy(vertical, folder.join("ws/verticals/events.wasm")).expect("copied");
    let settings = format!(
        "[network]\nallow_addresses = [\"127.0.0.0/8\"]\n[politeness]\ndelay = \"0s\"\nautothrottle = false\n\
         [scope]\nsitemaps = {reads_feeds}\n"
    );
    std::fs::write(folder.join("ws/magpie.toml"), settings).expect("written");
    std::fs::write(folder.join("sites.txt"), site.url("/")).expect("written");
    let learned = ran(folder, &["learn", "-w", "ws", "--sites", "sites.txt"]);
    assert!(learned.status.success(), "{}", said(&learned));
    let before = site.requests().len();
    has_come.store(true, Ordering::Relaxed);
    for day in 2..100 {
        beat(folder, "6/day", &format!("{day}d"));
        let requests = site.requests();
        if let Some(found) = requests
            .iter()
            .position(|path| *path == format!("/event/number-{}", LISTS * ON_EACH))
        {
            return found + 1 - before;
        }
    }
    panic!("it was never found: {:?}", site.requests());
}

#[test]
fn what_a_feed_names_is_found_without_reading_the_lists() {
    let (with, without) = (requests_until_found(true), requests_until_found(false));
    assert!(
        2 * with < without,
        "{with} requests with the feed, {without} without"
    );
}
