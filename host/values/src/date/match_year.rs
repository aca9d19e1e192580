//! Dates that begin with the year: `2026-05-03`, `2026. 5. 3.`, `2026. május 3.`, `2026 May 3`; and
//! years behind months.

use super::match_date::{DatePart, YEARS, YEARS_IN_FIGURES};
use super::match_time::Strength;
use super::matcher::Matcher;
use super::resolve::full_year;
use super::token::Gap;
use super::words::{Languages, Role};

impl Matcher<'_> {
    /// Adds the year that follows, if one does; `month` is the index of the month's word.
    pub(super) fn with_year(&self, date: DatePart, month: usize) -> DatePart {
        match self.year_behind(date.next, month) {
            Some((year, next)) => DatePart {
                year: Some(year),
                next,
                ..date
            },
            None => date,
        }
    }

    pub(super) fn year_behind(&self, index: usize, month: usize) -> Option<(i32, usize)> {
        let mut at = self.skip_mark(index, ',');
        at = self.skip_role(self.skip_role(at, Role::Of), Role::YearMark);
        let joint = matches!(self.tokens.mark(at), '-' | '/' | '‑')
            && self.tokens.joined(at)
            && self.tokens.joined(at + 1);
        at += usize::from(joint);
        let apostrophe = matches!(self.tokens.mark(at), '\'' | '’' | '‘') && self.tokens.joined(at + 1);
        at += usize::from(apostrophe);
        let (value, digits) = self.tokens.number(at)?;
        // A year in another line may be the heading of what follows: it is when it has more words,
        // or when there is a heading already.
        let other_line = self.tokens.at(at).gap == Gap::Break;
        if other_line
            && self.heading_year(at).is_some()
            && (self.heading.is_some() || !self.begins_line(at + 1))
        {
            return None;
        }
        let behind = self.behind_year(at + 1);
        if digits == 4 && YEARS.contains(&value) && !self.goes_on(at) && !self.word_follows(behind) {
            return Some((value as i32, behind));
        }
        // `31 ago.-09 set. 2023`: the figures are the day of the other end.
        let other_end = self
            .month_at(self.skip_role(self.behind_day(at), Role::Of))
            .is_some();
        let short = digits == 2 && !self.goes_on(at) && !self.word_follows(at + 1) && !other_end;
        let joined = joint && (at <= month + 2 || self.tokens.mark(month + 1) != '\0');
        let is_time = |at: usize| {
            self.time_at(at)
                .is_some_and(|time| time.strength > Strength::Bare)
        };
        // `27 Aug 10–11.30am`: the figures are the first hour.
        let is_hours = self.is_dash(at + 1) && is_time(at + 2);
        let ends = self.lenient && !is_time(at) && !is_hours;
        // Two figures are a year only if something says so: a dash, an apostrophe, or a text that
        // is known to be a date.
        (short && (joined || apostrophe || ends)).then(|| (full_year(value, self.context), at + 1))
    }

    /// `г.`, `года`, `р.`, 年
    pub(super) fn behind_year(&self, index: usize) -> usize {
        let marked = self.tokens.has(index, Role::YearMark)
            && self.tokens.at(index).gap != Gap::Break
            && !self.tokens.has(index, Role::MonthPrefix);
        if marked {
            self.skip_joined(index + 1, '.')
        } else {
            index
        }
    }

    /// `2026-05-03`, `2026/5/3`, `2026. 5. 3.`, `2026年5月3日`, `2026. május 3.`, `2026 May 3`.
    pub(super) fn year_first(&self, index: usize, year: u32) -> Option<DatePart> {
        if let Some(next) = self.year_sign(index + 1) {
            let date = self.east_asian_month(next, Some(year as i32));
            return date;
        }
        let spelled = self.skip_joined(index + 1, '.');
        if let Some((month, languages, _)) = self
            .month_at(spelled)
            .filter(|_| self.tokens.at(spelled).gap != Gap::Break)
        {
            return self.month_behind_year(index, spelled, year, month, languages);
        }
        // Without a month in words, older years are more likely other numbers.
        if !YEARS_IN_FIGURES.contains(&year) {
            return None;
        }
        let mark = self.tokens.mark(index + 1);
        if !matches!(mark, '-' | '/' | '.' | '‑' | '／') || !self.tokens.joined(index + 1) {
            return None;
        }
        let spaced = mark == '.' && self.tokens.at(index + 2).gap == Gap::Space;
        let (month, month_digits) = self.tokens.number(index + 2)?;
        let fits =
            month_digits <= 2 && (1..=12).contains(&month) && (spaced || self.tokens.joined(index + 2));
        if !fits {
            return None;
        }
        let date = DatePart {
            year: Some(year as i32),
            ..DatePart::day(month, 0, index + 3)
        };
        let more = self.tokens.mark(index + 3) == mark && self.tokens.joined(index + 3);
        if !more {
            return (self.lenient && !self.word_follows(index + 3)).then_some(date);
        }
        let (day, day_digits) = self.tokens.number(index + 4)?;
        let fits = day_digits <= 2 && (1..=31).contains(&day) && (spaced || self.tokens.joined(index + 4));
        let next = if spaced {
            self.skip_joined(index + 5, '.')
        } else {
            index + 5
        };
        (fits && !self.is_cut_short(next, mark)).then_some(DatePart {
            day: day as u8,
            next,
            ..date
        })
    }

    fn month_behind_year(
        &self,
        year_at: usize,
        month_at: usize,
        year: u32,
        month: u32,
        languages: Languages,
    ) -> Option<DatePart> {
        let date = DatePart {
            year: Some(year as i32),
            languages,
            ..DatePart::day(month, 0, month_at + 1)
        };
        let day_at = self.skip_joined(month_at + 1, '.');
        match self.tokens.number(day_at) {
            Some((day, 1 | 2))
                if (1..=31).contains(&day)
                    && !self.goes_on(day_at)
                    && self.tokens.at(day_at).gap != Gap::Break =>
            {
                Some(DatePart {
                    day: day as u8,
                    next: self.behind_day(day_at),
                    ..date
                })
            }
            _ => (month_at > year_at + 1 || self.lenient).then_some(date),
        }
    }
}
