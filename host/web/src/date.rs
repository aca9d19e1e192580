//! Dates in header fields.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use magpie_values::date::Date;

/// The longest date that is read. The three forms of HTTP have under 40 characters.
const LONGEST: usize = 100;

const MONTHS: [&str; 12] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
];

/// Parses a date by the lenient rules of RFC 6265, 5.1.1, which cover the three forms of RFC 9110
/// and their variants: parts in any order with any separators. Years before 1970 give `None`.
pub fn parse_http_date(text: &str) -> Option<SystemTime> {
    let mut parts = Parts::default();
    for token in text.get(..text.len().min(LONGEST))?.split(is_delimiter) {
        parts.take(token);
    }
    parts.time()
}

/// RFC 6265, 5.1.1: everything but digits, letters, colons and what is not ASCII.
fn is_delimiter(character: char) -> bool {
    character.is_ascii() && !character.is_ascii_alphanumeric() && character != ':' && character != '\x7f'
}

#[derive(Default)]
struct Parts {
    clock: Option<(u64, u64, u64)>,
    day: Option<u64>,
    month: Option<u64>,
    year: Option<u64>,
}

impl Parts {
    /// Puts a token in the first place that is free and that it fits.
    fn take(&mut self, token: &str) {
        if self.clock.is_none()
            && let Some(clock) = clock(token)
        {
            self.clock = Some(clock);
        } else if self.day.is_none()
            && let Some(day) = number(token, 1..=2)
        {
            self.day = Some(day);
        } else if self.month.is_none()
            && let Some(month) = month(token)
        {
            self.month = Some(month);
        } else if self.year.is_none()
            && let Some(year) = number(token, 2..=4)
        {
            self.year = Some(year);
        }
    }

    fn time(self) -> Option<SystemTime> {
        let (hour, minute, second) = self.clock?;
        let (day, month) = (self.day?, self.month?);
        let year = match self.year? {
            year @ 70..=99 => year + 1900,
            year @ 0..=69 => year + 2000,
            year => year,
        };
        // A leap second is as good as the one before.
        if year < 1970 || hour > 23 || minute > 59 || second > 60 {
            return None;
        }
        let (month, day) = (u8::try_from(month).ok()?, u8::try_from(day).ok()?);
        let date = Date::new(i32::try_from(year).ok()?, month, day)?;
        let days = u64::try_from(date.to_days()).ok()?;
        let seconds = days * 86_400 + hour * 3600 + minute * 60 + second.min(59);
        Some(UNIX_EPOCH + Duration::from_secs(seconds))
    }
}

/// Parses the digits at the beginning of a token; `None` if their number is out of the range.
fn number(token: &str, digits: std::ops::RangeInclusive<usize>) -> Option<u64> {
    let count = token.bytes().take_while(u8::is_ascii_digit).count();
    if !digits.contains(&count) {
        return None;
    }
    token[..count].parse().ok()
}

fn month(token: &str) -> Option<u64> {
    let start = token.get(..3)?.to_ascii_lowercase();
    let index = MONTHS.iter().position(|month| *month == start)?;
    Some(index as u64 + 1)
}

fn clock(token: &str) -> Option<(u64, u64, u64)> {
    let mut parts = token.splitn(3, ':');
    let hour = number(parts.next()?, 1..=2)?;
    let minute = number(parts.next()?, 1..=2)?;
    let second = number(parts.next()?, 1..=2)?;
    Some((hour, minute, second))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, seconds: Option<u64>) {
        let read = parse_http_date(text).map(|time| time.duration_since(UNIX_EPOCH).unwrap().as_secs());
        assert_eq!(read, seconds, "{text}");
    }

    #[test]
    fn the_three_forms_of_http_are_read() {
        // The example of RFC 9110, 5.6.7.
        check("Sun, 06 Nov 1994 08:49:37 GMT", Some(784_111_777));
        check("Sunday, 06-Nov-94 08:49:37 GMT", Some(784_111_777));
        check("Sun Nov  6 08:49:37 1994", Some(784_111_777));
    }

    #[test]
    fn what_servers_make_of_them_is_read() {
        check("Thu, 01-Jan-1970 00:00:01 GMT", Some(1));
        check("1 jan 1970 0:0:2", Some(2));
        check("Wed, 29 Feb 2040 00:00:00 GMT", Some(2_214_086_400));
        check("Fri, 01 Mar 2000 00:00:00 GMT", Some(951_868_800));
    }

    #[test]
    fn what_is_no_date_is_not_read() {
        for text in [
            "",
            "0",
            "-1",
            "tomorrow",
            "Sun, 06 Nov 1994",
            "Sun, 31 Feb 1994 08:49:37 GMT",
            "Sun, 29 Feb 1900 08:49:37 GMT",
            "Sun, 06 Nov 1994 24:49:37 GMT",
            "Sun, 06 Nov 1969 08:49:37 GMT",
            "06 Nov 99999 08:49:37",
            "é",
        ] {
            check(text, None);
        }
        check(&"é".repeat(100), None);
        check(&"1 ".repeat(100_000), None);
    }
}
