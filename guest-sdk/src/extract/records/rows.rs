//! Contents of the records of a group.

use magpie_values::text;

use super::groups::Rows;
use super::{Image, Link, RecordRow};
use crate::OutlineNode;
use crate::extract::Text;
use crate::extract::layout::{Event, Layout};

/// Maximum number of texts, of links and of pictures of one record. Whole articles are truncated.
const MAX_PARTS: usize = 60;

pub(super) fn read(layout: &Layout<'_>, rows: &Rows) -> Vec<RecordRow> {
    let mut headings = Headings::new(layout, rows);
    rows.iter()
        .map(|nodes| {
            let heading = nodes.first().and_then(|&first| headings.above(first));
            let mut row = RecordRow {
                heading,
                ..RecordRow::default()
            };
            for &node in nodes {
                part(layout, node, &mut row);
            }
            row.nodes = nodes.to_vec();
            row
        })
        .collect()
}

fn part(layout: &Layout<'_>, node: u32, row: &mut RecordRow) {
    let outline = layout.outline();
    let range = outline.node(node).map_or(0..0, |node| node.range());
    layout.walk(range.clone(), &mut |event| {
        if let Event::Text(node, written) = event {
            let around = outline
                .node(node)
                .and_then(|node| node.parent())
                .map_or(node, |parent| parent.id());
            add(&mut row.texts, around, written);
        }
    });
    // Elements such as `link` and `area` have an `href` too, but no text.
    let links = layout
        .links()
        .within(range.clone())
        .filter(|(node, _)| layout.tag(*node) == "a");
    let links = links.take(MAX_PARTS.saturating_sub(row.links.len()));
    row.links.extend(links.map(|(node, href)| Link {
        href: href.to_owned(),
        text: layout.text(node),
        node,
    }));
    let images = layout
        .images()
        .within(range)
        .filter(|(node, _)| layout.tag(*node) == "img");
    let images = images.take(MAX_PARTS.saturating_sub(row.images.len()));
    row.images.extend(images.map(|(node, src)| Image {
        src: src.to_owned(),
        node,
    }));
}

fn add(texts: &mut Vec<Text>, node: u32, written: &str) {
    let text = text::tidy(written);
    if !text.is_empty() && texts.len() < MAX_PARTS {
        texts.push(Text { text, node });
    }
}

/// Headings of a page outside of all records, queried in document order.
struct Headings<'l, 'p> {
    layout: &'l Layout<'p>,
    nodes: Vec<u32>,
    next: usize,
    last: Option<Text>,
}

impl<'l, 'p> Headings<'l, 'p> {
    fn new(layout: &'l Layout<'p>, rows: &Rows) -> Self {
        let outline = layout.outline();
        let mut spans: Vec<(u32, u32)> = (rows.nodes())
            .filter_map(|node| {
                outline
                    .node(node)
                    .map(|node| (node.range().start, node.range().end))
            })
            .collect();
        spans.sort_unstable();
        let mut spans = spans.into_iter().peekable();
        let mut nodes = Vec::new();
        let has_text = |node: &OutlineNode<'_>| is_heading(node.tag()) && !node.text().trim().is_empty();
        // Headings and records are both in document order, so a record that ends before this
        // heading is over for all later headings.
        for heading in outline.nodes().filter(has_text).map(|node| node.id()) {
            while spans.peek().is_some_and(|(_, end)| *end <= heading) {
                spans.next();
            }
            if spans.peek().is_none_or(|(start, _)| heading < *start) {
                nodes.push(heading);
            }
        }
        Self {
            layout,
            nodes,
            next: 0,
            last: None,
        }
    }

    /// Nearest heading before a node; callers pass the nodes in document order.
    fn above(&mut self, node: u32) -> Option<Text> {
        let first = self.next;
        self.next += self.nodes[self.next..].partition_point(|heading| *heading < node);
        if self.next > first {
            let node = self.nodes[self.next - 1];
            self.last = Some(Text {
                text: self.layout.text(node),
                node,
            });
        }
        self.last.clone()
    }
}

fn is_heading(tag: &str) -> bool {
    matches!(
        tag,
        "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "caption" | "legend"
    )
}
