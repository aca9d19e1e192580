//! Layered graphs: boxes in layers from a start to the right, and curves for the edges between
//! them.

mod draw;
mod layout;

use std::collections::{BTreeMap, BTreeSet};

use layout::Layout;

/// A graph whose boxes are in layers: the layer of a box is the length of the shortest path from
/// the start.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Graph {
    pub title: String,
    /// Kinds of boxes; every box shows the name of its kind.
    pub kinds: Vec<String>,
    /// The boxes, those first that matter most: of many only the first are drawn.
    pub boxes: Vec<GraphBox>,
    /// The leftmost box.
    pub start: usize,
    /// From which box to which a way leads. A way from a box to itself is a loop above it.
    pub ways: Vec<(usize, usize)>,
}

/// A box of a [`Graph`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GraphBox {
    pub name: String,
    /// Its place in the graph's kinds.
    pub kind: usize,
    /// Further lines of text in the box.
    pub lines: Vec<String>,
}

/// Boxes that are drawn; a greater graph is not read as a picture.
const MAX_BOXES: usize = 36;
/// Boxes of one layer: more do not stand on a screen.
const MAX_IN_LAYER: usize = 9;
/// Boxes and ways that are looked at to find those that are drawn.
const MAX_SEEN: usize = 1_000;
const MAX_SEEN_WAYS: usize = 20_000;
/// Ways that are drawn: with more, none can be followed by eye.
const MAX_WAYS: usize = 160;
/// Lines of a box besides its name and kind.
const MAX_LINES: usize = 6;

impl Graph {
    /// The graph as SVG, as wide as its layers need.
    #[must_use]
    pub fn to_svg(&self) -> String {
        let (kept, layers) = self.kept();
        let ways = self.ways_between(&kept, MAX_WAYS);
        let heights: Vec<f64> = kept
            .iter()
            .map(|index| draw::height(&self.boxes[*index]))
            .collect();
        let layout = Layout::new(&heights, &ways, layers);
        draw::draw(self, &kept, &ways, &layout)
    }

    /// The numbers of the boxes that are drawn, the start first, and their layers.
    fn kept(&self) -> (Vec<usize>, Vec<usize>) {
        if self.boxes.is_empty() {
            return (Vec::new(), Vec::new());
        }
        let start = if self.start < self.boxes.len() {
            self.start
        } else {
            0
        };
        let others = (0..self.boxes.len()).filter(|index| *index != start);
        let seen: Vec<usize> = std::iter::once(start).chain(others).take(MAX_SEEN).collect();
        let layers = layout::layers(seen.len(), &self.ways_between(&seen, MAX_SEEN_WAYS));
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        let has_room = |(_, layer): &(usize, usize)| {
            let count = counts.entry(*layer).or_default();
            *count += 1;
            *count <= MAX_IN_LAYER
        };
        let kept = seen.into_iter().zip(layers).filter(has_room).take(MAX_BOXES);
        let (kept, mut layers): (Vec<usize>, Vec<usize>) = kept.unzip();
        // Layers of which nothing is left leave no gap.
        let used: BTreeSet<usize> = layers.iter().copied().collect();
        for layer in &mut layers {
            *layer = used.range(..*layer).count();
        }
        (kept, layers)
    }

    /// The ways between some boxes, by their places among those.
    fn ways_between(&self, boxes: &[usize], most: usize) -> Vec<(usize, usize)> {
        let places: BTreeMap<usize, usize> = boxes
            .iter()
            .enumerate()
            .map(|(place, index)| (*index, place))
            .collect();
        let known = |(from, to): &(usize, usize)| Some((*places.get(from)?, *places.get(to)?));
        let mut seen = BTreeSet::new();
        let ways = self.ways.iter().filter_map(known);
        ways.filter(|way| seen.insert(*way)).take(most).collect()
    }
}
