//! The archives the database knows of.

use std::path::Path;

use magpie_archive::{Segments, StoreUrl, stem};
use magpie_rows::RunId;
use magpie_values::Timestamp;
use rusqlite::{Connection, OptionalExtension, params};

use crate::history::log::WORKSPACE_ID;

/// The archive of a run that can be continued: number, name, length.
pub(super) fn unfinished(
    connection: &Connection,
    run: Option<RunId>,
) -> rusqlite::Result<Option<(i64, String, u64)>> {
    connection
        .query_row(
            "SELECT id, name, bytes FROM archive WHERE run_id IS ?1 AND closed = 0 ORDER BY id DESC LIMIT 1",
            [run.map(|run| run.0)],
            |row| Ok((row.get(0)?, row.get(1)?, row.get::<_, i64>(2)?.unsigned_abs())),
        )
        .optional()
}

/// Makes a new archive known. Its name is free, also of files that are not ours.
pub(super) fn begin_archive(
    connection: &Connection,
    folder: &Path,
    run: Option<RunId>,
    now: Timestamp,
) -> rusqlite::Result<(i64, String, u64)> {
    let mut id = next_id(connection)?;
    let name = |id: i64| format!("{}.warc.gz", stem(run, id));
    // The file may be another program's. It is not overwritten.
    while folder.join(name(id)).exists() {
        id += 1;
    }
    insert(connection, id, &name(id), run, now, false)?;
    Ok((id, name(id), 0))
}

/// Returns names for the segments of this process below the folder of the workspace in a store.
pub(crate) fn new_segments(connection: &Connection, below: StoreUrl) -> rusqlite::Result<Segments> {
    let token = connection.query_row("SELECT lower(hex(randomblob(6)))", [], |row| row.get(0))?;
    Ok(Segments { below, token })
}

/// Returns the folder of a workspace in an object store, which workspaces may share.
pub(crate) fn segments_below(connection: &Connection, store: &StoreUrl) -> rusqlite::Result<StoreUrl> {
    let sql = "SELECT value FROM meta WHERE key = ?1";
    let workspace: String = connection.query_row(sql, [WORKSPACE_ID], |row| row.get(0))?;
    Ok(store.join(&workspace))
}

pub(crate) fn next_id(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("SELECT coalesce(max(id), 0) + 1 FROM archive", [], |row| {
        row.get(0)
    })
}

/// Makes an archive known. Its length follows with its first pages.
pub(crate) fn insert(
    connection: &Connection,
    id: i64,
    name: &str,
    run: Option<RunId>,
    now: Timestamp,
    closed: bool,
) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO archive (id, name, run_id, bytes, started_at, closed) VALUES (?1, ?2, ?3, 0, ?4, ?5)",
    )?;
    let run = run.map(|run| run.0);
    statement
        .execute(params![id, name, run, now.as_millis(), closed])
        .map(drop)
}
