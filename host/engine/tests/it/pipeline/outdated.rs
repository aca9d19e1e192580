//! Known pages that a round fetches because lists show their objects otherwise, or no longer.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use magpie_engine::Session;
use magpie_engine::recrawl::{Method, RecrawlOutcome, StepOutcome, recrawl};
use magpie_model::Record;
use magpie_rows::{ObjectFilter, ObjectRow};
use magpie_test_support::server::{Reply, Site, links};
use magpie_tests::TestWorkspace;

const LISTS: usize = 4;
const EVENTS: usize = 80;

/// Lists that show some of these events again, and of which a round reads one.
const TAGS: usize = 3;
const TAGGED: Range<usize> = 40..52;

/// Events of which each list shows the day.
const ON_LIST: usize = EVENTS / LISTS;

/// An event whose day changes, one whose day changes on its page alone, one that ends, and one that
/// lists leave out though it does not end.
const MOVED: usize = 5;
const UNTOLD: usize = 26;
const GONE: usize = 47;
const UNLISTED: usize = 66;

/// The events of a site, and the step at which it stands.
#[derive(Clone, Default)]
struct Events(Arc<AtomicUsize>);

impl Events {
    fn has(&self, event: usize) -> bool {
        event < EVENTS && (event != GONE || self.step() == 0)
    }

    fn step(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    /// The data of an event, as lists show it or as its own page does.
    fn data(&self, event: usize, is_own: bool) -> String {
        let has_moved = self.step() > 0 && (event == MOVED || (event == UNTOLD && is_own));
        let (month, day) = (1 + event % 12, if has_moved { 28 } else { 1 + event % 20 });
        format!(
            r#"{{"@context": "https://schema.org", "@type": "Event", "name": "Evening {event}",
            "url": "/event/{event}", "startDate": "2099-{month:02}-{day:02}T20:00"}}"#
        )
    }

    fn page(&self, path: &str) -> Reply {
        let number = |folder: &str| path.strip_prefix(folder)?.parse::<usize>().ok();
        if path == "/" {
            let lists: Vec<String> = (0..LISTS + TAGS).map(|list| format!("/list/{list}")).collect();
            return links("Evenings", &lists.iter().map(String::as_str).collect::<Vec<_>>());
        }
        let (title, events, is_own) = match (number("/list/"), number("/event/")) {
            (Some(list), _) if list < LISTS + TAGS => {
                let all = if list < LISTS {
                    list * ON_LIST..(list + 1) * ON_LIST
                } else {
                    TAGGED
                };
                let is_shown = |event: &usize| self.has(*event) && (*event != UNLISTED || self.step() == 0);
                let events = all.filter(is_shown).collect();
                (format!("List {list}"), events, false)
            }
            (_, Some(event)) if self.has(event) => (format!("Evening {event}"), vec![event], true),
            _ => return Reply::status(404),
        };
        let data: Vec<String> = events.iter().map(|event| self.data(*event, is_own)).collect();
        let anchors = events
            .iter()
            .map(|event| format!(r#"<li><a href="/event/{event}">Evening {event}</a></li>"#));
        Reply::html(format!(
            r#"<!doctype html><title>{title}</title><h1>{title}</h1><ul>{}</ul>
            <script type="application/ld+json">[{}]</script>"#,
            anchors.collect::<String>(),
            data.join(",")
        ))
    }
}

fn round(session: &Session) -> RecrawlOutcome {
    session.clock().advance(Duration::from_secs(7 * 86_400));
    let outcome = recrawl(session, Method::Selective, &mut ()).expect("it recrawls");
    outcome.expect("it was not stopped")
}

fn checked(outcome: &RecrawlOutcome) -> Vec<u64> {
    let steps = outcome.steps.iter().filter_map(|(step, _)| match step {
        StepOutcome::Check { pages } => Some(*pages),
        _ => None,
    });
    steps.collect()
}

#[test]
fn pages_of_objects_that_lists_show_otherwise_are_fetched_in_the_same_round() {
    let events = Events::default();
    let of_site = events.clone();
    let site = Site::start(move |path| of_site.page(path));
    let workspace = TestWorkspace::local(&magpie_tests::vertical("events"), "");
    workspace.learn(&site.url("/"));
    let session = workspace.open();
    let asked_twice = || -> Vec<String> {
        let counts = site.counts().into_iter();
        let mut twice: Vec<String> = counts
            .filter(|(path, count)| path.starts_with("/event/") && *count > 1)
            .map(|(path, _)| path)
            .collect();
        twice.sort();
        twice
    };
    let events_now = || -> BTreeMap<String, (Vec<String>, u64)> {
        let objects = session.objects(&ObjectFilter::default()).expect("objects");
        let values = |record: &Record, name: &str| record.all(name).map(str::to_owned).collect::<Vec<_>>();
        let event = |object: ObjectRow| {
            let [name, start] = ["name", "start"].map(|name| values(&object.record, name));
            (name.concat(), (start, object.current))
        };
        objects.into_iter().map(event).collect()
    };
    let quiet = round(&session);
    assert_eq!((checked(&quiet), asked_twice()), (vec![], vec![]));

    events.0.store(1, Ordering::Relaxed);
    let news = round(&session);
    assert_eq!(checked(&news), [3]);
    assert_eq!(
        asked_twice(),
        [GONE, MOVED, UNLISTED].map(|event| format!("/event/{event}"))
    );
    let day = |event: usize, day: usize| vec![format!("2099-{:02}-{day:02}T20:00", 1 + event % 12)];
    let now = events_now();
    let of = |event: usize| &now[&format!("Evening {event}")];
    assert_eq!(of(MOVED).0, day(MOVED, 28));
    // Nothing but its own page tells of this one, which is not due yet.
    assert_eq!(of(UNTOLD).0, day(UNTOLD, 1 + UNTOLD % 20));
    // Two lists that were not read showed it a week ago.
    assert_eq!(of(GONE).1, 0);
    assert!(of(UNLISTED).1 > 0);
    assert_eq!(
        now.values().filter(|(_, current)| *current == 0).count(),
        1,
        "{now:?}"
    );

    let quiet = round(&session);
    assert!(checked(&quiet).is_empty());
    assert_eq!(asked_twice().len(), 3);
}
