//! Coverage of attributes: the share of the records of a site that have a value.

use magpie_rows::{Coverage, CoverageRow, CoverageStore, Filled, SiteId, StoreError};
use magpie_values::Timestamp;
use rusqlite::{Row, params};

use crate::column::optional_millis;
use crate::opened::{Looks, Opened};
use crate::workspace::Workspace;

impl<A: Looks> Coverage for Opened<A> {
    fn field_coverage(&self, vertical: &str, site: Option<SiteId>) -> Result<Vec<CoverageRow>, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT site_id, attribute, of_details, learned_filled, learned_records, filled, records,
                    fell_at, monitor
                 FROM coverage WHERE vertical = ?1 AND (?2 IS NULL OR site_id = ?2) ORDER BY site_id, attribute",
            )?;
            let rows = statement.query_map((vertical, site.map(|site| site.0)), coverage_row)?;
            rows.collect()
        })
    }
}

impl CoverageStore for Workspace {
    fn put_coverage(&self, vertical: &str, site: SiteId, rows: Vec<CoverageRow>) -> Result<(), StoreError> {
        let vertical = vertical.to_owned();
        self.write(move |connection| {
            connection
                .prepare_cached("DELETE FROM coverage WHERE vertical = ?1 AND site_id = ?2")?
                .execute((&vertical, site.0))?;
            let mut statement = connection
                .prepare_cached("INSERT INTO coverage VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)")?;
            for row in &rows {
                statement.execute(params![
                    vertical,
                    site.0,
                    row.attribute,
                    row.of_details,
                    row.learned.filled.cast_signed(),
                    row.learned.records.cast_signed(),
                    row.last.filled.cast_signed(),
                    row.last.records.cast_signed(),
                    row.fell_at.map(Timestamp::as_millis),
                    row.monitor,
                ])?;
            }
            Ok(())
        })
    }
}

fn coverage_row(row: &Row<'_>) -> rusqlite::Result<CoverageRow> {
    let filled = |at: usize| -> rusqlite::Result<Filled> {
        Ok(Filled {
            filled: row.get::<_, i64>(at)?.unsigned_abs(),
            records: row.get::<_, i64>(at + 1)?.unsigned_abs(),
        })
    };
    Ok(CoverageRow {
        site: SiteId(row.get(0)?),
        attribute: row.get(1)?,
        of_details: row.get(2)?,
        learned: filled(3)?,
        last: filled(5)?,
        fell_at: optional_millis(row, 7)?,
        monitor: row.get(8)?,
    })
}
