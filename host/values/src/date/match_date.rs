//! Dates: with the month as a word, in figures, and in East Asian form.

use super::civil::Weekday;
use super::match_time::{Strength, TimePart};
use super::matcher::Matcher;
use super::token::Gap;
use super::words::{ANY_LANGUAGE, Languages, Role};

/// Years that dates on pages have.
pub(super) const YEARS: std::ops::RangeInclusive<u32> = 1000..=2999;

/// Years that dates in figures alone have: older ones are more likely other numbers.
pub(super) const YEARS_IN_FIGURES: std::ops::RangeInclusive<u32> = 1500..=2199;

/// A date as written.
#[derive(Debug, Clone, Copy)]
pub(super) struct DatePart {
    pub(super) year: Option<i32>,
    /// 0 only while the other end of a range has to supply it.
    pub(super) month: u8,
    /// 0 when only the month is written.
    pub(super) day: u8,
    pub(super) weekday: Option<Weekday>,
    /// The last day of a range within the month: `3-5 May`.
    pub(super) last_day: Option<u8>,
    /// Not enough by itself to be a date in running text: `3/5`, `may 3`.
    pub(super) weak: bool,
    /// The day number comes first, so a day alone may stand before it: `3. - 5. Mai`.
    pub(super) day_first: bool,
    /// The languages in which it is written so.
    pub(super) languages: Languages,
    /// A time inside the date: `Sat May 3 19:30:00 2026`.
    pub(super) time: Option<TimePart>,
    /// The index behind it.
    pub(super) next: usize,
}

impl DatePart {
    pub(super) fn day(month: u32, day: u32, next: usize) -> Self {
        Self {
            year: None,
            month: month as u8,
            day: day as u8,
            weekday: None,
            last_day: None,
            weak: false,
            day_first: false,
            languages: ANY_LANGUAGE,
            time: None,
            next,
        }
    }
}

impl Matcher<'_> {
    /// The date that begins at the token, with its weekday before or behind it.
    pub(super) fn date_at(&self, index: usize) -> Option<DatePart> {
        if let Some((weekday, languages, weak, next)) = self.weekday_at(index) {
            let start = self.skip_to_date(next);
            if let Some(date) = self.core_at(start) {
                // A weak weekday is another word as well, such as `sat`. It counts only in the
                // language of the text or of the date.
                if !weak || self.weekday_agrees(index, languages, &date) {
                    return Some(DatePart {
                        weekday: Some(weekday),
                        weak: false,
                        ..date
                    });
                }
                return None;
            }
        }
        let date = self.core_at(index)?;
        Some(self.with_weekday_behind(date))
    }

    /// A date without its weekday.
    pub(super) fn core_at(&self, index: usize) -> Option<DatePart> {
        if self.tokens.number(index).is_some() {
            return self.number_first(index);
        }
        if self.tokens.has(index, Role::MonthPrefix) {
            return self.prefixed_month(index);
        }
        if self.tokens.has(index, Role::Article) && self.tokens.has(index + 2, Role::MonthPrefix) {
            return self.number_first(index + 1);
        }
        self.era_year(index).or_else(|| self.month_first_date(index))
    }

    fn number_first(&self, index: usize) -> Option<DatePart> {
        let (value, digits) = self.tokens.number(index)?;
        match digits {
            4 if YEARS.contains(&value) => self.year_first(index, value),
            8 => self.compact(index, value),
            1 | 2 if (1..=31).contains(&value) => self
                .several_days(index, value)
                .or_else(|| self.day_and_month(index, value))
                .or_else(|| self.east_asian_month(index, None))
                .or_else(|| self.in_figures(index)),
            _ => None,
        }
    }

    /// `3.-5. Mai`, `3 to 5 May`, `1.-3.5.2026`: a day alone, and a date that begins with a day.
    fn several_days(&self, index: usize, first: u32) -> Option<DatePart> {
        let plain = self.behind_day(index);
        let (next, adjacent) = match self.range_mark(plain, ANY_LANGUAGE) {
            Some(next) => (next, false),
            None if self.tokens.has(plain, Role::And) || matches!(self.tokens.mark(plain), '&' | '/') => {
                (plain + 1, true)
            }
            None => return None,
        };
        // `Sat 3 – Sun 4 May`
        let next = self
            .weekday_at(next)
            .map_or(next, |weekday| self.skip_to_date(weekday.3));
        let (value, digits) = self
            .tokens
            .number(next)
            .filter(|_| self.tokens.at(next).gap != Gap::Break)?;
        if digits > 2 {
            return None;
        }
        // Not by way of `number_first`, which would come back here for every further dash.
        let last = self
            .day_and_month(next, value)
            .or_else(|| self.in_figures(next).filter(|date| !date.weak))?;
        self.several_days_ending(first, last, adjacent)
    }

    fn several_days_ending(&self, first: u32, last: DatePart, adjacent: bool) -> Option<DatePart> {
        // `3 and 4 May` are two days in a row; `3 and 9 May` are two dates.
        let fits = last.day_first
            && last.last_day.is_none()
            && (first as u8) < last.day
            && (!adjacent || first as u8 + 1 == last.day);
        fits.then_some(DatePart {
            day: first as u8,
            last_day: Some(last.day),
            weekday: None,
            ..last
        })
    }

    /// The index behind a day's number with its suffix and point: `3rd`, `1er`, `3.`, `3-го`.
    pub(super) fn behind_day(&self, index: usize) -> usize {
        let mut at = index + 1;
        if self.tokens.joined(at) && self.tokens.has(at, Role::Ordinal) {
            at += 1;
        } else if self.tokens.mark(at) == '-'
            && self.tokens.joined(at)
            && self.tokens.joined(at + 1)
            && self.tokens.has(at + 1, Role::Ordinal)
        {
            at += 2;
        } else if matches!(self.tokens.mark(at), 'º' | 'ª' | '°') && self.tokens.joined(at) {
            at += 1;
        }
        self.skip_joined(at, '.')
    }

    /// `3 May 2026`, `3. Mai`, `3 de mayo de 2026`, `03-May-26`.
    fn day_and_month(&self, index: usize, day: u32) -> Option<DatePart> {
        let mut at = self.behind_day(index);
        if self.tokens.has(at, Role::MonthPrefix) && self.tokens.number(at + 1).is_some() {
            return self.prefixed_month(at).map(|date| DatePart {
                day: day as u8,
                ..date
            });
        }
        let joint = matches!(self.tokens.mark(at), '-' | '/' | '‑') && self.tokens.joined(at);
        at = if joint { at + 1 } else { self.skip_of(at) };
        let (month, languages, weak) = self.month_at(at)?;
        // A number and a month in lines of their own belong together when the number is alone in
        // its line.
        if self.tokens.at(at).gap == Gap::Break && !self.begins_line(index) {
            return None;
        }
        let date = DatePart {
            languages,
            day_first: true,
            ..DatePart::day(month, day, self.skip_joined(at + 1, '.'))
        };
        let date = self.with_year(date, at);
        Some(DatePart {
            weak: weak && date.year.is_none(),
            ..date
        })
    }

    /// `of`, `de`, `d'`
    fn skip_of(&self, index: usize) -> usize {
        let elided = self.tokens.is_plain(index, "d") && matches!(self.tokens.mark(index + 1), '\'' | '’');
        if elided {
            index + 2
        } else {
            self.skip_role(index, Role::Of)
        }
    }

    /// The month that the word names, its languages, and whether more should speak for it.
    pub(super) fn month_at(&self, index: usize) -> Option<(u32, Languages, bool)> {
        let word = self.tokens.at(index).word;
        let strong = word.role(Role::Month);
        let (month, languages) = strong.or_else(|| word.role(Role::WeakMonth))?;
        let capital = self.tokens.written(index).starts_with(char::is_uppercase);
        let weak = if strong.is_some() {
            // English and German months have capitals; without one it is some other word.
            !capital && self.is_in(languages) && self.writes_capitals()
        } else {
            !self.is_in(languages) && (self.languages.is_some() || !capital)
                || !capital && self.writes_capitals()
        };
        Some((month as u32, languages, weak))
    }

    fn writes_capitals(&self) -> bool {
        ["en", "de"]
            .iter()
            .filter_map(|tag| super::words::language(tag))
            .any(|language| self.is_in(language))
    }

    /// `May 3, 2026`, `May 3rd`, `May 3-5, 2026`, `November 2026`.
    fn month_first_date(&self, index: usize) -> Option<DatePart> {
        let (month, languages, weak) = self.month_at(index)?;
        let at = self.skip_joined(index + 1, '.');
        let day = self.day_behind_month(index, self.skip_role(at, Role::Article));
        let Some((day, mut next)) = day else {
            return self.month_and_year(index, month, languages);
        };
        let last_day = self.last_day_behind(next, day, languages);
        if let Some((_, behind)) = last_day {
            next = behind;
        }
        let mut date = DatePart {
            languages,
            last_day: last_day.map(|last| last.0 as u8),
            ..DatePart::day(month, day, next)
        };
        date = self.with_year(date, index);
        if date.year.is_none() {
            date = self.with_time_and_year(date);
        }
        Some(DatePart {
            weak: weak && date.year.is_none(),
            ..date
        })
    }

    fn day_behind_month(&self, month: usize, index: usize) -> Option<(u32, usize)> {
        let (day, digits) = self.tokens.number(index)?;
        if digits > 2 || !(1..=31).contains(&day) || self.goes_on(index) {
            return None;
        }
        let token = self.tokens.at(index);
        let alone = self.begins_line(month) && self.begins_line(index + 1);
        if token.gap == Gap::Break && !alone {
            return None;
        }
        let next = index + 1;
        let ordinal = self.tokens.joined(next) && self.tokens.has(next, Role::Ordinal);
        // `May 7pm`
        if !ordinal
            && (self.tokens.joined(next) && self.word_follows(next)
                || self
                    .time_at(index)
                    .is_some_and(|time| time.strength == Strength::Marked))
        {
            return None;
        }
        Some((day, next + usize::from(ordinal)))
    }

    /// The other end of `May 3 - 5`, unless it is a time or another date.
    fn last_day_behind(&self, index: usize, first: u32, languages: Languages) -> Option<(u32, usize)> {
        let (at, adjacent) = match self.range_mark(index, languages) {
            Some(at) => (at, false),
            None if self.tokens.mark(index) == '&' || self.tokens.has(index, Role::And) => (index + 1, true),
            None => return None,
        };
        let (last, digits) = self.tokens.number(at)?;
        let fits = digits <= 2 && last <= 31 && last > first && (!adjacent || last == first + 1);
        if !fits || self.goes_on(at) || self.tokens.at(at).gap == Gap::Break {
            return None;
        }
        let next = at + 1;
        let ordinal = self.tokens.joined(next) && self.tokens.has(next, Role::Ordinal);
        let other_date = self.month_at(self.behind_day(at)).is_some();
        let time = self
            .time_at(at)
            .is_some_and(|time| time.strength > Strength::Bare);
        (!time && !other_date && (ordinal || !self.word_follows(next)))
            .then_some((last, next + usize::from(ordinal)))
    }

    /// The C library's order: `Sat May  3 19:30:00 2026`.
    fn with_time_and_year(&self, date: DatePart) -> DatePart {
        let Some(time) = self.time_at(date.next).filter(|time| time.second.is_some()) else {
            return date;
        };
        match self.tokens.number(time.next) {
            Some((year, 4)) if YEARS.contains(&year) => DatePart {
                year: Some(year as i32),
                time: Some(time),
                next: time.next + 1,
                ..date
            },
            _ => date,
        }
    }

    fn month_and_year(&self, index: usize, month: u32, languages: Languages) -> Option<DatePart> {
        let at = self.skip_joined(index + 1, '.');
        let date = DatePart {
            languages,
            ..DatePart::day(month, 0, at)
        };
        let Some((year, next)) = self.year_behind(at, index) else {
            return self.month_before_month(date);
        };
        let fits = YEARS_IN_FIGURES.contains(&(year as u32)) && self.tokens.at(at).gap != Gap::Break;
        fits.then_some(DatePart {
            year: Some(year),
            next,
            ..date
        })
    }

    /// `May – June 2026`: the first month alone, when the range continues to a month with a year.
    fn month_before_month(&self, date: DatePart) -> Option<DatePart> {
        let at = self.range_mark(date.next, date.languages)?;
        self.month_at(at)?;
        self.year_behind(self.skip_joined(at + 1, '.'), at)?;
        Some(DatePart { weak: true, ..date })
    }

    /// `tháng 5 năm 2026`, `tháng 5/2026`; the day before it is added by the caller.
    fn prefixed_month(&self, index: usize) -> Option<DatePart> {
        let (month, digits) = self.tokens.number(index + 1)?;
        if digits > 2 || !(1..=12).contains(&month) {
            return None;
        }
        let date = DatePart {
            day_first: true,
            ..DatePart::day(month, 0, index + 2)
        };
        let date = self.with_year(date, index + 1);
        let day_before = index > 0 && self.tokens.number(index - 1).is_some();
        (date.year.is_some() || day_before).then_some(date)
    }
}
