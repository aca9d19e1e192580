//! Reading a text that is said to be a date.

use super::Problem;
use super::context::DateContext;
use super::find::{Value, find_leniently};
use super::iso::parse_iso;
use super::matcher::Matcher;
use super::resolve::{full_year, on_weekday};
use super::token::Tokens;
use super::value::{DateTime, Time};
use super::words::Role;
use crate::text::{tidy, truncate, words};

/// Maximum number of bytes that are read. Dates are short, and later text belongs to something
/// else.
const LONGEST: usize = 512;

/// Reads the date or time in a text that is said to hold one, in any of the written forms that
/// [`find_all`](super::find_all) knows and in ISO 8601; of a range, its beginning.
///
/// Since the text is known to hold a date, it accepts forms that would be too weak in running text:
/// `3/5`, `2026`, `11/2026`, and `Friday 7pm` and `tomorrow` with [`DateContext::today`]. A time of
/// day alone is no date.
#[must_use]
pub fn parse(text: &str, context: &DateContext<'_>) -> Option<DateTime> {
    read(text, context).ok()
}

/// Like [`parse`], and says why not.
pub fn read(text: &str, context: &DateContext<'_>) -> Result<DateTime, Problem> {
    read_range(text, context).map(|(start, _)| start)
}

/// Reads a date or a range: the beginning, and the end if there is one.
///
/// ```
/// use magpie_values::date::{DateContext, read_range};
///
/// let (start, end) = read_range("May 3 - 5, 2026", &DateContext::default()).unwrap();
/// assert_eq!(start.to_string(), "2026-05-03");
/// assert_eq!(end.unwrap().to_string(), "2026-05-05");
/// ```
pub fn read_range(text: &str, context: &DateContext<'_>) -> Result<(DateTime, Option<DateTime>), Problem> {
    let text = tidy(truncate(text, LONGEST));
    if text.is_empty() {
        return Err(Problem::Empty);
    }
    // The strict forms come first, since the lenient search would find parts of them.
    if let Some(value) = parse_iso(&text).or_else(|| coarse(&text, context)) {
        return Ok((value, None));
    }
    if let Some((start, end)) = iso_interval(&text) {
        return Ok((start, Some(end)));
    }
    let found = find_leniently(&text, context);
    let dated = found
        .iter()
        .find_map(|item| item.value.start().map(|start| (start, item.value.end())));
    let time = found.iter().find_map(|item| match item.value {
        Value::Time(time) => Some((time, None)),
        Value::TimeRange(time, end) => Some((time, Some(end))),
        _ => None,
    });
    match (dated, time) {
        // Date and time may stand too far apart to be found as one moment.
        (Some((start, end)), Some((time, time_end))) if start.time().is_none() && start.same_day(start) => {
            let end = end.or_else(|| time_end.and_then(|end| ending(start, time, end)));
            Ok((DateTime::of_time(start.date(), time), end))
        }
        (Some(range), _) => Ok(range),
        (None, time) => without_date(&text, time, context),
    }
}

/// Reads a time of day: `7pm`, `19.30 Uhr`, `noon`.
#[must_use]
pub fn parse_time(text: &str) -> Option<Time> {
    let text = tidy(truncate(text, LONGEST));
    let context = DateContext::default();
    let found = find_leniently(&text, &context);
    found.iter().find_map(|item| match item.value {
        Value::Time(time) | Value::TimeRange(time, _) => Some(time),
        Value::DateTime(moment) | Value::Range(moment, _) => moment.time(),
    })
}

/// The end of a range of times on the day of its start, or on the next.
fn ending(day: DateTime, start: Time, end: Time) -> Option<DateTime> {
    let date = if end < start {
        day.date().add_days(1)?
    } else {
        day.date()
    };
    Some(DateTime::of_time(date, end))
}

/// `2026-05-03/2026-05-05`
fn iso_interval(text: &str) -> Option<(DateTime, DateTime)> {
    let (start, end) = text.split_once('/')?;
    // `2026/05` is a month, not two years.
    let whole = start.len() >= "2026-05".len() && end.len() >= "2026-05".len();
    Some((parse_iso(start)?, parse_iso(end)?)).filter(|(start, end)| whole && start <= end)
}

/// Years and months without a day: `c. 1999`, `© 2026`, `11/2026`, `2026/11`.
fn coarse(text: &str, context: &DateContext<'_>) -> Option<DateTime> {
    const MAX_WORDS: usize = 3;
    let numbers: Vec<&str> = text
        .split(|character: char| !character.is_ascii_digit())
        .filter(|part| !part.is_empty())
        .collect();
    let other_words = words(text).filter(|word| !word.starts_with(|first: char| first.is_ascii_digit()));
    match numbers.as_slice() {
        [year] if year.len() == 4 && other_words.take(MAX_WORDS + 1).count() <= MAX_WORDS => {
            year_alone(text, year)
        }
        [first, second] => month_in_figures(text, first, second, context),
        _ => None,
    }
}

/// A year with at most a word or two that are no part of a date: not `May 2026`, not `2026 km`.
fn year_alone(text: &str, year: &str) -> Option<DateTime> {
    let behind = &text[text.find(year)? + year.len()..];
    let ends = behind.is_empty() || behind.starts_with(['.', ')', ',', ';', ']']);
    let year: i32 = year.parse().ok()?;
    let before = &text[..text.len() - behind.len()];
    let is_date_word = |word: &str| {
        let word = super::words::Word::find(crate::text::fold_word(word).as_bytes());
        [Role::Month, Role::WeakMonth, Role::Weekday]
            .iter()
            .any(|role| word.has(*role))
    };
    let alone = !words(text).any(is_date_word) && !before.contains(['$', '€', '£', '#']);
    (ends && alone && (1000..=2999).contains(&year))
        .then(|| DateTime::of_year(year))
        .flatten()
}

fn month_in_figures(text: &str, first: &str, second: &str, context: &DateContext<'_>) -> Option<DateTime> {
    let only =
        |mark: char| text.len() == first.len() + 1 + second.len() && text[first.len()..].starts_with(mark);
    if !(only('/') || only('.') || only('-')) {
        return None;
    }
    let number = |text: &str| text.parse::<i32>().ok();
    match (first.len(), second.len()) {
        (1 | 2, 4) => DateTime::of_month(number(second)?, number(first)? as u8),
        (4, 1 | 2) => DateTime::of_month(number(first)?, number(second)? as u8),
        // `05/26` on cards and packages; `3/5` stays a day.
        (2, 2) if only('/') && number(second)? > 31 => {
            DateTime::of_month(full_year(number(second)? as u32, context), number(first)? as u8)
        }
        _ => None,
    }
}

/// Reads texts without a date that name a day by the text's own: `tomorrow`, `Friday 7pm`.
fn without_date(
    text: &str,
    time: Option<(Time, Option<Time>)>,
    context: &DateContext<'_>,
) -> Result<(DateTime, Option<DateTime>), Problem> {
    let matcher = Matcher::new(Tokens::of_all(text), context, true);
    let Some(day) = relative_day(&matcher) else {
        return Err(match time {
            // It happens on some day, but the text does not say on which.
            Some(_) => Problem::NoDay,
            None if has_day_and_month(&matcher) => Problem::NoSuchDay,
            None => Problem::NoDate,
        });
    };
    let Some((start, end)) = time else {
        return Ok((DateTime::of_day(day), None));
    };
    let value = DateTime::of_time(day, start);
    Ok((value, end.and_then(|end| ending(value, start, end))))
}

/// Today, tomorrow, or a weekday, if the text begins with its word.
fn relative_day(matcher: &Matcher<'_>) -> Option<super::Date> {
    let index = (0..matcher.tokens.len()).find(|index| matcher.tokens.is_word(*index))?;
    let today = matcher.context.today?;
    if let Some((days, languages)) = matcher.tokens.at(index).word.role(Role::Relative) {
        // `morgen` is also morning, but not at the beginning of a date.
        return matcher
            .may_be(languages)
            .then(|| today.add_days(i64::from(days)))
            .flatten();
    }
    let (weekday, languages, weak, _) = matcher.weekday_at(index)?;
    let believed = if weak { matcher.is_in(languages) } else { true };
    believed.then(|| on_weekday(weekday, matcher.context)).flatten()
}

/// Returns true if a day and a month are written. They were not read, so no year has them.
fn has_day_and_month(matcher: &Matcher<'_>) -> bool {
    (0..matcher.tokens.len()).any(|index| matcher.date_at(index).is_some_and(|date| date.year.is_none()))
}
