//! Calendar days: the proleptic Gregorian calendar, counted from 1 January 1970.

use std::fmt;

/// Days in 400 years, after which the calendar repeats.
const DAYS_PER_ERA: i64 = 146_097;

/// Days from 1 March of year 0 to 1 January 1970.
const DAYS_TO_EPOCH: i64 = 719_468;

/// A day of the calendar that exists, in the years 0 to 9999 that ISO 8601 can write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    year: i16,
    month: u8,
    day: u8,
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
        })
    }

    /// The year, 0 to 9999.
    #[must_use]
    pub fn year(self) -> i32 {
        i32::from(self.year)
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

    /// The day of the week.
    #[must_use]
    pub fn weekday(self) -> Weekday {
        // 1 January 1970 was a Thursday.
        Weekday::ALL[(self.to_days() + 3).rem_euclid(7) as usize]
    }

    /// The day that is a number of days later; earlier if negative.
    #[must_use]
    pub fn add_days(self, days: i64) -> Option<Self> {
        Self::from_days(self.to_days().checked_add(days)?)
    }

    /// Number of days from this day to `other`; negative if `other` is earlier.
    #[must_use]
    pub fn days_until(self, other: Self) -> i64 {
        other.to_days() - self.to_days()
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
        write!(formatter, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}
