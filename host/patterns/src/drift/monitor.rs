//! What a pattern's pages bring, and how often they fail.

use serde::{Deserialize, Serialize};

use magpie_model::Alarm;

use super::cusum::Cusum;
use crate::pattern::Proportion;

/// What a pattern did when it was learned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Expected {
    /// Fetches that brought an object.
    pub yielding: Proportion,
    /// Fetches that failed: not found, an error, an empty page.
    pub failing: Proportion,
}

/// How soon alarms are wanted, and how many false ones are borne.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sensitivity {
    /// Fetches of one pattern to a false alarm, on average and at the least, while nothing changes. Each of the two
    /// tests of a pattern takes half of the false alarms.
    pub fetches_to_false_alarm: f64,
    /// The part of its yield that a pattern loses before it is called broken.
    pub lost_yield: f64,
    /// The share of failures that is called broken, where failures were rare.
    pub failures: f64,
}

/// Watches one pattern. It can be stored and goes on where it stood.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PatternMonitor {
    yielding: Cusum,
    failing: Cusum,
    fetches: u32,
    failures: u32,
    yields: u32,
}

impl Default for Sensitivity {
    /// A false alarm in ten thousand fetches of a pattern costs one folder learned again. Half of the yield is more
    /// than seasons take, and a fifth of failures more than deleted pages make.
    fn default() -> Sensitivity {
        Sensitivity {
            fetches_to_false_alarm: 10_000.0,
            lost_yield: 0.5,
            failures: 0.2,
        }
    }
}

impl PatternMonitor {
    /// Watches for a change from what was expected. The expectation is an estimate, so the test starts from the end
    /// of its interval that is slower to alarm: a pattern seen on few pages is not held to what they happened to do.
    pub fn new(expected: Expected, sensitivity: Sensitivity) -> PatternMonitor {
        let each = 2.0 * sensitivity.fetches_to_false_alarm;
        let yielding = expected.yielding.interval().0;
        let failing = expected.failing.interval().1;
        // A change must be one: failures well above those that were usual.
        let broken = sensitivity.failures.max(2.0 * failing).min(0.95);
        PatternMonitor {
            yielding: Cusum::new(yielding, yielding * (1.0 - sensitivity.lost_yield), each),
            failing: Cusum::new(failing.min(broken), broken, each),
            fetches: 0,
            failures: 0,
            yields: 0,
        }
    }

    /// Takes the outcome of a fetch: whether it failed, and whether it brought an object. Pages that were known to
    /// be unchanged say nothing and are not handed in.
    pub fn fetched(&mut self, failed: bool, brought_object: bool) -> Option<Alarm> {
        self.fetches = self.fetches.saturating_add(1);
        self.failures = self.failures.saturating_add(u32::from(failed));
        self.yields = self.yields.saturating_add(u32::from(brought_object));
        self.failing.take(failed);
        self.yielding.take(brought_object);
        self.alarm()
    }

    /// The alarm that stands, failures before yield: what fails yields nothing either.
    pub fn alarm(&self) -> Option<Alarm> {
        if self.failing.is_alarmed() {
            Some(Alarm::Failures)
        } else {
            self.yielding.is_alarmed().then_some(Alarm::Yield)
        }
    }

    /// How near the nearest alarm is, from 0 to 1.
    pub fn suspicion(&self) -> f64 {
        self.failing.suspicion().max(self.yielding.suspicion())
    }

    /// How many fetches ago the trouble began, as far as can be told.
    pub fn since(&self) -> u32 {
        self.failing.since().max(self.yielding.since())
    }

    /// Fetches, failures among them, and fetches that brought an object, since the monitor began.
    pub fn counts(&self) -> (u32, u32, u32) {
        (self.fetches, self.failures, self.yields)
    }
}
