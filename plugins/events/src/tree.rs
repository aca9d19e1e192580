//! Questions about a page's tree that several readers ask.

use magpie_sdk::OutlineNode;
use magpie_sdk::extract::Layout;

/// How far up the ancestors are asked. Deeper pages exist, but their frames are not that deep.
const MOST_ANCESTORS: usize = 40;

/// Whether a node stands in the site's frame: navigation, footer, or a form.
pub(crate) fn in_frame(layout: &Layout<'_>, node: u32) -> bool {
    let Some(node) = layout.outline().node(node) else {
        return false;
    };
    std::iter::once(node)
        .chain(node.ancestors())
        .take(MOST_ANCESTORS)
        .any(|around| is_frame(layout, around))
}

/// Whether a node stands beside the page's matter: in the frame, or in an `aside`.
pub(crate) fn is_beside(layout: &Layout<'_>, node: u32) -> bool {
    let aside = |node: OutlineNode<'_>| {
        std::iter::once(node)
            .chain(node.ancestors())
            .take(MOST_ANCESTORS)
            .any(|around| around.tag() == "aside" || has_word(layout, around.id(), &["sidebar", "related"]))
    };
    in_frame(layout, node) || layout.outline().node(node).is_some_and(aside)
}

fn is_frame(layout: &Layout<'_>, node: OutlineNode<'_>) -> bool {
    match node.tag() {
        "nav" => true,
        // A card may have a footer of its own; the site's stands outside of everything.
        "footer" => !node
            .ancestors()
            .take(MOST_ANCESTORS)
            .any(|around| matches!(around.tag(), "article" | "li" | "section" | "main" | "td")),
        _ => {
            has_word(
                layout,
                node.id(),
                &["footer", "cookie", "cookies", "breadcrumb", "breadcrumbs"],
            ) && node.depth() < 6
        }
    }
}

/// Whether the class of a node has one of the words.
pub(crate) fn has_word(layout: &Layout<'_>, node: u32, wanted: &[&str]) -> bool {
    layout.class(node).is_some_and(|class| {
        words_of_name(class).any(|word| wanted.iter().any(|one| word.eq_ignore_ascii_case(one)))
    })
}

/// The words of a class, an id or a path: `eventDate big` has `event`, `Date` and `big`.
pub(crate) fn words_of_name(name: &str) -> impl Iterator<Item = &str> {
    let mut rest = name;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(|letter: char| !letter.is_alphanumeric());
        let mut last_lower = false;
        let end = rest.char_indices().find(|&(_, letter)| {
            let ends = !letter.is_alphanumeric() || (letter.is_uppercase() && last_lower);
            last_lower = letter.is_lowercase();
            ends
        });
        let (word, after) = rest.split_at(end.map_or(rest.len(), |(place, _)| place));
        rest = after;
        (!word.is_empty()).then_some(word)
    })
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
        assert!(words("--").is_empty());
    }
}
