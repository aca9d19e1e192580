//! Encoding of texts as on careless systems: entities that are encoded twice, numeric, or lack the
//! semicolon.

use super::page::push_escaped;
use crate::site::Entities;

/// Appends a text in the site's encoding of special characters.
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

/// Returns the entity of a character, or `None` for characters that are written as they are.
fn encoded(letter: char, next: Option<char>, form: Entities) -> Option<String> {
    let code = match letter {
        // The same systems make the apostrophe typographic.
        '\'' => 8217,
        '&' => 38,
        letter if u32::from(letter) > 127 => u32::from(letter),
        _ => return None,
    };
    match form {
        Entities::Numeric => Some(format!("&#{code:03};")),
        // Only punctuation is encoded twice; the first encoder does not change letters.
        Entities::Double if letter.is_alphabetic() => None,
        Entities::Double if code == 38 => Some("&amp;amp;".to_owned()),
        Entities::Double => Some(format!("&amp;#{code};")),
        Entities::Bare => named(letter, next),
    }
}

/// Returns an entity without its semicolon, where a parser can still find its end: HTML takes the
/// longest matching name.
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
