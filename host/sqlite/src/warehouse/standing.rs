//! Reading the warehouse while a vertical is being clustered.

use std::collections::HashSet;

use magpie_model::Record;
use magpie_rows::found::{self, NewPage, News};
use magpie_rows::{
    FoundPages, MatcherKind, Matching, MemberFilter, MemberState, PageId, RecordRow, SiteId, StandingRow,
    WarehouseLink, WarehouseRow,
};
use rusqlite::{Connection, OptionalExtension, Row};

use crate::column::{DONE, json_array, millis, optional_millis, record, url_print, word};
use crate::warehouse::readings;

const WAREHOUSE: &str = "SELECT id, vertical, matcher, digest, options, schema, clustered_at FROM warehouse";

/// Counts the records of a vertical that are not clustered yet.
pub(crate) fn records_waiting(connection: &Connection, vertical: &str) -> rusqlite::Result<u64> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT coalesce(sum(extraction.records), 0) FROM ({NEWS}) AS news
         CROSS JOIN page ON page.site_id = news.site AND page.number > news.after
         CROSS JOIN extraction ON extraction.page_id = page.id AND outcome = ?2
         WHERE component_id IN (SELECT id FROM component WHERE vertical = ?1)"
    ))?;
    let row = statement.query_row((vertical, DONE), |row| row.get::<_, i64>(0));
    row.map(i64::unsigned_abs)
}

/// Reads the progress of the clustering of each vertical.
pub(super) fn warehouse_verticals(connection: &Connection) -> rusqlite::Result<Vec<WarehouseRow>> {
    let mut statement = connection.prepare_cached(&format!("{WAREHOUSE} ORDER BY vertical"))?;
    let rows = statement.query_map([], warehouse_row)?;
    rows.collect()
}

/// The sites with pages that are not clustered, each with the number of the last one that is. The
/// vertical is the first parameter.
pub(super) const NEWS: &str = "SELECT site.id AS site, coalesce(clustered.page, 0) AS after
    FROM site LEFT JOIN clustered ON clustered.site_id = site.id
        AND clustered.warehouse_id = (SELECT id FROM warehouse WHERE vertical = ?1)
    WHERE (SELECT max(number) FROM page WHERE page.site_id = site.id) > coalesce(clustered.page, 0)";

pub(super) fn warehouse_vertical(
    connection: &Connection,
    vertical: &str,
) -> rusqlite::Result<Option<WarehouseRow>> {
    let mut statement = connection.prepare_cached(&format!("{WAREHOUSE} WHERE vertical = ?1"))?;
    statement.query_row([vertical], warehouse_row).optional()
}

pub(super) fn members(connection: &Connection, of: MemberFilter<'_>) -> rusqlite::Result<Vec<MemberState>> {
    const MEMBER: &str = "SELECT DISTINCT member.record_id, object_id, url_print, record_print, current,
        features IS NOT NULL, coalesce(substr(origin, 1, 1) = x'01', 0), first_seen, last_seen FROM json_each(?1) AS wanted";
    let (sql, warehouse, wanted) = match of {
        MemberFilter::Urls(warehouse, urls) => {
            let mut prints: Vec<i64> = urls.iter().map(|url| url_print(url)).collect();
            prints.sort_unstable();
            prints.dedup();
            (
                format!(
                    "{MEMBER} CROSS JOIN member ON warehouse_id = ?2 AND url_print = wanted.value
                     ORDER BY member.record_id"
                ),
                warehouse,
                json_array(&prints),
            )
        }
        MemberFilter::Objects(objects) => (
            format!(
                "{MEMBER} CROSS JOIN member ON object_id = wanted.value WHERE ?2 = 0 ORDER BY member.record_id"
            ),
            0,
            json_array(objects),
        ),
        MemberFilter::Records(records) => (
            format!(
                "{MEMBER} CROSS JOIN sighting ON sighting.record_id = wanted.value
                 CROSS JOIN member ON member.record_id = sighting.member_id WHERE ?2 = 0 ORDER BY member.record_id"
            ),
            0,
            json_array(records),
        ),
    };
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map((wanted, warehouse), |row| {
        Ok(MemberState {
            id: row.get(0)?,
            object: row.get(1)?,
            url: row.get::<_, i64>(2)?.cast_unsigned(),
            record_print: u128::from_be_bytes(row.get(3)?),
            current: row.get(4)?,
            compared: row.get(5)?,
            is_subject: row.get(6)?,
            first_seen: millis(row, 7)?,
            last_seen: millis(row, 8)?,
        })
    })?;
    rows.collect()
}

pub(super) fn standing_after(
    connection: &Connection,
    warehouse: i64,
    after: i64,
    limit: usize,
) -> rusqlite::Result<Vec<StandingRow>> {
    let mut statement = connection.prepare_cached(
        "SELECT record_id, object_id, features, keys, coalesce(origin, x'') FROM member
         WHERE record_id > ?2 AND warehouse_id = ?1 AND features IS NOT NULL ORDER BY record_id LIMIT ?3",
    )?;
    let rows = statement.query_map((warehouse, after, limit as i64), |row| {
        Ok(StandingRow {
            id: row.get(0)?,
            object: row.get(1)?,
            features: row.get(2)?,
            keys: parsed(row, 3)?,
            origin: row.get(4)?,
        })
    })?;
    rows.collect()
}

pub(super) fn apart(connection: &Connection, warehouse: i64) -> rusqlite::Result<Vec<(i64, i64)>> {
    let mut statement = connection.prepare_cached(
        "SELECT one, other FROM apart JOIN member ON member.record_id = one WHERE warehouse_id = ?1 ORDER BY 1, 2",
    )?;
    let rows = statement.query_map([warehouse], |row| Ok((row.get(0)?, row.get(1)?)))?;
    rows.collect()
}

pub(super) fn links_of(connection: &Connection, object: i64) -> rusqlite::Result<Vec<WarehouseLink>> {
    let mut statement = connection.prepare_cached(
        "SELECT one, other, probability, scheme, reasons FROM member AS here
         JOIN member_link ON one = here.record_id JOIN member AS there ON there.record_id = other
         WHERE here.object_id = ?1 AND there.object_id = ?1 ORDER BY one, other",
    )?;
    let rows = statement.query_map([object], link_row)?;
    rows.collect()
}

pub(super) fn link_row(row: &Row<'_>) -> rusqlite::Result<WarehouseLink> {
    Ok(WarehouseLink {
        one: row.get(0)?,
        other: row.get(1)?,
        probability: row.get(2)?,
        scheme: row.get(3)?,
        reasons: parsed(row, 4)?,
    })
}

pub(super) fn records(connection: &Connection, numbers: &[i64]) -> rusqlite::Result<Vec<RecordRow>> {
    let mut statement = connection.prepare_cached(
        "SELECT record.id, record, expires_at FROM json_each(?1) AS wanted CROSS JOIN record ON record.id = wanted.value",
    )?;
    let rows = statement.query_map([json_array(numbers)], |row| {
        Ok(RecordRow {
            id: row.get(0)?,
            record: record(row, 1)?,
            expires_at: optional_millis(row, 2)?,
        })
    })?;
    rows.collect()
}

fn warehouse_row(row: &Row<'_>) -> rusqlite::Result<WarehouseRow> {
    Ok(WarehouseRow {
        id: row.get(0)?,
        vertical: row.get(1)?,
        matching: Matching {
            matcher: matcher(row, 2)?,
            digest: row.get(3)?,
            options: row.get(4)?,
            schema: row.get(5)?,
        },
        clustered_at: millis(row, 6)?,
    })
}

/// Reads a column that keeps a matcher, or an empty text.
fn matcher(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<MatcherKind>> {
    match row.get_ref(column)?.as_str()? {
        "" => Ok(None),
        _ => word(row, column).map(Some),
    }
}

/// Pages that are new to a vertical.
struct VerticalNews<'c> {
    connection: &'c Connection,
    vertical: &'c str,
}

/// Reads the next pages, after those that were clustered and have other records now.
pub(super) fn found(connection: &Connection, vertical: &str, records: usize) -> rusqlite::Result<FoundPages> {
    let again = readings::found_again(connection, vertical)?;
    if !again.pages.is_empty() {
        return Ok(again);
    }
    found::found(&VerticalNews { connection, vertical }, records)
}

impl News for VerticalNews<'_> {
    type Error = rusqlite::Error;

    fn sites(&self) -> rusqlite::Result<Vec<(SiteId, u64)>> {
        let mut statement = self
            .connection
            .prepare_cached(&format!("{NEWS} ORDER BY site.id"))?;
        let sites = statement.query_map([self.vertical], |row| {
            Ok((SiteId(row.get(0)?), row.get::<_, i64>(1)?.unsigned_abs()))
        })?;
        sites.collect()
    }

    fn pages(&self, site: SiteId, after: u64, limit: usize) -> rusqlite::Result<Vec<NewPage>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT page.number, page.id, coalesce(page.url, url.url), page.fetched_at, page.status,
                (SELECT sum(records) FROM extraction WHERE page_id = page.id AND outcome = ?4
                 AND component_id IN (SELECT id FROM component WHERE vertical = ?1))
             FROM page LEFT JOIN url ON url.id = page.url_id
             WHERE page.site_id = ?2 AND page.number > ?3 ORDER BY page.number LIMIT ?5",
        )?;
        let values = (self.vertical, site.0, after.cast_signed(), DONE, limit as i64);
        let rows = statement.query_map(values, |row| {
            Ok(NewPage {
                number: row.get::<_, i64>(0)?.unsigned_abs(),
                page: PageId(row.get(1)?),
                url: row.get(2)?,
                fetched_at: millis(row, 3)?,
                status: row.get(4)?,
                records: row.get::<_, Option<i64>>(5)?.map(i64::unsigned_abs),
            })
        })?;
        rows.collect()
    }

    fn records(
        &self,
        site: SiteId,
        after: u64,
        upto: u64,
    ) -> rusqlite::Result<Vec<(u64, i64, Option<Record>)>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT page.number, record.id, record.record FROM page
             CROSS JOIN extraction ON extraction.page_id = page.id AND outcome = ?5
                AND extraction.component_id IN (SELECT id FROM component WHERE vertical = ?1)
             CROSS JOIN record ON record.page_id = page.id AND record.component_id = extraction.component_id
                AND record.standing = 1
             WHERE page.site_id = ?2 AND page.number > ?3 AND page.number <= ?4 ORDER BY page.number, record.id",
        )?;
        let values = (
            self.vertical,
            site.0,
            after.cast_signed(),
            upto.cast_signed(),
            DONE,
        );
        let rows = statement.query_map(values, |row| {
            Ok((row.get::<_, i64>(0)?.unsigned_abs(), row.get(1)?, record(row, 2)?))
        })?;
        rows.collect()
    }

    fn standing(&self, prints: &[u64]) -> rusqlite::Result<HashSet<u64>> {
        let prints: Vec<i64> = prints.iter().map(|print| print.cast_signed()).collect();
        let mut statement = self.connection.prepare_cached(
            "SELECT DISTINCT url_print FROM json_each(?2) AS gone CROSS JOIN warehouse ON warehouse.vertical = ?1
             CROSS JOIN member ON member.warehouse_id = warehouse.id AND url_print = gone.value AND member.current = 1",
        )?;
        let rows = statement.query_map((self.vertical, json_array(&prints)), |row| {
            row.get::<_, i64>(0).map(i64::cast_unsigned)
        })?;
        rows.collect()
    }
}

/// Parses a column of JSON. An invalid value of another program counts as empty.
fn parsed<T: serde::de::DeserializeOwned + Default>(row: &Row<'_>, column: usize) -> rusqlite::Result<T> {
    let text: Option<String> = row.get(column)?;
    Ok(text
        .and_then(|text| serde_json::from_str(&text).ok())
        .unwrap_or_default())
}
