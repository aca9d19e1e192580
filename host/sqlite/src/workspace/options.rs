//! Options for opening a workspace.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use magpie_warc::ArchiveSettings;

#[derive(Clone, Debug, Default)]
pub struct WorkspaceOptions {
    pub archive: ArchiveSettings,
    /// When results become durable.
    pub batch: BatchLimits,
    /// Reaction to an archive that lacks recorded bytes.
    pub damage: OnDamage,
    /// Maximum size of the database. The crawl stops as on a full disk when it is reached.
    pub database_bytes: Option<u64>,
    /// Called after every commit with the sequence up to which everything is durable, and once more
    /// after a failure. The writer waits for it.
    pub on_commit: Option<OnCommit>,
}

/// Reaction to an archive that is shorter than recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnDamage {
    /// Return an error and open nothing.
    #[default]
    Refuse,
    /// Open, forget the bodies that are lost and queue their URLs again.
    Requeue,
}

/// Limits for a batch of results: it is committed at the first of these. Larger batches cost less
/// per page; uncommitted pages are fetched again after a crash.
#[derive(Clone, Copy, Debug)]
pub struct BatchLimits {
    pub pages: usize,
    pub offers: usize,
    /// Bytes of messages and links in a batch.
    pub bytes: usize,
    /// Maximum age of the oldest result in a batch.
    pub age: Duration,
    /// Bytes that may wait for the writer, the batch not counted; who hands in more has to wait.
    pub waiting_bytes: usize,
}

impl Default for BatchLimits {
    /// A commit costs two waits for the disk and about 100 µs of work, so 256 pages share it at
    /// full speed. A slow crawl commits five times a second, which no disk minds.
    fn default() -> Self {
        BatchLimits {
            pages: 256,
            offers: 50_000,
            bytes: 16 * 1024 * 1024,
            age: Duration::from_millis(200),
            waiting_bytes: 16 * 1024 * 1024,
        }
    }
}

#[derive(Clone)]
pub struct OnCommit(pub Arc<dyn Fn(u64) + Send + Sync>);

impl fmt::Debug for OnCommit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("OnCommit")
    }
}
