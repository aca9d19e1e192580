//! What was chosen, and how good that is.

use super::bits::Bits;
use super::candidates::Candidates;
use super::covered::Covered;

/// Points that a curve is thinned to; more cannot be told apart in a plot.
const MOST_POINTS: usize = 400;

/// What a selection is to reach.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Goal {
    /// This share of what can be covered at all, at the least cost.
    Coverage(f64),
    /// As much as so many pages bring.
    Pages(f64),
}

impl Goal {
    /// A bound in the unit of this goal.
    pub(super) fn bound(self, value: f64) -> Bound {
        match self {
            Goal::Coverage(_) => Bound::Cost(value),
            Goal::Pages(_) => Bound::Covered(value),
        }
    }
}

/// A way to choose patterns.
pub trait Strategy {
    /// What it is called in reports.
    fn name(&self) -> &'static str;

    /// Chooses.
    fn select(&self, candidates: &Candidates, goal: Goal) -> Selection;

    /// Brings a selection up to date whose candidates changed: patterns that were chosen before
    /// stay where the strategy would choose them among those, what is missing is added, and what
    /// became needless is dropped. So the choice changes as little as the web did.
    ///
    /// `standing` has the numbers of the patterns chosen before among the new candidates.
    fn renew(&self, candidates: &Candidates, standing: &[usize], goal: Goal) -> Selection;
}

/// Chosen patterns with what they cost and bring.
#[derive(Clone, Debug, PartialEq)]
pub struct Selection {
    /// The numbers of the chosen patterns, in the order in which they were chosen.
    pub patterns: Vec<usize>,
    /// All that they cost: pages, hubs and overheads, what is shared once.
    pub cost: f64,
    /// Their pages alone, as published methods count.
    pub page_cost: f64,
    /// What is covered: objects, or expected objects where they are uncertain.
    pub covered: f64,
    /// All that could be covered.
    pub coverable: f64,
    /// What no selection can beat.
    pub bound: Bound,
    /// Coverage against cost while choosing goes on beyond the goal, from nothing to all.
    pub curve: Vec<Point>,
}

/// What no selection for the same goal can beat, whatever it chooses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// A coverage goal cannot be had for less than this.
    Cost(f64),
    /// For this many pages no more than this can be covered.
    Covered(f64),
}

/// A point of the curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// How many patterns were chosen.
    pub patterns: usize,
    /// What they cost together.
    pub cost: f64,
    /// What they cover.
    pub covered: f64,
}

impl Selection {
    /// The share of what can be covered that is.
    pub fn coverage(&self) -> f64 {
        if self.coverable > 0.0 {
            self.covered / self.coverable
        } else {
            1.0
        }
    }

    /// How far the selection is from its bound, as a share of the bound: 0.01 is 1%.
    pub fn gap(&self) -> f64 {
        let (value, bound) = match self.bound {
            Bound::Cost(bound) => (self.cost - bound, bound),
            Bound::Covered(bound) => (bound - self.covered, bound),
        };
        if bound > 0.0 {
            (value / bound).max(0.0)
        } else {
            0.0
        }
    }

    /// The selection of these patterns where objects are certain, figures computed anew.
    pub(super) fn of_certain(
        candidates: &Candidates,
        patterns: Vec<usize>,
        coverable: f64,
        bound: f64,
        curve: &[Point],
    ) -> Selection {
        let mut covered = Bits::new(candidates.objects);
        for pattern in &patterns {
            for object in candidates.object_lists.get(*pattern) {
                covered.add(*object);
            }
        }
        let covered = covered.count() as f64;
        Selection {
            cost: candidates.cost(&patterns),
            page_cost: candidates.page_cost(&patterns),
            patterns,
            covered,
            coverable,
            bound: Bound::Cost(bound),
            curve: thinned(curve),
        }
    }

    /// The selection of these patterns, all figures computed anew.
    pub(super) fn of(
        candidates: &Candidates,
        sources: u32,
        patterns: Vec<usize>,
        bound: Bound,
        curve: &[Point],
    ) -> Selection {
        let mut covered = Covered::new(candidates, sources);
        for pattern in &patterns {
            covered.add(*pattern);
        }
        let value = covered.covered();
        let coverable = covered.total();
        Selection {
            cost: candidates.cost(&patterns),
            page_cost: candidates.page_cost(&patterns),
            patterns,
            covered: value,
            coverable,
            bound,
            curve: thinned(curve),
        }
    }
}

/// Evenly spread points with the first and the last of all.
fn thinned(curve: &[Point]) -> Vec<Point> {
    if curve.len() <= MOST_POINTS {
        return curve.to_vec();
    }
    let last = curve.len() - 1;
    (0..MOST_POINTS)
        .map(|place| curve[place * last / (MOST_POINTS - 1)])
        .collect()
}
