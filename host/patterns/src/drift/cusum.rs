//! A sequential test for a changed proportion: CUSUM of log-likelihood ratios.

use serde::{Deserialize, Serialize};

/// Minimum distance of proportions from 0 and 1, where one outcome would prove everything.
const MIN_SHARE: f64 = 1e-4;

/// Monitors binary outcomes for a change of their proportion from one value to another.
///
/// It sums the log-likelihood ratios of the outcomes after and before the change, and restarts at
/// zero when the sum is negative. Without a change, the mean number of outcomes to a false alarm is
/// at least the exponential of the threshold (Lorden 1971). So the threshold follows from the
/// desired false-alarm rate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cusum {
    /// Added for a positive outcome.
    yes: f64,
    /// Added for a negative outcome.
    no: f64,
    threshold: f64,
    sum: f64,
    /// Number of outcomes since the sum was last zero: about when the change began.
    since: u32,
}

impl Cusum {
    /// Creates a test for a change of the proportion from `before` to `after`, with on average at
    /// most one false alarm in `outcomes_to_false_alarm` outcomes.
    pub fn new(before: f64, after: f64, outcomes_to_false_alarm: f64) -> Cusum {
        let keep = |share: f64| share.clamp(MIN_SHARE, 1.0 - MIN_SHARE);
        let (before, after) = (keep(before), keep(after));
        Cusum {
            yes: (after / before).ln(),
            no: ((1.0 - after) / (1.0 - before)).ln(),
            threshold: outcomes_to_false_alarm.max(1.0).ln(),
            sum: 0.0,
            since: 0,
        }
    }

    /// Returns a test for another change with the evidence of this one.
    pub(crate) fn going_on_as(&self, other: &Cusum) -> Cusum {
        Cusum {
            sum: self.sum,
            since: self.since,
            ..*other
        }
    }

    /// Adds an outcome. Returns true if the change is proven.
    pub fn take(&mut self, yes: bool) -> bool {
        self.sum += if yes { self.yes } else { self.no };
        // Evidence for the usual proportion is not saved up, or a long good time would delay the
        // alarm.
        if self.sum <= 0.0 {
            self.sum = 0.0;
            self.since = 0;
        } else {
            self.since = self.since.saturating_add(1);
        }
        self.is_alarmed()
    }

    /// Returns true if the change is proven.
    pub fn is_alarmed(&self) -> bool {
        self.threshold > 0.0 && self.sum >= self.threshold
    }

    /// Estimated number of outcomes since the change began.
    pub(crate) fn since(&self) -> u32 {
        self.since
    }

    /// Returns the strength of evidence relative to the threshold, from 0 to 1.
    pub(crate) fn suspicion(&self) -> f64 {
        if self.threshold > 0.0 {
            (self.sum / self.threshold).min(1.0)
        } else {
            0.0
        }
    }
}
