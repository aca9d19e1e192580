//! Days of the week beside dates: `Samstag, den 3. Mai`, `3 May (Sat)`, `(土)`, `Thứ Bảy`.

use super::civil::Weekday;
use super::match_date::DatePart;
use super::matcher::Matcher;
use super::token::Gap;
use super::words::{ANY_LANGUAGE, Languages, Role};

impl Matcher<'_> {
    /// The marks and articles between a weekday and its date: `Samstag, den`.
    pub(super) fn skip_to_date(&self, index: usize) -> usize {
        const MAX_SKIPPED: usize = 4;
        let mut at = index;
        for _ in 0..MAX_SKIPPED {
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

    pub(super) fn weekday_agrees(&self, index: usize, languages: Languages, date: &DatePart) -> bool {
        if let Some(known) = self.languages {
            return known & languages != 0;
        }
        if date.languages != ANY_LANGUAGE {
            return languages & date.languages != 0;
        }
        // Neither the text nor the date names a language, so a capital must do.
        self.tokens.written(index).starts_with(char::is_uppercase)
    }

    /// `(Sa)`, `, Saturday`, `(土)`
    pub(super) fn with_weekday_behind(&self, date: DatePart) -> DatePart {
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
        // `3 May, Sunday 4 May`: the weekday belongs to what follows. `Feb. 12, Mar. 11`: it is a
        // month.
        let is_month = || weak && self.month_at(at).is_some() && self.tokens.number(next).is_some();
        if !bracket && (self.core_at(self.skip_to_date(next)).is_some() || is_month()) {
            return date;
        }
        DatePart {
            weekday: Some(weekday),
            weak: false,
            next: next + usize::from(bracket),
            ..date
        }
    }

    /// The weekday at the token: which, in which languages, whether the word is weak, and what
    /// follows.
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
                // `天` is Sunday as well as `日`, and the dots keep its place.
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
        // Checked before folding, because every word near a figure comes by here.
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
}
