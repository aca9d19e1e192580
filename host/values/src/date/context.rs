//! Context that a reader has before reading a date.

use super::civil::Date;
use super::words::{self, Languages};

/// Order of day and month in `3/5/2026`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DayMonthOrder {
    /// Decided by the text itself if it has an unambiguous date, else by the language: month first
    /// for English (unless the tag names a country that writes the day first) and for the United
    /// States, day first everywhere else.
    #[default]
    Guess,
    /// 3 May.
    DayFirst,
    /// 5 March.
    MonthFirst,
}

/// Rule for the year of a date without a year, near a known day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Prefer {
    /// The one that makes it today or later: announcements.
    Future,
    /// The one that makes it today or earlier: news, reviews.
    Past,
    /// The one that makes it nearest to today.
    #[default]
    Nearest,
}

/// Context of a reader before reading a date. The default is empty: then dates without a year stay
/// without one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DateContext<'context> {
    /// The day of the text itself, on which it was published or changed. Never that of the fetch:
    /// the same text must mean the same when it is read again.
    pub today: Option<Date>,
    /// The year that the text states for its dates, as in a title. It decides over `today`.
    pub year: Option<i32>,
    /// The language of the text, as a BCP 47 tag: `de`, `en-GB`. Words of other languages are
    /// understood all the same unless they are ambiguous.
    pub language: Option<&'context str>,
    /// Order of day and month in numeric dates.
    pub order: DayMonthOrder,
    /// Rule for the year of a date without a year, near a known day.
    pub prefer: Prefer,
}

impl DateContext<'_> {
    /// The words' language, if it is stated and has words of its own.
    pub(super) fn languages(&self) -> Option<Languages> {
        self.language.and_then(words::language)
    }

    /// Returns true if the month comes first in `3/5/2026` and nothing in the text decides it.
    pub(super) fn month_first(&self) -> bool {
        match self.order {
            DayMonthOrder::DayFirst => false,
            DayMonthOrder::MonthFirst => true,
            DayMonthOrder::Guess => self.language.is_some_and(writes_month_first),
        }
    }
}

/// English without a country is taken for American: most of the web's English that states none is.
fn writes_month_first(tag: &str) -> bool {
    let mut parts = tag.split(['-', '_']);
    let english = parts
        .next()
        .is_some_and(|primary| primary.eq_ignore_ascii_case("en"));
    let region = parts.find(|part| part.len() == 2);
    match region.map(str::to_ascii_uppercase).as_deref() {
        Some("US" | "PH" | "PR" | "GU") => true,
        Some(_) => false,
        None => english,
    }
}
