//! Dates and times: as machines write them, as people write them in many languages, and in running
//! text.

mod civil;
mod context;
mod duration;
mod find;
mod iso;
mod match_date;
mod match_days;
mod match_east_asian;
mod match_figures;
mod match_item;
mod match_near;
mod match_offset;
mod match_time;
mod match_weekday;
mod match_year;
mod matcher;
mod order;
mod parse;
mod path;
mod resolve;
mod token;
mod value;
mod words;
mod zone;

use std::fmt;

pub use civil::{Date, Weekday, days_in_month, is_leap_year};
pub use context::{DateContext, DayMonthOrder, Prefer};
pub use duration::{Duration, parse_duration};
pub use find::{Found, Value, find_all};
pub use iso::{parse_iso, parse_offset};
pub use order::{order_in_figures, order_in_words};
pub use parse::{parse, parse_time, read, read_range};
pub use path::day_in_path;
pub use value::{DateTime, Precision, Time};
pub use words::LANGUAGES;
pub use zone::offset_at;

/// Reason why a text is not a date, a day or a duration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Problem {
    /// The text is empty, or nothing but white space.
    Empty,
    /// Nothing in it is a date.
    NoDate,
    /// There is a date, but it is less exact than a day; or there is a time, but nothing says on
    /// which day.
    NoDay,
    /// The day does not exist.
    NoSuchDay,
    /// Nothing in it is a length of time.
    NoDuration,
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Empty => "there is no date",
            Self::NoDate => "it contains no date or time",
            Self::NoDay => "it does not say on which day",
            Self::NoSuchDay => "the day does not exist",
            Self::NoDuration => "it contains no duration",
        })
    }
}

impl std::error::Error for Problem {}

#[cfg(test)]
mod tests;
