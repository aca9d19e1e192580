//! A site as all crawls together left it: the newest good answer of every URL.

use magpie_rows::{
    FoundByLink, Hinted, KnownPage, PageId, PageLinks, RobotsTags, RunId, SiteId, UrlId, links_from_json,
};
use rusqlite::{Connection, Row};

use crate::column::{json_array, millis, optional_millis, word};
use crate::read::page::url_reason;

pub(crate) fn known_pages_after(
    connection: &Connection,
    site: SiteId,
    after: Option<UrlId>,
    limit: usize,
) -> rusqlite::Result<Vec<KnownPage>> {
    let mut statement = connection.prepare_cached(
        "SELECT url.id, url.url, url.depth, url.state, last.fetched_at, last.status, last.problem, last.redirect,
            last.run_id, last.bytes, whole.id, whole.fetched_at, sitemap.modified_at,
            (SELECT count(*) FROM page WHERE url_id = url.id AND id > (
                SELECT max(id) FROM page
                WHERE url_id = url.id AND status BETWEEN 200 AND 299 AND (same_as IS NULL
                    OR EXISTS (SELECT 1 FROM rendering WHERE page_id = page.id)))),
            (SELECT count(*) FROM page WHERE url_id = url.id AND status = 200 AND problem IS NULL),
            EXISTS (SELECT 1 FROM page AS one JOIN page AS other
                ON other.url_id = one.url_id AND other.id > one.id
                    AND other.digest <> one.digest AND other.status = 200
                    AND iif(one.etag IS NULL, one.last_modified = other.last_modified, one.etag = other.etag)
                WHERE one.url_id = url.id AND one.status = 200),
            sitemap.seen_at, feed.modified_at, feed.seen_at,
            iif(url.source IN ('sitemap', 'feed'), url.found_at, NULL), url.reason,
            coalesce(whole.nofollow, 0), coalesce(whole.noindex, 0),
            coalesce(whole.media_type, last.media_type)
         FROM url
         LEFT JOIN page AS last ON last.id = (SELECT max(id) FROM page WHERE url_id = url.id)
         LEFT JOIN page AS whole ON whole.id = (
            SELECT max(id) FROM page WHERE url_id = url.id AND status BETWEEN 200 AND 299 AND problem IS NULL)
         LEFT JOIN hint AS sitemap ON sitemap.site_id = url.site_id
            AND sitemap.fingerprint = url.fingerprint AND sitemap.source = 'sitemap'
         LEFT JOIN hint AS feed ON feed.site_id = url.site_id
            AND feed.fingerprint = url.fingerprint AND feed.source = 'feed'
         WHERE url.site_id = ?1 AND url.state <> 'refused' AND url.id > ?2 ORDER BY url.id LIMIT ?3",
    )?;
    let rows = statement.query_map(
        (site.0, after.map_or(i64::MIN, |url| url.0), limit as i64),
        |row| {
            let (sitemap, feed) = (hinted(row, 12, 16)?, hinted(row, 17, 18)?);
            let hints = sitemap.iter().chain(&feed).map(|hint| hint.seen_at);
            Ok(KnownPage {
                id: UrlId(row.get(0)?),
                url: row.get(1)?,
                depth: row.get(2)?,
                state: word(row, 3)?,
                reason: url_reason(row, 20)?,
                fetched_at: optional_millis(row, 4)?,
                status: row.get(5)?,
                problem: url_reason(row, 6)?,
                media_type: row.get(23)?,
                redirect: row.get(7)?,
                run: row.get::<_, Option<i64>>(8)?.map(RunId),
                bytes: row.get::<_, Option<i64>>(9)?.unwrap_or(0).unsigned_abs(),
                page: row.get::<_, Option<i64>>(10)?.map(PageId),
                page_at: optional_millis(row, 11)?,
                tags: RobotsTags {
                    nofollow: row.get(21)?,
                    noindex: row.get(22)?,
                },
                unchanged: row.get(13)?,
                bodies: row.get(14)?,
                contradicted: row.get(15)?,
                named_at: hints.max().max(optional_millis(row, 19)?),
                sitemap,
                feed,
            })
        },
    )?;
    rows.collect()
}

pub(crate) fn found_by_links_after(
    connection: &Connection,
    site: SiteId,
    after: Option<UrlId>,
    limit: usize,
) -> rusqlite::Result<Vec<FoundByLink>> {
    let mut statement = connection.prepare_cached(
        "SELECT id, url, found_on, found_at FROM url
         WHERE site_id = ?1 AND found_on IS NOT NULL AND state <> 'refused' AND id > ?2 ORDER BY id LIMIT ?3",
    )?;
    let after = after.map_or(i64::MIN, |url| url.0);
    let rows = statement.query_map((site.0, after, limit as i64), |row| {
        Ok(FoundByLink {
            id: UrlId(row.get(0)?),
            url: row.get(1)?,
            found_on: UrlId(row.get(2)?),
            found_at: millis(row, 3)?,
        })
    })?;
    rows.collect()
}

pub(crate) fn page_links(connection: &Connection, pages: &[PageId]) -> rusqlite::Result<Vec<PageLinks>> {
    let pages: Vec<i64> = pages.iter().map(|page| page.0).collect();
    // The pages in the outer loop, so that they come in their order without being sorted.
    let mut statement = connection.prepare_cached(
        "SELECT page_id, origin, links FROM json_each(?1) AS wanted CROSS JOIN page_links ON page_id = wanted.value",
    )?;
    let rows = statement.query_map([json_array(&pages)], |row| {
        let origin = row.get_ref(1)?.as_str()?;
        Ok(PageLinks {
            page: PageId(row.get(0)?),
            links: links_from_json(origin, row.get_ref(2)?.as_str()?),
        })
    })?;
    rows.collect()
}

/// Reads a hint from two columns.
fn hinted(row: &Row<'_>, modified_at: usize, seen_at: usize) -> rusqlite::Result<Option<Hinted>> {
    let (modified_at, seen_at) = (optional_millis(row, modified_at)?, optional_millis(row, seen_at)?);
    Ok(modified_at
        .zip(seen_at)
        .map(|(modified_at, seen_at)| Hinted { modified_at, seen_at }))
}
