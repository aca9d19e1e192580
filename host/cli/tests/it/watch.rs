//! A watch on the small web of the lab: it keeps its budget, survives kills and reports its work.

use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::web::{Served, Spec, json, magpie, ran, said};
use magpie_lab::Vertical;
use magpie_test_support::server::{Reply, Site, links};
use serde_json::Value;

const WEB: Spec = (Vertical::Events, 7);

/// Tests end some time, whatever hangs.
const PATIENCE: Duration = Duration::from_secs(120);

/// A workspace in which the web of week 0 was learned, and the web a week later.
fn learned(folder: &Path, more: &str) -> Served {
    let served = Served::start(WEB, 0, 0);
    assert!(ran(folder, &["init", "ws"]).status.success());
    std::fs::copy(
        magpie_tests::vertical("events"),
        folder.join("ws/verticals/events.wasm"),
    )
    .expect("copied");
    settings(folder, &served.proxy(), more);
    std::fs::write(folder.join("sites.txt"), served.homes().join("\n")).expect("written");
    let learned = ran(folder, &["learn", "-w", "ws", "--sites", "sites.txt"]);
    assert!(learned.status.success(), "{}", said(&learned));
    let port = served.port();
    drop(served);
    Served::start(WEB, 1, port)
}

fn settings(folder: &Path, proxy: &str, more: &str) {
    let settings = format!(
        "[network]\nproxy = \"{proxy}\"\n[politeness]\ndelay = \"0s\"\nautothrottle = false\nrequests = 8\n{more}"
    );
    std::fs::write(folder.join("ws/magpie.toml"), settings).expect("written");
}

/// Runs one cycle, as if it were later by a duration.
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

    // The clock steps back by weeks. Requests by its old time do not block, and nothing breaks.
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
    let served = learned(folder, "");
    let mut child = watching(folder);
    let is_of = |child: &Child, health: &Value| health["process"] == child.id() && health["last"].is_object();
    health(folder, |health| is_of(&child, health));
    child.kill().expect("kill -9");
    child.wait().expect("it ended");

    // While it runs, a plan can be made, and changed settings take effect or are reported.
    let mut child = watching(folder);
    health(folder, |health| is_of(&child, health));
    let plan = ran(folder, &["plan", "-w", "ws", "--later", "1w"]);
    assert!(plan.status.success(), "{}", said(&plan));
    settings(folder, &served.proxy(), "[watch]\ngoal = \"fame\"\n");
    let problem = health(folder, |health| !health["last"]["problems"][0].is_null());
    let problem = problem["last"]["problems"][0]
        .as_str()
        .expect("a sentence")
        .to_owned();
    assert!(
        problem.contains("goal") && problem.contains("stay in force"),
        "{problem}"
    );
    settings(folder, &served.proxy(), "[watch]\ngoal = \"age\"\n");
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

/// A site of lists with events. On request an event is added to its last list and to its feed.
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

/// A workspace that has learned one site of a loopback server, with shipped settings but for those
/// of the network.
fn learned_site(folder: &Path, site: &Site, more: &str) {
    assert!(ran(folder, &["init", "ws"]).status.success());
    let vertical = magpie_tests::vertical("events");
    std::fs::copy(vertical, folder.join("ws/verticals/events.wasm")).expect("copied");
    let settings = format!(
        "[network]\nallow_addresses = [\"127.0.0.0/8\"]\n[politeness]\ndelay = \"0s\"\nautothrottle = false\n{more}"
    );
    std::fs::write(folder.join("ws/magpie.toml"), settings).expect("written");
    std::fs::write(folder.join("sites.txt"), site.url("/")).expect("written");
    let learned = ran(folder, &["learn", "-w", "ws", "--sites", "sites.txt"]);
    assert!(learned.status.success(), "{}", said(&learned));
}

fn event(name: &str, start: &str) -> String {
    format!(
        "<script type=application/ld+json>{{\"@context\": \"https://schema.org\", \"@type\": \"Event\", \
         \"name\": \"{name}\", \"startDate\": \"{start}\", \"location\": {{\"@type\": \"Place\", \
         \"name\": \"The old mill\"}}}}</script><h1>{name}</h1>"
    )
}

/// Pages in the menu of every page, without other links.
const MENU: [&str; 9] = [
    "/programme",
    "/terms",
    "/privacy",
    "/imprint",
    "/contact",
    "/services",
    "/team",
    "/login",
    "/cart",
];

/// The site of a venue that closed: three events that are long over, a menu, tags, and the
/// addresses that blog software writes into every head.
fn closed_venue() -> Site {
    Site::start(|path| {
        let nights = ["/night/lanterns", "/night/harvest", "/night/jazz"];
        let head = "<link rel=alternate type='application/json+oembed' href='/wp-json/oembed/1.0/embed?url=1'>\
                    <link rel='https://api.w.org/' href='/wp-json/'>";
        let page = |title: &str, body: &str, hrefs: &[&str]| {
            let all: Vec<String> = MENU.iter().chain(hrefs).map(|href| (*href).to_owned()).collect();
            let mut reply = linked(title, head, &all);
            reply.body.extend(body.bytes());
            reply
        };
        match path {
            "/" => page("The old mill", "", &["/tag/jazz", "/tag/autumn"]),
            "/programme" => page("Programme", "", &nights),
            "/tag/jazz" | "/tag/autumn" => page("Tagged", "", &nights[1..]),
            path if nights.contains(&path) => page(path, &event(path, "2023-10-06T20:00"), &[]),
            path if MENU.contains(&path) => page(path, "<p>Words of a lawyer.</p>", &[]),
            _ => Reply::status(404),
        }
    })
}

#[test]
fn a_dead_site_costs_a_handful_of_pages_a_day() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let site = closed_venue();
    learned_site(folder, &site, "");
    let learned = site.requests().len();
    let mut days = Vec::new();
    for day in 0..14 {
        let before = site.requests().len();
        for hour in [0, 6, 12, 18] {
            let later = format!("{}h", 24 * day + hour + 1);
            let beat = json(&ran(
                folder,
                &["watch", "-w", "ws", "--once", "--json", "--later", &later],
            ));
            let beat = beat.last().expect("a line");
            assert_eq!(number(beat, "explored"), 0, "{beat}");
        }
        days.push(site.requests().len() - before);
    }
    let requests = site.requests().split_off(learned);
    // A look at five pages, and robots file and sitemap once.
    assert!(
        days.iter().all(|requests| *requests <= 8),
        "{days:?}: {requests:?}"
    );
    assert!(requests.len() <= 40, "{days:?}: {requests:?}");
    assert!(requests.iter().any(|path| path == "/programme"), "{requests:?}");
    assert!(
        !requests
            .iter()
            .any(|path| path.starts_with("/wp-json") || path.starts_with("/night")),
        "{requests:?}"
    );
}

#[test]
fn a_look_at_a_dead_site_finds_it_alive_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let is_open = Arc::new(AtomicBool::new(false));
    let told = Arc::clone(&is_open);
    let site = Site::start(move |path| {
        let season: &[&str] = match told.load(Ordering::Relaxed) {
            true => &[
                "/night/1", "/night/2", "/night/3", "/night/4", "/night/5", "/night/6", "/night/7",
            ],
            false => &["/night/1", "/night/2"],
        };
        match path {
            "/" => links("The old mill", &["/programme"]),
            "/programme" => links("Programme", season),
            path if season.contains(&path) => {
                let start = match path {
                    "/night/1" | "/night/2" => "2023-10-06T20:00",
                    _ => "2099-10-06T20:00",
                };
                Reply::html(format!(
                    "<!doctype html><title>{path}</title>{}",
                    event(path, start)
                ))
            }
            _ => Reply::status(404),
        }
    });
    learned_site(folder, &site, "");
    is_open.store(true, Ordering::Relaxed);
    let nights = || {
        site.counts()
            .keys()
            .filter(|path| path.starts_with("/night/"))
            .count()
    };
    let mut day = 0;
    while nights() < 7 {
        day += 1;
        assert!(day <= 4, "{:?}", site.counts());
        beat(folder, "5000/day", &format!("{}h", 24 * day + 2));
    }
}

#[test]
fn a_page_is_not_asked_for_again_before_its_time_whatever_the_budget() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let has_come = Arc::new(AtomicBool::new(false));
    let site = programme(&has_come);
    learned_site(folder, &site, "");
    beat(folder, "100000/day", "3d");
    let before = site.requests().len();
    let next = beat(folder, "100000/day", "73h");
    assert_eq!(picked(&next), 0, "{next}");
    assert_eq!(
        site.requests().len(),
        before,
        "a beat that has nothing to do costs nothing"
    );
    // What it says is true: nothing is due a little before, and something is then.
    let moment = next["next"].as_str().expect("a moment");
    let to_minute = |moment: &str| moment[..16].to_owned();
    let plan = json(&ran(folder, &["plan", "-w", "ws", "--later", "73h", "--json"]));
    assert!(
        plan[0]["due"].as_str().map(to_minute) <= Some(to_minute(moment)),
        "{} {moment}",
        plan[0]
    );
    assert!(picked(&beat(folder, "100000/day", "5d")) > 0);
}

#[test]
fn a_lively_list_is_read_as_often_as_something_comes() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let count = Arc::new(AtomicUsize::new(4));
    let told = Arc::clone(&count);
    // An event comes every hour.
    let site = Site::start(move |path| {
        let count = told.load(Ordering::Relaxed);
        let nights: Vec<String> = (0..count).map(|night| format!("/night/{night}")).collect();
        match path {
            "/" => links("The mill", &["/programme"]),
            "/programme" => linked("Programme", "", &nights),
            path if nights.iter().any(|night| night == path) => Reply::html(format!(
                "<!doctype html><title>{path}</title>{}",
                event(path, "2099-10-06T20:00")
            )),
            _ => Reply::status(404),
        }
    });
    learned_site(folder, &site, "");
    let reads = || site.counts().get("/programme").copied().unwrap_or(0);
    let mut reads_before = 0;
    for hour in 1..=30 {
        count.store(4 + hour, Ordering::Relaxed);
        beat(folder, "5000/day", &format!("{hour}h"));
        if hour == 18 {
            reads_before = reads();
        }
    }
    assert!(reads() - reads_before >= 11, "{:?}", site.counts());
    assert!(site.counts().contains_key("/night/33"), "{:?}", site.counts());
}

#[test]
fn what_was_called_wrongly_is_no_watch() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let site = closed_venue();
    learned_site(folder, &site, "");
    beat(folder, "10/day", "2d");
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
    let has_come = Arc::new(AtomicBool::new(false));
    let site = programme(&has_come);
    learned_site(folder, &site, "");
    // By then every page is due, and the first of them is all that a day pays.
    beat(folder, "1/day", "200d");
    let output = said(&ran(
        folder,
        &[
            "watch", "-w", "ws", "--once", "--budget", "1/day", "--later", "200d",
        ],
    ));
    assert!(output.contains("the budget is used up until 2"), "{output}");
}

/// Requests that a watch of six a day makes until it fetches the event that has come.
fn requests_until_found(reads_feeds: bool) -> usize {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let has_come = Arc::new(AtomicBool::new(false));
    let site = programme(&has_come);
    learned_site(folder, &site, &format!("[scope]\nsitemaps = {reads_feeds}\n"));
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
    let served = learned(folder, "");
    let now = |text: &str| {
        let text = Value::from(text);
        format!("[...document.querySelectorAll('[data-live]')].some(part => part.innerText.includes({text}))")
    };
    let mut tab = browser.tab();
    tab.set(1_280, false, true);

    // A first crawl: the numbers of the page rise by themselves.
    assert!(ran(folder, &["init", "fresh"]).status.success());
    let component = folder.join("fresh/verticals/events.wasm");
    std::fs::copy(magpie_tests::vertical("events"), component).expect("copied");
    std::fs::copy(folder.join("ws/magpie.toml"), folder.join("fresh/magpie.toml")).expect("copied");
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
    // Every page that tells of the watch says so, and so does the command.
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

    // A server that is gone is told as well.
    drop(page);
    tab.wait_until(&now("does not answer"), limit);
}
