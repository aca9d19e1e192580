//! Work on sites that several processes do together.
//!
//! The driver of a workspace opens the work with a task for each site, and waits. Workers do the
//! tasks of the sites that are theirs, and hand in what came of them. A task whose worker was
//! killed is open for the worker that succeeds it.

use std::time::Duration;

use magpie_values::Timestamp;

use crate::error::StoreError;
use crate::ids::SiteId;

/// Work on sites that processes do together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CrewJob {
    pub id: i64,
    /// The work, as the program that opened it has written it.
    pub order: String,
    /// The time since it was opened, by the clock of the server.
    pub age: Duration,
}

/// A site to work on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CrewTask {
    pub site: SiteId,
    /// The part of the work that is the site's, as the program that opened it has written it.
    pub order: String,
    /// A process has begun it. If it is still open, that process may have been killed.
    pub is_begun: bool,
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
pub trait Crew: Sync {
    /// Returns the processes that have joined and not left.
    fn workers(&self) -> Result<Vec<WorkerRow>, StoreError>;

    /// Returns the state of the work, for people.
    fn state(&self) -> Result<CrewState, StoreError>;

    /// Returns places of tasks that belong to no site. They are spread over the workers.
    fn shards(&self) -> Vec<SiteId>;

    /// Opens work with all its tasks, and gives their sites to the workers. Returns its number.
    fn open_job(&self, order: &str, tasks: &[CrewTask]) -> Result<i64, StoreError>;

    /// Closes work. Workers end what they do for it.
    fn close_job(&self, job: i64) -> Result<(), StoreError>;

    /// Returns the work that is open.
    fn open_now(&self) -> Result<Option<CrewJob>, StoreError>;

    /// Returns the tasks that are not done: those whose sites are this process's, or all.
    fn tasks(&self, job: i64, only_own: bool) -> Result<Vec<CrewTask>, StoreError>;

    /// Returns the number of tasks that are not done.
    fn left(&self, job: i64) -> Result<u64, StoreError>;

    /// Returns the tasks whose sites are this process's, after it has taken the sites that no other
    /// process has.
    fn claim(&self, tasks: Vec<CrewTask>) -> Result<Vec<CrewTask>, StoreError>;

    /// Gives the sites back that this process does not work on.
    fn give_back(&self) -> Result<(), StoreError>;

    /// Marks tasks as begun.
    fn begin_tasks(&self, job: i64, sites: &[SiteId]) -> Result<(), StoreError>;

    /// Marks tasks as done, and adds what came of them. A task whose site is no longer this
    /// process's stays open.
    fn end_tasks(&self, job: i64, sites: &[SiteId], outcome: &str) -> Result<(), StoreError>;

    /// Returns what came of the tasks so far.
    fn outcomes(&self, job: i64) -> Result<Vec<String>, StoreError>;
}
