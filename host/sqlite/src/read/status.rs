//! The state of a workspace.

use magpie_rows::{RunId, RunRow, SiteId, SiteRow};
use rusqlite::Connection;

use crate::column::{millis, optional_millis, word};

pub(crate) fn runs(connection: &Connection) -> rusqlite::Result<Vec<RunRow>> {
    let mut statement = connection.prepare(
        "SELECT id, kind, program, settings, started_at, resumed_at, ended_at, outcome FROM run ORDER BY id",
    )?;
    let rows = statement.query_map([], |row| {
        Ok(RunRow {
            id: RunId(row.get(0)?),
            kind: word(row, 1)?,
            program: row.get(2)?,
            settings: row.get(3)?,
            started_at: millis(row, 4)?,
            resumed_at: optional_millis(row, 5)?,
            ended_at: optional_millis(row, 6)?,
            outcome: row.get(7)?,
        })
    })?;
    rows.collect()
}

pub(crate) fn sites_after(
    connection: &Connection,
    after: Option<SiteId>,
    limit: usize,
) -> rusqlite::Result<Vec<SiteRow>> {
    let mut statement = connection.prepare_cached(
        "SELECT id, key, queued, ready_at, lease_owner, lease_until FROM site WHERE id > ?1 ORDER BY id LIMIT ?2",
    )?;
    let after = after.map_or(i64::MIN, |site| site.0);
    let rows = statement.query_map((after, limit as i64), |row| {
        Ok(SiteRow {
            id: SiteId(row.get(0)?),
            key: row.get(1)?,
            queued: row.get::<_, i64>(2)?.unsigned_abs(),
            ready_at: millis(row, 3)?,
            owner: row.get(4)?,
            lease_until: millis(row, 5)?,
        })
    })?;
    rows.collect()
}
