//! A subscribed calendar a week later, read by an independent program.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use magpie_test_support::server::{Reply, Site};
use serde_json::{Value, json};

use crate::context::TestContext;
use crate::readers::{programs, read_calendar};
use crate::web::{LOOPBACK, event_of, number_of, numbered};

/// The time of learning, and a week later.
const LEARNED: &str = "2026-11-20T09:00Z";
const LATER: &str = "2026-11-27T09:00Z";

/// Events of the site: one is gone later, one is put off, and one is called off in words.
const EVENTS: usize = 12;
const GONE: usize = 3;
const PUT_OFF: usize = 4;
const CALLED_OFF: usize = 5;

fn name(number: usize) -> String {
    let player = ["Amber", "Birch", "Cedar", "Dune"][number % 4];
    format!("Evening {number} with the {player} Quartet")
}

/// A site with events that change.
fn site(is_later: &Arc<AtomicBool>) -> Site {
    let is_later = Arc::clone(is_later);
    Site::start(move |path| {
        let is_later = is_later.load(Ordering::Relaxed);
        let is_there = |number: &usize| *number < EVENTS && !(is_later && *number == GONE);
        if path == "/" {
            return numbered("Programme", "/event/", (0..EVENTS).filter(is_there));
        }
        let Some(number) = number_of(path, "/event/").filter(is_there) else {
            return Reply::status(404);
        };
        let hour = if is_later && number == PUT_OFF { 21 } else { 20 };
        let mut data = json!({
            "@context": "https://schema.org", "@type": "MusicEvent", "name": name(number),
            "startDate": format!("2026-12-{:02}T{hour}:00:00Z", number + 1),
            "location": {"@type": "Place", "name": format!("Hall {number}")},
        });
        if is_later && number == CALLED_OFF {
            data["eventStatus"] = "https://schema.org/EventCancelled".into();
        }
        event_of(&data)
    })
}

/// Prints the events as JSON, by their names.
const SCRIPT: &str = "print(json.dumps({str(event['SUMMARY']): {'uid': str(event['UID']), 'sequence': event['SEQUENCE'],\n\
    \x20   'status': str(event.get('STATUS', '')), 'start': event.decoded('DTSTART').isoformat(),\n\
    \x20   'modified': event.decoded('LAST-MODIFIED').isoformat()} for event in events}))\n";

/// Fetches the calendar as of a time, and reads it.
fn read(context: &TestContext, now: &str, programs: &Path) -> Value {
    let page = context.serve(&format!("serve -w ws --now {now}"));
    let answer = page.get("/events.ics").has(200);
    let events = read_calendar(programs, &answer.body, SCRIPT);
    let events: Value = serde_json::from_str(&events).expect("JSON");
    assert_eq!(
        events.as_object().map(serde_json::Map::len),
        Some(EVENTS),
        "{events}"
    );
    events
}

/// Returns the event whose name begins so.
fn event(calendar: &Value, number: usize) -> &Value {
    let events = calendar.as_object().expect("events");
    let found = events.iter().find(|(summary, _)| summary.contains(&name(number)));
    found
        .unwrap_or_else(|| panic!("no event {number} in {calendar}"))
        .1
}

#[test]
fn a_week_later_the_same_events_are_put_off_and_called_off() {
    let Some(programs) = programs() else {
        return;
    };
    let is_later = Arc::new(AtomicBool::new(false));
    let site = site(&is_later);
    let context = TestContext::with_workspace("events", format!("{LOOPBACK}[recrawl]\nrefresh = \"1d\"\n"));
    context.ok(&format!("learn -w ws {} --now {LEARNED}", site.url("/")));
    let before = read(&context, LEARNED, &programs);
    for number in 0..EVENTS {
        assert_ne!(event(&before, number)["status"], "CANCELLED", "{before}");
    }

    is_later.store(true, Ordering::Relaxed);
    context.ok(&format!("recrawl -w ws --now {LATER}"));
    let after = read(&context, LATER, &programs);
    let sequence = |event: &Value| event["sequence"].as_u64().expect("a number");
    for number in 0..EVENTS {
        let (old, new) = (event(&before, number), event(&after, number));
        assert_eq!(old["uid"], new["uid"], "an event is updated, not added again");
        let is_cancelled = number == GONE || number == CALLED_OFF;
        let is_changed = is_cancelled || number == PUT_OFF;
        assert_eq!(sequence(new) > sequence(old), is_changed, "{old} and {new}");
        assert_eq!(new["status"] == "CANCELLED", is_cancelled, "{new}");
        assert_eq!(old["start"] != new["start"], number == PUT_OFF, "{old} and {new}");
    }
    // The feed of what is gone has it, too.
    let page = context.serve(&format!("serve -w ws --now {LATER}"));
    let gone = page.get("/events.json?q=is:gone").json();
    assert_eq!(gone["objects"].as_array().map(Vec::len), Some(1), "{gone}");
}
