//! What its author named: elements by the words of class, id and `itemprop`.

use magpie_values::text;

use super::layout::{Layout, Text};

/// Bytes of a text that is a value; more is a section of the page.
const MOST_VALUE: usize = 300;

/// Elements that one question finds.
const MOST_FOUND: usize = 50;

impl Layout<'_> {
    /// The short texts of elements that have one of the words in their class, id or `itemprop`, in
    /// document order: `named(&["venue", "location"])` finds `<p class="event-venue">` and
    /// `<span itemprop="location">`. Of nested ones the innermost is taken.
    pub fn named(&self, words: &[&str]) -> Vec<Text> {
        let words: Vec<String> = words.iter().map(|word| text::fold(word)).collect();
        let classed = self.classes().fitting(0..u32::MAX, |name| has_word(name, &words));
        let mut nodes: Vec<u32> = classed.collect();
        for attribute in ["id", "itemprop"] {
            let having = self.page().having(attribute).into_iter();
            nodes.extend(
                having
                    .filter(|(_, name)| has_word(name, &words))
                    .map(|(element, _)| element.node()),
            );
        }
        nodes.sort_unstable();
        nodes.dedup();
        let mut found = Vec::new();
        for (place, &node) in nodes.iter().enumerate() {
            let end = self.outline().node(node).map_or(node, |node| node.range().end);
            let holds_next = nodes.get(place + 1).is_some_and(|&next| next < end);
            if !holds_next && found.len() < MOST_FOUND && self.length(node) <= MOST_VALUE {
                found.extend(
                    Some(self.text(node))
                        .filter(|text| !text.is_empty())
                        .map(|text| Text { text, node }),
                );
            }
        }
        found
    }

    /// How many bytes of text as written a node has.
    pub(super) fn length(&self, node: u32) -> usize {
        self.outline().node(node).map_or(0, |node| node.text().len())
    }
}

/// Whether a name has one of the words: `eventDate`, `event-date` and `event_date` have `date`.
pub(super) fn has_word<W: AsRef<str>>(name: &str, wanted: &[W]) -> bool {
    let is = |word: &str| {
        wanted
            .iter()
            .any(|wanted| word.eq_ignore_ascii_case(wanted.as_ref()))
    };
    // Nearly all names are ASCII, and this is asked of every one on a page.
    if name.is_ascii() {
        let bytes = name.bytes().enumerate();
        return any_word(
            name,
            bytes.map(|(place, byte)| (place, Letter::of_ascii(byte))),
            is,
        );
    }
    let letters = name.char_indices();
    any_word(
        name,
        letters.map(|(place, letter)| (place, Letter::of(letter))),
        is,
    )
}

/// What of a letter counts for where words end.
#[derive(Clone, Copy)]
struct Letter {
    is_alphanumeric: bool,
    is_upper: bool,
    is_lower: bool,
    length: usize,
}

impl Letter {
    fn of(letter: char) -> Self {
        Self {
            is_alphanumeric: letter.is_alphanumeric(),
            is_upper: letter.is_uppercase(),
            is_lower: letter.is_lowercase(),
            length: letter.len_utf8(),
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

/// Whether one of the words of a name is as wanted.
fn any_word(name: &str, letters: impl Iterator<Item = (usize, Letter)>, is: impl Fn(&str) -> bool) -> bool {
    let (mut start, mut last_lower) = (0, false);
    for (place, letter) in letters {
        if !letter.is_alphanumeric || (letter.is_upper && last_lower) {
            if start < place && is(&name[start..place]) {
                return true;
            }
            start = if letter.is_alphanumeric {
                place
            } else {
                place + letter.length
            };
        }
        last_lower = letter.is_lower;
    }
    is(&name[start..])
}

#[cfg(test)]
mod tests {
    use super::has_word;

    #[test]
    fn words_of_names_are_found_in_every_style() {
        let date = ["date".to_owned()];
        for name in ["date", "event-date", "eventDate", "event_date big", "Date"] {
            assert!(has_word(name, &date), "{name}");
        }
        for name in ["update", "dated", "datetime", ""] {
            assert!(!has_word(name, &date), "{name}");
        }
    }
}
