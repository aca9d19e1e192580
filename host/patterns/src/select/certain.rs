//! Covering a share of certain objects: reduce, find prices, choose.

use super::bound::{Prices, Start, Target, target};
use super::branch::{Doubt, Trial, best_of_trials};
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

/// Covers this share of certain objects.
pub(super) fn covering(candidates: &Candidates, share: f64) -> Selection {
    let total = candidates.coverable();
    let target = target(candidates, share, total);
    let sweep = sweep(candidates, target);
    let root = tried(candidates, target, total, &sweep);
    let (chosen, bound) = best_of_trials(root, candidates.pairs(), |decided| {
        decided_trial(candidates, target, decided)
    });
    Selection::of_certain(candidates, chosen, total, bound, &sweep.curve)
}

/// A trial with decisions; none when the goal cannot be reached with them.
fn decided_trial(candidates: &Candidates, target: f64, decided: &[Decision]) -> Option<Trial> {
    let base = Reduction::decided(candidates, Worth::ANY, decided);
    let remains = &base.remains;
    let total = remains.coverable();
    let needed = (target - base.covered).max(0.0);
    if total < needed - ROUNDING {
        return None;
    }
    let trial = tried(remains, needed, total, &sweep(remains, needed));
    Some(trial.within(base.taken, base.cost, &base.patterns))
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
    best.unwrap_or_default()
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
    let start = Start::cheapest(remains, price);
    let prices = Prices::found_for(remains, nothing.demand(), Target::Covered(needed), &start, worth);
    let chosen = cheapest(remains, &prices, 1, needed, &[]);
    let trial = Trial {
        value: remains.cost(&chosen),
        bound: prices.bound(),
        chosen,
        doubt: prices.doubt(),
        decided: Vec::new(),
    };
    let limit = prices.limit();
    let trial = trial.within(reduction.taken, reduction.cost, &reduction.patterns);
    (trial, worth, limit)
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
    /// A trial of what remained when these had been taken for so much, as one of all. `patterns` are the numbers that the
    /// remaining ones have among all.
    fn within(self, mut taken: Vec<usize>, cost: f64, patterns: &[u32]) -> Trial {
        let number = |pattern: usize| patterns[pattern] as usize;
        taken.extend(self.chosen.into_iter().map(number));
        Trial {
            decided: self.decided,
            chosen: taken,
            value: cost + self.value,
            bound: cost + self.bound,
            doubt: self.doubt.map(|doubt| Doubt {
                pattern: number(doubt.pattern),
                ..doubt
            }),
        }
    }

    /// The better choice and the better bound of two with the same decisions.
    fn and(self, other: Trial) -> Trial {
        let bound = self.bound.max(other.bound);
        let better = if other.value < self.value { other } else { self };
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
