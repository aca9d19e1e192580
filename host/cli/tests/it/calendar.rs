//! A subscribed calendar a week later, read by an independent program.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use magpie_test_support::server::{Reply, Site, links};
use serde_json::Value;

use crate::readers;
use crate::requests::{send, serving};
use crate::web::{LOOPBACK, ran, said, workspace};

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
            let all: Vec<String> = (0..EVENTS)
                .filter(is_there)
                .map(|number| format!("/event/{number}"))
                .collect();
            return links("Programme", &all.iter().map(String::as_str).collect::<Vec<_>>());
        }
        let number = path.strip_prefix("/event/").and_then(|text| text.parse().ok());
        let Some(number) = number.filter(is_there) else {
            return Reply::status(404);
        };
        let hour = if is_later && number == PUT_OFF { 21 } else { 20 };
        let mut data = serde_json::json!({
            "@context": "https://schema.org", "@type": "MusicEvent", "name": name(number),
            "startDate": format!("2026-12-{:02}T{hour}:00:00Z", number + 1),
            "location": {"@type": "Place", "name": format!("Hall {number}")},
        });
        if is_later && number == CALLED_OFF {
            data["eventStatus"] = "https://schema.org/EventCancelled".into();
        }
        Reply::html(format!(
            "<!doctype html><html lang=en><title>{0}</title><script type=\"application/ld+json\">{data}</script>\
             <h1>{0}</h1>",
            name(number)
        ))
    })
}

/// Prints the events of a calendar as JSON, by their names.
const SCRIPT: &str = "import json, sys, icalendar\n\
    calendar = icalendar.Calendar.from_ical(sys.stdin.buffer.read())\n\
    assert not calendar.errors, calendar.errors\n\
    events = list(calendar.walk('VEVENT'))\n\
    assert all(not event.errors for event in events), [event.errors for event in events]\n\
    print(json.dumps({str(event['SUMMARY']): {'uid': str(event['UID']), 'sequence': event['SEQUENCE'],\n\
    \x20   'status': str(event.get('STATUS', '')), 'start': event.decoded('DTSTART').isoformat(),\n\
    \x20   'modified': event.decoded('LAST-MODIFIED').isoformat()} for event in events}))\n";

/// Fetches the calendar as of a time, and reads it.
fn read(folder: &Path, now: &str, python: &Path) -> Value {
    let page = serving(folder, &["serve", "-w", "ws", "--now", now]);
    let answer = send(&page.address, "GET /events.ics", &[], "");
    assert_eq!(answer.status, 200, "{}", answer.body);
    let mut reader = Command::new(python)
        .args(["-c", SCRIPT])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut input = reader.stdin.take().expect("it is piped");
    input.write_all(answer.body.as_bytes()).expect("written");
    drop(input);
    let output = reader.wait_with_output().expect("it ends");
    let problem = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{problem}"))
}

/// Returns the event whose name begins so.
fn event(calendar: &Value, number: usize) -> Value {
    let events = calendar.as_object().expect("events");
    let found = events.iter().find(|(summary, _)| summary.contains(&name(number)));
    found
        .unwrap_or_else(|| panic!("no event {number} in {calendar}"))
        .1
        .clone()
}

#[test]
fn a_week_later_the_same_events_are_put_off_and_called_off() {
    let Some(programs) = readers::programs() else {
        return;
    };
    let python = programs.join("python");
    let is_later = Arc::new(AtomicBool::new(false));
    let site = site(&is_later);
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let settings = format!("{LOOPBACK}[recrawl]\nrefresh = \"1d\"\n");
    workspace(folder, "ws", "events", &settings);
    let learned = ran(folder, &["learn", "-w", "ws", &site.url("/"), "--now", LEARNED]);
    assert!(learned.status.success(), "{}", said(&learned));
    let before = read(folder, LEARNED, &python);
    assert_eq!(
        before.as_object().map(serde_json::Map::len),
        Some(EVENTS),
        "{before}"
    );
    for number in 0..EVENTS {
        assert_ne!(event(&before, number)["status"], "CANCELLED", "{before}");
    }

    is_later.store(true, Ordering::Relaxed);
    let recrawled = ran(folder, &["recrawl", "-w", "ws", "--now", LATER]);
    assert!(recrawled.status.success(), "{}", said(&recrawled));
    let after = read(folder, LATER, &python);
    assert_eq!(
        after.as_object().map(serde_json::Map::len),
        Some(EVENTS),
        "{after}"
    );
    let sequence = |event: &Value| event["sequence"].as_u64().expect("a number");
    for number in 0..EVENTS {
        let (old, new) = (event(&before, number), event(&after, number));
        assert_eq!(old["uid"], new["uid"], "an event is updated, not added again");
        let is_cancelled = number == GONE || number == CALLED_OFF;
        let is_changed = is_cancelled || number == PUT_OFF;
        assert_eq!(sequence(&new) > sequence(&old), is_changed, "{old} and {new}");
        assert_eq!(new["status"] == "CANCELLED", is_cancelled, "{new}");
        assert_eq!(old["start"] != new["start"], number == PUT_OFF, "{old} and {new}");
    }
    // The feed of what is gone has it, too.
    let gone = serving(folder, &["serve", "-w", "ws", "--now", LATER]);
    let gone = send(&gone.address, "GET /events.json?q=is:gone", &[], "").json();
    assert_eq!(gone["objects"].as_array().map(Vec::len), Some(1), "{gone}");
}
