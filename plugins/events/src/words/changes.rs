//! Words for changes of status: cancelled, postponed, sold out.

use magpie_sdk::text::{self, WordList};

use super::languages as lists;

/// Changes of status, and the words for each.
static STATUS: [(&str, &WordList); 5] = [
    ("cancelled", &lists::CANCELLED),
    ("postponed", &lists::POSTPONED),
    ("rescheduled", &lists::RESCHEDULED),
    ("moved online", &lists::MOVED_ONLINE),
    ("sold out", &lists::SOLD_OUT),
];

/// Returns the change of status that a text reports, such as `cancelled`.
pub(crate) fn status(text: &str) -> Option<&'static str> {
    let mut after_sold = false;
    for word in text::words(text) {
        if after_sold && list!["out"].has(word) {
            return Some("sold out");
        }
        if let Some((status, _)) = STATUS.iter().find(|(_, words)| words.has(word)) {
            return Some(status);
        }
        after_sold = list!["sold"].has(word);
    }
    None
}
