//! Finding dates, times and ranges in running text.

use super::context::DateContext;
use super::match_item::Item;
use super::matcher::Matcher;
use super::token::Tokens;
use super::value::{DateTime, Time};

/// Bytes of text that are read at once. Tokens take about thirty bytes each, so this bounds the
/// memory of a guest to a few megabytes for texts of any length.
const CHUNK: usize = 256 * 1024;

/// A value that was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value {
    /// A date, perhaps with a time.
    DateTime(DateTime),
    /// From one moment to another. A range of days ends with its last day.
    Range(DateTime, DateTime),
    /// A time of day, of which the text does not say on which day.
    Time(Time),
    /// From one time of day to another.
    TimeRange(Time, Time),
}

impl Value {
    /// The moment, or the beginning of the range; none for times alone.
    #[must_use]
    pub fn start(self) -> Option<DateTime> {
        match self {
            Self::DateTime(start) | Self::Range(start, _) => Some(start),
            Self::Time(_) | Self::TimeRange(..) => None,
        }
    }

    /// The end of a range of moments.
    #[must_use]
    pub fn end(self) -> Option<DateTime> {
        match self {
            Self::Range(_, end) => Some(end),
            _ => None,
        }
    }
}

/// A date, time or range with its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    /// Start, in bytes.
    pub start: usize,
    /// End, in bytes.
    pub end: usize,
    /// Parsed value.
    pub value: Value,
}

/// The dates, times and ranges in a text, in order, without overlap.
///
/// A date and a time that stand near each other are one moment. What could as well be something
/// else (`3/5`, `12.50`, `555-1234`, `v1.2.3`) is left out unless a weekday or a time beside it
/// speaks for it. Dates without a year are completed from the [`DateContext`], or stay without one.
///
/// ```
/// use magpie_values::date::{DateContext, find_all};
///
/// let text = "Doors open May 3 - 5, 2026, tickets from $12.50, call 555-1234.";
/// let found = find_all(text, &DateContext::default());
/// assert_eq!(&text[found[0].start..found[0].end], "May 3 - 5, 2026");
/// assert_eq!(found.len(), 1);
/// ```
#[must_use]
pub fn find_all(text: &str, context: &DateContext<'_>) -> Vec<Found> {
    let mut found = Vec::new();
    let mut done = 0;
    while done < text.len() {
        let chunk = chunk_at(text, done);
        find_in(chunk, done, context, false, &mut found);
        done += chunk.len();
    }
    found
}

/// Finds in a text that is said to be a date, so that less has to speak for what is found.
pub(super) fn find_leniently(text: &str, context: &DateContext<'_>) -> Vec<Found> {
    let mut found = Vec::new();
    find_in(text, 0, context, true, &mut found);
    found
}

/// Maximum distance below a heading, or below the last date under it, at which its year applies.
const HEADING_REACH: u32 = 500;

fn find_in(text: &str, offset: usize, context: &DateContext<'_>, lenient: bool, found: &mut Vec<Found>) {
    let tokens = if lenient {
        Tokens::of_all(text)
    } else {
        Tokens::of(text)
    };
    let mut matcher = Matcher::new(tokens, context, lenient);
    let mut holds_to = 0;
    let mut index = 0;
    while index < matcher.tokens.len() {
        let start = matcher.tokens.at(index).start;
        // A heading is about what follows it closely. Further down the page its year would be
        // wrong.
        if start > holds_to {
            matcher.heading = None;
        }
        if matcher.may_begin(index) {
            if let Some((days, next)) = matcher.days_at(index).filter(|_| !lenient) {
                holds_to = matcher.tokens.at(next - 1).end.saturating_add(HEADING_REACH);
                found.extend(days.into_iter().map(|(first, behind, moment)| Found {
                    start: offset + matcher.tokens.at(first).start as usize,
                    end: offset + matcher.tokens.at(behind - 1).end as usize,
                    value: Value::DateTime(moment),
                }));
                index = next;
                continue;
            }
            if let Some((item, next)) = matcher.item_at(index) {
                let end = matcher.tokens.at(next - 1).end;
                found.push(Found {
                    start: offset + start as usize,
                    end: offset + end as usize,
                    value: value_of(item),
                });
                holds_to = end.saturating_add(HEADING_REACH);
                index = next;
                continue;
            }
        }
        // Asked last: a year that is part of a date is no heading.
        if let Some(year) = matcher.heading_year(index) {
            matcher.heading = Some(year);
            holds_to = start.saturating_add(HEADING_REACH);
        }
        index += 1;
    }
}

fn value_of(item: Item) -> Value {
    match item {
        Item::DateTime(moment) => Value::DateTime(moment),
        Item::Range(start, end) if start == end => Value::DateTime(start),
        Item::Range(start, end) => Value::Range(start, end),
        Item::Time(time) => Value::Time(time),
        Item::TimeRange(start, end) => Value::TimeRange(start, end),
    }
}

/// The next chunk, cut at white space if there is any.
fn chunk_at(text: &str, from: usize) -> &str {
    let rest = &text[from..];
    let chunk = crate::text::truncate(rest, CHUNK);
    if chunk.len() == rest.len() {
        return chunk;
    }
    chunk
        // A date in two lines is rare, one with a blank in it is the rule.
        .rfind('\n')
        .or_else(|| chunk.rfind(' '))
        .map_or(chunk, |at| &chunk[..=at])
}
