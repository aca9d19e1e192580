//! Runs the fixtures on the host, without WebAssembly.

use std::path::Path;

use events::{Event, Events};
use magpie_sdk::Vertical;

#[path = "../../../books/tests/support/mod.rs"]
mod support;

#[test]
fn every_fixture_is_read_and_clustered_as_written_down() {
    support::check_all::<Events>(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures"));
}

#[test]
fn queries_name_the_event_and_its_venue_and_no_day() {
    let event = Event {
        name: "Night Music".to_owned(),
        start: Some("2026-05-03T19:30".into()),
        venue: Some("Old Mill".into()),
        ..Event::default()
    };
    let queries = Events::queries(&event);
    assert!(
        queries
            .iter()
            .any(|query| query.text.contains("Night Music") && query.text.contains("Old Mill"))
    );
    assert!(
        queries.iter().all(|query| !query.text.contains("2026")),
        "{queries:?}"
    );
}
