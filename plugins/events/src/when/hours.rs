//! Selects the times of day of an event in a text, and combines them with its day.

use magpie_sdk::date::{self, DateTime, Time, Value};
use magpie_sdk::text;

use super::{Hours, LEAD, before, to_minute};
use crate::words;
use crate::words::languages as lists;

/// Returns the hours of the event, given all times in a text. Times at which the doors open are
/// ignored, unless there are no others.
pub(super) fn hours_of(text: &str, found: &[date::Found]) -> Option<Hours> {
    let mut doors = None;
    let mut last_end = 0;
    for found in found {
        // Words before the previous date belong to that one.
        let lead_start = last_end.max(found.start.saturating_sub(LEAD));
        let lead = text.get(lead_start..found.start).unwrap_or_default();
        let inside = text.get(found.start..found.end).unwrap_or_default();
        last_end = found.end;
        let Some(hours) = hours_in(found.value) else {
            continue;
        };
        if words::leads_to_doors(lead) || words::leads_to_doors(inside) {
            doors = doors.or(Some(hours));
        } else if !words::leads_aside(lead.rsplit('\n').next().unwrap_or(lead)) || inside.contains('\n') {
            // The hours in the line after `Posted` are not those of the posting.
            return Some(hours);
        }
    }
    doors
}

pub(super) fn hours_in(value: Value) -> Option<Hours> {
    let (start, end) = match value {
        Value::Time(start) => (start, None),
        Value::TimeRange(start, end) => (start, Some(end)),
        Value::DateTime(moment) => (moment.time()?, None),
        Value::Range(start, end) => (start.time()?, end.time().filter(|_| start.same_day(end))),
    };
    Some(Hours { start, end })
}

/// Adds hours to a day. The time of the day itself is replaced only if it is that of the doors.
pub(super) fn with_hours(
    start: DateTime,
    end: Option<DateTime>,
    written: &str,
    hours: Option<Hours>,
) -> (DateTime, Option<DateTime>) {
    let (start, end) = (to_minute(start), end.map(to_minute));
    let open = start.time().is_none() || words::leads_to_doors(written);
    let Some(hours) = hours.filter(|_| open) else {
        return (start, end);
    };
    let begins = to_minute(DateTime::of_time(start.date(), hours.start));
    // The hours of a festival are those of each day. Its end is still the last day.
    if end.is_some() && start.time().is_none() {
        return (begins, end);
    }
    (begins, hours.end.and_then(|end| ending(begins, end)).or(end))
}

/// Returns the end of hours on the day of their start, or in the following night.
pub(super) fn ending(start: DateTime, end: Time) -> Option<DateTime> {
    let same_day = start.time().is_some_and(|begins| begins <= end);
    let date = if same_day {
        start.date()
    } else {
        start.date().add_days(1)?
    };
    Some(to_minute(DateTime::of_time(date, end)))
}

/// Returns an end that is stated separately: `Ends: 4 May 2026`.
pub(super) fn later_end(text: &str, found: &[date::Found], start: DateTime) -> Option<DateTime> {
    let next = found.first()?;
    let lead = before(text, next.start);
    let ends = text::words(lead)
        .last()
        .is_some_and(|word| lists::LABEL_END.has(word));
    match next.value {
        Value::DateTime(end) if ends && end.date() >= start.date() => Some(to_minute(end)),
        Value::Time(end) if ends => ending(start, end).filter(|_| start.time().is_some()),
        _ => None,
    }
}
