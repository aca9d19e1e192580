//! The archives the database knows of.

use std::path::Path;

use magpie_rows::RunId;
use magpie_values::Timestamp;
use rusqlite::{Connection, OptionalExtension, params};

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
    let last: i64 = connection.query_row("SELECT coalesce(max(id), 0) FROM archive", [], |row| row.get(0))?;
    let mut id = last + 1;
    let name = |id: i64| match run {
        Some(run) => format!("magpie-run{:04}-{id:05}.warc.gz", run.0),
        None => format!("magpie-{id:05}.warc.gz"),
    };
    // The file may be another program's. It is not overwritten.
    while folder.join(name(id)).exists() {
        id += 1;
    }
    connection.execute(
        "INSERT INTO archive (id, name, run_id, bytes, started_at, closed) VALUES (?1, ?2, ?3, 0, ?4, 0)",
        params![id, name(id), run.map(|run| run.0), now.as_millis()],
    )?;
    Ok((id, name(id), 0))
}
