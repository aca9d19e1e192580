//! Words that distinguish pages of events from others.

use magpie_sdk::text;

use super::{has, is_one, languages as lists};

/// Counts the words of a path, class or heading that suggest events, and those that suggest other
/// content.
pub(crate) fn speaks(name: &str) -> (usize, usize) {
    let (mut events, mut others) = (0, 0);
    for word in crate::tree::words_of_name(name) {
        events += usize::from(lists::EVENT_PAGE.has(word));
        others += usize::from(lists::OTHER_PAGE.has(word));
    }
    (events, others)
}

/// Returns true if a heading is that of a section that no page of an event has, such as a list of
/// ingredients.
pub(crate) fn heads_other(heading: &str) -> bool {
    has(&lists::INGREDIENTS, heading)
}

/// Returns true if a record has a word for tickets or admission.
pub(crate) fn sells(text: &str) -> bool {
    has(&lists::TICKET, text)
}

/// Returns true if a record has a word for authors or comments.
pub(crate) fn is_posting(text: &str) -> bool {
    has(&lists::POSTING, text)
}

/// Returns true if a name is that of a slot of a programme, with its number: `Session 4A`, `Demo
/// Session 5C-3`.
pub(crate) fn is_slot(name: &str) -> bool {
    let is_number = |word: &str| {
        word.len() <= 3 && (word.bytes().any(|letter| letter.is_ascii_digit()) || word.len() == 1)
    };
    let is_all = text::words(name).all(|word| lists::SLOT_PART.has(word) || is_number(word));
    is_all && text::words(name).any(|word| lists::SLOT.has(word))
}

/// Returns true for the kind of an entry, with a number or an addition: `Live Session 2`, `Demo
/// Talk`. It is no place.
pub(crate) fn is_entry(text: &str) -> bool {
    let is_number = |word: &str| word.len() <= 2 && word.bytes().all(|letter| letter.is_ascii_digit());
    let is_part = |word: &str| lists::SLOT_PART.has(word) || lists::EVENT_KIND.has(word) || is_number(word);
    text::words(text).all(is_part)
        && text::words(text).any(|word| lists::SLOT.has(word) || lists::EVENT_KIND.has(word))
}

/// Returns true if a text is the kind of a programme entry.
pub(crate) fn is_kind(text: &str) -> bool {
    /// Maximum number of words of a kind; longer texts are titles.
    const MAX_WORDS: usize = 3;
    let words = text::words(text).count();
    is_one(&lists::EVENT_KIND, text) || (words <= MAX_WORDS && speaks(text).0 == words)
}
