//! From what is written to what is meant: years that are missing or short.

use super::civil::{Date, Weekday};
use super::context::{DateContext, Prefer};

/// Number of years around a day that are tried if the weekday is known. Dates repeat their weekday
/// after at most eleven years, except 29 February, which may take forty.
const MAX_YEARS_OFF: i32 = 11;

/// The day in the year that is meant when none is written: in the stated year, or near the text's
/// own day, or still without a year. None for days that do not exist.
pub(super) fn in_likely_year(
    month: u8,
    day: u8,
    weekday: Option<Weekday>,
    context: &DateContext<'_>,
) -> Option<Date> {
    let written = Date::without_year(month, day, weekday)?;
    let likely = match (context.year, context.today) {
        (Some(year), _) => in_stated_year(written, year),
        (None, Some(today)) => near_day(written, today, context.prefer),
        (None, None) => None,
    };
    Some(likely.unwrap_or(written))
}

/// The day in the year that a title states. Seasons reach into the next year or begin in the one
/// before, which the weekday shows.
fn in_stated_year(written: Date, year: i32) -> Option<Date> {
    let mut days = [year, year + 1, year - 1]
        .into_iter()
        .filter_map(|year| written.in_year(year));
    days.find(|day| day.agrees_with(written))
        .or_else(|| written.in_year(year))
}

/// The day in the year in which it is near another.
///
/// A weekday decides by itself: the nearest year in which the date falls on it. Otherwise the
/// preference does. None for days that do not exist near it.
pub(super) fn near_day(written: Date, today: Date, prefer: Prefer) -> Option<Date> {
    let years = (-MAX_YEARS_OFF..=MAX_YEARS_OFF).map(|off| today.year() + off);
    let days = years.filter_map(|year| written.in_year(year));
    if written.stated_weekday().is_some() {
        let matching = days.clone().filter(|date| date.agrees_with(written));
        if let Some(date) = nearest(matching, today, prefer) {
            return Some(date);
        }
    }
    // The weekday may be wrong on the page. The date alone still has a likely year.
    match prefer {
        Prefer::Future => days.clone().find(|date| *date >= today),
        Prefer::Past => days.clone().rev().find(|date| *date <= today),
        Prefer::Nearest => nearest(days, today, Prefer::Future),
    }
}

/// The next day with this weekday, or the last, or the nearest.
pub(super) fn on_weekday(weekday: Weekday, context: &DateContext<'_>) -> Option<Date> {
    let today = context.today?;
    let ahead = i64::from((weekday.number() + 7 - today.weekday().number()) % 7);
    match context.prefer {
        // Today is neither past nor future, and is meant in either case.
        Prefer::Past if ahead > 0 => today.add_days(ahead - 7),
        _ => today.add_days(ahead),
    }
}

fn nearest(days: impl Iterator<Item = Date>, today: Date, prefer: Prefer) -> Option<Date> {
    // Of two equally near days the one on the preferred side.
    let wrong_side = |date: &Date| {
        if prefer == Prefer::Past {
            *date > today
        } else {
            *date < today
        }
    };
    days.min_by_key(|date| (today.days_until(*date).abs(), wrong_side(date)))
}

/// The year that two digits mean: within 80 years before and 19 after that of the text, or from
/// 1969 to 2068 when that is not known.
pub(super) fn full_year(two_digits: u32, context: &DateContext<'_>) -> i32 {
    const YEARS_AHEAD: i32 = 19;
    let known = context.year.or(context.today.map(Date::year));
    let latest = known.map_or(2068, |year| year + YEARS_AHEAD);
    let year = latest - latest.rem_euclid(100) + two_digits as i32;
    if year > latest { year - 100 } else { year }
}
