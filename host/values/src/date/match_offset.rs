//! Zones behind times: `Z`, `+01:00`, `UTC`, `(CET)`, `GMT+2`.

use super::match_time::TimePart;
use super::matcher::Matcher;
use super::token::Gap;
use super::words::Role;

impl Matcher<'_> {
    pub(super) fn with_offset(&self, time: TimePart) -> TimePart {
        match self.offset_at(time.next, time.second.is_some()) {
            Some((offset, next)) => TimePart {
                offset: Some(offset),
                next,
                ..time
            },
            None => time,
        }
    }

    /// A zone behind a time: `Z`, `+01:00`, `UTC`, `(CET)`, `GMT+2`. A minus may also be the dash
    /// of a range, so it counts only behind seconds, or before four joined figures.
    pub(super) fn offset_at(&self, index: usize, behind_seconds: bool) -> Option<(i16, usize)> {
        let bracket = self.tokens.mark(index) == '(';
        let at = index + usize::from(bracket);
        if self.tokens.at(at).gap == Gap::Break {
            return None;
        }
        if self.tokens.is(at, "Z") && self.tokens.joined(at) {
            return Some((0, at + 1));
        }
        if let Some((minutes, _)) = self.tokens.at(at).word.role(Role::Zone) {
            // Only in capitals: `est` is a French verb. One inside is small: `AoE`.
            let capital = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_uppercase);
            let written = self.tokens.written(at).as_bytes();
            if capital(written.first()) && capital(written.last()) {
                let more = (minutes == 0).then(|| self.signed_offset(at + 1, true)).flatten();
                let (minutes, next) = more.unwrap_or((minutes, at + 1));
                return Some((minutes, if bracket { self.skip_mark(next, ')') } else { next }));
            }
        }
        let (minutes, next) = self.signed_offset(at, behind_seconds)?;
        Some((minutes, if bracket { self.skip_mark(next, ')') } else { next }))
    }

    fn signed_offset(&self, index: usize, certain: bool) -> Option<(i16, usize)> {
        let sign = match self.tokens.mark(index) {
            '+' => 1,
            '-' | '−' => -1,
            _ => return None,
        };
        let (value, digits) = self
            .tokens
            .number(index + 1)
            .filter(|_| self.tokens.joined(index + 1))?;
        if sign < 0 && !certain && !(digits == 4 && self.tokens.at(index).gap == Gap::Space) {
            return None;
        }
        let (hours, minutes, next) = match digits {
            4 => (value / 100, value % 100, index + 2),
            1 | 2 => match self.tokens.number(index + 3) {
                Some((minutes, 2)) if self.tokens.mark(index + 2) == ':' => (value, minutes, index + 4),
                _ => (value, 0, index + 2),
            },
            _ => return None,
        };
        (hours <= 14 && minutes <= 59).then_some((sign * (hours * 60 + minutes) as i16, next))
    }
}
