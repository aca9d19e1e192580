//! The owner's view of the time that is left of a lease.

use std::time::Duration;

/// Counts a lease on the clock of its owner.
///
/// Times are durations of a monotonic clock. The lease begins when the request for it is sent,
/// before the server counts it. So it ends for the worker before it ends on the server, however
/// long the answer takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeaseClock {
    sent_at: Duration,
    length: Duration,
    /// No request is sent in this time before the end.
    reserve: Duration,
    /// After a lease that was not given back: no host is asked before. Its last owner may have
    /// asked just now.
    quiet_until: Duration,
}

impl LeaseClock {
    /// A lease that was requested at a time, and has to be `quiet` after the answer at `now`.
    pub fn claimed(
        sent_at: Duration,
        now: Duration,
        quiet: Duration,
        length: Duration,
        reserve: Duration,
    ) -> LeaseClock {
        LeaseClock {
            sent_at,
            length,
            reserve,
            quiet_until: now + quiet,
        }
    }

    /// The server renewed the lease by a request that was sent at a time.
    pub fn renewed(&mut self, sent_at: Duration) {
        // An older answer may come later.
        self.sent_at = self.sent_at.max(sent_at);
    }

    /// Returns true if a host may be asked now.
    pub fn may_ask(&self, now: Duration) -> bool {
        now >= self.quiet_until && now + self.reserve < self.end()
    }

    /// Returns true if the lease may have ended. What was made under it is refused, or will be.
    pub fn is_over(&self, now: Duration) -> bool {
        now >= self.end()
    }

    /// The time before which no host is asked.
    pub fn quiet_until(&self) -> Duration {
        self.quiet_until
    }

    fn end(&self) -> Duration {
        self.sent_at + self.length
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lease_is_counted_from_before_its_request() {
        let s = Duration::from_secs;
        let mut lease = LeaseClock::claimed(s(100), s(104), s(5), s(30), s(5));
        assert!(!lease.may_ask(s(108)) && lease.may_ask(s(109)));
        assert!(lease.may_ask(s(124)) && !lease.may_ask(s(125)));
        assert!(!lease.is_over(s(129)) && lease.is_over(s(130)));
        lease.renewed(s(110));
        lease.renewed(s(105));
        assert!(lease.may_ask(s(134)) && !lease.may_ask(s(135)));
        assert!(!lease.is_over(s(139)) && lease.is_over(s(140)));
    }
}
