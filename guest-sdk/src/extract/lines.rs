//! The lines of text that a reader sees.

use std::ops::Range;

use super::layout::{Event, Flow, Layout, push_collapsed};

/// Inline elements between a text and its block that are looked through for one that stands out.
const MOST_INLINE: usize = 8;

/// One line: text between two breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The block it stands in.
    pub node: u32,
    /// The whole text, tidied.
    pub text: String,
    /// What it is made of, one for each text node that says something.
    pub pieces: Vec<Piece>,
}

/// A part of a [`Line`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The element directly around the text.
    pub node: u32,
    /// Where in the line's text it stands.
    pub range: Range<usize>,
    /// Whether it stands out: in bold, or the label of something.
    pub strong: bool,
}

impl Line {
    /// The text of one piece.
    pub fn piece(&self, piece: &Piece) -> &str {
        self.text[piece.range.clone()].trim()
    }

    /// The element of its first text, which may be deep within the block.
    pub fn first_node(&self) -> u32 {
        self.pieces.first().map_or(self.node, |piece| piece.node)
    }

    /// The element of the piece that holds a place in the text.
    pub fn node_at(&self, place: usize) -> u32 {
        self.pieces
            .iter()
            .find(|piece| place < piece.range.end)
            .map_or(self.node, |piece| piece.node)
    }
}

/// All lines of a page.
pub(super) fn all(layout: &Layout<'_>) -> Vec<Line> {
    within(layout, layout.outline().root().range())
}

/// The lines of a part of the page.
pub(super) fn within(layout: &Layout<'_>, range: Range<u32>) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut line: Option<Line> = None;
    layout.walk(range, &mut |event| match event {
        Event::Break => lines.extend(line.take().and_then(finished)),
        Event::Text(node, written) => add(layout, &mut line, node, written),
    });
    lines
}

fn add(layout: &Layout<'_>, line: &mut Option<Line>, node: u32, written: &str) {
    if written.trim().is_empty() {
        if let Some(line) = line {
            push_collapsed(&mut line.text, written);
        }
        return;
    }
    let (around, block, strong) = surroundings(layout, node);
    let line = line.get_or_insert_with(|| Line {
        node: block,
        text: String::new(),
        pieces: Vec::new(),
    });
    if runs_into(line, around, written) {
        line.text.push(' ');
    }
    let start = line.text.len();
    push_collapsed(&mut line.text, written);
    line.pieces.push(Piece {
        node: around,
        range: start..line.text.len(),
        strong,
    });
}

/// Whether a number would become one with that of another element before it. Style sheets keep such
/// elements apart: `<b>May 3, 2026</b><span>11:30</span>`.
fn runs_into(line: &Line, around: u32, written: &str) -> bool {
    let digit = |letter: char| letter.is_ascii_digit();
    line.text.ends_with(digit)
        && written.starts_with(digit)
        && line.pieces.last().is_some_and(|last| last.node != around)
}

/// The element around a text, the block around that, and whether something between stands out.
fn surroundings(layout: &Layout<'_>, text: u32) -> (u32, u32, bool) {
    let Some(node) = layout.outline().node(text) else {
        return (text, text, false);
    };
    let around = node.parent().map_or(text, |parent| parent.id());
    let mut strong = false;
    for (above, ancestor) in node.ancestors().enumerate() {
        match layout.flow(ancestor.id()) {
            Flow::Strong => strong = true,
            Flow::Inline if above < MOST_INLINE => {}
            _ => return (around, ancestor.id(), strong),
        }
    }
    (around, around, strong)
}

/// The line without space at its end; none when nothing is left.
fn finished(mut line: Line) -> Option<Line> {
    let length = line.text.trim_end().len();
    line.text.truncate(length);
    for piece in &mut line.pieces {
        piece.range.end = piece.range.end.min(length);
    }
    line.pieces.retain(|piece| !piece.range.is_empty());
    (!line.text.is_empty()).then_some(line)
}
