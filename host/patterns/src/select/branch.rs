//! Branch and bound over patterns that prices leave undecided.
//!
//! Prices also bound fractional choices. If half of a pattern would be exactly enough, the bound is
//! below any real choice. Then the pattern is taken in one node and rejected in another, and the
//! lower of their bounds holds. With few patterns this continues until the choice meets its bound.

use super::reduce::Decision;

/// Relative distance from the bound at which a choice is good enough.
const GOOD_ENOUGH: f64 = 0.005;

/// Maximum number of nodes, and of visits to pairs by all nodes: some seconds.
const MAX_NODES: usize = 600;
const MAX_VISITS: usize = 1_500_000;

/// Nodes are made only if the rest of them could close this multiple of the gap, assuming that each
/// resolves the largest undecided pattern.
const MIN_PROSPECT: f64 = 8.0;

/// A choice and a bound, given some decisions. Lower values are better: a cost, or the negated
/// coverage.
#[derive(Clone, Debug, Default)]
pub(super) struct Node {
    pub(super) decided: Vec<Decision>,
    pub(super) chosen: Vec<usize>,
    pub(super) value: f64,
    pub(super) bound: f64,
    pub(super) undecided: Option<Undecided>,
}

/// A pattern that prices leave undecided.
#[derive(Clone, Copy, Debug)]
pub(super) struct Undecided {
    pub(super) pattern: usize,
    /// Maximum size of any pattern, in the unit of the node's value.
    pub(super) largest: f64,
}

/// Returns the best choice of all nodes, and the bound of all choices. `solve` solves a node with
/// decisions, or returns `None` if they make the goal unreachable. Each node takes `visits` visits
/// to pairs of pattern and object.
pub(super) fn branch_and_bound(
    root: Node,
    visits: usize,
    solve: impl Fn(&[Decision]) -> Option<Node>,
) -> (Vec<usize>, f64) {
    let mut best = (root.chosen.clone(), root.value);
    let mut open = vec![root];
    let max_nodes = MAX_NODES.min(MAX_VISITS / visits.max(1));
    for left in (0..max_nodes / 2).rev() {
        let Some(index) =
            (0..open.len()).min_by(|one, other| open[*one].bound.total_cmp(&open[*other].bound))
        else {
            break;
        };
        let gap = best.1 - open[index].bound;
        let Some(undecided) = open[index].undecided else {
            break;
        };
        // The patterns of a large web are small relative to it. A great number of nodes would
        // improve little, and none is made.
        let prospect = undecided.largest * (2 * left) as f64;
        if gap <= GOOD_ENOUGH * open[index].bound.abs() || prospect < MIN_PROSPECT * gap {
            break;
        }
        let parent = open.swap_remove(index);
        for is_taken in [true, false] {
            let mut decided = parent.decided.clone();
            let pattern = undecided.pattern;
            decided.push(Decision { pattern, is_taken });
            let Some(mut node) = solve(&decided) else {
                continue;
            };
            // A decision only restricts the choices, so the bound of the parent holds, too. The
            // prices of a node may be worse.
            node.bound = node.bound.max(parent.bound);
            if node.value < best.1 {
                best = (std::mem::take(&mut node.chosen), node.value);
            }
            if node.bound < best.1 {
                open.push(Node { decided, ..node });
            }
        }
    }
    // Unreachable nodes and nodes that cannot beat the best choice were dropped; a choice cannot
    // beat itself.
    let bound = open.iter().map(|node| node.bound).fold(best.1, f64::min);
    (best.0, bound)
}
