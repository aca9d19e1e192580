//! Rows of pages, and sums of URLs.

use std::collections::BTreeMap;

use magpie_model::UrlReason;
use magpie_rows::{BodyPruned, Counts, FetchRequest, PageId, PageRow, RunId, SiteId, UrlId};
use rusqlite::{Connection, Row};

use crate::column::{millis, optional_millis, optional_word, word};

/// URLs by state and reason.
pub(crate) fn counts(connection: &Connection, site: Option<SiteId>) -> rusqlite::Result<Counts> {
    let mut statement = connection.prepare_cached(
        "SELECT state, reason, sum(urls) FROM tally WHERE ?1 IS NULL OR site_id = ?1 GROUP BY state, reason HAVING sum(urls) > 0",
    )?;
    let mut rows = statement.query([site.map(|site| site.0)])?;
    let mut counts = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let state = word(row, 0)?;
        let reason = url_reason(row, 1)?;
        counts.insert((state, reason), row.get::<_, i64>(2)?.unsigned_abs());
    }
    Ok(Counts(counts))
}

/// Reads a column that keeps a reason, or none, or an empty text.
pub(crate) fn url_reason(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<UrlReason>> {
    let word = row.get_ref(column)?.as_str_or_null()?;
    let word = word.filter(|word| !word.is_empty());
    Ok(word.map(UrlReason::from))
}

pub(crate) const PAGE: &str = "SELECT page.id, page.url_id, coalesce(page.url, url.url), page.run_id, page.fetched_at, page.status,
    page.media_type, page.title, page.bytes, page.etag, page.last_modified, page.redirect, page.problem, page.detail,
    archive.name, page.archive_offset, page.archive_length, page.same_as, page.site_id, page.number, page.digest,
    page.text_hash, page.pruned_at, page.pruned_by
    FROM page LEFT JOIN url ON url.id = page.url_id LEFT JOIN archive ON archive.id = page.archive_id";

pub(crate) fn page_row(row: &Row<'_>) -> rusqlite::Result<PageRow> {
    let archive: Option<String> = row.get(14)?;
    let archived = match archive {
        Some(name) => Some((
            name,
            row.get::<_, i64>(15)?.unsigned_abs(),
            row.get::<_, i64>(16)?.unsigned_abs(),
        )),
        None => None,
    };
    Ok(PageRow {
        id: PageId(row.get(0)?),
        site: SiteId(row.get::<_, Option<i64>>(18)?.unwrap_or_default()),
        number: row.get::<_, i64>(19)?.unsigned_abs(),
        url_id: row.get::<_, Option<i64>>(1)?.map(UrlId),
        url: row.get(2)?,
        run: row.get::<_, Option<i64>>(3)?.map(RunId),
        fetched_at: millis(row, 4)?,
        status: row.get(5)?,
        media_type: row.get(6)?,
        title: row.get(7)?,
        bytes: row.get::<_, i64>(8)?.unsigned_abs(),
        etag: row.get(9)?,
        last_modified: row.get(10)?,
        redirect: row.get(11)?,
        problem: url_reason(row, 12)?,
        detail: row.get(13)?,
        archived,
        same_as: row.get::<_, Option<i64>>(17)?.map(PageId),
        body: beginning(row.get_ref(20)?.as_blob_or_null()?),
        text: row.get::<_, Option<i64>>(21)?.map(i64::cast_unsigned),
        pruned: optional_millis(row, 22)?
            .zip(optional_word(row, 23)?)
            .map(|(at, by)| BodyPruned { at, by }),
    })
}

/// Returns the first bytes of a digest, which suffice to distinguish two bodies.
pub(crate) fn beginning(digest: Option<&[u8]>) -> Option<u64> {
    let bytes = digest?.first_chunk::<8>()?;
    Some(u64::from_be_bytes(*bytes))
}

pub(crate) fn fetches(connection: &Connection, request: &FetchRequest) -> rusqlite::Result<Vec<PageRow>> {
    let mut statement = connection.prepare_cached(&format!(
        "{PAGE} WHERE page.site_id = ?1 AND page.number > ?2 AND (?3 IS NULL OR page.run_id = ?3)
            AND page.fetched_at >= ?4 ORDER BY page.number LIMIT ?5"
    ))?;
    let FetchRequest {
        site,
        after,
        run,
        since,
        limit,
    } = request;
    let values = (
        site.0,
        after.cast_signed(),
        run.map(|run| run.0),
        since.as_millis(),
        *limit as i64,
    );
    let rows = statement.query_map(values, page_row)?;
    rows.collect()
}
