//! Kinds of the variable parts of URLs.
//!
//! Every kind except [`Kind::Slug`] and [`Kind::Text`] matches a whole run of its characters and
//! never a part of one.

/// Kind of a variable part of a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Decimal digits, any number of them: identifiers grow.
    Number,
    /// Four digits from 1900 to 2099.
    Year,
    /// 1 to 12, with or without a leading zero.
    Month,
    /// 1 to 31, with or without a leading zero.
    Day,
    /// A whole date: `2024-05-31`, `2024_05_31`, `20240531`, `31-05-2024`.
    Date,
    /// 32 hexadecimal digits in the five groups of RFC 9562.
    Uuid,
    /// Random letters and digits, with their length if all examples had the same.
    Hash(Option<u16>),
    /// Letters of any language, without digits or hyphens.
    Word,
    /// Words and numbers with the marks that join them. Excludes dots, so that it cannot contain a
    /// file extension.
    Slug,
    /// Anything but the separators of a URL.
    Text,
}

/// Minimum length of a hash. Shorter runs of letters and digits are words such as `mp3`, `a4`, and
/// `h264`.
pub(super) const MIN_HASH_LENGTH: usize = 6;

/// Length of a UUID in text form.
const UUID_LENGTH: usize = 36;

impl Kind {
    /// All kinds in the readable form; a hash without its length.
    pub(super) const ALL: [Kind; 10] = [
        Kind::Number,
        Kind::Year,
        Kind::Month,
        Kind::Day,
        Kind::Date,
        Kind::Uuid,
        Kind::Hash(None),
        Kind::Word,
        Kind::Slug,
        Kind::Text,
    ];

    /// Returns the name between braces: `number` of `{number}`.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Number => "number",
            Kind::Year => "year",
            Kind::Month => "month",
            Kind::Day => "day",
            Kind::Date => "date",
            Kind::Uuid => "uuid",
            Kind::Hash(_) => "hash",
            Kind::Word => "word",
            Kind::Slug => "slug",
            Kind::Text => "text",
        }
    }

    /// Returns true if the kind contains separators, so that only the following text determines its
    /// end.
    pub(super) fn is_flexible(self) -> bool {
        matches!(self, Kind::Slug | Kind::Text)
    }

    /// Returns a regular expression of the kind.
    pub(super) fn regex(self) -> String {
        let fixed = match self {
            Kind::Number => "[0-9]+",
            Kind::Year => "(?:19|20)[0-9]{2}",
            Kind::Month => "(?:0?[1-9]|1[0-2])",
            Kind::Day => "(?:0?[1-9]|[12][0-9]|3[01])",
            Kind::Date => DATE,
            Kind::Uuid => "[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}",
            Kind::Hash(Some(length)) => return format!("[0-9A-Za-z]{{{length}}}"),
            Kind::Hash(None) => return format!("[0-9A-Za-z]{{{MIN_HASH_LENGTH},}}"),
            Kind::Word => "(?:[A-Za-z]|%[89A-Fa-f][0-9A-Fa-f])+",
            Kind::Slug => "[0-9A-Za-z_~+,'!()*%-]+",
            Kind::Text => "[^/?#]+",
        };
        fixed.to_owned()
    }

    /// Returns the length in bytes of the token at the start of the text, if there is one.
    pub(super) fn prefix_length(self, text: &[u8]) -> Option<usize> {
        let length = match self {
            Kind::Uuid => UUID_LENGTH.min(text.len()),
            Kind::Date => leading_date_length(text)?,
            Kind::Word => leading_word_length(text),
            Kind::Hash(_) => run_length(text, u8::is_ascii_alphanumeric),
            Kind::Slug | Kind::Text => text.len(),
            _ => run_length(text, u8::is_ascii_digit),
        };
        // The whole run is taken or nothing, so `48` of `48213` never becomes a constant of a
        // pattern that should match any number.
        self.is_whole(&text[..length]).then_some(length)
    }

    /// Returns the length in bytes of the token at the end of the text, if there is one.
    pub(super) fn suffix_length(self, text: &[u8]) -> Option<usize> {
        let length = match self {
            Kind::Uuid => UUID_LENGTH.min(text.len()),
            Kind::Date => trailing_date_length(text)?,
            Kind::Word => trailing_word_length(text),
            Kind::Hash(_) => back_run_length(text, u8::is_ascii_alphanumeric),
            Kind::Slug | Kind::Text => text.len(),
            _ => back_run_length(text, u8::is_ascii_digit),
        };
        self.is_whole(&text[text.len() - length..]).then_some(length)
    }

    /// Returns true if the whole text is one token of this kind.
    pub(super) fn is_whole(self, text: &[u8]) -> bool {
        if text.is_empty() {
            return false;
        }
        match self {
            Kind::Number => text.iter().all(u8::is_ascii_digit),
            Kind::Year => text.len() == 4 && within(text, 1900, 2099),
            Kind::Month => text.len() <= 2 && within(text, 1, 12),
            Kind::Day => text.len() <= 2 && within(text, 1, 31),
            Kind::Date => is_date(text),
            Kind::Uuid => is_uuid(text),
            Kind::Hash(length) => {
                let fits = length.map_or(text.len() >= MIN_HASH_LENGTH, |length| {
                    text.len() == usize::from(length)
                });
                fits && text.iter().all(u8::is_ascii_alphanumeric)
            }
            Kind::Word => leading_word_length(text) == text.len(),
            Kind::Slug => text.iter().all(|byte| is_slug_byte(*byte)),
            // A segment or value contains no separators.
            Kind::Text => true,
        }
    }
}

/// A date with equal separators, or of eight digits.
const DATE: &str = "(?:(?:19|20)[0-9]{2}(?:-[0-9]{2}-[0-9]{2}|_[0-9]{2}_[0-9]{2}|[0-9]{4})\
                    |[0-9]{2}-[0-9]{2}-(?:19|20)[0-9]{2})";

/// Length of a date with separators.
const LONG_DATE_LENGTH: usize = 10;

fn run_length(text: &[u8], belongs: impl Fn(&u8) -> bool) -> usize {
    text.iter().take_while(|byte| belongs(byte)).count()
}

fn back_run_length(text: &[u8], belongs: impl Fn(&u8) -> bool) -> usize {
    text.iter().rev().take_while(|byte| belongs(byte)).count()
}

/// Returns the length of the leading letters, including percent-encoded letters outside ASCII.
fn leading_word_length(text: &[u8]) -> usize {
    let mut end = 0;
    loop {
        match text.get(end) {
            Some(byte) if byte.is_ascii_alphabetic() => end += 1,
            Some(b'%') if is_encoded_letter(&text[end..]) => end += 3,
            _ => return end,
        }
    }
}

fn trailing_word_length(text: &[u8]) -> usize {
    let mut start = text.len();
    loop {
        let before = &text[..start];
        if before.len() >= 3 && is_encoded_letter(&before[before.len() - 3..]) {
            start -= 3;
        } else if before.last().is_some_and(u8::is_ascii_alphabetic) {
            start -= 1;
        } else {
            return text.len() - start;
        }
    }
}

/// Returns true for a percent-encoded byte above ASCII; lower ones are separators and marks.
fn is_encoded_letter(text: &[u8]) -> bool {
    let [b'%', high, low, ..] = text else { return false };
    high.is_ascii_hexdigit() && *high >= b'8' && low.is_ascii_hexdigit()
}

fn is_slug_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-_~+,'!()*%".contains(&byte)
}

fn within(text: &[u8], min: u32, max: u32) -> bool {
    text.iter().all(u8::is_ascii_digit) && (min..=max).contains(&decimal(text))
}

/// Returns the value of a few digits. Callers limit the length.
fn decimal(text: &[u8]) -> u32 {
    text.iter()
        .fold(0, |value: u32, digit| value * 10 + u32::from(digit - b'0'))
}

fn is_date(text: &[u8]) -> bool {
    let parts = match text {
        [
            year @ ..,
            separator @ (b'-' | b'_'),
            m1,
            m2,
            again @ (b'-' | b'_'),
            d1,
            d2,
        ] if year.len() == 4 && separator == again => (year, [*m1, *m2], [*d1, *d2]),
        [d1, d2, b'-', m1, m2, b'-', year @ ..] if year.len() == 4 => (year, [*m1, *m2], [*d1, *d2]),
        [year @ .., m1, m2, d1, d2] if year.len() == 4 => (year, [*m1, *m2], [*d1, *d2]),
        _ => return false,
    };
    within(parts.0, 1900, 2099) && within(&parts.1, 1, 12) && within(&parts.2, 1, 31)
}

/// Returns the length of a leading date that is not followed by another digit.
fn leading_date_length(text: &[u8]) -> Option<usize> {
    let ends = |length: usize| {
        text.len() >= length && is_date(&text[..length]) && !text.get(length).is_some_and(u8::is_ascii_digit)
    };
    [LONG_DATE_LENGTH, 8].into_iter().find(|length| ends(*length))
}

fn trailing_date_length(text: &[u8]) -> Option<usize> {
    let starts = |length: usize| {
        let start = text.len().checked_sub(length);
        start.is_some_and(|start| {
            // Eight digits behind another digit are the end of a longer number.
            is_date(&text[start..]) && !text[..start].last().is_some_and(u8::is_ascii_digit)
        })
    };
    [LONG_DATE_LENGTH, 8].into_iter().find(|length| starts(*length))
}

fn is_uuid(text: &[u8]) -> bool {
    let fits = |(index, byte): (usize, &u8)| match index {
        8 | 13 | 18 | 23 => *byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    };
    text.len() == UUID_LENGTH && text.iter().enumerate().all(fits)
}

#[cfg(test)]
mod tests {
    use super::Kind;

    fn check(kind: Kind, whole: &[&str], not: &[&str]) {
        let regex = regex::Regex::new(&format!("^{}$", kind.regex())).expect("a regular expression");
        for text in whole {
            assert!(kind.is_whole(text.as_bytes()), "{kind:?} {text}");
            assert_eq!(
                kind.prefix_length(text.as_bytes()),
                Some(text.len()),
                "{kind:?} {text}"
            );
            assert_eq!(
                kind.suffix_length(text.as_bytes()),
                Some(text.len()),
                "{kind:?} {text}"
            );
            assert!(regex.is_match(text), "{kind:?} {text}");
        }
        for text in not {
            assert!(!kind.is_whole(text.as_bytes()), "{kind:?} {text}");
        }
    }

    #[test]
    fn kinds_know_their_tokens() {
        check(Kind::Number, &["0", "48213"], &["", "48a", "-1"]);
        check(Kind::Year, &["1999", "2026"], &["1899", "2100", "026", "20266"]);
        check(Kind::Month, &["1", "09", "12"], &["0", "13", "001"]);
        check(Kind::Day, &["1", "31"], &["32", "00"]);
        check(
            Kind::Date,
            &["2024-05-31", "2024_05_31", "20240531", "31-05-2024"],
            &["2024-13-01", "2024-05_31", "99999999", "2024-5-1"],
        );
        check(
            Kind::Uuid,
            &["123e4567-e89b-12d3-a456-426614174000"],
            &["123e4567e89b12d3a456426614174000"],
        );
        check(Kind::Hash(None), &["a3f9c2", "0123456789"], &["a3f9", "a3-f9c2"]);
        check(Kind::Hash(Some(8)), &["a3f9c2d1"], &["a3f9c2"]);
        check(Kind::Word, &["about", "caf%C3%A9"], &["about-us", "a1", "a%20b"]);
        check(
            Kind::Slug,
            &["a", "rock-am-ring", "the_who", "a%20b", "top-10"],
            &["a.html", "a/b", "a=b"],
        );
        check(Kind::Text, &["a.b;c=d", "x:y@z"], &[""]);
    }

    #[test]
    fn a_token_is_never_cut() {
        assert_eq!(Kind::Number.prefix_length(b"48213-rock"), Some(5));
        assert_eq!(Kind::Year.prefix_length(b"20245"), None);
        assert_eq!(Kind::Date.prefix_length(b"202405311"), None);
        assert_eq!(Kind::Number.suffix_length(b"rock-48213"), Some(5));
        assert_eq!(Kind::Word.suffix_length("1-caf%C3%A9".as_bytes()), Some(9));
    }
}
