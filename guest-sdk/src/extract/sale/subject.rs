//! What a page is about: the heading that its title repeats.

use magpie_values::text;

use crate::extract::heading::{names_site, titled_line};
use crate::extract::lines;
use crate::extract::named::has_word;
use crate::extract::{Layout, Text};

/// Headings that are looked at. Some sites hide a menu full of them before the page's own.
const MOST_CANDIDATES: usize = 80;

/// Bytes of a heading; what is longer is a paragraph in large letters.
const MOST_HEADING: usize = 300;

/// Bytes of a heading as written that is taken as a whole, over several lines.
const MOST_LINE: usize = 150;

/// What headings are called that only add to the page's own.
const BESIDE: &[&str] = &["author", "authors", "byline", "brand", "subtitle", "price"];

/// The heading that the page is about. The title knows best: it repeats the thing's name on nearly
/// every site, while the greatest heading may be a banner or the site's own name.
pub(super) fn of(layout: &Layout<'_>) -> Option<Text> {
    let title = text::tokens(&layout.page().title().unwrap_or_default());
    let mut best: Option<(f64, Text)> = None;
    let mut any_agrees = false;
    let headings = layout
        .outline()
        .nodes()
        .filter_map(|node| Some((node.id(), rank(node.tag())?)));
    for (node, rank) in headings.take(MOST_CANDIDATES) {
        let heading = said(layout, node);
        if heading.is_empty() || heading.len() > MOST_HEADING {
            continue;
        }
        let own = if layout.region(node).is_own() { 2.0 } else { 0.0 };
        let words = text::tokens(&heading);
        let agreement = agreement(&words, &title);
        any_agrees |= agreement > 0.0 && !names_site(layout, &words);
        let score = rank + own + agreement - home(layout, node) - beside(layout, node, &heading);
        if best.as_ref().is_none_or(|(known, _)| score > *known) {
            best = Some((score, Text { text: heading, node }));
        }
    }
    let plain = || titled_line(layout, &title);
    // Headings that share no word with the title head something else: what one may also like, the comments.
    let repeated = if any_agrees {
        None
    } else {
        plain().or_else(|| line_within(layout, &title))
    };
    repeated.or(best.map(|(_, heading)| heading))
}

/// The longest line whose words stand together in the midst of the title: `Buy NAME online`.
fn line_within(layout: &Layout<'_>, title: &[String]) -> Option<Text> {
    /// Words of such a line; fewer are a category.
    const FEWEST: usize = 3;
    let fits = |words: &[String]| {
        (FEWEST..title.len()).contains(&words.len())
            && 2 * words.len() >= title.len()
            && title.windows(words.len()).any(|part| part == words)
    };
    let own = layout
        .lines()
        .iter()
        .filter(|line| layout.region(line.node).is_own());
    let short = own.filter(|line| line.text.len() <= MOST_HEADING);
    let mut best: Option<(usize, Text)> = None;
    for line in short {
        let words = text::tokens(&line.text);
        if fits(&words) && best.as_ref().is_none_or(|(known, _)| words.len() > *known) {
            let node = line.first_node();
            best = Some((
                words.len(),
                Text {
                    text: line.text.clone(),
                    node,
                },
            ));
        }
    }
    best.map(|(_, line)| line)
}

/// The text of a heading. One that was never closed holds the rest of the page: then its first line.
fn said(layout: &Layout<'_>, node: u32) -> String {
    let range = layout.outline().node(node).map_or(0..0, |node| node.range());
    if layout.length(node) <= MOST_LINE {
        return layout.text(node);
    }
    // The first line has been said when as many nodes have been looked at.
    const MOST_NODES: u32 = 50;
    let first = range.start..range.end.min(range.start + MOST_NODES);
    lines::within(layout, first)
        .into_iter()
        .next()
        .map(|line| line.text)
        .unwrap_or_default()
}

/// How far the heading is the title, or the part of it that comes first.
fn agreement(heading: &[String], title: &[String]) -> f64 {
    if heading.is_empty() || title.is_empty() {
        return 0.0;
    }
    let shared = heading.iter().filter(|word| title.contains(word)).count() as f64;
    let share = shared / heading.len() as f64;
    let coverage = (shared / title.len() as f64).min(1.0);
    let first = if title.starts_with(heading) { 1.0 } else { 0.0 };
    4.0 * share + 2.0 * coverage + first
}

/// What a heading loses that leads to the site's first page: it is the site's name.
fn home(layout: &Layout<'_>, node: u32) -> f64 {
    let range = layout.outline().node(node).map_or(0..0, |node| node.range());
    let leads_home = layout.links().within(range).any(|(_, href)| {
        let absolute = layout.page().resolve(href).unwrap_or_default();
        let path = absolute.splitn(4, '/').nth(3).unwrap_or_default();
        path.is_empty() || path.starts_with("index.")
    });
    if leads_home { 4.0 } else { 0.0 }
}

/// What a heading loses that only adds to another one: who made the thing, what it costs.
fn beside(layout: &Layout<'_>, node: u32, heading: &str) -> f64 {
    let classed = layout.class(node).is_some_and(|class| has_word(class, BESIDE));
    if classed || heading.starts_with("by ") {
        4.0
    } else {
        0.0
    }
}

/// How much a heading counts by its tag alone.
fn rank(tag: &str) -> Option<f64> {
    match tag {
        "h1" => Some(3.0),
        "h2" => Some(2.0),
        "h3" => Some(1.0),
        "h4" => Some(0.5),
        _ => None,
    }
}
