//! Character references: `&amp;`, `&#38;`, `&eacute`.

use std::borrow::Cow;

use memchr::{memchr, memchr2};
use quick_xml::escape::resolve_html5_entity;

/// The context of a reference. Without its semicolon it is read differently in attributes, where
/// `&copy=1` is most likely a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReferenceContext {
    Attribute,
    Text,
}

/// The longest name there is has 31 letters.
const MAX_NAME_LEN: usize = 32;

/// Names that also stand without a semicolon, as old pages wrote them.
const WITHOUT_SEMICOLON: [&str; 106] = [
    "AElig", "AMP", "Aacute", "Acirc", "Agrave", "Aring", "Atilde", "Auml", "COPY", "Ccedil", "ETH",
    "Eacute", "Ecirc", "Egrave", "Euml", "GT", "Iacute", "Icirc", "Igrave", "Iuml", "LT", "Ntilde", "Oacute",
    "Ocirc", "Ograve", "Oslash", "Otilde", "Ouml", "QUOT", "REG", "THORN", "Uacute", "Ucirc", "Ugrave",
    "Uuml", "Yacute", "aacute", "acirc", "acute", "aelig", "agrave", "amp", "aring", "atilde", "auml",
    "brvbar", "ccedil", "cedil", "cent", "copy", "curren", "deg", "divide", "eacute", "ecirc", "egrave",
    "eth", "euml", "frac12", "frac14", "frac34", "gt", "iacute", "icirc", "iexcl", "igrave", "iquest",
    "iuml", "laquo", "lt", "macr", "micro", "middot", "nbsp", "not", "ntilde", "oacute", "ocirc", "ograve",
    "ordf", "ordm", "oslash", "otilde", "ouml", "para", "plusmn", "pound", "quot", "raquo", "reg", "sect",
    "shy", "sup1", "sup2", "sup3", "szlig", "thorn", "times", "uacute", "ucirc", "ugrave", "uml", "uuml",
    "yacute", "yen", "yuml",
];

/// Numbers 0x80 to 0x9F have their meaning in windows-1252; zero has none.
const WINDOWS_1252: [u16; 32] = [
    0x20AC, 0, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0,
    0x017D, 0, 0, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A,
    0x0153, 0, 0x017E, 0x0178,
];

/// Text with its references decoded; borrowed when there are none.
pub(super) fn decode(text: &str, context: ReferenceContext) -> Cow<'_, str> {
    if memchr2(b'&', 0, text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    decode_into(text, context, &mut out);
    Cow::Owned(out)
}

fn decode_into(text: &str, context: ReferenceContext, out: &mut String) {
    let mut rest = text;
    while let Some(found) = memchr(b'&', rest.as_bytes()) {
        push_plain(&rest[..found], out);
        rest = &rest[found..];
        let length = reference(rest, context, out);
        if length == 0 {
            out.push('&');
        }
        rest = &rest[length.max(1)..];
    }
    push_plain(rest, out);
}

fn push_plain(text: &str, out: &mut String) {
    if memchr(0, text.as_bytes()).is_none() {
        out.push_str(text);
    } else {
        out.push_str(&text.replace('\0', "\u{FFFD}"));
    }
}

/// Appends the character of the reference at the start and returns the reference's length; zero if
/// it is not a reference.
fn reference(text: &str, context: ReferenceContext, out: &mut String) -> usize {
    match text.as_bytes().get(1) {
        Some(b'#') => numeric(text, out),
        Some(byte) if byte.is_ascii_alphabetic() => named(text, context, out),
        _ => 0,
    }
}

fn numeric(text: &str, out: &mut String) -> usize {
    let bytes = text.as_bytes();
    let is_hex = matches!(bytes.get(2), Some(b'x' | b'X'));
    let start = if is_hex { 3 } else { 2 };
    let radix = if is_hex { 16 } else { 10 };
    let mut number: u32 = 0;
    let mut at = start;
    while let Some(digit) = bytes.get(at).and_then(|byte| char::from(*byte).to_digit(radix)) {
        // Too large stays too large.
        number = number.saturating_mul(radix).saturating_add(digit);
        at += 1;
    }
    if at == start {
        return 0;
    }
    out.push(character(number));
    at + usize::from(bytes.get(at) == Some(&b';'))
}

fn character(number: u32) -> char {
    let mapped = match number {
        0x80..=0x9F => match WINDOWS_1252[(number - 0x80) as usize] {
            0 => number,
            mapped => u32::from(mapped),
        },
        0 => 0xFFFD,
        _ => number,
    };
    char::from_u32(mapped).unwrap_or('\u{FFFD}')
}

fn named(text: &str, context: ReferenceContext, out: &mut String) -> usize {
    let bytes = &text.as_bytes()[1..];
    let letters = bytes
        .iter()
        .take(MAX_NAME_LEN)
        .take_while(|byte| byte.is_ascii_alphanumeric())
        .count();
    let name = &text[1..1 + letters];
    let next = bytes.get(letters);
    if next == Some(&b';')
        && let Some(meaning) = resolve_html5_entity(name)
    {
        out.push_str(meaning);
        return letters + 2;
    }
    // The longest prefix that is valid without a semicolon: `&notit` is `¬it` in text.
    let longest = (2..=letters.min(6))
        .rev()
        .find(|end| WITHOUT_SEMICOLON.binary_search(&&name[..*end]).is_ok());
    let Some(end) = longest else {
        return 0;
    };
    let follows = bytes.get(end);
    let is_query = follows.is_some_and(|byte| *byte == b'=' || byte.is_ascii_alphanumeric());
    if context == ReferenceContext::Attribute && is_query {
        return 0;
    }
    match resolve_html5_entity(&name[..end]) {
        Some(meaning) => {
            out.push_str(meaning);
            end + 1
        }
        None => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::{ReferenceContext, WITHOUT_SEMICOLON, decode};
    use quick_xml::escape::resolve_html5_entity;

    #[test]
    fn old_names_are_sorted_and_mean_something() {
        assert!(WITHOUT_SEMICOLON.is_sorted());
        for name in WITHOUT_SEMICOLON {
            assert!(resolve_html5_entity(name).is_some(), "{name}");
        }
    }

    #[test]
    fn references_in_attributes() {
        let check = |text: &str, expected: &str| {
            assert_eq!(decode(text, ReferenceContext::Attribute), expected, "{text}");
        };
        check("/a?b=1&amp;c=2", "/a?b=1&c=2");
        check("/a?b=1&c=2", "/a?b=1&c=2");
        check("/a?b=1&copy=2", "/a?b=1&copy=2");
        check("/a?b=1&copy2", "/a?b=1&copy2");
        check("/a?b=1&amp=2", "/a?b=1&amp=2");
        check("&amp", "&");
        check("&copy.", "©.");
        check("&eacute;&#233;&#xE9;&#xe9", "éééé");
        check(
            "&#128;&#0;&#x110000;&#xD800;&#99999999999;",
            "€\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}",
        );
        check("&#;&#x;&;&", "&#;&#x;&;&");
        check("&unknown;", "&unknown;");
        check("a\0b", "a\u{FFFD}b");
    }

    #[test]
    fn references_in_text() {
        assert_eq!(
            decode("&notit; &notin; R&ampB", ReferenceContext::Text),
            "¬it; ∉ R&B"
        );
    }
}
