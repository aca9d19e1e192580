//! Several days of one month: `January 8 and 22, 2026`, `May 3, 10 & 17 at 7 pm`,
//! `8. und 22. Januar`.
//!
//! Two days in a row are the ends of a range and are read as one; so are those with a dash between
//! them.

use super::match_date::DatePart;
use super::match_time::Strength;
use super::matcher::Matcher;
use super::token::Gap;
use super::value::DateTime;
use super::words::Role;

/// One of several days: its first token, the index behind its last, and when it is.
pub(super) type Day = (usize, usize, DateTime);

/// Days of one list; no month has more.
const MAX_DAYS: usize = 31;

impl Matcher<'_> {
    /// The days of a list that begins at the token, where one may, and the index behind it.
    pub(super) fn days_at(&self, index: usize) -> Option<(Vec<Day>, usize)> {
        let first = self.tokens.at(index).word;
        let month_first = first.has(Role::Month) || first.has(Role::Weekday) || first.has(Role::WeakMonth);
        if month_first {
            self.days_behind_month(index)
        } else {
            self.days_before_month(index)
        }
    }

    /// `January 8 and 22, 2026`
    fn days_behind_month(&self, index: usize) -> Option<(Vec<Day>, usize)> {
        let date = self.date_at(index)?;
        let is_open = date.day > 0 && date.year.is_none() && date.time.is_none() && date.last_day.is_none();
        // A date that has its year, or a time, is complete. What follows is another one.
        if !is_open || date.weak || date.day_first {
            return None;
        }
        let mut numbers = vec![(index, date.next, date.day)];
        while let Some(number) = self
            .next_day(numbers.last()?)
            .filter(|_| numbers.len() < MAX_DAYS)
        {
            numbers.push(number);
        }
        let (_, behind, _) = *numbers.last()?;
        // What is listed ends there: `May 3, 10 people` is one day.
        let ends = self.year_behind(behind, index).is_some()
            || !self.tokens.is_word(behind)
            || self.may_follow(behind);
        (numbers.len() > 1 && ends)
            .then(|| self.listed(date, &numbers, self.with_year_at(date, behind, index)))?
    }

    /// `8. und 22. Januar 2026`: each with the point of a number in order, or it may be any number.
    fn days_before_month(&self, index: usize) -> Option<(Vec<Day>, usize)> {
        let mut numbers = Vec::new();
        let mut at = index;
        while numbers.len() < MAX_DAYS {
            let (day, digits) = self.tokens.number(at)?;
            let behind = self.behind_day(at);
            // Without its point a number before a month may be anything.
            if digits > 2 || !(1..=31).contains(&day) || behind == at + 1 {
                return None;
            }
            numbers.push((at, behind, day as u8));
            match self.behind_comma(behind) {
                Some(next) => at = next,
                None => break,
            }
        }
        let (last, ..) = *numbers.last()?;
        let is_rising = numbers.windows(2).all(|pair| pair[0].2 < pair[1].2);
        let date = self
            .core_at(last)
            .filter(|date| date.day_first && !date.weak && date.last_day.is_none())?;
        // Two days in a row are the ends of a range, which `several_days` reads.
        let in_a_row = numbers.len() == 2 && numbers[0].2 + 1 == numbers[1].2;
        if numbers.len() < 2 || !is_rising || in_a_row {
            return None;
        }
        numbers.last_mut()?.1 = date.next;
        self.listed(date, &numbers, date)
    }

    /// The day that follows another of the same month.
    fn next_day(&self, (_, behind, before): &(usize, usize, u8)) -> Option<(usize, usize, u8)> {
        let at = self.behind_comma(*behind)?;
        let (day, digits) = self.tokens.number(at)?;
        // The days of a list rise. A smaller number is of another kind.
        let fits = digits <= 2 && (1..=31).contains(&day) && day > u32::from(*before);
        let ordinal = self.tokens.joined(at + 1) && self.tokens.has(at + 1, Role::Ordinal);
        let next = at + 1 + usize::from(ordinal);
        let is_time = self
            .time_at(at)
            .is_some_and(|time| time.strength > Strength::Bare);
        let is_other =
            self.goes_on(at) || self.word_follows(next) || self.month_at(self.behind_day(at)).is_some();
        (fits && !is_time && !is_other && self.tokens.at(at).gap != Gap::Break)
            .then_some((at, next, day as u8))
    }

    /// Returns the index after the separator of two list items: `,`, `&`, `and`, `, and`.
    fn behind_comma(&self, index: usize) -> Option<usize> {
        let comma = self.skip_mark(index, ',');
        let and = if self.tokens.mark(comma) == '&' {
            comma + 1
        } else {
            self.skip_role(comma, Role::And)
        };
        (and > index && self.tokens.at(index).gap != Gap::Break).then_some(and)
    }

    /// Returns true if the word may follow the last day of a list.
    fn may_follow(&self, index: usize) -> bool {
        let roles = [
            Role::At,
            Role::From,
            Role::And,
            Role::Month,
            Role::Weekday,
            Role::Noon,
        ];
        roles.iter().any(|role| self.tokens.has(index, *role))
    }

    fn with_year_at(&self, date: DatePart, behind: usize, month: usize) -> DatePart {
        self.with_year(DatePart { next: behind, ..date }, month)
    }

    /// All days of the list, at the time that follows the last.
    fn listed(
        &self,
        date: DatePart,
        numbers: &[(usize, usize, u8)],
        last: DatePart,
    ) -> Option<(Vec<Day>, usize)> {
        let time = self.attached_time(last.next).filter(|attached| attached.direct);
        let next = time.as_ref().map_or(last.next, |attached| attached.time.next);
        let day = |(place, (first, behind, day)): (usize, &(usize, usize, u8))| {
            let date = DatePart {
                day: *day,
                year: last.year,
                // The weekday is that of the first day only, and would contradict the others.
                weekday: date.weekday.filter(|_| place == 0),
                ..date
            };
            let behind = if place + 1 == numbers.len() { next } else { *behind };
            let moment = self.moment(&date, time.as_ref().map(|attached| &attached.time))?;
            Some((*first, behind, moment))
        };
        let days: Option<Vec<Day>> = numbers.iter().enumerate().map(day).collect();
        Some((days?, next))
    }
}
