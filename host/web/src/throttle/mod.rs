//! The politeness of one host: when it may be asked again, and why then.
//!
//! Nothing here reads a clock: moments are passed in, so that a run can be replayed and tests are
//! exact. A clock that is set back is detected and never makes a host wait for hours.

mod reason;
mod settings;

pub use reason::{NextRequest, WaitReason};
pub use settings::ThrottleSettings;

use std::time::Duration;

use crate::FetchErrorKind;
use magpie_values::Timestamp;
use reason::Pushback;

/// Factor of the delay after each good answer. Seven good answers halve it, while one failure
/// doubles it, so that a struggling host is not overloaded again at once.
const RECOVERY: f64 = 0.9;

/// Minimum delay after a failure, in milliseconds. Without it a doubled delay of zero would stay
/// zero.
const FIRST_PUSHBACK: f64 = 1000.0;

/// When a host may be asked, how often, and by how many requests at a time.
#[derive(Clone, Debug)]
pub struct Throttle {
    settings: ThrottleSettings,
    /// The delay that robots.txt asks for.
    crawl_delay: Option<Duration>,
    in_flight: u32,
    state: ThrottleState,
    /// Reason why the delay was raised last, until it is down again.
    pushback: Option<Pushback>,
}

/// The state that is kept over a restart. Requests that were in flight are not part of it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ThrottleState {
    /// When the last request began.
    pub last_start: Option<Timestamp>,
    /// The host asked to be left alone until then.
    pub not_before: Option<Timestamp>,
    /// The delay that was learned, in milliseconds; the settings and robots.txt may ask for more.
    pub learned_delay: f64,
    /// Failures in a row.
    pub failures: u32,
}

/// The part of a response that a throttle needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// From the request to the head of the response.
    pub latency: Duration,
    pub status: u16,
    pub retry_after: Option<Duration>,
}

impl Throttle {
    /// A host that was never asked.
    pub fn new(settings: ThrottleSettings) -> Throttle {
        Throttle::restore(settings, ThrottleState::default())
    }

    /// A host as it was left.
    pub fn restore(settings: ThrottleSettings, state: ThrottleState) -> Throttle {
        // The state comes from a database, which could hold any number.
        let learned_delay = if state.learned_delay.is_finite() {
            state.learned_delay
        } else {
            0.0
        };
        let mut throttle = Throttle {
            settings,
            crawl_delay: None,
            in_flight: 0,
            state,
            pushback: None,
        };
        throttle.learn(learned_delay);
        throttle
    }

    /// Returns the state to keep over a restart.
    pub fn state(&self) -> ThrottleState {
        self.state
    }

    /// Sets what robots.txt asks for. The settings cap it.
    pub fn set_crawl_delay(&mut self, delay: Option<Duration>) {
        self.crawl_delay = delay;
    }

    /// Takes note that another process may have asked the host until a moment.
    pub fn asked_elsewhere(&mut self, until: Timestamp) {
        self.state.last_start = self.state.last_start.max(Some(until));
    }

    /// The time between the starts of two requests.
    pub fn delay(&self) -> Duration {
        self.delay_and_reason().0
    }

    pub fn in_flight(&self) -> u32 {
        self.in_flight
    }

    /// Failures in a row: statuses that ask for less, timeouts and broken connections.
    pub fn failures(&self) -> u32 {
        self.state.failures
    }

    /// When the host may be asked next, and why then.
    pub fn next(&self, now: Timestamp) -> NextRequest {
        if self.in_flight >= self.settings.concurrency.max(1) {
            return NextRequest {
                at: None,
                reason: WaitReason::Busy {
                    in_flight: self.in_flight,
                },
            };
        }
        let (delay, reason) = self.delay_and_reason();
        let delay = round_up(delay);
        // A start in the future is due to a clock that was set back.
        let by_delay = self.state.last_start.map_or(now, |start| start.min(now) + delay);
        let latest = now + round_up(self.settings.longest_pause);
        // A pause that ends later than the longest allowed was set before the clock went back.
        let allowed = |until: &Timestamp| *until <= latest;
        let by_request = self.state.not_before.filter(allowed).unwrap_or(now);
        let (at, reason) = if by_request > by_delay.max(now) {
            (by_request, WaitReason::AskedToWait)
        } else if by_delay > now {
            (by_delay, reason)
        } else {
            (now, WaitReason::Ready)
        };
        NextRequest { at: Some(at), reason }
    }

    /// Starts a request if the host may be asked now; otherwise returns when it may. Each start is
    /// followed by one [`Throttle::on_response`], [`Throttle::on_error`] or
    /// [`Throttle::on_abandoned`].
    pub fn try_start(&mut self, now: Timestamp) -> Result<(), NextRequest> {
        let next = self.next(now);
        if next.at.is_none_or(|at| at > now) {
            return Err(next);
        }
        self.in_flight += 1;
        self.state.last_start = Some(now);
        Ok(())
    }

    pub fn on_response(&mut self, answer: &Answer, now: Timestamp) {
        self.in_flight = self.in_flight.saturating_sub(1);
        if let Some(wait) = answer.retry_after.filter(|_| asks_for_less(answer.status)) {
            let until = now + round_up(wait.min(self.settings.longest_pause));
            self.state.not_before = Some(self.state.not_before.map_or(until, |before| before.max(until)));
        }
        if asks_for_less(answer.status) {
            self.push_back(Pushback::Status(answer.status));
            return;
        }
        self.state.failures = 0;
        // An error page is often faster than a page, and is no measure of the load of the host.
        self.follow_latency(answer.latency, answer.status < 400);
    }

    /// Records a failed request. Only failures that may come from overload slow the host down: a
    /// wrong certificate or a refused address does not.
    pub fn on_error(&mut self, kind: FetchErrorKind) {
        self.in_flight = self.in_flight.saturating_sub(1);
        if let Some(pushback) = Pushback::of(kind) {
            self.push_back(pushback);
        }
    }

    /// Records that a started request was not sent after all, or that its answer is not wanted any
    /// more.
    pub fn on_abandoned(&mut self) {
        self.in_flight = self.in_flight.saturating_sub(1);
    }

    fn push_back(&mut self, pushback: Pushback) {
        self.state.failures = self.state.failures.saturating_add(1);
        self.pushback = Some(pushback);
        if self.settings.adaptive {
            let current = self.delay().as_secs_f64() * 1000.0;
            // Doubled from the delay that is kept now, which may be that of robots.txt: a failure
            // must always slow the host down.
            self.learn((current * 2.0).max(FIRST_PUSHBACK));
        }
    }

    fn follow_latency(&mut self, latency: Duration, may_fall: bool) {
        if !self.settings.adaptive {
            return;
        }
        let target = latency.as_secs_f64() * 1000.0 * self.settings.latency_factor;
        let learned = self.state.learned_delay;
        if target > learned {
            // Half of the way at a time, so that one slow page does not set the pace.
            self.learn(f64::midpoint(learned, target));
        } else if may_fall {
            self.learn(target.max(learned * RECOVERY));
        }
        // The delay is down to what the latency asks for, so the failure is no longer its reason.
        if self.state.learned_delay <= target {
            self.pushback = None;
        }
    }

    fn learn(&mut self, delay: f64) {
        let longest = self.settings.longest_delay.as_secs_f64() * 1000.0;
        self.state.learned_delay = if delay > 0.0 { delay.min(longest) } else { 0.0 };
    }

    /// The longest of the three delays, and which it is.
    fn delay_and_reason(&self) -> (Duration, WaitReason) {
        let mut longest = (
            self.settings.delay,
            WaitReason::Delay {
                delay: self.settings.delay,
            },
        );
        if let Some(asked) = self.crawl_delay {
            let delay = asked.min(self.settings.longest_crawl_delay);
            if delay > longest.0 {
                longest = (delay, WaitReason::CrawlDelay { delay, asked });
            }
        }
        let learned = Duration::from_secs_f64(self.state.learned_delay / 1000.0);
        if self.settings.adaptive && learned > longest.0 {
            let reason = WaitReason::learned(learned, self.pushback, self.state.failures);
            longest = (learned, reason);
        }
        longest
    }
}

/// Statuses that ask for fewer requests: too many requests, and overload. A gateway timeout (504)
/// is usually overload too.
fn asks_for_less(status: u16) -> bool {
    matches!(status, 429 | 503 | 504)
}

/// Rounds up to whole milliseconds, the unit of moments, so that no delay gets shorter.
fn round_up(duration: Duration) -> Duration {
    let whole = duration.as_nanos().div_ceil(1_000_000);
    Duration::from_millis(u64::try_from(whole).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests;
