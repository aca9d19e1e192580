//! Postcodes by their shape.

use super::address::LONGEST;
use crate::text::truncate;

/// The first postcode in a text, as written.
#[must_use]
pub fn postcode(text: &str) -> Option<&str> {
    find_postcode(truncate(text, LONGEST)).map(|found| found.text)
}

/// A postcode with the text around it.
pub(super) struct Postcode<'text> {
    pub(super) text: &'text str,
    pub(super) before: &'text str,
    pub(super) behind: &'text str,
}

/// Shapes of postcodes: `9` a digit, `A` a letter, others as they are. The longest that fits wins.
const SHAPES: &[&str] = &[
    "99999-9999",
    "A9A 9A9",
    "AA9A 9AA",
    "A9A 9AA",
    "A99 9AA",
    "A9 9AA",
    "AA9 9AA",
    "AA99 9AA",
    "9999 AA",
    "999 99",
    "99-999",
    "999-9999",
    "9999-999",
    "99999-999",
    "999999",
    "99999",
    "9999",
];

pub(super) fn find_postcode(part: &str) -> Option<Postcode<'_>> {
    let starts = part.char_indices().filter(|(at, first)| {
        first.is_ascii_alphanumeric()
            && !part[..*at].ends_with(|before: char| before.is_alphanumeric() || before == '-')
    });
    let mut best: Option<(usize, usize)> = None;
    for (at, _) in starts {
        let fits = SHAPES
            .iter()
            .filter(|shape| has_shape(&part[at..], shape))
            .map(|shape| shape.len())
            .max();
        // Four digits alone are a house number or a year at the beginning of a part without a town.
        let length = fits.filter(|length| *length > 4 || part.len() > at + 5);
        if let Some(length) = length.filter(|length| best.is_none_or(|(_, longest)| *length > longest)) {
            best = Some((at, length));
        }
    }
    let (at, length) = best?;
    // The code of a country before a hyphen is no part of the town: `D-10115 Berlin`.
    let before = part[..at].trim_end_matches(['D', 'F', 'A', 'I', 'C', 'H', 'L', '-', ' ']);
    let before = if part[..at].ends_with('-') {
        before
    } else {
        &part[..at]
    };
    Some(Postcode {
        text: &part[at..at + length],
        before: before.trim(),
        behind: part[at + length..].trim(),
    })
}

fn has_shape(text: &str, shape: &str) -> bool {
    let Some(head) = text.as_bytes().get(..shape.len()) else {
        return false;
    };
    let fits = head.iter().zip(shape.bytes()).all(|(byte, kind)| match kind {
        b'9' => byte.is_ascii_digit(),
        b'A' => byte.is_ascii_uppercase(),
        other => *byte == other,
    });
    fits && !text[shape.len()..].starts_with(|next: char| next.is_alphanumeric())
}
