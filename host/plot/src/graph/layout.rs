//! Layout of the boxes.

use std::collections::VecDeque;

/// The width of a box: a readable pattern of some thirty characters has room.
pub(super) const BOX: f64 = 232.0;
/// Room between layers, where ways are seen.
pub(super) const GAP: f64 = 84.0;
/// Room between boxes of a layer; a loop above a box needs most of it.
const ROW_GAP: f64 = 30.0;
/// Times that layers are sorted after their neighbours; further ones change almost nothing.
const SWEEPS: usize = 6;

/// Positions of the boxes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Layout {
    pub(super) layers: Vec<usize>,
    /// The upper left corner of each box and its height, from the corner of the drawing.
    pub(super) places: Vec<Place>,
    /// Below all boxes.
    pub(super) floor: f64,
    /// Layers in all.
    pub(super) count: usize,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Place {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) height: f64,
}

impl Place {
    pub(super) fn middle(self) -> f64 {
        self.y + self.height / 2.0
    }

    pub(super) fn right(self) -> f64 {
        self.x + BOX
    }
}

impl Layout {
    /// The layout of boxes with these heights in these layers.
    pub(super) fn new(heights: &[f64], ways: &[(usize, usize)], layers: Vec<usize>) -> Self {
        let count = layers.iter().max().map_or(0, |last| last + 1);
        let mut columns: Vec<Vec<usize>> = vec![Vec::new(); count];
        for (index, layer) in layers.iter().enumerate() {
            columns[*layer].push(index);
        }
        untangle(&mut columns, &layers, ways);
        let high = |column: &Vec<usize>| column.iter().map(|index| heights[*index] + ROW_GAP).sum::<f64>();
        let floor = columns.iter().map(high).fold(0.0, f64::max);
        let mut places = vec![Place::default(); heights.len()];
        for (layer, column) in columns.iter().enumerate() {
            let mut y = (floor - high(column)) / 2.0 + ROW_GAP;
            for index in column {
                let x = layer as f64 * (BOX + GAP);
                let height = heights[*index];
                places[*index] = Place { x, y, height };
                y += height + ROW_GAP;
            }
        }
        Self {
            layers,
            places,
            floor,
            count,
        }
    }
}

/// Length of the shortest path from the first box to each. Unreachable boxes begin in the second
/// layer.
pub(super) fn layers(boxes: usize, ways: &[(usize, usize)]) -> Vec<usize> {
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); boxes];
    for (from, to) in ways {
        next[*from].push(*to);
    }
    let mut layers: Vec<Option<usize>> = vec![None; boxes];
    for root in 0..boxes {
        if layers[root].is_some() {
            continue;
        }
        layers[root] = Some(root.min(1));
        let mut queue = VecDeque::from([root]);
        while let Some(from) = queue.pop_front() {
            let layer = layers[from].map_or(0, |layer| layer + 1);
            for to in &next[from] {
                if layers[*to].is_none() {
                    layers[*to] = Some(layer);
                    queue.push_back(*to);
                }
            }
        }
    }
    layers.into_iter().map(Option::unwrap_or_default).collect()
}

/// Sorts layers so that few edges cross: each box moves to the average position of its neighbours
/// in the adjacent layer.
fn untangle(columns: &mut [Vec<usize>], layers: &[usize], ways: &[(usize, usize)]) {
    let mut places = vec![0.0; layers.len()];
    let note = |columns: &[Vec<usize>], places: &mut Vec<f64>| {
        for column in columns {
            for (place, index) in column.iter().enumerate() {
                places[*index] = (place as f64 + 0.5) / column.len() as f64;
            }
        }
    };
    note(columns, &mut places);
    for sweep in 0..SWEEPS {
        let is_forward = sweep % 2 == 0;
        let order: Vec<usize> = if is_forward {
            (1..columns.len()).collect()
        } else {
            (0..columns.len().saturating_sub(1)).rev().collect()
        };
        for layer in order {
            let beside = if is_forward { layer - 1 } else { layer + 1 };
            let wish = |index: usize| wish(index, beside, layers, ways, &places);
            let mut wishes: Vec<(f64, usize)> = columns[layer]
                .iter()
                .map(|index| (wish(*index), *index))
                .collect();
            wishes.sort_by(|one, other| one.0.total_cmp(&other.0));
            columns[layer] = wishes.into_iter().map(|(_, index)| index).collect();
            note(columns, &mut places);
        }
    }
}

/// Preferred position of a box: the average of its neighbours in the adjacent layer.
fn wish(index: usize, beside: usize, layers: &[usize], ways: &[(usize, usize)], places: &[f64]) -> f64 {
    let neighbour = |(from, to): &(usize, usize)| match (*from == index, *to == index) {
        (true, false) => Some(*to),
        (false, true) => Some(*from),
        _ => None,
    };
    let neighbours = ways.iter().filter_map(neighbour);
    let (mut sum, mut count) = (0.0, 0);
    for other in neighbours.filter(|other| layers[*other] == beside) {
        sum += places[other];
        count += 1;
    }
    if count == 0 {
        places[index]
    } else {
        sum / f64::from(count)
    }
}

#[cfg(test)]
mod tests {
    use super::{Layout, layers};

    #[test]
    fn boxes_stand_as_far_right_as_they_are_from_the_start() {
        let ways = [(0, 1), (0, 2), (1, 3), (2, 3), (3, 0), (3, 3)];
        // The last box is not reached at all.
        assert_eq!(layers(5, &ways), [0, 1, 1, 2, 1]);
    }

    #[test]
    fn neighbours_stand_side_by_side() {
        // Crossed as they come: 1 leads to 4 and 2 to 3.
        let ways = [(0, 1), (0, 2), (1, 4), (2, 3)];
        let layout = Layout::new(&[40.0; 5], &ways, layers(5, &ways));
        let above = |one: usize, other: usize| layout.places[one].y < layout.places[other].y;
        assert_eq!(above(1, 2), above(4, 3));
    }

    #[test]
    fn boxes_of_a_layer_do_not_touch() {
        let ways: Vec<(usize, usize)> = (1..9).map(|to| (0, to)).collect();
        let layout = Layout::new(&[50.0; 9], &ways, layers(9, &ways));
        let mut tops: Vec<f64> = layout.places[1..].iter().map(|place| place.y).collect();
        tops.sort_by(f64::total_cmp);
        assert!(tops.windows(2).all(|pair| pair[1] - pair[0] > 50.0));
        assert!(tops.last().is_some_and(|top| top + 50.0 <= layout.floor));
    }
}
