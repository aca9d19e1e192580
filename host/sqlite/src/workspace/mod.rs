//! A workspace: a folder with a database, archives, and one process that writes to them.

pub(crate) mod connect;
pub(crate) mod forget;
pub(crate) mod frontier;
pub(crate) mod house;
pub(crate) mod lock;
pub(crate) mod options;
pub(crate) mod queue;
pub(crate) mod recover;
pub(crate) mod schema;
pub(crate) mod tend;
pub(crate) mod tidy;
pub(crate) mod verify;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use magpie_archive::{Archives, StoreUrl};
use magpie_rows::{Alert, ReadStore, RunId, RunKind, RunOutcome, RunStore, SiteId, Store, StoreError};
use magpie_values::Timestamp;
use magpie_warc::ArchiveSettings;
use rusqlite::{Connection, OptionalExtension as _};

use crate::column::millis;
use crate::error::database_error;
use crate::history::log;
use crate::opened::{Looks, Opened};
use crate::reader::Reader;
use crate::search::index;
use crate::warehouse::views::create_views;
use crate::workspace::connect::{ARCHIVES, DATABASE, for_reading};
use crate::workspace::lock::WorkspaceLock;
use crate::workspace::options::WorkspaceOptions;
use crate::workspace::queue::{Counters, Sites};
use crate::workspace::recover::Recovery;
use crate::workspace::schema::SCHEMA;
use crate::writer::Writer;
use crate::writer::archives::segments_below;
use crate::writer::rows::log_alert;

/// A workspace open for writing. Clones are the same workspace; dropping the last one commits
/// pending results.
///
/// It is a [`Frontier`](magpie_rows::Frontier). Results go to one writer, which puts whole results
/// into batches: first the archive is synced to the disk, then one transaction writes everything
/// else. After a crash, a page is there with its whole result, or it is missing and its URL is
/// still queued.
pub type Workspace = Opened<Arc<Writing>>;

pub struct Writing {
    path: PathBuf,
    recovery: Recovery,
    archives: Archives,
    archive_settings: ArchiveSettings,
    /// Place of segments in an object store, and the size of a joined one.
    segments: Option<(StoreUrl, u64)>,
    /// The state of leased sites. Locked while something is numbered and sent to the writer, so
    /// that ids follow the order of the writer. If both locks are held, this one was taken first.
    sites: Mutex<Sites>,
    /// For looking into the database beside the writer.
    reader: Mutex<Connection>,
    writer: Writer,
    /// Dropped last: no other process may open the workspace before the writer has ended.
    _lock: WorkspaceLock,
}

impl Workspace {
    /// Makes a workspace in a folder, which may exist as long as it has none.
    pub fn create(path: &Path, options: &WorkspaceOptions) -> Result<Workspace, StoreError> {
        let archives = path.join(ARCHIVES);
        fs::create_dir_all(&archives)
            .map_err(|error| StoreError::file("can't make the folder", &archives, error))?;
        // Before the database is looked for, or two processes could both find none.
        let lock = WorkspaceLock::take(path)?;
        if path.join(DATABASE).exists() {
            return Err(StoreError::AlreadyThere {
                path: path.to_owned(),
            });
        }
        Workspace::start(path, lock, options, true)
    }

    /// Opens a workspace. Migrates an older schema, and cuts archives to the recorded length.
    pub fn open(path: &Path, options: &WorkspaceOptions) -> Result<Workspace, StoreError> {
        if !path.join(DATABASE).is_file() {
            return Err(StoreError::NotThere {
                path: path.to_owned(),
            });
        }
        let lock = WorkspaceLock::take(path)?;
        Workspace::start(path, lock, options, false)
    }

    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// Repairs that were made when it was opened.
    pub fn recovery(&self) -> &Recovery {
        &self.0.recovery
    }

    /// A reader of what is committed. Readers are independent of each other and of the writer.
    pub fn reader(&self) -> Result<Reader, StoreError> {
        Reader::open(&self.0.path)
    }

    /// Refuses changes to a site that is leased, and prevents a lease while the guard is held.
    pub(crate) fn unleased(&self, site: SiteId) -> Result<MutexGuard<'_, Sites>, StoreError> {
        let sites = self.sites();
        sites.check_unleased(site)?;
        Ok(sites)
    }

    /// Returns true if a result can be committed without waiting for the writer.
    pub fn has_room(&self) -> bool {
        self.0.writer.has_room()
    }

    /// Commits what waits.
    pub(crate) fn flush_writer(&self) -> Result<(), StoreError> {
        self.0.writer.flush()
    }

    /// Commits everything, checkpoints the log and closes. Other clones get errors from then on.
    pub fn close(self) -> Result<(), StoreError> {
        self.0.writer.close()
    }

    fn start(
        path: &Path,
        lock: WorkspaceLock,
        options: &WorkspaceOptions,
        create: bool,
    ) -> Result<Workspace, StoreError> {
        let database = path.join(DATABASE);
        let archives = path.join(ARCHIVES);
        // A new database beside an old archive would hide that the old one is lost.
        let has_archives = || fs::read_dir(&archives).is_ok_and(|mut files| files.next().is_some());
        if !create && fs::metadata(&database).is_ok_and(|file| file.len() == 0) && has_archives() {
            return Err(StoreError::Empty { file: database });
        }
        let mut connection = connect::for_writing(&database, create, options.database_bytes)?;
        SCHEMA.migrate(&mut connection, &database)?;
        complete(&mut connection).map_err(|error| database_error(&database, error))?;
        // Before the writer starts: archives are cut to what is committed, and then appended to.
        let archives = Archives::new(archives);
        let (archives, segments) = match &options.store {
            None => (archives, None),
            Some(store) => {
                archives.check(&store.url)?;
                let below = segments_below(&connection, &store.url);
                let below = below.map_err(|error| database_error(&database, error))?;
                (
                    archives.with_patience(store.patience),
                    Some((below, options.archive.file_bytes)),
                )
            }
        };
        let below = segments.as_ref().map(|(below, _)| below);
        let recovery = recover::recover(&mut connection, &database, &archives, below, options.damage)?;
        // After the recovery, which queues URLs again and ends leases.
        let counters = Counters::read(&connection).map_err(|error| database_error(&database, error))?;
        let reader = for_reading(&database)?;
        let writer = Writer::start(connection, &database, archives.clone(), options)?;
        Ok(Opened(Arc::new(Writing {
            path: path.to_owned(),
            recovery,
            archives,
            archive_settings: options.archive.clone(),
            segments,
            sites: Mutex::new(Sites::new(counters)),
            reader: Mutex::new(reader),
            writer,
            _lock: lock,
        })))
    }

    fn sites(&self) -> MutexGuard<'_, Sites> {
        // A panic while it was held leaves numbers that were given and not used, which is allowed.
        self.0.sites.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes in a transaction of its own.
    pub(crate) fn write<T: Send + 'static>(
        &self,
        task: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.0.writer.run(task)
    }
}

/// Makes what a migration can't write in SQL: the views of verticals and the search index.
fn complete(connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction = connection.transaction()?;
    create_views(&transaction)?;
    transaction.execute(
        "INSERT INTO meta VALUES (?1, lower(hex(randomblob(8)))) ON CONFLICT DO NOTHING",
        [log::WORKSPACE_ID],
    )?;
    index::refresh_version(&transaction)?;
    transaction.commit()
}

impl Looks for Arc<Writing> {
    fn look<T>(&self, with: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, StoreError> {
        let reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        with(&reader).map_err(|error| database_error(&self.path.join(DATABASE), error))
    }

    fn folder(&self) -> &Path {
        &self.path
    }

    /// The lock keeps other processes from replacing what is in it.
    fn check_current(&self) -> Result<(), StoreError> {
        Ok(())
    }
}

impl Store for Workspace {
    fn reader(&self) -> Result<Box<dyn ReadStore + Send>, StoreError> {
        Ok(Box::new(Workspace::reader(self)?))
    }
}

impl RunStore for Workspace {
    fn begin_run(
        &self,
        kind: RunKind,
        program: &str,
        settings: &str,
        now: Timestamp,
    ) -> Result<RunId, StoreError> {
        let (program, settings) = (program.to_owned(), settings.to_owned());
        self.0.writer.run(move |connection| {
            connection.execute(
                "INSERT INTO run (kind, program, settings, started_at) VALUES (?1, ?2, ?3, ?4)",
                (kind.as_str(), program, settings, now.as_millis()),
            )?;
            Ok(RunId(connection.last_insert_rowid()))
        })
    }

    fn resume_run(&self, kind: RunKind, now: Timestamp) -> Result<Option<RunId>, StoreError> {
        self.0.writer.run(move |connection| {
            let mut statement = connection.prepare(
                "UPDATE run SET resumed_at = ?2
                 WHERE id = (SELECT max(id) FROM run WHERE kind = ?1) AND ended_at IS NULL RETURNING id",
            )?;
            let mut rows = statement.query((kind.as_str(), now.as_millis()))?;
            let run = rows.next()?.map(|row| row.get(0)).transpose()?;
            Ok(run.map(RunId))
        })
    }

    fn end_run(&self, run: RunId, now: Timestamp) -> Result<(), StoreError> {
        self.0.writer.run(move |connection| {
            let outcome = RunOutcome::Finished;
            let mut statement = connection.prepare_cached(
                "UPDATE run SET ended_at = ?2, outcome = ?3 WHERE id = ?1 AND ended_at IS NULL
                 RETURNING kind, started_at",
            )?;
            let ended = statement
                .query_row((run.0, now.as_millis(), outcome.as_str()), |row| {
                    Ok((row.get::<_, String>(0)?, millis(row, 1)?))
                })
                .optional()?;
            if let Some((kind, started_at)) = ended {
                let alert = Alert::run_ended(run.0, &kind, outcome, [started_at, now]);
                log_alert(connection, "", &alert, true, now)?;
            }
            Ok(())
        })
    }
}
