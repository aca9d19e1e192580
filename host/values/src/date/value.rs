//! A moment as a page states it: as exact as what was written, and no more.

use std::cmp::Ordering;
use std::fmt;

use super::civil::Date;
use super::context::Prefer;
use super::resolve::near_day;

/// The most a zone lies from UTC: Kiribati's 14 hours, with room for history.
const MAX_OFFSET_MINUTES: i16 = 15 * 60 + 59;

/// A time of day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time {
    hour: u8,
    minute: u8,
    second: Option<u8>,
}

impl Time {
    /// The time, if there is one: hours to 23, minutes and seconds to 59 (a leap second becomes
    /// 59).
    #[must_use]
    pub fn new(hour: u8, minute: u8, second: Option<u8>) -> Option<Self> {
        let exists = hour <= 23 && minute <= 59 && second.is_none_or(|second| second <= 60);
        exists.then_some(Self {
            hour,
            minute,
            second: second.map(|second| second.min(59)),
        })
    }

    /// The hour, 0 to 23.
    #[must_use]
    pub fn hour(self) -> u8 {
        self.hour
    }

    /// The minute, 0 to 59.
    #[must_use]
    pub fn minute(self) -> u8 {
        self.minute
    }

    /// The second, if it was stated.
    #[must_use]
    pub fn second(self) -> Option<u8> {
        self.second
    }

    /// Seconds since midnight.
    #[must_use]
    pub fn to_seconds(self) -> i64 {
        i64::from(self.hour) * 3600 + i64::from(self.minute) * 60 + i64::from(self.second.unwrap_or(0))
    }
}

impl fmt::Display for Time {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:02}:{:02}", self.hour, self.minute)?;
        self.second
            .map_or(Ok(()), |second| write!(formatter, ":{second:02}"))
    }
}

/// Precision of a [`DateTime`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the names of the units say it")]
pub enum Precision {
    Year,
    Month,
    Day,
    Minute,
    Second,
}

/// A date, perhaps with a time, perhaps with its distance from UTC.
///
/// Displays as ISO 8601 cut to its precision: `2026`, `2026-11`, `2026-11-20`, `2026-11-20T19:30`,
/// `2026-11-20T19:30:15+01:00`, `2026-11-20T19:30Z`; without a year `--11-20`, `--11-20T19:30`, and
/// with a stated weekday `--11-20T19:30[Fri]`.
///
/// The order is that of time, where what is not known counts as the beginning (`2026` is sorted as
/// 1 January) and a missing offset as UTC. What has no year comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DateTime {
    /// The first day of the month or year when the precision is coarser than a day.
    date: Date,
    /// `Minute` and `Second` exactly when there is a time, of that precision.
    precision: Precision,
    time: Option<Time>,
    /// Minutes east of UTC; only together with a time.
    offset: Option<i16>,
}

impl DateTime {
    /// Creates a value of which only the year is stated.
    #[must_use]
    pub fn of_year(year: i32) -> Option<Self> {
        Date::new(year, 1, 1).map(|date| Self {
            date,
            precision: Precision::Year,
            time: None,
            offset: None,
        })
    }

    /// Creates a value of which only year and month are stated.
    #[must_use]
    pub fn of_month(year: i32, month: u8) -> Option<Self> {
        Date::new(year, month, 1).map(|date| Self {
            date,
            precision: Precision::Month,
            time: None,
            offset: None,
        })
    }

    /// Creates a value without a time.
    #[must_use]
    pub fn of_day(date: Date) -> Self {
        Self {
            date,
            precision: Precision::Day,
            time: None,
            offset: None,
        }
    }

    /// A time on a day.
    #[must_use]
    pub fn of_time(date: Date, time: Time) -> Self {
        let precision = if time.second.is_some() {
            Precision::Second
        } else {
            Precision::Minute
        };
        Self {
            date,
            precision,
            time: Some(time),
            offset: None,
        }
    }

    /// The moment of a Unix time in seconds, as a clock at this offset shows it.
    #[must_use]
    pub fn from_unix(seconds: i64, offset_minutes: i16) -> Option<Self> {
        let local = seconds.checked_add(i64::from(offset_minutes) * 60)?;
        let date = Date::from_days(local.div_euclid(86_400))?;
        let second = local.rem_euclid(86_400);
        let time = Time::new(
            (second / 3600) as u8,
            (second / 60 % 60) as u8,
            Some((second % 60) as u8),
        )?;
        Self::of_time(date, time).with_offset(offset_minutes)
    }

    /// The same with an offset from UTC in minutes. Returns `None` if there is no time of day, or
    /// no zone has the offset.
    #[must_use]
    pub fn with_offset(self, minutes: i16) -> Option<Self> {
        let fits = self.time.is_some() && minutes.abs() <= MAX_OFFSET_MINUTES;
        fits.then_some(Self {
            offset: Some(minutes),
            ..self
        })
    }

    /// The same day and time with nothing said about the zone.
    #[must_use]
    pub fn without_offset(self) -> Self {
        Self { offset: None, ..self }
    }

    /// The day; the first one of the month or year when that is all that is known.
    #[must_use]
    pub fn date(self) -> Date {
        self.date
    }

    /// The time, if stated.
    #[must_use]
    pub fn time(self) -> Option<Time> {
        self.time
    }

    /// Returns true if the year is stated. Without one there is a month and a day, perhaps a time,
    /// but no moment.
    #[must_use]
    pub fn has_year(self) -> bool {
        self.date.has_year()
    }

    /// The same with the year in which the day is nearest to another, or in which its weekday is
    /// the stated one. None if no year has the day near it.
    #[must_use]
    pub fn completed(self, near: Date, prefer: Prefer) -> Option<Self> {
        let date = if self.has_year() {
            self.date
        } else {
            near_day(self.date, near, prefer)?
        };
        Some(Self { date, ..self })
    }

    /// Minutes east of UTC, if stated.
    #[must_use]
    pub fn offset(self) -> Option<i16> {
        self.offset
    }

    /// The most precise part that is stated.
    #[must_use]
    pub fn precision(self) -> Precision {
        self.precision
    }

    /// Seconds since 1970-01-01 in UTC. `assumed_offset` (minutes east) replaces an offset that was
    /// not stated. Unknown parts count as their beginning. A value without a year is no moment: it
    /// counts as in the year 0, before all others.
    #[must_use]
    pub fn to_unix(self, assumed_offset: i16) -> i64 {
        let offset = i64::from(self.offset.unwrap_or(assumed_offset));
        self.date.to_days() * 86_400 + self.time.map_or(0, Time::to_seconds) - offset * 60
    }

    /// The last second that still belongs to it: of the year, month, day, minute.
    #[must_use]
    pub fn end_unix(self, assumed_offset: i16) -> i64 {
        let first_after = match self.precision {
            Precision::Second => return self.to_unix(assumed_offset),
            Precision::Minute => return self.to_unix(assumed_offset) + 59,
            Precision::Day => 1,
            Precision::Month => i64::from(super::civil::days_in_month(self.date.year(), self.date.month())),
            Precision::Year => 365 + i64::from(super::civil::is_leap_year(self.date.year())),
        };
        self.to_unix(assumed_offset) + first_after * 86_400 - 1
    }

    /// Returns true if both state a day, and the same one as written (zones are not converted) as
    /// far as both state its year or weekday.
    #[must_use]
    pub fn same_day(self, other: Self) -> bool {
        let exact = self.precision.min(other.precision) >= Precision::Day;
        exact && self.date.agrees_with(other.date)
    }

    /// Returns true if the parts that both state are equal: `2026-11` agrees with `2026-11-20`.
    /// With two offsets the moments are compared, else the written values.
    #[must_use]
    pub fn agrees_with(self, other: Self) -> bool {
        let both_years = self.has_year() && other.has_year();
        let same_year = !both_years || self.date.year() == other.date.year();
        match self.precision.min(other.precision) {
            Precision::Year => same_year,
            Precision::Month => same_year && self.date.month() == other.date.month(),
            Precision::Day => self.date.agrees_with(other.date),
            // Without a year there is no moment, only a day and what a clock shows.
            Precision::Minute | Precision::Second if !both_years => {
                let minutes = |time: Time| (time.hour(), time.minute());
                self.date.agrees_with(other.date) && self.time.map(minutes) == other.time.map(minutes)
            }
            Precision::Minute => {
                self.local_or_utc(other).div_euclid(60) == other.local_or_utc(self).div_euclid(60)
            }
            Precision::Second => self.local_or_utc(other) == other.local_or_utc(self),
        }
    }

    /// Days from this to the other, as written; negative when the other is earlier.
    #[must_use]
    pub fn days_until(self, other: Self) -> i64 {
        self.date.days_until(other.date)
    }

    /// Seconds on the scale both can be compared on.
    fn local_or_utc(self, other: Self) -> i64 {
        // An offset on one side only can't be compared, so both are read as their clocks show them.
        let both = self.offset.is_some() && other.offset.is_some();
        if both {
            self.to_unix(0)
        } else {
            self.without_offset().to_unix(0)
        }
    }

    fn sort_key(self) -> (i64, Precision, Option<i16>, Date) {
        // Values of one moment with another precision or offset are not equal, so the order must
        // distinguish them too.
        (self.to_unix(0), self.precision, self.offset, self.date)
    }
}

impl Ord for DateTime {
    fn cmp(&self, other: &Self) -> Ordering {
        self.sort_key().cmp(&other.sort_key())
    }
}

impl PartialOrd for DateTime {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl From<Date> for DateTime {
    fn from(date: Date) -> Self {
        Self::of_day(date)
    }
}

impl fmt::Display for DateTime {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.precision {
            Precision::Year => write!(formatter, "{:04}", self.date.year())?,
            Precision::Month => write!(formatter, "{:04}-{:02}", self.date.year(), self.date.month())?,
            _ if self.time.is_none() => return write!(formatter, "{}", self.date),
            _ if self.has_year() => write!(formatter, "{}", self.date)?,
            _ => write!(formatter, "--{:02}-{:02}", self.date.month(), self.date.day())?,
        }
        if let Some(time) = self.time {
            write!(formatter, "T{time}")?;
        }
        match self.offset {
            None => {}
            Some(0) => formatter.write_str("Z")?,
            Some(minutes) => {
                let sign = if minutes < 0 { '-' } else { '+' };
                let minutes = minutes.abs();
                write!(formatter, "{sign}{:02}:{:02}", minutes / 60, minutes % 60)?;
            }
        }
        // Behind the time, where RFC 9557 has its annotations.
        match self.date.stated_weekday().filter(|_| !self.has_year()) {
            Some(weekday) => write!(formatter, "[{}]", weekday.name()),
            None => Ok(()),
        }
    }
}
