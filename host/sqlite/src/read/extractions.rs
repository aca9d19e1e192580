//! Results of plugins on pages.

use std::time::Duration;

use magpie_model::Judgement;
use magpie_rows::{
    Component, ComponentTotals, ExtractionRow, FailedPage, FoundRecord, JudgementRow, PageId, SiteId,
    Statistics, Status, StoreError, ViolatingPage, ViolationTotals,
};
use rusqlite::{Connection, Row};

use crate::column::{DONE, json_array, millis, optional_millis, record};
use crate::opened::{Looks, Opened};
use crate::read::page::counts;
use crate::warehouse::standing;

const COMPONENT: &str = "component.vertical, component.version, component.digest, component.options";

impl<A: Looks> Statistics for Opened<A> {
    fn status(&self) -> Result<Status, StoreError> {
        self.look(|connection| {
            let number = |sql: &str| {
                connection
                    .query_row(sql, [], |row| row.get::<_, i64>(0))
                    .map(i64::unsigned_abs)
            };
            Ok(Status {
                urls: counts(connection, None)?,
                pages: number("SELECT count(*) FROM page")?,
                records: number("SELECT count(*) FROM record WHERE standing = 1")?,
                sites: number("SELECT count(*) FROM site")?,
                archives: number("SELECT count(*) FROM archive")?,
                archive_bytes: number("SELECT coalesce(sum(bytes), 0) FROM archive")?,
            })
        })
    }

    fn component_totals(&self) -> Result<Vec<ComponentTotals>, StoreError> {
        self.look(|connection| {
            let sql = format!(
                "SELECT {COMPONENT}, outcome, count(*), count(nullif(records, 0)), sum(records), sum(violations), sum(cpu)
                 FROM extraction JOIN component ON component.id = component_id
                 GROUP BY component_id, outcome ORDER BY component_id"
            );
            let mut statement = connection.prepare_cached(&sql)?;
            let rows = statement.query_map([], totals)?;
            Ok(ComponentTotals::joined(rows.collect::<rusqlite::Result<Vec<_>>>()?))
        })
    }

    fn extractions(&self, page: PageId) -> Result<Vec<ExtractionRow>, StoreError> {
        self.look(|connection| {
            let sql = format!(
                "SELECT {COMPONENT}, outcome, detail, records, violations, cpu
                 FROM extraction JOIN component ON component.id = component_id WHERE page_id = ?1 ORDER BY component_id"
            );
            let mut statement = connection.prepare_cached(&sql)?;
            let rows = statement.query_map([page.0], |row| {
                Ok(ExtractionRow {
                    component: component(row)?,
                    problem: Some(row.get(4)?).filter(|outcome| outcome != DONE),
                    detail: row.get(5)?,
                    records: row.get::<_, i64>(6)?.unsigned_abs(),
                    violations: row.get::<_, i64>(7)?.unsigned_abs(),
                    cpu: Duration::from_micros(row.get::<_, i64>(8)?.unsigned_abs()),
                })
            })?;
            rows.collect()
        })
    }

    fn failed_pages(&self, each: usize, limit: usize) -> Result<Vec<FailedPage>, StoreError> {
        self.look(|connection| {
            let sql = format!(
                "SELECT {COMPONENT}, outcome, coalesce(page.url, url.url, ''), page.fetched_at, failed.detail
                 FROM (SELECT page_id, component_id, outcome, detail,
                     row_number() OVER (PARTITION BY component_id, outcome ORDER BY page_id DESC) AS place
                     FROM extraction WHERE outcome <> ?1) AS failed
                 JOIN component ON component.id = component_id
                 JOIN page ON page.id = page_id LEFT JOIN url ON url.id = page.url_id
                 WHERE place <= ?2 ORDER BY component_id, outcome, page_id DESC LIMIT ?3"
            );
            let mut statement = connection.prepare_cached(&sql)?;
            let rows = statement.query_map((DONE, each as i64, limit as i64), |row| {
                Ok(FailedPage {
                    component: component(row)?,
                    problem: row.get(4)?,
                    url: row.get(5)?,
                    fetched_at: millis(row, 6)?,
                    detail: row.get(7)?,
                })
            })?;
            rows.collect()
        })
    }

    fn records_waiting(&self, vertical: &str) -> Result<u64, StoreError> {
        self.look(|connection| standing::records_waiting(connection, vertical))
    }

    fn violation_totals(&self, vertical: &str, limit: usize) -> Result<Vec<ViolationTotals>, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT page.site_id, attribute, code, sum(count), count(*) FROM violation
                 JOIN component ON component.id = component_id JOIN page ON page.id = page_id
                 WHERE vertical = ?1 GROUP BY page.site_id, attribute, code
                 ORDER BY sum(count) DESC, page.site_id, attribute, code LIMIT ?2",
            )?;
            let rows = statement.query_map((vertical, limit as i64), |row| {
                Ok(ViolationTotals {
                    site: SiteId(row.get(0)?),
                    attribute: row.get(1)?,
                    code: row.get(2)?,
                    values: row.get::<_, i64>(3)?.unsigned_abs(),
                    pages: row.get::<_, i64>(4)?.unsigned_abs(),
                })
            })?;
            rows.collect()
        })
    }

    fn violating_pages(
        &self,
        vertical: &str,
        site: SiteId,
        (attribute, code): (&str, &str),
        limit: usize,
    ) -> Result<Vec<ViolatingPage>, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT page.id, coalesce(page.url, url.url, ''), page.fetched_at, count, extraction.detail
                 FROM violation JOIN component ON component.id = violation.component_id
                 JOIN page ON page.id = violation.page_id LEFT JOIN url ON url.id = page.url_id
                 JOIN extraction ON extraction.page_id = page.id AND extraction.component_id = violation.component_id
                 WHERE vertical = ?1 AND page.site_id = ?2 AND attribute = ?3 AND code = ?4
                 ORDER BY page.id DESC LIMIT ?5",
            )?;
            let rows = statement.query_map((vertical, site.0, attribute, code, limit as i64), |row| {
                Ok(ViolatingPage {
                    page: PageId(row.get(0)?),
                    url: row.get(1)?,
                    fetched_at: millis(row, 2)?,
                    values: row.get::<_, i64>(3)?.unsigned_abs(),
                    detail: row.get(4)?,
                })
            })?;
            rows.collect()
        })
    }
}

pub(crate) fn records_of(
    connection: &Connection,
    vertical: &str,
    pages: &[PageId],
) -> rusqlite::Result<Vec<FoundRecord>> {
    let pages: Vec<i64> = pages.iter().map(|page| page.0).collect();
    let mut statement = connection.prepare_cached(
        "SELECT record.id, page.id, coalesce(page.url, url.url), page.fetched_at, component.vertical,
            record.record, record.expires_at
         FROM json_each(?2) AS wanted CROSS JOIN page ON page.id = wanted.value
         CROSS JOIN record ON record.page_id = page.id CROSS JOIN component ON component.id = record.component_id
         LEFT JOIN url ON url.id = page.url_id
         WHERE component.vertical = ?1 AND record.standing = 1 ORDER BY wanted.key, record.id",
    )?;
    let rows = statement.query_map((vertical, json_array(&pages)), |row| {
        Ok(FoundRecord {
            id: row.get(0)?,
            page: PageId(row.get(1)?),
            url: row.get(2)?,
            fetched_at: millis(row, 3)?,
            vertical: row.get(4)?,
            record: record(row, 5)?.unwrap_or_default(),
            expires_at: optional_millis(row, 6)?,
        })
    })?;
    rows.collect()
}

/// Returns the judgements of pages, in the order of `pages`.
pub(crate) fn judgements_of(
    connection: &Connection,
    pages: &[PageId],
) -> rusqlite::Result<Vec<JudgementRow>> {
    let pages: Vec<i64> = pages.iter().map(|page| page.0).collect();
    let mut statement = connection.prepare_cached(
        "SELECT judgement.page_id, component.vertical, component.version, accepted, confidence, reason
         FROM json_each(?1) AS wanted CROSS JOIN judgement ON judgement.page_id = wanted.value
         CROSS JOIN component ON component.id = judgement.component_id
         ORDER BY wanted.key, judgement.component_id",
    )?;
    let rows = statement.query_map([json_array(&pages)], |row| {
        Ok(JudgementRow {
            page: PageId(row.get(0)?),
            vertical: row.get(1)?,
            version: row.get(2)?,
            judgement: Judgement {
                accepted: row.get(3)?,
                confidence: row.get(4)?,
                reason: row.get(5)?,
            },
        })
    })?;
    rows.collect()
}

/// Returns the components that were shown pages, in the order in which they came into use.
pub(crate) fn components(connection: &Connection) -> rusqlite::Result<Vec<Component>> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {COMPONENT} FROM component WHERE id IN (SELECT component_id FROM extraction) ORDER BY id"
    ))?;
    let rows = statement.query_map([], component)?;
    rows.collect()
}

/// Reads the totals of a component and an outcome.
fn totals(row: &Row<'_>) -> rusqlite::Result<ComponentTotals> {
    let number = |column| row.get::<_, i64>(column).map(i64::unsigned_abs);
    let outcome: String = row.get(4)?;
    let pages = number(5)?;
    let failed = (outcome != DONE).then_some((outcome, pages));
    Ok(ComponentTotals {
        component: component(row)?,
        pages,
        hits: number(6)?,
        records: number(7)?,
        violations: number(8)?,
        cpu: Duration::from_micros(number(9)?),
        problems: failed.into_iter().collect(),
    })
}

fn component(row: &Row<'_>) -> rusqlite::Result<Component> {
    Ok(Component {
        vertical: row.get(0)?,
        version: row.get(1)?,
        digest: row.get(2)?,
        options: row.get(3)?,
    })
}
