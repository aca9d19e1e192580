//! Membership of a worker: it holds its fair share of the buckets while it lives.

use std::collections::BTreeSet;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread::{JoinHandle, spawn};
use std::time::Duration;

use magpie_rows::StoreError;
use magpie_values::Timestamp;

use crate::boot_time::boot_time;
use crate::numbers::bucket_of;
use crate::server::{Server, call};
use crate::statements::workers::{ANNOUNCE, LEAVE, WORKERS};
use crate::store::Store;
use crate::value::read;

/// A worker, as others see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerRow {
    pub worker: String,
    /// The version of its program.
    pub version: String,
    pub joined_at: Timestamp,
    /// Time since its last heartbeat. A worker that was killed sends none.
    pub silent_for: Duration,
    pub buckets: u64,
}

impl Server {
    /// Returns the workers that have joined and not left.
    pub fn workers(&self) -> Result<Vec<WorkerRow>, StoreError> {
        let found = self.patiently(&call(&WORKERS, []))?;
        read(&found.rows, |cells| {
            Ok(WorkerRow {
                worker: cells.get()?,
                version: cells.get()?,
                joined_at: cells.time()?,
                silent_for: Duration::from_millis(cells.unsigned()?),
                buckets: cells.unsigned()?,
            })
        })
    }
}

/// Holds a worker's share of the buckets: a thread renews the leases, takes free buckets up to the
/// share, and gives those beyond it back. The share is the number of buckets divided by the number
/// of workers with a recent heartbeat, rounded up.
///
/// If it is dropped, the worker leaves: its results are committed, and its buckets given back.
#[must_use = "the worker leaves when it is dropped"]
pub struct Membership {
    store: Arc<Store>,
    worker: String,
    thread: Option<(Sender<()>, JoinHandle<()>)>,
    renewals: Arc<Mutex<Renewals>>,
}

/// The state of renewals.
struct Renewals {
    /// The time of the last that was done.
    done_at: Duration,
    /// The error of the last, if it failed.
    failure: Option<StoreError>,
}

impl Membership {
    /// Joins the workers of a workspace, and takes the first buckets.
    pub fn join(store: &Arc<Store>, worker: &str, version: &str) -> Result<Membership, StoreError> {
        let member = Member {
            worker: worker.to_owned(),
            version: version.to_owned(),
        };
        member.share(store)?;
        let renewals = Arc::new(Mutex::new(Renewals {
            done_at: boot_time(),
            failure: None,
        }));
        let (stop, stopped) = channel();
        let (weak, shared) = (Arc::downgrade(store), Arc::clone(&renewals));
        // Two attempts may fail before a lease is over.
        let interval = store.options.times.length / 3;
        let thread = spawn(move || {
            while stopped.recv_timeout(interval) == Err(RecvTimeoutError::Timeout) {
                let Some(store) = Weak::upgrade(&weak) else { return };
                let outcome = store.buckets().renew().and_then(|_lost| member.share(&store));
                // A server that is down may come back, also after the leases have run out. The next
                // attempt then claims buckets again.
                let mut renewals = shared.lock().unwrap_or_else(PoisonError::into_inner);
                match outcome {
                    Ok(()) => (renewals.done_at, renewals.failure) = (boot_time(), None),
                    Err(error) => renewals.failure = Some(error),
                }
            }
        });
        Ok(Membership {
            store: Arc::clone(store),
            worker: worker.to_owned(),
            thread: Some((stop, thread)),
            renewals,
        })
    }

    /// Fails if the leases could not be renewed for the time that the server has to come back, and
    /// are over.
    pub fn check(&self) -> Result<(), StoreError> {
        let mut renewals = self.renewals.lock().unwrap_or_else(PoisonError::into_inner);
        let patience = self.store.server.patience().max(self.store.options.times.length);
        match boot_time().saturating_sub(renewals.done_at) > patience {
            true => renewals.failure.take().map_or(Ok(()), Err),
            false => Ok(()),
        }
    }

    /// Leaves, and says if results could not be committed.
    pub fn leave(mut self) -> Result<(), StoreError> {
        self.end()
    }

    fn end(&mut self) -> Result<(), StoreError> {
        let Some((stop, thread)) = self.thread.take() else {
            return Ok(());
        };
        drop(stop);
        // A panic there ended renewals only.
        let _ = thread.join();
        let flushed = self.store.give_back_all();
        self.store
            .server
            .patiently(&call(&LEAVE, [self.worker.as_str().into()]))?;
        flushed
    }
}

impl Drop for Membership {
    fn drop(&mut self) {
        // Whoever wants to know calls `leave`. The leases run out by themselves.
        let _ = self.end();
    }
}

struct Member {
    worker: String,
    version: String,
}

impl Member {
    /// Announces the worker, and takes or gives back buckets until it has its share.
    fn share(&self, store: &Store) -> Result<(), StoreError> {
        let held = store.buckets().all().len();
        let live = store.server.patiently(&call(
            &ANNOUNCE,
            [
                self.worker.as_str().into(),
                self.version.as_str().into(),
                (held as i64).into(),
                store.options.times.length.into(),
            ],
        ))?;
        let live = read(&live.rows, |cells| cells.unsigned())?
            .first()
            .copied()
            .unwrap_or(1);
        let share = store.bucket_count.div_ceil(live.max(1)) as usize;
        match held.checked_sub(share) {
            None => store.buckets().claim(share - held).map(drop),
            Some(0) => Ok(()),
            Some(surplus) => store.give_back_idle(surplus),
        }
    }
}

impl Store {
    /// Gives buckets back whose sites are not leased, up to a number. The others follow as their
    /// sites are released.
    fn give_back_idle(&self, limit: usize) -> Result<(), StoreError> {
        // No site is leased while it is locked.
        let sites = self.sites();
        let busy: BTreeSet<i16> = sites.ids().map(|site| bucket_of(site.0)).collect();
        self.writer.flush()?;
        let idle = self
            .buckets()
            .all()
            .into_iter()
            .filter(|bucket| !busy.contains(bucket));
        idle.take(limit)
            .try_for_each(|bucket| self.buckets().give_back(bucket))
    }

    /// Commits all results, and gives all buckets back.
    fn give_back_all(&self) -> Result<(), StoreError> {
        let flushed = self.writer.flush();
        self.buckets().give_back_all()?;
        flushed
    }
}
