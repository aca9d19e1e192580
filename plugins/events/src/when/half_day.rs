//! Interprets hours of a 12-hour clock: `Tuesday, 1:30` is in the afternoon.

use std::ops::RangeInclusive;

use magpie_sdk::date::{DateTime, Found, Time, Value};

/// Hours that are in the afternoon if the half of the day is not stated. Seven is ambiguous.
const AFTERNOON: RangeInclusive<u8> = 1..=6;

/// Returns true if pages in a language, or without one, use a 12-hour clock.
pub(super) fn is_usual(language: Option<&str>) -> bool {
    language.is_none_or(|tag| tag.get(..2).is_some_and(|tag| tag.eq_ignore_ascii_case("en")))
}

/// Moves hours without am or pm to the afternoon, unless the text has an hour of a 24-hour clock.
pub(super) fn to_afternoon(text: &str, found: &mut [Found]) {
    let is_late = |found: &Found| time_of(found.value).is_some_and(|time| time.hour() > 12);
    let is_bare = |found: &Found| is_bare(&text[found.start..found.end]);
    if !found.iter().any(is_bare) || found.iter().any(|found| is_late(found) && is_bare(found)) {
        return;
    }
    for found in found.iter_mut().filter(|found| is_bare(found)) {
        if let Some(later) = later(found.value) {
            found.value = later;
        }
    }
}

/// Returns true if the hours of a date have no word after them and no leading zero.
fn is_bare(written: &str) -> bool {
    let Some((before, behind)) = written.split_once(':') else {
        return false;
    };
    let hour = before.bytes().rev().take_while(u8::is_ascii_digit).count();
    let has_zero = before[before.len() - hour..].starts_with('0');
    hour > 0 && !has_zero && !behind.contains(char::is_alphabetic)
}

fn time_of(value: Value) -> Option<Time> {
    match value {
        Value::Time(start) | Value::TimeRange(start, _) => Some(start),
        Value::DateTime(start) | Value::Range(start, _) => start.time(),
    }
}

/// Returns the value in the afternoon, or `None` if it is not in the first hours of a half day.
fn later(value: Value) -> Option<Value> {
    let start = time_of(value).filter(|time| AFTERNOON.contains(&time.hour()))?;
    let start = half_a_day_later(start)?;
    let after = |end: Time| {
        if end < start {
            half_a_day_later(end).unwrap_or(end)
        } else {
            end
        }
    };
    let on = |moment: DateTime, time: Time| {
        let moved = DateTime::of_time(moment.date(), time);
        // A time with a time zone is machine-readable and exact.
        moment.offset().is_none().then_some(moved)
    };
    Some(match value {
        Value::Time(_) => Value::Time(start),
        Value::TimeRange(_, end) => Value::TimeRange(start, after(end)),
        Value::DateTime(moment) => Value::DateTime(on(moment, start)?),
        Value::Range(first, last) => {
            let end = last.time().filter(|_| first.same_day(last)).map(after);
            let end = end.map_or(Some(last), |end| on(last, end))?;
            Value::Range(on(first, start)?, end)
        }
    })
}

fn half_a_day_later(time: Time) -> Option<Time> {
    let hour = (time.hour() < 12).then(|| time.hour() + 12)?;
    Time::new(hour, time.minute(), time.second())
}

#[cfg(test)]
mod tests {
    use super::{is_usual, to_afternoon};
    use magpie_sdk::date::{DateContext, Value, find_all};

    fn check(text: &str, expected: &[&str]) {
        let mut found = find_all(text, &DateContext::default());
        to_afternoon(text, &mut found);
        let written = |value: Value| match value {
            Value::DateTime(moment) => moment.to_string(),
            Value::Range(start, end) => format!("{start}/{end}"),
            Value::Time(time) => time.to_string(),
            Value::TimeRange(start, end) => format!("{start}/{end}"),
        };
        let found: Vec<String> = found.iter().map(|found| written(found.value)).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn bare_hours_are_after_noon() {
        check("May 3, 2026, 1:30", &["2026-05-03T13:30"]);
        check("May 3, 2026 ..... 6:00", &["2026-05-03T18:00"]);
        check("5:30 - 7:30", &["17:30/19:30"]);
        check("May 3, 2026, 4:00-5:30", &["2026-05-03T16:00/2026-05-03T17:30"]);
    }

    #[test]
    fn other_hours_are_left() {
        check("May 3, 2026, 9:30", &["2026-05-03T09:30"]);
        check("May 3, 2026, 1:30 am", &["2026-05-03T01:30"]);
        check("May 3, 2026, 01:30", &["2026-05-03T01:30"]);
        check("2026-05-03T01:30Z", &["2026-05-03T01:30Z"]);
        // The other time is one of a 24-hour clock.
        check(
            "3 May 2026, 1:30; 3 May 2026, 19:30",
            &["2026-05-03T01:30", "2026-05-03T19:30"],
        );
        assert!(is_usual(None) && is_usual(Some("en-US")) && !is_usual(Some("de")));
    }
}
