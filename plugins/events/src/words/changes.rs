//! Words for changes of status: cancelled, postponed, sold out.

use magpie_sdk::text::{self, WordList, fold_word};

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
    let mut before = None;
    for word in text::words(text) {
        let pair = before.map(|before| format!("{} {}", fold_word(before), fold_word(word)));
        let is_in = |words: &WordList| {
            words.has(word) || pair.as_ref().is_some_and(|pair| words.place_of(pair).is_some())
        };
        if let Some((status, _)) = STATUS.iter().find(|(_, words)| is_in(words)) {
            return Some(status);
        }
        before = Some(word).filter(|word| lists::STATUS_START.has(word));
    }
    // Words of scripts without blanks are parts of a text.
    let is_part = |(_, words): &&(&str, &WordList)| words.is_in(text);
    let part = STATUS.iter().filter(|_| !text.is_ascii()).find(is_part);
    part.map(|(status, _)| *status)
}
