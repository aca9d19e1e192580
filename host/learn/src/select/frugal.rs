//! Our strategy: everything that a recrawl fetches counts.

use super::bound::Prices;
use super::branch::covering;
use super::candidates::Candidates;
use super::covered::Covered;
use super::greedy::{Greedy, Price, ROUNDING, full_price};
use super::reverse::without_waste;
use super::selection::{Bound, Goal, Selection, Strategy};

/// Pairs of pattern and object up to which all choices are tried for full coverage. Beyond, time matters more than the last share of
/// a percent.
const MOST_FOR_ALL: usize = 500_000;

/// The share of what may be left out that is chosen nevertheless, before what is needless is dropped: to drop the dearest
/// for what they alone bring finds out better than to choose what is best left out.
const BEYOND: f64 = 0.15;

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
        match goal {
            Goal::Coverage(share) if self.sources <= 1 && candidates.likely.is_empty() => {
                covering(candidates, share)
            }
            _ => self.whole(candidates, goal),
        }
    }
}

impl Frugal {
    /// Selects from all candidates at once.
    fn whole(self, candidates: &Candidates, goal: Goal) -> Selection {
        let mut whole = Greedy::new(candidates, self.sources, Price::All);
        whole.until_covered(f64::INFINITY, 0.0);
        let prices = Prices::found(&whole, goal);
        let chosen = match goal {
            Goal::Coverage(share) => {
                cheapest(candidates, &prices, self.sources, share * whole.covered.total())
            }
            Goal::Pages(budget) => {
                let mut greedy = Greedy::new(candidates, self.sources, Price::All);
                greedy.until_paid(budget, 0.0);
                better(candidates, self.sources, greedy.order.clone(), budget)
            }
        };
        let bound = goal.bound(prices.bound());
        Selection::of(candidates, self.sources, chosen, bound, &whole.curve)
    }
}

/// The cheapest of three that cover so much, all freed of what the goal does not need: what greedy choice takes when
/// objects count for their prices, and, where that is quick, what it takes by itself, and both together.
pub(super) fn cheapest(
    candidates: &Candidates,
    prices: &Prices<'_>,
    sources: u32,
    target: f64,
) -> Vec<usize> {
    let mut priced = Greedy::with_worth(candidates, sources, Price::All, Some(prices.of_objects()));
    priced.until_reached(target + BEYOND * (priced.covered.total() - target), 0.0);
    if priced.covered.covered() < target - ROUNDING {
        // What is worth nothing by its price is still wanted.
        priced.forget_worth();
        priced.until_covered(target, 0.0);
    }
    let mut tried = vec![priced.order];
    if candidates.pairs() <= MOST_FOR_ALL {
        let mut plain = Greedy::new(candidates, sources, Price::All);
        plain.until_covered(target, 0.0);
        tried.push(plain.order);
        tried.push(tried.concat());
    }
    let cost = |chosen: &Vec<usize>| candidates.cost(chosen);
    let freed = tried
        .iter()
        .map(|chosen| without_waste(candidates, sources, chosen, target));
    let cheapest = freed.min_by(|one, other| cost(one).total_cmp(&cost(other)));
    cheapest.unwrap_or_default()
}

/// For a budget, greedy alone can be arbitrarily bad: one large pattern may be worth more than all small ones.
fn better(candidates: &Candidates, sources: u32, greedy: Vec<usize>, budget: f64) -> Vec<usize> {
    let none = Bound::Cost(0.0);
    let covered = |patterns: Vec<usize>| Selection::of(candidates, sources, patterns, none, &[]).covered;
    let empty = Covered::new(candidates, sources);
    let single = (0..candidates.patterns())
        .filter(|pattern| full_price(candidates, *pattern, Price::All) <= budget + ROUNDING)
        .max_by(|one, other| empty.gain(*one).total_cmp(&empty.gain(*other)));
    match single {
        Some(single) if empty.gain(single) > covered(greedy.clone()) => vec![single],
        _ => greedy,
    }
}
