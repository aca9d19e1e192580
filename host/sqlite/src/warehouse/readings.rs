//! Records that readings of sites put in the place of those of the vertical.
//!
//! The records of the vertical stay: a site is learned from them. [`put`] decides which ones count.

use magpie_rows::{
    Extraction, FoundPage, FoundPages, Marks, PageId, PageReading, ShownPage, SiteId, SiteNews, SourcedRecord,
};
use magpie_values::Timestamp;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, params};

use crate::column::{DONE, millis, record};
use crate::warehouse::standing::NEWS;
use crate::writer::components::component_id;
use crate::writer::rows::insert_extraction;

/// Pages that are clustered again at a time.
const AGAIN: usize = 1_000;

/// The sites with pages that are not clustered yet.
pub(super) fn sites_with_news(connection: &Connection, vertical: &str) -> rusqlite::Result<Vec<SiteNews>> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT site.id, site.key, news.after FROM ({NEWS}) AS news JOIN site ON site.id = news.site ORDER BY site.id"
    ))?;
    let rows = statement.query_map([vertical], |row| {
        Ok(SiteNews {
            site: SiteId(row.get(0)?),
            key: row.get(1)?,
            after: row.get::<_, i64>(2)?.unsigned_abs(),
        })
    })?;
    rows.collect()
}

/// The extraction of a page by the newest component of a vertical. The vertical is the first
/// parameter.
const COMPONENT: &str = "SELECT max(component_id) FROM extraction
    WHERE page_id = page.id AND component_id IN (SELECT id FROM component WHERE vertical = ?1)";

pub(crate) fn shown_pages(
    connection: &Connection,
    vertical: &str,
    site: SiteId,
    after: u64,
    limit: usize,
) -> rusqlite::Result<Vec<ShownPage>> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT shown.id, number, url, outcome <> '{DONE}', record FROM (
            SELECT page.id AS id, page.number AS number, coalesce(page.url, url.url, '') AS url, ({COMPONENT}) AS component
            FROM page LEFT JOIN url ON url.id = page.url_id
            WHERE page.site_id = ?2 AND page.number > ?3 AND component IS NOT NULL ORDER BY page.number LIMIT ?4
         ) AS shown
         CROSS JOIN extraction ON extraction.page_id = shown.id AND extraction.component_id = shown.component
         LEFT JOIN record ON record.page_id = shown.id AND record.component_id = shown.component AND sources IS NULL
         ORDER BY number, record.id"
    ))?;
    let mut rows = statement.query((vertical, site.0, after.cast_signed(), limit as i64))?;
    let mut pages: Vec<ShownPage> = Vec::new();
    while let Some(row) = rows.next()? {
        let page = PageId(row.get(0)?);
        if pages.last().is_none_or(|last| last.page != page) {
            pages.push(ShownPage {
                page,
                number: row.get::<_, i64>(1)?.unsigned_abs(),
                url: row.get(2)?,
                has_failed: row.get(3)?,
                records: Vec::new(),
            });
        }
        let has_record = row.get_ref(4)? != ValueRef::Null;
        if let (true, Some(last)) = (has_record, pages.last_mut()) {
            last.records.extend(record(row, 4)?);
        }
    }
    Ok(pages)
}

/// Clustered pages that have other records now, with their records.
pub(super) fn found_again(connection: &Connection, vertical: &str) -> rusqlite::Result<FoundPages> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT again.id, site, url, fetched_at, record.id, record FROM (
            SELECT page.id AS id, page.site_id AS site, coalesce(page.url, url.url, '') AS url, page.fetched_at AS fetched_at,
                ({COMPONENT}) AS component
            FROM reread JOIN page ON page.id = page_id LEFT JOIN url ON url.id = page.url_id
            WHERE warehouse_id = (SELECT id FROM warehouse WHERE vertical = ?1) ORDER BY page.id LIMIT {AGAIN}
         ) AS again
         LEFT JOIN record ON record.page_id = again.id AND record.component_id = again.component AND standing = 1
         ORDER BY again.id, record.id"
    ))?;
    let mut rows = statement.query([vertical])?;
    let (mut pages, mut marks) = (Vec::<FoundPage>::new(), Marks::default());
    while let Some(row) = rows.next()? {
        let page = PageId(row.get(0)?);
        if pages.last().is_none_or(|last| last.page != page) {
            marks.again.push(page);
            pages.push(FoundPage {
                page,
                site: SiteId(row.get(1)?),
                url: row.get(2)?,
                fetched_at: millis(row, 3)?,
                records: Some(Vec::new()),
                is_gone: false,
            });
        }
        if let (Some(id), Some(last)) = (row.get(4)?, pages.last_mut()) {
            last.records.get_or_insert_default().push((id, record(row, 5)?));
        }
    }
    Ok(FoundPages {
        pages,
        marks,
        last: false,
    })
}

/// Puts the records of a reading in the place of those that count on a page. Returns false if they
/// are the same.
pub(super) fn put(connection: &Connection, vertical: &str, reading: &PageReading) -> rusqlite::Result<bool> {
    let page = reading.page.0;
    let component: Option<i64> = connection
        .prepare_cached(&format!("SELECT ({COMPONENT}) FROM page WHERE id = ?2"))?
        .query_row((vertical, page), |row| row.get(0))
        .optional()?
        .flatten();
    let Some(component) = component else {
        return Ok(false);
    };
    if present(connection, (page, component))? == reading.records.as_ref().map(|records| texts(records)) {
        return Ok(false);
    }
    // Members name the records that they were seen as, so only others are deleted.
    connection
        .prepare_cached(
            "DELETE FROM record WHERE page_id = ?1 AND component_id = ?2 AND sources IS NOT NULL
             AND NOT EXISTS (SELECT 1 FROM sighting WHERE record_id = record.id)",
        )?
        .execute((page, component))?;
    connection
        .prepare_cached(
            "UPDATE record SET standing = (sources IS NULL AND ?3) WHERE page_id = ?1 AND component_id = ?2",
        )?
        .execute((page, component, reading.records.is_none()))?;
    for SourcedRecord {
        record,
        sources,
        expires_at,
    } in reading.records.iter().flatten()
    {
        connection
            .prepare_cached(
                "INSERT INTO record (page_id, component_id, position, object_type, confidence, record, expires_at,
                    standing, sources)
                 SELECT ?1, ?2, coalesce(max(position) + 1, 0), ?3, ?4, ?5, ?6, 1, ?7 FROM record
                 WHERE page_id = ?1 AND component_id = ?2",
            )?
            .execute(params![
                page,
                component,
                record.object_type,
                record.confidence,
                record.to_text(),
                expires_at.map(Timestamp::as_millis),
                serde_json::to_string(sources).unwrap_or_default(),
            ])?;
    }
    cluster_again(connection, vertical, page)?;
    Ok(true)
}

/// The records of a reading that count on a page, as texts; `None` if those of the vertical count.
fn present(connection: &Connection, page: (i64, i64)) -> rusqlite::Result<Option<Vec<(String, String)>>> {
    let is_replaced: bool = connection
        .prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM record WHERE page_id = ?1 AND component_id = ?2
                AND (standing = 0) = (sources IS NULL))",
        )?
        .query_row(page, |row| row.get(0))?;
    let mut statement = connection.prepare_cached(
        "SELECT record, sources FROM record WHERE page_id = ?1 AND component_id = ?2 AND standing = 1
            AND sources IS NOT NULL ORDER BY id",
    )?;
    let rows = statement.query_map(page, |row| Ok((row.get(0)?, row.get(1)?)))?;
    let rows = rows.collect::<rusqlite::Result<_>>()?;
    Ok(is_replaced.then_some(rows))
}

fn texts(records: &[SourcedRecord]) -> Vec<(String, String)> {
    let text = |one: &SourcedRecord| {
        let sources = serde_json::to_string(&one.sources).unwrap_or_default();
        (one.record.to_text(), sources)
    };
    records.iter().map(text).collect()
}

/// Has a page clustered again, if it was clustered.
fn cluster_again(connection: &Connection, vertical: &str, page: i64) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO reread SELECT clustered.warehouse_id, page.id FROM page
             JOIN warehouse ON warehouse.vertical = ?1
             JOIN clustered ON clustered.warehouse_id = warehouse.id AND clustered.site_id = page.site_id
             WHERE page.id = ?2 AND page.number <= clustered.page ON CONFLICT DO NOTHING",
        )?
        .execute((vertical, page))
        .map(drop)
}

/// Puts an extraction in the place of those that the vertical made of a page before. Returns false
/// if the records are the same.
pub(super) fn replace(
    connection: &Connection,
    vertical: &str,
    page: PageId,
    extraction: &Extraction,
) -> rusqlite::Result<bool> {
    let component = component_id(connection, &extraction.component)?;
    let mut own = connection.prepare_cached(&format!(
        "SELECT record FROM record JOIN page ON page.id = record.page_id
         WHERE page_id = ?2 AND component_id = ({COMPONENT}) AND sources IS NULL ORDER BY record.id"
    ))?;
    let before = own.query_map((vertical, page.0), |row| row.get::<_, String>(0))?;
    let before: Vec<String> = before.collect::<rusqlite::Result<_>>()?;
    let found = extraction.records.iter().map(|found| found.record.to_text());
    let is_same = found.eq(before);
    if is_same {
        // The records stay, and so do those of the reading in their place. Older ones that members
        // were seen as keep their component: their positions may be the same.
        connection
            .prepare_cached(&format!(
                "UPDATE record SET component_id = ?3, position = position + (SELECT coalesce(max(position) + 1, 0)
                    FROM record WHERE page_id = ?2 AND component_id = ?3)
                 WHERE page_id = ?2 AND component_id <> ?3
                 AND component_id = (SELECT ({COMPONENT}) FROM page WHERE id = ?2)"
            ))?
            .execute((vertical, page.0, component))?;
    } else {
        // Records with sources are none of the vertical's own. Those that members were seen as
        // stay.
        for sql in [
            "DELETE FROM record WHERE page_id = ?2 AND component_id IN (SELECT id FROM component WHERE vertical = ?1)
             AND NOT EXISTS (SELECT 1 FROM sighting WHERE record_id = record.id)",
            "UPDATE record SET standing = 0, sources = coalesce(sources, '{}') WHERE page_id = ?2
             AND component_id IN (SELECT id FROM component WHERE vertical = ?1)",
        ] {
            connection.prepare_cached(sql)?.execute((vertical, page.0))?;
        }
    }
    for table in ["violation", "extraction"] {
        let sql = format!(
            "DELETE FROM {table} WHERE page_id = ?2
             AND component_id IN (SELECT id FROM component WHERE vertical = ?1)"
        );
        connection.prepare_cached(&sql)?.execute((vertical, page.0))?;
    }
    let last = "SELECT coalesce(max(position) + 1, 0) FROM record WHERE page_id = ?1 AND component_id = ?2";
    let first: i64 = connection.query_row(last, (page.0, component), |row| row.get(0))?;
    insert_extraction(
        connection,
        page,
        component,
        extraction,
        (!is_same).then_some(first),
    )?;
    if !is_same {
        cluster_again(connection, vertical, page.0)?;
    }
    Ok(!is_same)
}
