//! Monitoring of a pattern's yield and failures.

use serde::{Deserialize, Serialize};

use magpie_model::Alarm;

use super::cusum::Cusum;
use crate::pattern::Proportion;

/// Expected behaviour of a pattern, from when it was learned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Expected {
    /// Fetches with an object.
    pub yielding: Proportion,
    /// Failed fetches: not found, an error, an empty page.
    pub failing: Proportion,
}

/// Trade-off between the delay of an alarm and the rate of false alarms.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sensitivity {
    /// Minimum mean number of fetches of one pattern to a false alarm while nothing changes. Each
    /// of the two tests of a pattern takes half of the false alarms.
    pub fetches_to_false_alarm: f64,
    /// Share of its yield that a broken pattern has lost.
    pub lost_yield: f64,
    /// Failure rate of a broken pattern, where failures were rare.
    pub failures: f64,
}

/// A monitor of one pattern. It can be stored and resumed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PatternMonitor {
    yielding: Cusum,
    failing: Cusum,
    fetches: u32,
    failures: u32,
    yields: u32,
}

impl Default for Sensitivity {
    /// One false alarm in ten thousand fetches of a pattern costs relearning one folder. Half of
    /// the yield is more than seasonal variation, and a fifth of failures more than deleted pages.
    fn default() -> Sensitivity {
        Sensitivity {
            fetches_to_false_alarm: 10_000.0,
            lost_yield: 0.5,
            failures: 0.2,
        }
    }
}

impl PatternMonitor {
    /// Creates a monitor for changes from the expected behaviour.
    pub fn new(expected: Expected, sensitivity: Sensitivity) -> PatternMonitor {
        // Two tests run side by side, and each may raise half of the false alarms.
        let each = 2.0 * sensitivity.fetches_to_false_alarm;
        // The expectation is an estimate. Starting from the bound that is slower to alarm avoids
        // false alarms of patterns that were seen on few pages.
        let yielding = expected.yielding.interval().0;
        let failing = expected.failing.interval().1;
        // A change requires failures well above the usual rate.
        let broken = sensitivity.failures.max(2.0 * failing).min(0.95);
        PatternMonitor {
            yielding: Cusum::new(yielding, yielding * (1.0 - sensitivity.lost_yield), each),
            failing: Cusum::new(failing.min(broken), broken, each),
            fetches: 0,
            failures: 0,
            yields: 0,
        }
    }

    /// Returns a monitor for changes from what is expected by now. The evidence stays.
    pub fn expecting(&self, expected: Expected, sensitivity: Sensitivity) -> PatternMonitor {
        let new = PatternMonitor::new(expected, sensitivity);
        PatternMonitor {
            yielding: self.yielding.going_on_as(&new.yielding),
            failing: self.failing.going_on_as(&new.failing),
            ..*self
        }
    }

    /// Records the outcome of a fetch. Pages that were known to be unchanged are not informative
    /// and must not be recorded.
    pub fn fetched(&mut self, failed: bool, brought_object: bool) -> Option<Alarm> {
        self.fetches = self.fetches.saturating_add(1);
        self.failures = self.failures.saturating_add(u32::from(failed));
        self.yields = self.yields.saturating_add(u32::from(brought_object));
        self.failing.take(failed);
        self.yielding.take(brought_object);
        self.alarm()
    }

    /// Returns the current alarm.
    pub fn alarm(&self) -> Option<Alarm> {
        // Pages that fail yield nothing either, so failures are the cause.
        if self.failing.is_alarmed() {
            Some(Alarm::Failures)
        } else {
            self.yielding.is_alarmed().then_some(Alarm::Yield)
        }
    }

    /// Returns the strength of evidence for the nearest alarm, from 0 to 1.
    pub fn suspicion(&self) -> f64 {
        self.failing.suspicion().max(self.yielding.suspicion())
    }

    /// Estimated number of fetches since the trouble began.
    pub fn since(&self) -> u32 {
        self.failing.since().max(self.yielding.since())
    }

    /// Returns the numbers of fetches, of failures, and of fetches with an object.
    pub fn counts(&self) -> (u32, u32, u32) {
        (self.fetches, self.failures, self.yields)
    }
}
