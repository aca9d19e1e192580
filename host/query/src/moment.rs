//! Days and times as people write them: dates, `tomorrow`, `weekend`, `next 14 days`, ages.

use std::time::Duration;

use magpie_values::Timestamp;
use magpie_values::date::{self, Date, Weekday};
use magpie_values::text::fold;

/// Seconds of a day.
const DAY: i64 = 86_400;

/// Longest distance in days that can be written. More is a mistake, and overflows nothing.
const MAX_DAYS: i64 = 400_000;

/// The direction in which words without one look: an event is in the future, a change in the past.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Back,
    Ahead,
}

/// A span of time in seconds since 1970; both ends are part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) first: i64,
    pub(crate) last: i64,
    /// The moment that earlier and later are measured from, if it is neither end.
    pub(crate) moment: Option<i64>,
}

impl Span {
    fn days(first: Date, last: Date) -> Span {
        Span {
            first: first.to_days() * DAY,
            last: last.to_days() * DAY + DAY - 1,
            moment: None,
        }
    }
}

/// Reads a date or a time in words. Returns `None` for anything else.
pub(crate) fn span(text: &str, now: Timestamp, direction: Direction) -> Option<Span> {
    // Before anything is folded: an ISO date contains hyphens, which become blanks below.
    if let Some(moment) = date::parse_iso(text.trim()).filter(|moment| moment.has_year()) {
        return Some(Span {
            first: moment.to_unix(0),
            last: moment.end_unix(0),
            moment: None,
        });
    }
    // The hyphen would become a blank, and `-7d` would mean `7d`.
    if text.trim_start().starts_with('-') {
        return None;
    }
    let folded = fold(text).replace(['-', '_'], " ");
    let words: Vec<&str> = folded.split(' ').filter(|word| !word.is_empty()).collect();
    let today = Date::from_days(now.as_days())?;
    match words.as_slice() {
        ["now"] => Some(point(now.as_seconds())),
        ["today"] => Some(Span::days(today, today)),
        ["tomorrow"] => day(today.add_days(1)?),
        ["yesterday"] => day(today.add_days(-1)?),
        [one] => named(one, 0, today, direction).or_else(|| age(one, now, direction)),
        ["this", name] => named(name, 0, today, direction),
        ["next", name] => named(name, 1, today, Direction::Ahead),
        ["last", name] => named(name, -1, today, Direction::Back),
        ["next", count, unit] => {
            let days = in_days(count, unit)?;
            Some(Span::days(today, today.add_days(days)?))
        }
        ["last", count, unit] => {
            let days = in_days(count, unit)?;
            let first = now.as_seconds().checked_sub(days * DAY)?;
            Some(Span {
                first,
                last: now.as_seconds(),
                moment: Some(first),
            })
        }
        _ => None,
    }
}

fn point(at: i64) -> Span {
    Span {
        first: at,
        last: at,
        moment: None,
    }
}

fn day(day: Date) -> Option<Span> {
    Some(Span::days(day, day))
}

/// Reads a weekday, `weekend`, `week`, `month` or `year`, a number of times before or after the
/// present one.
fn named(name: &str, steps: i64, today: Date, direction: Direction) -> Option<Span> {
    let since_monday = i64::from(today.weekday().number()) - 1;
    let monday = today.add_days(-since_monday)?;
    if let Some(wanted) = weekday(name) {
        let ahead = (i64::from(wanted.number()) - i64::from(today.weekday().number())).rem_euclid(7);
        let offset = match (direction, steps) {
            (Direction::Ahead, 0) => ahead,
            // On a Friday, "next Friday" is in seven days.
            (Direction::Ahead, _) if ahead == 0 => 7,
            (Direction::Ahead, _) => ahead,
            // On a Friday, `friday` looking back means today.
            (Direction::Back, 0) if ahead == 0 => 0,
            (Direction::Back, _) => ahead - 7,
        };
        return day(today.add_days(offset)?);
    }
    match name {
        // A weekend that has begun is this one.
        "weekend" => {
            let saturday = monday.add_days(5 + 7 * steps)?;
            Some(Span::days(saturday, saturday.add_days(1)?))
        }
        "week" => {
            let first = monday.add_days(7 * steps)?;
            Some(Span::days(first, first.add_days(6)?))
        }
        "month" => {
            let months = i64::from(today.year()) * 12 + i64::from(today.month()) - 1 + steps;
            let first = first_of_month(months)?;
            Some(Span::days(first, first_of_month(months + 1)?.add_days(-1)?))
        }
        "year" => {
            let year = today.year() + i32::try_from(steps).ok()?;
            Some(Span::days(Date::new(year, 1, 1)?, Date::new(year, 12, 31)?))
        }
        _ => None,
    }
}

/// Returns the first day of a month, counted from January of year 0.
fn first_of_month(months: i64) -> Option<Date> {
    let year = i32::try_from(months.div_euclid(12)).ok()?;
    Date::new(year, months.rem_euclid(12) as u8 + 1, 1)
}

fn weekday(name: &str) -> Option<Weekday> {
    Some(match name {
        "monday" | "mon" => Weekday::Monday,
        "tuesday" | "tue" => Weekday::Tuesday,
        "wednesday" | "wed" => Weekday::Wednesday,
        "thursday" | "thu" => Weekday::Thursday,
        "friday" | "fri" => Weekday::Friday,
        "saturday" | "sat" => Weekday::Saturday,
        "sunday" | "sun" => Weekday::Sunday,
        _ => return None,
    })
}

fn in_days(count: &str, unit: &str) -> Option<i64> {
    let count: i64 = count.parse().ok().filter(|count| *count >= 0)?;
    let unit = match unit {
        "day" | "days" => 1,
        "week" | "weeks" => 7,
        "month" | "months" => 30,
        "year" | "years" => 365,
        _ => return None,
    };
    // A stranger writes the count.
    count.checked_mul(unit).filter(|days| *days <= MAX_DAYS)
}

/// Reads an age such as `36h`, `7d` or `2w`: the time from then to now, or from now to then.
fn age(text: &str, now: Timestamp, direction: Direction) -> Option<Span> {
    const HOUR: u64 = 3_600;
    let (count, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let unit = match unit {
        "h" => HOUR,
        "d" => 24 * HOUR,
        "w" => 7 * 24 * HOUR,
        _ => return None,
    };
    let count = u64::from(count.parse::<u32>().ok()?);
    let length = Duration::from_secs(count * unit);
    let (first, last, moment) = match direction {
        Direction::Back => (now - length, now, now - length),
        Direction::Ahead => (now, now + length, now + length),
    };
    Some(Span {
        first: first.as_seconds(),
        last: last.as_seconds(),
        moment: Some(moment.as_seconds()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Monday, 2026-11-30, 12:00 UTC.
    fn now() -> Timestamp {
        Timestamp::parse("2026-11-30T12:00:00Z").unwrap()
    }

    fn read(text: &str, direction: Direction) -> Option<(String, String)> {
        let span = span(text, now(), direction)?;
        let time = |seconds| Timestamp::from_seconds(seconds).to_string();
        Some((time(span.first), time(span.last)))
    }

    #[test]
    fn words_are_days() {
        for (text, direction, first, last) in [
            (
                "2026-12",
                Direction::Ahead,
                "2026-12-01T00:00:00Z",
                "2026-12-31T23:59:59Z",
            ),
            (
                "today",
                Direction::Ahead,
                "2026-11-30T00:00:00Z",
                "2026-11-30T23:59:59Z",
            ),
            (
                "Tomorrow",
                Direction::Ahead,
                "2026-12-01T00:00:00Z",
                "2026-12-01T23:59:59Z",
            ),
            (
                "yesterday",
                Direction::Back,
                "2026-11-29T00:00:00Z",
                "2026-11-29T23:59:59Z",
            ),
            (
                "weekend",
                Direction::Ahead,
                "2026-12-05T00:00:00Z",
                "2026-12-06T23:59:59Z",
            ),
            (
                "next weekend",
                Direction::Ahead,
                "2026-12-12T00:00:00Z",
                "2026-12-13T23:59:59Z",
            ),
            (
                "week",
                Direction::Ahead,
                "2026-11-30T00:00:00Z",
                "2026-12-06T23:59:59Z",
            ),
            (
                "last week",
                Direction::Ahead,
                "2026-11-23T00:00:00Z",
                "2026-11-29T23:59:59Z",
            ),
            (
                "month",
                Direction::Ahead,
                "2026-11-01T00:00:00Z",
                "2026-11-30T23:59:59Z",
            ),
            (
                "next-month",
                Direction::Ahead,
                "2026-12-01T00:00:00Z",
                "2026-12-31T23:59:59Z",
            ),
            (
                "year",
                Direction::Ahead,
                "2026-01-01T00:00:00Z",
                "2026-12-31T23:59:59Z",
            ),
            (
                "next 14 days",
                Direction::Ahead,
                "2026-11-30T00:00:00Z",
                "2026-12-14T23:59:59Z",
            ),
            (
                "last_2_weeks",
                Direction::Back,
                "2026-11-16T12:00:00Z",
                "2026-11-30T12:00:00Z",
            ),
            (
                "friday",
                Direction::Ahead,
                "2026-12-04T00:00:00Z",
                "2026-12-04T23:59:59Z",
            ),
            (
                "friday",
                Direction::Back,
                "2026-11-27T00:00:00Z",
                "2026-11-27T23:59:59Z",
            ),
            (
                "monday",
                Direction::Ahead,
                "2026-11-30T00:00:00Z",
                "2026-11-30T23:59:59Z",
            ),
            (
                "monday",
                Direction::Back,
                "2026-11-30T00:00:00Z",
                "2026-11-30T23:59:59Z",
            ),
            (
                "next monday",
                Direction::Ahead,
                "2026-12-07T00:00:00Z",
                "2026-12-07T23:59:59Z",
            ),
            (
                "last monday",
                Direction::Ahead,
                "2026-11-23T00:00:00Z",
                "2026-11-23T23:59:59Z",
            ),
            (
                "36h",
                Direction::Back,
                "2026-11-29T00:00:00Z",
                "2026-11-30T12:00:00Z",
            ),
            (
                "2w",
                Direction::Ahead,
                "2026-11-30T12:00:00Z",
                "2026-12-14T12:00:00Z",
            ),
        ] {
            let found = read(text, direction);
            assert_eq!(
                found,
                Some((first.to_owned(), last.to_owned())),
                "{text} {direction:?}"
            );
        }
    }

    #[test]
    fn other_words_are_no_days() {
        for text in [
            "",
            "soon",
            "d",
            "-1d",
            "next",
            "next soon",
            "next 3 moons",
            "last 99999999999 days",
            "next 999999999999999999999 days",
            "2026-13",
            "€d",
            "this",
        ] {
            assert_eq!(read(text, Direction::Ahead), None, "{text}");
        }
    }
}
