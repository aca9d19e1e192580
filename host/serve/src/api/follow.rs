//! Waiting for changes: one look at the log a second, however many wait.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::{Semaphore, watch};

use crate::{App, Error};

/// Time between two looks at the log.
const INTERVAL: Duration = Duration::from_secs(1);

/// Requests that wait for changes at the same time.
pub(super) const MAX_WAITING: usize = 64;

/// Notifies waiting requests when the log of changes has grown.
pub(super) struct Follower {
    /// The end of the log as it was seen last.
    end: watch::Sender<Option<String>>,
    is_looking: AtomicBool,
    places: Arc<Semaphore>,
}

impl Follower {
    pub(super) fn new() -> Arc<Follower> {
        Arc::new(Follower {
            end: watch::Sender::new(None),
            is_looking: AtomicBool::new(false),
            places: Arc::new(Semaphore::new(MAX_WAITING)),
        })
    }

    /// Takes one of the places for those who wait.
    pub(super) fn place(&self) -> Result<tokio::sync::OwnedSemaphorePermit, Error> {
        Arc::clone(&self.places)
            .try_acquire_owned()
            .map_err(|_| Error::Busy)
    }

    /// Returns a receiver that changes when the log grows.
    pub(super) fn subscribe(self: &Arc<Self>, app: &App) -> watch::Receiver<Option<String>> {
        let receiver = self.end.subscribe();
        if !self.is_looking.swap(true, Ordering::AcqRel) {
            tokio::spawn(Arc::clone(self).look(app.clone()));
        }
        receiver
    }

    /// Polls the log while requests wait for changes.
    async fn look(self: Arc<Self>, app: App) {
        loop {
            tokio::time::sleep(INTERVAL).await;
            if self.end.receiver_count() == 0 {
                self.is_looking.store(false, Ordering::Release);
                // Somebody may have come in between, who relied on this task.
                if self.end.receiver_count() == 0 || self.is_looking.swap(true, Ordering::AcqRel) {
                    return;
                }
            }
            // A workspace that can't be read now may be read in a second; those who wait see the
            // problem when their time is over.
            if let Ok(end) = app.read(|reader| Ok(reader.last_change()?.to_string())).await {
                self.end.send_if_modified(|known| {
                    let is_news = known.as_ref() != Some(&end);
                    *known = Some(end);
                    is_news
                });
            }
        }
    }
}
