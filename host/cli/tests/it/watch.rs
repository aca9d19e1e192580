//! A watch on the small web of the lab: it keeps its budget, survives kills and reports its work.

use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::web::{LOOPBACK, Served, Spec, json, learn, magpie, ran, said, workspace};
use magpie_lab::Vertical;
use magpie_test_support::server::{Reply, Site, links};
use serde_json::Value;

const WEB: Spec = (Vertical::Events, 7);

/// Time after which a test fails instead of hanging.
const PATIENCE: Duration = Duration::from_secs(120);

/// A workspace in which the web of week 0 was learned, and the web a week later.
fn learned(folder: &Path) -> Served {
    let served = Served::start(WEB, 0, 0);
    workspace(folder, "ws", "events", &served.settings());
    learn(folder, &served.homes());
    let port = served.port();
    drop(served);
    Served::start(WEB, 1, port)
}

/// Runs one cycle, as if it were later by a duration.
fn run_cycle(folder: &Path, budget: &str, later: &str) -> Value {
    let arguments = [
        "watch", "-w", "ws", "--once", "--json", "--budget", budget, "--later", later,
    ];
    json(&ran(folder, &arguments)).pop().expect("a line")
}

#[test]
fn a_plan_says_what_is_next_and_what_more_would_reach() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let _served = learned(folder);
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
    // The planned visits stay within the budget, which also pays for new pages.
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
    for part in ["half", "double", "right at any time", "new ones expected every"] {
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
            "watch.interval=1s",
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
    let served = learned(folder);
    let mut child = watching(folder);
    let is_of = |child: &Child, health: &Value| health["process"] == child.id() && health["last"].is_object();
    health(folder, |health| is_of(&child, health));
    child.kill().expect("kill -9");
    child.wait().expect("it ended");

    let set = |more: &str| {
        let settings = served.settings() + more;
        std::fs::write(folder.join("ws/magpie.toml"), settings).expect("written");
    };

    // While it runs, a plan can be made, and changed settings take effect or are reported.
    let mut child = watching(folder);
    health(folder, |health| is_of(&child, health));
    let plan = ran(folder, &["plan", "-w", "ws", "--later", "1w"]);
    assert!(plan.status.success(), "{}", said(&plan));
    set("[watch]\ngoal = \"fame\"\n");
    let problem = health(folder, |health| !health["last"]["problems"][0].is_null());
    let problem = problem["last"]["problems"][0]
        .as_str()
        .expect("a sentence")
        .to_owned();
    assert!(
        problem.contains("goal") && problem.contains("stay in force"),
        "{problem}"
    );
    set("[watch]\ngoal = \"age\"\n");
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

/// A workspace that has learned a site on loopback: a list of some events that are far away.
fn learned_site(folder: &Path) -> Site {
    let nights = [
        "/night/1", "/night/2", "/night/3", "/night/4", "/night/5", "/night/6",
    ];
    let site = Site::start(move |path| match path {
        "/" => links("The old mill", &nights),
        path if nights.contains(&path) => Reply::html(format!(
            "<!doctype html><title>{path}</title><script type=application/ld+json>{{\"@context\": \
             \"https://schema.org\", \"@type\": \"Event\", \"name\": \"A night called {path}\", \
             \"startDate\": \"2099-05-01T20:00\", \"location\": {{\"@type\": \"Place\", \
             \"name\": \"The old mill\"}}}}</script><h1>{path}</h1>"
        )),
        _ => Reply::status(404),
    });
    workspace(folder, "ws", "events", LOOPBACK);
    learn(folder, &[site.url("/")]);
    site
}

#[test]
fn what_was_called_wrongly_is_no_watch() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let _site = learned_site(folder);
    run_cycle(folder, "10/day", "2d");
    let health = || std::fs::read_to_string(folder.join("ws/watch.json")).expect("it is there");
    let before = health();
    let output = ran(folder, &["watch", "-w", "ws", "--once", "--budget", "banana"]);
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert_eq!(health(), before);
}

#[test]
fn until_when_a_budget_is_used_up_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let _site = learned_site(folder);
    // By then every page is due, and the first of them is all that a day pays.
    let first = run_cycle(folder, "1/day", "200d");
    assert_eq!(
        first["lists"]
            .as_u64()
            .zip(first["known"].as_u64())
            .map(|(one, other)| one + other),
        Some(1),
        "{first}"
    );
    let output = said(&ran(
        folder,
        &[
            "watch", "-w", "ws", "--once", "--budget", "1/day", "--later", "200d",
        ],
    ));
    assert!(output.contains("the budget is used up until 2"), "{output}");
}

/// `magpie serve`, until it is dropped. Returns its address as well.
#[cfg(unix)]
fn page_of(folder: &Path, workspace: &str) -> (Running, String) {
    use std::io::BufRead as _;
    let mut child = magpie(folder)
        .args(["serve", "-w", workspace, "--listen", "127.0.0.1:0"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it runs");
    let mut line = String::new();
    let output = child.stdout.take().expect("it is piped");
    let child = Running(child);
    std::io::BufReader::new(output)
        .read_line(&mut line)
        .expect("it says its address");
    (child, line.trim().to_owned())
}

/// A process that is killed when this is dropped.
#[cfg(unix)]
struct Running(Child);

#[cfg(unix)]
impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
#[cfg(unix)]
fn a_page_follows_a_crawl_and_tells_that_a_watch_was_killed() {
    let Some(mut browser) = magpie_test_support::browser::Browser::start() else {
        return;
    };
    let limit = Duration::from_secs(15);
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let served = learned(folder);
    let now = |text: &str| {
        let text = Value::from(text);
        format!("[...document.querySelectorAll('[data-live]')].some(part => part.innerText.includes({text}))")
    };
    let mut tab = browser.tab();
    tab.set(1_280, false, true);

    // A first crawl: the numbers of the page rise by themselves.
    workspace(folder, "fresh", "events", &served.settings());
    let (page, url) = page_of(folder, "fresh");
    tab.open(&url);
    tab.wait_until(&now("nothing runs"), limit);
    let homes = served.homes();
    let mut crawl = magpie(folder);
    crawl
        .args(["learn", "-w", "fresh", "--delay", "100ms"])
        .args(&homes);
    crawl.stdout(Stdio::null()).stderr(Stdio::null());
    let crawl = Running(crawl.spawn().expect("it runs"));
    let fetched = "Number(document.querySelector('[data-live=fetched]').innerText.replace(/,/g, ''))";
    tab.wait_until(&now("runs ("), limit);
    tab.wait_until(&format!("{fetched} > 0"), limit);
    let before = tab.evaluate(fetched);
    tab.wait_until(&format!("{fetched} > {before}"), limit);
    drop(crawl);
    tab.wait_until(&now("nothing runs"), limit);
    drop(page);

    let (page, url) = page_of(folder, "ws");
    tab.open(&url);
    let watch = Running(watching(folder));
    tab.wait_until(&now("watch runs"), limit);
    health(folder, |health| {
        health["process"] == watch.0.id() && health["last"].is_object()
    });
    // It is dropped as `kill -9` does.
    drop(watch);
    tab.wait_until(&now("was killed"), limit);
    // Each page about the watch shows it, and so does the command.
    for path in ["sites", "plan"] {
        tab.open(&format!("{url}{path}"));
        let is_told = "document.querySelector('[data-live=watch].bad').innerText.includes('was killed')";
        assert_eq!(tab.evaluate(is_told), true, "/{path}");
    }
    let status = said(&ran(folder, &["status", "-w", "ws"]));
    assert!(status.contains("was killed"), "{status}");
    let status = json(&ran(folder, &["status", "-w", "ws", "--json"]));
    assert_eq!(status[0]["watch"]["state"], "killed");
    // Another command that writes is no watch.
    let clustered = ran(folder, &["objects", "cluster", "-w", "ws"]);
    assert!(clustered.status.success(), "{}", said(&clustered));
    assert!(said(&ran(folder, &["status", "-w", "ws"])).contains("was killed"));
    // A page that is open follows a watch that begins, and one that ends.
    tab.open(&format!("{url}sites"));
    let watch = Running(watching(folder));
    tab.wait_until(&now("watching events"), limit);
    drop(watch);
    tab.wait_until(&now("was killed"), limit);
    tab.wait_until("document.querySelector('[data-live=watch].bad') !== null", limit);
    tab.open(&url);
    let watch = Running(watching(folder));
    tab.wait_until(&format!("!{}", now("was killed")), limit);
    tab.wait_until(&now("watch runs"), limit);
    drop(watch);

    // A server that is gone is reported, too.
    drop(page);
    tab.wait_until(&now("does not answer"), limit);
}
