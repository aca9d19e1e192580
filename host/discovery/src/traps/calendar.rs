//! Dates in URLs, and how far they are from the day of the crawl.

use magpie_model::CanonicalUrl;
use magpie_values::date::{Date, days_in_month};

use super::trap::TrapSettings;

/// A month that a URL names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DateAway {
    year: i64,
    month: u32,
    /// True if it is too far away to be of interest.
    pub(super) is_far: bool,
}

impl DateAway {
    pub(super) fn name(self) -> String {
        match self.month {
            0 => format!("{}", self.year),
            month => format!("{}-{month:02}", self.year),
        }
    }
}

/// Runs of figures that are looked at.
const MAX_RUNS: usize = 24;

/// Years of dates. Other numbers count or identify something.
const YEARS: std::ops::RangeInclusive<i64> = 1000..=9999;

/// Returns the date in a URL that is away from the day of the crawl, if there is one. Only dates
/// with a month count, as `2031/05`, `2031-05-12`, `20310512`, `year=2031&month=5`: a year alone
/// often has another meaning. After words, as in `broadside-of-1776-2`, a year and a number are
/// part of a name, and the number counts equal names.
pub(super) fn is_away(url: &CanonicalUrl, settings: &TrapSettings) -> Option<DateAway> {
    if settings.today == i64::MIN {
        return None;
    }
    let text = url.path_and_query();
    let found = runs(text).find_map(|(start, end, before)| {
        let (year, month) = date_at(text, start, end, before)?;
        away(year, month, settings)
    });
    found.or_else(|| {
        let (year, month) = date_of_keys(url.query()?)?;
        away(year, month, settings)
    })
}

fn away(year: i64, month: u32, settings: &TrapSettings) -> Option<DateAway> {
    let (of_year, of_month) = (i32::try_from(year).ok()?, u8::try_from(month).ok()?);
    let day = |day| Some(Date::new(of_year, of_month, day)?.to_days());
    // Distances count from the nearest day of the month, which the URL may mean.
    let (first, last) = (day(1)?, day(days_in_month(of_year, of_month))?);
    let (before, after) = (settings.today - last, first - settings.today);
    let is_away = before > settings.past_days || after > settings.future_days;
    is_away.then_some(DateAway {
        year,
        month,
        is_far: before.max(after) > settings.far_days,
    })
}

/// Runs of figures: start, end and the byte before.
fn runs(text: &str) -> impl Iterator<Item = (usize, usize, u8)> {
    let bytes = text.as_bytes();
    let mut at = 0;
    let next = move || {
        while at < bytes.len() && !bytes[at].is_ascii_digit() {
            at += 1;
        }
        let start = at;
        while at < bytes.len() && bytes[at].is_ascii_digit() {
            at += 1;
        }
        (start < at).then(|| (start, at, if start > 0 { bytes[start - 1] } else { b'/' }))
    };
    std::iter::from_fn(next).take(MAX_RUNS)
}

/// The year and month that start at a run of figures.
fn date_at(text: &str, start: usize, end: usize, before: u8) -> Option<(i64, u32)> {
    let figures = &text[start..end];
    // `a2031-05` is the name of something, `%2031` is half an escape.
    let stands_alone = matches!(
        before,
        b'/' | b'=' | b'-' | b'_' | b'.' | b',' | b'&' | b'?' | b'~'
    );
    if !stands_alone {
        return None;
    }
    let is_named = is_behind_words(text, start);
    if figures.len() == 8 {
        let day = number(&figures[6..])?;
        return checked(number(&figures[..4])?, number(&figures[4..6])?, Some(day));
    }
    if figures.len() != 4 {
        return None;
    }
    let year = number(figures)?;
    let separator = *text.as_bytes().get(end)?;
    if !matches!(separator, b'-' | b'/' | b'_' | b'.') {
        return None;
    }
    let rest = &text[end + 1..];
    let month = leading_number(rest)?;
    let after = rest[month.len()..].strip_prefix(char::from(separator));
    let day = after.and_then(leading_number).and_then(number);
    // `parade-1776-2`, `parade-1776-2-2`: a calendar that puts a date behind words writes two
    // figures for each part.
    let is_padded =
        month.len() == 2 && day.is_some() && after.and_then(leading_number).is_some_and(|day| day.len() == 2);
    if is_named && separator == b'-' && !is_padded {
        return None;
    }
    // `/2031/05` and `/2031/5/7`; the parts of a date have one or two figures each.
    checked(year, number(month)?, day)
}

/// Returns true if the text before a position in its path segment has letters: the words of a name.
fn is_behind_words(text: &str, start: usize) -> bool {
    let before = &text[..start];
    let path_end = text.find('?').unwrap_or(text.len());
    let step = before.rsplit('/').next().unwrap_or(before);
    start <= path_end && step.bytes().any(|byte| byte.is_ascii_alphabetic()) && !is_calendar_word(step)
}

/// Returns true for the words that calendars put before a date: `month-2031-05`, `day_2031-5-1`.
fn is_calendar_word(step: &str) -> bool {
    const WORDS: [&str; 16] = [
        "day", "week", "month", "date", "calendar", "cal", "events", "event", "archive", "monat", "tag",
        "woche", "kalender", "mois", "jour", "mes",
    ];
    let mut words = step
        .split(|letter: char| !letter.is_ascii_alphabetic())
        .filter(|word| !word.is_empty());
    words.all(|word| WORDS.iter().any(|known| known.eq_ignore_ascii_case(word)))
}

/// The figures that a text starts with, if they are one or two.
fn leading_number(text: &str) -> Option<&str> {
    let length = text.bytes().take_while(u8::is_ascii_digit).count();
    (1..=2).contains(&length).then(|| &text[..length])
}

fn number(text: &str) -> Option<i64> {
    text.parse().ok()
}

fn checked(year: i64, month: i64, day: Option<i64>) -> Option<(i64, u32)> {
    let of_year = i32::try_from(year).ok().filter(|_| YEARS.contains(&year))?;
    let of_month = u8::try_from(month).ok()?;
    let of_day = u8::try_from(day.unwrap_or(1)).ok()?;
    Date::new(of_year, of_month, of_day).map(|date| (year, u32::from(date.month())))
}

/// Keys of calendars, at the end of their names: `year`, `cal_year`, `tx_cal[year]`.
const YEAR_KEYS: [&str; 4] = ["year", "yr", "jahr", "annee"];
const MONTH_KEYS: [&str; 5] = ["month", "mon", "monat", "mois", "mes"];

/// Returns the year and month of a query like `year=2031&month=5`. Without a month it is the middle
/// of the year.
fn date_of_keys(query: &str) -> Option<(i64, u32)> {
    let value_of = |names: &[&str]| {
        let mut pairs = query
            .split('&')
            .take(MAX_RUNS)
            .filter_map(|pair| pair.split_once('='));
        pairs.find_map(|(key, value)| {
            let key = key.trim_end_matches("%5D").to_ascii_lowercase();
            let is_named = names.iter().any(|name| key.ends_with(name));
            is_named.then(|| number(value)).flatten()
        })
    };
    let year = value_of(&YEAR_KEYS)?;
    // A year of a film or a car is no calendar.
    let month = value_of(&MONTH_KEYS)?;
    checked(year, month, None)
}
