//! Labels of the attributes of an event. They are compared as a whole.

use magpie_sdk::text::WordList;

use super::languages as lists;

/// Returns the index of a folded label in a list, or `None` if it is not in the list.
pub(crate) fn place_of(labels: &WordList, label: &str) -> Option<usize> {
    let bare = || {
        let (first, rest) = label.split_once(' ')?;
        lists::OUR.place_of(first).and_then(|_| labels.place_of(rest))
    };
    labels.place_of(label).or_else(bare)
}

/// Returns true for a word before an amount: `from 10`.
pub(crate) fn leads_price(word: &str) -> bool {
    lists::BEFORE_PRICE.has(word)
}
