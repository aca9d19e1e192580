//! The time that operations take for the present.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A clock that can be set to another time than the machine's, for saved and simulated webs.
///
/// Clones share their setting.
#[derive(Clone, Debug, Default)]
pub struct Clock {
    /// Milliseconds between the machine's time and this clock's.
    offset: Arc<AtomicI64>,
}

impl Clock {
    /// Returns the time, in milliseconds since 1970.
    pub fn now(&self) -> i64 {
        machine_time().saturating_add(self.offset.load(Ordering::Relaxed))
    }

    /// Sets the time, in milliseconds since 1970. The clock goes on from there.
    pub fn set(&self, now: i64) {
        let offset = now.saturating_sub(machine_time());
        self.offset.store(offset, Ordering::Relaxed);
    }

    /// Moves the clock forward.
    pub fn advance(&self, time: Duration) {
        let time = i64::try_from(time.as_millis()).unwrap_or(i64::MAX);
        self.set(self.now().saturating_add(time));
    }
}

fn machine_time() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_share_the_time_that_was_set() {
        let clock = Clock::default();
        let other = clock.clone();
        clock.set(1_000_000);
        other.advance(Duration::from_secs(60));
        let now = clock.now();
        assert!((1_060_000..1_070_000).contains(&now), "{now}");
    }
}
