//! Our strategy: everything that a recrawl fetches counts.

use super::bound::{Prices, Target};
use super::candidates::Candidates;
use super::certain::covering;
use super::covered::Covered;
use super::general::choosing;
use super::greedy::{Greedy, Price, ROUNDING, full_price};
use super::reduce::Decision;
use super::renew::renewed;
use super::reverse::without_waste;
use super::selection::{Goal, Selection, Strategy};

/// Pairs of pattern and object up to which all ways to choose are tried. Beyond, time matters more than the last share
/// of a percent.
const MOST_FOR_ALL: usize = 500_000;

/// The share of what may be left out that is chosen nevertheless, before what is needless is dropped: to drop the dearest
/// for what they alone bring finds out better than to choose what is best left out. For a budget, the share of it that is
/// spent beyond.
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
            _ => choosing(candidates, self.sources, goal),
        }
    }

    fn renew(&self, candidates: &Candidates, standing: &[usize], goal: Goal) -> Selection {
        renewed(candidates, standing, self.sources, goal)
    }
}

/// The cheapest of three that cover so much, all freed of what the goal does not need: what greedy choice takes when
/// objects count for their prices, and, where that is quick, what it takes by itself, and both together. They begin
/// with what is decided.
pub(super) fn cheapest(
    candidates: &Candidates,
    prices: &Prices<'_>,
    sources: u32,
    target: f64,
    decided: &[Decision],
) -> Vec<usize> {
    let mut priced = Greedy::with_worth(candidates, sources, Price::All, Some(prices.of_objects()));
    priced.decide(decided);
    priced.until_reached(target + BEYOND * (priced.covered.total() - target), 0.0);
    if priced.covered.covered() < target - ROUNDING {
        // What is worth nothing by its price is still wanted.
        priced.forget_worth();
        priced.until_covered(target, 0.0);
    }
    let mut tried = vec![priced.order];
    if candidates.pairs() <= MOST_FOR_ALL {
        let mut plain = Greedy::new(candidates, sources, Price::All);
        plain.decide(decided);
        plain.until_covered(target, 0.0);
        tried.push(plain.order);
        tried.push(tried.concat());
    }
    let cost = |chosen: &Vec<usize>| candidates.cost(chosen);
    let freed = tried
        .iter()
        .map(|chosen| without_waste(candidates, sources, chosen, Target::Covered(target)));
    let cheapest = freed.min_by(|one, other| cost(one).total_cmp(&cost(other)));
    cheapest.unwrap_or_default()
}

/// What brings most for a budget, of three: greedy choice; what it takes beyond the budget when objects count for their
/// prices, freed of the dearest and filled up again; and the one pattern that brings most, for one may be worth
/// more than all small ones.
pub(super) fn richest(
    candidates: &Candidates,
    prices: &Prices<'_>,
    sources: u32,
    budget: f64,
    decided: &[Decision],
) -> Vec<usize> {
    let mut plain = Greedy::new(candidates, sources, Price::All);
    plain.decide(decided);
    plain.until_paid(budget, 0.0);
    let mut priced = Greedy::with_worth(candidates, sources, Price::All, Some(prices.of_objects()));
    priced.decide(decided);
    priced.until_spent(budget * (1.0 + BEYOND));
    let freed = without_waste(candidates, sources, &priced.order, Target::Paid(budget));
    let filled = [
        filled(candidates, sources, &freed, budget),
        filled(candidates, sources, &largest(candidates, sources, budget), budget),
    ];
    let tried = filled.into_iter().chain([plain]);
    let richest = tried.max_by(|one, other| one.covered.covered().total_cmp(&other.covered.covered()));
    richest.map(|greedy| greedy.order).unwrap_or_default()
}

/// These, and what greedy choice adds to them for the rest of the budget.
fn filled<'a>(candidates: &'a Candidates, sources: u32, chosen: &[usize], budget: f64) -> Greedy<'a> {
    let mut greedy = Greedy::new(candidates, sources, Price::All);
    for pattern in chosen {
        greedy.take(*pattern);
    }
    greedy.until_paid(budget, 0.0);
    greedy
}

/// The pattern that brings most for the budget, if there is any.
fn largest(candidates: &Candidates, sources: u32, budget: f64) -> Vec<usize> {
    let empty = Covered::new(candidates, sources);
    let affordable = (0..candidates.patterns())
        .filter(|pattern| full_price(candidates, *pattern, Price::All) <= budget + ROUNDING);
    let largest = affordable.max_by(|one, other| empty.gain(*one).total_cmp(&empty.gain(*other)));
    largest.into_iter().collect()
}
