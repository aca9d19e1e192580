//! Readers of the workspace, kept open between requests.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use magpie_engine::open_limited_reader;
use magpie_rows::{ReadStore, StoreError};
use tokio::sync::Semaphore;

use crate::Error;

/// Idle readers that are kept open.
const MAX_IDLE: usize = 8;

/// Requests of one price that wait for a reader; others are refused at once.
const MAX_WAITING: usize = 64;

/// The class of what a request reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Price {
    /// It takes milliseconds whatever the reader asks for.
    Cheap,
    /// A reader can ask for one that takes seconds.
    Dear,
}

/// Readers of one workspace. Cheap and dear requests have their own, so that dear ones keep no
/// others waiting.
pub(crate) struct Pool {
    folder: PathBuf,
    /// The time that a request may wait for a reader, and then read.
    limit: Duration,
    idle: Mutex<Vec<Kept>>,
    cheap: Lane,
    dear: Lane,
}

/// The readers of one price.
struct Lane {
    /// Places of those that wait or read.
    queue: Arc<Semaphore>,
    readers: Arc<Semaphore>,
}

impl Lane {
    fn new(readers: usize) -> Lane {
        Lane {
            queue: Arc::new(Semaphore::new(readers + MAX_WAITING)),
            readers: Arc::new(Semaphore::new(readers)),
        }
    }
}

/// A reader, if it is open, and the sign that ends what it does.
#[derive(Default)]
struct Kept {
    reader: Option<Box<dyn ReadStore + Send>>,
    given_up: Arc<AtomicBool>,
}

/// Ends the reading of a request when it is dropped: its time is over, or its client has gone away.
struct Waiting(Arc<AtomicBool>);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Pool {
    pub(crate) fn new(folder: PathBuf, limit: Duration) -> Pool {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Pool {
            folder,
            limit,
            idle: Mutex::default(),
            cheap: Lane::new((2 * cores).clamp(4, 16)),
            dear: Lane::new((cores / 2).clamp(2, 4)),
        }
    }

    /// Runs `with` on a thread for blocking work. A request that waits or reads for too long is
    /// refused, and what it reads is interrupted.
    pub(crate) async fn read<T, F>(&self, price: Price, with: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: FnOnce(&dyn ReadStore) -> Result<T, Error> + Send + 'static,
    {
        let lane = match price {
            Price::Cheap => &self.cheap,
            Price::Dear => &self.dear,
        };
        let queued = Arc::clone(&lane.queue).try_acquire_owned();
        let queued = queued.map_err(|_| Error::Busy)?;
        let place = tokio::time::timeout(self.limit, Arc::clone(&lane.readers).acquire_owned()).await;
        let Ok(Ok(place)) = place else {
            return Err(Error::Busy);
        };
        let kept = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut kept = kept.unwrap_or_default();
        let waiting = Waiting(Arc::clone(&kept.given_up));
        let (folder, limit) = (self.folder.clone(), self.limit);
        let work = tokio::task::spawn_blocking(move || {
            let _places = (place, queued);
            let given_up = Arc::clone(&kept.given_up);
            let outcome = kept
                .current(|| open_limited_reader(&folder, limit, given_up))
                .map_err(Error::from)
                .and_then(with);
            (kept, outcome)
        });
        let (kept, outcome) = match tokio::time::timeout(self.limit, work).await {
            Ok(Ok(done)) => done,
            Ok(Err(_panicked)) => return Err(Error::Defect),
            Err(_elapsed) => return Err(Error::TooDear),
        };
        // The flag belongs to the reader, and no other request has that reader yet.
        drop(waiting);
        kept.given_up.store(false, Ordering::Relaxed);
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < MAX_IDLE {
            idle.push(kept);
        }
        outcome
    }
}

impl Kept {
    /// Returns a reader of the workspace as it is now on the disk.
    fn current(
        &mut self,
        open: impl FnOnce() -> Result<Box<dyn ReadStore + Send>, StoreError>,
    ) -> Result<&dyn ReadStore, StoreError> {
        let kept = self.reader.take();
        let reader = match kept.filter(|reader| reader.check_current().is_ok()) {
            Some(reader) => reader,
            None => open()?,
        };
        Ok(&**self.reader.insert(reader))
    }
}

#[cfg(test)]
mod tests {
    use magpie_sqlite::{Workspace, WorkspaceOptions};

    use super::*;

    fn pool(limit: Duration) -> (tempfile::TempDir, Arc<Pool>) {
        let folder = tempfile::tempdir().unwrap();
        let workspace = Workspace::create(folder.path(), &WorkspaceOptions::default()).unwrap();
        workspace.close().unwrap();
        let pool = Pool::new(folder.path().to_owned(), limit);
        (folder, Arc::new(pool))
    }

    /// Reads again and again until a call fails, and reports the failure.
    fn endless(reader: &dyn ReadStore, sender: &std::sync::mpsc::Sender<String>) -> Result<(), Error> {
        loop {
            if let Err(error) = reader.last_object() {
                let _nobody_listens = sender.send(error.to_string());
                return Err(error.into());
            }
        }
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn reading_ends_with_its_time_and_with_its_client() {
        let (sender, receiver) = std::sync::mpsc::channel();
        let (_folder, pool) = pool(Duration::from_millis(50));
        let own = sender.clone();
        let outcome = pool.read(Price::Dear, move |reader| endless(reader, &own)).await;
        assert!(matches!(outcome, Err(Error::TooDear)));
        let failure = receiver.recv().expect("the thread has ended");
        assert!(failure.contains("was stopped"), "{failure}");

        let (_folder, pool) = self::pool(Duration::from_secs(600));
        let (own, shared) = (sender.clone(), Arc::clone(&pool));
        let client = tokio::spawn(async move {
            shared
                .read(Price::Dear, move |reader| {
                    own.send("begun".to_owned()).unwrap();
                    endless(reader, &own)
                })
                .await
        });
        assert_eq!(receiver.recv().unwrap(), "begun");
        client.abort();
        let failure = receiver.recv().expect("the thread has ended");
        assert!(failure.contains("was stopped"), "{failure}");
        let others = pool.read(Price::Dear, |reader| Ok(reader.last_object()?)).await;
        assert!(matches!(others, Ok(0)), "{others:?}");
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn dear_requests_wait_in_a_line_and_cheap_ones_pass() {
        let (_folder, pool) = pool(Duration::from_secs(600));
        let (sender, receiver) = tokio::sync::watch::channel(false);
        let most = pool.dear.queue.available_permits();
        let waiting: Vec<_> = (0..most)
            .map(|_| {
                let (pool, receiver) = (Arc::clone(&pool), receiver.clone());
                tokio::spawn(async move {
                    let wait = move |_: &dyn ReadStore| {
                        while !*receiver.borrow() {
                            std::thread::sleep(Duration::from_millis(1));
                        }
                        Ok(())
                    };
                    pool.read(Price::Dear, wait).await.is_ok()
                })
            })
            .collect();
        while pool.dear.queue.available_permits() > 0 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        let one_more = pool.read(Price::Dear, |_| Ok(())).await;
        assert!(matches!(one_more, Err(Error::Busy)));
        assert!(pool.read(Price::Cheap, |_| Ok(())).await.is_ok());
        sender.send(true).unwrap();
        for reading in waiting {
            assert!(reading.await.unwrap());
        }
        assert!(pool.read(Price::Dear, |_| Ok(())).await.is_ok());
    }
}
