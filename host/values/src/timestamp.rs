//! A moment on the clock of the world, and the forms in which files write it.

use std::fmt;
use std::ops::{Add, Sub};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::date::Date;

/// A moment, in milliseconds since 1970-01-01T00:00:00Z. Printed as RFC 3339 in UTC, in whole
/// seconds.
///
/// Other units appear only where moments are read and written: a database column of seconds, a
/// header of a request. Everything in between has this type, so that units are never mixed.
///
/// ```
/// use std::time::Duration;
/// use magpie_values::Timestamp;
///
/// let end = Timestamp::from_seconds(1_777_852_800);
/// assert!(end < end + Duration::from_millis(1));
/// assert_eq!((end + Duration::from_secs(60)).since(end), Duration::from_secs(60));
/// assert_eq!(Timestamp::from_millis(-1).as_seconds(), -1);
/// assert_eq!(end.to_string(), "2026-05-04T00:00:00Z");
/// assert_eq!(Timestamp::parse("2026-05-04T02:00:00+02:00"), Some(end));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

impl Timestamp {
    /// The earliest moment that can be represented.
    pub const MIN: Timestamp = Timestamp(i64::MIN);

    /// The latest moment that can be represented.
    pub const MAX: Timestamp = Timestamp(i64::MAX);

    /// Returns the moment this many milliseconds after the beginning of 1970.
    pub const fn from_millis(milliseconds: i64) -> Timestamp {
        Timestamp(milliseconds)
    }

    /// Returns the moment this many seconds after the beginning of 1970.
    pub const fn from_seconds(seconds: i64) -> Timestamp {
        Timestamp(seconds.saturating_mul(1_000))
    }

    /// Returns the milliseconds since the beginning of 1970.
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// Returns the whole seconds since the beginning of 1970.
    pub const fn as_seconds(self) -> i64 {
        self.0.div_euclid(1_000)
    }

    /// Returns the whole days since the beginning of 1970.
    pub const fn as_days(self) -> i64 {
        self.0.div_euclid(DAY * 1_000)
    }

    /// Returns the time since an earlier moment, or zero if `earlier` is later.
    pub fn since(self, earlier: Timestamp) -> Duration {
        Duration::from_millis(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }

    /// Formats the moment as RFC 3339 in UTC with milliseconds: `2000-03-01T00:00:00.007Z`.
    pub fn display_millis(self) -> impl fmt::Display {
        DisplayMillis(self)
    }

    /// Returns the days since another moment, negative if that is later.
    pub fn days_since(self, other: Timestamp) -> f64 {
        self.0.saturating_sub(other.0) as f64 / (DAY * 1_000) as f64
    }

    /// Parses `2014-01-03T03:03:22Z`, dropping a fraction and applying an offset, and the shorter
    /// forms of WARC 1.1 (`2014`, `2014-01`, `2014-01-03`, `2014-01-03T03:03Z`). A missing offset
    /// means UTC.
    pub fn parse(text: &str) -> Option<Timestamp> {
        let text = text.trim();
        let (date, time) = match text.find(['T', 't', ' ']) {
            Some(at) => (&text[..at], Some(&text[at + 1..])),
            None => (text, None),
        };
        let mut parts = date.split('-');
        let year = digits(parts.next()?, 4)?;
        let month = parts.next().map_or(Some(1), |part| digits(part, 2))?;
        let day = parts.next().map_or(Some(1), |part| digits(part, 2))?;
        if parts.next().is_some() {
            return None;
        }
        let midnight = midnight(year, month, day)?;
        Some(Timestamp::from_seconds(
            midnight + time.map_or(Some(0), seconds_of_time)?,
        ))
    }

    /// Parses `20140103030322`, the form of ARC files. Digits after the fourteenth are ignored,
    /// since some writers added milliseconds.
    pub fn parse_digits(text: &str) -> Option<Timestamp> {
        let text = text.get(..14)?;
        let part = |from: usize, to: usize| digits(text.get(from..to)?, to - from);
        let seconds = clock(part(8, 10)?, part(10, 12)?, part(12, 14)?)?;
        Some(Timestamp::from_seconds(
            midnight(part(0, 4)?, part(4, 6)?, part(6, 8)?)? + seconds,
        ))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // RFC 3339 has years of four digits, so moments outside print as the nearest day inside.
        let (first, last) = (Date::new(0, 1, 1), Date::new(9999, 12, 31));
        let days = self.as_days();
        let nearest = if days < 0 { first } else { last };
        let date = Date::from_days(days).or(nearest).ok_or(fmt::Error)?;
        let (year, month, day) = (date.year(), date.month(), date.day());
        let second = self.as_seconds().rem_euclid(DAY);
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        write!(
            formatter,
            "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z"
        )
    }
}

impl From<SystemTime> for Timestamp {
    /// Returns the beginning of 1970 for earlier times.
    fn from(time: SystemTime) -> Timestamp {
        Timestamp::default() + time.duration_since(UNIX_EPOCH).unwrap_or_default()
    }
}

impl From<Timestamp> for SystemTime {
    /// Returns the beginning of 1970 for earlier moments, which not every system can represent.
    fn from(moment: Timestamp) -> SystemTime {
        UNIX_EPOCH + moment.since(Timestamp::default())
    }
}

impl Add<Duration> for Timestamp {
    type Output = Timestamp;

    /// Returns the moment this much later, or [`Timestamp::MAX`].
    fn add(self, time: Duration) -> Timestamp {
        Timestamp(self.0.saturating_add(milliseconds(time)))
    }
}

impl Sub<Duration> for Timestamp {
    type Output = Timestamp;

    /// Returns the moment this much earlier, or [`Timestamp::MIN`].
    fn sub(self, time: Duration) -> Timestamp {
        Timestamp(self.0.saturating_sub(milliseconds(time)))
    }
}

/// A moment that is printed with milliseconds.
struct DisplayMillis(Timestamp);

impl fmt::Display for DisplayMillis {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0.to_string();
        let fraction = self.0.as_millis().rem_euclid(1_000);
        write!(formatter, "{}.{fraction:03}Z", seconds.trim_end_matches('Z'))
    }
}

/// Seconds of a day.
const DAY: i64 = 86_400;

fn milliseconds(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

fn digits(text: &str, count: usize) -> Option<i64> {
    if text.len() != count || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}

fn clock(hour: i64, minute: i64, second: i64) -> Option<i64> {
    // A leap second is the 60th; it counts as the first of the next minute.
    (hour < 24 && minute < 60 && second <= 60).then_some(hour * 3600 + minute * 60 + second)
}

fn seconds_of_time(time: &str) -> Option<i64> {
    let (clock_text, offset) = match time.find(['Z', 'z', '+', '-']) {
        Some(at) => (&time[..at], seconds_of_offset(&time[at..])?),
        None => (time, 0),
    };
    let mut parts = clock_text.split(':');
    let hour = digits(parts.next()?, 2)?;
    let minute = digits(parts.next()?, 2)?;
    let second = match parts.next() {
        None => 0,
        Some(second) => match second.split_once('.') {
            None => digits(second, 2)?,
            Some((second, fraction)) if fraction.bytes().all(|byte| byte.is_ascii_digit()) => {
                digits(second, 2)?
            }
            Some(_) => return None,
        },
    };
    if parts.next().is_some() {
        return None;
    }
    Some(clock(hour, minute, second)? - offset)
}

fn seconds_of_offset(text: &str) -> Option<i64> {
    if text.eq_ignore_ascii_case("Z") {
        return Some(0);
    }
    let sign = if text.starts_with('-') { -1 } else { 1 };
    let (hour, minute) = text.get(1..)?.split_once(':')?;
    Some(sign * clock(digits(hour, 2)?, digits(minute, 2)?, 0)?)
}

/// Returns the midnight of a day of the Gregorian calendar, in seconds.
fn midnight(year: i64, month: i64, day: i64) -> Option<i64> {
    let (month, day) = (u8::try_from(month).ok()?, u8::try_from(day).ok()?);
    let date = Date::new(i32::try_from(year).ok()?, month, day)?;
    Some(date.to_days() * DAY)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(text: &str, expected: Option<i64>) {
        assert_eq!(
            Timestamp::parse(text),
            expected.map(Timestamp::from_seconds),
            "{text}"
        );
    }

    #[test]
    fn rfc_3339_is_parsed() {
        check("1970-01-01T00:00:00Z", Some(0));
        check("2000-03-01T00:00:00Z", Some(951_868_800));
        check("2014-01-03T03:03:22Z", Some(1_388_718_202));
        check("2014-01-03T04:03:22+01:00", Some(1_388_718_202));
        check("2014-01-02T22:03:22.987-05:00", Some(1_388_718_202));
        check("1969-12-31T23:59:59z", Some(-1));
    }

    #[test]
    fn shorter_forms_are_parsed() {
        check("1970", Some(0));
        check("1970-02", Some(31 * 86_400));
        check("1970-01-02", Some(86_400));
        check("1970-01-01T00:01Z", Some(60));
        check("1970-01-01 00:01:00", Some(60));
    }

    #[test]
    fn invalid_moments_are_refused() {
        for text in [
            "",
            "x",
            "2014-02-30",
            "2014-13-01",
            "2014-01-03T25:00:00Z",
            "2014-01-03T03",
            "20140103",
        ] {
            check(text, None);
        }
        for text in [
            "2014-01-03T03:03:22+1",
            "2014-01-03T03:03:22.xZ",
            "1-1-1",
            "2014-01-03-04",
            "é014-01-01Té",
        ] {
            check(text, None);
        }
    }

    #[test]
    fn arc_digits_are_parsed() {
        assert_eq!(
            Timestamp::parse_digits("20140103030322"),
            Some(Timestamp::from_seconds(1_388_718_202))
        );
        assert_eq!(
            Timestamp::parse_digits("201401030303229999"),
            Some(Timestamp::from_seconds(1_388_718_202))
        );
        assert_eq!(Timestamp::parse_digits("2014010303032"), None);
        assert_eq!(Timestamp::parse_digits("20141303030322"), None);
    }

    #[test]
    fn milliseconds_are_printed() {
        let shown = |milliseconds| Timestamp::from_millis(milliseconds).display_millis().to_string();
        assert_eq!(shown(951_868_800_007), "2000-03-01T00:00:00.007Z");
        assert_eq!(shown(-1), "1969-12-31T23:59:59.999Z");
    }

    proptest! {
        #[test]
        fn printed_moments_are_parsed_back(seconds in -62_135_596_800_i64..253_402_300_800) {
            let text = Timestamp::from_seconds(seconds).to_string();
            prop_assert_eq!(Timestamp::parse(&text), Some(Timestamp::from_seconds(seconds)));
        }

        #[test]
        fn arbitrary_text_does_not_panic(text in "\\PC*") {
            let _ = Timestamp::parse(&text);
            let _ = Timestamp::parse_digits(&text);
        }
    }
}
