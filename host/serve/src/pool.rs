//! Readers of the workspace, kept open between requests.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use magpie_engine::open_limited_reader;
use magpie_rows::ReadStore;
use magpie_rows::StoreError;
use tokio::sync::Semaphore;

use crate::Error;

/// Requests that read at the same time; others wait.
const MAX_READERS: usize = 32;

/// Idle readers that are kept open.
const MAX_IDLE: usize = 8;

/// Readers of one workspace.
pub(crate) struct Pool {
    folder: PathBuf,
    idle: Arc<Mutex<Vec<Box<dyn ReadStore + Send>>>>,
    places: Arc<Semaphore>,
}

impl Pool {
    pub(crate) fn new(folder: PathBuf) -> Pool {
        Pool {
            folder,
            idle: Arc::default(),
            places: Arc::new(Semaphore::new(MAX_READERS)),
        }
    }

    /// Runs `with` on a thread for blocking work. After `limit` the request is refused, and so is a
    /// statement that takes as long.
    pub(crate) async fn read<T, F>(&self, limit: Duration, with: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: FnOnce(&dyn ReadStore) -> Result<T, Error> + Send + 'static,
    {
        let place = tokio::time::timeout(limit, Arc::clone(&self.places).acquire_owned()).await;
        let Ok(Ok(place)) = place else {
            return Err(Error::Busy);
        };
        let (folder, idle) = (self.folder.clone(), Arc::clone(&self.idle));
        let work = tokio::task::spawn_blocking(move || {
            let _place = place;
            let reader = take(&idle, &folder, limit)?;
            let outcome = with(&*reader);
            let mut idle = idle.lock().unwrap_or_else(PoisonError::into_inner);
            if idle.len() < MAX_IDLE && reader.check_current().is_ok() {
                idle.push(reader);
            }
            outcome
        });
        match tokio::time::timeout(limit, work).await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(_panicked)) => Err(Error::Defect),
            Err(_elapsed) => Err(Error::TooDear),
        }
    }
}

/// Returns a reader of the workspace as it is now on the disk.
fn take(
    idle: &Mutex<Vec<Box<dyn ReadStore + Send>>>,
    folder: &Path,
    limit: Duration,
) -> Result<Box<dyn ReadStore + Send>, StoreError> {
    loop {
        let kept = idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        match kept {
            Some(reader) if reader.check_current().is_ok() => return Ok(reader),
            Some(_outdated) => {}
            None => return open_limited_reader(folder, limit),
        }
    }
}

#[cfg(test)]
mod tests {
    use magpie_sqlite::{Workspace, WorkspaceOptions};

    use super::*;

    fn pool() -> (tempfile::TempDir, Arc<Pool>) {
        let folder = tempfile::tempdir().unwrap();
        let workspace = Workspace::create(folder.path(), &WorkspaceOptions::default()).unwrap();
        workspace.close().unwrap();
        let pool = Pool::new(folder.path().to_owned());
        (folder, Arc::new(pool))
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn reading_that_takes_too_long_is_refused() {
        let (_folder, pool) = pool();
        let (sender, receiver) = std::sync::mpsc::channel::<()>();
        let endless = pool.read(Duration::from_millis(20), move |_| {
            let _ended = receiver.recv();
            Ok(())
        });
        assert!(matches!(endless.await, Err(Error::TooDear)));
        drop(sender);
        let quick = pool.read(Duration::from_secs(60), |_| Ok(1)).await;
        assert!(matches!(quick, Ok(1)), "others are not kept from reading");
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn too_many_readers_at_once_are_told_so() {
        let (_folder, pool) = pool();
        let (sender, receiver) = tokio::sync::watch::channel(false);
        let waiting: Vec<_> = (0..MAX_READERS)
            .map(|_| {
                let (pool, receiver) = (Arc::clone(&pool), receiver.clone());
                tokio::spawn(async move {
                    let wait = move |_: &dyn ReadStore| {
                        while !*receiver.borrow() {
                            std::thread::sleep(Duration::from_millis(1));
                        }
                        Ok(())
                    };
                    pool.read(Duration::from_secs(600), wait).await.is_ok()
                })
            })
            .collect();
        while pool.places.available_permits() > 0 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        let one_more = pool.read(Duration::from_millis(20), |_| Ok(())).await;
        assert!(matches!(one_more, Err(Error::Busy)));
        sender.send(true).unwrap();
        for reading in waiting {
            assert!(reading.await.unwrap());
        }
        assert!(pool.read(Duration::from_secs(60), |_| Ok(())).await.is_ok());
    }
}
