//! A workspace opened for reading, also while a crawl runs.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use magpie_rows::StoreError;
use rusqlite::{Connection, ErrorCode};

use crate::error::database_error;
use crate::opened::{Looks, Opened};
use crate::workspace::connect::{DATABASE, Deadline, for_reading};
use crate::workspace::schema::SCHEMA;

/// A workspace opened for reading.
pub type Reader = Opened<Reading>;

/// A connection for reading. It needs no lock, and every call sees one state of the database.
pub struct Reading {
    connection: Connection,
    path: PathBuf,
    deadline: Deadline,
    limit: Option<Duration>,
    /// Identifies the file that was opened.
    file: Option<FileId>,
}

/// Identifies a file while any process has it open.
type FileId = (u64, u64);

#[cfg(unix)]
fn file_id(path: &Path) -> Option<FileId> {
    use std::os::unix::fs::MetadataExt as _;
    let metadata = path.metadata().ok()?;
    Some((metadata.dev(), metadata.ino()))
}

/// Elsewhere a file that is open can't be replaced.
#[cfg(not(unix))]
fn file_id(path: &Path) -> Option<FileId> {
    path.metadata().ok().map(|_| (0, 0))
}

impl Reader {
    pub fn open(path: &Path) -> Result<Reader, StoreError> {
        let database = path.join(DATABASE);
        if !database.is_file() {
            return Err(StoreError::NotThere {
                path: path.to_owned(),
            });
        }
        let mut connection = for_reading(&database)?;
        let deadline = Deadline::install(&mut connection, Arc::default())
            .map_err(|error| database_error(&database, error))?;
        let found = SCHEMA.version(&connection, &database)?;
        if found == 0 {
            return Err(StoreError::Empty { file: database });
        }
        if found < SCHEMA.newest() {
            return Err(StoreError::OlderSchema {
                path: database,
                found: found as i64,
                known: SCHEMA.newest() as i64,
            });
        }
        Ok(Opened(Reading {
            connection,
            path: path.to_owned(),
            file: file_id(&database),
            deadline,
            limit: None,
        }))
    }

    /// Limits the time of each call. One that takes longer, or whose caller sets `given_up`, fails
    /// with [`StoreError::TooSlow`].
    pub fn with_time_limit(
        mut self,
        limit: Duration,
        given_up: Arc<AtomicBool>,
    ) -> Result<Reader, StoreError> {
        let deadline = Deadline::install(&mut self.0.connection, given_up);
        self.0.deadline = deadline.map_err(|error| database_error(&self.0.path.join(DATABASE), error))?;
        self.0.limit = Some(limit);
        Ok(self)
    }
}

impl Looks for Reading {
    fn look<T>(&self, with: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, StoreError> {
        if let (true, Some(limit)) = (self.deadline.is_given_up(), self.limit) {
            return Err(StoreError::TooSlow { limit });
        }
        self.deadline.set(self.limit);
        let outcome = with(&self.connection);
        // Unset even after an error, or the deadline would end statements outside of a look.
        self.deadline.set(None);
        outcome.map_err(|error| match (error.sqlite_error_code(), self.limit) {
            (Some(ErrorCode::OperationInterrupted), Some(limit)) => StoreError::TooSlow { limit },
            _ => database_error(&self.path.join(DATABASE), error),
        })
    }

    fn folder(&self) -> &Path {
        &self.path
    }

    fn check_current(&self) -> Result<(), StoreError> {
        let database = self.path.join(DATABASE);
        let file = file_id(&database);
        // The folder may have been deleted and made again while a web page is open. The connection
        // still reads the old file.
        if file.is_none() || file != self.file {
            let path = self.path.clone();
            return Err(StoreError::NotThere { path });
        }
        let found = SCHEMA.version(&self.connection, &database)?;
        match found == SCHEMA.newest() {
            true => Ok(()),
            false => Err(StoreError::OlderSchema {
                path: database,
                found: found as i64,
                known: SCHEMA.newest() as i64,
            }),
        }
    }
}
