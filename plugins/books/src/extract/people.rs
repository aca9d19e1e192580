//! Who wrote a book, where no label says it.

use magpie_sdk::extract::Block;
use magpie_sdk::{Person, text};

use super::detail;
use crate::names;

/// Lines below the heading in which `by Ann Lee` names the author.
const BYLINE_REACH: usize = 5;

/// Words before names, folded, in a line of their own.
const BY: &[&str] = &[
    "by ",
    "von ",
    "par ",
    "por ",
    "di ",
    "door ",
    "av ",
    "af ",
    "de ",
    "written by ",
    "autor ",
    "author ",
];

/// What elements with the author's name are called.
const AUTHOR_CLASSES: &[&str] = &[
    "author",
    "authors",
    "autor",
    "autoren",
    "auteur",
    "auteurs",
    "contributor",
    "contributors",
    "byline",
];

/// Names in elements that are called after authors, near the heading.
pub(super) fn classed(block: &Block<'_, '_>) -> Option<(Vec<Person>, u32)> {
    let named = block.named(AUTHOR_CLASSES);
    let mut authors: Vec<Person> = Vec::new();
    let mut place = None;
    for text in named {
        let found = names::authors(&text.text);
        // Several elements name one author each, directly one after the other.
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

/// `by Ann Lee` in a line near the heading.
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
        (!authors.is_empty() && names.starts_with(|first: char| !first.is_lowercase()))
            .then_some((authors, line.node_at(word.len())))
    })
    .next()
}

/// `Night by Ann Lee` in the page's title, behind the words of the heading.
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
