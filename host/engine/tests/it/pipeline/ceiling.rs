//! The cost of rounds: lists that add nothing rest, and a round stops at its ceiling.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use magpie_engine::Session;
use magpie_engine::recrawl::{Method, RecrawlOutcome, recrawl};
use magpie_test_support::server::{Reply, Site, links};
use magpie_tests::{LOOPBACK, TestWorkspace};

use super::coverage::page;

/// Lists that show all events between them, and behind them lists that show some of the same
/// events again, under URLs of the same kind.
const LISTS: usize = 4;
const TAGS: usize = 40;
const EVENTS: usize = 80;

/// Events that appear at once after the site was learned.
const NEW: usize = 60;

/// A site whose first list shows `new` more events than when it began.
fn site(new: &Arc<AtomicUsize>) -> Site {
    let new = Arc::clone(new);
    Site::start(move |path| {
        let all = EVENTS + new.load(Ordering::Relaxed);
        let number = |folder: &str| {
            path.strip_prefix(folder)
                .and_then(|rest| rest.parse::<usize>().ok())
        };
        let event = |number: usize| format!("/event/{number}");
        let linked = |title: &str, paths: Vec<String>| {
            links(title, &paths.iter().map(String::as_str).collect::<Vec<_>>())
        };
        if path == "/" {
            linked(
                "Evenings",
                (0..LISTS + TAGS).map(|list| format!("/list/{list}")).collect(),
            )
        } else if let Some(list) = number("/list/").filter(|list| *list < LISTS) {
            let size = EVENTS / LISTS;
            let added = if list == 0 { EVENTS..all } else { 0..0 };
            linked(
                "List",
                (list * size..(list + 1) * size).chain(added).map(event).collect(),
            )
        } else if let Some(tag) = number("/list/").filter(|tag| *tag < LISTS + TAGS) {
            linked("Tag", [tag, tag + 7, tag + 20].map(event).to_vec())
        } else if let Some(number) = number("/event/").filter(|number| *number < all) {
            page(&format!("Evening {number}"), number..number + 1, true)
        } else {
            Reply::status(404)
        }
    })
}

fn round(session: &Session, days: u64) -> RecrawlOutcome {
    round_by(Method::Selective, session, days)
}

fn round_by(method: Method, session: &Session, days: u64) -> RecrawlOutcome {
    session.clock().advance(Duration::from_secs(days * 86_400));
    let outcome = recrawl(session, method, &mut ()).expect("it recrawls");
    outcome.expect("it was not stopped")
}

#[test]
fn lists_that_show_what_others_show_are_read_for_their_age_alone() {
    let site = site(&Arc::default());
    let workspace = TestWorkspace::local(&magpie_tests::vertical("events"), "");
    workspace.learn(&site.url("/"));
    let session = workspace.open();
    let asked = |lists: Range<usize>| -> usize {
        let counts = site.counts();
        let times = lists.filter_map(|list| counts.get(&format!("/list/{list}")).copied());
        times.sum()
    };
    let (all, tags) = (0..LISTS, LISTS..LISTS + TAGS);
    let learned = (asked(all.clone()), asked(tags.clone()));
    for week in 1..=3 {
        let outcome = round(&session, 7);
        assert_eq!(asked(all.clone()), learned.0 + week * LISTS);
        // Five lists are read at least.
        assert_eq!(asked(tags.clone()), learned.1 + week, "week {week}");
        assert_eq!(outcome.promised, outcome.fetched, "week {week}");
    }
    // Four weeks after they were read, a quarter of the pages is due in each week.
    let mut most = 0;
    for _ in 4..=8 {
        let before = asked(tags.clone());
        round(&session, 7);
        most = most.max(asked(tags.clone()) - before);
    }
    assert!(most > 1 && most <= TAGS, "{most} of {TAGS} in one round");
    assert!(asked(tags) >= learned.1 + TAGS, "each is seen again");
}

#[test]
fn a_round_stops_at_its_ceiling_and_the_next_goes_on() {
    let new = Arc::default();
    let site = site(&new);
    let mut workspace = TestWorkspace::local(&magpie_tests::vertical("events"), "");
    workspace.learn(&site.url("/"));
    let session = workspace.open();
    new.store(NEW, Ordering::Relaxed);
    // Twenty requests, though a tenth of the pages is less: the entry page, five lists, since so
    // many are read at least, and new pages.
    let first = round(&session, 7);
    assert_eq!(first.fetched, 20);
    let of_first = &first.recorded.sites[0];
    let found = of_first.round.new_objects as usize;
    assert_eq!((found, of_first.left_over), (14, NEW - 14));
    let second = round(&session, 7);
    assert_eq!(second.fetched, 20);
    assert!(second.recorded.sites[0].round.new_objects > 0);
    drop(session);
    workspace.set(&format!("{LOOPBACK}\n[recrawl]\nshare = 1.0\n"));
    let session = workspace.open();
    let whole = round(&session, 7);
    assert_eq!(whole.recorded.sites[0].left_over, 0);
    let found = first.recorded.sites[0].round.new_objects
        + second.recorded.sites[0].round.new_objects
        + whole.recorded.sites[0].round.new_objects;
    assert_eq!(found as usize, NEW);
}

#[test]
fn a_site_that_was_learned_in_part_is_not_crawled_by_its_rounds() {
    let site = site(&Arc::default());
    let mut workspace = TestWorkspace::local(&magpie_tests::vertical("events"), "[scope]\npages = 20\n");
    workspace.learn(&site.url("/"));
    workspace.set(LOOPBACK);
    let session = workspace.open();
    let known = session.store().status().expect("a status").pages;
    for week in 1..=2 {
        let outcome = round(&session, 7);
        assert!(outcome.fetched <= 20, "week {week}: {} pages", outcome.fetched);
        assert!(outcome.promised <= 20, "week {week}: {} pages", outcome.promised);
        assert!(outcome.recorded.sites[0].left_over > 0, "week {week}");
    }
    assert!(known < 30, "{known} pages were learned of more than a hundred");
}

#[test]
fn the_published_method_fetches_all_pages_along_its_levels() {
    let new = Arc::default();
    let site = site(&new);
    let workspace = TestWorkspace::local(&magpie_tests::vertical("events"), "");
    workspace.learn(&site.url("/"));
    let session = workspace.open();
    new.store(NEW, Ordering::Relaxed);
    let outcome = round_by(Method::Levels, &session, 7);
    // The entry page, the lists, and the events: known and new, due or not.
    assert_eq!(outcome.fetched as usize, 1 + LISTS + TAGS + EVENTS + NEW);
    assert_eq!(outcome.recorded.sites[0].round.new_objects as usize, NEW);
}
