//! Selection of a share of certain objects: reduction, prices, choice.

use super::bound::{Prices, Start, Target, target};
use super::branch::{Node, Undecided, branch_and_bound};
use super::candidates::Candidates;
use super::cost_aware::cheapest_cover;
use super::covered::Covered;
use super::greedy::ROUNDING;
use super::reduce::{Decision, Reduction, ValueRange};
use super::selection::Selection;
use super::sweep::{Sweep, sweep};

/// Factors by which the value of an object may differ from the cost of the last one in a greedy
/// choice. If the value is at an end of this range, the next factor applies around that end.
const SPREAD_FACTORS: [f64; 3] = [1.4, 3.0, 10.0];

/// Factor within which a value is at the end of its range.
const END_MARGIN: f64 = 1.01;

/// Selects patterns that cover a share of certain objects.
pub(super) fn cover_share(candidates: &Candidates, share: f64) -> Selection {
    let total = candidates.coverable();
    let target = target(candidates, share, total);
    let sweep = sweep(candidates, target);
    let root = solve(candidates, target, total, &sweep);
    let (chosen, bound) = branch_and_bound(root, candidates.pairs(), |decided| {
        solve_with(candidates, target, decided)
    });
    Selection::of_certain(candidates, chosen, total, bound, &sweep.curve)
}

/// Solves the node with these decisions; `None` if they make the goal unreachable.
fn solve_with(candidates: &Candidates, target: f64, decided: &[Decision]) -> Option<Node> {
    let base = Reduction::decided(candidates, ValueRange::ANY, decided);
    let remaining = &base.remaining;
    let total = remaining.coverable();
    let needed = (target - base.covered).max(0.0);
    if total < needed - ROUNDING {
        return None;
    }
    let node = solve(remaining, needed, total, &sweep(remaining, needed));
    Some(node.embed(base.taken, base.cost, &base.patterns))
}

/// Reduces the candidates, and chooses from the rest.
fn solve(candidates: &Candidates, target: f64, total: f64, sweep: &Sweep) -> Node {
    let mut price = sweep.price;
    let mut best: Option<Node> = None;
    for spread in SPREAD_FACTORS {
        let (node, range, limit) = solve_in_range(candidates, target, total, price, spread);
        // The value of the last object is not known before. At an end of the range it may lie
        // beyond, so the next range is placed around that end.
        let is_inside = range.min * END_MARGIN < limit && limit * END_MARGIN < range.max;
        let is_last = is_inside || range == ValueRange::ALL || range == ValueRange::ANY;
        best = Some(match best {
            Some(before) => before.combine(node),
            None => node,
        });
        if is_last {
            break;
        }
        price = limit;
    }
    best.unwrap_or_default()
}

/// Does this for values around `price`. Also returns the range used, and the value found.
fn solve_in_range(
    candidates: &Candidates,
    target: f64,
    total: f64,
    price: f64,
    spread: f64,
) -> (Node, ValueRange, f64) {
    let (reduction, range) = reduce_in_range(candidates, target, total, price, spread);
    let remaining = &reduction.remaining;
    let needed = (target - reduction.covered).max(0.0);
    let nothing = Covered::new(remaining, 1);
    let start = Start::by_cheapest_pattern(remaining, price);
    let prices = Prices::found_for(
        remaining,
        nothing.demand(),
        Target::Covered(needed),
        &start,
        range,
    );
    let chosen = cheapest_cover(remaining, &prices, 1, needed, &[]);
    let node = Node {
        value: remaining.cost(&chosen),
        bound: prices.bound(),
        chosen,
        undecided: prices.undecided(),
        decided: Vec::new(),
    };
    let limit = prices.limit();
    let node = node.embed(reduction.taken, reduction.cost, &reduction.patterns);
    (node, range, limit)
}

/// Reduces the candidates for a range of values in which the goal can be reached.
fn reduce_in_range(
    candidates: &Candidates,
    target: f64,
    total: f64,
    price: f64,
    spread: f64,
) -> (Reduction, ValueRange) {
    let range = match target >= total - ROUNDING {
        true => ValueRange::ALL,
        false => ValueRange::about(price, spread),
    };
    let reduction = Reduction::of(candidates, range);
    if reduction.can_reach(target) {
        (reduction, range)
    } else {
        (Reduction::of(candidates, ValueRange::ANY), ValueRange::ANY)
    }
}

impl Node {
    /// Converts a node of remaining candidates to one of all, after patterns were taken at a cost.
    /// `patterns` has the original indexes.
    fn embed(self, mut taken: Vec<usize>, cost: f64, patterns: &[u32]) -> Node {
        let number = |pattern: usize| patterns[pattern] as usize;
        taken.extend(self.chosen.into_iter().map(number));
        Node {
            decided: self.decided,
            chosen: taken,
            value: cost + self.value,
            bound: cost + self.bound,
            undecided: self.undecided.map(|undecided| Undecided {
                pattern: number(undecided.pattern),
                ..undecided
            }),
        }
    }

    /// Combines the better choice and the better bound of two nodes with the same decisions.
    fn combine(self, other: Node) -> Node {
        let bound = self.bound.max(other.bound);
        let better = if other.value < self.value { other } else { self };
        Node { bound, ..better }
    }
}
#[cfg(test)]
mod tests {
    use super::*;
    use crate::select::PatternSpec;

    #[test]
    fn a_dominant_pattern_does_not_weaken_the_bound() {
        // Nine of ten objects are wanted. One pattern has half of them, the others have one each.
        // Half of the large pattern would be enough, but a pattern is indivisible.
        let mut builder = Candidates::builder(100);
        let site = builder.site(0.0);
        let large: Vec<u32> = (0..50).collect();
        let mut add = |own_pages: f64, objects: &[u32]| {
            let spec = PatternSpec {
                site,
                own_pages,
                objects,
                ..PatternSpec::default()
            };
            builder.pattern(spec).unwrap()
        };
        add(1000.0, &large);
        for object in 50..100 {
            add(1.0, &[object]);
        }
        let selection = cover_share(&builder.build(), 0.9);
        // The large pattern and forty others.
        assert_eq!(selection.cost, 1040.0);
        assert!(selection.gap() < 0.01, "{:?}", selection.bound);
    }
}
