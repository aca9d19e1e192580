//! Selection with uncertain objects, several sources, or a budget.
//!
//! The open patterns after some decisions are candidates of their own, with their unpaid costs and
//! their current gains. Gains only fall as others are chosen, so prices for current gains give a
//! valid bound.

use super::bound::{Prices, Start, Target};
use super::branch::{Node, branch_and_bound};
use super::candidates::Candidates;
use super::cost_aware::{best_for_budget, cheapest_cover};
use super::covered::Covered;
use super::greedy::{Greedy, Price, ROUNDING};
use super::reduce::{Decision, ValueRange};
use super::reverse::indispensable;
use super::selection::{Goal, Selection};

/// Factor by which solving a node is slower than with reduction.
const SLOWER: usize = 2;

struct Problem<'a> {
    candidates: &'a Candidates,
    sources: u32,
    target: Target,
    /// Estimated cost of the last object.
    price: f64,
}

/// Selects patterns for any goal.
pub(super) fn choose(candidates: &Candidates, sources: u32, goal: Goal) -> Selection {
    let mut whole = Greedy::new(candidates, sources, Price::All);
    whole.until_covered(f64::INFINITY, 0.0);
    let target = Target::of(goal, &whole);
    let problem = Problem {
        candidates,
        sources,
        target,
        price: f64::from(whole.price_at(target.is_reached())),
    };
    let root = problem.solve(&[]).unwrap_or_default();
    let visits = candidates.pairs() * SLOWER;
    let (chosen, bound) = branch_and_bound(root, visits, |decided| problem.solve(decided));
    Selection::of(candidates, sources, chosen, goal.bound(bound.abs()), &whole.curve)
}

impl Problem<'_> {
    /// Solves the node with these decisions; `None` if they make the goal unreachable.
    fn solve(&self, decided: &[Decision]) -> Option<Node> {
        let mut begun = Greedy::new(self.candidates, self.sources, Price::All);
        begun.decide(decided);
        match self.target {
            Target::Covered(target) => {
                // Patterns that every solution contains are taken first, which leaves less for
                // prices to decide.
                for pattern in indispensable(self.candidates, self.sources, &begun.not_rejected(), target) {
                    begun.take(pattern);
                }
            }
            Target::Paid(budget) => begun.reject_unaffordable(budget),
        }
        let (rest, demand) = begun.rest();
        let (paid, covered) = (begun.cost, begun.covered.covered());
        let start = |rest: &Candidates| Start::by_cheapest_pattern(rest, self.price);
        let prices = |target| Prices::found_for(&rest, &demand, target, &start(&rest), ValueRange::ANY);
        match self.target {
            Target::Covered(target) => {
                let more: f64 = demand.iter().map(|demand| f64::from(*demand)).sum();
                if covered + more < target - ROUNDING {
                    return None;
                }
                let prices = prices(Target::Covered((target - covered).max(0.0)));
                let chosen = cheapest_cover(self.candidates, &prices, self.sources, target, decided);
                Some(Node {
                    value: self.candidates.cost(&chosen),
                    bound: paid + prices.bound(),
                    chosen,
                    undecided: prices.undecided(),
                    decided: Vec::new(),
                })
            }
            Target::Paid(budget) => {
                if paid > budget + ROUNDING {
                    return None;
                }
                let prices = prices(Target::Paid(budget - paid));
                let chosen = best_for_budget(self.candidates, &prices, self.sources, budget, decided);
                Some(Node {
                    value: -self.covered(&chosen),
                    bound: -(covered + prices.bound()),
                    chosen,
                    undecided: prices.undecided(),
                    decided: Vec::new(),
                })
            }
        }
    }

    fn covered(&self, chosen: &[usize]) -> f64 {
        let mut covered = Covered::new(self.candidates, self.sources);
        for pattern in chosen {
            covered.add(*pattern);
        }
        covered.covered()
    }
}
