//! Parts of a page about other products: related, recommended, recently seen.

use std::ops::Range;

use magpie_values::money::{self, MoneyContext};
use magpie_values::text;

use super::words::{ASIDE_CLASSES, ASIDE_HEADINGS, NAME_CLASSES, OTHER_NAME_CLASSES};
use crate::OutlineNode;
use crate::extract::named::has_word;
use crate::extract::{Layout, RecordGroup};

/// Minimum number of records of a box with other products; two may be variants of the product.
const MIN_RECORDS: usize = 3;

/// Maximum length of a record in a box in bytes; longer ones are sections of the page.
const MAX_RECORD: usize = 600;

/// Maximum length of a heading over a box in bytes; longer ones are sentences.
const MAX_HEADING: usize = 80;

/// Maximum number of elements between an amount and the card around it.
const CARD_DEPTH: usize = 8;

/// Parts of the page that are not about its subject, sorted and without overlap.
pub(super) fn of(layout: &Layout<'_>, subject: u32, groups: &[RecordGroup]) -> Vec<Range<u32>> {
    let mut holes = by_class(layout, subject);
    holes.extend(by_heading(layout, subject));
    holes.extend(by_records(layout, subject, groups));
    holes.extend(by_cards(layout, subject));
    merged(holes)
}

/// Cards of other products: an amount with a picture, and a name that links to another page.
fn by_cards(layout: &Layout<'_>, subject: u32) -> Vec<Range<u32>> {
    let outline = layout.outline();
    let priced = layout
        .classes()
        .fitting(0..u32::MAX, |class| has_word(class, &super::price::CLASSES));
    let mut holes: Vec<Range<u32>> = Vec::new();
    for node in priced.filter_map(|node| outline.node(node)) {
        // Amounts come in document order, so the others of a card are in the hole found last.
        let is_known = holes.last().is_some_and(|hole| hole.contains(&node.id()));
        let is_amount = node.text().bytes().any(|byte| byte.is_ascii_digit());
        if is_known || !is_amount {
            continue;
        }
        // The nearest box that is a card is taken. Boxes further out contain other cards.
        let around = node
            .ancestors()
            .take(CARD_DEPTH)
            .take_while(|around| !around.range().contains(&subject) && around.text().len() <= MAX_RECORD);
        holes.extend(
            around
                .map(OutlineNode::range)
                .find(|range| is_card(layout, range.clone())),
        );
    }
    holes
}

/// Returns true for a part of the page with a picture and a name that links to another page.
fn is_card(layout: &Layout<'_>, range: Range<u32>) -> bool {
    let mut pictures = layout.images().within(range.clone());
    let page = layout.page();
    let bare = |url: &str| {
        url.split(['#', '?'])
            .next()
            .unwrap_or_default()
            .trim_end_matches('/')
            .to_owned()
    };
    let own = bare(page.url());
    let leads_away = |href: &str| {
        let path = href.split(['?', '#']).next().unwrap_or_default();
        // A link to a file, such as a larger picture, does not lead to another product.
        let is_file = [".jpg", ".jpeg", ".png", ".webp", ".gif", ".pdf"]
            .iter()
            .any(|end| path.to_ascii_lowercase().ends_with(end));
        let url = page.resolve(href).filter(|url| url.starts_with("http"));
        !is_file && url.is_some_and(|url| bare(&url) != own)
    };
    let is_name = |node: u32| {
        let Some(node) = layout.outline().node(node) else {
            return false;
        };
        let headed = |node: OutlineNode<'_>| {
            let classed = || {
                let class = layout.class(node.id()).unwrap_or_default();
                has_word(class, &NAME_CLASSES) && !has_word(class, &OTHER_NAME_CLASSES)
            };
            matches!(node.tag(), "h2" | "h3" | "h4" | "h5" | "h6") || classed()
        };
        let has_text = node
            .text()
            .trim()
            .chars()
            .filter(|one| one.is_alphabetic())
            .count()
            > 2;
        has_text && (headed(node) || node.ancestors().take(2).any(headed) || node.descendants().any(headed))
    };
    let mut links = layout.links().within(range);
    // Scripts and frames have a `src` too.
    pictures.any(|(node, _)| layout.tag(node) == "img")
        && links.any(|(node, href)| leads_away(href) && is_name(node))
}

fn by_class(layout: &Layout<'_>, subject: u32) -> Vec<Range<u32>> {
    let classed = layout
        .classes()
        .within(0..u32::MAX)
        .map(|(node, class)| (node, class.to_owned()));
    let named = layout
        .page()
        .having("id")
        .into_iter()
        .map(|(element, id)| (element.node(), id));
    let outline = layout.outline();
    let boxes = classed
        .chain(named)
        .filter(|(_, name)| has_word(name, &ASIDE_CLASSES));
    boxes
        .filter_map(|(node, _)| outline.node(node))
        .map(OutlineNode::range)
        .filter(|range| !range.contains(&subject))
        .collect()
}

fn by_heading(layout: &Layout<'_>, subject: u32) -> Vec<Range<u32>> {
    let outline = layout.outline();
    let is_heading =
        |node: &OutlineNode<'_>| matches!(node.tag(), "h2" | "h3" | "h4" | "h5" | "h6" | "strong" | "b");
    let leads = |node: &OutlineNode<'_>| {
        let written = node.text();
        // Folding a whole section, only to find that it is no heading, would take long.
        let folded = if written.len() <= 2 * MAX_HEADING {
            text::fold(written)
        } else {
            String::new()
        };
        folded.len() <= MAX_HEADING
            && ASIDE_HEADINGS.iter().any(|known| {
                folded.trim_start().starts_with(known) || (known.len() > 7 && folded.contains(known))
            })
    };
    let headings = outline
        .nodes()
        .filter(|node| is_heading(node) && node.id() != subject && leads(node));
    headings.filter_map(|heading| below(heading, subject)).collect()
}

/// Part of the page under a heading: the box that it opens, or the elements up to the next heading.
fn below(heading: OutlineNode<'_>, subject: u32) -> Option<Range<u32>> {
    let mut node = heading;
    // A wrapper that contains only the heading counts as the heading.
    while let Some(parent) = node.parent() {
        if parent.range().contains(&subject) || parent.text().trim().len() > node.text().trim().len() {
            break;
        }
        node = parent;
    }
    let mut following = std::iter::successors(node.next_sibling(), |node| node.next_sibling());
    let end = if matches!(heading.tag(), "strong" | "b") {
        // A bold text is a heading only of the next element.
        following.next()
    } else {
        following.take_while(|next| !opens(*next, heading.tag())).last()
    };
    let hole = node.range().start..end.unwrap_or(node).range().end;
    // A box with the page's own product in it is not one of other products.
    (!hole.contains(&subject)).then_some(hole)
}

/// Returns true if an element is, or begins with, a heading of this level.
fn opens(node: OutlineNode<'_>, tag: &str) -> bool {
    let first = std::iter::successors(Some(node), |node| node.child_elements().next());
    first.take(3).any(|node| node.tag() == tag)
}

fn by_records(layout: &Layout<'_>, subject: u32, groups: &[RecordGroup]) -> Vec<Range<u32>> {
    let context = MoneyContext::default();
    let mut holes = Vec::new();
    for group in groups.iter().filter(|group| group.rows.len() >= MIN_RECORDS) {
        let is_offer = |row: &&crate::extract::RecordRow| {
            let linked = row.links.iter().any(|link| link.text.len() > 2);
            let priced = || {
                row.texts
                    .iter()
                    .any(|text| !money::find_all(&text.text, &context).is_empty())
            };
            let length: usize = row.texts.iter().map(|text| text.text.len()).sum();
            length <= MAX_RECORD && linked && (!row.images.is_empty() || priced())
        };
        if group.rows.iter().filter(is_offer).count() * 2 < group.rows.len() {
            continue;
        }
        let nodes = group.rows.iter().flat_map(|row| &row.nodes);
        let ranges = nodes
            .filter_map(|&node| layout.outline().node(node))
            .map(OutlineNode::range);
        holes.extend(ranges.filter(|range| !range.contains(&subject)));
    }
    holes
}

fn merged(mut holes: Vec<Range<u32>>) -> Vec<Range<u32>> {
    holes.sort_by_key(|hole| (hole.start, hole.end));
    let mut merged: Vec<Range<u32>> = Vec::new();
    for hole in holes {
        match merged.last_mut() {
            Some(last) if hole.start <= last.end => last.end = last.end.max(hole.end),
            _ => merged.push(hole),
        }
    }
    merged
}
