//! A moment, as files write it: RFC 3339 and the forms that archives use.

use std::fmt;

use magpie_values::date::Date;

/// Seconds since 1970-01-01T00:00:00Z. Printed as RFC 3339 in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// Reads `2014-01-03T03:03:22Z`, with a fraction (dropped) and an offset where there is one, and the shorter
    /// forms that WARC 1.1 allows (`2014`, `2014-01`, `2014-01-03`, `2014-01-03T03:03Z`). A missing offset means UTC.
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
        Some(Timestamp(midnight + time.map_or(Some(0), seconds_of_time)?))
    }

    /// Reads `20140103030322`, the form of ARC files. Digits after the fourteenth are ignored: some writers added milliseconds.
    pub fn parse_digits(text: &str) -> Option<Timestamp> {
        let text = text.get(..14)?;
        let part = |from: usize, to: usize| digits(text.get(from..to)?, to - from);
        let seconds = clock(part(8, 10)?, part(10, 12)?, part(12, 14)?)?;
        Some(Timestamp(
            midnight(part(0, 4)?, part(4, 6)?, part(6, 8)?)? + seconds,
        ))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Before the year 0 and after 9999 no day can be written; the nearest one is.
        let (first, last) = (Date::new(0, 1, 1), Date::new(9999, 12, 31));
        let days = self.0.div_euclid(DAY);
        let nearest = if days < 0 { first } else { last };
        let date = Date::from_days(days).or(nearest).ok_or(fmt::Error)?;
        let (year, month, day) = (date.year(), date.month(), date.day());
        let second = self.0.rem_euclid(DAY);
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        write!(
            formatter,
            "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z"
        )
    }
}

const DAY: i64 = 86_400;

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

/// Midnight of a day of the Gregorian calendar, in seconds.
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
        assert_eq!(Timestamp::parse(text), expected.map(Timestamp), "{text}");
    }

    #[test]
    fn rfc_3339_is_read() {
        check("1970-01-01T00:00:00Z", Some(0));
        check("2000-03-01T00:00:00Z", Some(951_868_800));
        check("2014-01-03T03:03:22Z", Some(1_388_718_202));
        check("2014-01-03T04:03:22+01:00", Some(1_388_718_202));
        check("2014-01-02T22:03:22.987-05:00", Some(1_388_718_202));
        check("1969-12-31T23:59:59z", Some(-1));
    }

    #[test]
    fn shorter_forms_are_read() {
        check("1970", Some(0));
        check("1970-02", Some(31 * 86_400));
        check("1970-01-02", Some(86_400));
        check("1970-01-01T00:01Z", Some(60));
        check("1970-01-01 00:01:00", Some(60));
    }

    #[test]
    fn what_is_no_moment_is_refused() {
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
    fn arc_digits_are_read() {
        assert_eq!(
            Timestamp::parse_digits("20140103030322"),
            Some(Timestamp(1_388_718_202))
        );
        assert_eq!(
            Timestamp::parse_digits("201401030303229999"),
            Some(Timestamp(1_388_718_202))
        );
        assert_eq!(Timestamp::parse_digits("2014010303032"), None);
        assert_eq!(Timestamp::parse_digits("20141303030322"), None);
    }

    proptest! {
        #[test]
        fn what_is_printed_is_read_back(seconds in -62_135_596_800_i64..253_402_300_800) {
            let text = Timestamp(seconds).to_string();
            prop_assert_eq!(Timestamp::parse(&text), Some(Timestamp(seconds)));
        }

        #[test]
        fn any_text_is_survived(text in "\\PC*") {
            let _ = Timestamp::parse(&text);
            let _ = Timestamp::parse_digits(&text);
        }
    }
}
