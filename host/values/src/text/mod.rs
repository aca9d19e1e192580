//! Text as people mean it: tidied for keeping, folded for comparing, cut into words.

pub(crate) mod eight;
mod entities;
mod fold;
pub mod lists;
mod phrases;
mod word_list;

pub use entities::unescape;
pub use fold::{fold, fold_word};
pub(crate) use fold::{fold_char, push_folded, push_word};
pub use phrases::Phrases;
pub use word_list::WordList;

/// Text fit for keeping: white space of any kind becomes single spaces, the ends are trimmed,
/// control and invisible characters are gone.
///
/// Joiners (U+200C, U+200D) stay: Persian, Indic scripts and emoji need them.
#[must_use]
pub fn tidy(text: &str) -> String {
    // What was put together from pieces is often tidy but for its ends.
    let text = text.trim_matches(' ');
    if plain_words(text) == text.len() {
        return text.to_owned();
    }
    let mut tidied = String::with_capacity(text.len());
    let mut space_due = false;
    for character in text.chars() {
        if is_space(character) {
            space_due = !tidied.is_empty();
        } else if !is_invisible(character) {
            if std::mem::take(&mut space_due) {
                tidied.push(' ');
            }
            tidied.push(character);
        }
    }
    tidied
}

/// Leading bytes of a text that [`tidy`] would leave unchanged, of which the first of a text and
/// the last are not blank: words of ASCII with single blanks between them, as in nearly all text.
#[must_use]
pub fn plain_words(text: &str) -> usize {
    let tidy = eight::tidy(text.as_bytes());
    let ends_with_blank = text[..tidy].ends_with(' ');
    tidy - usize::from(ends_with_blank)
}

/// Returns true if the character separates words: white space of any width, and control characters.
#[must_use]
pub fn is_space(character: char) -> bool {
    character.is_whitespace() || character.is_control()
}

/// Returns true if the character has no width and no meaning for the reader: zero-width spaces,
/// soft hyphens, marks of writing direction, byte order marks.
#[must_use]
pub(crate) fn is_invisible(character: char) -> bool {
    matches!(character,
        '\u{AD}' | '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{2069}' | '\u{FEFF}')
}

/// Returns true if the character belongs to a script that writes no spaces between words.
#[must_use]
pub(crate) fn is_unspaced_script(character: char) -> bool {
    matches!(character, '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}'
        | '\u{20000}'..='\u{3134F}')
}

/// The words of a text as they stand there: runs of letters and digits, inner apostrophes kept;
/// in Chinese and Japanese every character is a word of its own.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    Words { rest: text }
}

/// The words, folded: what two texts are compared by.
#[must_use]
pub fn tokens(text: &str) -> Vec<String> {
    words(text)
        .map(fold_word)
        .filter(|token| !token.is_empty())
        .collect()
}

/// The words, folded and joined by single blanks, but for characters of a script without blanks:
/// what short texts such as labels are looked up by.
#[must_use]
pub fn bare(text: &str) -> String {
    let mut bare = String::with_capacity(text.len());
    let mut end = 0;
    for word in words(text) {
        let start = bare.len();
        let at = word.as_ptr() as usize - text.as_ptr() as usize;
        let goes_on = at == end && word.chars().next().is_some_and(is_unspaced_script);
        end = at + word.len();
        if start > 0 && !goes_on {
            bare.push(' ');
        }
        let before = bare.len();
        push_word(&mut bare, word);
        // The word folded to nothing, and its blank must go, too.
        if bare.len() == before {
            bare.truncate(start);
        }
    }
    bare
}

struct Words<'text> {
    rest: &'text str,
}

impl<'text> Iterator for Words<'text> {
    type Item = &'text str;

    fn next(&mut self) -> Option<&'text str> {
        let start = first_letter(self.rest)?;
        let word = &self.rest[start..];
        let end = plain_word_length(word).unwrap_or_else(|| word_length(word));
        self.rest = &word[end..];
        Some(&word[..end])
    }
}

/// Position of the first letter or digit. Most text processing of plugins begins here, so ASCII is
/// not decoded.
fn first_letter(text: &str) -> Option<usize> {
    let place = (text.bytes()).position(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii())?;
    if text.as_bytes()[place].is_ascii() {
        return Some(place);
    }
    Some(place + text[place..].find(char::is_alphanumeric)?)
}

/// The length of the word that `text` begins with, if it and what follows it is ASCII without an
/// apostrophe.
fn plain_word_length(text: &str) -> Option<usize> {
    let end = text.bytes().position(|byte| !byte.is_ascii_alphanumeric());
    let Some(end) = end else { return Some(text.len()) };
    let next = text.as_bytes()[end];
    (next.is_ascii() && next != b'\'').then_some(end)
}

/// The length in bytes of the word that `text` begins with.
fn word_length(text: &str) -> usize {
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        if is_unspaced_script(character) {
            return if at == 0 { character.len_utf8() } else { at };
        }
        let mut next_is_letter = || characters.peek().is_some_and(|(_, next)| next.is_alphanumeric());
        let inside = character.is_alphanumeric()
            || is_mark(character)
            || (matches!(character, '\'' | '\u{2019}') && next_is_letter());
        if !inside {
            return at;
        }
    }
    text.len()
}

/// Returns true if the character combines with the one before it.
fn is_mark(character: char) -> bool {
    matches!(character, '\u{300}'..='\u{36F}' | '\u{610}'..='\u{61A}' | '\u{64B}'..='\u{65F}'
        | '\u{900}'..='\u{903}' | '\u{93A}'..='\u{94F}' | '\u{E31}' | '\u{E34}'..='\u{E3A}'
        | '\u{E47}'..='\u{E4E}' | '\u{200C}' | '\u{200D}')
}

/// The text behind a label: `Price: 12` gives `12` for the label `price`. Compares folded, and lets
/// `:`, `-`, `#` or `.` stand between. None when the text does not begin with the label.
#[must_use]
pub fn strip_label<'text>(text: &'text str, label: &str) -> Option<&'text str> {
    let label = fold(label);
    if label.is_empty() {
        return None;
    }
    let text = text.trim_start();
    let mut folded = String::new();
    for (at, character) in text.char_indices() {
        push_folded(&mut folded, character);
        // Folded piece by piece, so that only the length of the label is read of a long text.
        if folded.len() < label.len() {
            continue;
        }
        let rest = &text[at + character.len_utf8()..];
        let word_ends = !rest.starts_with(char::is_alphabetic);
        return (folded == label && word_ends).then(|| trim_separators(rest));
    }
    None
}

/// The text behind whichever of the labels it begins with, else the whole text, trimmed.
#[must_use]
pub fn strip_any_label<'text>(text: &'text str, labels: &[&str]) -> &'text str {
    labels
        .iter()
        .find_map(|label| strip_label(text, label))
        .unwrap_or_else(|| text.trim())
}

/// Returns true if a text has a digit of any script.
#[must_use]
pub fn has_figure(text: &str) -> bool {
    text[eight::without_figure(text.as_bytes())..].contains(char::is_numeric)
}

/// Position and byte length of the first colon of a text, narrow or wide. Most texts of a page have
/// none.
#[must_use]
pub fn find_colon(text: &str) -> Option<(usize, usize)> {
    const WIDE: &[u8] = "：".as_bytes();
    let bytes = text.as_bytes();
    let length = |at: usize| match bytes[at] {
        b':' => Some(1),
        _ => bytes[at..].starts_with(WIDE).then_some(WIDE.len()),
    };
    let mut at = 0;
    while at < bytes.len() {
        at += eight::without_either(&bytes[at..], b':', WIDE[0]);
        let few = at..bytes.len().min(at + 8);
        if let Some(found) = few.clone().find_map(|at| Some((at, length(at)?))) {
            return Some(found);
        }
        at = few.end;
    }
    None
}

/// Splits `Label: value` at the first colon if the text before it looks like a label (at most four
/// words, no digit); both sides are trimmed.
#[must_use]
pub fn split_label(text: &str) -> Option<(&str, &str)> {
    const MAX_LABEL_WORDS: usize = 4;
    let (at, _) = find_colon(text)?;
    let (label, rest) = text.split_at(at);
    let value = rest.trim_start_matches([':', '：']);
    // Digits or a slash before the colon are a time or an address, not a label.
    let plain = !label.contains(|character: char| character.is_numeric() || character == '/');
    let count = words(label).take(MAX_LABEL_WORDS + 1).count();
    let fits = plain && (1..=MAX_LABEL_WORDS).contains(&count) && !value.starts_with("//");
    fits.then(|| (label.trim(), value.trim()))
}

fn trim_separators(text: &str) -> &str {
    let separates =
        |character: char| is_space(character) || matches!(character, ':' | '：' | '#' | '.' | '-' | '–');
    text.trim_start_matches(separates).trim_end()
}

/// A name for paths and keys: folded words joined by hyphens.
#[must_use]
pub fn slug(text: &str) -> String {
    let mut slug = String::with_capacity(text.len());
    for word in words(text) {
        let word = fold_word(word);
        if word.is_empty() {
            continue;
        }
        if !slug.is_empty() {
            slug.push('-');
        }
        slug.extend(word.chars().filter(|character| character.is_alphanumeric()));
    }
    slug
}

/// The longest beginning of at most `bytes` bytes that ends between two characters.
#[must_use]
pub fn truncate(text: &str, bytes: usize) -> &str {
    if text.len() <= bytes {
        return text;
    }
    let mut end = bytes;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Like [`truncate`], and ends with `…` after a whole word when something was cut off.
#[must_use]
pub fn shorten(text: &str, bytes: usize) -> String {
    const ELLIPSIS: &str = "…";
    if text.len() <= bytes {
        return text.to_owned();
    }
    let head = truncate(text, bytes.saturating_sub(ELLIPSIS.len()));
    let head = head.rfind(is_space).map_or(head, |at| &head[..at]);
    format!("{}{ELLIPSIS}", head.trim_end())
}

#[cfg(test)]
mod tests;
