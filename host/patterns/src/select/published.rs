//! The published strategies, which serve as baselines.

use super::bound::Prices;
use super::candidates::Candidates;
use super::greedy::{Greedy, Price};
use super::reduce::Decision;
use super::selection::{Goal, Selection, Strategy};

/// Chooses the most new objects first, regardless of pages. Stops when no pattern adds enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GreedyByCount {
    /// Minimum number of new objects of a pattern; 1 loses no object.
    pub least: u32,
}

/// Chooses the most new objects per page first, until enough is covered. It considers pages alone;
/// hubs and overheads are still part of the selection's cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GreedyByRatio;

impl Strategy for GreedyByCount {
    fn name(&self) -> &'static str {
        "most new objects"
    }

    fn select(&self, candidates: &Candidates, goal: Goal) -> Selection {
        self.rule().choose(candidates, &[], goal)
    }

    fn renew(&self, candidates: &Candidates, previous: &[usize], goal: Goal) -> Selection {
        self.rule().choose(candidates, previous, goal)
    }
}

impl GreedyByCount {
    fn rule(self) -> Rule {
        Rule {
            price: Price::Nothing,
            min_gain: f64::from(self.least),
        }
    }
}

impl Strategy for GreedyByRatio {
    fn name(&self) -> &'static str {
        "most new objects per page"
    }

    fn select(&self, candidates: &Candidates, goal: Goal) -> Selection {
        RATIO.choose(candidates, &[], goal)
    }

    fn renew(&self, candidates: &Candidates, previous: &[usize], goal: Goal) -> Selection {
        RATIO.choose(candidates, previous, goal)
    }
}

const RATIO: Rule = Rule {
    price: Price::Pages,
    min_gain: 0.0,
};

/// The price that patterns are ordered by, and the minimum number of new objects.
#[derive(Clone, Copy)]
struct Rule {
    price: Price,
    min_gain: f64,
}

impl Rule {
    /// Chooses among the previous patterns first, then among all.
    fn choose(self, candidates: &Candidates, previous: &[usize], goal: Goal) -> Selection {
        let mut greedy = Greedy::new(candidates, 1, self.price);
        if !previous.is_empty() {
            // The rule is applied to the previous patterns alone first: one that it would not
            // choose again is dropped.
            for pattern in self.still_chosen(candidates, previous, goal) {
                greedy.take(pattern);
            }
        }
        self.reach(&mut greedy, goal);
        let chosen = greedy.order.clone();
        // The curve continues with patterns that exceeded the budget.
        if matches!(goal, Goal::Pages(_)) {
            greedy = Greedy::new(candidates, 1, self.price);
        }
        greedy.until_reached(f64::INFINITY, self.min_gain);
        let bound = goal.bound(Prices::found(&greedy, goal).bound());
        Selection::of(candidates, 1, chosen, bound, &greedy.curve)
    }

    /// Returns the patterns that the rule chooses from the previous ones alone.
    fn still_chosen(self, candidates: &Candidates, previous: &[usize], goal: Goal) -> Vec<usize> {
        let mut is_previous = vec![false; candidates.patterns()];
        for pattern in previous {
            if let Some(is_previous) = is_previous.get_mut(*pattern) {
                *is_previous = true;
            }
        }
        let others = is_previous
            .iter()
            .enumerate()
            .filter(|(_, is_previous)| !**is_previous);
        let left: Vec<Decision> = others
            .map(|(pattern, _)| Decision {
                pattern,
                is_taken: false,
            })
            .collect();
        let mut greedy = Greedy::new(candidates, 1, self.price);
        greedy.decide(&left);
        self.reach(&mut greedy, goal);
        greedy.order
    }

    fn reach(self, greedy: &mut Greedy<'_>, goal: Goal) {
        match goal {
            Goal::Coverage(share) => {
                // The publications rank a pattern by all that it adds, even if less is needed.
                let target = share * greedy.covered.total();
                greedy.until_reached(target, self.min_gain);
            }
            Goal::Pages(budget) => greedy.until_paid(budget, self.min_gain),
        }
    }
}
