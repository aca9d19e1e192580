//! Coverage of attributes: the share of the records of a site that have a value.

use magpie_rows::{Coverage, CoverageRow, CoverageStore, Filled, SiteId, StoreError};

use crate::failure::Failure;
use crate::hand_in::put;
use crate::numbers::bucket_of;
use crate::server::call;
use crate::statements::{ALL_COVERAGE, COVERAGE, DROP_COVERAGE, PUT_COVERAGE};
use crate::store::Store;
use crate::value::{Cells, fields};

impl Coverage for Store {
    fn field_coverage(&self, vertical: &str, site: Option<SiteId>) -> Result<Vec<CoverageRow>, StoreError> {
        let call = match site {
            Some(site) => call(
                &COVERAGE,
                [bucket_of(site.0).into(), site.0.into(), vertical.into()],
            ),
            None => call(&ALL_COVERAGE, [vertical.into()]),
        };
        self.query(call, |cells| {
            Ok(CoverageRow {
                site: SiteId(cells.get()?),
                attribute: cells.get()?,
                of_details: cells.get()?,
                learned: filled(cells)?,
                last: filled(cells)?,
                fell_at: cells.optional_time()?,
                monitor: cells.get()?,
            })
        })
    }
}

impl CoverageStore for Store {
    fn put_coverage(&self, vertical: &str, site: SiteId, rows: Vec<CoverageRow>) -> Result<(), StoreError> {
        let bucket = bucket_of(site.0);
        let writes = || {
            let drop = [bucket.into(), site.0.into(), vertical.into()];
            let mut calls = vec![call(&DROP_COVERAGE, drop)];
            let rows = rows.iter().map(|row| {
                [
                    vertical.into(),
                    site.0.into(),
                    (&row.attribute).into(),
                    row.of_details.into(),
                    row.learned.filled.into(),
                    row.learned.records.into(),
                    row.last.filled.into(),
                    row.last.records.into(),
                    row.fell_at.into(),
                    (&row.monitor).into(),
                ]
            });
            put(&mut calls, &PUT_COVERAGE, bucket, rows);
            calls
        };
        self.write(site, writes).map(drop)
    }
}

fn filled(cells: &mut Cells<'_>) -> Result<Filled, Failure> {
    Ok(fields!(
        cells,
        Filled {
            filled: unsigned,
            records: unsigned
        }
    ))
}
