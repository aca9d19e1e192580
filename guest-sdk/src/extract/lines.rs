//! Lines of visible text.

use std::ops::Range;

use super::layout::{Event, Flow, Layout, push_collapsed};

/// Maximum number of inline elements between a text and its block that are searched for emphasis.
const MAX_INLINE: usize = 8;

/// One line: the text between two breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Block that contains the line.
    pub node: u32,
    /// The whole text, normalised.
    pub text: String,
    /// Parts of the line, one for each non-empty text node.
    pub pieces: Vec<Piece>,
}

/// A part of a [`Line`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The element directly around the text.
    pub node: u32,
    /// Byte range of the piece in the line's text.
    pub range: Range<usize>,
    /// True for emphasised text: in bold, or a label.
    pub strong: bool,
}

impl Line {
    /// Text of one piece.
    pub fn piece(&self, piece: &Piece) -> &str {
        self.text[piece.range.clone()].trim()
    }

    /// Element of its first text, which may be deep within the block.
    pub fn first_node(&self) -> u32 {
        self.pieces.first().map_or(self.node, |piece| piece.node)
    }

    /// Element of the piece at a byte offset of the text.
    pub fn node_at(&self, offset: usize) -> u32 {
        self.pieces
            .iter()
            .find(|piece| offset < piece.range.end)
            .map_or(self.node, |piece| piece.node)
    }
}

pub(super) fn all(layout: &Layout<'_>) -> Vec<Line> {
    within(layout, layout.outline().root().range())
}

/// Lines of a part of the page.
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
        // White space separates the words of two elements, but it does not begin a line.
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

/// Returns true if a number would merge with the number of another element before it. Style sheets
/// separate such elements: `<b>May 3, 2026</b><span>11:30</span>`.
fn runs_into(line: &Line, around: u32, written: &str) -> bool {
    let digit = |character: char| character.is_ascii_digit();
    line.text.ends_with(digit)
        && written.starts_with(digit)
        && line.pieces.last().is_some_and(|last| last.node != around)
}

/// Element around a text, the block around that, and whether any element between is emphasised.
fn surroundings(layout: &Layout<'_>, text: u32) -> (u32, u32, bool) {
    let Some(node) = layout.outline().node(text) else {
        return (text, text, false);
    };
    let around = node.parent().map_or(text, |parent| parent.id());
    let mut strong = false;
    for (above, ancestor) in node.ancestors().enumerate() {
        match layout.flow(ancestor.id()) {
            Flow::Strong => strong = true,
            Flow::Inline if above < MAX_INLINE => {}
            _ => return (around, ancestor.id(), strong),
        }
    }
    (around, around, strong)
}

/// Trims the end of the line; `None` if nothing is left.
fn finished(mut line: Line) -> Option<Line> {
    let length = line.text.trim_end().len();
    line.text.truncate(length);
    for piece in &mut line.pieces {
        piece.range.end = piece.range.end.min(length);
    }
    line.pieces.retain(|piece| !piece.range.is_empty());
    (!line.text.is_empty()).then_some(line)
}
