//! Finding the sign of a currency before, behind or anywhere near a number.

use super::currency::{CODES_THAT_ARE_WORDS, Currency, Meaning, SIGNS, at_home};

/// A sign found in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sign<'text> {
    /// As written.
    pub(super) text: &'text str,
    pub(super) currency: Option<Currency>,
    /// Start, in bytes.
    pub(super) start: usize,
    pub(super) end: usize,
    /// A dollar, pound or crown of any country.
    pub(super) ambiguous: bool,
}

/// The sign that ends right before `at`, but for spaces and a colon.
pub(super) fn before<'text>(
    text: &'text str,
    at: usize,
    language: &str,
    strict: bool,
) -> Option<Sign<'text>> {
    let head = text[..at].trim_end_matches(is_filler);
    let last = head.chars().next_back()?;
    if last.is_ascii_digit() {
        return None;
    }
    let joined = head.len() == at;
    let code = code_ending(text, head, strict);
    let sign = sign_ending(text, head, joined, language);
    match (sign, code) {
        (Some(sign), None) => Some(with_code_before(text, sign, strict)),
        // The longer one contains the other: `US$` ends like `$`.
        (Some(sign), Some(code)) => Some(if code.text.len() > sign.text.len() {
            code
        } else {
            sign
        }),
        (None, code) => code,
    }
}

/// `NZD $100`: the code before says which dollar.
fn with_code_before<'text>(text: &'text str, sign: Sign<'text>, strict: bool) -> Sign<'text> {
    if !sign.ambiguous {
        return sign;
    }
    let head = text[..sign.start].trim_end();
    code_ending(text, head, strict).unwrap_or(sign)
}

/// The sign that begins right behind `at`, but for spaces.
pub(super) fn behind<'text>(
    text: &'text str,
    at: usize,
    language: &str,
    strict: bool,
) -> Option<Sign<'text>> {
    let blank = |character: char| is_blank(character) || matches!(character, '\u{200E}' | '\u{200F}');
    let tail = text[at..].trim_start_matches(blank);
    let start = text.len() - tail.len();
    let first = *tail.as_bytes().first()?;
    // One Latin letter behind a number is a unit: 5 R, 3 Q.
    let is_letter = |sign: &str| sign.len() == 1 && first.is_ascii_alphabetic();
    let fits =
        |sign: &str| tail.starts_with(sign) && !is_letter(sign) && ends_word(sign, &tail[sign.len()..]);
    let sign = BY_FIRST
        .with(first)
        .filter(|(sign, _)| fits(sign))
        // The longest sign that fits: `R$` begins like `R`.
        .max_by_key(|(sign, _)| sign.len());
    let found = sign.map(|(sign, meaning)| made(text, start, start + sign.len(), *meaning, language));
    found.or_else(|| code_beginning(text, start, strict))
}

/// First sign in a short text that is a separate word.
pub(super) fn anywhere<'text>(text: &'text str, language: &str) -> Option<Sign<'text>> {
    for (at, _) in text.char_indices() {
        let word_begins = !text[..at].ends_with(char::is_alphabetic);
        let tail = &text[at..];
        let signs = BY_FIRST
            .with(text.as_bytes()[at])
            .filter(|(sign, _)| tail.starts_with(sign) && ends_word(sign, &tail[sign.len()..]));
        let signs = signs.filter(|(sign, _)| word_begins || !sign.starts_with(char::is_alphabetic));
        let signs = signs.filter(|(sign, _)| {
            !(sign.len() == 1 && sign.starts_with(|first: char| first.is_ascii_alphabetic()))
        });
        if let Some((sign, meaning)) = signs.max_by_key(|(sign, _)| sign.len()) {
            return Some(made(text, at, at + sign.len(), *meaning, language));
        }
        if let (true, Some(code)) = (word_begins, code_beginning(text, at, true)) {
            return Some(code);
        }
    }
    None
}

fn sign_ending<'text>(
    text: &'text str,
    head: &'text str,
    joined: bool,
    language: &str,
) -> Option<Sign<'text>> {
    let last = *head.as_bytes().last()?;
    // `R 2` and `Q 4` are names; `R273` is a price.
    let may_be_letter = |sign: &str| sign.len() > 1 || !last.is_ascii_alphabetic() || joined;
    let fits = |sign: &str| {
        head.ends_with(sign)
            && sign != ":-"
            && begins_word(sign, &head[..head.len() - sign.len()])
            && may_be_letter(sign)
    };
    let (sign, meaning) = BY_LAST
        .with(last)
        .filter(|(sign, _)| fits(sign))
        .max_by_key(|(sign, _)| sign.len())?;
    Some(made(
        text,
        head.len() - sign.len(),
        head.len(),
        *meaning,
        language,
    ))
}

/// The signs by their first or last byte: a page has many numbers, and few have a sign beside them.
struct Index {
    /// Start in `order` of the signs with each first byte.
    starts: [u16; 257],
    order: [u16; SIGNS.len()],
}

static BY_FIRST: Index = Index::of(false);
static BY_LAST: Index = Index::of(true);

impl Index {
    /// Sorts the signs by counting, when the library is compiled.
    const fn of(last: bool) -> Self {
        let mut starts = [0u16; 257];
        let mut order = [0u16; SIGNS.len()];
        let mut at = 0;
        while at < SIGNS.len() {
            starts[Self::key(at, last) + 1] += 1;
            at += 1;
        }
        let mut byte = 1;
        while byte < starts.len() {
            starts[byte] += starts[byte - 1];
            byte += 1;
        }
        let mut next = starts;
        at = 0;
        while at < SIGNS.len() {
            let key = Self::key(at, last);
            order[next[key] as usize] = at as u16;
            next[key] += 1;
            at += 1;
        }
        Self { starts, order }
    }

    const fn key(at: usize, last: bool) -> usize {
        let sign = SIGNS[at].0.as_bytes();
        sign[if last { sign.len() - 1 } else { 0 }] as usize
    }

    fn with(&self, byte: u8) -> impl Iterator<Item = &'static (&'static str, Meaning)> + '_ {
        let range =
            usize::from(self.starts[usize::from(byte)])..usize::from(self.starts[usize::from(byte) + 1]);
        self.order[range].iter().map(|at| &SIGNS[usize::from(*at)])
    }
}

fn made<'text>(text: &'text str, start: usize, end: usize, meaning: Meaning, language: &str) -> Sign<'text> {
    let sign = &text[start..end];
    let (currency, ambiguous) = match meaning {
        Meaning::One(code) => (Currency::from_code(code), false),
        Meaning::Ambiguous(code) => (at_home(sign, language, code), true),
    };
    Sign {
        text: sign,
        currency,
        start,
        end,
        ambiguous,
    }
}

fn code_ending<'text>(text: &'text str, head: &'text str, strict: bool) -> Option<Sign<'text>> {
    let start = head.len().checked_sub(3)?;
    let code = head.get(start..)?;
    let alone = !head[..start].ends_with(char::is_alphabetic);
    // `ALL` and `TRY` are words in capitals on many pages.
    let word = strict && CODES_THAT_ARE_WORDS.contains(&code);
    (alone && !word).then(|| code_at(text, start, strict)).flatten()
}

fn code_beginning(text: &str, start: usize, strict: bool) -> Option<Sign<'_>> {
    let behind = text.get(start + 3..)?;
    (!behind.starts_with(char::is_alphabetic))
        .then(|| code_at(text, start, strict))
        .flatten()
}

fn code_at(text: &str, start: usize, strict: bool) -> Option<Sign<'_>> {
    let code = text.get(start..start + 3)?;
    let capitals = code.bytes().all(|byte| byte.is_ascii_uppercase());
    let word = CODES_THAT_ARE_WORDS
        .iter()
        .any(|word| word.eq_ignore_ascii_case(code));
    if !capitals && (strict || word) {
        return None;
    }
    let currency = Currency::from_code(code)?;
    Some(Sign {
        text: code,
        currency: Some(currency),
        start,
        end: start + 3,
        ambiguous: false,
    })
}

/// A sign that ends with a letter ends a word, unless the next script is another.
fn ends_word(sign: &str, behind: &str) -> bool {
    let (Some(last), Some(next)) = (sign.chars().next_back(), behind.chars().next()) else {
        return true;
    };
    !last.is_alphabetic() || !next.is_alphabetic() || crate::text::is_unspaced_script(last)
}

fn begins_word(sign: &str, before: &str) -> bool {
    let (Some(first), Some(previous)) = (sign.chars().next(), before.chars().next_back()) else {
        return true;
    };
    !first.is_alphabetic() || !previous.is_alphanumeric()
}

fn is_blank(character: char) -> bool {
    matches!(character, ' ' | '\u{A0}' | '\u{202F}' | '\u{2009}')
}

fn is_filler(character: char) -> bool {
    is_blank(character) || matches!(character, ':' | '\u{200E}' | '\u{200F}')
}
