//! Dates in figures alone: `20/11/2026`, `20.11.26`, `2026-11-20`, `5/3`.

use super::context::DayMonthOrder;
use super::match_date::{DatePart, YEARS_IN_FIGURES};
use super::matcher::Matcher;
use super::resolve::full_year;
use super::token::Gap;

impl Matcher<'_> {
    /// Returns true if the digits continue after the expected end of a date.
    pub(super) fn is_cut_short(&self, next: usize, mark: char) -> bool {
        let time_follows = self.tokens.is_plain(next, "t")
            && self.tokens.joined(next + 1)
            && self.tokens.number(next + 1).is_some();
        let continued = self.tokens.mark(next) == mark
            && self.tokens.joined(next)
            && self.tokens.joined(next + 1)
            && self.tokens.number(next + 1).is_some();
        let other = matches!(self.tokens.mark(next), '%' | '€' | '$' | '_') && self.tokens.joined(next);
        !time_follows && (self.word_follows(next) || continued || other)
    }

    /// `20260503`: with a time joined to it by a T, or where a date is due.
    pub(super) fn compact(&self, index: usize, value: u32) -> Option<DatePart> {
        let (year, month, day) = (value / 10_000, value / 100 % 100, value % 100);
        let time_follows = self.tokens.is_plain(index + 1, "t")
            && self.tokens.joined(index + 1)
            && self.tokens.number(index + 2).is_some();
        let fits = YEARS_IN_FIGURES.contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
        (fits && (time_follows || self.lenient)).then_some(DatePart {
            year: Some(year as i32),
            ..DatePart::day(month, day, index + 1)
        })
    }

    /// `20/11/2026`, `20.11.26`, `3. 5. 2026`, `20.11.`, `5/3`.
    pub(super) fn in_figures(&self, index: usize) -> Option<DatePart> {
        let (first, first_digits) = self.tokens.number(index)?;
        let mark = self.tokens.mark(index + 1);
        if !matches!(mark, '.' | '/' | '-' | '‑' | '／') || !self.tokens.joined(index + 1) {
            return None;
        }
        let spaced = mark == '.' && self.tokens.at(index + 2).gap == Gap::Space;
        let (second, second_digits) = self.tokens.number(index + 2)?;
        if first_digits > 2 || second_digits > 2 || !(spaced || self.tokens.joined(index + 2)) {
            return None;
        }
        let (day, month) = self.day_and_month_of(first, second, mark)?;
        let date = DatePart {
            day_first: day == first,
            ..DatePart::day(month, day, index + 3)
        };
        if self.tokens.mark(index + 3) == mark && self.tokens.joined(index + 3) {
            if let Some((year, next)) = self.year_in_figures(index + 4, mark, spaced) {
                return Some(DatePart {
                    year: Some(year),
                    next,
                    ..date
                });
            }
            // `20.11.` ends with a point of its own; with figures behind it that is a version.
            let ends = mark == '.' && (!self.tokens.joined(index + 4) || self.is_dash(index + 4));
            return ends.then(|| {
                self.pointed(DatePart {
                    weak: true,
                    next: index + 4,
                    ..date
                })
            });
        }
        // Two figures joined by a dash are a range or a code more often than a day.
        // Before a comma and a time they are the end of an ISO date: `03-18, 15:00`.
        let two_digits = first_digits == 2 && second_digits == 2 && mark == '-';
        if two_digits && self.tokens.mark(index + 3) == ',' && (1..=12).contains(&first) {
            return Some(DatePart {
                weak: true,
                ..DatePart::day(first, second, index + 3)
            })
            .filter(|date| (1..=31).contains(&date.day));
        }
        let cut = self.goes_on(index + 2) || self.word_follows(index + 3) || matches!(mark, '-' | '‑');
        (!cut && !spaced).then_some(DatePart { weak: true, ..date })
    }

    /// `3.5. 2026`: the point ends the month, and the year is a separate token.
    fn pointed(&self, date: DatePart) -> DatePart {
        match self.tokens.number(date.next) {
            Some((year, 4))
                if YEARS_IN_FIGURES.contains(&year) && self.tokens.at(date.next).gap == Gap::Space =>
            {
                DatePart {
                    year: Some(year as i32),
                    weak: false,
                    next: date.next + 1,
                    ..date
                }
            }
            _ => date,
        }
    }

    fn year_in_figures(&self, index: usize, mark: char, spaced: bool) -> Option<(i32, usize)> {
        let (value, digits) = self.tokens.number(index)?;
        let space = self.tokens.at(index).gap;
        let apart = spaced && space == Gap::Space;
        if !(self.tokens.joined(index) || apart) || self.is_cut_short(index + 1, mark) {
            return None;
        }
        let next = self.behind_year(index + 1);
        match digits {
            4 if YEARS_IN_FIGURES.contains(&value) => Some((value as i32, next)),
            2 if !apart && self.may_be_short(index, mark) && !self.goes_on(index) => {
                Some((full_year(value, self.context), next))
            }
            _ => None,
        }
    }

    /// Returns true if two digits may be a year. After a dash they rarely are, unless the reader
    /// knows the order of dates. After points, single digits are more likely a version (`1.2.20`),
    /// at least in English. If the order is known, one of them may be single (`9.17.18`).
    fn may_be_short(&self, year: usize, mark: char) -> bool {
        let two_digits = |index: usize| self.tokens.number(index).is_some_and(|(_, digits)| digits == 2);
        let is_known = self.context.order != DayMonthOrder::Guess;
        let writes_points = self.languages.is_some() && super::words::language("en") != self.languages;
        match mark {
            _ if self.lenient => true,
            '.' if writes_points => true,
            '.' if is_known => two_digits(year - 2) || two_digits(year - 4),
            '.' => two_digits(year - 2) && two_digits(year - 4),
            '/' | '／' => true,
            '-' => is_known,
            _ => false,
        }
    }

    fn day_and_month_of(&self, first: u32, second: u32, mark: char) -> Option<(u32, u32)> {
        let month_first = if mark == '.' {
            self.month_before_point
        } else {
            self.month_first
        };
        let (month, day) = if month_first {
            (first, second)
        } else {
            (second, first)
        };
        // A number above 12 can only be the day, whatever the order.
        let (month, day) = if month > 12 { (day, month) } else { (month, day) };
        ((1..=12).contains(&month) && (1..=31).contains(&day)).then_some((day, month))
    }
}
