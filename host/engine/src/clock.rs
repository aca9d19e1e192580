//! The time that operations take for the present.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime};

use magpie_values::Timestamp;

/// A clock that can be set to another time than the machine's, for saved and simulated webs.
///
/// Clones share their setting.
#[derive(Clone, Debug, Default)]
pub struct Clock {
    /// Milliseconds between the machine's time and this clock's.
    offset: Arc<AtomicI64>,
}

impl Clock {
    /// Returns the time of this clock.
    pub fn now(&self) -> Timestamp {
        let offset = self.offset.load(Ordering::Relaxed);
        Timestamp::from_millis(machine_time().as_millis().saturating_add(offset))
    }

    /// Sets the time. The clock continues from there.
    pub fn set(&self, now: Timestamp) {
        let offset = now.as_millis().saturating_sub(machine_time().as_millis());
        self.offset.store(offset, Ordering::Relaxed);
    }

    /// Moves the clock forward.
    pub fn advance(&self, time: Duration) {
        self.set(self.now() + time);
    }
}

fn machine_time() -> Timestamp {
    SystemTime::now().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_share_the_time_that_was_set() {
        let clock = Clock::default();
        let other = clock.clone();
        let start = Timestamp::from_seconds(1_000);
        clock.set(start);
        other.advance(Duration::from_secs(60));
        let passed = clock.now().since(start);
        assert!((60..70).contains(&passed.as_secs()), "{passed:?}");
    }
}
