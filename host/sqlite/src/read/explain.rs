//! Reasons why a URL was or was not fetched.

use std::collections::BTreeMap;

use magpie_rows::{
    Archived as _, Counts, FoundOn, FoundUrl, ListedUrl, MAX_EXPLAINED_PAGES, MAX_WAY_LEN, SiteId,
    StoreError, UrlExplanation, UrlFilter, UrlId, UrlPage, UrlState, Urls,
};
use rusqlite::{Connection, OptionalExtension as _};

use crate::column::{json_array, millis, optional_millis, word};
use crate::opened::{Looks, Opened};
use crate::read::page::{counts, url_reason};

impl<A: Looks> Urls for Opened<A> {
    fn urls(&self, filter: &UrlFilter) -> Result<UrlPage, StoreError> {
        let after = filter.position()?.unwrap_or(i64::MIN);
        let urls: Vec<ListedUrl> = self.look(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT url.id, site.key, url.url, url.state, url.reason, url.detail, url.found_at
                 FROM url JOIN site ON site.id = url.site_id
                 WHERE url.id > ?1 AND (?2 IS NULL OR url.state = ?2) AND (?3 IS NULL OR url.reason = ?3)
                    AND (?4 IS NULL OR url.site_id = (SELECT id FROM site WHERE key = ?4))
                 ORDER BY url.id LIMIT ?5",
            )?;
            let values = (
                after,
                filter.state.map(UrlState::as_str),
                filter.reason.as_deref(),
                filter.site.as_deref(),
                filter.limit as i64,
            );
            let rows = statement.query_map(values, |row| {
                Ok(ListedUrl {
                    id: UrlId(row.get(0)?),
                    site_key: row.get(1)?,
                    url: row.get(2)?,
                    state: word(row, 3)?,
                    reason: url_reason(row, 4)?,
                    detail: row.get(5)?,
                    found_at: millis(row, 6)?,
                })
            })?;
            rows.collect()
        })?;
        Ok(UrlPage::of(urls, filter.limit))
    }

    fn find_urls(&self, fingerprints: &[u64]) -> Result<Vec<FoundUrl>, StoreError> {
        self.look(|connection| find_urls(connection, fingerprints))
    }

    fn explain(&self, fingerprint: u64) -> Result<Vec<UrlExplanation>, StoreError> {
        let mut found = self.look(|connection| find(connection, fingerprint))?;
        for explained in &mut found {
            let mut next = self.look(|connection| found_on(connection, explained.id))?;
            // Deeper URLs are in a trap, and the last steps show it.
            while let Some(id) = next.filter(|_| explained.way.len() < MAX_WAY_LEN) {
                let (step, before) = self.look(|connection| step(connection, id))?;
                explained.way.push(step);
                next = before;
            }
            explained.pages = self.pages_of(explained.id, MAX_EXPLAINED_PAGES)?;
        }
        Ok(found)
    }

    fn url_of(&self, url: UrlId) -> Result<Option<String>, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached("SELECT url FROM url WHERE id = ?1")?;
            statement.query_row([url.0], |row| row.get(0)).optional()
        })
    }

    fn seeds(&self) -> Result<Vec<String>, StoreError> {
        self.look(|connection| {
            let mut statement = connection
                .prepare("SELECT url FROM url WHERE source = 'seed' ORDER BY found_at, site_id, id")?;
            let rows = statement.query_map([], |row| row.get(0))?;
            rows.collect()
        })
    }

    fn url_counts(&self, site: Option<SiteId>) -> Result<Counts, StoreError> {
        self.look(|connection| counts(connection, site))
    }

    fn queued_by_site(&self) -> Result<BTreeMap<SiteId, u64>, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT site_id, sum(urls) FROM tally WHERE state = 'queued' GROUP BY site_id HAVING sum(urls) > 0",
            )?;
            let rows = statement.query_map([], |row| {
                Ok((SiteId(row.get(0)?), row.get::<_, i64>(1)?.unsigned_abs()))
            })?;
            rows.collect()
        })
    }
}

fn find_urls(connection: &Connection, fingerprints: &[u64]) -> rusqlite::Result<Vec<FoundUrl>> {
    let wanted: Vec<i64> = fingerprints.iter().map(|print| print.cast_signed()).collect();
    let mut statement = connection.prepare_cached(
        "WITH wanted (fingerprint) AS (SELECT DISTINCT value FROM json_each(?1)), found (id) AS (
            SELECT known.url_id FROM wanted CROSS JOIN site
            CROSS JOIN known ON known.site_id = site.id AND known.fingerprint = wanted.fingerprint
            UNION ALL
            SELECT id FROM url WHERE fingerprint IN (SELECT fingerprint FROM wanted)
            AND id > (SELECT coalesce(max(CAST(value AS INTEGER)), 0) FROM meta WHERE key = 'known_up_to'))
         SELECT url.id, url.fingerprint, url.site_id, site.key, url.state, url.reason,
            EXISTS (SELECT 1 FROM page WHERE url_id = url.id)
         FROM found CROSS JOIN url ON url.id = found.id CROSS JOIN site ON site.id = url.site_id
         ORDER BY url.fingerprint, url.found_at, url.site_id",
    )?;
    let rows = statement.query_map([json_array(&wanted)], |row| {
        Ok(FoundUrl {
            id: UrlId(row.get(0)?),
            fingerprint: row.get::<_, i64>(1)?.cast_unsigned(),
            site: SiteId(row.get(2)?),
            site_key: row.get(3)?,
            state: word(row, 4)?,
            reason: url_reason(row, 5)?,
            is_fetched: row.get(6)?,
        })
    })?;
    rows.collect()
}

fn find(connection: &Connection, fingerprint: u64) -> rusqlite::Result<Vec<UrlExplanation>> {
    let mut statement = connection.prepare_cached(
        "SELECT url.id, url.site_id, site.key, url.url, url.state, url.reason, url.detail, url.priority, url.depth,
                url.attempts, url.due_at, url.source, url.found_at,
                (SELECT max(modified_at) FROM hint
                    WHERE hint.site_id = url.site_id AND hint.fingerprint = url.fingerprint)
         FROM url JOIN site ON site.id = url.site_id
         WHERE url.id = ?1",
    )?;
    let explained = |id: i64| {
        statement.query_row([id], |row| {
            Ok(UrlExplanation {
                id: UrlId(row.get(0)?),
                site: SiteId(row.get(1)?),
                site_key: row.get(2)?,
                url: row.get(3)?,
                state: word(row, 4)?,
                reason: url_reason(row, 5)?,
                detail: row.get(6)?,
                priority: row.get(7)?,
                depth: row.get(8)?,
                attempts: row.get(9)?,
                due_at: optional_millis(row, 10)?,
                source: word(row, 11)?,
                found_at: millis(row, 12)?,
                modified_at: optional_millis(row, 13)?,
                way: Vec::new(),
                pages: Vec::new(),
            })
        })
    };
    ids(connection, fingerprint)?.into_iter().map(explained).collect()
}

/// The numbers a URL has, one for each site that knows it.
pub(super) fn ids(connection: &Connection, fingerprint: u64) -> rusqlite::Result<Vec<i64>> {
    let mut statement = connection.prepare_cached(
        "SELECT known.url_id FROM site CROSS JOIN known ON known.site_id = site.id AND known.fingerprint = ?1
         UNION ALL
         SELECT id FROM url WHERE fingerprint = ?1
         AND id > (SELECT coalesce(max(CAST(value AS INTEGER)), 0) FROM meta WHERE key = 'known_up_to')
         ORDER BY 1",
    )?;
    let rows = statement.query_map([fingerprint.cast_signed()], |row| row.get(0))?;
    rows.collect()
}

fn found_on(connection: &Connection, url: UrlId) -> rusqlite::Result<Option<i64>> {
    connection.query_row("SELECT found_on FROM url WHERE id = ?1", [url.0], |row| {
        row.get(0)
    })
}

fn step(connection: &Connection, url: i64) -> rusqlite::Result<(FoundOn, Option<i64>)> {
    let mut statement = connection.prepare_cached("SELECT url, source, found_on FROM url WHERE id = ?1")?;
    statement.query_row([url], |row| {
        let step = FoundOn {
            url: row.get(0)?,
            source: word(row, 1)?,
        };
        Ok((step, row.get(2)?))
    })
}
