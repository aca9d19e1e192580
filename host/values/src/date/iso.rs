//! ISO 8601 as machines write it, extended and basic form, with the usual liberties.

use std::str::FromStr;

use super::Problem;
use super::civil::{Date, Weekday};
use super::value::{DateTime, Precision, Time};

/// Reads ISO 8601: `2026`, `2026-11`, `2026-11-20`, `20261120`, `2026-W47-5`, `2026-324`, and with
/// a time behind `T` or a space: `19`, `19:30`, `193000`, `19:30:00.25`, and a zone: `Z`, `+01`,
/// `+01:00`, `-0530`. Fractions of seconds are dropped; a zone without a time is dropped. Also days
/// without a year, as [`DateTime`] displays them: `--05-03`, `--05-03T19:30[Sun]`.
#[must_use]
pub fn parse_iso(text: &str) -> Option<DateTime> {
    let text = text.trim();
    if let Some(rest) = text.strip_prefix("--") {
        return read_without_year(rest);
    }
    let mut reader = Reader {
        bytes: text.as_bytes(),
    };
    read_moment(&mut reader)
}

/// Reads what follows the dashes of a day without a year. Both days and times of the year 0, which
/// is a leap year, are read as they are with a year.
fn read_without_year(text: &str) -> Option<DateTime> {
    let (text, weekday) = match text.strip_suffix(']').and_then(|text| text.rsplit_once('[')) {
        Some((text, name)) => {
            let number = Weekday::NAMES.iter().position(|known| *known == name)?;
            (text, Some(Weekday::ALL[number]))
        }
        None => (text, None),
    };
    let with_year = format!("0000-{text}");
    let mut reader = Reader {
        bytes: with_year.as_bytes(),
    };
    let moment = read_moment(&mut reader).filter(|moment| moment.precision() >= Precision::Day)?;
    let date = Date::without_year(moment.date().month(), moment.date().day(), weekday)?;
    let Some(time) = moment.time() else {
        return Some(DateTime::of_day(date));
    };
    let value = DateTime::of_time(date, time);
    match moment.offset() {
        Some(minutes) => value.with_offset(minutes),
        None => Some(value),
    }
}

fn read_moment(reader: &mut Reader<'_>) -> Option<DateTime> {
    let day = read_date(reader)?;
    let date = match day {
        Day::Whole(date) => date,
        Day::Coarse(value) => return finish_coarse(reader, value),
    };
    if !(reader.take(b'T') || reader.take(b't') || reader.take_space()) {
        let _zone_of_a_day = read_offset(reader);
        return reader.is_done().then(|| DateTime::of_day(date));
    }
    let (time, next_day) = read_time(reader)?;
    let date = if next_day { date.add_days(1)? } else { date };
    reader.skip_spaces();
    let offset = read_offset(reader);
    // `[Europe/Berlin]` may follow, as java.time writes it; the offset already says what we need.
    if offset.is_some() && reader.bytes.first() == Some(&b'[') && reader.bytes.last() == Some(&b']') {
        reader.bytes = &[];
    }
    if !reader.is_done() {
        return None;
    }
    let value = DateTime::of_time(date, time);
    offset.map_or(Some(value), |minutes| value.with_offset(minutes))
}

impl FromStr for DateTime {
    type Err = Problem;

    fn from_str(text: &str) -> Result<Self, Problem> {
        parse_iso(text).ok_or(Problem::NoDate)
    }
}

impl FromStr for Date {
    type Err = Problem;

    fn from_str(text: &str) -> Result<Self, Problem> {
        let value = parse_iso(text).ok_or(Problem::NoDate)?;
        if value.same_day(value) {
            Ok(value.date())
        } else {
            Err(Problem::NoDay)
        }
    }
}

/// Reads a distance from UTC in minutes: `Z`, `+01`, `+01:00`, `-0530`.
#[must_use]
pub fn parse_offset(text: &str) -> Option<i16> {
    let mut reader = Reader {
        bytes: text.trim().as_bytes(),
    };
    read_offset(&mut reader).filter(|_| reader.is_done())
}

enum Day {
    Whole(Date),
    Coarse(DateTime),
}

fn finish_coarse(reader: &mut Reader<'_>, value: DateTime) -> Option<DateTime> {
    reader.is_done().then_some(value)
}

fn read_date(reader: &mut Reader<'_>) -> Option<Day> {
    let digits = reader.count_digits();
    if digits == 8 {
        let (year, month, day) = (reader.number(4)?, reader.number(2)?, reader.number(2)?);
        return Date::new(year as i32, month as u8, day as u8).map(Day::Whole);
    }
    let year = (digits == 4).then(|| reader.number(4))?? as i32;
    if !reader.take(b'-') {
        return DateTime::of_year(year).map(Day::Coarse);
    }
    if reader.take(b'W') {
        return read_week_date(reader, year).map(Day::Whole);
    }
    if reader.count_digits() == 3 {
        let day_of_year = i64::from(reader.number(3)?);
        let date = Date::new(year, 1, 1)?.add_days(day_of_year - 1)?;
        // Day 366 exists in leap years only.
        return (date.year() == year).then_some(Day::Whole(date));
    }
    let month = reader.number(2)? as u8;
    if !reader.take(b'-') {
        return DateTime::of_month(year, month).map(Day::Coarse);
    }
    let day = reader.number(2)? as u8;
    Date::new(year, month, day).map(Day::Whole)
}

/// Week 1 is the week that holds 4 January.
fn read_week_date(reader: &mut Reader<'_>, year: i32) -> Option<Date> {
    let week = i64::from(reader.number(2)?);
    let weekday = if reader.take(b'-') {
        i64::from(reader.number(1)?)
    } else {
        1
    };
    if !(1..=53).contains(&week) || !(1..=7).contains(&weekday) {
        return None;
    }
    let fourth = Date::new(year, 1, 4)?;
    let first_monday = fourth.add_days(1 - i64::from(fourth.weekday().number()))?;
    first_monday.add_days((week - 1) * 7 + weekday - 1)
}

/// The time, and whether it is the 24:00 that ends the day.
fn read_time(reader: &mut Reader<'_>) -> Option<(Time, bool)> {
    let hour = reader.number(2)? as u8;
    let mut minute = 0;
    let mut second = None;
    if reader.take(b':') || reader.count_digits() >= 2 {
        minute = reader.number(2)? as u8;
        if reader.take(b':') || reader.count_digits() >= 2 {
            second = Some(reader.number(2)? as u8);
            if reader.take(b'.') || reader.take(b',') {
                reader.bytes = &reader.bytes[reader.count_digits()..];
            }
        }
    }
    if hour == 24 && minute == 0 && second.unwrap_or(0) == 0 {
        return Time::new(0, 0, second).map(|time| (time, true));
    }
    Time::new(hour, minute, second).map(|time| (time, false))
}

fn read_offset(reader: &mut Reader<'_>) -> Option<i16> {
    if reader.take(b'Z') || reader.take(b'z') {
        return Some(0);
    }
    let before = reader.bytes;
    let sign = if reader.take(b'+') {
        1
    } else if reader.take(b'-') {
        -1
    } else {
        return None;
    };
    let minutes = read_offset_size(reader);
    // The sign may be the dash of a range, so nothing is taken.
    if minutes.is_none() {
        reader.bytes = before;
    }
    minutes.map(|minutes| sign * minutes)
}

fn read_offset_size(reader: &mut Reader<'_>) -> Option<i16> {
    let hours = reader.number(2)?;
    let minutes = if reader.take(b':') || reader.count_digits() >= 2 {
        reader.number(2)?
    } else {
        0
    };
    (hours <= 15 && minutes <= 59).then_some((hours * 60 + minutes) as i16)
}

struct Reader<'text> {
    bytes: &'text [u8],
}

impl Reader<'_> {
    fn is_done(&self) -> bool {
        self.bytes.is_empty()
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.bytes.first() == Some(&byte);
        if found {
            self.bytes = &self.bytes[1..];
        }
        found
    }

    /// A single space before a digit, as SQL writes it.
    fn take_space(&mut self) -> bool {
        self.bytes.get(1).is_some_and(u8::is_ascii_digit) && self.take(b' ')
    }

    fn skip_spaces(&mut self) {
        while self.take(b' ') {}
    }

    fn count_digits(&self) -> usize {
        self.bytes.iter().take_while(|byte| byte.is_ascii_digit()).count()
    }

    /// A number with an exact count of digits, at most four.
    fn number(&mut self, digits: usize) -> Option<u32> {
        let number = self.bytes.get(..digits)?;
        let mut value = 0;
        for byte in number {
            value = value * 10 + u32::from(byte.is_ascii_digit().then(|| byte - b'0')?);
        }
        self.bytes = &self.bytes[digits..];
        Some(value)
    }
}
