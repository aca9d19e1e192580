//! Parses monthly rules: `2nd Tuesday of the month`, `first and third Monday of March and June`.

use magpie_sdk::date::{Date, Weekday, days_in_month};
use magpie_sdk::text;

use crate::words;

const MONTHS: u8 = 12;

/// A weekday in some weeks of some months.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Monthly {
    weekday: Weekday,
    /// Weeks: 1 is the first of a month, -1 the last.
    weeks: Vec<i8>,
    /// Months, from 1; empty for all months.
    months: Vec<u8>,
}

impl Monthly {
    /// Parses the first rule in a text. The text must mention months: `the third Tuesday` alone may
    /// be any day.
    pub(crate) fn read(written: &str) -> Option<Self> {
        if !words::names_week(written) {
            return None;
        }
        let words: Vec<String> = text::words(written).map(text::fold_word).collect();
        let (place, weekday, weeks) = weekday_of_weeks(&words)?;
        let after = &words[place + 1..];
        // Months after any other word belong to something else.
        let mut months: Vec<u8> = after
            .iter()
            .skip_while(|word| words::month(word).is_none())
            .take_while(|word| words::month(word).is_some() || words::is_list_joint(word))
            .filter_map(|word| words::month(word))
            .collect();
        if months.is_empty() && !words.iter().any(|word| words::is_monthly(word)) {
            return None;
        }
        if after.iter().any(|word| words::excepts(word)) {
            months = (1..=MONTHS).filter(|month| !months.contains(month)).collect();
        }
        Some(Self {
            weekday,
            weeks,
            months,
        })
    }

    /// Returns the days of the rule between two days.
    pub(crate) fn days(&self, first: Date, last: Date) -> Vec<Date> {
        let (mut year, mut month) = (first.year(), first.month());
        let mut days = Vec::new();
        while (year, month) <= (last.year(), last.month()) {
            if self.months.is_empty() || self.months.contains(&month) {
                let in_month = self
                    .weeks
                    .iter()
                    .filter_map(|week| nth(year, month, self.weekday, *week));
                days.extend(in_month.filter(|day| (first..=last).contains(day)));
            }
            (year, month) = if month == MONTHS {
                (year + 1, 1)
            } else {
                (year, month + 1)
            };
        }
        days
    }
}

/// Returns a weekday with the weeks before it, and the index of its word.
fn weekday_of_weeks(words: &[String]) -> Option<(usize, Weekday, Vec<i8>)> {
    let mut weeks = Vec::new();
    for (place, word) in words.iter().enumerate() {
        if let Some(week) = words::week(word) {
            weeks.push(week);
        } else if let Some(weekday) = words::weekday(word).filter(|_| !weeks.is_empty()) {
            return Some((place, weekday, weeks));
        } else if !words::is_list_joint(word) {
            weeks.clear();
        }
    }
    None
}

/// Returns the nth weekday of a month, or the last one for -1.
pub(crate) fn nth(year: i32, month: u8, weekday: Weekday, week: i8) -> Option<Date> {
    let first = Date::new(year, month, 1)?;
    let earliest = 1 + (weekday.number() + 7 - first.weekday().number()) % 7;
    let latest = earliest + (days_in_month(year, month) - earliest) / 7 * 7;
    let day = match week {
        1..=5 => earliest + 7 * (week.unsigned_abs() - 1),
        -5..=-1 => latest.checked_sub(7 * (week.unsigned_abs() - 1))?,
        _ => return None,
    };
    Date::new(year, month, day)
}

#[cfg(test)]
mod tests {
    use super::{Monthly, nth};
    use magpie_sdk::date::{Date, Weekday};

    fn check(written: &str, expected: &[&str]) {
        let day = |month, day| Date::new(2026, month, day).unwrap_or_else(|| panic!("{month} {day}"));
        let monthly = Monthly::read(written).unwrap_or_else(|| panic!("nothing in {written}"));
        let days: Vec<String> = monthly
            .days(day(1, 1), day(4, 30))
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(days, expected, "{written}");
    }

    #[test]
    fn weekdays_of_months_are_counted_out() {
        check(
            "2nd Tuesday of the month",
            &["2026-01-13", "2026-02-10", "2026-03-10", "2026-04-14"],
        );
        check(
            "We meet on the last Friday of each month at 7 pm.",
            &["2026-01-30", "2026-02-27", "2026-03-27", "2026-04-24"],
        );
        check(
            "1st & 3rd Mondays of February, April and June",
            &["2026-02-02", "2026-02-16", "2026-04-06", "2026-04-20"],
        );
        check(
            "every first Thursday of the month except January and March",
            &["2026-02-05", "2026-04-02"],
        );
        check(
            "jeden zweiten Dienstag im Monat",
            &["2026-01-13", "2026-02-10", "2026-03-10", "2026-04-14"],
        );
    }

    #[test]
    fn weeks_that_a_month_has_not_are_none() {
        let monday = |week| nth(2026, 2, Weekday::Monday, week).map(|day| day.day());
        assert_eq!([1, 4, -1, -4].map(monday), [Some(2), Some(23), Some(23), Some(2)]);
        assert_eq!([5, -5, 0, 6, 127, -128].map(monday), [None; 6]);
        assert_eq!(nth(2026, 13, Weekday::Monday, 1), None);
    }

    #[test]
    fn a_weekday_alone_is_no_series() {
        for written in [
            "the third Tuesday",
            "Monday of the month",
            "first of the month",
            "",
        ] {
            assert_eq!(Monthly::read(written), None, "{written}");
        }
    }
}
