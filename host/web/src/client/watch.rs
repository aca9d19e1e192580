//! Time limits of an exchange.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::time::{Instant, Sleep};

use crate::{Phase, Timeouts, Truncation};

/// Fires when something may have taken too long. It stays with a connection and is reset only when
/// it fires or must fire earlier. A new timer per fetch would cost a system call, since it wakes
/// tokio's driver, and one per chunk of a body more than reading the chunk.
pub(crate) type Timer = Pin<Box<Sleep>>;

/// Sees that a response comes in time.
pub(crate) struct Watch<'a> {
    timeouts: &'a Timeouts,
    timer: Pin<&'a mut Sleep>,
    /// When the whole fetch has to end.
    until: Instant,
    /// When the current phase has to end.
    phase_until: Instant,
    body: Option<BodyWatch>,
    /// Time of the last progress. Reading the clock costs as much as parsing a field, so it is not
    /// read twice.
    latest: Instant,
}

struct BodyWatch {
    started: Instant,
    received: u64,
}

/// The phase that takes too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slow {
    Phase { phase: Phase, limit: Duration },
    Rate { limit: u64 },
}

impl From<Slow> for Truncation {
    fn from(slow: Slow) -> Truncation {
        match slow {
            Slow::Phase { phase, limit } => Truncation::Time { phase, limit },
            Slow::Rate { limit } => Truncation::Rate { limit },
        }
    }
}

impl<'a> Watch<'a> {
    /// Waits for the head of a response from now on.
    pub(crate) fn start(
        timeouts: &'a Timeouts,
        timer: &'a mut Option<Timer>,
        until: Instant,
        now: Instant,
    ) -> Watch<'a> {
        let phase_until = later(now, timeouts.first_byte);
        let next = until.min(phase_until);
        let timer = timer
            .get_or_insert_with(|| Box::pin(tokio::time::sleep_until(next)))
            .as_mut();
        let mut watch = Watch {
            timeouts,
            timer,
            until,
            phase_until,
            body: None,
            latest: now,
        };
        watch.set();
        watch
    }

    /// The head is there; waits for the body.
    pub(crate) fn body(&mut self, now: Instant) {
        self.latest = now;
        self.phase_until = later(now, self.timeouts.idle);
        self.body = Some(BodyWatch {
            started: now,
            received: 0,
        });
        self.set();
    }

    /// A piece of the body is there.
    pub(crate) fn received(&mut self, bytes: usize, now: Instant) {
        self.latest = now;
        self.phase_until = later(now, self.timeouts.idle);
        if let Some(body) = &mut self.body {
            body.received += bytes as u64;
        }
    }

    /// When the body ended: with its last piece if it is whole.
    pub(crate) fn ended(&self, truncated: Option<&Truncation>) -> Instant {
        if truncated.is_none() {
            self.latest
        } else {
            Instant::now()
        }
    }

    /// Ready when something takes too long.
    pub(crate) fn poll(&mut self, context: &mut Context<'_>) -> Poll<Slow> {
        loop {
            ready!(self.timer.as_mut().poll(context));
            if let Some(slow) = self.slow(Instant::now()) {
                return Poll::Ready(slow);
            }
            let next = self.next();
            self.timer.as_mut().reset(next);
        }
    }

    /// Returns the phase that takes too long now.
    pub(crate) fn slow(&self, now: Instant) -> Option<Slow> {
        // Called between chunks too: a server that always has one more byte would keep the timer
        // from being polled.
        if now >= self.until {
            let limit = self.timeouts.whole;
            return Some(Slow::Phase {
                phase: Phase::Whole,
                limit,
            });
        }
        if now >= self.phase_until {
            let (phase, limit) = match self.body {
                None => (Phase::FirstByte, self.timeouts.first_byte),
                Some(_) => (Phase::Idle, self.timeouts.idle),
            };
            return Some(Slow::Phase { phase, limit });
        }
        let limit = self.timeouts.minimum_rate;
        self.rate_until()
            .is_some_and(|until| now >= until)
            .then_some(Slow::Rate { limit })
    }

    /// When the body is too slow if nothing more comes.
    fn rate_until(&self) -> Option<Instant> {
        let body = self.body.as_ref()?;
        let milliseconds = body
            .received
            .saturating_mul(1000)
            .checked_div(self.timeouts.minimum_rate)?;
        Some(later(
            body.started,
            self.timeouts.rate_grace.max(Duration::from_millis(milliseconds)),
        ))
    }

    fn next(&self) -> Instant {
        let next = self.until.min(self.phase_until);
        self.rate_until().map_or(next, |until| next.min(until))
    }

    /// Makes the timer ring in time.
    fn set(&mut self) {
        let next = self.next();
        // A reset costs more than a timer that rings too early: that one is set right when it
        // rings.
        if next < self.timer.deadline() {
            self.timer.as_mut().reset(next);
        }
    }
}

/// Returns the moment after `wait`. A wait too long for the clock means no limit.
pub(crate) fn later(now: Instant, wait: Duration) -> Instant {
    const FOR_EVER: Duration = Duration::from_secs(60 * 60 * 24 * 365);
    now + wait.min(FOR_EVER)
}
