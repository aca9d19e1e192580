//! Options for opening a workspace.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use magpie_archive::StoreOptions;
use magpie_warc::ArchiveSettings;

#[derive(Clone, Debug, Default)]
pub struct WorkspaceOptions {
    pub archive: ArchiveSettings,
    /// The object store that archives are written to; `None` for the folder of the workspace.
    pub store: Option<StoreOptions>,
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
    /// Open and change nothing, to check the archive.
    Keep,
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

/// Size at which a segment is put into an object store: large enough that the time of a request and
/// its price are shared by hundreds of pages.
pub(crate) const SEGMENT_BYTES: u64 = 16 * 1024 * 1024;

/// Maximum age of results that are not durable, where pages go to an object store. So much of a
/// crawl is fetched again after a crash.
const SEGMENT_AGE: Duration = Duration::from_secs(5);

impl BatchLimits {
    /// Returns limits for batches that are segments in an object store: they end by the size of the
    /// segment or by their age.
    #[must_use]
    pub fn for_segments(self) -> BatchLimits {
        BatchLimits {
            pages: usize::MAX,
            // Of messages before they are compressed, and of links.
            bytes: 8 * self.bytes,
            age: self.age.max(SEGMENT_AGE),
            ..self
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
