//! Stops a plugin that fails on most pages of a run, so that a broken plugin costs seconds and not a night.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use crate::fault::Fault;

/// How many of the last calls are looked at.
const WINDOW: usize = 50;

/// With fewer calls than this nothing is decided: the first pages of a site may all be odd.
const LEAST: usize = 20;

/// The share of failures, in percent, at which the plugin is stopped.
const STOP_AT_PERCENT: usize = 80;

/// Watches one plugin over a run.
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
    /// Whether the plugin may be called; if not, the reason.
    pub fn check(&self) -> Result<(), Fault> {
        let recent = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if recent.open {
            Err(recent.stopped())
        } else {
            Ok(())
        }
    }

    /// Notes how a call ended. Returns the reason when this call stopped the plugin.
    pub fn note(&self, failed: bool) -> Option<Fault> {
        let mut recent = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if recent.failed.len() == WINDOW {
            recent.failed.pop_front();
        }
        recent.failed.push_back(failed);
        let (failures, calls) = (recent.failures(), recent.failed.len());
        if !recent.open && calls >= LEAST && failures * 100 >= calls * STOP_AT_PERCENT {
            recent.open = true;
            return Some(recent.stopped());
        }
        None
    }

    /// Gives the plugin another chance: a new run, or a new version of it.
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
        assert!(after([true; LEAST - 1]).check().is_ok());
        let stopped = after([true; LEAST]);
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
    fn a_plugin_that_fails_on_half_of_the_pages_goes_on() {
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
