//! A redesign that drops the prices and keeps everything else, and lists that never had prices.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use magpie_engine::recrawl::recrawl;
use magpie_engine::recrawl::{CoverageFall, Method};
use magpie_engine::settings::Budget;
use magpie_engine::watch::{cycle, log_alerts};
use magpie_engine::{Event, Observer};
use magpie_rows::{AlertKind, Filled, RoundState};
use magpie_test_support::server::{Reply, Site, links};
use magpie_tests::TestWorkspace;
use magpie_values::Timestamp;

/// Events at the beginning, and new ones of each week.
const EVENTS: usize = 24;
const NEW: usize = 14;

/// An event as structured data, with its price or without it.
pub(super) fn data(number: usize, has_price: bool) -> String {
    let (month, day) = (1 + number / 28, 1 + number % 28);
    let offers = match has_price {
        true => format!(
            r#","offers":{{"@type":"Offer","price":"{}.50","priceCurrency":"EUR"}}"#,
            10 + number
        ),
        false => String::new(),
    };
    format!(
        r#"{{"@context":"https://schema.org","@type":"MusicEvent",
        "name":"Evening of songs number {number}","startDate":"2031-{month:02}-{day:02}T20:00",
        "location":{{"@type":"Place","name":"Old Mill"}}{offers}}}"#
    )
}

/// A page with events, with their prices or without them.
pub(super) fn page(title: &str, numbers: Range<usize>, has_price: bool) -> Reply {
    let events: Vec<String> = numbers.map(|number| data(number, has_price)).collect();
    Reply::html(format!(
        r#"<!doctype html><title>{title}</title><h1>{title}</h1>
        <script type="application/ld+json">[{}]</script>"#,
        events.join(",")
    ))
}

/// Keeps the attributes whose coverage fell.
#[derive(Default)]
struct Fallen(Vec<String>);

impl Observer for Fallen {
    fn observe(&mut self, event: Event<'_>) {
        if let Event::CoverageFell { falls, .. } = event {
            self.0.extend(falls.iter().map(|fall| fall.attribute.clone()));
        }
    }
}

#[test]
fn lost_prices_are_told_in_the_first_round() {
    let week = Arc::new(AtomicUsize::new(0));
    let now = Arc::clone(&week);
    // Prices are missing in the weeks 1 and 2.
    let site = Site::start(move |path| {
        let week = now.load(Ordering::Relaxed);
        let all = EVENTS + NEW * week;
        let number = path
            .strip_prefix("/event/")
            .and_then(|number| number.parse().ok());
        match number {
            Some(number) if number < all => {
                let title = format!("Evening {number}");
                page(&title, number..number + 1, !matches!(week, 1 | 2))
            }
            _ if path == "/" => {
                let hrefs: Vec<String> = (0..all).map(|number| format!("/event/{number}")).collect();
                links("Evenings", &hrefs.iter().map(String::as_str).collect::<Vec<_>>())
            }
            _ => Reply::status(404),
        }
    });
    let workspace = TestWorkspace::local(&magpie_tests::vertical("events"), "");
    workspace.learn(&site.url("/"));
    let session = workspace.open();
    let coverage = |attribute: &str| {
        let rows = session.store().field_coverage("events", None).expect("coverage");
        rows.into_iter()
            .find(|row| row.attribute == attribute)
            .expect(attribute)
    };
    let learned = coverage("price").learned;
    assert_eq!((learned.filled, learned.records), (EVENTS as u64, EVENTS as u64));

    let round = |number: usize| -> (Vec<CoverageFall>, Vec<String>) {
        week.store(number, Ordering::Relaxed);
        session.clock().advance(Duration::from_secs(7 * 86_400));
        let mut fallen = Fallen::default();
        let outcome = recrawl(&session, Method::Selective, &mut fallen).expect("it recrawls");
        let [site] = &outcome.expect("it was not stopped").recorded.sites[..] else {
            panic!("one site was learned");
        };
        assert_eq!(
            site.round.state,
            RoundState::Done,
            "the pages still have their events"
        );
        (site.falls.clone(), fallen.0)
    };
    let began = session.now();
    let (falls, told) = round(1);
    assert_eq!(told, ["price"]);
    let [fall] = &falls[..] else { panic!("{falls:?}") };
    // The pages of the first week are not due, and still have their prices.
    let all = Filled {
        filled: EVENTS as u64,
        records: (EVENTS + NEW) as u64,
    };
    assert!(fall.is_new && fall.last == all, "{fall:?}");
    let fell_at = coverage("price").fell_at.expect("it fell");
    assert!(began < fell_at && fell_at <= session.now(), "{fell_at:?}");
    assert_eq!(coverage("start").fell_at, None);
    // It is reported once, and holds until the prices are back.
    let (falls, told) = round(2);
    assert_eq!((falls.len(), told.len()), (1, 0));
    let (falls, told) = round(3);
    assert_eq!((falls, told), (Vec::new(), Vec::new()));
    assert_eq!(coverage("price").fell_at, None);
}

#[test]
fn a_site_whose_events_are_over_has_dried_up() {
    let site = Site::start(|path| {
        let number = path
            .strip_prefix("/event/")
            .and_then(|number| number.parse().ok());
        match number {
            Some(number) if number < EVENTS => page("Evening", number..number + 1, true),
            _ if path == "/" => {
                let hrefs: Vec<String> = (0..EVENTS).map(|number| format!("/event/{number}")).collect();
                links("Evenings", &hrefs.iter().map(String::as_str).collect::<Vec<_>>())
            }
            _ => Reply::status(404),
        }
    });
    let workspace = TestWorkspace::local(&magpie_tests::vertical("events"), "");
    workspace.learn(&site.url("/"));
    let session = workspace.open();
    // The events are on the first 24 days of January 2031.
    let dry_sites = |day: u32| -> Vec<String> {
        let day = Timestamp::parse(&format!("2031-01-{day:02}T12:00:00Z")).expect("a moment");
        session.clock().advance(day.since(session.now()));
        recrawl(&session, Method::Selective, &mut ()).expect("it recrawls");
        let budget = Budget::pages(1_000.0, Duration::from_secs(86_400));
        let cycle = cycle(&session, budget, &mut ()).expect("it watches");
        log_alerts(&session, &cycle).expect("alerts");
        let alerts = session.store().lasting_alerts().expect("alerts").into_iter();
        let dry = alerts.filter(|row| row.alert.kind == AlertKind::SiteDry);
        dry.map(|row| row.alert.facts.to_string()).collect()
    };
    assert_eq!(dry_sites(1), [""; 0]);
    assert_eq!(dry_sites(18), [""; 0], "seven of 24 are left");
    let [facts] = &dry_sites(21)[..] else {
        panic!("one site")
    };
    assert!(
        facts.contains(r#""current":4"#) && facts.contains(r#""most":24"#),
        "{facts}"
    );
}

/// Pages with prices that do not change, pages without prices that do, and events on each.
const HALLS: usize = 6;
const NEWS: usize = 3;
const ON_PAGE: usize = 12;

#[test]
fn lists_that_change_and_never_had_prices_are_no_loss() {
    let week = Arc::new(AtomicUsize::new(0));
    let now = Arc::clone(&week);
    let site = Site::asked(move |asked| {
        let number = |folder: &str| asked.path.strip_prefix(folder)?.parse::<usize>().ok();
        if let Some(hall) = number("/hall/").filter(|hall| *hall < HALLS) {
            return match asked.field("if-none-match") {
                Some("\"1\"") => Reply::text("").with_status(304),
                _ => {
                    let events = hall * ON_PAGE..(hall + 1) * ON_PAGE;
                    page(&format!("Hall {hall}"), events, true).with("ETag", "\"1\"")
                }
            };
        }
        if let Some(list) = number("/news/").filter(|list| *list < NEWS) {
            let first = (HALLS + list) * ON_PAGE;
            let title = format!("News {list} of week {}", now.load(Ordering::Relaxed));
            return page(&title, first..first + ON_PAGE, false);
        }
        match asked.path.as_str() {
            "/" => {
                let halls = (0..HALLS).map(|hall| format!("/hall/{hall}"));
                let hrefs: Vec<String> = halls
                    .chain((0..NEWS).map(|list| format!("/news/{list}")))
                    .collect();
                links("Evenings", &hrefs.iter().map(String::as_str).collect::<Vec<_>>())
            }
            _ => Reply::status(404),
        }
    });
    let settings = "[recrawl]\nrefresh = \"1d\"\n";
    let workspace = TestWorkspace::local(&magpie_tests::vertical("events"), settings);
    workspace.learn(&site.url("/"));
    let session = workspace.open();
    let price = || {
        let rows = session.store().field_coverage("events", None).expect("coverage");
        rows.into_iter()
            .find(|row| row.attribute == "price")
            .expect("a price")
    };
    let with_price = Filled {
        filled: (HALLS * ON_PAGE) as u64,
        records: ((HALLS + NEWS) * ON_PAGE) as u64,
    };
    assert_eq!(price().learned, with_price);
    for number in 1..=2 {
        week.store(number, Ordering::Relaxed);
        session.clock().advance(Duration::from_secs(7 * 86_400));
        let outcome = recrawl(&session, Method::Selective, &mut Fallen::default()).expect("it recrawls");
        let [site] = &outcome.expect("it was not stopped").recorded.sites[..] else {
            panic!("one site was learned");
        };
        // The first round after learning reads lists whole, whatever their `ETag`.
        let unchanged = if number == 1 { 0 } else { HALLS as u64 };
        assert_eq!(site.round.unchanged, unchanged, "{:?}", site.round);
        assert_eq!(site.falls, Vec::new());
        assert_eq!((price().last, price().fell_at), (with_price, None));
    }
}
