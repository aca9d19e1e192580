//! Update of a selection without starting over.

use std::collections::BTreeSet;

use super::bound::{Prices, Target, target};
use super::candidates::Candidates;
use super::greedy::{Greedy, Price, full_price};
use super::reverse::remove_redundant;
use super::selection::{Goal, Selection};

/// Updates a selection by total cost. For a page budget, previous patterns are kept while they fit,
/// those with the most objects per cost first.
pub(super) fn renew_selection(
    candidates: &Candidates,
    previous: &[usize],
    sources: u32,
    goal: Goal,
) -> Selection {
    let previous: BTreeSet<usize> = previous
        .iter()
        .copied()
        .filter(|pattern| *pattern < candidates.patterns())
        .collect();
    let mut greedy = Greedy::new(candidates, sources, Price::All);
    let chosen = match goal {
        Goal::Coverage(share) => {
            let target = target(candidates, share, greedy.covered.total());
            for pattern in &previous {
                // A pattern without objects is not kept.
                if greedy.covered.gain(*pattern) > 0.0 {
                    greedy.take(*pattern);
                }
            }
            greedy.until_covered(target, 0.0);
            remove_redundant(candidates, sources, &greedy.order, Target::Covered(target))
        }
        Goal::Pages(budget) => {
            let rate = |pattern: &usize| {
                let cost = full_price(candidates, *pattern, Price::All);
                greedy.covered.gain(*pattern) / cost.max(1.0)
            };
            let mut rated: Vec<(f64, usize)> =
                previous.iter().map(|pattern| (rate(pattern), *pattern)).collect();
            rated.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
            for (_, pattern) in rated {
                if greedy.fits(pattern, budget) {
                    greedy.take(pattern);
                }
            }
            greedy.until_paid(budget, 0.0);
            greedy.order.clone()
        }
    };
    // The curve continues with patterns that exceeded the budget.
    if matches!(goal, Goal::Pages(_)) {
        greedy = Greedy::new(candidates, sources, Price::All);
    }
    greedy.until_covered(f64::INFINITY, 0.0);
    let bound = goal.bound(Prices::found(&greedy, goal).bound());
    Selection::of(candidates, sources, chosen, bound, &greedy.curve)
}
