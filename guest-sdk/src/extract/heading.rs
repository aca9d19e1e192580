//! Subject of the page, and its breadcrumb trail.

use std::cmp::Reverse;

use magpie_values::{similarity, text};

use super::layout::{Layout, Text};
use super::lines::Line;

/// Maximum length of a heading in bytes; a longer one is a paragraph in large type.
const MAX_HEADING: usize = 300;

/// Maximum number of headings to examine. The page's own is among the first ones.
const MAX_CANDIDATES: usize = 40;

/// Maximum number of steps of a breadcrumb trail.
const MAX_CRUMBS: usize = 15;

impl Layout<'_> {
    /// Heading that names the subject of the page: the highest-ranking one that agrees with the
    /// title. If none agrees, the line that is a part of the title; without any heading, the title
    /// itself.
    pub fn heading(&self) -> Option<Text> {
        self.main_heading.get_or_init(|| self.find_heading()).clone()
    }

    fn find_heading(&self) -> Option<Text> {
        let title = self.page().title().unwrap_or_default();
        let words = text::tokens(&title);
        let named = sorted(&words);
        let mut any_agrees = false;
        let mut best: Option<(f64, Text)> = None;
        let headings = self
            .outline()
            .nodes()
            .filter_map(|node| Some((node.id(), rank(node.tag())?)));
        for (node, rank) in headings.take(MAX_CANDIDATES) {
            let inside = if self.region(node).is_own() { 2.0 } else { 0.0 };
            let is_better = |score: f64| best.as_ref().is_none_or(|(known, _)| score > *known);
            // This heading cannot win with any text, so its text is not read.
            if !is_better(rank + 2.0 + inside) {
                continue;
            }
            let heading = self.text(node);
            if heading.is_empty() || heading.len() > MAX_HEADING {
                continue;
            }
            let heading_words = text::tokens(&heading);
            let agrees = similarity::overlap(&sorted(&heading_words), &named);
            // Most titles contain the site's name, so agreement with that part says nothing.
            any_agrees |= agrees > 0.0 && !names_site(self, &heading_words);
            let score = rank + 2.0 * agrees + inside;
            if is_better(score) {
                best = Some((score, Text { text: heading, node }));
            }
        }
        let title = || {
            (!title.is_empty()).then(|| Text {
                text: title.clone(),
                node: 0,
            })
        };
        // If no heading shares a word with the title, the headings belong to other sections, such
        // as recommendations or comments.
        let line = if any_agrees {
            None
        } else {
            titled_line(self, &words)
        };
        line.or(best.map(|(_, heading)| heading)).or_else(title)
    }

    /// Steps of the breadcrumb trail to this page.
    pub fn breadcrumbs(&self) -> Vec<Text> {
        let Some(trail) = self.breadcrumb_trail() else {
            return Vec::new();
        };
        let range = self.outline().node(trail).map_or(0..0, |node| node.range());
        let mut crumbs: Vec<Text> = Vec::new();
        for line in self.lines().iter().filter(|line| range.contains(&line.node)) {
            for piece in &line.pieces {
                // A piece without letter or digit is the separator of two steps. Some trails have a
                // label.
                let text = line.piece(piece);
                let is_step = text.contains(char::is_alphanumeric) && !is_trail(text) && !text.ends_with(':');
                if is_step && crumbs.len() < MAX_CRUMBS {
                    crumbs.push(Text {
                        text: text.to_owned(),
                        node: piece.node,
                    });
                }
            }
        }
        crumbs
    }

    fn breadcrumb_trail(&self) -> Option<u32> {
        let by_class = self.classes().fitting(0..u32::MAX, is_trail).next();
        by_class.or_else(|| {
            let labelled = self.page().having("aria-label").into_iter();
            labelled
                .filter(|(_, label)| is_trail(label))
                .map(|(element, _)| element.node())
                .next()
        })
    }
}

/// Finds the line that is a part of the title, for pages whose subject is in no heading. The site's
/// name is a part of the title too, and comes earlier. It is recognised by the host name, and
/// otherwise by being the shorter part.
pub(super) fn titled_line(layout: &Layout<'_>, title: &[String]) -> Option<Text> {
    let part = |line: &Line| {
        let words = text::tokens(&line.text);
        let is_part = !words.is_empty()
            && words.len() < title.len()
            && (title.starts_with(&words) || title.ends_with(&words));
        is_part.then(|| (!names_site(layout, &words), words.len()))
    };
    // A line with a link names the page behind the link.
    let leads_away = |line: &Line| {
        let range = layout.outline().node(line.node).map_or(0..0, |node| node.range());
        let mut links = layout.links().within(range);
        links.any(|(node, _)| line.pieces.iter().any(|piece| piece.node == node))
    };
    let own = layout
        .lines()
        .iter()
        .filter(|line| layout.region_inside(line.first_node()).is_own());
    own.filter(|line| line.text.len() <= MAX_HEADING)
        .filter_map(|line| Some((part(line)?, line)))
        .filter(|(_, line)| !leads_away(line))
        .min_by_key(|(part, _)| Reverse(*part))
        .map(|(_, line)| Text {
            text: line.text.clone(),
            node: line.first_node(),
        })
}

/// Returns true if the words, joined, occur in the host name of the page.
pub(super) fn names_site(layout: &Layout<'_>, words: &[String]) -> bool {
    let url = layout.page().url();
    let host = url.split('/').nth(2).unwrap_or_default();
    let host = host.chars().filter(|sign| sign.is_alphanumeric());
    let host: String = host.flat_map(char::to_lowercase).collect();
    host.contains(&words.concat())
}

fn is_trail(name: &str) -> bool {
    name.to_ascii_lowercase().contains("breadcrumb")
}

/// Score of a heading by its tag alone.
fn rank(tag: &str) -> Option<f64> {
    match tag {
        "h1" => Some(3.0),
        "h2" => Some(1.5),
        "h3" => Some(0.5),
        _ => None,
    }
}

fn sorted(words: &[String]) -> Vec<String> {
    let mut words = words.to_vec();
    words.sort_unstable();
    words.dedup();
    words
}
