//! Choosing where objects are uncertain, wanted from several sources, or a budget is given.
//!
//! What decisions leave is candidates of its own: the undecided patterns at the cost that is not paid yet, bringing
//! of every object what it would add now. What they add falls as others are chosen, so that prices for what they add
//! now bound what can be had.

use super::bound::{Prices, Start, Target};
use super::branch::{Trial, best_of_trials};
use super::candidates::Candidates;
use super::covered::Covered;
use super::frugal::{cheapest, richest};
use super::greedy::{Greedy, Price, ROUNDING};
use super::reduce::{Decision, Worth};
use super::reverse::needed;
use super::selection::{Goal, Selection};

/// So much longer a trial takes than one in which candidates are reduced first.
const SLOWER: usize = 2;

/// What is to be chosen from, and what for.
struct Problem<'a> {
    candidates: &'a Candidates,
    sources: u32,
    target: Target,
    /// About what the last object costs.
    price: f64,
}

/// Chooses for any goal.
pub(super) fn choosing(candidates: &Candidates, sources: u32, goal: Goal) -> Selection {
    let mut whole = Greedy::new(candidates, sources, Price::All);
    whole.until_covered(f64::INFINITY, 0.0);
    let target = Target::of(goal, &whole);
    let problem = Problem {
        candidates,
        sources,
        target,
        price: f64::from(whole.price_at(target.is_reached_by())),
    };
    let root = problem.trial(&[]).unwrap_or_default();
    let looks = candidates.pairs() * SLOWER;
    let (chosen, bound) = best_of_trials(root, looks, |decided| problem.trial(decided));
    Selection::of(candidates, sources, chosen, goal.bound(bound.abs()), &whole.curve)
}

impl Problem<'_> {
    /// A trial with decisions; none when the goal cannot be reached with them.
    fn trial(&self, decided: &[Decision]) -> Option<Trial> {
        let mut begun = Greedy::new(self.candidates, self.sources, Price::All);
        begun.decide(decided);
        match self.target {
            Target::Covered(target) => {
                for pattern in needed(self.candidates, self.sources, &begun.not_left(), target) {
                    begun.take(pattern);
                }
            }
            Target::Paid(budget) => begun.leave_what_costs_more(budget),
        }
        let (rest, demand) = begun.rest();
        let (paid, covered) = (begun.cost, begun.covered.covered());
        let start = |rest: &Candidates| Start::cheapest(rest, self.price);
        let prices = |target| Prices::found_for(&rest, &demand, target, &start(&rest), Worth::ANY);
        match self.target {
            Target::Covered(target) => {
                let more: f64 = demand.iter().map(|demand| f64::from(*demand)).sum();
                if covered + more < target - ROUNDING {
                    return None;
                }
                let prices = prices(Target::Covered((target - covered).max(0.0)));
                let chosen = cheapest(self.candidates, &prices, self.sources, target, decided);
                Some(Trial {
                    value: self.candidates.cost(&chosen),
                    bound: paid + prices.bound(),
                    chosen,
                    doubt: prices.doubt(),
                    decided: Vec::new(),
                })
            }
            Target::Paid(budget) => {
                if paid > budget + ROUNDING {
                    return None;
                }
                let prices = prices(Target::Paid(budget - paid));
                let chosen = richest(self.candidates, &prices, self.sources, budget, decided);
                Some(Trial {
                    value: -self.covered(&chosen),
                    bound: -(covered + prices.bound()),
                    chosen,
                    doubt: prices.doubt(),
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
