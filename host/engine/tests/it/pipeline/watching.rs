//! Cycles of a watch: what they ask for, what they cost, and when.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use magpie_engine::settings::{Budget, Raw, Value as _};
use magpie_engine::watch::{Cycle, cycle};
use magpie_lab::{Size, Vertical, WebSpec, Weight};
use magpie_test_support::server::{Reply, Site, links};
use magpie_tests::TestWorkspace;

use crate::bench::Bench;

fn hours(hours: u64) -> Duration {
    Duration::from_secs(3_600 * hours)
}

fn days(days: u64) -> Duration {
    hours(24 * days)
}

/// A workspace that has learned a site on loopback.
fn learned(site: &Site, more: &str) -> TestWorkspace {
    let workspace = TestWorkspace::local(&magpie_tests::vertical("events"), more);
    workspace.learn(&site.url("/"));
    workspace
}

fn budget(text: &str) -> Budget {
    Budget::read(&Raw::Text(text.to_owned())).expect("a budget")
}

/// Runs one cycle in a session of its own, as if it were later by a duration.
fn run_cycle(workspace: &TestWorkspace, text: &str, later: Duration) -> Cycle {
    workspace.at(later);
    cycle(&workspace.open(), budget(text), &mut ()).expect("a cycle")
}

/// A web of the lab that was learned in week 0, and is a week older now.
fn learned_web(more: &str) -> Bench {
    let spec = WebSpec {
        weight: Weight::Light,
        ..WebSpec::new(Vertical::Events, Size::Small, 7)
    };
    let bench = Bench::of(spec, more);
    bench.learn_all();
    bench.pass_weeks(1);
    bench
}

#[test]
fn a_budget_is_kept_whatever_the_clock_does() {
    let bench = learned_web("");
    let start = bench.session().now();
    let mut minutes = 0;
    // A minute passes between two cycles of a week: what the first spends is in the past of the
    // second.
    let mut run_cycle = |text: &str, weeks: u64| {
        minutes += 1;
        let later = days(7 * weeks) + Duration::from_secs(60 * minutes);
        bench.session().clock().set(start + later);
        cycle(bench.session(), budget(text), &mut ()).expect("a cycle")
    };
    // A day's budget is there to begin with, and goes to lists and what is new on them.
    let first = run_cycle("30/day", 0);
    assert!(first.picked.lists > 0, "{first:?}");
    assert!((1..=30).contains(&first.picked.all()), "{first:?}");
    assert!(first.new_objects > 0, "{first:?}");
    assert!(first.left <= 30 - first.picked.all() as u64, "{first:?}");

    // At once again there is what is left; after a standstill of weeks no more than a day's.
    let second = run_cycle("30/day", 0);
    assert!(
        second.picked.all() as u64 <= first.left.max(1),
        "{first:?} {second:?}"
    );
    let third = run_cycle("30/day", 4);
    assert!((1..=30).contains(&third.picked.all()), "{third:?}");

    // The clock steps back by weeks. Requests by its old time do not block, and nothing breaks.
    let back = run_cycle("30/day", 0);
    assert!(back.picked.all() <= 30, "{back:?}");

    // With nothing to spend nothing is spent.
    let none = run_cycle("0/day", 5);
    assert_eq!((none.picked.all(), none.left), (0, 0), "{none:?}");
    // Less than a page for each site is one page now and then.
    assert_eq!(run_cycle("1/week", 29).picked.all(), 1);
    assert_eq!(run_cycle("1/week", 29).picked.all(), 0);
    // Bytes are counted too: a page may cost more than there is, and is paid back.
    assert!(run_cycle("1 KB/day", 49).picked.all() >= 1);
    assert_eq!(run_cycle("1 KB/day", 49).left, 0);
}

#[test]
fn a_site_keeps_its_own_limit() {
    let bench = learned_web("watch.site_budget = \"1/day\"\n");
    let cycle = cycle(bench.session(), budget("24000/day"), &mut ()).expect("a cycle");
    assert!(
        (1..=3).contains(&cycle.picked.all()),
        "one of each of three sites: {cycle:?}"
    );
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
        if path.starts_with("/event/") {
            let name = path.trim_start_matches("/event/");
            let title = format!("An evening called {name}");
            return event(&title, &format!("The hall of {name}"), "2099-05-01T20:00");
        }
        match path {
            "/" => {
                let lists: Vec<String> = (0..LISTS).map(|list| format!("/list/{list}")).collect();
                let feed = "<link rel=alternate type=application/rss+xml href=/news.xml>";
                linked("What is on", feed, &lists)
            }
            "/news.xml" => {
                let item = new().map(|new| format!("<item><link>{new}</link></item>"));
                Reply::text(format!(
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

fn event(name: &str, venue: &str, start: &str) -> Reply {
    Reply::html(format!(
        "<!doctype html><title>{name}</title><script type=application/ld+json>{{\"@context\": \
         \"https://schema.org\", \"@type\": \"Event\", \"name\": \"{name}\", \"startDate\": \"{start}\", \
         \"location\": {{\"@type\": \"Place\", \"name\": \"{venue}\"}}}}</script><h1>{name}</h1>"
    ))
}

/// An event of the venue that closed.
fn night(path: &str, start: &str) -> Reply {
    event(path, "The old mill", start)
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
        let page = |title: &str, body: &[u8], hrefs: &[&str]| {
            let all: Vec<String> = MENU.iter().chain(hrefs).map(|href| (*href).to_owned()).collect();
            let mut reply = linked(title, head, &all);
            reply.body.extend(body);
            reply
        };
        match path {
            "/" => page("The old mill", b"", &["/tag/jazz", "/tag/autumn"]),
            "/programme" => page("Programme", b"", &nights),
            "/tag/jazz" | "/tag/autumn" => page("Tagged", b"", &nights[1..]),
            path if nights.contains(&path) => page(path, &night(path, "2023-10-06T20:00").body, &[]),
            path if MENU.contains(&path) => page(path, b"<p>Words of a lawyer.</p>", &[]),
            _ => Reply::status(404),
        }
    })
}

#[test]
fn a_dead_site_costs_a_handful_of_pages_a_day() {
    let site = closed_venue();
    let workspace = learned(&site, "");
    let learned = site.requests().len();
    let mut costs = Vec::new();
    for day in 0..14 {
        let before = site.requests().len();
        for hour in [0, 6, 12, 18] {
            let run_cycle = run_cycle(&workspace, "5000/day", days(day) + hours(hour + 1));
            assert_eq!(run_cycle.explored, 0, "{run_cycle:?}");
        }
        costs.push(site.requests().len() - before);
    }
    let requests = site.requests().split_off(learned);
    // A look at five pages, and robots file and sitemap once.
    assert!(costs.iter().all(|cost| *cost <= 8), "{costs:?}: {requests:?}");
    assert!(requests.len() <= 40, "{costs:?}: {requests:?}");
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
    let is_open = Arc::new(AtomicBool::new(false));
    let now = Arc::clone(&is_open);
    let site = Site::start(move |path| {
        let count = if now.load(Ordering::Relaxed) { 7 } else { 2 };
        let season: Vec<String> = (1..=count).map(|night| format!("/night/{night}")).collect();
        match path {
            "/" => links("The old mill", &["/programme"]),
            "/programme" => linked("Programme", "", &season),
            "/night/1" | "/night/2" => night(path, "2023-10-06T20:00"),
            path if season.iter().any(|night| night == path) => night(path, "2099-10-06T20:00"),
            _ => Reply::status(404),
        }
    });
    let workspace = learned(&site, "");
    is_open.store(true, Ordering::Relaxed);
    let nights = || {
        let counts = site.counts();
        counts.keys().filter(|path| path.starts_with("/night/")).count()
    };
    let mut day = 0;
    while nights() < 7 {
        day += 1;
        assert!(day <= 4, "{:?}", site.counts());
        run_cycle(&workspace, "5000/day", days(day) + hours(2));
    }
}

#[test]
fn a_page_is_not_asked_for_again_before_its_time_whatever_the_budget() {
    let site = programme(&Arc::default());
    let workspace = learned(&site, "");
    run_cycle(&workspace, "100000/day", days(3));
    let before = site.requests().len();
    let idle = run_cycle(&workspace, "100000/day", hours(73));
    assert_eq!(idle.picked.all(), 0, "{idle:?}");
    assert_eq!(
        site.requests().len(),
        before,
        "a cycle that has nothing to do costs nothing"
    );
    // The moment that it names is true: nothing is due a minute before, and something is then.
    let next = idle.next_due.expect("a moment");
    let minute = Duration::from_secs(60);
    for (moment, is_due) in [(next - minute, false), (next + minute, true)] {
        workspace.clock.set(moment);
        let cycle = cycle(&workspace.open(), budget("100000/day"), &mut ()).expect("a cycle");
        assert_eq!(cycle.picked.all() > 0, is_due, "{moment}: {cycle:?}");
    }
}

#[test]
fn a_lively_list_is_read_as_often_as_something_comes() {
    let count = Arc::new(AtomicUsize::new(4));
    let now = Arc::clone(&count);
    // An event comes every hour.
    let site = Site::start(move |path| {
        let count = now.load(Ordering::Relaxed);
        let nights: Vec<String> = (0..count).map(|night| format!("/night/{night}")).collect();
        match path {
            "/" => links("The mill", &["/programme"]),
            "/programme" => linked("Programme", "", &nights),
            path if nights.iter().any(|night| night == path) => night(path, "2099-10-06T20:00"),
            _ => Reply::status(404),
        }
    });
    let workspace = learned(&site, "");
    let reads = || site.counts().get("/programme").copied().unwrap_or(0);
    let mut reads_before = 0;
    for hour in 1..=30 {
        count.store(4 + hour, Ordering::Relaxed);
        run_cycle(&workspace, "5000/day", hours(hour as u64));
        if hour == 18 {
            reads_before = reads();
        }
    }
    assert!(reads() - reads_before >= 11, "{:?}", site.counts());
    assert!(site.counts().contains_key("/night/33"), "{:?}", site.counts());
}

/// Requests that a watch of six a day makes until it fetches the event that has come.
fn requests_until_found(reads_feeds: bool) -> usize {
    let has_come = Arc::new(AtomicBool::new(false));
    let site = programme(&has_come);
    let workspace = learned(&site, &format!("scope.sitemaps = {reads_feeds}\n"));
    let before = site.requests().len();
    has_come.store(true, Ordering::Relaxed);
    let new = format!("/event/number-{}", LISTS * ON_EACH);
    for day in 2..100 {
        run_cycle(&workspace, "6/day", days(day));
        let found = site.requests().iter().position(|path| *path == new);
        if let Some(found) = found {
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
