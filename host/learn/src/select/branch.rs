//! Covering a share of certain objects: reduce, find prices, choose; and try both fates of patterns that are large.
//!
//! Prices bound choices in parts too. Where a single pattern costs a good share of everything, half of it would be
//! just what the goal needs, and the bound is far below what can be had. Then the pattern is taken in one trial and
//! left in another, and the lower of their bounds holds. Patterns of a large web are small beside all of it, so
//! that nothing is tried there.

use super::bound::{Prices, Start, target};
use super::candidates::Candidates;
use super::covered::Covered;
use super::frugal::cheapest;
use super::greedy::ROUNDING;
use super::quick::{Sweep, sweep};
use super::reduce::{Decision, Reduction, Worth};
use super::selection::Selection;

/// How far the worth of an object may be from what the last one cost in a greedy choice, as a factor; then, if the worth
/// was at an end of this, how far from there.
const SPREADS: [f64; 3] = [1.4, 3.0, 10.0];

/// So near to the end of a range is at the end.
const AT_THE_END: f64 = 1.01;

/// A choice so near to its bound is good enough, as a share of the bound.
const GOOD_ENOUGH: f64 = 0.005;

/// A pattern is large when it costs this share of what lies between the choice and the bound.
const LARGE: f64 = 0.25;

/// Trials at most, and pairs of pattern and object in all of them together.
const MOST_TRIALS: usize = 32;
const MOST_PAIRS: usize = 1_000_000;

/// What was chosen and what cannot be beaten, with some patterns decided before.
struct Trial {
    decided: Vec<Decision>,
    chosen: Vec<usize>,
    cost: f64,
    bound: f64,
    /// The largest pattern for which there was a choice, with its own cost.
    largest: Option<(usize, f64)>,
}

/// Covers this share of certain objects.
pub(super) fn covering(candidates: &Candidates, share: f64) -> Selection {
    let total = candidates.coverable();
    let target = target(candidates, share, total);
    let sweep = sweep(candidates, target);
    let mut best = tried(candidates, target, total, &sweep);
    let mut trials = vec![best.with(Vec::new())];
    let most = MOST_TRIALS.min(MOST_PAIRS / candidates.pairs().max(1));
    for _ in 0..most / 2 {
        let Some(place) =
            (0..trials.len()).min_by(|one, other| trials[*one].bound.total_cmp(&trials[*other].bound))
        else {
            break;
        };
        let gap = best.cost - trials[place].bound;
        let Some((pattern, cost)) = trials[place].largest else {
            break;
        };
        if gap <= GOOD_ENOUGH * trials[place].bound || cost < LARGE * gap {
            break;
        }
        let parent = trials.swap_remove(place);
        for is_taken in [true, false] {
            let mut decided = parent.decided.clone();
            decided.push(Decision { pattern, is_taken });
            let Some(mut trial) = decided_trial(candidates, target, decided) else {
                continue;
            };
            trial.bound = trial.bound.max(parent.bound);
            if trial.cost < best.cost {
                best.chosen = std::mem::take(&mut trial.chosen);
                best.cost = trial.cost;
            }
            trials.push(trial);
        }
    }
    // Trials without any choice that covers the goal were dropped; a choice cannot beat itself.
    let bound = trials.iter().map(|trial| trial.bound).fold(best.cost, f64::min);
    Selection::of_certain(candidates, best.chosen, total, bound, &sweep.curve)
}

/// A trial with decisions; none when the goal cannot be reached with them.
fn decided_trial(candidates: &Candidates, target: f64, decided: Vec<Decision>) -> Option<Trial> {
    let base = Reduction::decided(candidates, Worth::ANY, &decided);
    let remains = &base.remains;
    let total = remains.coverable();
    let needed = (target - base.covered).max(0.0);
    if total < needed - ROUNDING {
        return None;
    }
    let trial = tried(remains, needed, total, &sweep(remains, needed));
    let number = |pattern: usize| base.patterns[pattern] as usize;
    let chosen = trial.chosen.iter().map(|pattern| number(*pattern));
    Some(Trial {
        chosen: base.taken.iter().copied().chain(chosen).collect(),
        cost: base.cost + trial.cost,
        bound: base.cost + trial.bound,
        largest: trial.largest.map(|(pattern, cost)| (number(pattern), cost)),
        decided,
    })
}

/// Decides what needs no choice, and chooses from the rest.
fn tried(candidates: &Candidates, target: f64, total: f64, sweep: &Sweep) -> Trial {
    let mut price = sweep.price;
    let mut best: Option<Trial> = None;
    for spread in SPREADS {
        let (trial, worth, limit) = tried_within(candidates, target, total, price, spread);
        let is_inside = worth.least * AT_THE_END < limit && limit * AT_THE_END < worth.most;
        let is_last = is_inside || worth == Worth::ALL || worth == Worth::ANY;
        best = Some(match best {
            Some(before) => before.and(trial),
            None => trial,
        });
        if is_last {
            break;
        }
        price = limit;
    }
    best.unwrap_or_else(|| Trial::of(Vec::new(), 0.0, 0.0, None))
}

/// The same for objects that are worth about so much; also says between what, and what they were worth.
fn tried_within(
    candidates: &Candidates,
    target: f64,
    total: f64,
    price: f64,
    spread: f64,
) -> (Trial, Worth, f64) {
    let (reduction, worth) = reduced(candidates, target, total, price, spread);
    let remains = &reduction.remains;
    let needed = (target - reduction.covered).max(0.0);
    let nothing = Covered::new(remains, 1);
    let prices = Prices::found_within(&nothing, needed, &Start::cheapest(remains, price), worth);
    let chosen = cheapest(remains, &prices, 1, needed);
    let cost = reduction.cost + remains.cost(&chosen);
    let number = |pattern: usize| reduction.patterns[pattern] as usize;
    let largest =
        (0..remains.patterns()).max_by(|one, other| remains.own[*one].total_cmp(&remains.own[*other]));
    let largest = largest.map(|pattern| (number(pattern), remains.own[pattern]));
    let chosen = reduction
        .taken
        .iter()
        .copied()
        .chain(chosen.into_iter().map(number))
        .collect();
    let trial = Trial::of(chosen, cost, reduction.cost + prices.bound(), largest);
    (trial, worth, prices.limit())
}

/// Reduces for a range of what an object may be worth in which the goal can be met.
fn reduced(candidates: &Candidates, target: f64, total: f64, price: f64, spread: f64) -> (Reduction, Worth) {
    let worth = match target >= total - ROUNDING {
        true => Worth::ALL,
        false => Worth::about(price, spread),
    };
    let reduction = Reduction::of(candidates, worth);
    if reduction.allows(target) {
        (reduction, worth)
    } else {
        (Reduction::of(candidates, Worth::ANY), Worth::ANY)
    }
}

impl Trial {
    fn of(chosen: Vec<usize>, cost: f64, bound: f64, largest: Option<(usize, f64)>) -> Trial {
        Trial {
            decided: Vec::new(),
            chosen,
            cost,
            bound,
            largest,
        }
    }

    /// The same figures for another choice.
    fn with(&self, chosen: Vec<usize>) -> Trial {
        Trial::of(chosen, self.cost, self.bound, self.largest)
    }

    /// The better choice and the better bound of two with the same decisions.
    fn and(self, other: Trial) -> Trial {
        let bound = self.bound.max(other.bound);
        let better = if other.cost < self.cost { other } else { self };
        Trial { bound, ..better }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::select::PatternSpec;

    #[test]
    fn a_pattern_that_is_most_of_all_does_not_spoil_the_bound() {
        // Nine of ten objects are wanted. One pattern has half of them, the others one each: half of the large one
        // would do, but there are no halves.
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
        let selection = covering(&builder.build(), 0.9);
        // The large one and forty others.
        assert_eq!(selection.cost, 1040.0);
        assert!(selection.gap() < 0.01, "{:?}", selection.bound);
    }
}
