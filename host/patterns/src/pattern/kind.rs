//! What the variable parts of URLs are made of.
//!
//! A kind answers one question: how far does a token reach? Every kind but [`Kind::Slug`] and [`Kind::Text`]
//! takes a whole run of its characters and never a part of one, so that `48` of `48213` can never be a constant
//! of a pattern that means any number.

/// What may stand in a variable part of a URL.
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
    /// Letters and digits without a meaning, of one length when all that were seen had it.
    Hash(Option<u16>),
    /// Letters of any language, without digits or hyphens.
    Word,
    /// Words, numbers and the marks that join them; no dot, so that an extension is not swallowed.
    Slug,
    /// Anything but the separators of a URL.
    Text,
}

/// The shortest run of letters and digits that may be a hash. Shorter ones are `mp3`, `a4` and `h264`.
pub(super) const SHORTEST_HASH: usize = 6;

/// The length of a UUID's text.
const UUID: usize = 36;

impl Kind {
    /// All kinds a person may write, without the length of a hash.
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

    /// The name between braces: `number` of `{number}`.
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

    /// Whether it stretches over separators, so that only what stands after it says where it ends.
    pub(super) fn is_flexible(self) -> bool {
        matches!(self, Kind::Slug | Kind::Text)
    }

    /// As a regular expression, for tools that know nothing of kinds.
    pub(super) fn regex(self) -> String {
        let fixed = match self {
            Kind::Number => "[0-9]+",
            Kind::Year => "(?:19|20)[0-9]{2}",
            Kind::Month => "(?:0?[1-9]|1[0-2])",
            Kind::Day => "(?:0?[1-9]|[12][0-9]|3[01])",
            Kind::Date => DATE,
            Kind::Uuid => "[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}",
            Kind::Hash(Some(length)) => return format!("[0-9A-Za-z]{{{length}}}"),
            Kind::Hash(None) => return format!("[0-9A-Za-z]{{{SHORTEST_HASH},}}"),
            Kind::Word => "(?:[A-Za-z]|%[89A-Fa-f][0-9A-Fa-f])+",
            Kind::Slug => "[0-9A-Za-z_~+,'!()*%-]+",
            Kind::Text => "[^/?#]+",
        };
        fixed.to_owned()
    }

    /// How many bytes at the start of the text are one whole token of this kind; none when there is none.
    pub(super) fn head(self, text: &[u8]) -> Option<usize> {
        let length = match self {
            Kind::Uuid => UUID.min(text.len()),
            Kind::Date => date_head(text)?,
            Kind::Word => word_head(text),
            Kind::Hash(_) => run(text, u8::is_ascii_alphanumeric),
            Kind::Slug | Kind::Text => text.len(),
            _ => run(text, u8::is_ascii_digit),
        };
        self.is_whole(&text[..length]).then_some(length)
    }

    /// The same from the end of the text.
    pub(super) fn tail(self, text: &[u8]) -> Option<usize> {
        let length = match self {
            Kind::Uuid => UUID.min(text.len()),
            Kind::Date => date_tail(text)?,
            Kind::Word => word_tail(text),
            Kind::Hash(_) => back_run(text, u8::is_ascii_alphanumeric),
            Kind::Slug | Kind::Text => text.len(),
            _ => back_run(text, u8::is_ascii_digit),
        };
        self.is_whole(&text[text.len() - length..]).then_some(length)
    }

    /// Whether the whole text is one token of this kind.
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
                let fits = length.map_or(text.len() >= SHORTEST_HASH, |length| {
                    text.len() == usize::from(length)
                });
                fits && text.iter().all(u8::is_ascii_alphanumeric)
            }
            Kind::Word => word_head(text) == text.len(),
            Kind::Slug => text.iter().all(|byte| is_slug_byte(*byte)),
            // The separators are gone already: what is matched is one segment or one value.
            Kind::Text => true,
        }
    }
}

/// A date with its separators alike, or eight digits.
const DATE: &str = "(?:(?:19|20)[0-9]{2}(?:-[0-9]{2}-[0-9]{2}|_[0-9]{2}_[0-9]{2}|[0-9]{4})\
                    |[0-9]{2}-[0-9]{2}-(?:19|20)[0-9]{2})";

/// The length of a date with separators.
const LONG_DATE: usize = 10;

fn run(text: &[u8], belongs: impl Fn(&u8) -> bool) -> usize {
    text.iter().take_while(|byte| belongs(byte)).count()
}

fn back_run(text: &[u8], belongs: impl Fn(&u8) -> bool) -> usize {
    text.iter().rev().take_while(|byte| belongs(byte)).count()
}

/// Letters, and the percent-encoded bytes of letters outside ASCII.
fn word_head(text: &[u8]) -> usize {
    let mut end = 0;
    loop {
        match text.get(end) {
            Some(byte) if byte.is_ascii_alphabetic() => end += 1,
            Some(b'%') if is_encoded_letter(&text[end..]) => end += 3,
            _ => return end,
        }
    }
}

fn word_tail(text: &[u8]) -> usize {
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

/// A percent-encoded byte above ASCII; those below are separators and marks.
fn is_encoded_letter(text: &[u8]) -> bool {
    let [b'%', high, low, ..] = text else { return false };
    high.is_ascii_hexdigit() && *high >= b'8' && low.is_ascii_hexdigit()
}

fn is_slug_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-_~+,'!()*%".contains(&byte)
}

fn within(text: &[u8], least: u32, most: u32) -> bool {
    text.iter().all(u8::is_ascii_digit) && (least..=most).contains(&decimal(text))
}

/// The value of a few digits; callers bound their number.
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

/// A date at the start, not followed by more of its last number.
fn date_head(text: &[u8]) -> Option<usize> {
    let ends = |length: usize| {
        text.len() >= length && is_date(&text[..length]) && !text.get(length).is_some_and(u8::is_ascii_digit)
    };
    [LONG_DATE, 8].into_iter().find(|length| ends(*length))
}

fn date_tail(text: &[u8]) -> Option<usize> {
    let starts = |length: usize| {
        let start = text.len().checked_sub(length);
        start.is_some_and(|start| {
            is_date(&text[start..]) && !text[..start].last().is_some_and(u8::is_ascii_digit)
        })
    };
    [LONG_DATE, 8].into_iter().find(|length| starts(*length))
}

fn is_uuid(text: &[u8]) -> bool {
    let fits = |(place, byte): (usize, &u8)| match place {
        8 | 13 | 18 | 23 => *byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    };
    text.len() == UUID && text.iter().enumerate().all(fits)
}

#[cfg(test)]
mod tests {
    use super::Kind;

    fn check(kind: Kind, whole: &[&str], not: &[&str]) {
        let regex = regex::Regex::new(&format!("^{}$", kind.regex())).expect("a regular expression");
        for text in whole {
            assert!(kind.is_whole(text.as_bytes()), "{kind:?} {text}");
            assert_eq!(kind.head(text.as_bytes()), Some(text.len()), "{kind:?} {text}");
            assert_eq!(kind.tail(text.as_bytes()), Some(text.len()), "{kind:?} {text}");
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
        assert_eq!(Kind::Number.head(b"48213-rock"), Some(5));
        assert_eq!(Kind::Year.head(b"20245"), None);
        assert_eq!(Kind::Date.head(b"202405311"), None);
        assert_eq!(Kind::Number.tail(b"rock-48213"), Some(5));
        assert_eq!(Kind::Word.tail("1-caf%C3%A9".as_bytes()), Some(9));
    }
}
