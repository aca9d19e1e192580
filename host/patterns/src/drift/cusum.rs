//! A sequential test for a share that changed: CUSUM of log-likelihood ratios.

use serde::{Deserialize, Serialize};

/// Shares are kept this far from 0 and 1, where one outcome would prove everything.
const LEAST_SHARE: f64 = 1e-4;

/// Watches yes-or-no outcomes for a change of their share from one value to another.
///
/// It sums how much likelier each outcome is after the change than before, and starts again at nothing when the
/// sum falls below it. While nothing changes, the mean number of outcomes to a false alarm is at least the
/// exponential of the threshold (Lorden 1971), so the threshold follows from the rate that is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cusum {
    /// Added for a yes.
    yes: f64,
    /// Added for a no.
    no: f64,
    threshold: f64,
    sum: f64,
    /// Outcomes since the sum was last nothing: about when the change began.
    since: u32,
}

impl Cusum {
    /// A test for the share of yes going from `before` to `after`, with at most one false alarm in so many
    /// outcomes on average.
    pub fn new(before: f64, after: f64, outcomes_to_false_alarm: f64) -> Cusum {
        let keep = |share: f64| share.clamp(LEAST_SHARE, 1.0 - LEAST_SHARE);
        let (before, after) = (keep(before), keep(after));
        Cusum {
            yes: (after / before).ln(),
            no: ((1.0 - after) / (1.0 - before)).ln(),
            threshold: outcomes_to_false_alarm.max(1.0).ln(),
            sum: 0.0,
            since: 0,
        }
    }

    /// Takes an outcome, and says whether the change is proven.
    pub fn take(&mut self, yes: bool) -> bool {
        self.sum += if yes { self.yes } else { self.no };
        if self.sum <= 0.0 {
            self.sum = 0.0;
            self.since = 0;
        } else {
            self.since = self.since.saturating_add(1);
        }
        self.is_alarmed()
    }

    /// Whether the change is proven.
    pub fn is_alarmed(&self) -> bool {
        self.threshold > 0.0 && self.sum >= self.threshold
    }

    /// How many outcomes ago the change began, as far as can be told.
    pub fn since(&self) -> u32 {
        self.since
    }

    /// How much of the proof there is, from 0 to 1.
    pub fn suspicion(&self) -> f64 {
        if self.threshold > 0.0 {
            (self.sum / self.threshold).min(1.0)
        } else {
            0.0
        }
    }

    /// Starts again, as after a repair.
    pub fn reset(&mut self) {
        self.sum = 0.0;
        self.since = 0;
    }
}
