//! Membership of a worker: it holds its fair share of the buckets while it lives.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::{JoinHandle, current, spawn};
use std::time::Duration;

use magpie_rows::{Crew as _, StoreError};

use crate::boot_time::boot_time;
use crate::failure::server_error;
use crate::numbers::{SHARED, bucket_of};
use crate::server::{Server, call};
use crate::statements::workers::{ANNOUNCE, CLOSE_JOBS, HOLDER, LEAVE};
use crate::store::Store;
use crate::value::read;

impl Server {
    /// Returns the process that has leased a bucket.
    pub(crate) fn holder(&self, bucket: i16) -> Result<Option<String>, StoreError> {
        let found = self.patiently(&call(&HOLDER, [bucket.into()]))?;
        Ok(read(&found.rows, |cells| cells.get())?.pop())
    }

    /// Returns the process that learns, clusters or selects in the workspace now.
    pub fn driver(&self) -> Result<Option<String>, StoreError> {
        self.holder(SHARED)
    }
}

/// Holds a worker's share of the buckets: a thread renews the leases, takes free buckets up to the
/// share, and gives those beyond it back. The share is the number of buckets divided by the number
/// of workers with a recent heartbeat, rounded up for the first of them by name.
///
/// If it is dropped, the worker leaves: its results are committed, and its buckets given back.
#[must_use = "the worker leaves when it is dropped"]
pub struct Membership {
    store: Arc<Store>,
    heart: Option<Heart>,
    /// True while it takes buckets.
    works: Arc<AtomicBool>,
    version: String,
}

impl Membership {
    /// Joins the workers of a workspace, and takes the first buckets.
    pub fn join(store: &Arc<Store>, version: &str) -> Result<Membership, StoreError> {
        let membership = Membership::rest(store, version)?;
        membership.work()?;
        Ok(membership)
    }

    /// Joins the workers, and takes no buckets yet.
    pub fn rest(store: &Arc<Store>, version: &str) -> Result<Membership, StoreError> {
        let works = Arc::<AtomicBool>::default();
        Ok(Membership {
            heart: Some(Heart::start(store, version, Part::Worker(Arc::clone(&works)))?),
            store: Arc::clone(store),
            works,
            version: version.to_owned(),
        })
    }

    /// Takes a share of the buckets from now on.
    pub fn work(&self) -> Result<(), StoreError> {
        self.works.store(true, Ordering::Release);
        let first = beat(&self.store, &self.version, &Part::Worker(Arc::clone(&self.works)));
        // The next heartbeat claims what is left.
        first.or_else(|_| self.check())
    }

    /// Commits what waits, and gives all buckets back until there is work again.
    pub fn pause(&self) -> Result<(), StoreError> {
        self.works.store(false, Ordering::Release);
        let flushed = self.store.writer.flush();
        self.store.buckets().give_back_all()?;
        flushed
    }

    /// Fails if the leases could not be renewed for the time that the server has to come back, and
    /// are over.
    pub fn check(&self) -> Result<(), StoreError> {
        self.heart
            .as_ref()
            .map_or(Ok(()), |heart| heart.check(&self.store))
    }

    /// Leaves, and says if results could not be committed.
    pub fn leave(mut self) -> Result<(), StoreError> {
        self.end()
    }

    fn end(&mut self) -> Result<(), StoreError> {
        self.heart.take().map_or(Ok(()), |heart| heart.end(&self.store))
    }
}

impl Drop for Membership {
    fn drop(&mut self) {
        // Whoever wants to know calls `leave`. The leases run out by themselves.
        let _ = self.end();
    }
}

/// The part that a process has in a workspace.
#[derive(Clone)]
enum Part {
    /// Takes its share of the buckets while there is work.
    Worker(Arc<AtomicBool>),
    /// Leases buckets as it writes to them.
    Driver,
}

/// A thread that sends heartbeats and renews leases.
pub(crate) struct Heart {
    thread: JoinHandle<()>,
    stop: Sender<()>,
    renewals: Arc<Mutex<Renewals>>,
}

/// The state of renewals.
struct Renewals {
    /// The time of the last that was done.
    done_at: Duration,
    /// The error of the last, if it failed.
    failure: Option<StoreError>,
}

impl Heart {
    fn start(store: &Arc<Store>, version: &str, part: Part) -> Result<Heart, StoreError> {
        refuse_other_versions(store, version)?;
        let version = version.to_owned();
        beat(store, &version, &part)?;
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
                let renewed = store.buckets().renew();
                let outcome = renewed.and_then(|_lost| beat(&store, &version, &part));
                // A server that is down may come back, also after the leases have run out. The next
                // attempt then claims buckets again.
                let mut renewals = shared.lock().unwrap_or_else(PoisonError::into_inner);
                match outcome {
                    Ok(()) => (renewals.done_at, renewals.failure) = (boot_time(), None),
                    Err(error) => renewals.failure = Some(error),
                }
            }
        });
        Ok(Heart {
            thread,
            stop,
            renewals,
        })
    }

    fn check(&self, store: &Store) -> Result<(), StoreError> {
        let mut renewals = self.renewals.lock().unwrap_or_else(PoisonError::into_inner);
        let patience = store.server.patience().max(store.options.times.length);
        match boot_time().saturating_sub(renewals.done_at) > patience {
            true => renewals.failure.take().map_or(Ok(()), Err),
            false => Ok(()),
        }
    }

    /// Stops, commits what waits, and gives all buckets back.
    fn end(self, store: &Store) -> Result<(), StoreError> {
        drop(self.stop);
        // The thread itself ends here if it had the last reference to the store. A panic there
        // ended renewals only.
        if self.thread.thread().id() != current().id() {
            let _ = self.thread.join();
        }
        let flushed = store.writer.flush();
        store.buckets().give_back_all()?;
        store
            .server
            .patiently(&call(&LEAVE, [store.buckets().worker().into()]))?;
        flushed
    }
}

/// Fails if a program of another version works in the workspace: it may know rows that this one
/// does not.
fn refuse_other_versions(store: &Store, version: &str) -> Result<(), StoreError> {
    let workers = store.workers()?;
    let live = workers.iter().filter(|row| row.is_live);
    match live.into_iter().find(|row| row.version != version) {
        None => Ok(()),
        Some(other) => Err(server_error(format!(
            "{} has version {} and works in {}; this is version {version}: wait until it has ended, or use the same \
             version",
            other.worker,
            other.version,
            store.server.address()
        ))),
    }
}

/// Returns the share of a worker before which a number of others come. Shares differ by one at
/// most: the first workers take what is left over.
pub(crate) fn share(buckets: u64, workers: u64, before: u64) -> u64 {
    buckets.saturating_sub(before).div_ceil(workers.max(1))
}

/// Sends a heartbeat. A worker takes or gives back buckets until it has its share.
fn beat(store: &Store, version: &str, part: &Part) -> Result<(), StoreError> {
    let held = store.buckets().all().len();
    let is_worker = matches!(part, Part::Worker(_));
    let workers = store.server.patiently(&call(
        &ANNOUNCE,
        [
            store.buckets().worker().into(),
            version.into(),
            (held as i64).into(),
            store.options.times.length.into(),
            is_worker.into(),
        ],
    ))?;
    let works = match part {
        Part::Worker(works) => works.load(Ordering::Acquire),
        Part::Driver => false,
    };
    if !works {
        return Ok(());
    }
    let workers = read(&workers.rows, |cells| Ok((cells.unsigned()?, cells.unsigned()?)))?;
    let (workers, before) = workers.first().copied().unwrap_or((1, 0));
    let share = share(store.bucket_count, workers, before) as usize;
    match held.checked_sub(share) {
        None => {
            // Others that begin at the same time may be quicker with some. Those would stay free
            // until the next heartbeat, and so would the tasks there.
            let mut missing = share - held;
            while missing > 0 {
                match store.buckets().claim(missing)?.len() {
                    0 => break,
                    claimed => missing -= claimed,
                }
            }
            // It may have been told to pause meanwhile.
            match part {
                Part::Worker(works) if !works.load(Ordering::Acquire) => store.give_back_idle(usize::MAX),
                _ => Ok(()),
            }
        }
        Some(0) => Ok(()),
        Some(surplus) => store.give_back_idle(surplus),
    }
}

impl Store {
    /// Makes this process the driver of the workspace: the one that learns, clusters and selects.
    /// It leases the buckets of sites as it writes to them, until the store is dropped.
    ///
    /// Fails if another process is the driver. One that was killed is succeeded after the length of
    /// a lease.
    pub fn drive(self: &Arc<Self>, version: &str) -> Result<(), StoreError> {
        if !self.buckets().claim_within(SHARED, Duration::ZERO)? {
            return Err(self.taken(SHARED)?);
        }
        // Another may become the driver if this one is refused.
        let heart = Heart::start(self, version, Part::Driver)
            .inspect_err(|_| drop(self.buckets().give_back(&[SHARED])))?;
        *self.driving() = Some(heart);
        // The crawl of a driver that was killed is open, and workers keep their buckets for it.
        self.server.patiently(&call(&CLOSE_JOBS, []))?;
        Ok(())
    }

    pub(crate) fn is_driving(&self) -> bool {
        self.driving().is_some()
    }

    fn driving(&self) -> MutexGuard<'_, Option<Heart>> {
        self.driving.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives buckets back whose sites are not leased, up to a number. The others follow as their
    /// sites are released.
    pub(crate) fn give_back_idle(&self, limit: usize) -> Result<(), StoreError> {
        // No site is leased while it is locked.
        let sites = self.sites();
        let busy: BTreeSet<i16> = sites.ids().map(|site| bucket_of(site.0)).collect();
        self.writer.flush()?;
        let idle = self
            .buckets()
            .all()
            .into_iter()
            .filter(|bucket| !busy.contains(bucket));
        self.buckets().give_back(&idle.take(limit).collect::<Vec<_>>())
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        let heart = self.driving().take();
        if let Some(heart) = heart {
            // Leases that can't be given back run out.
            let _ = heart.end(self);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::tests::{each_release, script};
    use crate::{Address, Layout, ServerOptions, StoreOptions};

    #[test]
    fn a_process_that_was_killed_a_day_ago_is_removed() {
        each_release(|server, _| {
            script(
                server,
                "INSERT INTO magpie.worker (worker, version, joined_at, live_until, buckets, is_worker) VALUES
                    ('earlier', '1.0', now() - interval '9 days', now() - interval '25 hours', 3, true),
                    ('lately', '1.0', now() - interval '9 days', now() - interval '23 hours', 3, true)",
            );
            let store = Store::open(Arc::clone(server), "new", StoreOptions::default());
            let store = Arc::new(store.expect("a workspace"));
            let membership = Membership::rest(&store, "1.0").expect("it joins");
            let workers = store.workers().expect("workers");
            let workers = workers.iter().map(|row| (row.worker.as_str(), row.is_live));
            assert_eq!(workers.collect::<Vec<_>>(), [("lately", false), ("new", true)]);
            membership.leave().expect("it leaves");
        });
    }

    #[test]
    fn shares_differ_by_one_at_most() {
        each_release(|_, postgres| {
            let url = format!("{}?schema=shares{}", postgres.url("postgres"), std::process::id());
            let address = Address::parse(&url, None).expect("an address");
            let layout = Layout {
                buckets: 4,
                partitions: 1,
            };
            let server = Server::create(address, ServerOptions::default(), layout).expect("a workspace");
            let stores = ["a", "b", "c"].map(|name| {
                let store = Store::open(Arc::clone(&server), name, StoreOptions::default());
                Arc::new(store.expect("a workspace"))
            });
            let members = stores
                .each_ref()
                .map(|store| Membership::rest(store, "1.0").expect("it joins"));
            let shares = stores.map(|store| {
                let works = Arc::new(AtomicBool::new(true));
                beat(&store, "1.0", &Part::Worker(works)).expect("a heartbeat");
                store.buckets().all().len()
            });
            assert_eq!(shares, [2, 1, 1]);
            drop(members);
        });
    }

    #[test]
    fn programs_of_another_version_are_refused() {
        each_release(|server, _| {
            let [first, second] = ["first", "second"].map(|name| {
                let store = Store::open(Arc::clone(server), name, StoreOptions::default());
                Arc::new(store.expect("a workspace"))
            });
            let membership = Membership::rest(&first, "1.0").expect("it joins");
            let refused = [Membership::rest(&second, "2.0").map(drop), second.drive("2.0")];
            for refused in refused {
                let text = refused.expect_err("it has another version").to_string();
                let named = text.starts_with("first has version 1.0 and works in postgres://");
                assert!(
                    named && text.contains("this is version 2.0: wait until"),
                    "{text}"
                );
            }
            assert_eq!(server.driver().expect("an answer"), None);
            membership.leave().expect("it leaves");
            Membership::rest(&second, "2.0").map(drop).expect("it joins");
        });
    }
}
