//! The strategy by all costs of a recrawl.

use super::bound::{Prices, Target};
use super::candidates::Candidates;
use super::certain::cover_share;
use super::covered::Covered;
use super::general::choose;
use super::greedy::{Greedy, Price, ROUNDING, full_price};
use super::reduce::Decision;
use super::renew::renew_selection;
use super::reverse::remove_redundant;
use super::selection::{Goal, Selection, Strategy};

/// Maximum number of pairs of pattern and object for which all variants are tried.
const MAX_PAIRS_FOR_ALL: usize = 500_000;

/// Share of the omissible objects that is covered before redundant patterns are removed. For a
/// budget, the share of it that is overspent.
const OVERSHOOT: f64 = 0.15;

/// Greedy choice by total cost, with shared costs weighed for groups, followed by removal of
/// redundant patterns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CostAware {
    /// Number of sites that every object should be covered by, if it has as many. More than one
    /// saves less and allows comparison of sites.
    pub sources: u32,
}

impl Default for CostAware {
    fn default() -> CostAware {
        CostAware { sources: 1 }
    }
}

impl Strategy for CostAware {
    fn name(&self) -> &'static str {
        "most new objects for all costs"
    }

    fn select(&self, candidates: &Candidates, goal: Goal) -> Selection {
        match goal {
            Goal::Coverage(share) if self.sources <= 1 && candidates.likely.is_empty() => {
                cover_share(candidates, share)
            }
            _ => choose(candidates, self.sources, goal),
        }
    }

    fn renew(&self, candidates: &Candidates, previous: &[usize], goal: Goal) -> Selection {
        renew_selection(candidates, previous, self.sources, goal)
    }
}

/// Returns the cheapest of three selections that reach the target, after removal of redundant
/// patterns: the greedy choice with objects valued by their prices, the plain greedy choice, and
/// the union of both. The last two are tried only if that is quick. All start with the decisions.
pub(super) fn cheapest_cover(
    candidates: &Candidates,
    prices: &Prices<'_>,
    sources: u32,
    target: f64,
    decided: &[Decision],
) -> Vec<usize> {
    let mut priced = Greedy::with_values(candidates, sources, Price::All, Some(prices.of_objects()));
    priced.decide(decided);
    // More than needed: removing the patterns with the highest cost per exclusive object decides
    // better than the choice what to omit.
    priced.until_reached(target + OVERSHOOT * (priced.covered.total() - target), 0.0);
    if priced.covered.covered() < target - ROUNDING {
        // Objects of price zero are wanted, too.
        priced.clear_values();
        priced.until_covered(target, 0.0);
    }
    let mut tried = vec![priced.order];
    // Beyond, time matters more than the last fraction of a percent.
    if candidates.pairs() <= MAX_PAIRS_FOR_ALL {
        let mut plain = Greedy::new(candidates, sources, Price::All);
        plain.decide(decided);
        plain.until_covered(target, 0.0);
        tried.push(plain.order);
        tried.push(tried.concat());
    }
    let cost = |chosen: &Vec<usize>| candidates.cost(chosen);
    let freed = tried
        .iter()
        .map(|chosen| remove_redundant(candidates, sources, chosen, Target::Covered(target)));
    let cheapest = freed.min_by(|one, other| cost(one).total_cmp(&cost(other)));
    cheapest.unwrap_or_default()
}

/// Returns the selection with the highest coverage for a budget, of three. The first is the plain
/// greedy choice. The second is the greedy choice by prices beyond the budget, reduced to the
/// budget and filled up again. The third is the single pattern with the largest coverage, filled
/// up.
pub(super) fn best_for_budget(
    candidates: &Candidates,
    prices: &Prices<'_>,
    sources: u32,
    budget: f64,
    decided: &[Decision],
) -> Vec<usize> {
    let mut plain = Greedy::new(candidates, sources, Price::All);
    plain.decide(decided);
    plain.until_paid(budget, 0.0);
    let mut priced = Greedy::with_values(candidates, sources, Price::All, Some(prices.of_objects()));
    priced.decide(decided);
    priced.until_spent(budget * (1.0 + OVERSHOOT));
    let freed = remove_redundant(candidates, sources, &priced.order, Target::Paid(budget));
    let filled = [
        fill_up(candidates, sources, &freed, budget),
        // A single large pattern may exceed all small ones.
        fill_up(candidates, sources, &largest(candidates, sources, budget), budget),
    ];
    let tried = filled.into_iter().chain([plain]);
    let richest = tried.max_by(|one, other| one.covered.covered().total_cmp(&other.covered.covered()));
    richest.map(|greedy| greedy.order).unwrap_or_default()
}

/// Extends a selection greedily within the budget.
fn fill_up<'a>(candidates: &'a Candidates, sources: u32, chosen: &[usize], budget: f64) -> Greedy<'a> {
    let mut greedy = Greedy::new(candidates, sources, Price::All);
    for pattern in chosen {
        greedy.take(*pattern);
    }
    greedy.until_paid(budget, 0.0);
    greedy
}

/// Returns the affordable pattern with the largest coverage, if any.
fn largest(candidates: &Candidates, sources: u32, budget: f64) -> Vec<usize> {
    let empty = Covered::new(candidates, sources);
    let affordable = (0..candidates.patterns())
        .filter(|pattern| full_price(candidates, *pattern, Price::All) <= budget + ROUNDING);
    let largest = affordable.max_by(|one, other| empty.gain(*one).total_cmp(&empty.gain(*other)));
    largest.into_iter().collect()
}
