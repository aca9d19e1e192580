//! Feeds read back by a reader that is not ours.

use magpie_model::{Record, RecordValue};
use magpie_rows::{ObjectId, ObjectState};

use super::*;

const WORKSPACE: &str = "5f3a";

fn attribute(name: &str, kind: &str, flags: &str) -> Attribute {
    Attribute {
        label: format!("The {name}"),
        repeated: flags.contains('r'),
        identifies: flags.contains('i'),
        expires: flags.contains('e'),
        ..Attribute::new(name, Kind::from(kind.to_owned()))
    }
}

fn schema() -> Vec<Attribute> {
    vec![
        attribute("name", "text", "i"),
        attribute("from", "date-time", "ie"),
        attribute("to", "date-time", "e"),
        attribute("hall", "place", ""),
        attribute("street", "place", ""),
        attribute("at", "coordinates", ""),
        attribute("cost", "money", ""),
        attribute("state", "text", ""),
        attribute("link", "url", ""),
        attribute("picture", "image", ""),
    ]
}

fn object(id: i64, values: &[(&str, &str)]) -> ObjectRow {
    let value = |(attribute, value): &(&str, &str)| RecordValue {
        attribute: (*attribute).to_owned(),
        value: (*value).to_owned(),
        raw: None,
        node: None,
        repeated: false,
    };
    ObjectRow {
        id: ObjectId(id),
        vertical: "gigs".to_owned(),
        label: values[0].1.to_owned(),
        record: Record {
            object_type: "Gig".to_owned(),
            confidence: 1.0,
            values: values.iter().map(value).collect(),
        },
        origins: "{}".to_owned(),
        members: 1,
        current: 1,
        first_seen: at("2026-11-01T10:00:00Z"),
        last_seen: at("2026-11-20T10:00:00Z"),
        expires_at: None,
        state: Some(ObjectState::Current),
        changed_at: at("2026-11-20T10:00:00Z"),
    }
}

fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).expect("a time")
}

fn item<'a>(object: &'a ObjectRow, schema: &'a [Attribute]) -> Item<'a> {
    Item {
        object,
        schema,
        revision: 3,
        changed_at: at("2026-11-20T10:00:00Z"),
        source: value_url(object, schema, &Kind::Url),
        is_gone: false,
    }
}

/// An object whose texts try to leave their places.
const HOSTILE: &[(&str, &str)] = &[
    (
        "name",
        "Night & <script>alert(1)</script> ]]> \u{1}\u{b} \"x\" é漢字",
    ),
    ("from", "2026-12-01T20:00"),
    ("link", "https://gigs.example/a?b=1&c=<2>"),
    ("picture", "javascript:alert(1)"),
    ("cost", "12.50 EUR"),
];

fn feed(values: &[(&str, &str)]) -> Feed {
    let (object, schema) = (object(17, values), schema());
    let entry = Entry::new(&item(&object, &schema), "http://127.0.0.1:8747", WORKSPACE);
    Feed {
        id: "urn:magpie:5f3a:gigs".to_owned(),
        title: "gigs: night & day".to_owned(),
        page_url: "http://127.0.0.1:8747/gigs?q=night&x=1".to_owned(),
        own_url: "http://127.0.0.1:8747/gigs.atom?q=night&x=1".to_owned(),
        updated: entry.updated,
        entries: vec![entry],
    }
}

#[test]
fn a_reader_finds_in_each_feed_what_was_put_in() {
    let feed = feed(HOSTILE);
    let own = "http://127.0.0.1:8747/object/17";
    let is_source = |link: &&str| link.starts_with("https://gigs.example/a?b=1&c=");
    for text in [atom::write(&feed), rss::write(&feed), json_feed::write(&feed)] {
        let read = magpie_test_support::feed_rs::parser::parse(text.as_bytes())
            .unwrap_or_else(|error| panic!("{error}: {text}"));
        assert_eq!(read.title.expect("a title").content, feed.title);
        let [entry] = &read.entries[..] else {
            panic!("{text}")
        };
        assert_eq!(entry.id, "urn:magpie:5f3a:object-17");
        let title = &entry.title.as_ref().expect("a title").content;
        assert!(
            title.starts_with("Night & <script>") && title.ends_with("\"x\" é漢字"),
            "{title}"
        );
        let links: Vec<&str> = entry.links.iter().map(|link| link.href.as_str()).collect();
        // A program opens the first link. That of our page is second in the XML of feeds.
        match text.starts_with('{') {
            true => assert!(links.contains(&own) && links.iter().any(is_source), "{links:?}"),
            false => {
                assert!(links.first().is_some_and(is_source), "{text}");
                let related = format!("rel=\"related\" type=\"text/html\" href=\"{own}\"");
                assert!(text.contains(&related), "{text}");
            }
        }
        assert!(!text.contains("javascript:"), "{text}");
        let changed = entry.updated.or(entry.published).expect("a date");
        assert_eq!(changed.timestamp(), feed.updated.as_seconds());
        let content = entry.content.as_ref().and_then(|content| content.body.clone());
        let content = content.or_else(|| entry.summary.as_ref().map(|text| text.content.clone()));
        let content = content.expect("it has content");
        assert!(
            content.contains("12.50 EUR") && !content.contains("<script"),
            "{content}"
        );
    }
}

/// Returns the lines of a calendar, unfolded, after checking its form.
fn lines(text: &str) -> Vec<String> {
    assert!(text.ends_with("END:VCALENDAR\r\n"), "{text}");
    let mut lines: Vec<String> = Vec::new();
    for line in text.trim_end_matches("\r\n").split("\r\n") {
        assert!(line.len() <= 75 && !line.contains(['\r', '\n']), "{line:?}");
        match (line.strip_prefix(' '), lines.last_mut()) {
            (Some(rest), Some(last)) => last.push_str(rest),
            _ => lines.push(line.to_owned()),
        }
    }
    lines
}

/// Writes the event of one object, and returns its lines; none if it is left out.
fn event(values: &[(&str, &str)], is_gone: bool) -> Option<Vec<String>> {
    let (object, schema) = (object(17, values), schema());
    let mut calendar = ics::Calendar::new("Gigs, all", WORKSPACE, at("2026-11-28T00:00:00Z"));
    let mut item = item(&object, &schema);
    item.is_gone = is_gone;
    let added = calendar.add(&item);
    let lines = lines(&calendar.finish());
    assert_eq!(lines.iter().any(|line| line == "BEGIN:VEVENT"), added);
    added.then_some(lines)
}

fn has(lines: &[String], line: &str) {
    assert!(lines.iter().any(|found| found == line), "no {line} in {lines:#?}");
}

#[test]
fn an_event_has_what_the_kinds_of_its_values_say() {
    let long = "Lang; mit, Komma und \\ und\nZeilen ".repeat(9);
    let lines = event(
        &[
            ("name", &long),
            ("from", "2026-12-01T20:00+01:00"),
            ("to", "2026-12-01T23:30"),
            ("hall", "Old Mill"),
            ("street", "Mill Lane 2, Ålesund"),
            ("at", "52.52, 13.40"),
            ("link", "https://gigs.example/a;b,c"),
        ],
        false,
    );
    let lines = lines.expect("it is in");
    has(&lines, "UID:object-17@5f3a");
    has(&lines, "SEQUENCE:3");
    has(&lines, "LAST-MODIFIED:20261120T100000Z");
    has(&lines, "DTSTART:20261201T190000Z");
    has(&lines, "DTEND:20261201T223000Z");
    has(&lines, "LOCATION:Old Mill\\, Mill Lane 2\\, Ålesund");
    has(&lines, "GEO:52.52;13.4");
    has(&lines, "URL:https://gigs.example/a;b,c");
    let summary = "Lang\\; mit\\, Komma und \\\\ und\\nZeilen ".repeat(9);
    has(&lines, &format!("SUMMARY:{}", summary.trim_end()));
    assert!(!lines.iter().any(|line| line.starts_with("STATUS")), "{lines:#?}");
}

#[test]
fn days_and_local_times_stay_what_they_are() {
    let of = |from: &str, to: &str| {
        let lines = event(&[("name", "x"), ("from", from), ("to", to)], false).expect("it is in");
        let times = lines
            .into_iter()
            .filter(|line| line.starts_with("DTSTART") || line.starts_with("DTEND"));
        times.collect::<Vec<_>>()
    };
    assert_eq!(
        of("2026-12-01", ""),
        ["DTSTART;VALUE=DATE:20261201", "DTEND;VALUE=DATE:20261202"]
    );
    assert_eq!(
        of("2026-12-31", "2027-01-02"),
        ["DTSTART;VALUE=DATE:20261231", "DTEND;VALUE=DATE:20270103"]
    );
    assert_eq!(
        of("2026-12-01", "2026-11-01"),
        ["DTSTART;VALUE=DATE:20261201", "DTEND;VALUE=DATE:20261202"]
    );
    assert_eq!(of("2026-12-01T20:00", ""), ["DTSTART:20261201T200000"]);
    assert_eq!(
        of("2026-12-01T20:00", "2026-12-01T22:15"),
        ["DTSTART:20261201T200000", "DTEND:20261201T221500"]
    );
    assert_eq!(
        of("2026-12-01T20:00", "2026-12-01T19:00"),
        ["DTSTART:20261201T200000"]
    );
    assert_eq!(
        of("2026-12-01T20:00Z", "2026-12-02"),
        ["DTSTART:20261201T200000Z"]
    );
}

#[test]
fn what_is_gone_or_called_off_is_cancelled() {
    let values = [("name", "x"), ("from", "2026-12-01"), ("state", "Cancelled")];
    has(&event(&values, false).expect("it is in"), "STATUS:CANCELLED");
    has(&event(&values[..2], true).expect("it is in"), "STATUS:CANCELLED");
    let sold_out = [("name", "x"), ("from", "2026-12-01"), ("state", "sold out")];
    let lines = event(&sold_out, false).expect("it is in");
    assert!(!lines.iter().any(|line| line.starts_with("STATUS")), "{lines:#?}");
}

#[test]
fn a_calendar_has_a_window_and_only_days() {
    for (from, is_in) in [
        ("2026-10-29", true),
        ("2026-10-28", false),
        ("2028-01-02", true),
        ("2028-01-03", false),
        ("2026-12", false),
        ("2026", false),
        ("soon", false),
    ] {
        assert_eq!(
            event(&[("name", "x"), ("from", from)], false).is_some(),
            is_in,
            "{from}"
        );
    }
    assert!(event(&[("name", "x")], false).is_none());
}

#[test]
fn text_cannot_begin_a_line_of_its_own() {
    let lines = event(
        &[
            ("name", "x\r\nATTENDEE:a\rB\u{2028}\u{0}"),
            ("from", "2026-12-01"),
        ],
        false,
    );
    let lines = lines.expect("it is in");
    has(&lines, "SUMMARY:x\\nATTENDEE:a\\nB\u{2028}");
}

#[test]
fn a_summary_is_the_name_alone() {
    let name = "“Night of Songs”, 2026-12-01 20:00, Old Mill, Mill Lane 2";
    let values = [
        ("name", name),
        ("from", "2026-12-01T20:00"),
        ("hall", "Old Mill"),
        ("street", "Mill Lane 2"),
    ];
    has(
        &event(&values, false).expect("it is in"),
        "SUMMARY:Night of Songs",
    );
}
