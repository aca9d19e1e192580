//! Errors of a workspace.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::cursor::BadCursor;
use magpie_warc::{ArchiveError, StoreFault};

/// Reason why the store failed.
///
/// After [`StoreError::DiskFull`] and every other error of the writer, acknowledged results are
/// kept, others are gone without a trace, and the workspace can be opened again.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// There is something at the place where a workspace should be made.
    #[error("{path} is already a workspace")]
    AlreadyThere { path: PathBuf },
    /// There is no workspace at the path.
    #[error("{path} is not a workspace: it has no magpie.db")]
    NotThere {
        /// The searched path.
        path: PathBuf,
    },
    /// There is a database, but of something else.
    #[error("{path} is not the database of a Magpie workspace")]
    NotAWorkspace { path: PathBuf },
    /// The database was made by a later build.
    #[error("{path} has schema version {found}, this build knows versions up to {known}: use a newer build")]
    NewerSchema {
        path: PathBuf,
        found: i64,
        /// The version this build makes.
        known: i64,
    },
    /// The database was made by a build between releases.
    #[error("{path} has schema version {found}, which was never released: crawl into a new workspace")]
    UnreleasedSchema { path: PathBuf, found: i64 },
    /// The database was made by an earlier build and can't be written to here.
    #[error(
        "{path} has schema version {found}, this build needs version {known}: open it for writing once, which brings it up to date"
    )]
    OlderSchema {
        path: PathBuf,
        found: i64,
        /// The version this build makes.
        known: i64,
    },
    #[error("the workspace {path} is in use by {holder}")]
    Locked {
        path: PathBuf,
        /// `process 1234`, or `another process` where its number is not known.
        holder: String,
    },
    /// A workspace that only one machine can work in.
    #[error(
        "{path} is a folder: only a workspace in PostgreSQL has workers; name one as postgres://USER@HOST/DATABASE"
    )]
    OneMachine { path: PathBuf },
    /// A file of a workspace on a server was changed by two processes.
    #[error(
        "{file} was changed here, and in {workspace} by {other}: the change here is not kept; run the command again"
    )]
    ChangedTwice {
        file: String,
        workspace: String,
        /// The name of the other process.
        other: String,
    },
    #[error(
        "the disk is full: can't write {file}. Earlier results are safe; free some space and run the command again"
    )]
    DiskFull {
        /// The file that could not grow.
        file: PathBuf,
    },
    /// An archive is shorter than recorded in the database.
    #[error(
        "{file} has {found} bytes, but {expected} bytes are recorded: another program truncated it, or the disk lost data"
    )]
    ArchiveCut {
        file: PathBuf,
        /// The number in the database.
        expected: u64,
        found: u64,
    },
    /// An archive the database names is not there.
    #[error("{file} is missing, though {expected} bytes of it are recorded")]
    ArchiveMissing {
        file: PathBuf,
        /// The number in the database.
        expected: u64,
    },
    /// An archive does not have the recorded content at a recorded position.
    #[error("{file} has no readable record at byte {offset}: {detail}")]
    BadRecord {
        file: PathBuf,
        offset: u64,
        detail: String,
    },
    /// An object store could not be used.
    #[error("{}", .fault.sentence(.url, .detail))]
    ObjectStore {
        fault: StoreFault,
        /// The address, without credentials.
        url: String,
        /// The answer of the store, or the reason why there is none.
        detail: String,
    },
    /// There is a file for the database and nothing in it.
    #[error("the database {file} is empty: its content is lost")]
    Empty { file: PathBuf },
    #[error("the database {file} is damaged: {detail}")]
    Corrupt { file: PathBuf, detail: String },
    /// The lease was released or given to another worker.
    #[error("the lease of site {site} (epoch {epoch}) expired")]
    LeaseOver {
        site: i64,
        /// The epoch of the lease that is over.
        epoch: i64,
    },
    /// A URL is settled that was not taken, or was settled before.
    #[error("URL {url} was not taken from the frontier, or its result was committed already")]
    NotTaken { url: i64 },
    /// The writer stopped after an error that it has returned already.
    #[error("the workspace is closed after an error: {cause}")]
    Stopped { cause: String, disk_full: bool },
    /// The database and what the program remembers of it differ: a defect of the program.
    #[error("the database differs from the state in memory: {detail}")]
    Disagreement { detail: String },
    /// A file could not be read or written.
    #[error("{doing} {file}")]
    File {
        /// The attempted action: `can't read`.
        doing: &'static str,
        file: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("can't use the database {file}")]
    Database {
        file: PathBuf,
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A database server can't be used. The sentence says what is wrong and what to do.
    #[error("{sentence}")]
    Server { sentence: String },
    /// A copy of a workspace that can't be made. The sentence says why and what to do.
    #[error("{sentence}")]
    Copy { sentence: String },
    /// A query took longer than its reader allows.
    #[error("the query took more than {} s and was stopped: narrow it down", .limit.as_secs_f64())]
    TooSlow { limit: Duration },
    #[error(transparent)]
    Cursor(#[from] BadCursor),
    /// There is no such vertical, or nothing of it was clustered yet.
    #[error("nothing of the vertical `{vertical}` is clustered")]
    NoVertical { vertical: String },
    /// Hits can't be sorted by an attribute that the schema does not have.
    #[error("the vertical `{vertical}` has no attribute `{attribute}` to sort by")]
    NoAttribute { vertical: String, attribute: String },
    #[error("can't export: {detail}")]
    Export {
        /// The reason.
        detail: String,
    },
}

impl StoreError {
    /// Returns true if free space on the disk would help.
    pub fn is_disk_full(&self) -> bool {
        matches!(
            self,
            StoreError::DiskFull { .. } | StoreError::Stopped { disk_full: true, .. }
        )
    }

    /// Returns an error of the system about a file; a full disk is an error of its own.
    pub fn file(doing: &'static str, file: &Path, source: io::Error) -> StoreError {
        let file = file.to_owned();
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => StoreError::DiskFull { file },
            _ => StoreError::File { doing, file, source },
        }
    }
}

impl From<ArchiveError> for StoreError {
    fn from(error: ArchiveError) -> StoreError {
        match error {
            ArchiveError::Cut {
                file,
                expected,
                found,
            } => StoreError::ArchiveCut {
                file,
                expected,
                found,
            },
            ArchiveError::Missing { file, expected } => StoreError::ArchiveMissing { file, expected },
            ArchiveError::BadRecord { file, offset, detail } => {
                StoreError::BadRecord { file, offset, detail }
            }
            ArchiveError::Store { fault, url, detail } => StoreError::ObjectStore { fault, url, detail },
            ArchiveError::File { doing, file, source } => StoreError::file(doing, &file, source),
        }
    }
}
