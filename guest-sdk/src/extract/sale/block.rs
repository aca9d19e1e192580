//! A part of a page that is about one thing.

use std::cell::OnceCell;
use std::ops::Range;

use super::{holes, subject};
use crate::OutlineNode;
use crate::extract::lines::{self, Line};
use crate::extract::region::Region;
use crate::extract::{Layout, Pair, Pairs, RecordGroup, RecordRow, Text};

/// Bytes of a record's name; what is longer is a summary.
const MOST_NAME: usize = 300;

/// Names of a record's title, where nothing else tells.
const TITLE_CLASSES: [&str; 4] = ["title", "name", "titel", "titre"];

/// A part of a page that is about one thing: a detail page's own matter, or one record of a listing.
pub struct Block<'l, 'p> {
    layout: &'l Layout<'p>,
    heading: Text,
    range: Range<u32>,
    /// Parts about other things, in order and without overlap.
    holes: Vec<Range<u32>>,
    lines: OnceCell<Vec<Line>>,
}

impl<'p> Layout<'p> {
    /// The part of a page that is about the one thing its heading names: all of the page but its
    /// frame, and boxes with related, recommended and recently seen things. `groups` are the
    /// page's [`records`](Layout::records), which tell such boxes where no heading does.
    pub fn main_block(&self, groups: &[RecordGroup]) -> Option<Block<'_, 'p>> {
        let heading = subject::of(self)?;
        let outline = self.outline();
        let around = outline
            .node(heading.node)?
            .ancestors()
            .find(|node| node.tag() == "main");
        let range = around.unwrap_or_else(|| outline.root()).range();
        let holes = holes::of(self, heading.node, groups);
        Some(Block {
            layout: self,
            heading,
            range,
            holes,
            lines: OnceCell::new(),
        })
    }

    /// One record of a listing; none when it has no name.
    pub fn row_block(&self, row: &RecordRow) -> Option<Block<'_, 'p>> {
        let outline = self.outline();
        let first = outline.node(*row.nodes.first()?)?.range();
        let last = outline.node(*row.nodes.last()?)?.range();
        let range = first.start..last.end;
        let heading = row_name(self, row, &range)?;
        Some(Block {
            layout: self,
            heading,
            range,
            holes: Vec::new(),
            lines: OnceCell::new(),
        })
    }
}

impl<'l, 'p> Block<'l, 'p> {
    /// The page's layout.
    pub fn layout(&self) -> &'l Layout<'p> {
        self.layout
    }

    /// The thing's name as the block shows it.
    pub fn heading(&self) -> &Text {
        &self.heading
    }

    /// Whether a node belongs to the thing.
    pub fn holds(&self, node: u32) -> bool {
        let before = self.holes.partition_point(|hole| hole.start <= node);
        let in_hole = before > 0 && self.holes[before - 1].contains(&node);
        let region = self.layout.region(node);
        // Some sites put a thing's name into a `header` of its own, and some whole listings into an `aside`.
        let own = region.is_own() || region == self.layout.region(self.heading.node);
        self.range.contains(&node) && !in_hole && own && region != Region::Footer
    }

    /// The lines of the block, each with how many lines it stands from the heading. What stands
    /// before the heading is twice as far away: a name comes first, and the frame before it.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &Line)> {
        let lines = self.lines.get_or_init(|| {
            let lines = lines::within(self.layout, self.range.clone()).into_iter();
            lines.filter(|line| self.holds(line.first_node())).collect()
        });
        let heading = self
            .layout
            .outline()
            .node(self.heading.node)
            .map_or(0..0, OutlineNode::range);
        let place = lines
            .iter()
            .position(|line| heading.contains(&line.first_node()))
            .unwrap_or(0);
        let far = move |line: usize| {
            if line < place {
                2 * (place - line)
            } else {
                line - place
            }
        };
        lines
            .iter()
            .enumerate()
            .map(move |(line, text)| (far(line), text))
    }

    /// The first labelled value of the block under one of the labels, the most telling label first.
    pub fn labelled<'a>(&self, pairs: &'a Pairs, labels: &[&str]) -> Option<&'a Pair> {
        labels
            .iter()
            .find_map(|label| pairs.all(&[label]).find(|pair| self.holds(pair.node)))
    }

    /// All labelled values of the block.
    pub fn pairs<'a>(&self, pairs: &'a Pairs) -> impl Iterator<Item = &'a Pair> {
        pairs.iter().filter(|pair| self.holds(pair.node))
    }

    /// The short texts of elements whose class, of one word among others, is one of those, the
    /// nearest below the heading first. Of nested ones the innermost is taken.
    pub fn named(&self, words: &[&str]) -> Vec<Text> {
        let outline = self.layout.outline();
        let classed = self.layout.classes().within(self.range.clone());
        let nodes: Vec<u32> = classed
            .filter(|(_, class)| super::has_word(class, words))
            .map(|(node, _)| node)
            .collect();
        let mut found = Vec::new();
        for (place, &id) in nodes.iter().enumerate() {
            let Some(node) = outline.node(id) else { continue };
            let holds_next = nodes
                .get(place + 1)
                .is_some_and(|next| node.range().contains(next));
            if !holds_next && self.holds(id) && node.text().len() <= MOST_NAME {
                found.push(Text {
                    text: self.layout.text(id),
                    node: id,
                });
            }
        }
        found.retain(|text| !text.text.is_empty());
        found.sort_by_key(|text| (text.node < self.heading.node, text.node));
        found
    }

    /// Where a record's name leads, as an absolute URL.
    pub fn link(&self) -> Option<String> {
        let outline = self.layout.outline();
        let heading = outline.node(self.heading.node)?;
        let links = self.layout.links();
        let around = heading.ancestors().take(2).find_map(|node| links.get(node.id()));
        let href = links
            .get(heading.id())
            .or_else(|| links.within(heading.range()).next().map(|(_, href)| href))
            .or(around)
            .or_else(|| links.within(self.range.clone()).next().map(|(_, href)| href))?;
        self.layout
            .page()
            .resolve(href)
            .filter(|url| url.starts_with("http"))
    }

    pub(super) fn range(&self) -> Range<u32> {
        self.range.clone()
    }
}

impl std::fmt::Debug for Block<'_, '_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Block")
            .field("heading", &self.heading)
            .field("range", &self.range)
            .finish_non_exhaustive()
    }
}

/// The name of a record: its heading, what is named so, or its longest link.
fn row_name(layout: &Layout<'_>, row: &RecordRow, range: &Range<u32>) -> Option<Text> {
    let outline = layout.outline();
    let headings = range
        .clone()
        .filter(|&node| matches!(layout.tag(node), "h1" | "h2" | "h3" | "h4" | "h5" | "h6"));
    let classed = layout.classes().within(range.clone());
    let named = classed
        .filter(|(_, class)| super::has_word(class, &TITLE_CLASSES))
        .map(|(node, _)| node);
    let linked = row
        .links
        .iter()
        .max_by_key(|link| (link.text.len(), std::cmp::Reverse(link.node)));
    let candidates = headings.chain(named).chain(linked.map(|link| link.node));
    candidates
        .filter_map(|node| Some((outline.node(node)?, layout.text(node))))
        .find_map(|(node, text)| {
            let fits = text.chars().any(char::is_alphabetic) && text.len() <= MOST_NAME;
            fits.then(|| Text {
                text: whole(layout, row, node, text),
                node: node.id(),
            })
        })
}

/// A name that the listing cuts off (`The Girl with the…`) in full, where a title or a picture's
/// description has it.
fn whole(layout: &Layout<'_>, row: &RecordRow, node: OutlineNode<'_>, text: String) -> String {
    let cut = text.trim_end_matches(['.', '…', ' ']);
    if !text.ends_with(['…', '.']) || !(text.ends_with('…') || text.ends_with("...")) {
        return text;
    }
    let links = row.links.iter().map(|link| (link.node, "title"));
    let images = row.images.iter().map(|image| (image.node, "alt"));
    let own = std::iter::once((node.id(), "title"));
    own.chain(links)
        .chain(images)
        .filter_map(|(node, name)| layout.element(node).attr(name))
        .map(|full| magpie_values::text::tidy(&full))
        .find(|full| full.starts_with(cut))
        .unwrap_or(text)
}
