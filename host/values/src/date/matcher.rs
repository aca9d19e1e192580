//! What all the readers of tokens share.

use super::context::DateContext;
use super::token::{Gap, Kind, Tokens};
use super::words::{Languages, Role};

/// Reads dates and times out of tokens. The parts are in `match_date`, `match_time` and `match_item`;
/// each takes the index of a token and gives what it read and the index behind it.
pub(super) struct Matcher<'text> {
    pub(super) tokens: Tokens<'text>,
    pub(super) context: &'text DateContext<'text>,
    /// The languages the text is said to be in.
    pub(super) languages: Option<Languages>,
    /// How to read `3/5/2026`.
    pub(super) month_first: bool,
    /// The text is said to be a date, so that less has to speak for it.
    pub(super) lenient: bool,
}

impl<'text> Matcher<'text> {
    pub(super) fn new(tokens: Tokens<'text>, context: &'text DateContext<'text>, lenient: bool) -> Self {
        let mut matcher = Self {
            tokens,
            context,
            languages: context.languages(),
            month_first: context.month_first(),
            lenient,
        };
        if context.order == super::DayMonthOrder::Guess {
            matcher.month_first = matcher.order_in_text().unwrap_or(matcher.month_first);
        }
        matcher
    }

    /// Whether the text is in one of the languages, as far as it is known.
    pub(super) fn may_be(&self, languages: Languages) -> bool {
        self.languages.is_none_or(|known| known & languages != 0)
    }

    /// Whether the text is known to be in one of the languages.
    pub(super) fn is_in(&self, languages: Languages) -> bool {
        self.languages.is_some_and(|known| known & languages != 0)
    }

    pub(super) fn is_dash(&self, index: usize) -> bool {
        matches!(
            self.tokens.mark(index),
            '-' | '–' | '—' | '−' | '‐' | '‑' | '‒' | '―'
        )
    }

    /// The index behind the mark, if it is there and joined to what stands before it.
    pub(super) fn skip_joined(&self, index: usize, mark: char) -> usize {
        if self.tokens.mark(index) == mark && self.tokens.joined(index) {
            index + 1
        } else {
            index
        }
    }

    pub(super) fn skip_mark(&self, index: usize, mark: char) -> usize {
        if self.tokens.mark(index) == mark {
            index + 1
        } else {
            index
        }
    }

    pub(super) fn skip_role(&self, index: usize, role: Role) -> usize {
        if self.tokens.has(index, role) {
            index + 1
        } else {
            index
        }
    }

    /// Whether the number at the index goes on in a way that makes it something else: `3.5`, `7:30`, `12%`.
    pub(super) fn goes_on(&self, index: usize) -> bool {
        let next = self.tokens.mark(index + 1);
        let then_figure = self.tokens.joined(index + 2) && self.tokens.number(index + 2).is_some();
        let joined = self.tokens.joined(index + 1);
        joined
            && (matches!(next, ':' | '.' | ',' | '/' | '：') && then_figure
                || matches!(next, '%' | '°' | '€' | '$' | '£'))
    }

    /// Whether a joined letter or digit follows the token before `next`.
    pub(super) fn word_follows(&self, next: usize) -> bool {
        self.tokens.joined(next)
            && matches!(self.tokens.at(next).kind, Kind::Word | Kind::Number(_))
            && !self.is_east_asian(next)
    }

    pub(super) fn is_east_asian(&self, index: usize) -> bool {
        self.tokens.is_word(index)
            && self
                .tokens
                .written(index)
                .starts_with(|first| matches!(first, '\u{3040}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7AF}'))
    }

    /// The index behind what separates the ends of a range: a dash, a word that means *until*.
    pub(super) fn range_mark(&self, index: usize, languages: Languages) -> Option<usize> {
        if self.is_dash(index) || matches!(self.tokens.mark(index), '~' | '〜' | '～' | '→') {
            let doubled = self.is_dash(index + 1) && self.tokens.joined(index + 1);
            return Some(index + 1 + usize::from(doubled));
        }
        if ["から", "至", "到", "부터"]
            .iter()
            .any(|word| self.tokens.is(index, word))
        {
            return Some(self.skip_mark(index + 1, ','));
        }
        if self.tokens.is_plain(index, "t")
            && self.tokens.mark(index + 1) == '/'
            && self.tokens.is_plain(index + 2, "m")
        {
            return Some(index + 3);
        }
        let (_, until) = self.tokens.at(index).word.role(Role::Until)?;
        if !self.may_be(until) || until & languages == 0 {
            return None;
        }
        // `bis zum`, `tot en met`, `to the`, `fino alle`
        let mut next = self.skip_role(index + 1, Role::And);
        for filler in ["zum", "met", "the", "le", "el", "il", "alle", "al", "las"] {
            next += usize::from(self.tokens.is_plain(next, filler));
        }
        Some(next)
    }

    /// Whether the token begins a line, or the text.
    pub(super) fn begins_line(&self, index: usize) -> bool {
        index == 0 || self.tokens.at(index).gap == Gap::Break
    }

    /// Whether the dates of the text that can be read in one way only put the month first.
    fn order_in_text(&self) -> Option<bool> {
        let mut balance = 0;
        for index in 0..self.tokens.len().saturating_sub(4) {
            let (Some((first, _)), '/') = (self.tokens.number(index), self.tokens.mark(index + 1)) else {
                continue;
            };
            let (Some((second, _)), '/') = (self.tokens.number(index + 2), self.tokens.mark(index + 3))
            else {
                continue;
            };
            if self.tokens.number(index + 4).is_none()
                || !(index + 1..index + 5).all(|part| self.tokens.joined(part))
            {
                continue;
            }
            match (first, second) {
                (1..=12, 13..=31) => balance += 1,
                (13..=31, 1..=12) => balance -= 1,
                _ => {}
            }
        }
        (balance != 0).then_some(balance > 0)
    }
}
