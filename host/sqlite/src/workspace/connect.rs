//! Connections to the database.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use magpie_rows::StoreError;
use rusqlite::config::DbConfig;
use rusqlite::trace::{TraceEvent, TraceEventCodes};
use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::error::database_error;

pub(crate) const DATABASE: &str = "magpie.db";

/// The folder of the archives in the workspace.
pub const ARCHIVES: &str = "archive";

/// Pages of the database: a row of links has about 4 KB and should lie on one.
const PAGE_BYTES: i64 = 8192;

/// Page cache of the writer, in KiB. The inner pages and the newest leaves of a crawl of millions
/// fit.
const WRITER_CACHE: i64 = 16 * 1024;

/// The same of a reader. It grows as pages are read: searches read the packed values of objects
/// again and again.
const READER_CACHE: i64 = 48 * 1024;

/// Bytes of the database that a reader maps into its memory, as far as SQLite's own limit allows.
/// Copying pages from the cache of the system took a third of the time of searches whose hits are
/// spread over a million objects. If the disk fails to read a mapped page, the system ends the
/// process; a query that reads the file would fail alone.
const READER_MAP: i64 = 4 << 30;

/// Instructions of SQLite's virtual machine between two looks at the clock.
const STEPS: i32 = 4_000;

/// Pages of the write-ahead log (32 MB) after which it is checkpointed. Fewer checkpoints are
/// cheaper, since a page that changed many times is copied once, but opening after a crash reads
/// the whole log.
const CHECKPOINT_PAGES: i64 = 4096;

/// The log is cut back to this size after a large batch.
const LOG_BYTES: i64 = 64 * 1024 * 1024;

/// Time that SQLite waits for the lock of another connection, in milliseconds. Readers and the
/// writer do not lock each other out in WAL mode; short locks remain when a connection opens or
/// closes.
const BUSY: i64 = 10_000;

/// Creates a file that its owner alone may read: workspaces have passwords and cookies.
pub fn create_private(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options.open(path)
}

/// Opens the connection for writing.
pub(crate) fn for_writing(
    path: &Path,
    create: bool,
    most_bytes: Option<u64>,
) -> Result<Connection, StoreError> {
    let mut flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    if create {
        flags |= OpenFlags::SQLITE_OPEN_CREATE;
    }
    let failed = |error| database_error(path, error);
    if create {
        // SQLite gives the log beside it the same permissions.
        create_private(path).map_err(|error| StoreError::file("can't make", path, error))?;
    }
    let connection = Connection::open_with_flags(path, flags).map_err(failed)?;
    let settings = [
        ("busy_timeout", BUSY),
        // Holds for a database that is being made; others keep what they have.
        ("page_size", PAGE_BYTES),
        ("cache_size", -WRITER_CACHE),
        ("wal_autocheckpoint", CHECKPOINT_PAGES),
        ("journal_size_limit", LOG_BYTES),
        ("foreign_keys", 1),
    ];
    for (name, value) in settings {
        pragma(&connection, name, value).map_err(failed)?;
    }
    let mode: String = connection
        .query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0))
        .map_err(failed)?;
    if !mode.eq_ignore_ascii_case("wal") {
        return Err(StoreError::Disagreement {
            detail: format!(
                "the file system of {} does not support a write-ahead log (journal mode: {mode})",
                path.display()
            ),
        });
    }
    // A commit returns when the log is on the disk. With NORMAL a power failure would undo
    // acknowledged commits, and archives would have unknown records. The cost is one wait for the
    // disk per batch, not work.
    pragma(&connection, "synchronous", "FULL").map_err(failed)?;
    if let Some(bytes) = most_bytes {
        let page: i64 = connection
            .pragma_query_value(None, "page_size", |row| row.get(0))
            .map_err(failed)?;
        let pages = i64::try_from(bytes).unwrap_or(i64::MAX) / page;
        pragma(&connection, "max_page_count", pages.max(1)).map_err(failed)?;
    }
    keep_plans(&connection).map_err(failed)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(connection)
}

/// Statements and transactions of this process.
static ROUND_TRIPS: AtomicU64 = AtomicU64::new(0);

/// Returns the number of statements by which this process has read workspaces, and of transactions
/// by which it has changed them, but for those that commit fetches. A database behind a network
/// would have been asked as often.
pub fn round_trips() -> u64 {
    ROUND_TRIPS.load(Ordering::Relaxed)
}

pub(crate) fn count_trip() {
    ROUND_TRIPS.fetch_add(1, Ordering::Relaxed);
}

pub(crate) fn for_reading(path: &Path) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let failed = |error| database_error(path, error);
    let open = |path: &Path, flags| -> rusqlite::Result<Connection> {
        let connection = Connection::open_with_flags(path, flags)?;
        // SQLite opens the file at the first statement, and only then reports that it is not
        // allowed to.
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
        Ok(connection)
    };
    let connection = match open(path, flags) {
        // On a read-only copy or medium SQLite can't create the files that readers and a writer
        // share.
        Err(error) if is_forbidden(&error) && is_left_alone(path) => {
            open(&immutable(path), flags | OpenFlags::SQLITE_OPEN_URI)
        }
        opened => opened,
    };
    let mut connection = connection.map_err(failed)?;
    let counting = connection.trace_v2(
        TraceEventCodes::SQLITE_TRACE_STMT,
        Some(|_: TraceEvent<'_>| count_trip()),
    );
    counting.map_err(failed)?;
    pragma(&connection, "busy_timeout", BUSY).map_err(failed)?;
    pragma(&connection, "cache_size", -READER_CACHE).map_err(failed)?;
    pragma(&connection, "mmap_size", READER_MAP).map_err(failed)?;
    keep_plans(&connection).map_err(failed)?;
    connection.set_prepared_statement_cache_capacity(32);
    Ok(connection)
}

/// The end of the time that statements of a connection may take.
#[derive(Clone, Debug)]
pub(crate) struct Deadline {
    begun: Instant,
    /// Nanoseconds after `begun`; 0 for none.
    end: Arc<AtomicU64>,
    /// The caller no longer waits.
    given_up: Arc<AtomicBool>,
}

impl Deadline {
    /// Makes a connection interrupt statements that run past a deadline, which is not set yet, and
    /// those whose caller has given up.
    pub(crate) fn install(
        connection: &mut Connection,
        given_up: Arc<AtomicBool>,
    ) -> rusqlite::Result<Deadline> {
        let deadline = Deadline {
            begun: Instant::now(),
            end: Arc::default(),
            given_up,
        };
        let own = deadline.clone();
        connection.progress_handler(STEPS, Some(move || own.is_over() || own.is_given_up()))?;
        Ok(deadline)
    }

    /// Sets the deadline, or removes it.
    pub(crate) fn set(&self, limit: Option<Duration>) {
        let end = limit.map_or(0, |limit| (self.begun.elapsed() + limit).as_nanos().max(1));
        self.end
            .store(u64::try_from(end).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    pub(crate) fn is_given_up(&self) -> bool {
        self.given_up.load(Ordering::Relaxed)
    }

    fn is_over(&self) -> bool {
        match self.end.load(Ordering::Relaxed) {
            0 => false,
            end => self.begun.elapsed().as_nanos() > u128::from(end),
        }
    }
}

/// Returns true if SQLite was not allowed to create a file.
fn is_forbidden(error: &rusqlite::Error) -> bool {
    let codes = [
        ErrorCode::CannotOpen,
        ErrorCode::ReadOnly,
        ErrorCode::PermissionDenied,
    ];
    error
        .sqlite_error_code()
        .is_some_and(|code| codes.contains(&code))
}

/// Returns true if no process has the database open and all data is in its file. A writer has a log
/// and its index.
fn is_left_alone(path: &Path) -> bool {
    let beside = |end: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(end);
        Path::new(&name).metadata().map_or(0, |metadata| metadata.len())
    };
    // `immutable` takes no locks, so a database that a process writes to must not be opened with
    // it.
    path.is_file() && beside("-wal") == 0 && beside("-shm") == 0
}

/// The path as a URI by which SQLite takes no locks and makes no files.
fn immutable(path: &Path) -> PathBuf {
    let mut uri = String::from("file:");
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => {
                uri.push(char::from(*byte));
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    PathBuf::from(uri + "?immutable=1")
}

/// Keeps the plan of a statement independent of its values. Otherwise SQLite prepares statements
/// again for each new value of an indexed column, which took a twentieth of the time of a page.
fn keep_plans(connection: &Connection) -> rusqlite::Result<()> {
    connection
        .set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)
        .map(drop)
}

/// Sets a pragma, whether or not it answers.
fn pragma(connection: &Connection, name: &str, value: impl rusqlite::ToSql) -> rusqlite::Result<()> {
    connection
        .pragma_update_and_check(None, name, value, |_| Ok(()))
        .or_else(|error| match error {
            rusqlite::Error::QueryReturnedNoRows => Ok(()),
            other => Err(other),
        })
}
