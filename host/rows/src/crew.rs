//! Crawls that several processes do together.
//!
//! The driver of a workspace opens a crawl with a task for each site, and waits. Workers do the
//! tasks of the sites that are theirs, and hand in what came of them. A task whose worker was
//! killed is open for the worker that succeeds it.

use magpie_values::Timestamp;

use crate::error::StoreError;
use crate::ids::{RunId, SiteId};

/// A crawl that workers do together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CrewCrawl {
    pub id: i64,
    pub run: RunId,
    /// The beginning of the run.
    pub began: Timestamp,
    /// The way to crawl, as the program that opened it has written it.
    pub options: String,
}

/// A site to crawl.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CrewTask {
    pub site: SiteId,
    /// The pages to begin with, as the program that opened the crawl has written them.
    pub targets: String,
}

/// A process that works in the workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerRow {
    /// Its machine and process.
    pub worker: String,
    /// The version of its program.
    pub version: String,
    pub joined_at: Timestamp,
    /// True if its last heartbeat is no older than its leases. A worker that was killed sends none.
    pub is_live: bool,
    pub buckets: u64,
    /// True for a worker, and false for a command, which leases only what it needs.
    pub is_worker: bool,
}

/// The work that processes do together at a moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CrewState {
    /// The processes that have joined and not left.
    pub workers: Vec<WorkerRow>,
    /// Number of sites that the open crawl has left. `None` if no crawl is open.
    pub tasks_left: Option<u64>,
    /// Buckets with queued URLs that are worked carefully.
    pub careful: Vec<CarefulBucket>,
}

/// A bucket of which several owners were killed in a short time. Its pages are worked on one at a
/// time, to find one that kills workers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CarefulBucket {
    pub bucket: u64,
    /// Number of owners that were killed.
    pub killed: u64,
    /// The present owner, or an empty text.
    pub worker: String,
    /// The page that it works on.
    pub url: Option<String>,
}

/// A store that processes on several machines share.
pub trait Crew {
    /// Returns the processes that have joined and not left.
    fn workers(&self) -> Result<Vec<WorkerRow>, StoreError>;

    /// Returns the state of the work, for people.
    fn state(&self) -> Result<CrewState, StoreError>;

    /// Opens a crawl, and gives the sites of its tasks to the workers. Returns its number.
    fn open_crawl(
        &self,
        run: RunId,
        began: Timestamp,
        options: &str,
        tasks: &[CrewTask],
    ) -> Result<i64, StoreError>;

    /// Closes a crawl. Workers end what they do for it.
    fn close_crawl(&self, crawl: i64) -> Result<(), StoreError>;

    /// Returns the crawl that is open.
    fn open_now(&self) -> Result<Option<CrewCrawl>, StoreError>;

    /// Returns the tasks of a crawl that are not done: those whose sites are this process's, or
    /// all.
    fn tasks(&self, crawl: i64, only_own: bool) -> Result<Vec<CrewTask>, StoreError>;

    /// Marks tasks as done, and adds what came of them. A task whose site is no longer this
    /// process's stays open.
    fn end_tasks(&self, crawl: i64, sites: &[SiteId], outcome: &str) -> Result<(), StoreError>;

    /// Returns what came of the tasks so far.
    fn outcomes(&self, crawl: i64) -> Result<Vec<String>, StoreError>;
}
