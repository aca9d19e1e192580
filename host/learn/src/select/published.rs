//! The published strategies, to be compared with.

use super::bound::Prices;
use super::candidates::Candidates;
use super::greedy::{Greedy, Price};
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
        choose(candidates, goal, Price::Nothing, f64::from(self.least))
    }
}

impl Strategy for RatioRule {
    fn name(&self) -> &'static str {
        "most new objects per page"
    }

    fn select(&self, candidates: &Candidates, goal: Goal) -> Selection {
        choose(candidates, goal, Price::Pages, 0.0)
    }
}

fn choose(candidates: &Candidates, goal: Goal, price: Price, least_gain: f64) -> Selection {
    let mut greedy = Greedy::new(candidates, 1, price);
    match goal {
        Goal::Coverage(share) => {
            // The publications weigh a pattern by all it adds, to the last one.
            let target = share * greedy.covered.total();
            greedy.until_reached(target, least_gain);
        }
        Goal::Pages(budget) => greedy.until_paid(budget, least_gain),
    }
    let chosen = greedy.order.clone();
    // What was left for want of pages is what the curve goes on with.
    if matches!(goal, Goal::Pages(_)) {
        greedy = Greedy::new(candidates, 1, price);
    }
    greedy.until_reached(f64::INFINITY, least_gain);
    let bound = goal.bound(Prices::found(&greedy, goal).bound());
    Selection::of(candidates, 1, chosen, bound, &greedy.curve)
}
