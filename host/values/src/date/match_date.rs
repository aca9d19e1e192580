//! Dates: with the month as a word, in figures, and in East Asian form.

use super::civil::Weekday;
use super::match_time::{Strength, TimePart};
use super::matcher::Matcher;
use super::resolve::full_year;
use super::token::Gap;
use super::words::{ANY_LANGUAGE, Languages, Role};

/// Years that dates on pages have.
const YEARS: std::ops::RangeInclusive<u32> = 1000..=2999;

/// Years that dates in figures alone have: older ones are more likely other numbers.
const YEARS_IN_FIGURES: std::ops::RangeInclusive<u32> = 1500..=2199;

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
    /// A time that stands inside: `Sat May 3 19:30:00 2026`.
    pub(super) time: Option<TimePart>,
    /// The index behind it.
    pub(super) next: usize,
}

impl DatePart {
    fn day(month: u32, day: u32, next: usize) -> Self {
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

    /// The marks and articles between a weekday and its date: `Samstag, den`.
    fn skip_to_date(&self, index: usize) -> usize {
        const MOST_SKIPPED: usize = 4;
        let mut at = index;
        for _ in 0..MOST_SKIPPED {
            let mark = matches!(
                self.tokens.mark(at),
                ',' | '.' | ':' | '|' | '·' | '/' | '、' | ')' | '，'
            ) || self.is_dash(at);
            let article = self.tokens.has(at, Role::Article)
                || self.tokens.is_plain(at, "le")
                || self.tokens.is_plain(at, "the");
            if !mark && !article {
                break;
            }
            at += 1;
        }
        at
    }

    fn weekday_agrees(&self, index: usize, languages: Languages, date: &DatePart) -> bool {
        if let Some(known) = self.languages {
            return known & languages != 0;
        }
        if date.languages != ANY_LANGUAGE {
            return languages & date.languages != 0;
        }
        self.tokens.written(index).starts_with(char::is_uppercase)
    }

    /// `(Sa)`, `, Saturday`, `(土)`
    fn with_weekday_behind(&self, date: DatePart) -> DatePart {
        let bracket = matches!(self.tokens.mark(date.next), '(' | '（' | '[');
        let comma = self.tokens.mark(date.next) == ',';
        let at = date.next + usize::from(bracket || comma);
        if date.weekday.is_some() || self.tokens.at(at).gap == Gap::Break {
            return date;
        }
        let Some((weekday, languages, weak, next)) = self.weekday_at(at) else {
            return date;
        };
        let closed = matches!(self.tokens.mark(next), ')' | '）' | ']');
        if bracket && !closed || weak && !bracket && !self.weekday_agrees(at, languages, &date) {
            return date;
        }
        // `3 May, Sunday 4 May`: the weekday belongs to what follows.
        if !bracket && self.core_at(self.skip_to_date(next)).is_some() {
            return date;
        }
        DatePart {
            weekday: Some(weekday),
            weak: false,
            next: next + usize::from(bracket),
            ..date
        }
    }

    /// The weekday at the token: which, in which languages, whether the word is weak, and what follows.
    pub(super) fn weekday_at(&self, index: usize) -> Option<(Weekday, Languages, bool, usize)> {
        if !self.tokens.is_word(index) {
            return None;
        }
        if let Some((weekday, next)) = self
            .east_asian_weekday(index)
            .or_else(|| self.vietnamese_weekday(index))
        {
            return Some((weekday, ANY_LANGUAGE, false, next));
        }
        let word = self.tokens.at(index).word;
        let strong = word.role(Role::Weekday);
        let (number, languages) = strong.or_else(|| word.role(Role::WeakWeekday))?;
        let mut next = index + 1;
        // `segunda-feira`
        if self.is_dash(next) && self.tokens.is_plain(next + 1, "feira") {
            next += 2;
        }
        let weekday = *Weekday::ALL.get(number as usize - 1)?;
        Some((weekday, languages, strong.is_none(), self.skip_joined(next, '.')))
    }

    fn east_asian_weekday(&self, index: usize) -> Option<(Weekday, usize)> {
        let position = |text: &str, list: &str| list.chars().position(|known| text.chars().eq([known]));
        let written = self.tokens.written(index);
        if matches!(written, "星期" | "周" | "礼拜" | "週") {
            let number = position(self.tokens.written(index + 1), "一二三四五六日")
                .or_else(|| position(self.tokens.written(index + 1), "……………天").map(|_| 6))?;
            return Weekday::ALL.get(number).map(|weekday| (*weekday, index + 2));
        }
        let number = position(written, "月火水木金土日").or_else(|| position(written, "월화수목금토일"))?;
        let suffixed = matches!(self.tokens.written(index + 1), "曜日" | "曜" | "요일");
        let bracketed = index > 0
            && matches!(self.tokens.mark(index - 1), '(' | '（' | '[')
            && matches!(self.tokens.mark(index + 1), ')' | '）' | ']' | '・');
        (suffixed || bracketed).then_some((Weekday::ALL[number], index + 1 + usize::from(suffixed)))
    }

    /// `Thứ Bảy` is the seventh day counted from Sunday; `Chủ nhật` is Sunday.
    fn vietnamese_weekday(&self, index: usize) -> Option<(Weekday, usize)> {
        let folded = |index: usize| crate::text::fold_word(self.tokens.written(index));
        let first = self.tokens.written(index);
        if !first.to_lowercase().starts_with(['t', 'c'])
            || first.is_ascii()
            || first.len() > 6
            || !self.tokens.is_word(index + 1)
        {
            return None;
        }
        match (folded(index).as_str(), folded(index + 1).as_str()) {
            ("chu", "nhat") => Some((Weekday::Sunday, index + 2)),
            ("thu", name) => {
                let names = ["hai", "ba", "tu", "nam", "sau", "bay"];
                let number = names.iter().position(|known| *known == name)?;
                Some((Weekday::ALL[number], index + 2))
            }
            _ => None,
        }
    }

    /// A date without its weekday.
    fn core_at(&self, index: usize) -> Option<DatePart> {
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
        if self.tokens.at(next).gap == Gap::Break
            || self.tokens.number(next).is_none_or(|(_, digits)| digits > 2)
        {
            let weekday = self.weekday_at(next)?;
            return self.several_days_ending(first, self.core_at(self.skip_to_date(weekday.3))?, adjacent);
        }
        let (value, _) = self.tokens.number(next)?;
        let last = self
            .day_and_month(next, value)
            .or_else(|| self.in_figures(next).filter(|date| !date.weak))?;
        self.several_days_ending(first, last, adjacent)
    }

    fn several_days_ending(&self, first: u32, last: DatePart, adjacent: bool) -> Option<DatePart> {
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
    fn behind_day(&self, index: usize) -> usize {
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
        // A number and a month in lines of their own belong together when the number is alone in its line.
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

    /// Adds the year that follows, if one does; `month` is the index of the month's word.
    fn with_year(&self, date: DatePart, month: usize) -> DatePart {
        match self.year_behind(date.next, month) {
            Some((year, next)) => DatePart {
                year: Some(year),
                next,
                ..date
            },
            None => date,
        }
    }

    fn year_behind(&self, index: usize, month: usize) -> Option<(i32, usize)> {
        let mut at = self.skip_mark(index, ',');
        at = self.skip_role(self.skip_role(at, Role::Of), Role::YearMark);
        let joint = matches!(self.tokens.mark(at), '-' | '/' | '‑')
            && self.tokens.joined(at)
            && self.tokens.joined(at + 1);
        at += usize::from(joint);
        let apostrophe = matches!(self.tokens.mark(at), '\'' | '’' | '‘') && self.tokens.joined(at + 1);
        at += usize::from(apostrophe);
        let (value, digits) = self.tokens.number(at)?;
        let behind = self.behind_year(at + 1);
        if digits == 4 && YEARS.contains(&value) && !self.goes_on(at) && !self.word_follows(behind) {
            return Some((value as i32, behind));
        }
        let short = digits == 2 && !self.goes_on(at) && !self.word_follows(at + 1);
        let joined = joint && (at <= month + 2 || self.tokens.mark(month + 1) != '\0');
        let ends = self.lenient
            && self
                .time_at(at)
                .is_none_or(|time| time.strength == Strength::Bare);
        (short && (joined || apostrophe || ends)).then(|| (full_year(value, self.context), at + 1))
    }

    /// `г.`, `года`, `р.`, 年
    fn behind_year(&self, index: usize) -> usize {
        let marked = self.tokens.has(index, Role::YearMark)
            && self.tokens.at(index).gap != Gap::Break
            && !self.tokens.has(index, Role::MonthPrefix);
        if marked {
            self.skip_joined(index + 1, '.')
        } else {
            index
        }
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
        let (year, next) = self.year_behind(at, index)?;
        let line = self.tokens.at(at).gap;
        let in_range = YEARS_IN_FIGURES.contains(&(year as u32));
        (in_range && line != Gap::Break).then_some(DatePart {
            year: Some(year),
            day: 0,
            languages,
            ..DatePart::day(month, 0, next)
        })
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

    /// `2026-05-03`, `2026/5/3`, `2026. 5. 3.`, `2026年5月3日`, `2026. május 3.`, `2026 May 3`.
    fn year_first(&self, index: usize, year: u32) -> Option<DatePart> {
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

    /// Whether the figures go on after what should be the end of a date.
    fn is_cut_short(&self, next: usize, mark: char) -> bool {
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

    fn year_sign(&self, index: usize) -> Option<usize> {
        (self.tokens.is(index, "年") || self.tokens.is(index, "년")).then_some(index + 1)
    }

    /// 令和8年5月3日: years of the era of an emperor.
    fn era_year(&self, index: usize) -> Option<DatePart> {
        let before = match self.tokens.written(index) {
            "令和" => 2018,
            "平成" => 1988,
            _ => return None,
        };
        let (year, _) = self.tokens.number(index + 1)?;
        let next = self.year_sign(index + 2)?;
        self.east_asian_month(next, Some(before + year.min(99) as i32))
    }

    /// `5月3日`, `5월 3일`; without a day only behind a year.
    fn east_asian_month(&self, index: usize, year: Option<i32>) -> Option<DatePart> {
        let (month, _) = self
            .tokens
            .number(index)
            .filter(|(month, _)| (1..=12).contains(month))?;
        if !self.tokens.is(index + 1, "月") && !self.tokens.is(index + 1, "월") {
            return None;
        }
        let date = DatePart {
            year,
            ..DatePart::day(month, 0, index + 2)
        };
        let day = self
            .tokens
            .number(index + 2)
            .filter(|(day, _)| (1..=31).contains(day));
        let sign = ["日", "일", "号", "號"]
            .iter()
            .any(|sign| self.tokens.is(index + 3, sign));
        match day {
            Some((day, _)) if sign => Some(self.east_asian_last_day(DatePart {
                day: day as u8,
                next: index + 4,
                ..date
            })),
            _ => year.is_some().then_some(date),
        }
    }

    /// 5月3日～5日
    fn east_asian_last_day(&self, date: DatePart) -> DatePart {
        let Some(at) = self.range_mark(date.next, ANY_LANGUAGE) else {
            return date;
        };
        let sign = ["日", "일", "号"].iter().any(|sign| self.tokens.is(at + 1, sign));
        match self.tokens.number(at) {
            Some((last, _)) if sign && last <= 31 && last > u32::from(date.day) => DatePart {
                last_day: Some(last as u8),
                next: at + 2,
                ..date
            },
            _ => date,
        }
    }

    /// `20260503`: with a time joined to it by a T, or where a date is due.
    fn compact(&self, index: usize, value: u32) -> Option<DatePart> {
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
    fn in_figures(&self, index: usize) -> Option<DatePart> {
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
            let ends = mark == '.' && (!self.tokens.joined(index + 4) || self.is_dash(index + 4));
            return ends.then(|| {
                self.pointed(DatePart {
                    weak: true,
                    next: index + 4,
                    ..date
                })
            });
        }
        let cut = self.goes_on(index + 2) || self.word_follows(index + 3) || matches!(mark, '-' | '‑');
        (!cut && !spaced).then_some(DatePart { weak: true, ..date })
    }

    /// `3.5. 2026`: the point ends the month, and the year stands apart.
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
            2 if !apart && (mark != '-' || self.lenient) && !self.goes_on(index) => {
                Some((full_year(value, self.context), next))
            }
            _ => None,
        }
    }

    fn day_and_month_of(&self, first: u32, second: u32, mark: char) -> Option<(u32, u32)> {
        let month_first = self.month_first && mark != '.';
        let (month, day) = if month_first {
            (first, second)
        } else {
            (second, first)
        };
        let (month, day) = if month > 12 { (day, month) } else { (month, day) };
        ((1..=12).contains(&month) && (1..=31).contains(&day)).then_some((day, month))
    }
}
