//! Finding identifiers in running text.

use super::{Scheme, normalise};
use crate::text::truncate;

/// An identifier found in text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Start, in bytes.
    pub start: usize,
    /// End, in bytes.
    pub end: usize,
    /// Kind of identifier.
    pub scheme: Scheme,
    /// Its normal form.
    pub value: String,
}

/// The longest identifier with separators.
const LONGEST: usize = 28;

/// The longest DOI: the standard sets no limit, and those in use stay far below this.
const MAX_DOI_LEN: usize = 200;

/// Maximum distance of a label before its number.
const LABEL_REACH: usize = 24;

/// The ISBNs, ISSNs, GTINs and DOIs in a text, in order.
///
/// Valid thirteen-digit ISBNs and DOIs speak for themselves; anything shorter or more ordinary
/// needs its label (`ISBN`, `ISSN`, `EAN`, `GTIN`, `UPC`) before it, since one number in ten has
/// the right check digit by chance.
#[must_use]
pub fn find_all(text: &str) -> Vec<Found> {
    let bytes = text.as_bytes();
    let mut found: Vec<Found> = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if !starts_number(bytes, at) {
            at += 1;
            continue;
        }
        // A DOI contains digits that could pass for another number.
        match doi_at(text, at).or_else(|| number_at(text, at)) {
            Some(item) => {
                at = item.end;
                found.push(item);
            }
            // The whole run is passed over, because a part of a number is not an identifier.
            None => at = end_of_digits(bytes, at),
        }
    }
    found
}

fn starts_number(bytes: &[u8], at: usize) -> bool {
    let joined = at > 0 && (bytes[at - 1].is_ascii_digit() || matches!(bytes[at - 1], b'.' | b'_'));
    bytes[at].is_ascii_digit() && !joined
}

fn end_of_digits(bytes: &[u8], at: usize) -> usize {
    at + bytes[at..]
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count()
}

fn doi_at(text: &str, at: usize) -> Option<Found> {
    let rest = truncate(&text[at..], MAX_DOI_LEN);
    if !rest.starts_with("10.") {
        return None;
    }
    let ends =
        |character: char| character.is_whitespace() || matches!(character, '"' | '<' | '>' | '\'' | '”');
    let length = rest.find(ends).unwrap_or(rest.len());
    // A sentence may end right after a DOI. These marks rarely end a DOI itself.
    let written = rest[..length].trim_end_matches(['.', ',', ';', ')', ']']);
    let value = normalise(Scheme::Doi, written).ok()?;
    Some(Found {
        start: at,
        end: at + written.len(),
        scheme: Scheme::Doi,
        value,
    })
}

fn number_at(text: &str, at: usize) -> Option<Found> {
    let before =
        text[..at].trim_end_matches(|character: char| !character.is_alphanumeric() && character != '\n');
    let glued = before.len() == at && before.ends_with(char::is_alphabetic);
    let label = label_before(before, at);
    if glued && label.is_none() {
        return None;
    }
    let end = at + span(&text.as_bytes()[at..]);
    candidates(text, at, end).find_map(|(candidate_end, digits)| {
        let written = &text[at..candidate_end];
        let scheme = scheme_of(digits, written, label)?;
        let value = normalise(scheme, written).ok()?;
        Some(Found {
            start: at,
            end: candidate_end,
            scheme,
            value,
        })
    })
}

/// Length of the run of digits and single separators.
fn span(bytes: &[u8]) -> usize {
    let mut end = 0;
    for (index, byte) in bytes.iter().take(LONGEST).enumerate() {
        match byte {
            b'0'..=b'9' => end = index + 1,
            b'x' | b'X' if end == index || end + 1 == index => return index + 1,
            b' ' | b'-' if end == index => {}
            _ => break,
        }
    }
    end
}

/// Ends at which a number may stop, the longest first, with the count of digits up to there.
fn candidates(text: &str, at: usize, end: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
    let bytes = text.as_bytes();
    let stops = move |index: &usize| {
        let next = bytes.get(*index);
        next.is_none_or(|byte| !byte.is_ascii_alphanumeric()) && bytes[*index - 1].is_ascii_alphanumeric()
    };
    (at + 1..=end).rev().filter(stops).map(move |index| {
        let digits = bytes[at..index]
            .iter()
            .filter(|byte| byte.is_ascii_alphanumeric())
            .count();
        (index, digits)
    })
}

fn scheme_of(digits: usize, written: &str, label: Option<Scheme>) -> Option<Scheme> {
    let is_book = written.starts_with("978") || written.starts_with("979");
    match (digits, label) {
        // A label decides even if the number could be a book's.
        (13, Some(Scheme::Gtin)) => Some(Scheme::Gtin),
        (13, _) if is_book => Some(if written.replace(['-', ' '], "").starts_with("9790") {
            Scheme::Ismn
        } else {
            Scheme::Isbn
        }),
        (10, Some(Scheme::Isbn)) => Some(Scheme::Isbn),
        (8, Some(Scheme::Issn)) => Some(Scheme::Issn),
        (8 | 12 | 14, Some(Scheme::Gtin)) => Some(Scheme::Gtin),
        _ => None,
    }
}

/// The scheme that the word before the number names.
fn label_before(before: &str, at: usize) -> Option<Scheme> {
    let mut from = at.saturating_sub(LABEL_REACH).min(before.len());
    while !before.is_char_boundary(from) {
        from += 1;
    }
    let window = before[from..].to_ascii_lowercase();
    let window = window.trim_end_matches(['1', '0', '3', '4', '2', '8', '-', ' ', ':', ')', '(', '#']);
    let window = window
        .strip_suffix("number")
        .or_else(|| window.strip_suffix("code"))
        .unwrap_or(window)
        .trim_end();
    let ends_with = |words: &[&str]| words.iter().any(|word| window.ends_with(word));
    if ends_with(&["isbn"]) {
        Some(Scheme::Isbn)
    } else if ends_with(&["issn"]) {
        Some(Scheme::Issn)
    } else if ends_with(&["ean", "gtin", "upc", "upc-a", "jan", "barcode"]) {
        Some(Scheme::Gtin)
    } else {
        None
    }
}
