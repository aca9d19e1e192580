//! Dates in Chinese, Japanese and Korean: `2026年5月3日`, `5월 3일`, `令和8年5月3日`.

use super::match_date::DatePart;
use super::matcher::Matcher;
use super::words::ANY_LANGUAGE;

impl Matcher<'_> {
    pub(super) fn year_sign(&self, index: usize) -> Option<usize> {
        (self.tokens.is(index, "年") || self.tokens.is(index, "년")).then_some(index + 1)
    }

    /// 令和8年5月3日: years of the era of an emperor.
    pub(super) fn era_year(&self, index: usize) -> Option<DatePart> {
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
    pub(super) fn east_asian_month(&self, index: usize, year: Option<i32>) -> Option<DatePart> {
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
}
