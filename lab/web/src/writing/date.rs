//! Notation of dates and times.

use magpie_values::date::Date;

use crate::language::Language;
use crate::random::Key;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DateForm {
    /// `2026-11-20`
    Iso,
    /// `20.11.2026`
    Dots,
    /// `20/11/2026`
    Slashes,
    /// `11/20/2026`, only in English
    MonthFirst,
    /// `20 November 2026`, `20. November 2026`, `20 de noviembre de 2026`
    Long,
    /// `Friday, 20 November 2026`
    LongWeekday,
    /// `20 Nov 2026`
    Short,
    /// `Fri 20 Nov 2026`
    ShortWeekday,
    /// `November 20, 2026`
    American,
    /// `Fri, 20 November`, with an implied year
    NoYear,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TimeForm {
    /// `19:30`
    Colon,
    /// `19.30`
    Dot,
    /// `7:30 pm`
    Twelve,
    /// `19h30`
    Letter,
    /// `19:30 Uhr`
    Uhr,
}

impl DateForm {
    pub(super) fn new(key: Key, language: &Language) -> Self {
        let english = language.code == "en";
        let common = [
            (12, Self::Iso),
            (if english { 2 } else { 18 }, Self::Dots),
            (if english { 6 } else { 10 }, Self::Slashes),
            (16, Self::Long),
            (14, Self::LongWeekday),
            (12, Self::Short),
            (12, Self::ShortWeekday),
            (8, Self::NoYear),
            (if english { 16 } else { 0 }, Self::American),
            (if english { 5 } else { 0 }, Self::MonthFirst),
        ];
        key.weighted(&common)
    }

    pub(super) fn write(self, day: i64, language: &Language) -> String {
        let Some(date) = Date::from_days(day) else {
            return String::new();
        };
        let (y, m, d) = (date.year(), date.month(), date.day());
        let month = language.months[usize::from(m) - 1];
        let short = language.months_short[usize::from(m) - 1];
        let weekday = usize::from(date.weekday().number()) - 1;
        let long = long(d, month, language);
        match self {
            Self::Iso => format!("{y:04}-{m:02}-{d:02}"),
            Self::Dots => format!("{d:02}.{m:02}.{y:04}"),
            Self::Slashes => format!("{d:02}/{m:02}/{y:04}"),
            Self::MonthFirst => format!("{m:02}/{d:02}/{y:04}"),
            Self::Long => format!("{long}{}{y}", year_gap(language)),
            Self::LongWeekday => format!("{}, {long}{}{y}", language.weekdays[weekday], year_gap(language)),
            Self::Short => format!("{d}{} {short} {y}", ordinal(language)),
            Self::ShortWeekday => format!(
                "{} {d}{} {short} {y}",
                language.weekdays_short[weekday],
                ordinal(language)
            ),
            Self::American => format!("{month} {d}, {y}"),
            Self::NoYear => format!("{}, {long}", language.weekdays_short[weekday]),
        }
    }
}

/// Formats a day and its month: `20 November`.
pub(super) fn long_day(day: i64, language: &Language) -> String {
    Date::from_days(day).map_or_else(String::new, |date| {
        long(
            date.day(),
            language.months[usize::from(date.month()) - 1],
            language,
        )
    })
}

fn ordinal(language: &Language) -> &'static str {
    if language.code == "de" { "." } else { "" }
}

fn long(day: u8, month: &str, language: &Language) -> String {
    match language.code {
        "es" | "pt" => format!("{day} de {month}"),
        _ => format!("{day}{} {month}", ordinal(language)),
    }
}

fn year_gap(language: &Language) -> &'static str {
    if matches!(language.code, "es" | "pt") {
        " de "
    } else {
        " "
    }
}

impl TimeForm {
    pub(super) fn new(key: Key, language: &Language) -> Self {
        match language.code {
            "en" => key.weighted(&[(5, Self::Colon), (5, Self::Twelve)]),
            "de" => key.weighted(&[(4, Self::Uhr), (4, Self::Colon), (2, Self::Dot)]),
            "fr" | "pt" => key.weighted(&[(5, Self::Letter), (5, Self::Colon)]),
            _ => key.weighted(&[(6, Self::Colon), (4, Self::Dot)]),
        }
    }

    /// Formats minutes since midnight.
    pub(super) fn write(self, minutes: u16) -> String {
        let (hour, minute) = (minutes / 60, minutes % 60);
        match self {
            Self::Colon => format!("{hour:02}:{minute:02}"),
            Self::Dot => format!("{hour:02}.{minute:02}"),
            Self::Letter => format!("{hour}h{minute:02}"),
            Self::Uhr => format!("{hour}:{minute:02} Uhr"),
            Self::Twelve => {
                let half = if hour < 12 { "am" } else { "pm" };
                format!("{}:{minute:02} {half}", (hour + 11) % 12 + 1)
            }
        }
    }
}
