//! Subject of a page: the heading that its title repeats.

use magpie_values::text::{self, WordList};

use crate::extract::heading::{names_site, titled_line};
use crate::extract::lines;
use crate::extract::named::has_word;
use crate::extract::{Layout, Text};

/// Maximum number of headings to examine. Some sites have a hidden menu full of them before the
/// page's own.
const MAX_CANDIDATES: usize = 80;

/// Maximum length of a heading in bytes; a longer one is a paragraph in large type.
const MAX_HEADING: usize = 300;

/// Maximum length in bytes, as written, of a heading that is taken as a whole, over several lines.
const MAX_LINE: usize = 150;

/// Class words of headings that only accompany the page's own.
static ACCOMPANYING: WordList = WordList::new(&["author", "authors", "byline", "brand", "subtitle", "price"]);

/// Finds the heading that names the subject of the page. The title is the best evidence: it repeats
/// the product's name on nearly every site, while the highest-ranking heading may be a banner or
/// the site's name.
pub(super) fn of(layout: &Layout<'_>) -> Option<Text> {
    let title = text::tokens(&layout.page().title().unwrap_or_default());
    let mut best: Option<(f64, Text)> = None;
    let mut any_agrees = false;
    let headings = layout
        .outline()
        .nodes()
        .filter_map(|node| Some((node.id(), rank(node.tag())?)));
    for (node, rank) in headings.take(MAX_CANDIDATES) {
        let heading = heading_text(layout, node);
        if heading.is_empty() || heading.len() > MAX_HEADING {
            continue;
        }
        let own = if layout.region(node).is_own() { 2.0 } else { 0.0 };
        let words = text::tokens(&heading);
        let agreement = agreement(&words, &title);
        any_agrees |= agreement > 0.0 && !names_site(layout, &words);
        let score = rank + own + agreement
            - home_penalty(layout, node)
            - accompanying_penalty(layout, node, &heading);
        if best.as_ref().is_none_or(|(known, _)| score > *known) {
            best = Some((score, Text { text: heading, node }));
        }
    }
    let plain = || titled_line(layout, &title);
    // If no heading shares a word with the title, the headings belong to other sections, such as
    // recommendations or comments.
    let repeated = if any_agrees {
        None
    } else {
        plain().or_else(|| line_within(layout, &title))
    };
    repeated.or(best.map(|(_, heading)| heading))
}

/// Finds the longest line whose words are consecutive within the title: `Buy NAME online`.
fn line_within(layout: &Layout<'_>, title: &[String]) -> Option<Text> {
    /// Minimum number of words of such a line; shorter ones are categories.
    const MIN_WORDS: usize = 3;
    let fits = |words: &[String]| {
        (MIN_WORDS..title.len()).contains(&words.len())
            && 2 * words.len() >= title.len()
            && title.windows(words.len()).any(|part| part == words)
    };
    let own = layout
        .lines()
        .iter()
        .filter(|line| layout.region(line.node).is_own());
    let short = own.filter(|line| line.text.len() <= MAX_HEADING);
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

/// Text of a heading. An unclosed heading contains the rest of the page, so only its first line
/// counts.
fn heading_text(layout: &Layout<'_>, node: u32) -> String {
    let range = layout.outline().node(node).map_or(0..0, |node| node.range());
    if layout.length(node) <= MAX_LINE {
        return layout.text(node);
    }
    // The first line ends within this many nodes.
    const MAX_NODES: u32 = 50;
    let first = range.start..range.end.min(range.start + MAX_NODES);
    lines::within(layout, first)
        .into_iter()
        .next()
        .map(|line| line.text)
        .unwrap_or_default()
}

/// Score for the overlap of the heading with the title, higher if the title begins with the
/// heading.
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

/// Penalty for a heading that links to the site's home page: it is the site's name.
fn home_penalty(layout: &Layout<'_>, node: u32) -> f64 {
    let range = layout.outline().node(node).map_or(0..0, |node| node.range());
    let leads_home = layout.links().within(range).any(|(_, href)| {
        let absolute = layout.page().resolve(href).unwrap_or_default();
        let path = absolute.splitn(4, '/').nth(3).unwrap_or_default();
        path.is_empty() || path.starts_with("index.")
    });
    if leads_home { 4.0 } else { 0.0 }
}

/// Penalty for a heading that accompanies another one, such as the author or the price.
fn accompanying_penalty(layout: &Layout<'_>, node: u32, heading: &str) -> f64 {
    let classed = layout
        .class(node)
        .is_some_and(|class| has_word(class, &ACCOMPANYING));
    if classed || heading.starts_with("by ") {
        4.0
    } else {
        0.0
    }
}

/// Score of a heading by its tag alone.
fn rank(tag: &str) -> Option<f64> {
    match tag {
        "h1" => Some(3.0),
        "h2" => Some(2.0),
        "h3" => Some(1.0),
        "h4" => Some(0.5),
        _ => None,
    }
}
