//! The frontier in SQLite.

use magpie_model::UrlReason;
use magpie_rows::{
    Cookie, Counts, FetchResult, Frontier, KeptUrlRule, KnownSite, Lease, LeaseRequest, LeasedSite, PageId,
    PastFetch, PastLinks, Pending, RankedForm, Receipt, Requeue, Robots, SiteId, SiteMemory, Standing,
    StoreError, UrlId, UrlState, weigh,
};
use magpie_values::Timestamp;
use rusqlite::{Connection, OptionalExtension};

use crate::read::past::{past, past_links};
use crate::read::{page, site};
use crate::workspace::Workspace;
use crate::workspace::queue::{Sites, read_known, read_queued};

impl Frontier for Workspace {
    fn site(&self, key: &str) -> Result<SiteId, StoreError> {
        let mut sites = self.sites();
        if let Some(&id) = sites.numbers.keys.get(key) {
            return Ok(SiteId(id));
        }
        let found = self.look(|connection| {
            let mut statement = connection.prepare_cached("SELECT id FROM site WHERE key = ?1")?;
            statement.query_row([key], |row| row.get(0)).optional()
        })?;
        if let Some(id) = found {
            return Ok(SiteId(id));
        }
        // The number is given in memory, so that no caller waits for the writer. No other process
        // writes.
        let id = sites.numbers.next_site;
        sites.numbers.next_site += 1;
        sites.numbers.keys.insert(key.to_owned(), id);
        let sequence = sites.next_sequence();
        let key = key.to_owned();
        self.0.writer.write(sequence, move |connection| {
            connection
                .execute("INSERT INTO site (id, key) VALUES (?1, ?2)", (id, key))
                .map(drop)
        })?;
        Ok(SiteId(id))
    }

    fn lease(&self, request: &LeaseRequest<'_>) -> Result<Option<Lease>, StoreError> {
        let mut sites = self.sites();
        // Results that wait for the writer may queue URLs of the site.
        self.0.writer.flush()?;
        let (now, until, worker) = (request.now, request.until, request.worker.to_owned());
        let Some((site, key)) = self.candidate(&sites, request)? else {
            return Ok(None);
        };
        let epoch = self.0.writer.run(move |connection| {
            connection.query_row(
                "UPDATE site SET lease_owner = ?2, lease_epoch = lease_epoch + 1, lease_until = ?3, ready_at = ?4
                 WHERE id = ?1 RETURNING lease_epoch",
                (site, worker, until.as_millis(), now.as_millis()),
                |row| row.get(0),
            )
        })?;
        let leased = self.look(|connection| {
            let queued: i64 =
                connection.query_row("SELECT queued FROM site WHERE id = ?1", [site], |row| row.get(0))?;
            let known = read_known(connection, site)?;
            Ok(LeasedSite::new(epoch, until, known, queued.unsigned_abs()))
        })?;
        let first_new_url = sites.numbers.next_url;
        sites.numbers.first_new_urls.insert(site, first_new_url);
        sites.insert(SiteId(site), leased);
        Ok(Some(Lease {
            site: SiteId(site),
            key,
            epoch,
            until,
        }))
    }

    fn extend(&self, lease: &mut Lease, until: Timestamp) -> Result<(), StoreError> {
        let mut sites = self.sites();
        // Fails if the lease is over, before anything is written.
        sites.get(lease)?.until = until;
        lease.until = until;
        let sequence = sites.next_sequence();
        let site = lease.site.0;
        self.0.writer.write(sequence, move |connection| {
            connection
                .prepare_cached("UPDATE site SET lease_until = ?2 WHERE id = ?1")?
                .execute((site, until.as_millis()))
                .map(drop)
        })
    }

    fn release(&self, lease: Lease, ready_at: Timestamp) -> Result<(), StoreError> {
        let mut sites = self.sites();
        sites.get(&lease)?;
        sites.remove(lease.site);
        let sequence = sites.next_sequence();
        self.0.writer.write(sequence, move |connection| {
            connection
                .execute(
                    "UPDATE site SET lease_owner = NULL, lease_until = 0, ready_at = ?2 WHERE id = ?1",
                    (lease.site.0, ready_at.as_millis()),
                )
                .map(drop)
        })
    }

    fn unknown(&self, lease: &Lease, fingerprints: &[u64]) -> Result<Vec<usize>, StoreError> {
        let mut sites = self.sites();
        Ok(sites.get(lease)?.unknown(fingerprints))
    }

    fn take(
        &self,
        lease: &Lease,
        form: Option<i64>,
        limit: usize,
        now: Timestamp,
    ) -> Result<Vec<Pending>, StoreError> {
        let mut sites = self.sites();
        sites.get(lease)?;
        let mut pending = Vec::new();
        while pending.len() < limit {
            match self.filled(&mut sites, lease, form)?.next(form, now) {
                Some(next) => pending.push(next),
                None => break,
            }
        }
        Ok(pending)
    }

    fn rank(
        &self,
        lease: &Lease,
        form_of: &mut dyn FnMut(&str) -> i64,
    ) -> Result<Vec<RankedForm>, StoreError> {
        let mut sites = self.sites();
        let leased = sites.get(lease)?;
        leased.rank();
        // Results that wait for the writer may queue URLs of the site.
        self.0.writer.flush()?;
        let site = lease.site.0;
        // Each half of the union has a partial index of its own, as has each half of the count
        // below.
        let mut ranked: Vec<(i64, i64)> = Vec::new();
        self.look(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT id, url FROM url WHERE site_id = ?1 AND state = 'queued' AND due_at IS NULL AND form = 0
                 UNION ALL
                 SELECT id, url FROM url WHERE site_id = ?1 AND state = 'queued' AND due_at IS NOT NULL AND form = 0
                 ORDER BY id",
            )?;
            let mut rows = statement.query([site])?;
            while let Some(row) = rows.next()? {
                ranked.push((row.get(0)?, form_of(row.get_ref(1)?.as_str()?)));
            }
            Ok(())
        })?;
        if !ranked.is_empty() {
            self.0.writer.run(move |connection| {
                let mut statement = connection.prepare_cached("UPDATE url SET form = ?2 WHERE id = ?1")?;
                ranked
                    .into_iter()
                    .try_for_each(|row| statement.execute(row).map(drop))
            })?;
        }
        self.look(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT form, count(*), url, min(id) AS first FROM (
                     SELECT form, id, url FROM url WHERE site_id = ?1 AND state = 'queued' AND due_at IS NULL
                     UNION ALL
                     SELECT form, id, url FROM url WHERE site_id = ?1 AND state = 'queued' AND due_at IS NOT NULL)
                 GROUP BY form ORDER BY first",
            )?;
            let rows = statement.query_map([site], |row| {
                Ok(RankedForm {
                    form: row.get(0)?,
                    queued: row.get::<_, i64>(1)?.unsigned_abs(),
                    url: row.get(2)?,
                })
            })?;
            rows.collect()
        })
    }

    fn commit(&self, lease: &Lease, result: FetchResult) -> Result<Receipt, StoreError> {
        let weight = weigh(&result);
        // Before the sites are locked: a caller that waits for room must not keep others from their
        // sites.
        self.0.writer.enter(weight)?;
        let mut sites = self.sites();
        let filed = match sites.file(lease, result, weight) {
            Ok(filed) => filed,
            Err(error) => {
                // The result is not written, so its room is free again.
                self.0.writer.leave(weight);
                return Err(error);
            }
        };
        let committed = self.committed();
        if let Ok(site) = sites.get(lease) {
            site.forget(committed);
        }
        let (filed, receipt) = filed;
        self.0.writer.file(filed)?;
        Ok(receipt)
    }

    fn committed(&self) -> u64 {
        self.0.writer.committed()
    }

    fn flush(&self) -> Result<(), StoreError> {
        self.0.writer.flush()
    }

    fn standing(&self, lease: &Lease) -> Result<Standing, StoreError> {
        let mut sites = self.sites();
        Ok(self.filled(&mut sites, lease, None)?.standing())
    }

    fn counts(&self, site: Option<SiteId>) -> Result<Counts, StoreError> {
        self.look(|connection| page::counts(connection, site))
    }
}

impl Requeue for Workspace {
    fn queue_again(
        &self,
        site: SiteId,
        from: UrlState,
        reason: Option<&UrlReason>,
    ) -> Result<u64, StoreError> {
        let _sites = self.unleased(site)?;
        if from == UrlState::Queued {
            return Ok(0);
        }
        let (state, reason) = (from.as_str(), reason.map(UrlReason::to_string));
        self.0.writer.run(move |connection| {
            let queued = connection.execute(
                "UPDATE url SET state = 'queued', due_at = NULL, reason = NULL, detail = NULL
                 WHERE site_id = ?1 AND state = ?2 AND (?3 IS NULL OR reason = ?3)",
                (site.0, state, &reason),
            )?;
            connection.execute(
                "DELETE FROM tally WHERE site_id = ?1 AND state = ?2 AND (?3 IS NULL OR reason = ?3)",
                (site.0, state, &reason),
            )?;
            connection.execute(
                "INSERT INTO tally VALUES (?1, 'queued', '', ?2)
                 ON CONFLICT DO UPDATE SET urls = urls + excluded.urls",
                (site.0, queued as i64),
            )?;
            connection.execute(
                "UPDATE site SET queued = queued + ?2 WHERE id = ?1",
                (site.0, queued as i64),
            )?;
            Ok(queued as u64)
        })
    }

    fn queue_urls(&self, site: SiteId, urls: Vec<UrlId>) -> Result<u64, StoreError> {
        let _sites = self.unleased(site)?;
        self.write(move |connection| queue_urls(connection, site, &urls))
    }

    fn hold_queue(&self, site: SiteId, reason: &UrlReason) -> Result<u64, StoreError> {
        let _sites = self.unleased(site)?;
        let reason = reason.to_string();
        self.write(move |connection| {
            let held = connection.execute(
                "UPDATE url SET state = 'held', due_at = NULL, reason = ?2 WHERE site_id = ?1 AND state = 'queued'",
                (site.0, &reason),
            )?;
            connection.execute(
                "DELETE FROM tally WHERE site_id = ?1 AND state = 'queued'",
                [site.0],
            )?;
            connection.execute(
                "INSERT INTO tally VALUES (?1, 'held', ?2, ?3) ON CONFLICT DO UPDATE SET urls = urls + excluded.urls",
                (site.0, reason, held as i64),
            )?;
            connection.execute("UPDATE site SET queued = 0 WHERE id = ?1", [site.0])?;
            Ok(held as u64)
        })
    }
}

impl SiteMemory for Workspace {
    fn known_site(&self, lease: &Lease) -> Result<KnownSite, StoreError> {
        self.look(|connection| {
            Ok(KnownSite {
                feeds: site::feeds(connection, lease.site)?,
                cookies: site::cookies(connection, lease.site)?,
                url_rules: site::url_rules(connection, &lease.key)?,
            })
        })
    }

    fn robots(&self, origin: &str) -> Result<Option<Robots>, StoreError> {
        let host = self.look(|connection| site::host(connection, origin))?;
        Ok(host.and_then(|host| host.robots))
    }

    fn past(&self, lease: &Lease, tell: &mut dyn FnMut(PastFetch)) -> Result<(), StoreError> {
        self.look(|connection| past(connection, lease.site, tell))
    }

    fn past_links(&self, _: &Lease, pages: &[PageId]) -> Result<Vec<PastLinks>, StoreError> {
        self.look(|connection| past_links(connection, pages))
    }

    fn keep_cookies(&self, lease: &Lease, cookies: Vec<Cookie>) -> Result<(), StoreError> {
        self.keep(lease, move |connection, site| {
            put_cookies(connection, site, &cookies)
        })
    }

    fn keep_url_rules(&self, lease: &Lease, url_rules: Vec<KeptUrlRule>) -> Result<(), StoreError> {
        self.keep(lease, move |connection, site| {
            put_url_rules(connection, site, &url_rules)
        })
    }
}

impl Workspace {
    /// Returns a leased site with its next URLs in memory.
    fn filled<'s>(
        &self,
        sites: &'s mut Sites,
        lease: &Lease,
        form: Option<i64>,
    ) -> Result<&'s mut LeasedSite, StoreError> {
        let first_new_url = sites.numbers.first_new_urls.get(&lease.site.0).copied();
        let first_new_url = first_new_url.unwrap_or(i64::MAX);
        let site = sites.get(lease)?;
        if site.wants(form) {
            // Before the look: whatever is committed by then, the look sees.
            let committed = self.committed();
            self.look(|connection| {
                site.fill(form, committed, |part, limit| {
                    read_queued(connection, lease.site.0, first_new_url, part, limit)
                })
            })?;
        }
        Ok(site)
    }

    /// Writes what is known of a leased site besides its pages.
    fn keep(
        &self,
        lease: &Lease,
        put: impl FnOnce(&Connection, SiteId) -> rusqlite::Result<()> + Send + 'static,
    ) -> Result<(), StoreError> {
        let mut sites = self.sites();
        sites.get(lease)?;
        let sequence = sites.next_sequence();
        let site = lease.site;
        self.0
            .writer
            .write(sequence, move |connection| put(connection, site))
    }

    /// The site to lease: free, and ready with URLs unless it is asked for by name.
    fn candidate(
        &self,
        sites: &Sites,
        request: &LeaseRequest<'_>,
    ) -> Result<Option<(i64, String)>, StoreError> {
        let free = |site: i64| {
            sites
                .find(SiteId(site))
                .is_none_or(|leased| leased.until <= request.now)
        };
        self.look(|connection| {
            let (sql, value) = match request.site {
                Some(site) => ("SELECT id, key FROM site WHERE id = ?1", site.0),
                None => (
                    "SELECT id, key FROM site WHERE queued > 0 AND ready_at <= ?1 ORDER BY ready_at, id",
                    request.now.as_millis(),
                ),
            };
            let mut statement = connection.prepare_cached(sql)?;
            let mut rows = statement.query([value])?;
            while let Some(row) = rows.next()? {
                if free(row.get(0)?) {
                    return Ok(Some((row.get(0)?, row.get(1)?)));
                }
            }
            Ok(None)
        })
    }
}

fn put_cookies(connection: &Connection, site: SiteId, cookies: &[Cookie]) -> rusqlite::Result<()> {
    connection
        .prepare_cached("DELETE FROM cookie WHERE site_id = ?1")?
        .execute([site.0])?;
    let mut statement =
        connection.prepare_cached("INSERT OR REPLACE INTO cookie VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)")?;
    for cookie in cookies {
        statement.execute((
            site.0,
            &cookie.domain,
            &cookie.path,
            &cookie.name,
            &cookie.value,
            cookie.host_only,
            cookie.secure,
            cookie.expires_at.map(Timestamp::as_millis),
        ))?;
    }
    Ok(())
}

fn put_url_rules(connection: &Connection, site: SiteId, url_rules: &[KeptUrlRule]) -> rusqlite::Result<()> {
    let mut statement =
        connection.prepare_cached("INSERT OR IGNORE INTO url_rule VALUES (?1, ?2, ?3, ?4, ?5)")?;
    for kept in url_rules {
        statement.execute((
            site.0,
            &kept.url_rule,
            &kept.key,
            &kept.evidence,
            kept.learned_at.as_millis(),
        ))?;
    }
    Ok(())
}

fn queue_urls(connection: &Connection, site: SiteId, urls: &[UrlId]) -> rusqlite::Result<u64> {
    let mut standing = connection.prepare_cached(
        "SELECT state, coalesce(reason, '') FROM url WHERE id = ?1 AND site_id = ?2 AND state <> 'queued'",
    )?;
    let mut queue = connection.prepare_cached(
        "UPDATE url SET state = 'queued', due_at = NULL, reason = NULL, detail = NULL, attempts = 0 WHERE id = ?1",
    )?;
    let mut less = connection.prepare_cached(
        "UPDATE tally SET urls = urls - 1 WHERE site_id = ?1 AND state = ?2 AND reason = ?3",
    )?;
    let mut queued: i64 = 0;
    for url in urls {
        let mut rows = standing.query((url.0, site.0))?;
        let Some(row) = rows.next()? else {
            continue;
        };
        let (state, reason): (String, String) = (row.get(0)?, row.get(1)?);
        // The statement reads the row that the next one changes.
        drop(rows);
        queue.execute([url.0])?;
        less.execute((site.0, state, reason))?;
        queued += 1;
    }
    connection.execute(
        "INSERT INTO tally VALUES (?1, 'queued', '', ?2) ON CONFLICT DO UPDATE SET urls = urls + excluded.urls",
        (site.0, queued),
    )?;
    connection.execute(
        "UPDATE site SET queued = queued + ?2 WHERE id = ?1",
        (site.0, queued),
    )?;
    Ok(queued.unsigned_abs())
}
