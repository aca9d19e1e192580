//! Past fetches of a site, for the order of those that come next.

use std::collections::HashMap;

use rusqlite::Connection;

use crate::column::record;

use crate::fetch_result::SiteId;
use crate::frontier::{PastFetch, UrlState};

/// Tells the fetches of a site in their order, each URL once, by its last answer.
pub(crate) fn past(
    connection: &Connection,
    site: SiteId,
    tell: &mut dyn FnMut(PastFetch),
) -> rusqlite::Result<()> {
    let fetched: i64 = connection.query_row(
        "SELECT coalesce(sum(urls), 0) FROM tally WHERE site_id = ?1 AND state = 'fetched'",
        [site.0],
        |row| row.get(0),
    )?;
    if fetched == 0 {
        return Ok(());
    }
    let mut led_to: HashMap<i64, Vec<i64>> = HashMap::new();
    let mut urls: Vec<(i64, String, i64)> = Vec::new();
    // By the fingerprints of the site, and what is newer than these: `url` has no index by site.
    let mut statement = connection.prepare_cached(
        "SELECT url.id, url.url, url.form, url.state, url.found_on FROM known JOIN url ON url.id = known.url_id
         WHERE known.site_id = ?1
         UNION ALL
         SELECT id, url, form, state, found_on FROM url WHERE site_id = ?1
         AND id > (SELECT coalesce(max(CAST(value AS INTEGER)), 0) FROM meta WHERE key = 'known_up_to')",
    )?;
    let mut rows = statement.query([site.0])?;
    while let Some(row) = rows.next()? {
        let (form, state) = (row.get(2)?, row.get_ref(3)?.as_str()?.to_owned());
        if let (Some(found_on), true) = (row.get(4)?, state != UrlState::Refused.as_str() && form != 0) {
            led_to.entry(found_on).or_default().push(form);
        }
        if state == UrlState::Fetched.as_str() {
            urls.push((row.get(0)?, row.get(1)?, form));
        }
    }
    let mut answer = connection.prepare_cached(
        "SELECT id, coalesce(status, 0) BETWEEN 200 AND 299 AND coalesce(media_type, 'html') LIKE '%html%' FROM page
         WHERE url_id = ?1 ORDER BY id DESC LIMIT 1",
    )?;
    let mut fetches: Vec<(i64, i64, bool, String, i64)> = Vec::with_capacity(urls.len());
    for (id, url, form) in urls {
        let mut rows = answer.query([id])?;
        if let Some(row) = rows.next()? {
            fetches.push((row.get(0)?, id, row.get(1)?, url, form));
        }
    }
    fetches.sort_unstable_by_key(|(page, ..)| *page);
    let mut records = connection.prepare_cached(
        "SELECT component.vertical, record.record FROM record JOIN component ON component.id = record.component_id
         WHERE record.page_id = ?1 ORDER BY record.id",
    )?;
    for (page, id, is_page, url, form) in fetches {
        let found = records.query_map([page], |row| {
            Ok((row.get(0)?, record(row, 1)?.unwrap_or_default()))
        })?;
        tell(PastFetch {
            url,
            form,
            is_page,
            records: found.collect::<rusqlite::Result<_>>()?,
            led_to: led_to.remove(&id).unwrap_or_default(),
        });
    }
    Ok(())
}
