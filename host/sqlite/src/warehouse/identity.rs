//! Reading what decides about identity within a site: addresses and links of pages.

use magpie_rows::{AddressRow, PageAnchors, PageId, RecordPage, SiteId, anchors_from_json};
use rusqlite::Connection;

use crate::column::{json_array, url_print};

pub(super) fn addresses(
    connection: &Connection,
    urls: &[(SiteId, String)],
) -> rusqlite::Result<Vec<AddressRow>> {
    let wanted = urls.iter().map(|(site, url)| (site.0, url_print(url), url));
    let wanted: Vec<(i64, i64, &String)> = wanted.collect();
    let mut statement = connection.prepare_cached(
        "WITH wanted (site, print, url) AS MATERIALIZED (
            SELECT DISTINCT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?1)
         ), found (url, page) AS (
            SELECT url.url, (SELECT max(id) FROM page WHERE page.url_id = url.id AND status IS NOT 304)
            FROM wanted CROSS JOIN known ON known.site_id = wanted.site AND known.fingerprint = wanted.print
            CROSS JOIN url ON url.id = known.url_id
            UNION ALL
            SELECT url.url, (SELECT max(id) FROM page WHERE page.url_id = url.id AND status IS NOT 304)
            FROM url WHERE id > (SELECT coalesce(max(CAST(value AS INTEGER)), 0) FROM meta WHERE key = 'known_up_to')
            AND (site_id, fingerprint) IN (SELECT site, print FROM wanted)
            UNION ALL
            -- Pages that are in no frontier, as those of an archive.
            SELECT wanted.url, (SELECT max(id) FROM page WHERE page.url = wanted.url AND status IS NOT 304) FROM wanted)
         SELECT found.url, page.id, page.status, page.redirect, page.canonical, page.title
         FROM found CROSS JOIN page ON page.id = found.page",
    )?;
    let rows = statement.query_map([serde_json::to_string(&wanted).unwrap_or_default()], |row| {
        Ok(AddressRow {
            url: row.get(0)?,
            page: PageId(row.get(1)?),
            status: row.get(2)?,
            redirect: row.get(3)?,
            canonical: row.get(4)?,
            title: row.get(5)?,
        })
    })?;
    rows.collect()
}

pub(super) fn anchors(connection: &Connection, pages: &[PageId]) -> rusqlite::Result<Vec<PageAnchors>> {
    let pages: Vec<i64> = pages.iter().map(|page| page.0).collect();
    let mut statement = connection.prepare_cached(
        "SELECT page_id, origin, links FROM json_each(?1) AS wanted CROSS JOIN page_links ON page_id = wanted.value",
    )?;
    let rows = statement.query_map([json_array(&pages)], |row| {
        let (origin, links) = (row.get_ref(1)?.as_str()?, row.get_ref(2)?.as_str()?);
        Ok(PageAnchors {
            page: PageId(row.get(0)?),
            links: anchors_from_json(origin, links),
        })
    })?;
    rows.collect()
}

pub(super) fn pages_of_records(
    connection: &Connection,
    records: &[i64],
) -> rusqlite::Result<Vec<RecordPage>> {
    let mut statement = connection.prepare_cached(
        "SELECT record.id, page.id, page.site_id, coalesce(page.url, url.url) FROM json_each(?1) AS wanted
         CROSS JOIN record ON record.id = wanted.value CROSS JOIN page ON page.id = record.page_id
         LEFT JOIN url ON url.id = page.url_id
         WHERE page.site_id IS NOT NULL AND coalesce(page.url, url.url) IS NOT NULL",
    )?;
    let rows = statement.query_map([json_array(records)], |row| {
        Ok(RecordPage {
            record: row.get(0)?,
            page: PageId(row.get(1)?),
            site: SiteId(row.get(2)?),
            url: row.get(3)?,
        })
    })?;
    rows.collect()
}
