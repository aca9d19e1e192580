//! Stops a plugin that fails on most pages of a run, so that a broken plugin costs seconds instead
//! of a night.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use crate::fault::Fault;

/// Number of recent calls to consider.
const WINDOW: usize = 50;

/// Minimum number of calls before a decision: the first pages of a site may all be unusual.
const MIN_CALLS: usize = 20;

/// Share of failures, in percent, at which the plugin is stopped.
const STOP_AT_PERCENT: usize = 80;

/// Circuit breaker of one plugin over a run.
#[derive(Debug, Default)]
pub struct Breaker {
    state: Mutex<Recent>,
}

#[derive(Debug, Default)]
struct Recent {
    failed: VecDeque<bool>,
    open: bool,
}

impl Breaker {
    /// Returns an error with the reason if the plugin has been stopped.
    pub fn check(&self) -> Result<(), Fault> {
        let recent = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if recent.open {
            Err(recent.stopped())
        } else {
            Ok(())
        }
    }

    /// Records the outcome of a call. Returns the reason if this call stopped the plugin.
    pub fn note(&self, failed: bool) -> Option<Fault> {
        let mut recent = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if recent.failed.len() == WINDOW {
            recent.failed.pop_front();
        }
        recent.failed.push_back(failed);
        let (failures, calls) = (recent.failures(), recent.failed.len());
        // Only the call that stops the plugin gets the reason, so it is reported once.
        if !recent.open && calls >= MIN_CALLS && failures * 100 >= calls * STOP_AT_PERCENT {
            recent.open = true;
            return Some(recent.stopped());
        }
        None
    }

    /// Resets the breaker, for a new run or a new version of the plugin.
    pub fn reset(&self) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = Recent::default();
    }
}

impl Recent {
    fn failures(&self) -> usize {
        self.failed.iter().filter(|failed| **failed).count()
    }

    fn stopped(&self) -> Fault {
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Fault::Stopped {
            failures: count(self.failures()),
            calls: count(self.failed.len()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(outcomes: impl IntoIterator<Item = bool>) -> Breaker {
        let breaker = Breaker::default();
        for failed in outcomes {
            breaker.note(failed);
        }
        breaker
    }

    #[test]
    fn a_plugin_that_fails_everywhere_is_stopped() {
        assert!(after([true; MIN_CALLS - 1]).check().is_ok());
        let stopped = after([true; MIN_CALLS]);
        assert_eq!(
            stopped.check(),
            Err(Fault::Stopped {
                failures: 20,
                calls: 20
            })
        );
        stopped.reset();
        assert!(stopped.check().is_ok());
    }

    #[test]
    fn a_plugin_that_fails_on_half_of_the_pages_continues() {
        assert!(after((0..500).map(|n| n % 2 == 0)).check().is_ok());
    }

    #[test]
    fn a_plugin_that_breaks_after_a_long_good_run_is_stopped() {
        assert!(after([false; 1000].into_iter().chain([true; 39])).check().is_ok());
        assert!(
            after([false; 1000].into_iter().chain([true; 40]))
                .check()
                .is_err()
        );
    }
}
