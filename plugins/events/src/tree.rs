//! Questions about a page's tree that several readers ask.

use std::ops::Range;

use crate::words::languages as lists;
use magpie_sdk::OutlineNode;
use magpie_sdk::extract::Layout;
use magpie_sdk::text::WordList;

/// What is not the page's own matter: the site's frame, and what stands beside.
#[derive(Debug)]
pub(crate) struct Frame {
    /// For each node the part of the page that it is in.
    parts: Vec<Part>,
}

/// A part of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Own,
    /// The same, within something that has a footer of its own.
    Inner,
    /// In an `aside`, or in what is called one.
    Beside,
    /// Navigation, or the site's footer.
    Frame,
}

impl Frame {
    /// Reads a page's tree once.
    pub(crate) fn of(layout: &Layout<'_>) -> Self {
        let heading = layout.heading().map_or(0, |heading| heading.node);
        let outline = layout.outline();
        let most = outline.root().text().len() / 2;
        let named = layout.per_class(Named::of);
        let mut parts: Vec<Part> = Vec::with_capacity(outline.len());
        for node in outline.nodes() {
            // A parent stands before its children, so its part is known.
            let around = node.parent().and_then(|parent| parts.get(parent.id() as usize));
            let around = around.copied().unwrap_or(Part::Own);
            // Themes write what the page has (`footer-columns`, `no-sidebar`) at what holds all of it.
            let holds_all = matches!(node.tag(), "html" | "body" | "main")
                || node.range().contains(&heading)
                || node.text().len() > most;
            parts.push(match around {
                Part::Frame => Part::Frame,
                _ if node.is_text() || holds_all && node.id() != heading => around,
                _ => part(node, named.get(node.id()).copied().unwrap_or_default(), around),
            });
        }
        Self { parts }
    }

    /// Counts some nodes as the site's frame: their reader is done with them.
    pub(crate) fn take_out(&mut self, nodes: &Range<u32>) {
        let (start, end) = (nodes.start as usize, nodes.end as usize);
        let end = end.min(self.parts.len());
        if let Some(parts) = self.parts.get_mut(start..end) {
            parts.fill(Part::Frame);
        }
    }

    /// Whether a node stands in the site's frame: navigation or footer.
    pub(crate) fn holds(&self, node: u32) -> bool {
        self.parts.get(node as usize) == Some(&Part::Frame)
    }

    /// Whether a node stands beside the page's matter: in the frame, or in an `aside`.
    pub(crate) fn is_beside(&self, node: u32) -> bool {
        matches!(self.parts.get(node as usize), Some(Part::Frame | Part::Beside))
    }
}

/// What the classes of an element call it.
#[derive(Clone, Copy, Debug, Default)]
struct Named {
    frame: bool,
    /// What readers have to say, each with a date.
    replies: bool,
    beside: bool,
}

impl Named {
    fn of(class: &str) -> Self {
        static FRAME: WordList = WordList::new(&["footer", "cookie", "cookies", "breadcrumb", "breadcrumbs"]);
        static BESIDE: WordList = WordList::new(&["sidebar", "related"]);
        let named = |words: &WordList| {
            let mut classes = class.split_ascii_whitespace();
            classes.any(|class| is_called(class, words))
        };
        Self {
            frame: named(&FRAME),
            replies: named(&lists::REPLY_CLASS),
            beside: named(&BESIDE),
        }
    }
}

/// The part that an element begins, or the one that it is in.
fn part(node: OutlineNode<'_>, named: Named, around: Part) -> Part {
    match node.tag() {
        "nav" => Part::Frame,
        // A card may have a footer of its own, and so may a heading; the site's stands outside and
        // behind everything.
        "footer" if around == Part::Own && !is_followed(node) => Part::Frame,
        _ if node.depth() < 6 && named.frame => Part::Frame,
        _ if named.replies => Part::Frame,
        "aside" => Part::Beside,
        _ if around != Part::Beside && named.beside => Part::Beside,
        "article" | "li" | "section" | "td" if around == Part::Own => Part::Inner,
        _ => around,
    }
}

/// Returns true if more of the page's matter follows in the same element.
fn is_followed(node: OutlineNode<'_>) -> bool {
    /// Bytes of text that are no remark behind the site's footer.
    const MIN: usize = 200;
    let Some(around) = node
        .parent()
        .filter(|around| matches!(around.tag(), "section" | "article" | "main" | "div"))
    else {
        return false;
    };
    let end = node.range().end;
    let behind = around.children().filter(|child| child.id() >= end);
    behind.map(|child| child.text().trim().len()).sum::<usize>() >= MIN
}

/// Whether a class is one of the words, and does not deny it: `site-footer`, and not `not-footer` or `has-sidebar`.
fn is_called(class: &str, wanted: &WordList) -> bool {
    static DENIALS: WordList =
        WordList::new(&["no", "not", "has", "with", "without", "hide", "before", "above"]);
    names_one(class, wanted) && !names_one(class, &DENIALS)
}

/// Whether the class of a node has one of the words.
pub(crate) fn has_word(layout: &Layout<'_>, node: u32, wanted: &WordList) -> bool {
    layout.class(node).is_some_and(|class| names_one(class, wanted))
}

/// Whether a name has one of the words, in whatever case; nobody puts marks on the letters of names for machines.
pub(crate) fn names_one(name: &str, wanted: &WordList) -> bool {
    words_of_name(name).any(|word| word.is_ascii() && wanted.has(word))
}

/// The words of a class, an id or a path: `eventDate big` has `event`, `Date` and `big`.
pub(crate) fn words_of_name(name: &str) -> impl Iterator<Item = &str> {
    let mut rest = name;
    let is_ascii = name.is_ascii();
    std::iter::from_fn(move || {
        let (word, after) = match is_ascii {
            true => first_word_of_ascii(rest),
            false => first_word(rest),
        };
        rest = after;
        (!word.is_empty()).then_some(word)
    })
}

/// The first word of a name, and what stands behind it.
fn first_word(name: &str) -> (&str, &str) {
    let name = name.trim_start_matches(|letter: char| !letter.is_alphanumeric());
    let mut last_lower = false;
    let end = name.char_indices().find(|&(_, letter)| {
        let ends = !letter.is_alphanumeric() || (letter.is_uppercase() && last_lower);
        last_lower = letter.is_lowercase();
        ends
    });
    name.split_at(end.map_or(name.len(), |(place, _)| place))
}

/// The same of a name in ASCII, as nearly all are.
fn first_word_of_ascii(name: &str) -> (&str, &str) {
    let bytes = name.as_bytes();
    let start = (bytes.iter())
        .position(u8::is_ascii_alphanumeric)
        .unwrap_or(bytes.len());
    let mut last_lower = false;
    let end = bytes[start..].iter().position(|byte| {
        let ends = !byte.is_ascii_alphanumeric() || (byte.is_ascii_uppercase() && last_lower);
        last_lower = byte.is_ascii_lowercase();
        ends
    });
    name[start..].split_at(end.unwrap_or(bytes.len() - start))
}

#[cfg(test)]
mod tests {
    use super::words_of_name;

    #[test]
    fn names_of_every_style_are_cut_into_words() {
        let words = |name| words_of_name(name).collect::<Vec<_>>();
        assert_eq!(words("eventDate big"), ["event", "Date", "big"]);
        assert_eq!(words("tribe-events_list"), ["tribe", "events", "list"]);
        assert_eq!(words("/whats-on/2026/"), ["whats", "on", "2026"]);
        assert_eq!(words("évènementDate_élu"), ["évènement", "Date", "élu"]);
        assert!(words("--").is_empty());
    }
}
