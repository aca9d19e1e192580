//! The pace at which a host is asked. A crawl shares it with the browser that shows its pages.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use magpie_model::{CanonicalUrl, HostKey};
use magpie_values::Timestamp;
use magpie_web::{Answer, FetchErrorKind, NextRequest, Throttle, ThrottleSettings, ThrottleState};

/// Hosts whose pace is kept. Above this number, unused hosts are forgotten.
const MAX_HOSTS: usize = 10_000;

/// The throttle of one host. Clones are of the same host.
#[derive(Clone, Debug)]
pub(crate) struct Pace(Arc<Mutex<Paced>>);

#[derive(Debug)]
struct Paced {
    throttle: Throttle,
    settings: ThrottleSettings,
    /// Requests of pages in a browser that wait for their turn or have it. The crawl lets them go
    /// first, since the page that makes them is limited in time.
    guests: u32,
}

impl Pace {
    pub(crate) fn new(settings: ThrottleSettings) -> Pace {
        Pace(Arc::new(Mutex::new(Paced {
            throttle: Throttle::new(settings.clone()),
            settings,
            guests: 0,
        })))
    }

    fn lock(&self) -> MutexGuard<'_, Paced> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes note of a request that a page in a browser wants to make.
    pub(crate) fn guest(&self) -> Guest {
        self.lock().guests += 1;
        Guest {
            pace: self.clone(),
            is_started: false,
        }
    }

    /// Returns `true` if pages in a browser make requests.
    pub(super) fn has_guests(&self) -> bool {
        self.lock().guests > 0
    }

    pub(crate) fn asked_elsewhere(&self, until: Timestamp) {
        self.lock().throttle.asked_elsewhere(until);
    }

    pub(crate) fn try_start(&self, now: Timestamp) -> Result<(), NextRequest> {
        self.lock().throttle.try_start(now)
    }

    pub(crate) fn next(&self, now: Timestamp) -> NextRequest {
        self.lock().throttle.next(now)
    }

    pub(crate) fn on_response(&self, answer: &Answer, now: Timestamp) {
        self.lock().throttle.on_response(answer, now);
    }

    pub(crate) fn on_error(&self, kind: FetchErrorKind) {
        self.lock().throttle.on_error(kind);
    }

    pub(crate) fn on_abandoned(&self) {
        self.lock().throttle.on_abandoned();
    }

    pub(crate) fn in_flight(&self) -> u32 {
        self.lock().throttle.in_flight()
    }

    pub(crate) fn set_crawl_delay(&self, delay: Option<Duration>) {
        self.lock().throttle.set_crawl_delay(delay);
    }

    pub(crate) fn state(&self) -> ThrottleState {
        self.lock().throttle.state()
    }

    pub(crate) fn delay(&self) -> Duration {
        self.lock().throttle.delay()
    }
}

/// A request that a page in a browser wants to make. A page may be given up at any moment, so the
/// request counts as abandoned unless its end is reported.
pub(crate) struct Guest {
    pace: Pace,
    is_started: bool,
}

impl Guest {
    /// Starts the request if the host may be asked now; otherwise returns when it may.
    pub(crate) fn try_start(&mut self, now: Timestamp) -> Result<(), NextRequest> {
        self.pace.try_start(now)?;
        self.is_started = true;
        Ok(())
    }

    pub(crate) fn on_response(mut self, answer: &Answer, now: Timestamp) {
        self.is_started = false;
        self.pace.on_response(answer, now);
    }

    pub(crate) fn on_error(mut self, kind: FetchErrorKind) {
        self.is_started = false;
        self.pace.on_error(kind);
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        let mut paced = self.pace.lock();
        paced.guests = paced.guests.saturating_sub(1);
        if self.is_started {
            paced.throttle.on_abandoned();
        }
    }
}

/// The paces of hosts. Clones have the same hosts.
#[derive(Clone, Debug, Default)]
pub struct Paces(Arc<Mutex<HashMap<HostKey, Pace>>>);

impl Paces {
    /// Returns the pace of a page's host.
    pub(crate) fn of(&self, url: &CanonicalUrl, settings: &ThrottleSettings) -> Pace {
        // After a change of settings it continues with what was learned of the host.
        let mut paces = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = HostKey::of(url);
        if let Some(pace) = paces.get(&key) {
            let mut paced = pace.lock();
            if paced.settings == *settings {
                drop(paced);
                return pace.clone();
            }
            // A throttle with requests in flight is kept, since their ends would be reported to the
            // new one.
            if paced.throttle.in_flight() == 0 {
                paced.throttle = Throttle::restore(settings.clone(), paced.throttle.state());
                paced.settings = settings.clone();
            }
            drop(paced);
            return pace.clone();
        }
        if paces.len() >= MAX_HOSTS {
            // A pace that others hold must stay the only one of its host, or the host would be
            // asked twice as fast.
            paces.retain(|_, pace| Arc::strong_count(&pace.0) > 1);
        }
        let pace = Pace::new(settings.clone());
        paces.insert(key, pace.clone());
        pace
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pace() -> Pace {
        Pace::new(ThrottleSettings {
            delay: Duration::from_secs(1),
            concurrency: 1,
            ..ThrottleSettings::default()
        })
    }

    #[test]
    fn a_guest_that_is_given_up_leaves_the_host_free() {
        let (pace, now) = (pace(), Timestamp::from_seconds(1_000));
        let mut guest = pace.guest();
        guest.try_start(now).expect("it may start");
        assert!(pace.has_guests() && pace.in_flight() == 1);
        drop(guest);
        assert!(!pace.has_guests() && pace.in_flight() == 0);
        // Its request was made all the same, and the next one keeps its distance.
        assert!(pace.try_start(now).is_err());
        assert!(pace.try_start(now + Duration::from_secs(1)).is_ok());
    }

    #[test]
    fn a_crawl_and_its_guests_share_one_clock() {
        let (paces, now) = (Paces::default(), Timestamp::from_seconds(1_000));
        let url = CanonicalUrl::trusted("https://example.org/a").expect("a URL");
        let other = CanonicalUrl::trusted("https://example.org/b?c=d").expect("a URL");
        let settings = ThrottleSettings {
            delay: Duration::from_secs(1),
            ..ThrottleSettings::default()
        };
        paces.of(&url, &settings).try_start(now).expect("it may start");
        let mut guest = paces.of(&other, &settings).guest();
        assert!(guest.try_start(now).is_err());
    }
}
