//! Ways that crawls refuse: they are in no navigation.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use magpie_engine::learn::{LearnRequest, Stage, learn};
use magpie_engine::recrawl::{Method, recrawl};
use magpie_engine::site::{navigation_file, read_navigation};
use magpie_model::CanonicalUrl;
use magpie_patterns::navigate::Navigator;
use magpie_test_support::server::{Reply, Site};
use magpie_tests::{LOOPBACK, TestWorkspace};

use super::coverage::{self, data};

const LISTS: usize = 6;

const ON_LIST: usize = 5;

/// One page that links to all events, which a crawl may use at first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shortcut {
    /// It asks crawlers not to follow its links.
    Tag,
    /// The same by `X-Robots-Tag`.
    Header,
    /// Each of its links is `rel=nofollow`.
    Links,
    /// It shows the events itself, and asks crawlers not to read it.
    Noindex,
    /// It is forbidden by robots.txt later.
    Robots,
    /// It redirects later.
    Redirect,
    /// It is missing later.
    Missing,
}

impl Shortcut {
    /// Settings with which a crawl may use it, and those with which it may not.
    pub(super) fn settings(self) -> (&'static str, &'static str) {
        match self {
            Shortcut::Tag | Shortcut::Header | Shortcut::Noindex => (
                "politeness.robots_tags = false\n",
                "politeness.robots_tags = true\n",
            ),
            Shortcut::Links => (
                "politeness.follow_nofollow = true\n",
                "politeness.follow_nofollow = false\n",
            ),
            Shortcut::Robots | Shortcut::Redirect | Shortcut::Missing => ("", ""),
        }
    }

    fn answer(self, is_later: bool, events: usize) -> Reply {
        let rel = if self == Shortcut::Links { "nofollow" } else { "" };
        let page = |head: &str| {
            let hrefs = (0..events).map(|event| format!("/event/{event}"));
            Reply::html(format!("<title>All</title>{head}{}", anchors(hrefs, rel)))
        };
        match self {
            Shortcut::Tag => page("<meta name=robots content=nofollow>"),
            Shortcut::Header => page("").with("X-Robots-Tag", "nofollow"),
            Shortcut::Noindex => {
                let data: Vec<String> = (0..events).map(|event| data(event, true)).collect();
                Reply::html(format!(
                    "<title>All</title><meta name=robots content=noindex>\
                     <script type=\"application/ld+json\">[{}]</script>",
                    data.join(",")
                ))
            }
            Shortcut::Redirect if is_later => Reply::redirect("/"),
            Shortcut::Missing if is_later => Reply::status(404),
            _ => page(""),
        }
    }
}

fn anchors(hrefs: impl Iterator<Item = String>, rel: &str) -> String {
    hrefs
        .map(|href| format!("<p><a href='{href}' rel='{rel}'>{href}</a>"))
        .collect()
}

/// A site with a shortcut, and with lists that show a part of the events each. It has one event
/// more with each step of `at`.
pub(super) fn start(shortcut: Shortcut, at: &Arc<AtomicUsize>) -> Site {
    let at = Arc::clone(at);
    Site::start(move |path| {
        let at = at.load(Ordering::Relaxed);
        let events = LISTS * ON_LIST + at;
        let number = |prefix: &str| path.strip_prefix(prefix)?.parse::<usize>().ok();
        if let Some(list) = number("/list/").filter(|list| *list < LISTS) {
            let shown = (0..events).filter(|event| event % LISTS == list);
            let hrefs = shown.map(|event| format!("/event/{event}"));
            return Reply::html(format!("<title>List {list}</title>{}", anchors(hrefs, "")));
        }
        if let Some(event) = number("/event/").filter(|event| *event < events) {
            return coverage::page(&format!("Event {event}"), event..event + 1, true);
        }
        match path {
            "/" => {
                let lists = (0..LISTS).map(|list| format!("/list/{list}"));
                let hrefs = std::iter::once("/all".to_owned()).chain(lists);
                Reply::html(format!("<title>Events</title>{}", anchors(hrefs, "")))
            }
            "/all" => shortcut.answer(at > 0, events),
            "/robots.txt" if shortcut == Shortcut::Robots && at > 0 => {
                Reply::text("User-agent: *\nDisallow: /all")
            }
            _ => Reply::status(404),
        }
    })
}

pub(super) fn navigator(workspace: &TestWorkspace, site: &Site) -> Navigator {
    let key = site.url("");
    let file = navigation_file(&workspace.path(), "events", &key);
    let navigation = read_navigation(&file).expect("readable").expect("a navigation");
    Navigator::new(navigation).expect("a navigator")
}

fn walk(shortcut: Shortcut) {
    let at = Arc::new(AtomicUsize::new(0));
    let site = start(shortcut, &at);
    let url = |path: &str| CanonicalUrl::trusted(site.url(path)).expect("a URL");
    let (permissive, obedient) = shortcut.settings();
    let mut workspace = TestWorkspace::local(&magpie_tests::vertical("events"), permissive);
    workspace.learn(&site.url("/"));
    let before = navigator(&workspace, &site);
    assert!(before.reads(&url("/all")), "{shortcut:?} before");
    workspace.set(&format!("{LOOPBACK}{obedient}"));
    let round = || {
        at.fetch_add(1, Ordering::Relaxed);
        workspace.clock.advance(Duration::from_secs(7 * 86_400));
        let outcome = recrawl(&workspace.open(), Method::Selective, &mut ()).expect("it recrawls");
        let sites = outcome.expect("it was not stopped").recorded.sites;
        sites.iter().map(|site| site.round.new_objects).sum::<u64>()
    };
    let first = round();
    // Only the graph is read again.
    let again = LearnRequest {
        from: Some(Stage::Patterns),
        ..LearnRequest::default()
    };
    let learned = learn(&workspace.open(), &again, &mut ()).expect("it learns");
    assert!(learned.is_some(), "it was not stopped");
    let found = navigator(&workspace, &site);
    assert!(!found.reads(&url("/all")), "{shortcut:?}");
    assert!(found.reads(&url("/list/3")), "{shortcut:?}");
    // What the round before did not find by the shortcut is found now.
    assert_eq!(first + round(), 2, "{shortcut:?}");
}

#[test]
fn a_page_that_asks_crawlers_not_to_follow_its_links_is_no_way() {
    walk(Shortcut::Tag);
    walk(Shortcut::Header);
}

#[test]
fn links_that_are_not_followed_are_no_way() {
    walk(Shortcut::Links);
}

#[test]
fn a_page_that_is_not_read_shows_no_objects() {
    walk(Shortcut::Noindex);
}

#[test]
fn a_page_that_robots_txt_forbids_by_now_is_no_way() {
    walk(Shortcut::Robots);
}

#[test]
fn the_links_that_a_page_had_before_it_redirected_are_no_way() {
    walk(Shortcut::Redirect);
}

#[test]
fn a_missing_page_is_no_way() {
    walk(Shortcut::Missing);
}
