//! Finds bodies in texts: boards, committees and councils.
//!
//! The name of a body consists of a word such as `Committee` and the capitalised words around it:
//! before it (`Citizens Advisory Board`), or after a preposition (`Board of Zoning Appeals`).

use std::collections::HashMap;
use std::ops::Range;

use magpie_sdk::extract::Layout;
use magpie_sdk::text;

use crate::tree::Frame;
use crate::words;

/// Maximum number of words of a name on each side of the word for the body.
const MAX_BESIDE: usize = 6;

/// Maximum length of a text to search, in bytes. Longer texts are seldom about a body.
const MAX_TEXT: usize = 2_000;

/// Returns the first body with more than one word: `Board of Trustees`, but not `Board`.
pub(crate) fn body_in(text: &str) -> Option<&str> {
    bodies(text).next()
}

pub(crate) struct Bodies {
    /// Bodies in the content of the page.
    own: Counts,
    /// Bodies in the frame of the site.
    around: Counts,
}

/// Bodies by their folded names: number of mentions, order, and first spelling.
type Counts = HashMap<String, (usize, usize, String)>;

impl Bodies {
    pub(crate) fn of(layout: &Layout<'_>, frame: &Frame) -> Self {
        let is_title = |node: u32| {
            layout
                .outline()
                .node(node)
                .is_some_and(|node| node.tag() == "title")
        };
        let (mut own, mut around) = (Counts::new(), Counts::new());
        // The body in the title is compared with these counts, so the title itself is not counted.
        for line in layout.lines().iter().filter(|line| !is_title(line.node)) {
            let counts = if frame.holds(line.node) {
                &mut around
            } else {
                &mut own
            };
            for body in bodies(&line.text) {
                let place = counts.len();
                let known = counts.entry(text::bare(body));
                known.or_insert_with(|| (0, place, body.to_owned())).0 += 1;
            }
        }
        Self { own, around }
    }

    /// Returns the body that is mentioned most, with the number of mentions.
    pub(crate) fn most(&self) -> Option<(&str, usize)> {
        most(&self.own, |_| true)
    }

    /// Returns the body of a kind that is mentioned most, in the content or else in the frame.
    pub(crate) fn most_of(&self, is_kind: impl Fn(&str) -> bool) -> Option<&str> {
        let is_one = |body: &str| text::words(body).any(&is_kind);
        let known = most(&self.own, is_one).or_else(|| most(&self.around, is_one));
        known.map(|(body, _)| body)
    }

    /// Returns the number of mentions of a body.
    pub(crate) fn count(&self, body: &str) -> usize {
        self.own.get(&text::bare(body)).map_or(0, |(count, ..)| *count)
    }
}

fn most(counts: &Counts, fits: impl Fn(&str) -> bool) -> Option<(&str, usize)> {
    let fitting = counts.values().filter(|(_, _, body)| fits(body));
    let most = fitting.max_by_key(|(count, place, body)| {
        (!is_short(body) && *count > 1, *count, std::cmp::Reverse(*place))
    });
    most.map(|(count, _, body)| (body.as_str(), *count))
}

/// Returns true for a name with an abbreviation, which the page spells out elsewhere: `CDB Board`.
fn is_short(body: &str) -> bool {
    /// Maximum length of the abbreviation.
    const MAX_LENGTH: usize = 5;
    let mut words = body.split(' ');
    let letters = words.next().unwrap_or_default();
    words.count() == 1 && letters.len() <= MAX_LENGTH && letters.chars().all(char::is_uppercase)
}

/// Returns the full names of all bodies in a text.
fn bodies(text: &str) -> impl Iterator<Item = &str> {
    // Most lines mention no body and are skipped after one search.
    let words = if words::meets_in(text) {
        spans(text::truncate(text, MAX_TEXT))
    } else {
        Vec::new()
    };
    (0..words.len()).filter_map(move |place| body_at(text, &words, place))
}

/// Returns the body whose word is at an index.
fn body_at<'t>(text: &'t str, words: &[Range<usize>], place: usize) -> Option<&'t str> {
    let word = |place: usize| words.get(place).map(|span| &text[span.clone()]);
    let kind = word(place)?;
    if !is_capital(kind) || !words::is_body(trimmed(kind)) {
        return None;
    }
    // `School Council Advisory Board` is a board.
    let goes_on = (place + 1..words.len().min(place + 3))
        .take_while(|next| belongs(&text[words[next - 1].clone()], &text[words[*next].clone()]))
        .any(|next| word(next).is_some_and(|word| is_capital(word) && words::is_body(trimmed(word))));
    if goes_on {
        return None;
    }
    let behind = behind_link(text, words, place);
    if let Some(last) = behind {
        let before = place
            .checked_sub(1)
            .filter(|before| word(*before).is_some_and(words::is_of_body));
        let first = before.unwrap_or(place);
        return Some(trimmed(&text[words[first].start..words[last].end]));
    }
    // `Staff & Board` are two bodies.
    if place > 0 && words::joins(word(place - 1)?) {
        return None;
    }
    let mut first = place;
    while first > 0 && place - first < MAX_BESIDE && belongs(word(first - 1)?, word(first)?) {
        first -= 1;
    }
    while first < place && !is_capital(word(first)?) {
        first += 1;
    }
    (first < place).then(|| trimmed(&text[words[first].start..words[place].end]))
}

/// Returns the index of the last word after `of`, `on` or `for`.
fn behind_link(text: &str, words: &[Range<usize>], place: usize) -> Option<usize> {
    let word = |place: usize| words.get(place).map(|span| &text[span.clone()]);
    let ends = |word: &str| word.ends_with(|letter: char| !letter.is_alphanumeric());
    if ends(word(place)?) || !words::is_link(word(place + 1)?) {
        return None;
    }
    let mut last = None;
    let mut next = place + 2;
    while let Some(word) = word(next).filter(|_| next - place <= MAX_BESIDE + 2) {
        let joins = words::joins(word) && !ends(word);
        if !joins && (!is_capital(word) || words::is_generic(word)) {
            break;
        }
        if !joins {
            last = Some(next);
        }
        if ends(word) {
            break;
        }
        next += 1;
    }
    last
}

/// Returns true if a word belongs to the name that continues after it.
fn belongs(word: &str, after: &str) -> bool {
    let open = !word.ends_with(|letter: char| !letter.is_alphanumeric() && letter != '&');
    let joins = words::joins(word) && is_capital(after);
    open && (joins || (is_capital(word) && !words::is_generic(word) && !words::is_qualifier(trimmed(word))))
}

fn is_capital(word: &str) -> bool {
    word.starts_with(char::is_uppercase)
}

fn trimmed(name: &str) -> &str {
    name.trim_matches(|letter: char| !letter.is_alphanumeric())
}

/// Returns the ranges of the words of a text, with adjacent punctuation.
fn spans(text: &str) -> Vec<Range<usize>> {
    // The words are parts of the text, so the distance of their addresses is their position.
    let base = text.as_ptr() as usize;
    text.split_whitespace()
        .map(|word| {
            let start = word.as_ptr() as usize - base;
            start..start + word.len()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{body_in, is_short};

    #[test]
    fn letters_are_no_full_name() {
        assert!(is_short("CDB Board"));
        assert!(!is_short("Park Board"));
        assert!(!is_short("PARKS AND ROADS BOARD"));
    }

    #[test]
    fn bodies_are_named_by_their_kind_and_what_is_around_it() {
        for (text, body) in [
            (
                "Meetings of the Board of Zoning Appeals are public.",
                "Board of Zoning Appeals",
            ),
            ("Next Citizens Advisory Board Meeting", "Citizens Advisory Board"),
            (
                "2026 EAST DESIGN REVIEW COMMITTEE",
                "EAST DESIGN REVIEW COMMITTEE",
            ),
            (
                "The Committee on Parks and Public Works, June 2026",
                "Committee on Parks and Public Works",
            ),
            ("Hill County Board of Health Meeting Dates", "Board of Health"),
            (
                "School Council Advisory Board (SCAB)",
                "School Council Advisory Board",
            ),
            ("Audit & Finance Committee", "Audit & Finance Committee"),
            ("Fairmont Zoning Board of Appeals", "Zoning Board of Appeals"),
        ] {
            assert_eq!(body_in(text), Some(body), "{text}");
        }
        for text in [
            "2026 Board Meeting Dates",
            "a board of wood",
            "Regular Committee Meeting",
            "Staff & Board",
            "",
        ] {
            assert_eq!(body_in(text), None, "{text}");
        }
    }
}
