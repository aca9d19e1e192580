//! iCalendar (RFC 5545).
//!
//! The semantic kinds of attributes decide what an event has. The first `date-time` that identifies
//! or expires is its start, the next one that expires its end, places are its location, and
//! coordinates its position. A text that is one of the states of iCalendar is its state.

use std::fmt::Write as _;
use std::time::Duration;

use magpie_model::{Attribute, Kind};
use magpie_values::Timestamp;
use magpie_values::date::{Date, DateTime, Precision, Time, parse_iso};
use magpie_values::kind::Shape;

use super::{GENERATOR, Item};
use crate::words;

/// The longest line, in bytes without its end (RFC 5545, 3.1).
const MAX_LINE: usize = 75;

/// Events that began this long ago are still in a calendar.
pub(super) const PAST: Duration = Duration::from_secs(30 * 86_400);

/// Events that begin later than this are not in a calendar yet.
pub(super) const FUTURE: Duration = Duration::from_secs(400 * 86_400);

/// Time after which programs should ask again.
const REFRESH: &str = "PT6H";

/// Returns the attribute that has the start of the objects of a vertical, if they have one.
pub(super) fn start_attribute(schema: &[Attribute]) -> Option<&Attribute> {
    let mut dates = schema.iter().filter(|attribute| attribute.kind == Kind::DateTime);
    dates.find(|attribute| attribute.identifies || attribute.expires)
}

/// A calendar that is being written. Events are added one by one, so that one with very many of
/// them needs the memory of a part.
pub(super) struct Calendar {
    text: String,
    workspace: String,
    from: Timestamp,
    until: Timestamp,
}

impl Calendar {
    /// Begins a calendar. `workspace` is the ID of the workspace.
    pub(super) fn new(title: &str, workspace: &str, now: Timestamp) -> Calendar {
        let mut calendar = Calendar {
            text: String::new(),
            workspace: workspace.to_owned(),
            from: now - PAST,
            until: now + FUTURE,
        };
        calendar.line("BEGIN", "VCALENDAR");
        calendar.line("VERSION", "2.0");
        calendar.line("PRODID", &format!("-//{GENERATOR}//{GENERATOR}//EN"));
        calendar.line("CALSCALE", "GREGORIAN");
        calendar.text_line("X-WR-CALNAME", title);
        calendar.line("REFRESH-INTERVAL;VALUE=DURATION", REFRESH);
        calendar.line("X-PUBLISHED-TTL", REFRESH);
        calendar
    }

    /// Takes events of any time.
    pub(super) fn unbounded(&mut self) {
        (self.from, self.until) = (Timestamp::MIN, Timestamp::MAX);
    }

    /// The length of the text so far, in bytes.
    pub(super) fn len(&self) -> usize {
        self.text.len()
    }

    /// Returns the text so far and forgets it.
    pub(super) fn take(&mut self) -> String {
        std::mem::take(&mut self.text)
    }

    /// Adds the event of an object. Returns `false` if it has no day, or one outside of the window.
    pub(super) fn add(&mut self, item: &Item<'_>) -> bool {
        let Some((start, end)) = times(item) else {
            return false;
        };
        let begins = Timestamp::from_seconds(start.to_unix(0));
        if begins < self.from || begins > self.until {
            return false;
        }
        let object = item.object;
        self.line("BEGIN", "VEVENT");
        let uid = format!("object-{}@{}", object.id.0, self.workspace);
        self.line("UID", &uid);
        let changed = in_utc(item.changed_at.as_seconds());
        self.line("DTSTAMP", &changed);
        self.line("LAST-MODIFIED", &changed);
        self.line("CREATED", &in_utc(object.first_seen.as_seconds()));
        self.line("SEQUENCE", &item.revision.to_string());
        self.time_line("DTSTART", start);
        if let Some(end) = end {
            self.time_line("DTEND", end);
        }
        // The label may repeat the day and the place, which programs show beside it.
        let summary = words::short_label(&object.label, &object.record, item.schema);
        self.text_line("SUMMARY", &summary);
        if let Some(state) = state(item) {
            self.line("STATUS", state);
        }
        let places = values_of(item, &Kind::Place);
        if !places.is_empty() {
            self.text_line("LOCATION", &places.join(", "));
        }
        if let Some((latitude, longitude)) = position(item) {
            self.line("GEO", &format!("{latitude};{longitude}"));
        }
        let described: Vec<String> = item
            .details()
            .into_iter()
            .map(|(label, value)| format!("{label}: {value}"))
            .collect();
        if !described.is_empty() {
            self.text_line("DESCRIPTION", &described.join("\n"));
        }
        if let Some(url) = &item.source {
            self.line("URL", &without_controls(url));
        }
        self.line("END", "VEVENT");
        true
    }

    pub(super) fn finish(mut self) -> String {
        self.line("END", "VCALENDAR");
        self.text
    }

    fn text_line(&mut self, name: &str, value: &str) {
        self.line(name, &escaped(value));
    }

    /// Adds a day, a time somewhere in the world, or a moment. The day of an end is the one after
    /// the last, as RFC 5545 has it, which [`times`] has made of it.
    fn time_line(&mut self, name: &str, time: DateTime) {
        match (time.time(), time.offset()) {
            (None, _) => self.line(&format!("{name};VALUE=DATE"), &day(time.date())),
            (Some(_), Some(_)) => self.line(name, &in_utc(time.to_unix(0))),
            (Some(clock), None) => self.line(name, &format!("{}T{}", day(time.date()), of_day(clock))),
        }
    }

    /// Adds a line, folded so that no part is too long and no character is split.
    fn line(&mut self, name: &str, value: &str) {
        let line = format!("{name}:{value}");
        let mut room = MAX_LINE;
        for letter in line.chars() {
            if letter.len_utf8() > room {
                // A continued line begins with a space, which counts.
                self.text.push_str("\r\n ");
                room = MAX_LINE - 1;
            }
            room -= letter.len_utf8();
            self.text.push(letter);
        }
        self.text.push_str("\r\n");
    }
}

/// Returns the start and the end of an object's event. The start has at least a day.
fn times(item: &Item<'_>) -> Option<(DateTime, Option<DateTime>)> {
    let attribute = start_attribute(item.schema)?;
    let start = exact(item, attribute)?;
    let mut later = item
        .schema
        .iter()
        .filter(|other| other.kind == Kind::DateTime && other.expires && other.name != attribute.name);
    let end = later.find_map(|attribute| exact(item, attribute));
    let end = match (start.time(), end) {
        // A day lasts until the next; so does what ends on it.
        (None, end) => {
            let last = end.map_or(start.date(), |end| end.date()).max(start.date());
            last.add_days(1).map(DateTime::of_day)
        }
        (Some(_), Some(end)) if end.time().is_some() => {
            // Without a zone it is in that of the start.
            let end = match (start.offset(), end.offset()) {
                (Some(offset), None) => end.with_offset(offset).unwrap_or(end),
                (None, Some(_)) => end.without_offset(),
                _ => end,
            };
            Some(end).filter(|end| end.to_unix(0) > start.to_unix(0))
        }
        // The hour of the end is not known, so the end is left open.
        (Some(_), _) => None,
    };
    Some((start, end))
}

/// Returns the value of an attribute of dates, if it has a day.
fn exact(item: &Item<'_>, attribute: &Attribute) -> Option<DateTime> {
    let value = parse_iso(item.object.record.get(&attribute.name)?)?;
    // A calendar has no place for a day of which the year is not known.
    let has_day = value.precision() >= Precision::Day && (1..=9999).contains(&value.date().year());
    has_day.then_some(value)
}

/// Returns the state of an event: cancelled if it is gone before its time, otherwise the first
/// text value that names a state.
fn state(item: &Item<'_>) -> Option<&'static str> {
    if item.is_gone {
        return Some("CANCELLED");
    }
    let texts = values_of(item, &Kind::Text);
    let mut states = texts
        .into_iter()
        .filter_map(|text| match text.trim().to_ascii_lowercase().as_str() {
            "cancelled" | "canceled" => Some("CANCELLED"),
            "tentative" => Some("TENTATIVE"),
            "confirmed" => Some("CONFIRMED"),
            _ => None,
        });
    states.next()
}

fn position(item: &Item<'_>) -> Option<(f64, f64)> {
    let is_position = |kind: &Kind| kind.shape() == Shape::Point;
    let attribute = item
        .schema
        .iter()
        .find(|attribute| is_position(&attribute.kind))?;
    let (latitude, longitude) = item.object.record.get(&attribute.name)?.split_once(',')?;
    let (latitude, longitude) = (
        latitude.trim().parse::<f64>().ok()?,
        longitude.trim().parse::<f64>().ok()?,
    );
    let exists = (-90.0..=90.0).contains(&latitude) && (-180.0..=180.0).contains(&longitude);
    exists.then_some((latitude, longitude))
}

/// Returns the values of the attributes of a kind, in the order of the schema.
fn values_of<'a>(item: &'a Item<'_>, kind: &Kind) -> Vec<&'a str> {
    let attributes = item.schema.iter().filter(|attribute| attribute.kind == *kind);
    attributes
        .flat_map(|attribute| item.object.record.all(&attribute.name))
        .collect()
}

fn day(date: Date) -> String {
    format!("{:04}{:02}{:02}", date.year(), date.month(), date.day())
}

fn of_day(time: Time) -> String {
    let second = time.second().unwrap_or(0);
    format!("{:02}{:02}{second:02}", time.hour(), time.minute())
}

/// Formats seconds since 1970 as `20261128T090500Z`.
fn in_utc(seconds: i64) -> String {
    let text = Timestamp::from_seconds(seconds).to_string();
    text.chars()
        .filter(|letter| !matches!(letter, '-' | ':'))
        .collect()
}

/// Escapes a text (RFC 5545, 3.3.11).
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.replace("\r\n", "\n").chars() {
        match letter {
            '\\' | ';' | ',' => {
                let _ = write!(escaped, "\\{letter}");
            }
            '\n' | '\r' => escaped.push_str("\\n"),
            '\t' => escaped.push(' '),
            letter if letter.is_control() => {}
            letter => escaped.push(letter),
        }
    }
    escaped
}

fn without_controls(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control()).collect()
}
