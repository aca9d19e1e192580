//! Recurrence rules (`RRULE` of RFC 5545) in days. Hours, minutes and weeks of the year are
//! ignored, as calendars of events do not use them.

use std::borrow::Cow;

use magpie_sdk::date::{self, Date, Weekday, days_in_month};

use crate::when::nth;

/// Maximum number of periods (days, weeks, months or years) to expand for a rule: four years of
/// days.
const MAX_PERIODS: i64 = 1_500;

/// Maximum number of periods for all rules of a calendar. There may be thousands that begin long
/// ago.
pub(super) const MAX_PERIODS_OF_ALL: i64 = 100_000;

/// Maximum number of values of a part of a rule: the days of a month.
const MAX_VALUES: usize = 31;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rule {
    frequency: Frequency,
    interval: i64,
    count: Option<usize>,
    until: Option<Date>,
    /// Weekdays, each with its week of the month, or 0 for every week.
    days: Vec<(i8, Weekday)>,
    /// Days of the month; negative ones count from its end.
    month_days: Vec<i8>,
    months: Vec<u8>,
    /// Positions among the selected days of a month, from 1; negative ones count from the end.
    positions: Vec<i8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Frequency {
    Daily,
    Weekly,
    Monthly,
    Yearly,
}

impl Rule {
    /// Parses a rule: `FREQ=MONTHLY;BYDAY=2TU;UNTIL=20261231`.
    pub(super) fn parse(value: &str) -> Option<Self> {
        let part = |wanted: &str| {
            let mut parts = value.split(';').filter_map(|part| part.split_once('='));
            let found = parts.find(|(name, _)| name.trim().eq_ignore_ascii_case(wanted));
            found.map(|(_, value)| value.trim().to_ascii_uppercase())
        };
        let frequency = match part("FREQ")?.as_str() {
            "DAILY" => Frequency::Daily,
            "WEEKLY" => Frequency::Weekly,
            "MONTHLY" => Frequency::Monthly,
            "YEARLY" => Frequency::Yearly,
            _ => return None,
        };
        let interval = part("INTERVAL").and_then(|text| text.parse::<u16>().ok());
        Some(Self {
            frequency,
            interval: i64::from(interval.unwrap_or(1).max(1)),
            count: part("COUNT").and_then(|text| text.parse().ok()),
            until: part("UNTIL").and_then(|text| day(&text)),
            days: list(part("BYDAY"), weekday),
            month_days: list(part("BYMONTHDAY"), |text| text.parse().ok()),
            months: list(part("BYMONTH"), |text| text.parse().ok()),
            positions: list(part("BYSETPOS"), |text| text.parse().ok()),
        })
    }

    /// Returns the days of the recurrence between two days; the first day of all is `start`. Each
    /// expanded period is taken from `budget`, which all rules share.
    pub(super) fn days(&self, start: Date, from: Date, to: Date, budget: &mut i64) -> Vec<Date> {
        let mut found = Vec::new();
        let mut count = 0;
        let last = self.until.map_or(to, |until| until.min(to));
        let begin = self.periods_before(start, from);
        for period in begin..begin + MAX_PERIODS.min(*budget) {
            *budget -= 1;
            let Some(days) = self.period(start, period * self.interval) else {
                break;
            };
            // A period may have no day, as February has no 30th, and the next one has it again.
            let Some(first) = days.first() else { continue };
            if *first > last {
                break;
            }
            for day in days.into_iter().filter(|day| *day >= start && *day <= last) {
                // `COUNT` begins with the first day of all, so days before `from` count too.
                count += 1;
                if self.count.is_some_and(|most| count > most) {
                    return found;
                }
                if day >= from {
                    found.push(day);
                }
            }
        }
        found
    }

    /// Returns the number of periods that can be skipped: none if occurrences are counted.
    fn periods_before(&self, start: Date, from: Date) -> i64 {
        let longest = match self.frequency {
            Frequency::Daily => 1,
            Frequency::Weekly => 7,
            Frequency::Monthly => 31,
            Frequency::Yearly => 366,
        };
        let whole = start.days_until(from) / (longest * self.interval);
        if self.count.is_some() {
            0
        } else {
            (whole - 1).max(0)
        }
    }

    /// Returns the days in the period that is `ahead` periods after the first, or `None` beyond the
    /// supported years.
    fn period(&self, start: Date, ahead: i64) -> Option<Vec<Date>> {
        let mut days = match self.frequency {
            Frequency::Daily => vec![start.add_days(ahead)?],
            Frequency::Weekly => self.of_week(start, ahead)?,
            Frequency::Monthly => {
                let months = i64::from(start.month()) - 1 + ahead;
                let year = year_after(start, months / 12)?;
                self.of_month(start, year, u8::try_from(months % 12 + 1).ok()?)
            }
            Frequency::Yearly => {
                let year = year_after(start, ahead)?;
                let months = or_own(&self.months, start.month());
                let days = months.iter().flat_map(|month| self.of_month(start, year, *month));
                days.collect()
            }
        };
        days.retain(|day| self.months.is_empty() || self.months.contains(&day.month()));
        days.sort_unstable();
        days.dedup();
        Some(days)
    }

    fn of_week(&self, start: Date, ahead: i64) -> Option<Vec<Date>> {
        let sunday = start.add_days(7 * ahead - i64::from(start.weekday().number()))?;
        let wanted = or_own(&self.days, (0, start.weekday()));
        let day = |(_, weekday): &(i8, Weekday)| sunday.add_days(i64::from(weekday.number()));
        Some(wanted.iter().filter_map(day).collect())
    }

    fn of_month(&self, start: Date, year: i32, month: u8) -> Vec<Date> {
        let mut days: Vec<Date> = if self.days.is_empty() {
            let own = i8::try_from(start.day()).unwrap_or_default();
            let wanted = or_own(&self.month_days, own);
            let days = wanted.iter().filter_map(|day| day_of_month(year, month, *day));
            days.collect()
        } else {
            let days = self.days.iter().flat_map(|&(week, weekday)| {
                // A weekday occurs five times in a month at most.
                let weeks = if week == 0 { 1..=5 } else { week..=week };
                weeks.filter_map(move |week| nth(year, month, weekday, week))
            });
            days.collect()
        };
        days.sort_unstable();
        days.dedup();
        if self.positions.is_empty() {
            return days;
        }
        let place = |position: i8| match position {
            1.. => Some(usize::from(position.unsigned_abs()) - 1),
            _ => days.len().checked_sub(usize::from(position.unsigned_abs())),
        };
        let chosen = self
            .positions
            .iter()
            .filter_map(|position| days.get(place(*position)?).copied());
        chosen.collect()
    }
}

/// Returns the values of the rule, or the value of the first day if there are none.
fn or_own<T>(said: &[T], own: T) -> Cow<'_, [T]>
where
    T: Clone,
{
    if said.is_empty() {
        Cow::Owned(vec![own])
    } else {
        Cow::Borrowed(said)
    }
}

/// Returns the year that is `years` after that of a day, if it is supported.
fn year_after(start: Date, years: i64) -> Option<i32> {
    let year = i32::try_from(i64::from(start.year()) + years).ok()?;
    Date::new(year, 1, 1).map(|_| year)
}

/// Returns a day of a month; negative days count from its end.
fn day_of_month(year: i32, month: u8, day: i8) -> Option<Date> {
    let first = Date::new(year, month, 1)?;
    let day = match day {
        1.. => day.unsigned_abs(),
        _ => (days_in_month(first.year(), first.month()) + 1).checked_sub(day.unsigned_abs())?,
    };
    Date::new(year, month, day)
}

/// Parses a day: `20261231` or `20261231T220000Z`.
pub(super) fn day(text: &str) -> Option<Date> {
    let digits = text
        .get(..8)
        .filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))?;
    let written = format!("{}-{}-{}", &digits[..4], &digits[4..6], &digits[6..]);
    date::parse_iso(&written).map(|day| day.date())
}

/// Parses a weekday with an optional week: `2TU`, `-1FR` or `MO`.
fn weekday(text: &str) -> Option<(i8, Weekday)> {
    const NAMES: [&str; 7] = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];
    let place = NAMES.iter().position(|name| text.ends_with(name))?;
    let week = text[..text.len() - 2].trim_start_matches('+');
    let week = if week.is_empty() { 0 } else { week.parse().ok()? };
    Some((week, Weekday::ALL.get(place).copied()?))
}

fn list<T>(written: Option<String>, read: impl Fn(&str) -> Option<T>) -> Vec<T> {
    let written = written.unwrap_or_default();
    let parts = written.split(',').take(MAX_VALUES);
    parts.filter_map(|part| read(part.trim())).collect()
}

#[cfg(test)]
mod tests {
    use super::{MAX_PERIODS, MAX_PERIODS_OF_ALL, MAX_VALUES, Rule, day};

    fn check(rule: &str, start: &str, expected: &[&str]) {
        let read = |text: &str| day(text).unwrap_or_else(|| panic!("{text}"));
        let rule = Rule::parse(rule).unwrap_or_else(|| panic!("{rule}"));
        let mut budget = MAX_PERIODS_OF_ALL;
        let days = rule.days(read(start), read("20260401"), read("20260630"), &mut budget);
        let days: Vec<String> = days.iter().map(ToString::to_string).collect();
        assert_eq!(days, expected, "{rule:?}");
    }

    #[test]
    fn rules_of_calendars_are_counted_out() {
        check(
            "FREQ=MONTHLY;BYDAY=2TU",
            "20250114",
            &["2026-04-14", "2026-05-12", "2026-06-09"],
        );
        check(
            "FREQ=MONTHLY;BYDAY=-1FR;UNTIL=20260601T000000Z",
            "20260130",
            &["2026-04-24", "2026-05-29"],
        );
        check(
            "FREQ=MONTHLY;INTERVAL=2;BYMONTHDAY=-1",
            "20260228",
            &["2026-04-30", "2026-06-30"],
        );
        check(
            "FREQ=WEEKLY;INTERVAL=2;COUNT=3;BYDAY=MO",
            "20260323",
            &["2026-04-06", "2026-04-20"],
        );
        check("FREQ=YEARLY;BYMONTH=5;BYDAY=1SU", "20200503", &["2026-05-03"]);
        check(
            "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=1",
            "20260401",
            &["2026-04-01", "2026-05-01", "2026-06-01"],
        );
        check("FREQ=DAILY;COUNT=2", "20260331", &["2026-04-01"]);
    }

    #[test]
    fn other_rules_are_left_out() {
        for rule in ["FREQ=SECONDLY", "", "BYDAY=MO", "FREQ"] {
            assert_eq!(Rule::parse(rule), None, "{rule}");
        }
        // There is no such month, and the expansion still ends.
        check("FREQ=YEARLY;BYMONTH=13", "20260401", &[]);
        check("FREQ=MONTHLY;BYMONTHDAY=31;BYMONTH=2", "20260131", &[]);
        // There are no such weeks.
        check("FREQ=MONTHLY;BYDAY=53MO,-128TU,127WE", "20260401", &[]);
        check("FREQ=MONTHLY;BYDAY=MO;BYSETPOS=-128,127,0", "20260401", &[]);
        check("FREQ=MONTHLY;BYMONTHDAY=-128,0,127", "20260401", &[]);
    }

    #[test]
    fn rules_without_an_end_are_gone_through_for_a_while() {
        let read = |text: &str| day(text).unwrap_or_else(|| panic!("{text}"));
        let (from, to) = (read("20260401"), read("99991231"));
        let mut budget = 2 * MAX_PERIODS;
        // Rules that begin in the year 1 and have counts do not reach the present.
        for (rule, start, days) in [
            ("FREQ=DAILY;COUNT=4000000000", "00010101", 0),
            ("FREQ=DAILY", "20260401", MAX_PERIODS),
            ("FREQ=DAILY", "20260401", 0),
        ] {
            let rule = Rule::parse(rule).unwrap_or_else(|| panic!("{rule}"));
            let found = rule.days(read(start), from, to, &mut budget);
            assert_eq!(i64::try_from(found.len()), Ok(days), "{rule:?}");
        }
        let long = format!("FREQ=MONTHLY;BYDAY={}", "MO,".repeat(100_000));
        assert_eq!(Rule::parse(&long).map(|rule| rule.days.len()), Some(MAX_VALUES));
    }
}
