//! How a workspace is opened.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use magpie_warc::ArchiveSettings;

/// How a workspace is opened.
#[derive(Clone, Debug, Default)]
pub struct WorkspaceOptions {
    /// How archives are written.
    pub archive: ArchiveSettings,
    /// When results become durable.
    pub batch: BatchLimits,
    /// What happens when an archive has lost bytes that are recorded.
    pub damage: OnDamage,
    /// The bytes the database may have at most; the crawl stops like on a full disk when it gets there.
    pub database_bytes: Option<u64>,
    /// Told after every commit up to which sequence everything is durable, and after a failure once more. It is called by the
    /// writer, which waits for it.
    pub on_commit: Option<OnCommit>,
}

/// What to do about an archive that is shorter than the database says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnDamage {
    /// Say so and open nothing.
    #[default]
    Refuse,
    /// Open, forget the bodies that are lost and queue their URLs again.
    Requeue,
}

/// When a batch of results is committed: when the first of these is reached. Larger batches cost less for each page;
/// what is not committed is fetched again after a crash.
#[derive(Clone, Copy, Debug)]
pub struct BatchLimits {
    /// Pages in a batch.
    pub pages: usize,
    /// New URLs in a batch.
    pub offers: usize,
    /// Bytes of messages and links in a batch.
    pub bytes: usize,
    /// How long the oldest of a batch waits.
    pub age: Duration,
    /// Bytes that may wait for the writer, the batch not counted; who hands in more has to wait.
    pub waiting_bytes: usize,
}

impl Default for BatchLimits {
    /// A commit costs two waits for the disk and about 100 µs of work, so 256 pages share it at full speed; a slow crawl commits
    /// five times a second, which no disk minds and nobody notices.
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

/// Somebody who is told about commits.
#[derive(Clone)]
pub struct OnCommit(pub Arc<dyn Fn(u64) + Send + Sync>);

impl fmt::Debug for OnCommit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("OnCommit")
    }
}
