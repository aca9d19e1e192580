//! A redesign that drops the prices and keeps everything else.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use magpie_engine::recrawl::recrawl;
use magpie_engine::recrawl::{CoverageFall, Method};
use magpie_engine::{Event, Observer};
use magpie_rows::RoundState;
use magpie_test_support::server::{Reply, Site, links};
use magpie_tests::TestWorkspace;

/// Events at the beginning, and new ones of each week.
const EVENTS: usize = 24;
const NEW: usize = 14;

/// The page of an event, with its price or without it.
fn event(number: usize, has_price: bool) -> Reply {
    let (month, day) = (1 + number / 28, 1 + number % 28);
    let offers = match has_price {
        true => format!(
            r#","offers":{{"@type":"Offer","price":"{}.50","priceCurrency":"EUR"}}"#,
            10 + number
        ),
        false => String::new(),
    };
    Reply::html(format!(
        r#"<!doctype html><title>Evening {number}</title><h1>Evening {number}</h1>
        <script type="application/ld+json">{{"@context":"https://schema.org","@type":"MusicEvent",
        "name":"Evening of songs number {number}","startDate":"2031-{month:02}-{day:02}T20:00",
        "location":{{"@type":"Place","name":"Old Mill"}}{offers}}}</script>"#
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
            Some(number) if number < all => event(number, !matches!(week, 1 | 2)),
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
    assert!(fall.is_new && fall.last.filled == 0, "{fall:?}");
    assert!(fall.last.records >= NEW as u64, "{fall:?}");
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
