//! Reasons why a URL was or was not fetched.

use magpie_rows::{
    FoundOn, FoundUrl, ListedUrl, PageId, PastFetch, PastLinks, SiteId, StoreError, UrlExplanation,
    UrlFilter, UrlId, UrlState,
};
use rusqlite::{Connection, OptionalExtension as _};

use crate::column::{json_array, millis, optional_millis, word};
use crate::read::page::url_reason;
use crate::read::past::{past, past_links};
use crate::reader::Reader;

/// Maximum number of steps from the seed to show: deeper URLs are in a trap, and the last steps
/// show it.
const MAX_WAY_LEN: usize = 50;

/// Maximum number of fetches to show.
const MAX_PAGES: usize = 20;

impl Reader {
    /// Returns URLs of the frontier, in the order they were found.
    pub fn urls(&self, filter: &UrlFilter) -> Result<Vec<ListedUrl>, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT url.id, site.key, url.url, url.state, url.reason, url.detail, url.found_at
                 FROM url JOIN site ON site.id = url.site_id
                 WHERE url.id > ?1 AND (?2 IS NULL OR url.state = ?2) AND (?3 IS NULL OR url.reason = ?3)
                    AND (?4 IS NULL OR url.site_id = (SELECT id FROM site WHERE key = ?4))
                 ORDER BY url.id LIMIT ?5",
            )?;
            let values = (
                filter.after.map_or(i64::MIN, |after| after.0),
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
        })
    }

    /// Returns the number of a site by its key.
    pub fn site_named(&self, key: &str) -> Result<Option<SiteId>, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached("SELECT id FROM site WHERE key = ?1")?;
            statement
                .query_row([key], |row| row.get(0).map(SiteId))
                .optional()
        })
    }

    /// Returns the canonical form of a URL of the frontier.
    pub fn url_of(&self, url: UrlId) -> Result<Option<String>, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached("SELECT url FROM url WHERE id = ?1")?;
            statement.query_row([url.0], |row| row.get(0)).optional()
        })
    }

    /// Returns the fetches of a site in their order, each URL once, by its last answer.
    pub fn past_fetches(&self, site: SiteId) -> Result<Vec<PastFetch>, StoreError> {
        let mut fetches = Vec::new();
        self.look(|connection| past(connection, site, &mut |fetch| fetches.push(fetch)))?;
        Ok(fetches)
    }

    /// Returns the links of fetches that [`Reader::past_fetches`] told of, in the order of `pages`,
    /// but for pages without links.
    pub fn past_links(&self, pages: &[PageId]) -> Result<Vec<PastLinks>, StoreError> {
        self.look(|connection| past_links(connection, pages))
    }

    /// Returns the state of a URL in each site's frontier, by its fingerprint. Empty if no site has
    /// found it.
    pub fn explain(&self, fingerprint: u64) -> Result<Vec<UrlExplanation>, StoreError> {
        let mut found = self.look(|connection| find(connection, fingerprint))?;
        for explained in &mut found {
            let mut next = self.look(|connection| found_on(connection, explained.id))?;
            while let Some(id) = next.filter(|_| explained.way.len() < MAX_WAY_LEN) {
                let (step, before) = self.look(|connection| step(connection, id))?;
                explained.way.push(step);
                next = before;
            }
            explained.pages = self.pages_of(explained.id, MAX_PAGES)?;
        }
        Ok(found)
    }
}

pub(crate) fn find_urls(connection: &Connection, fingerprints: &[u64]) -> rusqlite::Result<Vec<FoundUrl>> {
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
