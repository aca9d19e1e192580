//! Finds the authors of a book without a label.

use magpie_sdk::extract::Block;
use magpie_sdk::{Person, text};

use super::detail;
use crate::names;
use crate::words::{AUTHOR_CLASSES, BY};

/// Maximum number of lines between the heading and a byline such as `by Ann Lee`.
const BYLINE_REACH: usize = 5;

/// Returns the names in elements with such classes, near the heading.
pub(super) fn classed(block: &Block<'_, '_>) -> Option<(Vec<Person>, u32)> {
    let named = block.named(AUTHOR_CLASSES);
    let mut authors: Vec<Person> = Vec::new();
    let mut place = None;
    for text in named {
        let found = names::authors(&text.text);
        // Successive elements may name one author each.
        if !found.is_empty() && (place.is_none() || authors.len() < 10) {
            place.get_or_insert(text.node);
            authors.extend(
                found
                    .into_iter()
                    .filter(|one| !authors.contains(one))
                    .collect::<Vec<_>>(),
            );
        }
    }
    place.map(|node| (authors, node))
}

/// Returns the authors in a byline near the heading: `by Ann Lee`.
pub(super) fn byline(block: &Block<'_, '_>) -> Option<(Vec<Person>, u32)> {
    let heading = block.heading().node;
    let near = block
        .lines()
        .filter(|(distance, line)| *distance <= BYLINE_REACH && line.first_node() >= heading);
    near.filter_map(|(_, line)| {
        let folded = text::fold(&line.text);
        let word = BY.iter().find(|word| folded.starts_with(**word))?;
        let names = line.text.get(word.len()..)?;
        let authors = names::authors(names);
        // A small letter begins a phrase such as `by the author of`.
        (!authors.is_empty() && names.starts_with(|first: char| !first.is_lowercase()))
            .then_some((authors, line.node_at(word.len())))
    })
    .next()
}

/// Returns the authors after the name of the book in the page's title: `Night by Ann Lee`.
pub(super) fn titled(block: &Block<'_, '_>) -> Option<(Vec<Person>, u32)> {
    let title = block.layout().page().title()?;
    let name = detail::name(block).title;
    let (_, rest) = title.split_once(name.as_str())?;
    let rest = rest.trim_start_matches([' ', ',', ':', '-', '–', '(', '|']);
    let written = rest
        .strip_prefix("by ")
        .or_else(|| rest.strip_prefix("von "))
        .or_else(|| rest.strip_prefix("par "))?;
    let end = written
        .find(['|', '(', ':', '[', '–', '—', '•', '·'])
        .unwrap_or(written.len());
    let written = written[..end].split(" - ").next().unwrap_or_default();
    let authors = names::authors(written);
    (!authors.is_empty()).then_some((authors, 0))
}
