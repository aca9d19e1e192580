//! When a failed request may be tried again.

use std::time::{Duration, SystemTime};

use crate::parse_http_date;

/// Parses the wait in `Retry-After` (RFC 9110, 10.2.3): seconds, or a date, which gives zero once
/// it is past.
pub fn retry_after(value: &str, now: SystemTime) -> Option<Duration> {
    let value = value.trim();
    if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
        // More digits than a number has: the server means never.
        return Some(Duration::from_secs(value.parse().unwrap_or(u64::MAX)));
    }
    let date = parse_http_date(value)?;
    Some(date.duration_since(now).unwrap_or_default())
}

/// The distribution of retries over time.
#[derive(Clone, Debug, PartialEq)]
pub struct BackoffSettings {
    /// Before the first retry.
    pub first: Duration,
    /// By how much each wait is longer than the one before.
    pub factor: f64,
    /// No wait is longer, unless the server asks for it.
    pub longest: Duration,
    pub retries: u32,
}

impl BackoffSettings {
    /// A dropped connection or a restarting server process is over by then.
    const FIRST: Duration = Duration::from_secs(2);
    /// 2, 8 and 32 s: three retries outlast the restart of a machine's web server.
    const FACTOR: f64 = 4.0;
    /// Waiting longer holds a URL back without telling anything new about the server.
    const LONGEST: Duration = Duration::from_secs(300);
    /// A page that failed four times is broken, and the next crawl asks again.
    const RETRIES: u32 = 3;
}

impl Default for BackoffSettings {
    fn default() -> BackoffSettings {
        BackoffSettings {
            first: BackoffSettings::FIRST,
            factor: BackoffSettings::FACTOR,
            longest: BackoffSettings::LONGEST,
            retries: BackoffSettings::RETRIES,
        }
    }
}

/// The waits of one URL. The same seed gives the same waits.
#[derive(Clone, Debug, PartialEq)]
pub struct Backoff {
    settings: BackoffSettings,
    seed: u64,
}

impl Backoff {
    /// The waits for a URL; its fingerprint is a good seed.
    pub fn new(settings: BackoffSettings, seed: u64) -> Backoff {
        Backoff { settings, seed }
    }

    /// Returns the wait after a number of failures (from 1), or `None` after the last retry. It is
    /// never shorter than the server asks.
    pub fn wait(&self, failures: u32, retry_after: Option<Duration>) -> Option<Duration> {
        if failures > self.settings.retries {
            return None;
        }
        let exponent = failures.saturating_sub(1).min(64);
        let due = self.settings.first.as_secs_f64() * self.settings.factor.powf(f64::from(exponent));
        let due = due.clamp(0.0, self.settings.longest.as_secs_f64());
        let mut random = fastrand::Rng::with_seed(self.seed ^ u64::from(failures).rotate_left(32));
        // Random in the upper half, so that URLs that failed together are not retried together.
        let wait = Duration::from_secs_f64(due * (0.5 + random.f64() / 2.0));
        Some(wait.max(retry_after.unwrap_or_default()))
    }
}

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use super::*;

    fn check(value: &str, seconds: Option<u64>) {
        let now = UNIX_EPOCH + Duration::from_secs(784_111_777);
        assert_eq!(
            retry_after(value, now),
            seconds.map(Duration::from_secs),
            "{value}"
        );
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        check("120", Some(120));
        check(" 0 ", Some(0));
        check("Sun, 06 Nov 1994 08:51:37 GMT", Some(120));
        check("Sun, 06 Nov 1994 08:00:00 GMT", Some(0));
        check("99999999999999999999999999", Some(u64::MAX));
        for value in ["", "-1", "1.5", "+3", "soon"] {
            check(value, None);
        }
    }

    #[test]
    fn waits_grow_within_their_half() {
        let backoff = Backoff::new(BackoffSettings::default(), 7);
        for (failures, due) in [(1, 2.0), (2, 8.0), (3, 32.0)] {
            let wait = backoff.wait(failures, None).unwrap().as_secs_f64();
            assert!((due / 2.0..=due).contains(&wait), "{failures}: {wait}");
        }
        assert_eq!(backoff.wait(4, None), None);
        assert_eq!(
            backoff.wait(2, None),
            Backoff::new(BackoffSettings::default(), 7).wait(2, None)
        );
        assert_ne!(
            backoff.wait(2, None),
            Backoff::new(BackoffSettings::default(), 8).wait(2, None)
        );
    }

    #[test]
    fn the_longest_wait_gives_way_only_to_the_server() {
        let settings = BackoffSettings {
            longest: Duration::from_secs(10),
            retries: u32::MAX,
            ..BackoffSettings::default()
        };
        let backoff = Backoff::new(settings, 1);
        assert!(backoff.wait(u32::MAX, None).unwrap() <= Duration::from_secs(10));
        assert_eq!(
            backoff.wait(1, Some(Duration::from_secs(3600))),
            Some(Duration::from_secs(3600))
        );
    }
}
