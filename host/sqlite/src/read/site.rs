//! Hosts, and what is known of a site beside its pages.

use std::time::Duration;

use magpie_rows::{
    Cookie, Host, KeptUrlRule, PageId, PastFetch, PastLinks, Robots, SiteFacts, SiteId, StoreError,
};
use rusqlite::{Connection, OptionalExtension as _, Row};

use crate::column::{millis, optional_millis, word};
use crate::opened::{Looks, Opened};
use crate::read::past::{past, past_links};

impl<A: Looks> SiteFacts for Opened<A> {
    fn host(&self, origin: &str) -> Result<Option<Host>, StoreError> {
        self.look(|connection| host(connection, origin))
    }

    fn url_rules(&self, site: &str) -> Result<Vec<KeptUrlRule>, StoreError> {
        self.look(|connection| url_rules(connection, site))
    }

    fn sites_with_url_rules(&self) -> Result<Vec<(SiteId, String)>, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT id, key FROM site WHERE id IN (SELECT site_id FROM url_rule) ORDER BY id",
            )?;
            let rows = statement.query_map([], |row| Ok((SiteId(row.get(0)?), row.get(1)?)))?;
            rows.collect()
        })
    }

    fn site_named(&self, key: &str) -> Result<Option<SiteId>, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached("SELECT id FROM site WHERE key = ?1")?;
            statement
                .query_row([key], |row| row.get(0).map(SiteId))
                .optional()
        })
    }

    fn cookies(&self, site: SiteId) -> Result<Vec<Cookie>, StoreError> {
        self.look(|connection| cookies(connection, site))
    }

    fn feeds(&self, site: SiteId) -> Result<Vec<String>, StoreError> {
        self.look(|connection| feeds(connection, site))
    }

    fn past_fetches(&self, site: SiteId) -> Result<Vec<PastFetch>, StoreError> {
        let mut fetches = Vec::new();
        self.look(|connection| past(connection, site, &mut |fetch| fetches.push(fetch)))?;
        Ok(fetches)
    }

    fn links_of_pages(&self, pages: &[PageId]) -> Result<Vec<PastLinks>, StoreError> {
        self.look(|connection| past_links(connection, pages))
    }
}

const HOST: &str =
    "SELECT origin, next_ok_at, delay, failures, robots_fetched_at, robots_status, robots_outcome,
    robots_text FROM host";

fn host_row(row: &Row<'_>) -> rusqlite::Result<Host> {
    let robots = match optional_millis(row, 4)? {
        None => None,
        Some(fetched_at) => Some(Robots {
            fetched_at,
            status: row.get(5)?,
            outcome: word(row, 6)?,
            text: row.get(7)?,
        }),
    };
    Ok(Host {
        origin: row.get(0)?,
        next_ok_at: millis(row, 1)?,
        delay: Duration::from_millis(row.get::<_, i64>(2)?.max(0).unsigned_abs()),
        failures: row.get(3)?,
        robots,
    })
}

/// Reads what is known of a host.
pub(crate) fn host(connection: &Connection, origin: &str) -> rusqlite::Result<Option<Host>> {
    let mut statement = connection.prepare_cached(&format!("{HOST} WHERE origin = ?1"))?;
    statement.query_row([origin], host_row).optional()
}

pub(crate) fn cookies(connection: &Connection, site: SiteId) -> rusqlite::Result<Vec<Cookie>> {
    let mut statement = connection.prepare_cached(
        "SELECT domain, path, name, value, host_only, secure, expires_at FROM cookie WHERE site_id = ?1",
    )?;
    let rows = statement.query_map([site.0], |row| {
        Ok(Cookie {
            domain: row.get(0)?,
            path: row.get(1)?,
            name: row.get(2)?,
            value: row.get(3)?,
            host_only: row.get(4)?,
            secure: row.get(5)?,
            expires_at: optional_millis(row, 6)?,
        })
    })?;
    rows.collect()
}

pub(crate) fn feeds(connection: &Connection, site: SiteId) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare_cached("SELECT url FROM feed WHERE site_id = ?1 ORDER BY url")?;
    let rows = statement.query_map([site.0], |row| row.get(0))?;
    rows.collect()
}

/// Reads how a site names its pages, by its key.
pub(crate) fn url_rules(connection: &Connection, site: &str) -> rusqlite::Result<Vec<KeptUrlRule>> {
    let mut statement = connection.prepare_cached(
        "SELECT rule, url_rule.key, evidence, learned_at FROM url_rule JOIN site ON site.id = site_id
         WHERE site.key = ?1 ORDER BY learned_at, rule, url_rule.key",
    )?;
    let rows = statement.query_map([site], |row| {
        Ok(KeptUrlRule {
            url_rule: row.get(0)?,
            key: row.get(1)?,
            evidence: row.get(2)?,
            learned_at: millis(row, 3)?,
        })
    })?;
    rows.collect()
}
