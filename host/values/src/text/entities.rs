//! Entities that were escaped twice: `&amp;amp;` in the page's source reaches us as `&amp;`.

use std::borrow::Cow;

/// Maximum number of times that text is unescaped. Pages that escape three times occur.
const MAX_ROUNDS: usize = 4;

/// The longest entity we look for, `&thetasym;` and numeric ones included.
const MAX_ENTITY_LEN: usize = 12;

/// Replaces HTML entities that are left in decoded text, however often they were escaped. Unknown
/// entities stay as they are.
#[must_use]
pub fn unescape(text: &str) -> Cow<'_, str> {
    let mut current = Cow::Borrowed(text);
    for _ in 0..MAX_ROUNDS {
        match unescape_once(&current) {
            Some(next) => current = Cow::Owned(next),
            None => break,
        }
    }
    current
}

/// One round; none when nothing was replaced.
fn unescape_once(text: &str) -> Option<String> {
    let mut result = String::new();
    let mut copied = 0;
    let mut from = 0;
    while let Some(found) = text[from..].find('&') {
        let at = from + found;
        from = at + 1;
        // An `&` that begins no entity is text, as in `R&B`.
        let Some((character, length)) = entity(&text[at..]) else {
            continue;
        };
        result.push_str(&text[copied..at]);
        result.push(character);
        copied = at + length;
        from = copied;
    }
    (copied > 0).then(|| {
        result.push_str(&text[copied..]);
        result
    })
}

/// The character of the entity that `text` begins with, and the entity's length.
fn entity(text: &str) -> Option<(char, usize)> {
    let window = &text.as_bytes()[..text.len().min(MAX_ENTITY_LEN)];
    let end = window.iter().position(|byte| *byte == b';')?;
    let name = text.get(1..end)?;
    let character = match name.strip_prefix('#') {
        Some(number) => numeric(number)?,
        None => NAMED.iter().find(|(known, _)| *known == name)?.1,
    };
    Some((character, end + 1))
}

fn numeric(number: &str) -> Option<char> {
    let code = match number.strip_prefix(['x', 'X']) {
        Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16).ok()?,
        None => number.parse().ok()?,
    };
    // A page could otherwise put control characters into a record, by entities such as `&#27;`.
    char::from_u32(code).filter(|character| !character.is_control())
}

/// The entities that occur in titles, names and prices; the full list has two thousand.
const NAMED: &[(&str, char)] = &[
    ("amp", '&'),
    ("lt", '<'),
    ("gt", '>'),
    ("quot", '"'),
    ("apos", '\''),
    ("nbsp", ' '),
    ("ndash", '–'),
    ("mdash", '—'),
    ("lsquo", '‘'),
    ("rsquo", '’'),
    ("ldquo", '“'),
    ("rdquo", '”'),
    ("laquo", '«'),
    ("raquo", '»'),
    ("hellip", '…'),
    ("bull", '•'),
    ("middot", '·'),
    ("euro", '€'),
    ("pound", '£'),
    ("yen", '¥'),
    ("cent", '¢'),
    ("copy", '©'),
    ("reg", '®'),
    ("trade", '™'),
    ("deg", '°'),
    ("times", '×'),
    ("frac12", '½'),
    ("auml", 'ä'),
    ("ouml", 'ö'),
    ("uuml", 'ü'),
    ("Auml", 'Ä'),
    ("Ouml", 'Ö'),
    ("Uuml", 'Ü'),
    ("szlig", 'ß'),
    ("eacute", 'é'),
    ("egrave", 'è'),
    ("ecirc", 'ê'),
    ("agrave", 'à'),
    ("acirc", 'â'),
    ("aacute", 'á'),
    ("iacute", 'í'),
    ("oacute", 'ó'),
    ("uacute", 'ú'),
    ("ntilde", 'ñ'),
    ("ccedil", 'ç'),
    ("ocirc", 'ô'),
    ("icirc", 'î'),
    ("ucirc", 'û'),
    ("atilde", 'ã'),
    ("otilde", 'õ'),
    ("aring", 'å'),
    ("oslash", 'ø'),
    ("aelig", 'æ'),
];
