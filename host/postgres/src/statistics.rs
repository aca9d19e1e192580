//! Sums over a workspace, and what plugins made of pages.

use std::time::Duration;

use magpie_rows::{
    Component, ComponentTotals, ExtractionRow, FailedPage, PageId, SiteId, Statistics, Status, StoreError,
    Urls as _, ViolatingPage, ViolationTotals,
};

use crate::failure::Failure;
use crate::hand_in::DONE;
use crate::numbers::{bucket_of, rows_of};
use crate::server::call;
use crate::statements::statistics::{
    COMPONENT_TOTALS, EXTRACTIONS, FAILED_PAGES, RECORDS_WAITING, TOTALS_OF_ALL, VIOLATING_PAGES,
    VIOLATION_TOTALS,
};
use crate::store::Store;
use crate::value::{Cells, fields};

impl Statistics for Store {
    fn status(&self) -> Result<Status, StoreError> {
        let totals = self.query(call(&TOTALS_OF_ALL, []), |cells| {
            let mut next = || cells.unsigned();
            Ok([next()?, next()?, next()?, next()?, next()?])
        })?;
        let [pages, records, sites, archives, archive_bytes] = totals.first().copied().unwrap_or_default();
        Ok(Status {
            urls: self.url_counts(None)?,
            pages,
            records,
            sites,
            archives,
            archive_bytes,
        })
    }

    fn component_totals(&self) -> Result<Vec<ComponentTotals>, StoreError> {
        let rows = self.query(call(&COMPONENT_TOTALS, []), |cells| {
            let component = component(cells)?;
            let outcome: String = cells.get()?;
            let pages = cells.unsigned()?;
            let failed = (outcome != DONE).then_some((outcome, pages));
            Ok(ComponentTotals {
                component,
                pages,
                hits: cells.unsigned()?,
                records: cells.unsigned()?,
                violations: cells.unsigned()?,
                cpu: Duration::from_micros(cells.unsigned()?),
                problems: failed.into_iter().collect(),
            })
        })?;
        Ok(ComponentTotals::joined(rows))
    }

    fn extractions(&self, page: PageId) -> Result<Vec<ExtractionRow>, StoreError> {
        let values = [bucket_of(page.0).into(), page.0.into()];
        self.query(call(&EXTRACTIONS, values), |cells| {
            Ok(ExtractionRow {
                component: component(cells)?,
                problem: Some(cells.get()?).filter(|outcome| outcome != DONE),
                detail: cells.get()?,
                records: cells.unsigned()?,
                violations: cells.unsigned()?,
                cpu: Duration::from_micros(cells.unsigned()?),
            })
        })
    }

    fn failed_pages(&self, each: usize, limit: usize) -> Result<Vec<FailedPage>, StoreError> {
        let values = [(each as i64).into(), (limit as i64).into()];
        self.query(call(&FAILED_PAGES, values), |cells| {
            Ok(FailedPage {
                component: component(cells)?,
                problem: cells.get()?,
                url: cells.get()?,
                fetched_at: cells.time()?,
                detail: cells.get()?,
            })
        })
    }

    fn records_waiting(&self, vertical: &str) -> Result<u64, StoreError> {
        let waiting = self.query(call(&RECORDS_WAITING, [vertical.into()]), |cells| {
            cells.unsigned()
        })?;
        Ok(waiting.into_iter().sum())
    }

    fn violation_totals(&self, vertical: &str, limit: usize) -> Result<Vec<ViolationTotals>, StoreError> {
        let values = [vertical.into(), (limit as i64).into()];
        self.query(call(&VIOLATION_TOTALS, values), |cells| {
            Ok(ViolationTotals {
                site: cells.site()?,
                attribute: cells.get()?,
                code: cells.get()?,
                values: cells.unsigned()?,
                pages: cells.unsigned()?,
            })
        })
    }

    fn violating_pages(
        &self,
        vertical: &str,
        site: SiteId,
        (attribute, code): (&str, &str),
        limit: usize,
    ) -> Result<Vec<ViolatingPage>, StoreError> {
        let (first, last) = rows_of(site);
        let values = [
            bucket_of(site.0).into(),
            first.into(),
            last.into(),
            vertical.into(),
            attribute.into(),
            code.into(),
            (limit as i64).into(),
        ];
        self.query(call(&VIOLATING_PAGES, values), |cells| {
            Ok(ViolatingPage {
                page: PageId(cells.get()?),
                url: cells.get()?,
                fetched_at: cells.time()?,
                values: cells.unsigned()?,
                detail: cells.get()?,
            })
        })
    }
}

pub(crate) fn component(cells: &mut Cells<'_>) -> Result<Component, Failure> {
    Ok(fields!(
        cells,
        Component {
            vertical: get,
            version: get,
            digest: get,
            options: get,
        }
    ))
}
