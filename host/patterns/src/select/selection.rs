//! Selections and their quality.

use super::candidates::Candidates;
use super::covered::Covered;
use crate::bits::BitSet;

/// Maximum number of points of a curve; more cannot be distinguished in a plot.
const MAX_POINTS: usize = 400;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Goal {
    /// At least this share of the coverable objects, at minimum cost.
    Coverage(f64),
    /// Maximum coverage for this number of pages.
    Pages(f64),
}

impl Goal {
    /// Creates a bound in the unit of this goal.
    pub(super) fn bound(self, value: f64) -> Bound {
        match self {
            Goal::Coverage(_) => Bound::Cost(value),
            Goal::Pages(_) => Bound::Covered(value),
        }
    }
}

/// A method to choose patterns.
pub trait Strategy {
    /// Returns the name used in reports.
    fn name(&self) -> &'static str;

    fn select(&self, candidates: &Candidates, goal: Goal) -> Selection;

    /// Updates a selection after a change of its candidates. Previous patterns stay where the
    /// strategy would choose them among the previous ones. Missing patterns are added, and
    /// redundant ones are dropped. So the selection changes as little as the web did.
    ///
    /// `previous` has the indexes of the previous patterns among the new candidates.
    fn renew(&self, candidates: &Candidates, previous: &[usize], goal: Goal) -> Selection;
}

/// Chosen patterns with their cost and coverage.
#[derive(Clone, Debug, PartialEq)]
pub struct Selection {
    /// Indexes of the chosen patterns in order of choice.
    pub patterns: Vec<usize>,
    /// Total cost of pages, hubs, and overheads; shared costs count once.
    pub cost: f64,
    /// Cost of their pages alone, as in the published methods.
    pub page_cost: f64,
    /// Number of covered objects; the expected number if objects are uncertain.
    pub covered: f64,
    /// Maximum of `covered` over all selections.
    pub coverable: f64,
    /// Bound that no selection can beat.
    pub bound: Bound,
    /// Coverage against cost from nothing to everything, beyond the goal.
    pub curve: Vec<Point>,
}

/// A bound for all selections with the same goal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// Minimum cost of a coverage goal.
    Cost(f64),
    /// Maximum coverage of a page budget.
    Covered(f64),
}

/// A point of the curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Number of chosen patterns.
    pub patterns: usize,
    pub cost: f64,
    pub covered: f64,
}

impl Selection {
    /// Returns the share of the coverable objects that is covered.
    pub fn coverage(&self) -> f64 {
        if self.coverable > 0.0 {
            self.covered / self.coverable
        } else {
            1.0
        }
    }

    /// Returns the distance from the bound, relative to the bound: 0.01 is 1%.
    pub fn gap(&self) -> f64 {
        let (value, bound) = match self.bound {
            Bound::Cost(bound) => (self.cost - bound, bound),
            Bound::Covered(bound) => (bound - self.covered, bound),
        };
        // A bound of nothing has no relative distance, and rounding can put a value slightly beyond
        // its bound.
        if bound > 0.0 {
            (value / bound).max(0.0)
        } else {
            0.0
        }
    }

    /// Computes the selection of these patterns if objects are certain.
    pub(super) fn of_certain(
        candidates: &Candidates,
        patterns: Vec<usize>,
        coverable: f64,
        bound: f64,
        curve: &[Point],
    ) -> Selection {
        let mut covered = BitSet::new(candidates.objects);
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
            curve: thin_out(curve),
        }
    }

    /// Computes the selection of these patterns.
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
            curve: thin_out(curve),
        }
    }
}

/// Thins a curve to evenly spread points, including the first and the last.
fn thin_out(curve: &[Point]) -> Vec<Point> {
    if curve.len() <= MAX_POINTS {
        return curve.to_vec();
    }
    let last = curve.len() - 1;
    (0..MAX_POINTS)
        .map(|index| curve[index * last / (MAX_POINTS - 1)])
        .collect()
}
