//! Dates and times that stand near each other and belong together.

use super::match_date::DatePart;
use super::match_time::{Strength, TimePart};
use super::matcher::Matcher;
use super::token::{Gap, Kind};
use super::words::Role;

/// Maximum number of unknown words between a date and an unambiguous time: `3 May 2026 in the Great
/// Hall at 19:30`.
const MAX_WORDS_BETWEEN: usize = 6;

/// Maximum number of line breaks between a date and its time.
const MAX_BREAKS_BETWEEN: usize = 2;

/// A time with the way to it.
pub(super) struct Attached {
    pub(super) time: TimePart,
    /// Only marks and words that lead to a time stood between.
    pub(super) direct: bool,
}

impl Matcher<'_> {
    /// The time that belongs to the date ending before `index`.
    pub(super) fn attached_time(&self, index: usize) -> Option<Attached> {
        const MAX_TOKENS_BETWEEN: usize = 14;
        let (mut words, mut breaks, mut stops, mut led) = (0, 0, 0, false);
        let mut at = index;
        if self.tokens.is_plain(at, "t") && self.tokens.joined(at) {
            return self.joined_time(at + 1);
        }
        let mut last = index + MAX_TOKENS_BETWEEN;
        while at < last {
            let leader = self.leader(at);
            (at, last) = (at + leader, last + leader);
            let token = self.tokens.at(at);
            breaks += usize::from(token.gap == Gap::Break);
            if breaks > MAX_BREAKS_BETWEEN || token.kind == Kind::End {
                return None;
            }
            if let Some(time) = self.hours_at(at).or_else(|| self.time_at(at)) {
                let fits = match time.strength {
                    Strength::Marked | Strength::Clear => true,
                    Strength::Likely => words == 0 && breaks == 0,
                    Strength::Bare => {
                        words == 0 && breaks == 0 && led && time.hour >= 13 && !self.goes_on(at)
                    }
                };
                return fits.then_some(Attached {
                    time,
                    direct: words == 0 && breaks == 0,
                });
            }
            match token.kind {
                Kind::Mark(mark) => {
                    stops += usize::from(matches!(mark, '.' | ';' | '!' | '?'));
                    // A second full stop ends the sentence of the date, and a currency makes the
                    // number a price.
                    if stops > 1 || matches!(mark, '$' | '€' | '£' | '#') {
                        return None;
                    }
                }
                Kind::Word => {
                    let starts_date = token.word.has(Role::Weekday) || token.word.has(Role::Month);
                    // The time behind another date belongs to that.
                    if starts_date || words == MAX_WORDS_BETWEEN {
                        return None;
                    }
                    let leads = [Role::At, Role::From, Role::HourPrefix, Role::Article]
                        .iter()
                        .any(|role| token.word.has(*role));
                    led |= leads;
                    words += usize::from(!leads);
                }
                // Another number between them is probably part of an address or a price.
                Kind::Number(_) | Kind::End => return None,
            }
            at += 1;
        }
        None
    }

    /// Number of tokens in a dot leader before the time: `3 May ........ 7:30`.
    fn leader(&self, index: usize) -> usize {
        const FEWEST: usize = 3;
        const MOST: usize = 100;
        let is_dot = |at: &usize| matches!(self.tokens.mark(*at), '.' | '…' | '·' | '_');
        let dots = (index..index + MOST).take_while(is_dot);
        let count = dots.clone().count();
        let weight: usize = dots
            .map(|at| if self.tokens.mark(at) == '…' { FEWEST } else { 1 })
            .sum();
        if weight >= FEWEST { count } else { 0 }
    }

    /// A bare hour that opens a range of hours: `7-10 pm`, `18 bis 20 Uhr`.
    pub(super) fn hours_at(&self, index: usize) -> Option<TimePart> {
        let first = self
            .time_at(index)
            .filter(|time| time.strength <= Strength::Likely)?;
        let end = self
            .end_time(&first)
            .filter(|end| end.strength == Strength::Marked)?;
        Some(TimePart {
            strength: Strength::Marked,
            ..self.with_half_of_day(first, &end)
        })
    }

    /// The time behind the T of ISO 8601: `T19:30`, `T193000Z`.
    fn joined_time(&self, index: usize) -> Option<Attached> {
        let (value, digits) = self.tokens.number(index).filter(|_| self.tokens.joined(index))?;
        let compact = |hour: u32, minute: u32, second: Option<u32>| {
            let fits = hour <= 24 && minute <= 59 && second.is_none_or(|second| second <= 60);
            fits.then_some(TimePart {
                hour: hour as u8,
                minute: minute as u8,
                second: second.map(|second| second as u8),
                afternoon: None,
                offset: None,
                strength: Strength::Marked,
                next: index + 1,
            })
        };
        let mut time = match digits {
            6 => compact(value / 10_000, value / 100 % 100, Some(value % 100))?,
            4 => compact(value / 100, value % 100, None)?,
            _ => self.time_at(index)?,
        };
        if let (None, Some((offset, next))) = (time.offset, self.offset_at(time.next, true)) {
            time = TimePart {
                offset: Some(offset),
                next,
                ..time
            };
        }
        Some(Attached { time, direct: true })
    }

    /// The date that a time is written before: `7:30 pm, 3 May 2026`. Not when that date has a time
    /// of its own right behind it.
    pub(super) fn date_behind_time(&self, index: usize) -> Option<DatePart> {
        const MAX_BETWEEN: usize = 3;
        for at in index..=index + MAX_BETWEEN {
            if let Some(date) = self
                .date_at(at)
                .filter(|date| !date.weak && date.day > 0 && date.last_day.is_none())
            {
                let own_time = self
                    .attached_time(date.next)
                    .is_some_and(|attached| attached.direct && !self.next_date_is_near(attached.time.next));
                return (!own_time).then_some(date);
            }
            let leads = [Role::At, Role::Article, Role::From]
                .iter()
                .any(|role| self.tokens.has(at, *role));
            let mark = matches!(
                self.tokens.mark(at),
                ',' | '|' | '·' | '•' | '@' | '(' | '.' | '、'
            ) || self.is_dash(at);
            if !leads && !mark {
                return None;
            }
        }
        None
    }

    fn next_date_is_near(&self, index: usize) -> bool {
        (index..index + 3).any(|at| self.date_at(at).is_some_and(|date| !date.weak))
    }
}
