//! Times of day: `7:30 PM`, `19.30 Uhr`, `19h30`, `下午7点半`, `noon`.

use super::matcher::Matcher;
use super::token::Gap;
use super::words::Role;

/// Strength of the evidence that a number is a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Strength {
    /// A bare hour: `18`.
    Bare,
    /// An hour and minutes with a point, or an hour with an `h`: `19.30`, `20h`.
    Likely,
    /// Written as times are: `19:30`.
    Clear,
    /// With a word that only times have: `7 pm`, `20 Uhr`, `noon`.
    Marked,
}

/// A time as written.
#[derive(Debug, Clone, Copy)]
pub(super) struct TimePart {
    /// 0 to 24.
    pub(super) hour: u8,
    pub(super) minute: u8,
    pub(super) second: Option<u8>,
    /// True after noon; `None` if not stated.
    pub(super) afternoon: Option<bool>,
    /// Minutes east of UTC.
    pub(super) offset: Option<i16>,
    pub(super) strength: Strength,
    /// The index behind it.
    pub(super) next: usize,
}

impl TimePart {
    pub(super) fn at(hour: u32, next: usize, strength: Strength) -> Option<Self> {
        let hour = u8::try_from(hour).ok().filter(|hour| *hour <= 24)?;
        Some(Self {
            hour,
            minute: 0,
            second: None,
            afternoon: None,
            offset: None,
            strength,
            next,
        })
    }

    /// The hour on a clock of 24 hours.
    pub(super) fn full_hour(&self) -> u8 {
        match (self.afternoon, self.hour) {
            (Some(true), 1..=11) => self.hour + 12,
            (Some(false), 12) => 0,
            (_, hour) => hour,
        }
    }

    pub(super) fn minutes_of_day(&self) -> u16 {
        u16::from(self.full_hour()) * 60 + u16::from(self.minute)
    }

    fn is_possible(&self) -> bool {
        self.minute <= 59
            && self.second.is_none_or(|second| second <= 60)
            // 24:30 is in the night that ends the day; 24.30 may be an amount.
            && (self.hour < 24 || self.minute == 0 || self.strength >= Strength::Clear)
    }
}

impl Matcher<'_> {
    /// The time that begins at the token, however little speaks for it.
    pub(super) fn time_at(&self, index: usize) -> Option<TimePart> {
        if let Some(noon) = self.noon_at(index) {
            return Some(noon);
        }
        let prefixed = self.hour_prefix(index);
        let before = prefixed.unwrap_or(index);
        let day_part = self.day_part_before(before);
        let start = before + usize::from(day_part.is_some());
        let mut time = self.figures(start)?;
        if prefixed.is_some() {
            time.strength = Strength::Marked;
        }
        if let Some(afternoon) = day_part {
            time.afternoon = Some(afternoon);
            time.strength = Strength::Marked;
        }
        time = self.with_marks(time);
        let time = self.with_offset(time);
        // A word right behind the figures is a unit, unless it was read as a zone.
        (time.is_possible() && (time.offset.is_some() || !self.word_follows(time.next))).then_some(time)
    }

    /// Noon and midnight in words.
    fn noon_at(&self, index: usize) -> Option<TimePart> {
        if self.tokens.is(index, "正午") || self.tokens.is(index, "정오") {
            return TimePart::at(12, index + 1, Strength::Marked);
        }
        let (hour, languages) = self.tokens.at(index).word.role(Role::Noon)?;
        if !self.may_be(languages) || !self.tokens.is_word(index) {
            return None;
        }
        TimePart::at(hour as u32, index + 1, Strength::Marked).map(|time| self.with_offset(time))
    }

    /// The index behind `kl.`, `klo`, `ore`.
    fn hour_prefix(&self, index: usize) -> Option<usize> {
        let (_, languages) = self.tokens.at(index).word.role(Role::HourPrefix)?;
        self.may_be(languages)
            .then(|| self.skip_joined(self.skip_joined(index + 1, '.'), ':'))
    }

    /// 午後 and its like, which stand before the hour.
    fn day_part_before(&self, index: usize) -> Option<bool> {
        match self.tokens.at(index).length() {
            6 => {}
            _ => return None,
        }
        match self.tokens.written(index) {
            "午前" | "上午" | "早上" | "凌晨" | "오전" => Some(false),
            "午後" | "下午" | "晚上" | "中午" | "오후" => Some(true),
            _ => None,
        }
    }

    /// Hours, minutes and seconds in figures.
    fn figures(&self, index: usize) -> Option<TimePart> {
        let (hour, digits) = self.tokens.number(index)?;
        match digits {
            1 | 2 => {}
            4 => return self.four_figures(index, hour),
            _ => return None,
        }
        let time = TimePart::at(hour, index + 1, Strength::Bare)?;
        let mark = self.tokens.mark(index + 1);
        let joined = self.tokens.joined(index + 1) && self.tokens.joined(index + 2);
        match mark {
            ':' | '：' if joined => self.after_colon(time),
            '.' if joined => Some(self.after_point(time)),
            _ => Some(self.after_hour_mark(time)),
        }
    }

    /// `1930 Uhr`, `1930 hrs`.
    fn four_figures(&self, index: usize, value: u32) -> Option<TimePart> {
        let marked = self.tokens.is_plain(index + 1, "uhr") || self.tokens.is_plain(index + 1, "hrs");
        let time = TimePart::at(value / 100, index + 1, Strength::Bare)?;
        (marked && value % 100 <= 59).then_some(TimePart {
            minute: (value % 100) as u8,
            ..time
        })
    }

    fn after_colon(&self, time: TimePart) -> Option<TimePart> {
        let (minute, digits) = self.tokens.number(time.next + 1)?;
        // `3:1` is a result or a ratio.
        if digits != 2 {
            return None;
        }
        let mut time = TimePart {
            minute: minute as u8,
            strength: Strength::Clear,
            next: time.next + 2,
            ..time
        };
        let more = matches!(self.tokens.mark(time.next), ':' | '：') && self.tokens.joined(time.next);
        if let (true, true, Some((second, digits))) = (
            more,
            self.tokens.joined(time.next + 1),
            self.tokens.number(time.next + 1),
        ) {
            if digits != 2 {
                return None;
            }
            time.second = Some(second as u8);
            time.next += 2;
            time.next = self.skip_fraction(time.next);
            // Four parts are an address or a code, not a time.
            if self.tokens.mark(time.next) == ':'
                && self.tokens.joined(time.next)
                && self.tokens.joined(time.next + 1)
            {
                return None;
            }
        }
        Some(time)
    }

    fn skip_fraction(&self, index: usize) -> usize {
        let point = matches!(self.tokens.mark(index), '.' | ',') && self.tokens.joined(index);
        let figures = self.tokens.number(index + 1).is_some() && self.tokens.joined(index + 1);
        if point && figures { index + 2 } else { index }
    }

    fn after_point(&self, time: TimePart) -> TimePart {
        let next = self.tokens.number(time.next + 1);
        let goes_on = self.goes_on(time.next + 1);
        match next {
            Some((minute, 2)) if minute <= 59 && !goes_on => TimePart {
                minute: minute as u8,
                strength: Strength::Likely,
                next: time.next + 2,
                ..time
            },
            _ => self.after_hour_mark(time),
        }
    }

    /// `19h30`, `19 Uhr 30`, `19時30分`, `7点半`.
    fn after_hour_mark(&self, time: TimePart) -> TimePart {
        if let Some(mark) = self.east_asian_hour(time.next) {
            return self.east_asian_minutes(TimePart {
                next: mark,
                strength: Strength::Marked,
                ..time
            });
        }
        let Some((_, languages)) = self.tokens.at(time.next).word.role(Role::HourMark) else {
            return time;
        };
        let short = self.tokens.at(time.next).length() == 1;
        // `19h30` is read in any language.
        let both_joined = self.tokens.joined(time.next) && self.tokens.joined(time.next + 1);
        if !(self.may_be(languages) || short && both_joined) || self.tokens.at(time.next).gap == Gap::Break {
            return time;
        }
        // Words for hours are words for durations too, but for a few; `3 hours` is never a time.
        let certain = ["uhr", "uur"]
            .iter()
            .any(|mark| self.tokens.is_plain(time.next, mark));
        if super::words::language("en") == Some(languages) {
            return time;
        }
        let strength = if certain {
            Strength::Marked
        } else {
            Strength::Likely
        };
        let mut time = TimePart {
            next: self.skip_joined(time.next + 1, '.'),
            strength,
            ..time
        };
        let minutes = self
            .tokens
            .number(time.next)
            .filter(|(minute, digits)| *digits == 2 && *minute <= 59);
        // `1h 18min` is a duration.
        if minutes.is_some() && self.tokens.has(time.next + 1, Role::MinuteMark) {
            return TimePart {
                strength: Strength::Bare,
                ..time
            };
        }
        let near = self.tokens.at(time.next).gap <= Gap::Space && !self.goes_on(time.next);
        if let (Some((minute, _)), true) = (minutes, near && (short || !self.date_follows(time.next))) {
            time = TimePart {
                minute: minute as u8,
                next: time.next + 1,
                strength: strength.max(Strength::Clear),
                ..time
            };
        }
        time
    }

    /// Returns true if the number begins a date instead of giving the minutes: `20 Uhr 12. Mai`.
    fn date_follows(&self, index: usize) -> bool {
        self.tokens.mark(index + 1) == '.' && self.tokens.joined(index + 1)
    }

    fn east_asian_hour(&self, index: usize) -> Option<usize> {
        let marks = ["時", "时", "点", "點", "시"];
        marks
            .iter()
            .any(|mark| self.tokens.is(index, mark))
            .then_some(index + 1)
    }

    fn east_asian_minutes(&self, time: TimePart) -> TimePart {
        if self.tokens.is(time.next, "半") || self.tokens.is(time.next, "반") {
            return TimePart {
                minute: 30,
                next: time.next + 1,
                ..time
            };
        }
        match self.tokens.number(time.next) {
            Some((minute, _))
                if minute <= 59
                    && (self.tokens.is(time.next + 1, "分") || self.tokens.is(time.next + 1, "분")) =>
            {
                TimePart {
                    minute: minute as u8,
                    next: time.next + 2,
                    ..time
                }
            }
            _ => time,
        }
    }

    /// Reads the marks after the digits: `pm`, `Uhr`, `in the evening`, `12 noon`.
    fn with_marks(&self, time: TimePart) -> TimePart {
        let mut time = time;
        let near = self.tokens.at(time.next).gap <= Gap::Space;
        if let Some(noon) = self
            .noon_at(time.next)
            .filter(|_| near && time.hour == 12 && time.minute == 0)
        {
            return noon;
        }
        let hour_mark = self.tokens.at(time.next).word.role(Role::HourMark);
        if time.minute > 0 || time.strength >= Strength::Likely {
            if let Some((_, languages)) = hour_mark {
                let long_or_joined = self.tokens.at(time.next).length() > 1 || self.tokens.joined(time.next);
                // `19.30 h`, `19.00 h` and `02.00 h` are times, `1.30 h` and `10.00 h` durations.
                let hour_length = |at: usize| self.tokens.at(at).length();
                let has_zero = time.hour < 10 && time.next.checked_sub(3).map(hour_length) == Some(2);
                let is_late = time.hour > 12 || time.hour >= 10 && time.minute > 0;
                let is_time = near && (is_late || has_zero);
                if self.may_be(languages) && (long_or_joined || is_time) {
                    time = TimePart {
                        next: time.next + 1,
                        strength: Strength::Marked,
                        ..time
                    };
                }
            }
        }
        if let Some((afternoon, next)) = self
            .meridiem(time.next)
            .or_else(|| self.day_part_behind(time.next))
        {
            // `15.5 a` and `0 pm` are something else; `19:30 PM` is a clock of 24 hours with a
            // habit.
            if time.strength >= Strength::Clear || (1..=12).contains(&time.hour) {
                return TimePart {
                    afternoon: Some(afternoon),
                    next,
                    strength: Strength::Marked,
                    ..time
                };
            }
        }
        if self.tokens.is_plain(time.next, "o") && self.tokens.is_plain(time.next + 2, "clock") {
            return TimePart {
                next: time.next + 3,
                strength: Strength::Marked,
                ..time
            };
        }
        time
    }

    /// `pm`, `p.m.`, `p. m.`, and `p` joined to the figures.
    fn meridiem(&self, index: usize) -> Option<(bool, usize)> {
        let word = self.tokens.at(index).word;
        if self.tokens.at(index).gap == Gap::Break {
            return None;
        }
        if word.has(Role::Am) || word.has(Role::Pm) {
            // `am` is a preposition in German: `10:00 am 3. Mai`.
            let preposition =
                self.tokens.number(index + 1).is_some() && !self.tokens.joined(index) && self.is_in_german();
            return (!preposition).then_some((word.has(Role::Pm), index + 1));
        }
        let afternoon = match self.tokens.written(index) {
            "a" | "A" => false,
            "p" | "P" => true,
            _ => return None,
        };
        let dotted = self.tokens.mark(index + 1) == '.' && self.tokens.joined(index + 1);
        if dotted && self.tokens.is_plain(index + 2, "m") {
            return Some((afternoon, self.skip_joined(index + 3, '.')));
        }
        (self.tokens.joined(index) && !self.word_follows(index + 1)).then_some((afternoon, index + 1))
    }

    fn is_in_german(&self) -> bool {
        super::words::language("de").is_some_and(|german| self.is_in(german))
    }

    /// `in the evening`, `de la tarde`, `abends`, `вечера`.
    fn day_part_behind(&self, index: usize) -> Option<(bool, usize)> {
        const MAX_FILLERS: usize = 2;
        let mut at = index;
        for _ in 0..MAX_FILLERS {
            let filler = ["in", "the", "de", "la", "du", "da", "s", "di", "del", "po"]
                .iter()
                .any(|word| self.tokens.is_plain(at, word));
            at += usize::from(filler);
        }
        at = self.skip_mark(at, '\'');
        at += usize::from(self.tokens.is_plain(at, "s") && at > index);
        let word = self.tokens.at(at).word;
        let role = word
            .role(Role::Evening)
            .map(|role| (true, role))
            .or_else(|| word.role(Role::Morning).map(|role| (false, role)));
        let (afternoon, (_, languages)) = role?;
        (self.may_be(languages) && self.tokens.at(at).gap != Gap::Break).then_some((afternoon, at + 1))
    }
}
