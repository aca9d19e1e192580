//! Runs, and their costs and results.

use magpie_values::Timestamp;

use crate::error::StoreError;
use crate::ids::{RunId, SiteId};
use crate::words::RunKind;

/// Reads runs, and what they cost and brought.
pub trait Runs {
    /// Returns all runs, the oldest first.
    fn runs(&self) -> Result<Vec<RunRow>, StoreError>;

    /// Counts the objects of a vertical that were seen for the first time in a window, each once,
    /// at however many sites it is. Both ends are included.
    fn new_objects(&self, vertical: &str, window: (Timestamp, Timestamp)) -> Result<u64, StoreError>;

    /// Counts what runs fetched, and found for a vertical. New objects are those of
    /// [`Runs::new_objects`] in the window.
    fn run_totals(
        &self,
        vertical: &str,
        runs: &[RunId],
        window: (Timestamp, Timestamp),
    ) -> Result<RunTotals, StoreError>;

    /// Returns the requests that runs of a kind made since a moment, the newest first. Where the
    /// clock stepped back, older times end the list of a site.
    fn spent(&self, kind: RunKind, since: Timestamp) -> Result<Vec<Spent>, StoreError>;
}

pub trait RunStore: Runs {
    /// Begins a run. `settings` is JSON.
    fn begin_run(
        &self,
        kind: RunKind,
        program: &str,
        settings: &str,
        now: Timestamp,
    ) -> Result<RunId, StoreError>;

    /// Goes on with the last run of a kind if it was not ended.
    fn resume_run(&self, kind: RunKind, now: Timestamp) -> Result<Option<RunId>, StoreError>;

    /// Ends a run with a word for how.
    fn end_run(&self, run: RunId, now: Timestamp) -> Result<(), StoreError>;
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunRow {
    pub id: RunId,
    pub kind: RunKind,
    /// The program and its version.
    pub program: String,
    /// The settings as JSON.
    pub settings: String,
    pub started_at: Timestamp,
    pub resumed_at: Option<Timestamp>,
    /// When it ended; `None` if it is running or was interrupted.
    pub ended_at: Option<Timestamp>,
    pub outcome: Option<String>,
}

/// The pages and objects of some runs together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunTotals {
    /// URLs that were asked for, each once, whether they answered or not. Files such as robots.txt
    /// are no pages.
    pub pages: u64,
    /// The bytes of all bodies.
    pub bytes: u64,
    /// Records on the pages that were read.
    pub records: u64,
    /// Records that their page had not before.
    pub new_records: u64,
    /// Objects that were seen for the first time.
    pub new_objects: u64,
}

/// A request of the past.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spent {
    /// When, in milliseconds since 1970.
    pub at: Timestamp,
    /// The bytes of its body.
    pub bytes: u64,
    /// The site, where it was for one of its URLs.
    pub site: Option<SiteId>,
}
