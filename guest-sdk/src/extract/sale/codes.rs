//! Numbers that look like amounts but are not: bar codes, part numbers, counts, telephone numbers.

use magpie_values::identifier;
use magpie_values::text::{self, WordList};

use super::words::{CODE_CLASSES, CODE_LABELS};
use crate::extract::Layout;
use crate::extract::named::has_word;

/// Number of nested elements around a number whose classes are examined.
const NEAREST: usize = 4;

/// Returns true if the nearest element with a relevant class is one for codes or counts, not for
/// prices.
pub(super) fn is_in_code(layout: &Layout<'_>, node: u32, prices: &WordList) -> bool {
    let Some(node) = layout.outline().node(node) else {
        return false;
    };
    let around = std::iter::once(node).chain(node.ancestors()).take(NEAREST);
    for class in around.filter_map(|node| layout.class(node.id())) {
        if has_word(class, prices) {
            return false;
        }
        if has_word(class, &CODE_CLASSES) {
            return true;
        }
    }
    false
}

/// Returns true for the digits of a GTIN or an ISBN with correct length and check digit.
pub(super) fn is_trade_number(written: &str) -> bool {
    let bare: String = written
        .trim()
        .chars()
        .filter(|one| !matches!(one, '-' | '\u{a0}' | ' '))
        .collect();
    let figures = bare.bytes().all(|byte| byte.is_ascii_digit());
    figures && (identifier::is_gtin(&bare) || identifier::isbn10(&bare).is_ok())
}

/// Returns true for a folded text that ends with the label of a code: `ean:`, `product code`.
pub(super) fn announces_code(folded: &str) -> bool {
    let bare = folded.trim_end_matches([':', '#', '.', ' ', '(', '№']);
    let words = text::bare(bare);
    CODE_LABELS.iter().any(|label| {
        let label = text::bare(label);
        words == label
            || words
                .strip_suffix(label.as_str())
                .is_some_and(|rest| rest.ends_with(' '))
    })
}

#[cfg(test)]
mod tests {
    use super::{announces_code, is_trade_number};

    #[test]
    fn codes_are_told_from_amounts() {
        for code in ["4006381333931", "0-306-40615-2", "036000291452", "96385074"] {
            assert!(is_trade_number(code), "{code}");
        }
        for amount in ["4006381333932", "12", "1990000", "18.39", "31,000,000"] {
            assert!(!is_trade_number(amount), "{amount}");
        }
    }

    #[test]
    fn labels_of_codes_are_known() {
        for label in ["ean:", "product code", "артикул:", "art nr.", "your sku"] {
            assert!(announces_code(label), "{label}");
        }
        for label in ["price:", "our price", "areaean", ""] {
            assert!(!announces_code(label), "{label}");
        }
    }
}
