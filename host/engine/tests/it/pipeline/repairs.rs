//! Repairs of a folder, and the evidence that it is broken.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use magpie_engine::Session;
use magpie_engine::recrawl::{Account, Method, RecrawlOutcome, recrawl};
use magpie_rows::RoundState;
use magpie_test_support::server::{Reply, Site, links};
use magpie_tests::{LOOPBACK, TestWorkspace};

use super::coverage::page;

const FOLDERS: [&str; 3] = ["/music/", "/stage/", "/film/"];
const RENAMED: &str = "/cinema/";

/// Events in each folder.
const EVENTS: usize = 24;

/// Events that an intact folder has more from the first step on: more than a round may fetch.
const NEW: usize = 60;

/// The way in which a folder gets another name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rename {
    /// Its old URLs are gone.
    Gone,
    /// Each of its old URLs leads to the new one.
    Redirected,
    /// Its list stays where it is.
    ListStays,
}

/// A site of three folders, the last of which is renamed from the first step on, and has one event
/// more from the second.
fn three_folders(rename: Rename, step: &Arc<AtomicUsize>) -> Site {
    let step = Arc::clone(step);
    Site::start(move |path| {
        let step = step.load(Ordering::Relaxed);
        let mut folders = FOLDERS;
        if step > 0 {
            folders[2] = RENAMED;
        }
        let list = |place: usize| match place {
            2 if rename == Rename::ListStays => FOLDERS[2],
            place => folders[place],
        };
        if path == "/" {
            return links("Evenings", &[0, 1, 2].map(list));
        }
        for (place, folder) in folders.into_iter().enumerate() {
            let events = match (place, step) {
                (0, 1..) => EVENTS + NEW,
                (2, 2..) => EVENTS + 1,
                _ => EVENTS,
            };
            if path == list(place) {
                let events: Vec<String> = (0..events).map(|event| format!("{folder}{event}")).collect();
                return links(folder, &events.iter().map(String::as_str).collect::<Vec<_>>());
            }
            let event = path.strip_prefix(folder).and_then(|rest| rest.parse().ok());
            if let Some(event) = event.filter(|event: &usize| *event < events) {
                let number = place * 100 + event;
                return page(&format!("Evening {number}"), number..number + 1, true);
            }
        }
        match path.strip_prefix(FOLDERS[2]) {
            Some(rest) if rename == Rename::Redirected => {
                Reply::status(301).with("Location", &format!("{RENAMED}{rest}"))
            }
            _ => Reply::status(404),
        }
    })
}

fn round(session: &Session, days: u64) -> RecrawlOutcome {
    session.clock().advance(Duration::from_secs(days * 86_400));
    let outcome = recrawl(session, Method::Selective, &mut ()).expect("it recrawls");
    outcome.expect("it was not stopped")
}

#[test]
fn a_renamed_folder_is_repaired_at_the_cost_of_that_folder() {
    for rename in [Rename::Gone, Rename::Redirected, Rename::ListStays] {
        let step = Arc::default();
        let site = three_folders(rename, &step);
        let mut workspace = TestWorkspace::local(&magpie_tests::vertical("events"), "");
        workspace.learn(&site.url("/"));
        let session = workspace.open();
        let asked = |folder: &str, events: usize| -> usize {
            let counts = site.counts();
            let urls = (0..events).map(|event| format!("{folder}{event}"));
            urls.filter_map(|url| counts.get(&url)).sum()
        };
        // A month later all pages are due.
        step.store(1, Ordering::Relaxed);
        let broken = round(&session, 28);
        let [repaired] = &broken.repaired[..] else {
            panic!("{rename:?}: {:?}", broken.repaired);
        };
        assert_eq!(repaired.folders, [site.url(FOLDERS[2])], "{rename:?}");
        assert!(!repaired.in_vain, "{rename:?}");
        let account = Account::read(session.store(), "events", broken.run).expect("an account");
        assert_eq!(account.repaired[0].folders, repaired.folders, "{rename:?}");
        // The entry page or a list besides, and a list of the folder.
        assert!(repaired.pages as usize <= EVENTS + 3, "{rename:?}: {repaired:?}");
        assert_eq!(asked(RENAMED, EVENTS), EVENTS, "{rename:?}");
        assert_eq!(asked(FOLDERS[1], EVENTS), 2 * EVENTS, "{rename:?}");
        // The round itself stops at its ceiling, and the repair fetches no more of these.
        let of_round = asked(FOLDERS[0], EVENTS + NEW) - 2 * EVENTS;
        assert!(of_round < 20, "{rename:?}: {of_round}");

        let quiet = round(&session, 7);
        assert!(quiet.repaired.is_empty(), "{rename:?}: {:?}", quiet.repaired);
        // One event more there is found by the new pattern.
        step.store(2, Ordering::Relaxed);
        drop(session);
        workspace.set(&format!("{LOOPBACK}recrawl.share = 1.0\n"));
        let quiet = round(&workspace.open(), 7);
        assert!(quiet.repaired.is_empty(), "{rename:?}: {:?}", quiet.repaired);
        assert_eq!(asked(RENAMED, EVENTS + 1), EVENTS + 1, "{rename:?}");
    }
}

/// One of this many events of a site is linked and not there.
const DEAD: usize = 4;

#[test]
fn a_site_that_always_has_dead_links_is_not_broken_by_them() {
    // The events of which there are pages, and those that are linked.
    let (alive, linked) = (
        Arc::new(AtomicUsize::new(usize::MAX)),
        Arc::new(AtomicUsize::new(160)),
    );
    let of_site = (Arc::clone(&alive), Arc::clone(&linked));
    let site = Site::start(move |path| {
        let (alive, linked) = (
            of_site.0.load(Ordering::Relaxed),
            of_site.1.load(Ordering::Relaxed),
        );
        if path == "/" {
            let events: Vec<String> = (0..linked).map(|event| format!("/event/{event}")).collect();
            return links("Evenings", &events.iter().map(String::as_str).collect::<Vec<_>>());
        }
        let event = path.strip_prefix("/event/").and_then(|rest| rest.parse().ok());
        match event.filter(|event| *event < alive.min(linked) && event % DEAD > 0) {
            Some(event) => page(&format!("Evening {event}"), event..event + 1, true),
            None => Reply::status(404),
        }
    });
    let workspace = TestWorkspace::local(&magpie_tests::vertical("events"), "recrawl.share = 1.0\n");
    workspace.learn(&site.url("/"));
    let session = workspace.open();
    let next = || {
        linked.fetch_add(24, Ordering::Relaxed);
        let outcome = round(&session, 6);
        outcome.recorded.sites[0].round
    };
    for week in 1..=4 {
        let round = next();
        assert_eq!((round.new_objects, round.failures), (18, 6), "week {week}");
        assert_eq!(round.state, RoundState::Done, "week {week}");
    }
    // No new event has a page any more.
    alive.store(0, Ordering::Relaxed);
    let round = next();
    assert_eq!((round.new_objects, round.failures), (0, round.pages - 1));
    assert_eq!(round.state, RoundState::Broken);
}
