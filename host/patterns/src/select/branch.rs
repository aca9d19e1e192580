//! Trying both fates of patterns for which prices do not decide.
//!
//! Prices bound choices in parts too. Where half of a pattern would be just what the goal needs, the bound is below
//! what can be had. Then the pattern is taken in one trial and left in another, and the lower of their bounds holds.
//! Where patterns are few that goes on until the choice is as good as its bound. Patterns of a large web are small
//! beside all of it, so that many trials would do little, and none is made.

use super::reduce::Decision;

/// A choice so near to its bound is good enough, as a share of the bound.
const GOOD_ENOUGH: f64 = 0.005;

/// Trials at most, and what they may look at altogether: some seconds.
const MOST_TRIALS: usize = 600;
const MOST_LOOKS: usize = 1_500_000;

/// Trials are made as long as those that are left, were the largest pattern in doubt in each, come to so many times what
/// lies between the choice and its bound.
const HOPE: f64 = 8.0;

/// What was chosen and what cannot be beaten, with some patterns decided before. The less the better: a cost, or below
/// nothing by what is covered.
#[derive(Clone, Debug, Default)]
pub(super) struct Trial {
    pub(super) decided: Vec<Decision>,
    pub(super) chosen: Vec<usize>,
    pub(super) value: f64,
    pub(super) bound: f64,
    pub(super) doubt: Option<Doubt>,
}

/// A pattern for which prices do not decide.
#[derive(Clone, Copy, Debug)]
pub(super) struct Doubt {
    pub(super) pattern: usize,
    /// The most that depends on any pattern, in what the trial is measured by.
    pub(super) largest: f64,
}

/// The best choice of all trials and the bound of all choices. `trial` makes one with such decisions; none when the goal
/// cannot be reached with them. Each costs so many looks at pairs of pattern and object.
pub(super) fn best_of_trials(
    root: Trial,
    looks: usize,
    trial: impl Fn(&[Decision]) -> Option<Trial>,
) -> (Vec<usize>, f64) {
    let mut best = (root.chosen.clone(), root.value);
    let mut open = vec![root];
    let most = MOST_TRIALS.min(MOST_LOOKS / looks.max(1));
    for left in (0..most / 2).rev() {
        let Some(place) =
            (0..open.len()).min_by(|one, other| open[*one].bound.total_cmp(&open[*other].bound))
        else {
            break;
        };
        let gap = best.1 - open[place].bound;
        let Some(doubt) = open[place].doubt else {
            break;
        };
        let hope = doubt.largest * (2 * left) as f64;
        if gap <= GOOD_ENOUGH * open[place].bound.abs() || hope < HOPE * gap {
            break;
        }
        let parent = open.swap_remove(place);
        for is_taken in [true, false] {
            let mut decided = parent.decided.clone();
            let pattern = doubt.pattern;
            decided.push(Decision { pattern, is_taken });
            let Some(mut trial) = trial(&decided) else {
                continue;
            };
            trial.bound = trial.bound.max(parent.bound);
            if trial.value < best.1 {
                best = (std::mem::take(&mut trial.chosen), trial.value);
            }
            if trial.bound < best.1 {
                open.push(Trial { decided, ..trial });
            }
        }
    }
    // Trials that reach no goal, and those that cannot beat the choice, were dropped; a choice cannot beat itself.
    let bound = open.iter().map(|trial| trial.bound).fold(best.1, f64::min);
    (best.0, bound)
}
