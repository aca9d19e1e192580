//! Reads events from JSON, by the usual names of keys.

use magpie_sdk::date::DateTime;
use magpie_sdk::text;
use serde_json::{Map, Value};

use super::Entry;
use crate::tree;
use crate::when::{self, Clock};

/// Maximum nesting depth of objects.
const MAX_DEPTH: usize = 12;

/// Maximum number of entries.
const MAX_ENTRIES: usize = 5_000;

/// Words that a key may have in addition: `eventTitle`, `meeting_start`.
const BESIDE: &[&str] = &[
    "event", "events", "meeting", "calendar", "session", "local", "display",
];

const NAME: &[&str] = &[
    "title",
    "name",
    "summary",
    "subject",
    "headline",
    "body name",
    "body",
    "committee",
];
const START: &[&str] = &[
    "start",
    "start date",
    "start date time",
    "startdate",
    "startdatetime",
    "start datetime",
    "start time",
    "starts at",
    "start at",
    "begin",
    "begins",
    "begin date",
    "begins at",
    "dtstart",
    "starttime",
];
const DATE: &[&str] = &["date", "date time", "datetime", "day", "when"];
const TIME: &[&str] = &["time", "start time", "starttime", "hour"];
const END: &[&str] = &[
    "end",
    "end date",
    "end date time",
    "enddate",
    "enddatetime",
    "end time",
    "ends at",
    "end at",
    "dtend",
    "endtime",
];
const PLACE: &[&str] = &[
    "location",
    "venue",
    "place",
    "room",
    "location name",
    "venue name",
    "where",
];
const ADDRESS: &[&str] = &["address", "street address", "location address", "venue address"];
const URL: &[&str] = &[
    "url",
    "link",
    "permalink",
    "html link",
    "detail url",
    "href",
    "website",
];
const STATUS: &[&str] = &["status", "state"];

/// Returns the events at any place in a document.
pub(super) fn entries(source: &str, clock: &Clock<'_>) -> Vec<Entry> {
    let Ok(document) = serde_json::from_str::<Value>(source) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    // The last entry is taken first, so children are pushed in reverse.
    let mut open = vec![(&document, 0)];
    while let Some((value, depth)) = open.pop() {
        match value {
            _ if depth > MAX_DEPTH || found.len() >= MAX_ENTRIES => {}
            Value::Array(all) => open.extend(all.iter().rev().map(|one| (one, depth + 1))),
            Value::Object(object) => match entry(object, clock) {
                Some(entry) => found.push(entry),
                None => open.extend(object.values().rev().map(|one| (one, depth + 1))),
            },
            _ => {}
        }
    }
    found
}

fn entry(object: &Map<String, Value>, clock: &Clock<'_>) -> Option<Entry> {
    let keys = Keys::of(object);
    let name = keys.text(NAME)?;
    let started = keys.get(START).and_then(|start| moment(start, clock));
    // Any text has a date. An event also has hours or a place, or a key with the word.
    let dated = || {
        let date = keys.get(DATE)?;
        let is_event = keys.has_beside || keys.get(TIME).is_some() || keys.get(PLACE).is_some();
        is_event.then(|| moment(date, clock)).flatten()
    };
    let start = when::without_midnight(started.or_else(dated)?);
    let hours = keys.text(TIME).filter(|_| start.time().is_none());
    let (start, end) = match hours.and_then(|hours| clock.hours(&hours)) {
        Some(hours) => Clock::join(start, Some(hours)),
        None => (start, None),
    };
    let stated = keys.get(END).and_then(|end| match end {
        Value::String(text) => clock.stated_end(start, text),
        other => moment(other, clock),
    });
    // Software writes midnight to midnight for whole days.
    let stated = stated
        .map(when::without_midnight)
        .filter(|end| start.time().is_some() || end.time().is_none());
    Some(Entry {
        name,
        start: Some(start),
        end: stated.or(end),
        place: keys.text(PLACE).unwrap_or_default(),
        address: keys.text(ADDRESS).unwrap_or_default(),
        coordinates: String::new(),
        organiser: String::new(),
        url: keys.text(URL).unwrap_or_default(),
        status: keys.text(STATUS).unwrap_or_default(),
    })
}

/// Keys of an object as plain words.
struct Keys<'v> {
    keys: Vec<(String, &'v Value)>,
    /// Is true if a key shows that the object is an event.
    has_beside: bool,
}

impl<'v> Keys<'v> {
    fn of(object: &'v Map<String, Value>) -> Self {
        /// Maximum length of a key, in bytes.
        const MAX_KEY: usize = 40;
        let mut has_beside = false;
        let known = object
            .iter()
            .filter(|(key, value)| key.len() <= MAX_KEY && !value.is_null());
        let keys = known.map(|(key, value)| {
            let words: Vec<String> = tree::words_of_name(key).map(text::fold_word).collect();
            let own: Vec<&str> = words
                .iter()
                .map(String::as_str)
                .filter(|word| !BESIDE.contains(word))
                .collect();
            has_beside |= own.len() < words.len();
            (own.join(" "), value)
        });
        let keys = keys.collect();
        Self { keys, has_beside }
    }

    /// Returns the value of the first of these keys that exists.
    fn get(&self, wanted: &[&str]) -> Option<&'v Value> {
        wanted
            .iter()
            .find_map(|wanted| Some(self.keys.iter().find(|(key, _)| key == wanted)?.1))
    }

    fn text(&self, wanted: &[&str]) -> Option<String> {
        let keys = wanted
            .iter()
            .flat_map(|wanted| self.keys.iter().filter(move |(key, _)| key == wanted));
        keys.filter_map(|(_, value)| plain(value))
            .find(|text| !text.is_empty())
    }
}

/// Returns a value as text; of an object, its name (`{"rendered": "…"}`, `{"name": "…"}`).
fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(written) => Some(text::tidy(&text::unescape(written))),
        Value::Object(object) => ["name", "title", "rendered", "text"]
            .iter()
            .find_map(|key| object.get(*key)?.as_str())
            .map(|written| text::tidy(&text::unescape(written))),
        _ => None,
    }
}

/// Parses a moment: a text, an object, or a number of seconds or milliseconds.
fn moment(value: &Value, clock: &Clock<'_>) -> Option<DateTime> {
    /// Minimum of a number that counts milliseconds.
    const MILLISECONDS: i64 = 100_000_000_000;
    match value {
        Value::String(written) => clock.read_stated(written).map(|(start, _)| start),
        Value::Object(object) => ["dateTime", "date", "local", "start"]
            .iter()
            .find_map(|key| object.get(*key)?.as_str())
            .and_then(|written| clock.read_stated(written))
            .map(|(start, _)| start),
        Value::Number(number) => {
            let count = number.as_i64().filter(|count| *count > 100_000_000)?;
            let seconds = if count >= MILLISECONDS {
                count / 1000
            } else {
                count
            };
            DateTime::from_unix(seconds, 0)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::entries;
    use crate::testing::{clock, page};
    use magpie_sdk::extract::Layout;

    fn check(source: &str, expected: &[(&str, &str)]) {
        let page = page("<p>x");
        let layout = Layout::new(&page);
        let found = entries(source, &clock(&layout));
        let found: Vec<(String, String)> = found
            .into_iter()
            .map(|entry| {
                (
                    entry.name,
                    entry.start.map(|start| start.to_string()).unwrap_or_default(),
                )
            })
            .collect();
        let found: Vec<(&str, &str)> = found
            .iter()
            .map(|(name, start)| (name.as_str(), start.as_str()))
            .collect();
        assert_eq!(found, expected, "{source}");
    }

    #[test]
    fn events_are_found_by_usual_keys() {
        check(
            r#"{"items": [{"summary": "Night Music", "start": {"dateTime": "2026-05-03T19:30:00+02:00"}}]}"#,
            &[("Night Music", "2026-05-03T19:30+02:00")],
        );
        check(
            r#"[{"EventBodyName": "Parks Committee", "EventDate": "2026-05-04T00:00:00", "EventTime": "6:00 PM"}]"#,
            &[("Parks Committee", "2026-05-04T18:00")],
        );
        check(r#"[{"title": "A post", "date": "2026-05-04T09:12:00"}]"#, &[]);
        check("{\"title\": ", &[]);
    }
}
