//! Scoring of groups as listings.

use std::ops::Range;

use super::groups::Rows;
use crate::extract::Layout;
use crate::extract::region::Region;

/// Text length in bytes below which a row looks like a menu entry or a tag.
const SHORT: f64 = 25.0;

/// Text length in bytes above which a row looks like a section of the page.
const LONG: f64 = 3_000.0;

/// Prefix sums over nodes, so that any subtree takes one step: entry `n` sums the nodes before `n`.
pub(super) struct Facts {
    texts: Vec<u32>,
    links: Vec<u32>,
    linked: Vec<u32>,
    total: f64,
}

impl Facts {
    pub(super) fn new(layout: &Layout<'_>) -> Self {
        let nodes = layout.outline().nodes();
        let anchor = layout.outline().tag_id("a");
        let size = nodes.len() + 1;
        let mut facts = Self {
            texts: Vec::with_capacity(size),
            links: Vec::with_capacity(size),
            linked: Vec::with_capacity(size),
            total: 0.0,
        };
        let (mut texts, mut links, mut linked, mut link_end) = (0, 0, 0, 0);
        for node in nodes {
            facts.push(texts, links, linked);
            let text_length = node
                .is_text()
                .then(|| node.text().trim().len() as u32)
                .filter(|length| *length > 0);
            if let Some(length) = text_length {
                texts += 1;
                linked += if node.id() < link_end { length } else { 0 };
                facts.total += f64::from(length);
            } else if anchor == Some(node.tag_id()) && layout.links().has(node.id()) {
                links += 1;
                link_end = node.range().end;
            }
        }
        facts.push(texts, links, linked);
        facts
    }

    fn push(&mut self, texts: u32, links: u32, linked: u32) {
        self.texts.push(texts);
        self.links.push(links);
        self.linked.push(linked);
    }

    fn between(sums: &[u32], range: &Range<u32>) -> f64 {
        f64::from(sums[range.end as usize] - sums[range.start as usize])
    }
}

/// Measures of one row.
struct Row {
    length: f64,
    texts: f64,
    links: f64,
    linked: f64,
}

/// Score of a group; `None` if it is not a listing.
pub(super) fn of(layout: &Layout<'_>, facts: &Facts, rows: &Rows) -> Option<f64> {
    let outline = layout.outline();
    let measured = rows.iter().map(|nodes| {
        let mut row = Row {
            length: 0.0,
            texts: 0.0,
            links: 0.0,
            linked: 0.0,
        };
        for node in nodes.iter().filter_map(|&node| outline.node(node)) {
            row.length += node.text().len() as f64;
            row.texts += Facts::between(&facts.texts, &node.range());
            row.links += Facts::between(&facts.links, &node.range());
            row.linked += Facts::between(&facts.linked, &node.range());
        }
        row
    });
    // A row without text, such as a separator, would lower the means.
    let measured: Vec<Row> = measured.filter(|row| row.texts > 0.0).collect();
    let count = measured.len() as f64;
    if count < 2.0 || facts.total == 0.0 {
        return None;
    }
    let mean = |take: fn(&Row) -> f64| measured.iter().map(take).sum::<f64>() / count;
    let length = mean(|row| row.length);
    let size = (length / SHORT).min(LONG / length).min(1.0);
    // A record has several parts; a paragraph, a cell or a menu entry has one.
    let parts = ((mean(|row| row.texts) - 1.0) / 3.0).clamp(0.05, 1.0);
    let share = (length * count / facts.total).min(1.0).sqrt();
    let even = 1.0 / (1.0 + spread(&measured, mean(|row| row.texts)));
    // Menus consist of links only; listings have other words beside them.
    let beside = 1.0 - 0.6 * (mean(|row| row.linked) / length.max(1.0)).min(1.0);
    let led = if mean(|row| row.links) >= 0.5 { 1.0 } else { 0.7 };
    let many = (count.log2() / 4.0).clamp(0.25, 1.0);
    let region_factor = match layout.region(rows.nodes().next()?) {
        Region::Navigation | Region::Footer => 0.2,
        Region::Aside | Region::Header => 0.5,
        _ => 1.0,
    };
    Some(size * parts * share * even * beside * led * many * region_factor)
}

/// Coefficient of variation of the number of texts per row.
fn spread(rows: &[Row], mean: f64) -> f64 {
    let variance = rows.iter().map(|row| (row.texts - mean).powi(2)).sum::<f64>() / rows.len() as f64;
    variance.sqrt() / mean.max(1.0)
}
