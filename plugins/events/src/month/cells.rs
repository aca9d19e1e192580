//! Reads the events in the cell of a day.

use magpie_sdk::OutlineNode;
use magpie_sdk::extract::Layout;
use magpie_sdk::text;

use super::Cell;
use crate::name::{self, MAX_NAME, Name};
use crate::values::{has_currency, is_page};
use crate::when::{Clock, Hours};
use crate::words;

/// Maximum number of events of a day.
const MAX_ITEMS: usize = 60;

/// Maximum length of the text around a link that is searched for its hours, in bytes.
const MAX_AROUND: usize = 600;

/// Maximum length of a line that names an event, in bytes.
const MAX_LINE: usize = 160;

#[derive(Clone, Debug)]
pub(super) struct Item {
    pub(super) name: Name,
    pub(super) hours: Option<Hours>,
    pub(super) href: Option<String>,
    pub(super) node: u32,
}

/// Returns the events of a cell, from its links or, without links, from its lines.
pub(super) fn items(layout: &Layout<'_>, clock: &Clock<'_>, cell: &Cell) -> Vec<Item> {
    let mut items = linked(layout, clock, cell);
    if items.is_empty() {
        items = lines(layout, clock, cell);
    }
    items.truncate(MAX_ITEMS);
    once(items)
}

/// Returns the events that the links of a cell name.
fn linked(layout: &Layout<'_>, clock: &Clock<'_>, cell: &Cell) -> Vec<Item> {
    let links: Vec<(u32, &str)> = layout.hrefs(cell.nodes.clone()).collect();
    let mut named: Vec<Item> = Vec::new();
    for (node, href) in links {
        let Some(link) = layout.outline().node(node).filter(|node| node.tag() == "a") else {
            continue;
        };
        // The link of a day leads to the list of its events, even if it has a title.
        if link.range().contains(&cell.number) {
            continue;
        }
        let Some((name, node, hours)) = named_by(layout, clock, link) else {
            continue;
        };
        named.push(Item {
            name,
            hours,
            href: is_page(href).then(|| href.to_owned()),
            node,
        });
    }
    // The search for the hours of a name ends at the next name, so all names are found first.
    let nodes: Vec<u32> = named.iter().map(|item| item.node).collect();
    for item in named.iter_mut().filter(|item| item.hours.is_none()) {
        item.hours = hours_around(layout, clock, cell, item.node, &nodes);
    }
    named
}

/// Returns the name of a link, its node, and the hours in the link.
fn named_by(
    layout: &Layout<'_>,
    clock: &Clock<'_>,
    link: OutlineNode<'_>,
) -> Option<(Name, u32, Option<Hours>)> {
    if link.text().len() > MAX_AROUND {
        return None;
    }
    let whole = layout.text(link.id());
    let is_title = |node: &OutlineNode<'_>| {
        matches!(node.tag(), "h2" | "h3" | "h4" | "h5" | "h6")
            || crate::tree::has_word(
                layout,
                node.id(),
                list!["title", "titel", "name", "titre", "summary"],
            )
    };
    let marked = link
        .descendants()
        .find(|node| is_title(node) && !node.text().trim().is_empty());
    let node = marked.map_or(link.id(), OutlineNode::id);
    let name = name_in(&layout.text(node), clock)?;
    // The hours may be in the link, beside the title.
    Some((name, node, clock.hours(&whole)))
}

/// Parses the name of an event. Returns `None` for texts of the calendar itself.
fn name_in(written: &str, clock: &Clock<'_>) -> Option<Name> {
    let name = name::read(written, clock);
    let fits = !name.text.is_empty()
        && name.text.len() <= MAX_NAME
        && !words::is_furniture(written)
        && !words::is_furniture(&name.text)
        && !words::is_generic(&name.text)
        && !has_currency(written);
    fits.then_some(name)
}

/// Returns the hours next to a name, from the largest element around it without another name.
fn hours_around(
    layout: &Layout<'_>,
    clock: &Clock<'_>,
    cell: &Cell,
    node: u32,
    others: &[u32],
) -> Option<Hours> {
    let start = layout.outline().node(node)?;
    let is_own = |around: &OutlineNode<'_>| {
        cell.nodes.contains(&around.id())
            && !around.range().contains(&cell.number)
            && others
                .iter()
                .all(|other| *other == node || !around.range().contains(other))
    };
    let around = std::iter::once(start)
        .chain(start.ancestors())
        .take_while(is_own)
        .last()?;
    if around.text().len() > MAX_AROUND * 2 {
        return None;
    }
    let lines = layout.lines().iter();
    let own = lines.filter(|line| around.range().contains(&line.first_node()));
    let text: Vec<&str> = own.map(|line| line.text.as_str()).collect();
    clock.hours(&text.join("\n")).or_else(|| {
        // The hours of the only event of a cell may be next to the day number.
        let is_alone = others.iter().all(|other| *other == node);
        is_alone
            .then(|| clock.hours(&layout.text(cell.nodes.start)))
            .flatten()
    })
}

/// Returns the events that the lines of a cell name, if it has no links.
fn lines(layout: &Layout<'_>, clock: &Clock<'_>, cell: &Cell) -> Vec<Item> {
    let mut found: Vec<Item> = Vec::new();
    let mut waiting: Option<Hours> = None;
    for line in layout.lines() {
        let pieces = line
            .pieces
            .iter()
            .filter(|piece| cell.nodes.contains(&piece.node));
        let pieces: Vec<&str> = pieces
            .filter(|piece| piece.node != cell.number)
            .map(|piece| line.piece(piece))
            .collect();
        let written = text::tidy(&pieces.join(" "));
        if written.is_empty() || written.len() > MAX_LINE || words::is_sentence(&written) {
            continue;
        }
        let hours = clock.hours(&written);
        match name_in(&written, clock) {
            Some(name) => found.push(Item {
                name,
                hours: hours.or_else(|| waiting.take()),
                href: None,
                node: line.first_node(),
            }),
            // Hours are above their event or below it, in the same way for all events of a cell.
            None if hours.is_some() => match found.last_mut() {
                Some(last) if last.hours.is_none() => last.hours = hours,
                _ => waiting = hours,
            },
            None => {}
        }
    }
    found
}

/// Removes events that a cell names twice, as with the title of a tooltip.
fn once(items: Vec<Item>) -> Vec<Item> {
    let mut kept: Vec<Item> = Vec::new();
    for item in items {
        let is_same = |known: &&mut Item| {
            text::bare(&known.name.text) == text::bare(&item.name.text)
                && (known.hours.is_none() || item.hours.is_none() || known.hours == item.hours)
        };
        match kept.iter_mut().find(is_same) {
            Some(known) => known.hours = known.hours.or(item.hours),
            None => kept.push(item),
        }
    }
    kept
}
