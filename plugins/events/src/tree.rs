//! Classifies the nodes of a page: content, content next to it, and the frame of the site.

use std::ops::Range;

use crate::words::languages as lists;
use magpie_sdk::OutlineNode;
use magpie_sdk::extract::Layout;
use magpie_sdk::text::WordList;

/// Parts of a page that are not its content: the frame of the site, and asides.
#[derive(Debug)]
pub(crate) struct Frame {
    /// Part of the page for each node.
    parts: Vec<Part>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Own,
    /// Content within an element that may have a footer of its own.
    Inner,
    /// An `aside`, or an element with such a class.
    Beside,
    /// Navigation, or the footer of the site.
    Frame,
}

impl Frame {
    /// Classifies the nodes of a page.
    pub(crate) fn of(layout: &Layout<'_>) -> Self {
        let heading = layout.heading().map_or(0, |heading| heading.node);
        let outline = layout.outline();
        let most = outline.root().text().len() / 2;
        let named = layout.per_class(Named::of);
        let main = outline.node(heading);
        let article = main.and_then(|main| main.ancestors().find(|around| around.tag() == "article"));
        let article = article.map_or(0..0, |article| article.range());
        let mut parts: Vec<Part> = Vec::with_capacity(outline.len());
        for node in outline.nodes() {
            // Parents come before their children, so their parts are known.
            let around = node.parent().and_then(|parent| parts.get(parent.id() as usize));
            let around = around.copied().unwrap_or(Part::Own);
            // Themes put classes such as `footer-columns` and `no-sidebar` on elements around the
            // whole page.
            let holds_all = matches!(node.tag(), "html" | "body" | "main")
                || node.range().contains(&heading)
                || node.text().len() > most;
            parts.push(match around {
                Part::Frame => Part::Frame,
                _ if node.is_text() || holds_all && node.id() != heading => around,
                _ => {
                    let mut named = named.get(node.id()).copied().unwrap_or_default();
                    // Within the article, a sidebar has the facts about its subject.
                    named.sidebar |= node.tag() == "aside";
                    named.sidebar &= !article.contains(&node.id());
                    part(node, named, around)
                }
            });
        }
        Self { parts }
    }

    /// Marks nodes as part of the frame, after another reader has read them.
    pub(crate) fn take_out(&mut self, nodes: &Range<u32>) {
        let (start, end) = (nodes.start as usize, nodes.end as usize);
        let end = end.min(self.parts.len());
        if let Some(parts) = self.parts.get_mut(start..end) {
            parts.fill(Part::Frame);
        }
    }

    /// Returns true if a node is in the frame of the site: navigation or footer.
    pub(crate) fn holds(&self, node: u32) -> bool {
        self.parts.get(node as usize) == Some(&Part::Frame)
    }

    /// Returns true if a node is not in the content: in the frame or in an aside.
    pub(crate) fn is_beside(&self, node: u32) -> bool {
        matches!(self.parts.get(node as usize), Some(Part::Frame | Part::Beside))
    }
}

/// Parts that the classes of an element name.
#[derive(Clone, Copy, Debug, Default)]
struct Named {
    frame: bool,
    /// Comments of readers, each with a date.
    replies: bool,
    sidebar: bool,
    /// Teasers of other pages.
    related: bool,
}

impl Named {
    fn of(class: &str) -> Self {
        static FRAME: WordList = WordList::new(&["footer", "cookie", "cookies", "breadcrumb", "breadcrumbs"]);
        static SIDEBAR: WordList = WordList::new(&["sidebar"]);
        static RELATED: WordList = WordList::new(&["related"]);
        let named = |words: &WordList| {
            let mut classes = class.split_ascii_whitespace();
            classes.any(|class| is_called(class, words))
        };
        Self {
            frame: named(&FRAME),
            replies: named(&lists::REPLY_CLASS),
            sidebar: named(&SIDEBAR),
            related: named(&RELATED),
        }
    }
}

/// Returns the part of an element: that which begins with it, or the part of its parent.
fn part(node: OutlineNode<'_>, named: Named, around: Part) -> Part {
    match node.tag() {
        "nav" => Part::Frame,
        // A card or a heading may have a footer of its own. The footer of the site is outside of
        // these and after all content.
        "footer" if around == Part::Own && !is_followed(node) => Part::Frame,
        _ if node.depth() < 6 && named.frame => Part::Frame,
        _ if named.replies => Part::Frame,
        _ if named.sidebar || named.related => Part::Beside,
        "article" | "li" | "section" | "td" if around == Part::Own => Part::Inner,
        _ => around,
    }
}

/// Returns true if more content follows in the same element.
fn is_followed(node: OutlineNode<'_>) -> bool {
    /// Minimum length of this content in bytes. Shorter texts may be remarks after the footer.
    const MIN_LENGTH: usize = 200;
    let Some(around) = node
        .parent()
        .filter(|around| matches!(around.tag(), "section" | "article" | "main" | "div"))
    else {
        return false;
    };
    let end = node.range().end;
    let behind = around.children().filter(|child| child.id() >= end);
    behind.map(|child| child.text().trim().len()).sum::<usize>() >= MIN_LENGTH
}

/// Returns true if a class contains one of the words without a negation: `site-footer`, but not
/// `not-footer` or `has-sidebar`.
fn is_called(class: &str, wanted: &WordList) -> bool {
    static DENIALS: WordList =
        WordList::new(&["no", "not", "has", "with", "without", "hide", "before", "above"]);
    names_one(class, wanted) && !names_one(class, &DENIALS)
}

/// Returns true if the class of a node contains one of the words.
pub(crate) fn has_word(layout: &Layout<'_>, node: u32, wanted: &WordList) -> bool {
    layout.class(node).is_some_and(|class| names_one(class, wanted))
}

/// Returns true if a name contains one of the words in ASCII, in any case. Names in markup have no
/// accents.
pub(crate) fn names_one(name: &str, wanted: &WordList) -> bool {
    words_of_name(name).any(|word| word.is_ascii() && wanted.has(word))
}

/// Returns the words of a class, an id or a path: `event`, `Date` and `big` in `eventDate big`.
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

/// Splits off the first word of a name.
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

/// Splits off the first word of a name in ASCII, as nearly all are.
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
