//! Readers of the workspace, kept open between requests.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use magpie_store::{Reader, StoreError};
use tokio::sync::Semaphore;

use crate::Error;

/// Requests that read at the same time; others wait.
const MAX_READERS: usize = 32;

/// Readers that stay open while nobody reads.
const MAX_IDLE: usize = 8;

/// Readers of one workspace.
pub(crate) struct Pool {
    folder: PathBuf,
    idle: Arc<Mutex<Vec<Reader>>>,
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
        F: FnOnce(&Reader) -> Result<T, Error> + Send + 'static,
    {
        let place = tokio::time::timeout(limit, Arc::clone(&self.places).acquire_owned()).await;
        let Ok(Ok(place)) = place else {
            return Err(Error::Busy);
        };
        let (folder, idle) = (self.folder.clone(), Arc::clone(&self.idle));
        let work = tokio::task::spawn_blocking(move || {
            let _place = place;
            let reader = take(&idle, &folder, limit)?;
            let outcome = with(&reader);
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
fn take(idle: &Mutex<Vec<Reader>>, folder: &Path, limit: Duration) -> Result<Reader, StoreError> {
    loop {
        let kept = idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        match kept {
            Some(reader) if reader.check_current().is_ok() => return Ok(reader),
            Some(_outdated) => {}
            None => return Ok(Reader::open(folder)?.with_time_limit(limit)),
        }
    }
}
