//! Strangers' texts: escaped, measured, cut to their room.

use std::borrow::Cow;

/// Maximum number of combining marks on one letter. Real writing needs two; more run into the lines
/// above.
const MAX_MARKS: usize = 2;

/// Bytes of a text that are looked at at all: more than fits into any room.
const LONGEST: usize = 4_096;

/// Escapes a text for HTML or XML, between tags or within a quoted attribute.
///
/// Characters that XML forbids and those that change the direction of later text become U+FFFD,
/// line ends become spaces, and excess combining marks are removed.
///
/// ```
/// assert_eq!(magpie_plot::escaped("<b title='&'>"), "&lt;b title=&#39;&amp;&#39;&gt;");
/// ```
#[must_use]
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut marks = 0;
    for letter in text.chars() {
        marks = if is_mark(letter) { marks + 1 } else { 0 };
        match letter {
            _ if marks > MAX_MARKS => {}
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\t' | '\n' | '\r' => out.push(' '),
            _ if is_unwelcome(letter) => out.push('\u{fffd}'),
            _ => out.push(letter),
        }
    }
    out
}

/// Approximate width of a text, in pixels; rather too wide, since the reader's font is unknown.
pub(crate) fn width(text: &str, size: f64) -> f64 {
    text.chars().map(letter_width).sum::<f64>() * size
}

/// A text cut to its room, with an ellipsis where something is gone.
pub(crate) fn fitted(text: &str, size: f64, room: f64) -> Cow<'_, str> {
    let text = beginning(text);
    if width(text, size) <= room {
        return Cow::Borrowed(text);
    }
    let mut left = room / size - letter_width('…');
    let end = text.char_indices().find_map(|(at, letter)| {
        left -= letter_width(letter);
        (left < 0.0).then_some(at)
    });
    let kept = text[..end.unwrap_or(text.len())].trim_end();
    Cow::Owned(format!("{kept}…"))
}

/// A text in lines, broken between words; the rest beyond the maximum number of lines is cut.
pub(crate) fn wrapped(text: &str, size: f64, room: f64, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in beginning(text).split_whitespace() {
        match lines.last_mut() {
            Some(line) if width(line, size) + width(word, size) + size * 0.4 <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    if lines.len() > most {
        let rest = lines.split_off(most.max(1) - 1).join(" ");
        lines.push(rest);
    }
    lines
        .iter()
        .map(|line| fitted(line, size, room).into_owned())
        .collect()
}

/// A text within a maximum number of lines, or nothing if it would be cut.
pub(crate) fn whole(text: &str, size: f64, room: f64, most: usize) -> Option<Vec<String>> {
    let lines = wrapped(text, size, room, most);
    let words = lines.iter().flat_map(|line| line.split_whitespace());
    words.eq(text.split_whitespace()).then_some(lines)
}

/// Returns true if fonts may show this text much wider than measured, as happens with scripts that
/// few fonts have.
pub(crate) fn is_uncertain(text: &str) -> bool {
    text.chars().any(|letter| match letter {
        // Latin, Greek and Cyrillic; punctuation; pictures.
        '\0'..='\u{52f}' | '\u{2010}'..='\u{2027}' | '\u{1f000}'..='\u{1faff}' => false,
        _ => !is_square(letter),
    })
}

/// The beginning of a text, long enough for any room.
fn beginning(text: &str) -> &str {
    let mut end = text.len().min(LONGEST);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Width of a letter as a share of its size, by the wider of the fonts that browsers use for
/// sans-serif.
fn letter_width(letter: char) -> f64 {
    match letter {
        'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '\'' | '|' | ' ' | '·' | '!' => 0.34,
        'f' | 't' | 'r' | 'I' | '(' | ')' | '[' | ']' | '/' | '\\' | '-' | '`' | '‘' | '’' => 0.42,
        'm' | 'w' | 'M' | 'W' | '@' | '%' | '…' | '—' | 'Q' | '+' | '=' | '<' | '>' | '~' => 0.98,
        'A'..='Z' | '&' | '#' => 0.76,
        '\0'..='\u{24f}' => 0.64,
        '\u{2010}'..='\u{2027}' => 0.64,
        '\u{1f000}'..='\u{1faff}' => 1.4,
        _ if is_mark(letter) => 0.0,
        _ if is_square(letter) => 1.02,
        '\u{1100}'.. => 1.1,
        _ => 0.8,
    }
}

/// A letter of the scripts whose letters fill a square in every font.
fn is_square(letter: char) -> bool {
    matches!(letter, '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' | '\u{ff01}'..='\u{ff60}')
}

/// A mark that combines with the preceding letter.
fn is_mark(letter: char) -> bool {
    matches!(letter, '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}' | '\u{fe20}'..='\u{fe2f}')
}

/// Characters that XML forbids or that change how the text around them is read.
fn is_unwelcome(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fffe}' | '\u{ffff}')
}
