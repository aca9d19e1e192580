//! Elements by the words in their class, id and `itemprop`.

use magpie_values::text::{self, WordList};

use super::layout::{Layout, Text};

/// Maximum length of a value in bytes; a longer text is a section of the page.
const MAX_VALUE: usize = 300;

/// Maximum number of elements found by one call.
const MAX_FOUND: usize = 50;

impl Layout<'_> {
    /// Short texts of elements with one of the words in their class, id or `itemprop`, in document
    /// order: `named(&["venue", "location"])` finds `<p class="event-venue">` and `<span
    /// itemprop="location">`. Of nested elements only the innermost counts.
    pub fn named(&self, words: &[&str]) -> Vec<Text> {
        let words: Vec<String> = words.iter().map(|word| text::fold(word)).collect();
        let is_wanted = |word: &str| words.iter().any(|wanted| word.eq_ignore_ascii_case(wanted));
        let classed = self
            .classes()
            .fitting(0..u32::MAX, |name| any_word(name, is_wanted));
        let mut nodes: Vec<u32> = classed.collect();
        for attribute in ["id", "itemprop"] {
            let having = self.page().having(attribute).into_iter();
            nodes.extend(
                having
                    .filter(|(_, name)| any_word(name, is_wanted))
                    .map(|(element, _)| element.node()),
            );
        }
        nodes.sort_unstable();
        nodes.dedup();
        let mut found = Vec::new();
        for (position, &node) in nodes.iter().enumerate() {
            let end = self.outline().node(node).map_or(node, |node| node.range().end);
            let holds_next = nodes.get(position + 1).is_some_and(|&next| next < end);
            if !holds_next && found.len() < MAX_FOUND && self.length(node) <= MAX_VALUE {
                found.extend(
                    Some(self.text(node))
                        .filter(|text| !text.is_empty())
                        .map(|text| Text { text, node }),
                );
            }
        }
        found
    }

    /// Length of a node's text as written, in bytes.
    pub(super) fn length(&self, node: u32) -> usize {
        self.outline().node(node).map_or(0, |node| node.text().len())
    }
}

/// Returns true if a name contains one of the words: `eventDate`, `event-date` and `event_date`
/// have `date`.
pub(super) fn has_word(name: &str, wanted: &WordList) -> bool {
    any_word(name, |word| wanted.has(word))
}

/// Returns true if any word of a name passes the test.
pub(super) fn any_word(name: &str, is: impl Fn(&str) -> bool) -> bool {
    // Nearly all names are ASCII, and this runs for every name on a page.
    if name.is_ascii() {
        let bytes = name.bytes().enumerate();
        return any_part(
            name,
            bytes.map(|(position, byte)| (position, CharClass::of_ascii(byte))),
            is,
        );
    }
    let characters = name.char_indices();
    any_part(
        name,
        characters.map(|(position, character)| (position, CharClass::of(character))),
        is,
    )
}

/// Properties of a character that determine word boundaries.
#[derive(Clone, Copy)]
struct CharClass {
    is_alphanumeric: bool,
    is_upper: bool,
    is_lower: bool,
    length: usize,
}

impl CharClass {
    fn of(character: char) -> Self {
        Self {
            is_alphanumeric: character.is_alphanumeric(),
            is_upper: character.is_uppercase(),
            is_lower: character.is_lowercase(),
            length: character.len_utf8(),
        }
    }

    fn of_ascii(byte: u8) -> Self {
        Self {
            is_alphanumeric: byte.is_ascii_alphanumeric(),
            is_upper: byte.is_ascii_uppercase(),
            is_lower: byte.is_ascii_lowercase(),
            length: 1,
        }
    }
}

fn any_part(
    name: &str,
    characters: impl Iterator<Item = (usize, CharClass)>,
    is: impl Fn(&str) -> bool,
) -> bool {
    let (mut start, mut last_lower) = (0, false);
    for (position, character) in characters {
        if !character.is_alphanumeric || (character.is_upper && last_lower) {
            if start < position && is(&name[start..position]) {
                return true;
            }
            start = if character.is_alphanumeric {
                position
            } else {
                position + character.length
            };
        }
        last_lower = character.is_lower;
    }
    is(&name[start..])
}

#[cfg(test)]
mod tests {
    use super::{WordList, has_word};

    #[test]
    fn words_of_names_are_found_in_every_style() {
        static DATE: WordList = WordList::new(&["date"]);
        for name in ["date", "event-date", "eventDate", "event_date big", "Date"] {
            assert!(has_word(name, &DATE), "{name}");
        }
        for name in ["update", "dated", "datetime", ""] {
            assert!(!has_word(name, &DATE), "{name}");
        }
    }
}
