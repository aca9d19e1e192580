//! Idle connections, kept for the next request.
//!
//! It is not hyper-util's pool: a polite crawler has many hosts and few connections to each, so it
//! needs a limit over all hosts and connections that expire, and must never open a second
//! connection to a host because the first is busy.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::ConnectionSettings;
use crate::connect::http1::Http1;
use crate::connect::http2::Http2;

/// A connection with what is worth knowing about it.
pub(crate) struct Kept<Connection> {
    pub(crate) connection: Connection,
    pub(crate) remote: SocketAddr,
    /// A proxy is on the other end and wants whole URLs.
    pub(crate) forwards: bool,
}

/// A connection taken out of the pool, or a new one.
pub(crate) enum AnyConnection {
    Http1(Kept<Box<Http1>>),
    Http2(Kept<Http2>),
}

pub(crate) struct Pool {
    slots: Mutex<Slots>,
    settings: ConnectionSettings,
}

#[derive(Default)]
struct Slots {
    /// By origin. A slot stays while its connection is out, and goes at the next sweep after.
    by_origin: HashMap<Box<str>, Slot>,
    idle: usize,
    is_swept: bool,
}

#[derive(Default)]
struct Slot {
    /// The one used last is at the end.
    http1: Vec<Idle<Box<Http1>>>,
    http2: Option<Idle<Http2>>,
}

struct Idle<Connection> {
    kept: Kept<Connection>,
    since: Instant,
}

/// The pool is swept several times within the idle time, so that a connection lives little longer
/// than that.
const SWEEPS_PER_IDLE_TIME: u32 = 4;

/// No idle time makes the sweeps busy work.
const MIN_SWEEP: Duration = Duration::from_millis(50);

impl Pool {
    pub(crate) fn new(settings: ConnectionSettings) -> Pool {
        Pool {
            slots: Mutex::default(),
            settings,
        }
    }

    /// The connection to an origin that was used last. One of HTTP/2 stays in the pool as well.
    pub(crate) fn take(&self, origin: &str, now: Instant) -> Option<AnyConnection> {
        let mut guard = self.lock();
        let slots = &mut *guard;
        let slot = slots.by_origin.get_mut(origin)?;
        if let Some(shared) = &mut slot.http2 {
            if shared.kept.connection.is_open() && !self.is_old(shared.since, now) {
                // One of HTTP/2 stays in the pool while it is used, so its idle time begins anew
                // with each request.
                shared.since = now;
                return Some(AnyConnection::Http2(Kept {
                    connection: shared.kept.connection.clone(),
                    remote: shared.kept.remote,
                    forwards: shared.kept.forwards,
                }));
            }
            slot.http2 = None;
            slots.idle -= 1;
            return None;
        }
        // The last one is the one used last, and the least likely to be closed by the server.
        let idle = slot.http1.pop()?;
        slots.idle -= 1;
        (!self.is_old(idle.since, now)).then_some(AnyConnection::Http1(idle.kept))
    }

    /// Keeps a connection for the next request.
    pub(crate) fn keep_http1(self: &Arc<Pool>, origin: &str, kept: Kept<Box<Http1>>, now: Instant) {
        let idle = Idle { kept, since: now };
        let most = self.settings.idle_per_host;
        self.keep(origin, |slot| {
            slot.http1.push(idle);
            let excess = slot.http1.len().saturating_sub(most);
            slot.http1.drain(..excess);
        });
    }

    /// Shares a connection with the next requests.
    pub(crate) fn share_http2(self: &Arc<Pool>, origin: &str, kept: &Kept<Http2>, now: Instant) {
        let kept = Kept {
            connection: kept.connection.clone(),
            remote: kept.remote,
            forwards: kept.forwards,
        };
        self.keep(origin, |slot| slot.http2 = Some(Idle { kept, since: now }));
    }

    /// Closes every connection that is not in use.
    fn keep(self: &Arc<Pool>, origin: &str, put: impl FnOnce(&mut Slot)) {
        if self.settings.idle_total == 0 || self.settings.idle_per_host == 0 {
            return;
        }
        let mut guard = self.lock();
        let slots = &mut *guard;
        let slot = match slots.by_origin.get_mut(origin) {
            Some(slot) => slot,
            None => slots.by_origin.entry(origin.into()).or_default(),
        };
        let before = slot.len();
        put(slot);
        slots.idle = slots.idle + slot.len() - before;
        while slots.idle > self.settings.idle_total && slots.drop_oldest() {}
        // The first connection starts the task: a client that never connects needs no runtime.
        if !slots.is_swept {
            slots.is_swept = true;
            tokio::spawn(sweep(Arc::downgrade(self), self.settings.idle_time));
        }
    }

    fn is_old(&self, since: Instant, now: Instant) -> bool {
        now.saturating_duration_since(since) >= self.settings.idle_time
    }

    fn sweep(&self, now: Instant) {
        let mut slots = self.lock();
        let mut idle = 0;
        slots.by_origin.retain(|_, slot| {
            slot.http1.retain(|idle| !self.is_old(idle.since, now));
            slot.http2
                .take_if(|shared| !shared.kept.connection.is_open() || self.is_old(shared.since, now));
            idle += slot.len();
            slot.len() > 0
        });
        slots.idle = idle;
    }

    fn lock(&self) -> MutexGuard<'_, Slots> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Slot {
    fn len(&self) -> usize {
        self.http1.len() + usize::from(self.http2.is_some())
    }

    fn oldest(&self) -> Option<Instant> {
        let http1 = self.http1.first().map(|idle| idle.since);
        let http2 = self.http2.as_ref().map(|idle| idle.since);
        http1.into_iter().chain(http2).min()
    }
}

impl Slots {
    /// Closes the connection that was idle longest.
    fn drop_oldest(&mut self) -> bool {
        // A linear search costs less than keeping an order at every use.
        let with_age = self
            .by_origin
            .values_mut()
            .filter_map(|slot| Some((slot.oldest()?, slot)));
        let Some((oldest, slot)) = with_age.min_by_key(|(oldest, _)| *oldest) else {
            return false;
        };
        if slot.http2.take_if(|shared| shared.since == oldest).is_none() {
            slot.http1.remove(0);
        }
        self.idle -= 1;
        true
    }
}

/// Closes connections that are idle for too long, until the client is gone.
async fn sweep(pool: std::sync::Weak<Pool>, idle_time: Duration) {
    let pause = (idle_time / SWEEPS_PER_IDLE_TIME).max(MIN_SWEEP);
    loop {
        tokio::time::sleep(pause).await;
        // The task holds no strong reference while it sleeps, so it ends with the client.
        let Some(pool) = pool.upgrade() else {
            return;
        };
        pool.sweep(Instant::now());
    }
}
