//! The delay after logins that failed.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::connections::network;

/// Logins that may fail without delay.
const FREE: u32 = 4;

/// The longest delay.
const MAX_DELAY: Duration = Duration::from_secs(60);

/// The time after which failures are forgotten.
const MEMORY: Duration = Duration::from_secs(15 * 60);

/// Names, and addresses, whose failures are remembered.
const MAX_REMEMBERED: usize = 4_096;

/// Failures by name and by address. An attempt counts as a failure until it has succeeded, so
/// that many at the same time are counted too.
#[derive(Default)]
pub(super) struct Throttle {
    names: Mutex<Failures<blake3::Hash>>,
    addresses: Mutex<Failures<IpAddr>>,
}

struct Failures<K>(HashMap<K, (u32, Instant)>);

impl<K> Default for Failures<K> {
    fn default() -> Failures<K> {
        Failures(HashMap::new())
    }
}

impl Throttle {
    /// Counts an attempt. Returns how long to wait, if it comes too early.
    pub(super) fn begin(&self, name: &str, address: IpAddr, now: Instant) -> Result<(), Duration> {
        let name = blake3::hash(name.as_bytes());
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        let mut addresses = self.addresses.lock().unwrap_or_else(PoisonError::into_inner);
        let address = network(address);
        let wait = names.wait(&name, now).max(addresses.wait(&address, now));
        if !wait.is_zero() {
            return Err(wait);
        }
        names.count(name, now);
        addresses.count(address, now);
        Ok(())
    }

    /// Takes back an attempt that has succeeded. The failures of its address stay, or whoever has
    /// an account could guess at others without delay.
    pub(super) fn succeed(&self, name: &str, address: IpAddr) {
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        names.0.remove(&blake3::hash(name.as_bytes()));
        let mut addresses = self.addresses.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((count, _)) = addresses.0.get_mut(&network(address)) {
            *count = count.saturating_sub(1);
        }
    }
}

impl<K: Copy + Eq + Hash> Failures<K> {
    fn wait(&self, key: &K, now: Instant) -> Duration {
        let Some((count, last)) = self.0.get(key) else {
            return Duration::ZERO;
        };
        let delay = match count.checked_sub(FREE) {
            None => return Duration::ZERO,
            Some(more) => Duration::from_secs(1 << more.min(6)).min(MAX_DELAY),
        };
        (*last + delay).saturating_duration_since(now)
    }

    fn count(&mut self, key: K, now: Instant) {
        self.0
            .retain(|_, (_, last)| now.saturating_duration_since(*last) < MEMORY);
        if self.0.len() >= MAX_REMEMBERED && !self.0.contains_key(&key) {
            let oldest = self.0.iter().min_by_key(|(_, (_, last))| *last);
            let oldest = oldest.map(|(key, _)| *key);
            oldest.map(|key| self.0.remove(&key));
        }
        let (count, last) = self.0.entry(key).or_insert((0, now));
        *count = count.saturating_add(1);
        *last = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_delay_their_name_and_their_address_alone() {
        let throttle = Throttle::default();
        let [own, other] = [1, 2].map(|last| IpAddr::from([10, 0, 0, last]));
        let mut now = Instant::now();
        for _ in 0..FREE {
            throttle.begin("ada", own, now).unwrap();
        }
        assert!(throttle.begin("ada", other, now).is_err(), "the same name");
        assert!(throttle.begin("eve", own, now).is_err(), "the same address");
        throttle.begin("eve", other, now).unwrap();
        for seconds in [1, 2, 4, 8, 16, 32, 60, 60] {
            let wait = throttle.begin("ada", own, now).unwrap_err();
            assert_eq!(wait, Duration::from_secs(seconds));
            now += wait;
            throttle.begin("ada", own, now).unwrap();
        }
        throttle.succeed("ada", own);
        throttle.begin("ada", other, now).unwrap();
        assert!(
            throttle.begin("eve", own, now).is_err(),
            "the address is still known"
        );
        throttle.begin("eve", own, now + MEMORY).unwrap();
    }

    #[test]
    fn memory_is_bounded() {
        let throttle = Throttle::default();
        let now = Instant::now();
        for number in 0..MAX_REMEMBERED as u32 + 100 {
            let address = IpAddr::from(number.to_be_bytes());
            throttle.begin(&number.to_string(), address, now).unwrap();
        }
        assert_eq!(throttle.names.lock().unwrap().0.len(), MAX_REMEMBERED);
        let of_one = ["2001:db8::1", "2001:db8::ffff:1"].map(|text| network(text.parse().unwrap()));
        assert_eq!(of_one[0], of_one[1]);
    }
}
