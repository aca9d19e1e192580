//! Numbers of new rows, and the parts of queues that are not in memory.

use std::collections::HashMap;

use magpie_rows::{KnownSet, LastAnswer, LeasedSites, Numbers, PageId, QueuePart, Queued, SiteId, UrlId};
use rusqlite::{Connection, Row, ToSql};

use crate::column::optional_millis;

pub(crate) type Sites = LeasedSites<Counters>;

/// The numbers that come next.
pub(crate) struct Counters {
    /// Keys of sites that were asked for, since the database may not have them yet.
    pub(super) keys: HashMap<String, i64>,
    pub(super) next_site: i64,
    pub(super) next_url: i64,
    next_page: i64,
    /// For each leased site the number from which URLs were found in the lease.
    pub(super) first_new_urls: HashMap<i64, i64>,
}

impl Counters {
    pub(super) fn read(connection: &Connection) -> rusqlite::Result<Counters> {
        let next = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0));
        Ok(Counters {
            keys: HashMap::new(),
            next_site: next("SELECT coalesce(max(id), 0) + 1 FROM site")?,
            next_url: next("SELECT coalesce(max(id), 0) + 1 FROM url")?,
            next_page: next("SELECT coalesce(max(id), 0) + 1 FROM page")?,
            first_new_urls: HashMap::new(),
        })
    }
}

impl Numbers for Counters {
    fn url(&mut self, _: SiteId) -> UrlId {
        self.next_url += 1;
        UrlId(self.next_url - 1)
    }

    fn page(&mut self, _: SiteId) -> PageId {
        self.next_page += 1;
        PageId(self.next_page - 1)
    }
}

/// Reads a part of the queue of a site, with the versions that the last good answers of URLs named.
/// URLs from a number on were found in this lease and had none.
///
/// The columns of URLs are named without their table, so that the indexes of partial queues apply.
pub(super) fn read_queued(
    connection: &Connection,
    site: i64,
    first_new_url: i64,
    part: QueuePart,
    limit: usize,
) -> rusqlite::Result<Vec<Queued>> {
    let limit = limit as i64;
    let (condition, values): (&str, &[&dyn ToSql]) = match &part {
        QueuePart::Ordered((priority, depth, id)) => (
            "due_at IS NULL AND (priority, depth, id) > (?4, ?5, ?6) ORDER BY priority, depth, id",
            &[priority, depth, id],
        ),
        QueuePart::OfForm(form, (priority, depth, id)) => (
            "due_at IS NULL AND (priority, depth, id) > (?4, ?5, ?6) AND form = ?7 AND form <> 0
             ORDER BY priority, depth, id",
            &[priority, depth, id, form],
        ),
        QueuePart::Waiting(due, id) => (
            "due_at IS NOT NULL AND (due_at, id) > (?4, ?5) ORDER BY due_at, id",
            &[&due.as_millis(), id],
        ),
    };
    let mut statement = connection.prepare_cached(&format!(
        "SELECT queued.*, page.etag, page.last_modified, page.id FROM (
             SELECT id, url, priority, depth, attempts, due_at, form FROM url
             WHERE site_id = ?2 AND state = 'queued' AND {condition} LIMIT ?3) AS queued
         LEFT JOIN page ON page.id = (
             SELECT max(id) FROM page
             WHERE url_id = queued.id AND status = 200 AND problem IS NULL AND queued.id < ?1)"
    ))?;
    let mut all: Vec<&dyn ToSql> = vec![&first_new_url, &site, &limit];
    all.extend_from_slice(values);
    let rows = statement.query_map(all.as_slice(), queued)?;
    rows.collect()
}

fn queued(row: &Row<'_>) -> rusqlite::Result<Queued> {
    Ok(Queued {
        form: row.get(6)?,
        id: row.get(0)?,
        url: row.get::<_, String>(1)?.into(),
        priority: row.get(2)?,
        depth: row.get(3)?,
        attempts: row.get(4)?,
        due_at: optional_millis(row, 5)?,
        last_answer: match row.get::<_, Option<i64>>(9)? {
            None => None,
            Some(_) => Some(Box::new(LastAnswer {
                etag: row.get(7)?,
                last_modified: row.get(8)?,
            })),
        },
    })
}

/// Reads the fingerprints of a site.
pub(super) fn read_known(connection: &Connection, site: i64) -> rusqlite::Result<KnownSet> {
    let count: i64 = connection.query_row(
        "SELECT coalesce(sum(urls), 0) FROM tally WHERE site_id = ?1",
        [site],
        |row| row.get(0),
    )?;
    let mut known = KnownSet::with_capacity(usize::try_from(count).unwrap_or(0));
    let sources = [
        "SELECT fingerprint FROM known WHERE site_id = ?1",
        "SELECT fingerprint FROM url WHERE site_id = ?1
         AND id > (SELECT coalesce(max(CAST(value AS INTEGER)), 0) FROM meta WHERE key = 'known_up_to')",
    ];
    for sql in sources {
        let mut statement = connection.prepare_cached(sql)?;
        let mut rows = statement.query([site])?;
        while let Some(row) = rows.next()? {
            known.insert(row.get::<_, i64>(0)?.cast_unsigned());
        }
    }
    Ok(known)
}
