//! Text as the finder sees it: numbers, words and marks, and only near figures.

use super::words::{MAX_WORD_LEN, Role, Word, may_be_known};
use crate::text::eight::without_figure;
use crate::text::{is_invisible, push_folded};

/// Bytes before a digit in which words are read: `Donnerstag, den ` and the beginning of a range.
const REACH_BEFORE: usize = 40;

/// Bytes after a digit in which words are read, up to the next digit.
const REACH_BEHIND: usize = 64;

/// Tokens there is room for from the start.
const USUAL: usize = 32;

/// Kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A run of digits; its value, at most nine digits of it.
    Number(u32),
    /// A run of letters; in Chinese, Japanese and Korean a character or a known pair.
    Word,
    /// Any other character.
    Mark(char),
    /// Behind the last token.
    End,
}

/// White space before a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Gap {
    /// None: it is joined to the token before it.
    Joined,
    /// Spaces.
    Space,
    /// A line break, or text that was left out because it is far from any figure.
    Break,
}

/// A token.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) kind: Kind,
    pub(super) gap: Gap,
    /// The word of the list, for words.
    pub(super) word: Word,
}

impl Token {
    /// The number of digits (of bytes, for other tokens).
    pub(super) fn length(&self) -> u32 {
        self.end - self.start
    }
}

/// The tokens near figures of a text.
pub(super) struct Tokens<'text> {
    pub(super) text: &'text str,
    list: Vec<Token>,
    end: Token,
}

impl<'text> Tokens<'text> {
    pub(super) fn of(text: &'text str) -> Self {
        let end = text.len() as u32;
        let end = Token {
            start: end,
            end,
            kind: Kind::End,
            gap: Gap::Break,
            word: Word::default(),
        };
        let mut tokens = Self {
            text,
            // Tokens around one digit.
            list: Vec::with_capacity(USUAL),
            end,
        };
        let mut done = 0;
        while let Some(figure) = next_figure(text.as_bytes(), done) {
            // Only words near figures are read, since no date in running text is without them.
            let from = word_boundary(text, figure.saturating_sub(REACH_BEFORE).max(done));
            let to = reach_of(text.as_bytes(), figure);
            done = tokens.read(from, to);
        }
        tokens
    }

    /// Reads all of a short text, figures or not.
    pub(super) fn of_all(text: &'text str) -> Self {
        let mut tokens = Self::of("");
        tokens.text = text;
        tokens.end.start = text.len() as u32;
        tokens.end.end = text.len() as u32;
        tokens.read(0, text.len());
        tokens
    }

    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    /// The token; an end mark for any index behind the last.
    pub(super) fn at(&self, index: usize) -> &Token {
        self.list.get(index).unwrap_or(&self.end)
    }

    /// The value of a number and how many digits it is written with.
    pub(super) fn number(&self, index: usize) -> Option<(u32, u32)> {
        let token = self.at(index);
        match token.kind {
            Kind::Number(value) => Some((value, self.digits(token))),
            _ => None,
        }
    }

    /// Full-width digits take three bytes each.
    fn digits(&self, token: &Token) -> u32 {
        let first = self.text.as_bytes()[token.start as usize];
        if first.is_ascii() {
            token.length()
        } else {
            token.length() / 3
        }
    }

    /// The mark, or NUL for anything else.
    pub(super) fn mark(&self, index: usize) -> char {
        match self.at(index).kind {
            Kind::Mark(mark) => mark,
            _ => '\0',
        }
    }

    pub(super) fn is_word(&self, index: usize) -> bool {
        self.at(index).kind == Kind::Word
    }

    pub(super) fn has(&self, index: usize, role: Role) -> bool {
        self.at(index).word.has(role)
    }

    /// Returns true if nothing separates the token from the one before it.
    pub(super) fn joined(&self, index: usize) -> bool {
        self.at(index).gap == Gap::Joined
    }

    /// The token as written.
    pub(super) fn written(&self, index: usize) -> &'text str {
        let token = self.at(index);
        &self.text[token.start as usize..token.end as usize]
    }

    /// Returns true if the token is written exactly like this.
    pub(super) fn is(&self, index: usize, written: &str) -> bool {
        self.written(index) == written
    }

    /// Returns true if the token is this word in any case.
    pub(super) fn is_plain(&self, index: usize, lower: &str) -> bool {
        self.written(index).eq_ignore_ascii_case(lower)
    }

    /// Reads tokens from `from` until one begins at or behind `to`; returns where it stopped.
    fn read(&mut self, from: usize, to: usize) -> usize {
        let follows = self.list.last().is_some_and(|last| last.end as usize == from);
        let mut gap = if follows { Gap::Joined } else { Gap::Break };
        let mut at = from;
        while let Some(byte) = self.text.as_bytes().get(at) {
            if *byte == b' ' {
                gap = gap.max(Gap::Space);
                at += 1;
                continue;
            }
            // Most of a text are words of ASCII.
            if let Some(word) = plain_word(self.text.as_bytes(), at) {
                if at >= to {
                    break;
                }
                self.push(gap, at, (Kind::Word, at + word.len(), look_up_plain(word)));
                gap = Gap::Joined;
                at += word.len();
                continue;
            }
            let character = first_char(self.text, at);
            if character.is_whitespace() || character.is_control() {
                let wider = if matches!(character, '\n' | '\r' | '\t') {
                    Gap::Break
                } else {
                    Gap::Space
                };
                // A tab separates cells: as good as a line.
                gap = gap.max(wider);
                at += character.len_utf8();
            } else if is_invisible(character) {
                at += character.len_utf8();
            } else if at >= to {
                break;
            } else {
                let token = token_at(self.text, at, character);
                self.push(gap, at, token);
                gap = Gap::Joined;
                at = token.1;
            }
        }
        at
    }

    fn push(&mut self, gap: Gap, start: usize, (kind, end, word): (Kind, usize, Word)) {
        self.list.push(Token {
            start: start as u32,
            end: end as u32,
            kind,
            gap,
            word,
        });
    }
}

/// The word of ASCII letters that begins at a place, unless other letters follow.
fn plain_word(bytes: &[u8], at: usize) -> Option<&[u8]> {
    let rest = &bytes[at..];
    let length = rest.iter().position(|byte| !byte.is_ascii_alphabetic());
    let length = length.unwrap_or(rest.len());
    (length > 0 && rest.get(length).is_none_or(u8::is_ascii)).then(|| &rest[..length])
}

fn first_char(text: &str, at: usize) -> char {
    text[at..].chars().next().unwrap_or(' ')
}

/// The next digit at or behind `from`: ASCII, or full-width as in Japanese text.
fn next_figure(bytes: &[u8], from: usize) -> Option<usize> {
    let is_figure = |at: usize| {
        let byte = bytes[at];
        byte.is_ascii_digit()
            || (byte == 0xEF && matches!(bytes.get(at + 1..at + 3), Some([0xBC, 0x90..=0x99])))
    };
    let mut at = from;
    while at < bytes.len() {
        at += without_figure(&bytes[at..]);
        // Examines eight bytes, after which the scan continues in groups of eight.
        let few = at..bytes.len().min(at + 8);
        if let Some(figure) = few.clone().find(|at| is_figure(*at)) {
            return Some(figure);
        }
        at = few.end;
    }
    None
}

/// Position at which reading may stop: far enough after the last of a chain of nearby digits.
fn reach_of(bytes: &[u8], figure: usize) -> usize {
    let mut last = figure;
    loop {
        let end = bytes.len().min(last + 1 + REACH_BEHIND);
        match next_figure(&bytes[..end], last + 1) {
            Some(next) => last = next,
            None => return end,
        }
    }
}

/// The beginning of the first word at or behind `at`, so that no word is cut.
fn word_boundary(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    let mut at = at;
    let inside = |at: usize| at > 0 && at < bytes.len() && !is_break(bytes[at - 1]) && !is_break(bytes[at]);
    while inside(at) || !text.is_char_boundary(at) {
        if bytes.get(at).is_some_and(u8::is_ascii_digit) && text.is_char_boundary(at) {
            break;
        }
        at += 1;
    }
    at
}

/// Bytes of letters beyond ASCII count as inside a word.
fn is_break(byte: u8) -> bool {
    byte.is_ascii() && !byte.is_ascii_alphanumeric()
}

fn token_at(text: &str, at: usize, character: char) -> (Kind, usize, Word) {
    let none = Word::default();
    if digit(character).is_some() {
        let (value, end) = number_at(text, at);
        return (Kind::Number(value), end, none);
    }
    if is_east_asian(character) {
        let end = at + east_asian_length(&text[at..], character);
        return (Kind::Word, end, none.beyond_ascii());
    }
    if !is_letter(character) {
        return (Kind::Mark(character), at + character.len_utf8(), none);
    }
    let rest = &text[at..];
    let word = rest
        .split(|next: char| !is_letter(next) || is_east_asian(next))
        .next();
    let word = word.unwrap_or_default();
    (Kind::Word, at + word.len(), look_up(word).beyond_ascii())
}

fn number_at(text: &str, at: usize) -> (u32, usize) {
    let wide = !text.as_bytes()[at].is_ascii();
    let mut value: u32 = 0;
    let mut end = at;
    for character in text[at..].chars() {
        match digit(character) {
            Some(digit) if character.is_ascii() != wide => {
                // A number with more digits stays at the maximum, which is no part of a date.
                value = value.saturating_mul(10).saturating_add(digit);
                end += character.len_utf8();
            }
            _ => break,
        }
    }
    (value, end)
}

fn digit(character: char) -> Option<u32> {
    match character {
        '0'..='9' => Some(character as u32 - '0' as u32),
        '０'..='９' => Some(character as u32 - '０' as u32),
        _ => None,
    }
}

fn is_letter(character: char) -> bool {
    if character.is_ascii() {
        character.is_ascii_alphabetic()
    } else {
        character.is_alphabetic() || is_accent(character)
    }
}

/// Accents that follow their letter, and the apostrophe that is a letter in Ukrainian.
fn is_accent(character: char) -> bool {
    matches!(character, '\u{300}'..='\u{36F}' | '\u{2BC}')
}

fn is_east_asian(character: char) -> bool {
    matches!(character, '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7AF}')
}

/// Terms of several characters that mean something to dates; everything else is read one by one.
const EAST_ASIAN_TERMS: &[&str] = &[
    "曜日", "星期", "礼拜", "上午", "下午", "晚上", "早上", "中午", "凌晨", "正午", "午前", "午後", "令和",
    "平成", "から", "まで", "오전", "오후", "요일", "부터", "까지", "정오", "자정",
];

fn east_asian_length(rest: &str, first: char) -> usize {
    let term = EAST_ASIAN_TERMS.iter().find(|term| rest.starts_with(**term));
    term.map_or(first.len_utf8(), |term| term.len())
}

/// Folds into a buffer of its own: words are many, and most are thrown away.
fn look_up_plain(written: &[u8]) -> Word {
    let mut buffer = [0; MAX_WORD_LEN];
    let Some(lower) = buffer.get_mut(..written.len()).filter(|_| may_be_known(written)) else {
        return Word::default();
    };
    lower.copy_from_slice(written);
    lower.make_ascii_lowercase();
    Word::find(lower)
}

fn look_up(written: &str) -> Word {
    const ROOM: usize = 3 * MAX_WORD_LEN;
    if written.len() > ROOM {
        return Word::default();
    }
    let mut folded = String::with_capacity(ROOM);
    written
        .chars()
        .for_each(|character| push_folded(&mut folded, character));
    Word::find(folded.as_bytes())
}
