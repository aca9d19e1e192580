//! Our strategy: everything that a recrawl fetches counts.

use super::bound::Prices;
use super::candidates::Candidates;
use super::greedy::{Greedy, Price, ROUNDING, full_price};
use super::reverse::without_waste;
use super::selection::{Bound, Goal, Selection, Strategy};

/// Greedy by all costs together, what is shared weighed for those who share it, then freed of what others made
/// needless.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frugal {
    /// From how many sites every object is wanted, where it has so many: more than one saves less and lets sites
    /// be compared.
    pub sources: u32,
}

impl Default for Frugal {
    fn default() -> Frugal {
        Frugal { sources: 1 }
    }
}

impl Strategy for Frugal {
    fn name(&self) -> &'static str {
        "most new objects for all costs"
    }

    fn select(&self, candidates: &Candidates, goal: Goal) -> Selection {
        let mut greedy = Greedy::new(candidates, self.sources, Price::All);
        let chosen = match goal {
            Goal::Coverage(share) => {
                let target = share * greedy.covered.total();
                greedy.until_covered(target, 0.0);
                without_waste(candidates, self.sources, greedy.order.clone(), target)
            }
            Goal::Pages(budget) => {
                greedy.until_paid(budget, 0.0);
                better(candidates, self.sources, greedy.order.clone(), budget)
            }
        };
        // What was left for want of pages is what the curve goes on with.
        let mut whole = match goal {
            Goal::Coverage(_) => greedy,
            Goal::Pages(_) => Greedy::new(candidates, self.sources, Price::All),
        };
        whole.until_covered(f64::INFINITY, 0.0);
        let bound = goal.bound(Prices::found(&whole, goal).bound());
        Selection::of(candidates, self.sources, chosen, bound, &whole.curve)
    }
}

/// For a budget, greedy alone can be arbitrarily bad: one large pattern may be worth more than all small ones.
fn better(candidates: &Candidates, sources: u32, greedy: Vec<usize>, budget: f64) -> Vec<usize> {
    let none = Bound::Cost(0.0);
    let covered = |patterns: Vec<usize>| Selection::of(candidates, sources, patterns, none, &[]).covered;
    let empty = super::covered::Covered::new(candidates, sources);
    let single = (0..candidates.patterns())
        .filter(|pattern| full_price(candidates, *pattern, Price::All) <= budget + ROUNDING)
        .max_by(|one, other| empty.gain(*one).total_cmp(&empty.gain(*other)));
    match single {
        Some(single) if empty.gain(single) > covered(greedy.clone()) => vec![single],
        _ => greedy,
    }
}
