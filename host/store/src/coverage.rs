//! Coverage of attributes: the share of the records of a site that have a value.

use magpie_values::Timestamp;
use rusqlite::{Row, params};

use crate::column::optional_millis;
use crate::read::Looks;
use crate::{SiteId, StoreError, Workspace};

/// Reads the coverage of attributes.
pub trait Coverage {
    /// Returns the coverage of the attributes of a vertical, of one site or of all, by site and
    /// attribute.
    fn field_coverage(&self, vertical: &str, site: Option<SiteId>) -> Result<Vec<CoverageRow>, StoreError>;
}

/// Writes the coverage of attributes.
pub trait CoverageStore: Coverage {
    /// Keeps the coverage of a site in place of the one before.
    fn put_coverage(&self, vertical: &str, site: SiteId, rows: Vec<CoverageRow>) -> Result<(), StoreError>;
}

/// The coverage of an attribute on a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoverageRow {
    /// The site.
    pub site: SiteId,
    /// The attribute.
    pub attribute: String,
    /// True if only records on detail pages are counted: the site had enough of them when it was
    /// learned.
    pub of_details: bool,
    /// The coverage when the site was learned.
    pub learned: Filled,
    /// The coverage of the last round in which records were read.
    pub last: Filled,
    /// The time since which fewer records have a value than when the site was learned, if that is
    /// proven.
    pub fell_at: Option<Timestamp>,
    /// The state of the test that proves it, as JSON.
    pub monitor: Option<String>,
}

/// A number of records, and of those that have a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Filled {
    /// Records with a value.
    pub filled: u64,
    /// All records.
    pub records: u64,
}

impl Filled {
    /// Returns the share of the records that have a value; 0 without records.
    pub fn share(self) -> f64 {
        self.filled as f64 / self.records.max(1) as f64
    }
}

impl<L: Looks> Coverage for L {
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
