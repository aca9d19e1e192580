//! Past fetches of a site, for the order of those that come next.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use magpie_model::UrlReason;
use magpie_rows::{Link, LinkList, PageId, PastFetch, PastLinks, SiteId, UrlState, with_origin};
use rusqlite::{Connection, OptionalExtension as _};
use serde_json::Value;

use crate::column::{json_array, record};
use crate::read::page::url_reason;

/// Passes on the fetches of a site in their order, each URL once, with its last answer.
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
    // A new site has nothing to replay, and its URLs need not be read.
    if fetched == 0 {
        return Ok(());
    }
    let mut led_to: HashMap<i64, Vec<(i64, i64)>> = HashMap::new();
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
        let (id, form, state) = (row.get(0)?, row.get(2)?, row.get_ref(3)?.as_str()?.to_owned());
        if let (Some(found_on), true) = (row.get(4)?, state != UrlState::Refused.as_str() && form != 0) {
            led_to.entry(found_on).or_default().push((id, form));
        }
        if [UrlState::Fetched, UrlState::Failed]
            .iter()
            .any(|over| over.as_str() == state)
        {
            urls.push((id, row.get(1)?, form));
        }
    }
    // An answer 304 has no body, so the last answer with one counts.
    let mut answer = connection.prepare_cached(
        "SELECT id, coalesce(status, 0) BETWEEN 200 AND 299 AND coalesce(media_type, 'html') LIKE '%html%', problem, simhash
         FROM page
         WHERE url_id = ?1 AND coalesce(status, 0) <> 304 ORDER BY id DESC LIMIT 1",
    )?;
    let mut fetches = Vec::with_capacity(urls.len());
    for (id, url, form) in urls {
        let mut rows = answer.query([id])?;
        if let Some(row) = rows.next()? {
            let simhash = row.get::<_, Option<i64>>(3)?.map(i64::cast_unsigned);
            let answer: (bool, Option<UrlReason>, Option<u64>) = (row.get(1)?, url_reason(row, 2)?, simhash);
            fetches.push((row.get::<_, i64>(0)?, id, answer, url, form));
        }
    }
    // URLs were read in the order in which they were found. The orders that are replayed learn from
    // the order of fetches.
    fetches.sort_unstable_by_key(|(page, ..)| *page);
    let mut records = connection.prepare_cached(
        "SELECT component.vertical, record.record FROM record JOIN component ON component.id = record.component_id
         WHERE record.page_id = ?1 AND record.standing = 1 ORDER BY record.id",
    )?;
    let mut judgement =
        connection.prepare_cached("SELECT max(accepted) FROM judgement WHERE page_id = ?1")?;
    let mut outcome =
        connection.prepare_cached("SELECT max(outcome <> 'done') FROM extraction WHERE page_id = ?1")?;
    for (page, id, (is_page, problem, simhash), url, form) in fetches {
        let found = records.query_map([page], |row| {
            Ok((row.get(0)?, record(row, 1)?.unwrap_or_default()))
        })?;
        let mut led_to = led_to.remove(&id).unwrap_or_default();
        // In the order in which the links were found, as the crawl had them.
        led_to.sort_unstable();
        tell(PastFetch {
            page: PageId(page),
            judgement: judgement.query_row([page], |row| row.get(0))?,
            has_failed: outcome.query_row([page], |row| row.get(0))?,
            url,
            form,
            is_page,
            problem,
            simhash,
            records: found.collect::<rusqlite::Result<_>>()?,
            led_to: led_to.into_iter().map(|(_, form)| form).collect(),
        });
    }
    Ok(())
}

/// Returns the links of pages, in the order of `pages`, but for pages without links.
pub(crate) fn past_links(connection: &Connection, pages: &[PageId]) -> rusqlite::Result<Vec<PastLinks>> {
    let pages: Vec<i64> = pages.iter().map(|page| page.0).collect();
    let mut statement = connection.prepare_cached(
        "SELECT page_id, origin, links FROM json_each(?1) AS wanted CROSS JOIN page_links ON page_id = wanted.value",
    )?;
    let mut find = connection.prepare_cached("SELECT path FROM dom_path WHERE id = ?1")?;
    // Pages of a site have most paths in common.
    let mut paths: HashMap<i64, String> = HashMap::new();
    let mut found = Vec::new();
    let mut rows = statement.query([json_array(&pages)])?;
    while let Some(row) = rows.next()? {
        let (origin, packed) = (row.get_ref(1)?.as_str()?, row.get_ref(2)?.as_str()?);
        let packed: Vec<Vec<Value>> = serde_json::from_str(packed).unwrap_or_default();
        let mut links = LinkList::new();
        for link in &packed {
            let text = |place: usize| link.get(place).and_then(Value::as_str).unwrap_or_default();
            let path = match link.get(2).and_then(Value::as_i64) {
                Some(number) => match paths.entry(number) {
                    Entry::Occupied(known) => known.into_mut().as_str(),
                    Entry::Vacant(new) => {
                        let path = find.query_row([number], |row| row.get(0)).optional()?;
                        new.insert(path.unwrap_or_default()).as_str()
                    }
                },
                None => "",
            };
            let link = Link {
                href: &with_origin(text(0), origin),
                text: "",
                path,
                rel: text(3),
            };
            if !links.push(link) {
                break;
            }
        }
        found.push(PastLinks {
            page: PageId(row.get(0)?),
            links,
        });
    }
    Ok(found)
}
