//! The published strategies, to be compared with.

use super::bound::Prices;
use super::candidates::Candidates;
use super::greedy::{Greedy, Price};
use super::reduce::Decision;
use super::selection::{Goal, Selection, Strategy};

/// Most new objects first, whatever the pages; stops when no pattern adds so many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountRule {
    /// The least number of new objects a pattern must add: 1 loses no object.
    pub least: u32,
}

/// Most new objects per page first, until so much is covered. It sees pages alone; hubs and overheads are paid
/// all the same and show in the selection's cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RatioRule;

impl Strategy for CountRule {
    fn name(&self) -> &'static str {
        "most new objects"
    }

    fn select(&self, candidates: &Candidates, goal: Goal) -> Selection {
        self.rule().choose(candidates, &[], goal)
    }

    fn renew(&self, candidates: &Candidates, standing: &[usize], goal: Goal) -> Selection {
        self.rule().choose(candidates, standing, goal)
    }
}

impl CountRule {
    fn rule(self) -> Rule {
        Rule {
            price: Price::Nothing,
            least_gain: f64::from(self.least),
        }
    }
}

impl Strategy for RatioRule {
    fn name(&self) -> &'static str {
        "most new objects per page"
    }

    fn select(&self, candidates: &Candidates, goal: Goal) -> Selection {
        RATIO.choose(candidates, &[], goal)
    }

    fn renew(&self, candidates: &Candidates, standing: &[usize], goal: Goal) -> Selection {
        RATIO.choose(candidates, standing, goal)
    }
}

const RATIO: Rule = Rule {
    price: Price::Pages,
    least_gain: 0.0,
};

/// The price by which patterns are ordered, and the least number of new objects of one.
#[derive(Clone, Copy)]
struct Rule {
    price: Price,
    least_gain: f64,
}

impl Rule {
    /// Chooses first among the standing patterns, then among all.
    fn choose(self, candidates: &Candidates, standing: &[usize], goal: Goal) -> Selection {
        let mut greedy = Greedy::new(candidates, 1, self.price);
        if !standing.is_empty() {
            for pattern in self.still_chosen(candidates, standing, goal) {
                greedy.take(pattern);
            }
        }
        self.reach(&mut greedy, goal);
        let chosen = greedy.order.clone();
        // What was left for want of pages is what the curve goes on with.
        if matches!(goal, Goal::Pages(_)) {
            greedy = Greedy::new(candidates, 1, self.price);
        }
        greedy.until_reached(f64::INFINITY, self.least_gain);
        let bound = goal.bound(Prices::found(&greedy, goal).bound());
        Selection::of(candidates, 1, chosen, bound, &greedy.curve)
    }

    /// Returns what the rule chooses if there are the standing patterns alone.
    fn still_chosen(self, candidates: &Candidates, standing: &[usize], goal: Goal) -> Vec<usize> {
        let mut stands = vec![false; candidates.patterns()];
        for pattern in standing {
            if let Some(stands) = stands.get_mut(*pattern) {
                *stands = true;
            }
        }
        let others = stands.iter().enumerate().filter(|(_, stands)| !**stands);
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
                // The publications weigh a pattern by all it adds, to the last one.
                let target = share * greedy.covered.total();
                greedy.until_reached(target, self.least_gain);
            }
            Goal::Pages(budget) => greedy.until_paid(budget, self.least_gain),
        }
    }
}
