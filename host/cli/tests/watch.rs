//! A watch on the lab's small web: it keeps to its budget, survives whatever happens to it, and says what it does.

mod web;

use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

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
