//! Texts as careless systems write them: entities that are encoded twice, numeric, or without their
//! semicolon.

use super::page::push_escaped;
use crate::site::Entities;

/// Adds a text in the form that a site gives to its special letters.
pub(crate) fn push_text(out: &mut String, text: &str, form: Option<Entities>) {
    let Some(form) = form else {
        return push_escaped(out, text);
    };
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let next = letters.peek().copied();
        match encoded(letter, next, form) {
            Some(entity) => out.push_str(&entity),
            None => push_escaped(out, letter.encode_utf8(&mut [0; 4])),
        }
    }
}

/// The entity of a letter; none for letters that stand for themselves.
fn encoded(letter: char, next: Option<char>, form: Entities) -> Option<String> {
    let code = match letter {
        // The apostrophe is made typographic by the same systems.
        '\'' => 8217,
        '&' => 38,
        letter if u32::from(letter) > 127 => u32::from(letter),
        _ => return None,
    };
    match form {
        Entities::Numeric => Some(format!("&#{code:03};")),
        // Only marks are encoded twice: letters pass the first encoder as they are.
        Entities::Double if letter.is_alphabetic() => None,
        Entities::Double if code == 38 => Some("&amp;amp;".to_owned()),
        Entities::Double => Some(format!("&amp;#{code};")),
        Entities::Bare => named(letter, next),
    }
}

/// A name without its semicolon, where a reader can still tell its end: HTML knows the longest name
/// that fits.
fn named(letter: char, next: Option<char>) -> Option<String> {
    let name = match letter {
        '&' if next.is_none_or(|next| next == ' ') => "amp",
        'é' => "eacute",
        'è' => "egrave",
        'ê' => "ecirc",
        'ç' => "ccedil",
        'ä' => "auml",
        'ö' => "ouml",
        'ü' => "uuml",
        'á' => "aacute",
        'í' => "iacute",
        'ó' => "oacute",
        'ñ' => "ntilde",
        'å' => "aring",
        '£' => "pound",
        '\u{a0}' => "nbsp",
        _ => return None,
    };
    Some(format!("&{name}"))
}
