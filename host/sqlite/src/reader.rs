//! A workspace opened for reading, also while a crawl runs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use magpie_rows::{Cookie, Counts, PageId, PageRow, SiteId, StoreError, UrlId};
use rusqlite::{Connection, ErrorCode, OptionalExtension};

use crate::error::database_error;
use crate::opened::{Looks, Opened};
use crate::read::page::{PAGE, counts, page_row};
use crate::read::site::{cookies, feeds};
use crate::workspace::connect::{ARCHIVES, DATABASE, Deadline, for_reading};
use crate::workspace::schema::{MIGRATIONS, version};

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
    /// Opens a workspace for reading.
    pub fn open(path: &Path) -> Result<Reader, StoreError> {
        let database = path.join(DATABASE);
        if !database.is_file() {
            return Err(StoreError::NotThere {
                path: path.to_owned(),
            });
        }
        let mut connection = for_reading(&database)?;
        let deadline =
            Deadline::install(&mut connection).map_err(|error| database_error(&database, error))?;
        let found = version(&connection, &database, MIGRATIONS.len())?;
        if found == 0 {
            return Err(StoreError::Empty { file: database });
        }
        if found < MIGRATIONS.len() {
            return Err(StoreError::OlderSchema {
                path: database,
                found: found as i64,
                known: MIGRATIONS.len() as i64,
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

    /// Fails if the database was moved, replaced or migrated after the reader was opened.
    pub fn check_current(&self) -> Result<(), StoreError> {
        let database = self.database();
        let file = file_id(&database);
        if file.is_none() || file != self.0.file {
            let path = self.0.path.clone();
            return Err(StoreError::NotThere { path });
        }
        let found = version(&self.0.connection, &database, MIGRATIONS.len())?;
        match found == MIGRATIONS.len() {
            true => Ok(()),
            false => Err(StoreError::OlderSchema {
                path: database,
                found: found as i64,
                known: MIGRATIONS.len() as i64,
            }),
        }
    }

    /// Limits the time of each call. One that takes longer fails with [`StoreError::TooSlow`].
    #[must_use]
    pub fn with_time_limit(self, limit: Duration) -> Reader {
        Opened(Reading {
            limit: Some(limit),
            ..self.0
        })
    }

    /// Reads the whole database and fails if it is damaged.
    pub fn check(&self) -> Result<(), StoreError> {
        let found = self.look(|connection| {
            connection.query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0))
        })?;
        match found.as_str() {
            "ok" => Ok(()),
            _ => Err(StoreError::Corrupt {
                file: self.database(),
                detail: found,
            }),
        }
    }

    /// Returns the number of known URLs by state and reason, of one site or of all.
    pub fn counts(&self, site: Option<SiteId>) -> Result<Counts, StoreError> {
        self.look(|connection| counts(connection, site))
    }

    /// The queued URLs of each site that has any.
    pub fn queued_by_site(&self) -> Result<BTreeMap<SiteId, u64>, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT site_id, sum(urls) FROM tally WHERE state = 'queued' GROUP BY site_id HAVING sum(urls) > 0",
            )?;
            let rows = statement.query_map([], |row| {
                Ok((SiteId(row.get(0)?), row.get::<_, i64>(1)?.unsigned_abs()))
            })?;
            rows.collect()
        })
    }

    /// The URLs that a person named, the oldest first.
    pub fn seeds(&self) -> Result<Vec<String>, StoreError> {
        self.look(|connection| {
            let mut statement = connection
                .prepare("SELECT url FROM url WHERE source = 'seed' ORDER BY found_at, site_id, id")?;
            let rows = statement.query_map([], |row| row.get(0))?;
            rows.collect()
        })
    }

    /// A page.
    pub fn page(&self, page: PageId) -> Result<Option<PageRow>, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached(&format!("{PAGE} WHERE page.id = ?1"))?;
            statement.query_row([page.0], page_row).optional()
        })
    }

    /// The last pages of a URL of the frontier, the newest first.
    pub fn pages_of(&self, url: UrlId, limit: usize) -> Result<Vec<PageRow>, StoreError> {
        self.look(|connection| {
            let sql = format!("{PAGE} WHERE page.url_id = ?1 ORDER BY page.id DESC LIMIT ?2");
            let mut statement = connection.prepare_cached(&sql)?;
            let rows = statement.query_map((url.0, limit as i64), page_row)?;
            rows.collect()
        })
    }

    /// The cookies of a site.
    pub fn cookies(&self, site: SiteId) -> Result<Vec<Cookie>, StoreError> {
        self.look(|connection| cookies(connection, site))
    }

    /// The feeds of a site.
    pub fn feeds(&self, site: SiteId) -> Result<Vec<String>, StoreError> {
        self.look(|connection| feeds(connection, site))
    }

    /// A value that was kept under a name.
    pub fn meta(&self, key: &str) -> Result<Option<String>, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached("SELECT value FROM meta WHERE key = ?1")?;
            statement.query_row([key], |row| row.get(0)).optional()
        })
    }

    /// The folder of the archives.
    pub fn archives(&self) -> PathBuf {
        self.0.path.join(ARCHIVES)
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.0.path.join(DATABASE)
    }
}

impl Looks for Reading {
    fn look<T>(&self, with: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, StoreError> {
        self.deadline.set(self.limit);
        let outcome = with(&self.connection);
        self.deadline.set(None);
        outcome.map_err(|error| match (error.sqlite_error_code(), self.limit) {
            (Some(ErrorCode::OperationInterrupted), Some(limit)) => StoreError::TooSlow { limit },
            _ => database_error(&self.path.join(DATABASE), error),
        })
    }
}
