//! Pages out of the archive.

use bytes::Bytes;
use magpie_http::{HttpLimits, HttpResponse};
use magpie_values::Timestamp;
use magpie_warc::Truncated;

use crate::error::StoreError;
use crate::fetch_result::Rendering;
use crate::ids::{PageId, RunId, UrlId};
use crate::pages::PageRow;

/// Reads pages with their bodies.
pub trait Archived {
    /// Returns a page without its body.
    fn page(&self, page: PageId) -> Result<Option<PageRow>, StoreError>;

    /// Returns the last pages of a URL of the frontier, the newest first.
    fn pages_of(&self, url: UrlId, limit: usize) -> Result<Vec<PageRow>, StoreError>;

    /// Returns the last page of a URL with an answer, of one run or of all.
    fn latest_response(
        &self,
        fingerprint: u64,
        url: &str,
        run: Option<RunId>,
    ) -> Result<Option<PageRow>, StoreError>;

    /// Reads a page as it was read: if a browser showed it, what the browser showed.
    fn replay(&self, page: PageId, limits: &HttpLimits) -> Result<Option<ReplayedPage>, StoreError> {
        let mut found = None;
        self.replays(&[page], limits, &mut |_, replayed| found = Some(replayed))?;
        found.transpose()
    }

    /// Does the same for many pages, and passes each to `each`, in their order. A page that can't
    /// be read is passed as an error. A page that is not there is left out.
    fn replays(
        &self,
        pages: &[PageId],
        limits: &HttpLimits,
        each: &mut dyn FnMut(PageId, Result<ReplayedPage, StoreError>),
    ) -> Result<(), StoreError>;

    /// Reads an answer as it came. `None` if the page has none in the archive.
    fn archived(&self, page: PageId) -> Result<Option<ArchivedResponse>, StoreError>;

    /// Reads a page as a browser showed it. `None` if no browser did.
    fn rendering(&self, page: PageId) -> Result<Option<Rendering>, StoreError>;
}

/// Checks and tends the archive. While it does, nothing else may write to the store.
pub trait ArchiveStore {
    /// Compares database and archive: every page has its record, which can be read and has the
    /// digest of the page.
    fn verify(&self) -> Result<Verified, StoreError>;

    /// Joins small archives in an object store to large ones, and moves others into it. Without an
    /// object store there is nothing to join.
    fn compact(&self) -> Result<Compacted, StoreError>;

    /// Lists archives without rows, which a process that was killed may leave. Removes those that
    /// were last changed before a time.
    fn orphans(&self, remove_before: Option<Timestamp>) -> Result<Vec<Orphan>, StoreError>;
}

/// The result of a check of the whole store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// Pages with a record.
    pub pages: u64,
    /// Response and revisit records in the archives.
    pub records: u64,
    /// Problems, in sentences. Empty if there are none.
    pub problems: Vec<String>,
}

/// Maximum number of problems to report.
pub const MAX_PROBLEMS: usize = 100;

impl Verified {
    /// Compares the numbers of pages and records at the end of a check.
    #[must_use]
    pub fn ended(mut self) -> Verified {
        if self.records != self.pages {
            self.problems.push(format!(
                "the archives have {} responses, the database has {}",
                self.records, self.pages
            ));
        }
        self.problems.truncate(MAX_PROBLEMS);
        self
    }
}

/// Archives that were joined.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Compacted {
    /// Number of archives before.
    pub joined: u64,
    /// Number of archives that they became.
    pub into: u64,
    pub bytes: u64,
}

/// An archive that the database does not know.
#[derive(Clone, Debug)]
pub struct Orphan {
    pub name: String,
    pub bytes: u64,
    /// Time of its last change.
    pub modified: Timestamp,
    pub is_removed: bool,
}

/// A page as it came.
#[derive(Debug)]
pub struct ReplayedPage {
    pub page: PageRow,
    /// The decoded answer. That of a revisit has its own head and the body of the page it refers
    /// to; `None` if that page is missing.
    pub response: Option<HttpResponse>,
}

/// An answer as it lies in the archive, its content coding kept.
#[derive(Clone, Debug)]
pub struct ArchivedResponse {
    pub page: PageRow,
    /// The head of the response; for "not modified" that of the answer it refers to.
    pub head: Bytes,
    pub body: Bytes,
    /// Reason why the body is incomplete.
    pub truncated: Option<Truncated>,
}
