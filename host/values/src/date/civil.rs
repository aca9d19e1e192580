//! Calendar days: the proleptic Gregorian calendar, counted from 1 January 1970.

use std::fmt;

/// Days in 400 years, after which the calendar repeats.
const DAYS_PER_ERA: i64 = 146_097;

/// Days from 1 March of year 0 to 1 January 1970.
const DAYS_TO_EPOCH: i64 = 719_468;

/// Leap and common year in which a day without a year is counted on.
const STAND_INS: [i32; 2] = [4, 5];

/// A day of the calendar that exists, in the years 0 to 9999 that ISO 8601 can write; or a day of
/// which the year is not stated.
///
/// Displays as `2026-05-03`; without a year as `--05-03`, and as `--05-03[Sun]` if the weekday is
/// stated, because that decides the year later. Days without a year are sorted before all others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    /// 0, a leap year, if no year is stated.
    year: i16,
    month: u8,
    day: u8,
    stated: Stated,
}

/// Part of a day that is stated beside month and day of the month.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Stated {
    Nothing,
    Weekday(Weekday),
    Year,
}

/// A day of the week; weeks begin on Monday.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the names of the days say it")]
pub enum Weekday {
    Monday,
    Tuesday,
    Wednesday,
    Thursday,
    Friday,
    Saturday,
    Sunday,
}

impl Weekday {
    /// All days, Monday first.
    pub const ALL: [Self; 7] = [
        Self::Monday,
        Self::Tuesday,
        Self::Wednesday,
        Self::Thursday,
        Self::Friday,
        Self::Saturday,
        Self::Sunday,
    ];

    /// Monday is 1, Sunday is 7, as in ISO 8601.
    #[must_use]
    pub fn number(self) -> u8 {
        self as u8 + 1
    }

    /// Names as [`Date`] displays them, Monday first.
    pub(super) const NAMES: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

    /// The name as [`Date`] displays it.
    pub(super) fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    fn later(self, days: i64) -> Self {
        Self::ALL[(self as i64 + days).rem_euclid(7) as usize]
    }
}

impl Date {
    /// The first and the last year that can be written with four digits.
    const YEARS: std::ops::RangeInclusive<i32> = 0..=9999;

    /// The day, if there is one.
    #[must_use]
    pub fn new(year: i32, month: u8, day: u8) -> Option<Self> {
        let exists = Self::YEARS.contains(&year) && day >= 1 && day <= days_in_month(year, month);
        exists.then_some(Self {
            year: year as i16,
            month,
            day,
            stated: Stated::Year,
        })
    }

    /// A day of which the year is not stated, but perhaps the weekday. None if no year has it.
    #[must_use]
    pub fn without_year(month: u8, day: u8, weekday: Option<Weekday>) -> Option<Self> {
        Self::new(0, month, day).map(|date| Self {
            stated: weekday.map_or(Stated::Nothing, Stated::Weekday),
            ..date
        })
    }

    /// The year, 0 to 9999; 0 if it is not stated.
    #[must_use]
    pub fn year(self) -> i32 {
        i32::from(self.year)
    }

    /// Returns true if the year is stated.
    #[must_use]
    pub fn has_year(self) -> bool {
        self.stated == Stated::Year
    }

    /// The month, 1 to 12.
    #[must_use]
    pub fn month(self) -> u8 {
        self.month
    }

    /// The day of the month, from 1.
    #[must_use]
    pub fn day(self) -> u8 {
        self.day
    }

    /// Days since 1 January 1970; negative before.
    ///
    /// Years are counted from March, so that the leap day is the last of the year and the lengths
    /// of the months before it follow one line: 30.6 days a month.
    #[must_use]
    pub fn to_days(self) -> i64 {
        let before_march = self.month <= 2;
        let year = i64::from(self.year) - i64::from(before_march);
        let era = year.div_euclid(400);
        let year_of_era = year.rem_euclid(400);
        let month_from_march = (i64::from(self.month) + 9) % 12;
        let day_of_year = (153 * month_from_march + 2) / 5 + i64::from(self.day) - 1;
        let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
        era * DAYS_PER_ERA + day_of_era - DAYS_TO_EPOCH
    }

    /// The day that is a number of days after 1 January 1970, if its year can be written.
    #[must_use]
    pub fn from_days(days: i64) -> Option<Self> {
        let days = days.checked_add(DAYS_TO_EPOCH)?;
        let era = days.div_euclid(DAYS_PER_ERA);
        let day_of_era = days.rem_euclid(DAYS_PER_ERA);
        // Without its leap days, every year of an era has 365 days.
        let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month_from_march = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
        let month = if month_from_march < 10 {
            month_from_march + 3
        } else {
            month_from_march - 9
        };
        let year = year_of_era + era.checked_mul(400)? + i64::from(month <= 2);
        Self::new(i32::try_from(year).ok()?, month as u8, day as u8)
    }

    /// The day of the week. Without a year it is the stated one, and means nothing if none is
    /// stated; see [`stated_weekday`](Self::stated_weekday).
    #[must_use]
    pub fn weekday(self) -> Weekday {
        match self.stated {
            Stated::Weekday(weekday) => weekday,
            // 1 January 1970 was a Thursday.
            Stated::Year | Stated::Nothing => Weekday::Monday.later(self.to_days() + 3),
        }
    }

    /// The day of the week, if it or the year is stated.
    #[must_use]
    pub fn stated_weekday(self) -> Option<Weekday> {
        (self.stated != Stated::Nothing).then(|| self.weekday())
    }

    /// The same day of the month in a year, which must have it; a stated year is replaced.
    #[must_use]
    pub fn in_year(self, year: i32) -> Option<Self> {
        Self::new(year, self.month, self.day)
    }

    /// Another day of the same month, if the month has it.
    #[must_use]
    pub fn with_day(self, day: u8) -> Option<Self> {
        let later = i64::from(day) - i64::from(self.day);
        match self.stated {
            Stated::Year => Self::new(self.year(), self.month, day),
            Stated::Nothing => Self::without_year(self.month, day, None),
            Stated::Weekday(weekday) => Self::without_year(self.month, day, Some(weekday.later(later))),
        }
    }

    /// The day that is a number of days later; earlier if negative. Without a year there is none if
    /// it depends on 29 February.
    #[must_use]
    pub fn add_days(self, days: i64) -> Option<Self> {
        let weekday = match self.stated {
            Stated::Year => return Self::from_days(self.to_days().checked_add(days)?),
            Stated::Weekday(weekday) => Some(weekday.later(days)),
            Stated::Nothing => None,
        };
        let mut moved = STAND_INS
            .iter()
            .filter_map(|year| self.in_year(*year)?.add_days(days));
        let first = moved.next()?;
        let same = |other: Self| (other.month, other.day) == (first.month, first.day);
        moved
            .all(same)
            .then(|| Self::without_year(first.month, first.day, weekday))?
    }

    /// Number of days from this day to `other`; negative if `other` is earlier. A day without a
    /// year is taken for the one nearest to the other.
    #[must_use]
    pub fn days_until(self, other: Self) -> i64 {
        let between = |one: Self, other: Self| other.to_days() - one.to_days();
        match (self.has_year(), other.has_year()) {
            (false, true) => -other.days_until(self),
            (true, false) => (-1..=1)
                .filter_map(|off| other.in_year(self.year() + off))
                .map(|other| between(self, other))
                .min_by_key(|days| days.abs())
                // 29 February of a year that is far from a leap year.
                .unwrap_or_else(|| between(self, other)),
            _ => between(self, other),
        }
    }

    /// Returns true if all parts that both state are equal: `--05-03` agrees with 2026-05-03, and
    /// `--05-03[Sat]` does not.
    #[must_use]
    pub fn agrees_with(self, other: Self) -> bool {
        let weekdays = self.stated_weekday().zip(other.stated_weekday());
        (self.month, self.day) == (other.month, other.day)
            && weekdays.is_none_or(|(one, other)| one == other)
            && (!self.has_year() || !other.has_year() || self.year == other.year)
    }
}

/// Number of days of the month; 0 if the month is not 1 to 12.
#[must_use]
pub fn days_in_month(year: i32, month: u8) -> u8 {
    match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if is_leap_year(year) => 29,
        2 => 28,
        _ => 0,
    }
}

/// Returns true if February has 29 days in the year.
#[must_use]
pub fn is_leap_year(year: i32) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

impl fmt::Display for Date {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.stated {
            Stated::Year => write!(formatter, "{:04}-{:02}-{:02}", self.year, self.month, self.day),
            Stated::Nothing => write!(formatter, "--{:02}-{:02}", self.month, self.day),
            Stated::Weekday(weekday) => {
                let name = weekday.name();
                write!(formatter, "--{:02}-{:02}[{name}]", self.month, self.day)
            }
        }
    }
}
