//! State and helpers shared by all readers of tokens.

use super::context::DateContext;
use super::token::{Gap, Kind, Tokens};
use super::words::{Languages, Role};

/// Reads dates and times out of tokens. The parts are in `match_date`, `match_time` and
/// `match_item`; each takes the index of a token and gives what it read and the index behind it.
pub(super) struct Matcher<'text> {
    pub(super) tokens: Tokens<'text>,
    pub(super) context: &'text DateContext<'text>,
    /// The languages the text is said to be in.
    pub(super) languages: Option<Languages>,
    /// Reads `3/5/2026` with the month first.
    pub(super) month_first: bool,
    /// Reads `3.5.2026` with the month first. The day is first unless the text or the reader says
    /// otherwise.
    pub(super) month_before_point: bool,
    /// The text is said to be a date, so that less has to speak for it.
    pub(super) lenient: bool,
    /// The year of the heading above, for dates without one.
    pub(super) heading: Option<i32>,
}

impl<'text> Matcher<'text> {
    pub(super) fn new(tokens: Tokens<'text>, context: &'text DateContext<'text>, lenient: bool) -> Self {
        let mut matcher = Self {
            tokens,
            context,
            languages: context.languages(),
            month_first: context.month_first(),
            month_before_point: context.order == super::DayMonthOrder::MonthFirst,
            lenient,
            heading: None,
        };
        // A stated order is obeyed. Otherwise the unambiguous dates of the text decide.
        if context.order == super::DayMonthOrder::Guess {
            let [slashes, points] = matcher.orders_in_text();
            matcher.month_first = slashes.unwrap_or(matcher.month_first);
            matcher.month_before_point = points.unwrap_or(false);
        }
        matcher
    }

    /// Returns true if the text may be in one of the languages, as far as its language is known.
    pub(super) fn may_be(&self, languages: Languages) -> bool {
        self.languages.is_none_or(|known| known & languages != 0)
    }

    /// Returns true if the text is known to be in one of the languages.
    pub(super) fn is_in(&self, languages: Languages) -> bool {
        self.languages.is_some_and(|known| known & languages != 0)
    }

    pub(super) fn is_dash(&self, index: usize) -> bool {
        matches!(
            self.tokens.mark(index),
            '-' | '–' | '—' | '−' | '‐' | '‑' | '‒' | '―'
        )
    }

    /// Returns the index after the mark, if the mark is there and joined to the token before it.
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

    /// Returns true if the number at the index continues as something else: `3.5`, `7:30`, `12%`.
    pub(super) fn goes_on(&self, index: usize) -> bool {
        let next = self.tokens.mark(index + 1);
        let then_figure = self.tokens.joined(index + 2) && self.tokens.number(index + 2).is_some();
        let joined = self.tokens.joined(index + 1);
        joined
            && (matches!(next, ':' | '.' | ',' | '/' | '：') && then_figure
                || matches!(next, '%' | '°' | '€' | '$' | '£'))
    }

    /// Returns true if a joined letter or digit follows the token before `next`.
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
        match self.tokens.at(index).kind {
            Kind::Mark('~' | '〜' | '～' | '→') => Some(index + 1),
            Kind::Mark(_) if self.is_dash(index) => {
                let doubled = self.is_dash(index + 1) && self.tokens.joined(index + 1);
                Some(index + 1 + usize::from(doubled))
            }
            Kind::Word => self.range_word(index, languages),
            _ => None,
        }
    }

    fn range_word(&self, index: usize, languages: Languages) -> Option<usize> {
        if self.is_east_asian(index) {
            let until = matches!(self.tokens.written(index), "から" | "至" | "到" | "부터");
            return until.then(|| self.skip_mark(index + 1, ','));
        }
        // Dutch: t/m
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

    /// Returns true if the token begins a line or the text.
    pub(super) fn begins_line(&self, index: usize) -> bool {
        index == 0 || self.tokens.at(index).gap == Gap::Break
    }

    /// The year that a heading states: `2019`, `2019 Meetings:`, `Termine 2026`, in a line with a
    /// few words and no other figure. Dates without a year below it are of that year.
    pub(super) fn heading_year(&self, index: usize) -> Option<i32> {
        const MAX_WORDS_BEFORE: usize = 3;
        const MAX_WORDS_BEHIND: usize = 5;
        const MAX_YEARS_OFF: i32 = 20;
        let (year, digits) = self.tokens.number(index)?;
        if digits != 4 || !(1900..=2199).contains(&year) {
            return None;
        }
        // A number of four digits far from the present is no year of a programme.
        let known = self.context.year.or(self.context.today.map(super::Date::year));
        let near = known.is_none_or(|known| (known - year as i32).abs() <= MAX_YEARS_OFF);
        let start = (0..=MAX_WORDS_BEFORE)
            .map_while(|back| index.checked_sub(back))
            .find(|at| self.begins_line(*at))?;
        // A month before the year makes it part of a date.
        let word = |at: usize| self.tokens.is_word(at) && self.month_at(at).is_none();
        let words_before = (start..index).all(word);
        let end =
            (index + 1..=index + 1 + MAX_WORDS_BEHIND).find(|at| !word(*at) || self.begins_line(*at))?;
        let colon = self.tokens.mark(end) == ':';
        // In a line of its own, or before a colon: `2019 meetings: January 25, May 9`.
        let closed = self.begins_line(end) || colon && (self.begins_line(end + 1) || end > index + 1);
        (near && words_before && closed).then_some(year as i32)
    }

    /// Order in the unambiguous dates of the text, for dates with slashes and with points: true if
    /// the month comes first, `None` if there are no such dates or both orders are as frequent.
    fn orders_in_text(&self) -> [Option<bool>; 2] {
        let mut balances = [0; 2];
        for index in 0..self.tokens.len().saturating_sub(4) {
            let Some(mark) = ['/', '.']
                .iter()
                .position(|mark| self.tokens.mark(index + 1) == *mark)
            else {
                continue;
            };
            if self.tokens.mark(index + 3) != self.tokens.mark(index + 1)
                || !(index + 1..index + 5).all(|part| self.tokens.joined(part))
            {
                continue;
            }
            let numbers = [index, index + 2, index + 4].map(|at| self.tokens.number(at));
            let [Some((first, _)), Some((second, _)), Some(_)] = numbers else {
                continue;
            };
            match (first, second) {
                (1..=12, 13..=31) => balances[mark] += 1,
                (13..=31, 1..=12) => balances[mark] -= 1,
                _ => {}
            }
        }
        balances.map(|balance| (balance != 0).then_some(balance > 0))
    }
}
