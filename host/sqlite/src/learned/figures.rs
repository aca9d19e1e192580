//! Sums over runs and sites, as reports give them.

use magpie_rows::{RunId, RunTotals, SiteId};
use magpie_values::Timestamp;
use rusqlite::{Connection, Row};

use crate::column::json_array;

/// Counts the pages of a site with objects of a vertical, and those of them with a violation.
pub(crate) fn checked_pages(
    connection: &Connection,
    vertical: &str,
    site: SiteId,
) -> rusqlite::Result<(u64, u64)> {
    let mut statement = connection.prepare_cached(
        "SELECT count(*), count(nullif(violations, 0)) FROM url JOIN page ON page.url_id = url.id
         JOIN extraction ON extraction.page_id = page.id JOIN component ON component.id = component_id
         WHERE url.site_id = ?2 AND vertical = ?1 AND records > 0",
    )?;
    statement.query_row((vertical, site.0), |row| {
        let number = |column| row.get::<_, i64>(column).map(i64::unsigned_abs);
        Ok((number(0)?, number(1)?))
    })
}

/// Counts the objects of a vertical that were first seen in a window.
pub(crate) fn new_objects(
    connection: &Connection,
    vertical: &str,
    (since, until): (Timestamp, Timestamp),
) -> rusqlite::Result<u64> {
    let mut statement = connection.prepare_cached(
        "SELECT count(*) FROM object JOIN warehouse ON warehouse.id = warehouse_id
         WHERE merged_into IS NULL AND vertical = ?1 AND first_seen BETWEEN ?2 AND ?3",
    )?;
    statement.query_row((vertical, since.as_millis(), until.as_millis()), |row| {
        Ok(row.get::<_, i64>(0)?.unsigned_abs())
    })
}

/// Counts what some runs fetched, and found for a vertical.
pub(crate) fn run_totals(
    connection: &Connection,
    vertical: &str,
    runs: &[RunId],
    window: (Timestamp, Timestamp),
) -> rusqlite::Result<RunTotals> {
    let runs: Vec<i64> = runs.iter().map(|run| run.0).collect();
    let runs = json_array(&runs);
    const OF_RUNS: &str = "run_id IN (SELECT value FROM json_each(?1))";
    let number = |row: &Row<'_>, column: usize| row.get::<_, i64>(column).map(i64::unsigned_abs);
    let pages = format!(
        "SELECT count(DISTINCT url_id), coalesce(sum(bytes), 0) FROM page WHERE url_id IS NOT NULL AND {OF_RUNS}"
    );
    let records = format!(
        "SELECT coalesce(sum(records), 0) FROM extraction JOIN component ON component.id = component_id
         JOIN page ON page.id = page_id WHERE {OF_RUNS} AND vertical = ?2"
    );
    let new_records = format!(
        "SELECT count(*) FROM member JOIN warehouse ON warehouse.id = warehouse_id
         JOIN record ON record.id = member.record_id JOIN page ON page.id = record.page_id
         WHERE {OF_RUNS} AND vertical = ?2"
    );
    let (pages, bytes) = connection
        .prepare_cached(&pages)?
        .query_row([&runs], |row| Ok((number(row, 0)?, number(row, 1)?)))?;
    let of_vertical = |sql: &str| {
        let mut statement = connection.prepare_cached(sql)?;
        statement.query_row([runs.as_str(), vertical], |row| number(row, 0))
    };
    Ok(RunTotals {
        pages,
        bytes,
        records: of_vertical(&records)?,
        new_records: of_vertical(&new_records)?,
        new_objects: new_objects(connection, vertical, window)?,
    })
}
