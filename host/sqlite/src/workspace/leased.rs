//! The leased sites in memory.

use std::collections::{HashMap, VecDeque};

use magpie_rows::{KnownSet, LastAnswer, Lease, Pending, StoreError, UrlId};
use magpie_values::Timestamp;
use rusqlite::{Connection, Row, ToSql};

use crate::column::optional_millis;
use crate::workspace::window::Window;

/// Number of URLs per order of a leased site: enough for a second of the fastest crawl, and about a
/// megabyte.
const WINDOW: usize = 4096;

/// The same of each form of a site that is taken form by form: there are thousands.
const FORM_WINDOW: usize = 48;

/// The place of a URL in the order of its site: priority, depth, number.
pub(super) type Order = (i32, u32, i64);

/// All leased sites, and the numbers that come next.
pub(crate) struct Sites {
    pub(super) leased: HashMap<i64, LeasedSite>,
    /// Keys of sites that were asked for, since the database may not have them yet.
    pub(super) keys: HashMap<String, i64>,
    pub(super) next_site: i64,
    pub(super) next_url: i64,
    pub(super) next_page: i64,
    pub(super) sequence: u64,
}

pub(super) struct LeasedSite {
    pub(super) epoch: i64,
    pub(super) until: Timestamp,
    pub(super) known: KnownSet,
    queue: Window<Order, Queued>,
    pub(super) waiting: Window<(Timestamp, i64), Queued>,
    /// The queue of each form, where the site is taken form by form; `queue` is not used then.
    forms: Option<HashMap<i64, Window<Order, Queued>>>,
    /// The number queued by forms since their windows let go of what is committed.
    queued_by_form: usize,
    pub(super) queued: u64,
    taken: HashMap<i64, Taken>,
    /// Settled URLs in the order of their sequence. Once it is committed, the database has them.
    settled: VecDeque<(u64, i64)>,
    unsettled: u64,
    /// The number from which URLs were found in this lease: they had no answer before.
    first_new_url: i64,
}

/// A queued URL, without the facts that its place in the queues implies.
#[derive(Debug)]
pub(super) struct Queued {
    pub(super) id: i64,
    pub(super) url: Box<str>,
    pub(super) priority: i32,
    pub(super) form: i64,
    pub(super) depth: u32,
    pub(super) attempts: u32,
    pub(super) due_at: Option<Timestamp>,
    pub(super) last_answer: Option<Box<LastAnswer>>,
}

/// A URL that is not to be given again.
struct Taken {
    queued: Queued,
    settled: Option<u64>,
}

impl Sites {
    pub(super) fn read(connection: &Connection) -> rusqlite::Result<Sites> {
        let next = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0));
        Ok(Sites {
            leased: HashMap::new(),
            keys: HashMap::new(),
            next_site: next("SELECT coalesce(max(id), 0) + 1 FROM site")?,
            next_url: next("SELECT coalesce(max(id), 0) + 1 FROM url")?,
            next_page: next("SELECT coalesce(max(id), 0) + 1 FROM page")?,
            sequence: 0,
        })
    }

    /// The leased site, when the lease still holds.
    pub(super) fn get(&mut self, lease: &Lease) -> Result<&mut LeasedSite, StoreError> {
        self.leased
            .get_mut(&lease.site.0)
            // A worker that was away longer than its lease may still hold the old one. Its results
            // are refused, since another has the site.
            .filter(|site| site.epoch == lease.epoch)
            .ok_or(StoreError::LeaseOver {
                site: lease.site.0,
                epoch: lease.epoch,
            })
    }

    pub(super) fn next_sequence(&mut self) -> u64 {
        self.sequence += 1;
        self.sequence
    }

    /// Returns the number that the next URL will get.
    pub(super) fn first_new_url(&self) -> i64 {
        self.next_url
    }

    pub(super) fn next_url(&mut self) -> UrlId {
        self.next_url += 1;
        UrlId(self.next_url - 1)
    }
}

impl LeasedSite {
    /// Reads what the database knows of a site.
    pub(super) fn read(
        connection: &Connection,
        site: i64,
        epoch: i64,
        until: Timestamp,
        first_new_url: i64,
    ) -> rusqlite::Result<LeasedSite> {
        let queued: i64 =
            connection.query_row("SELECT queued FROM site WHERE id = ?1", [site], |row| row.get(0))?;
        Ok(LeasedSite {
            epoch,
            until,
            known: read_known(connection, site)?,
            queue: Window::unread(WINDOW),
            waiting: Window::unread(WINDOW),
            forms: None,
            queued_by_form: 0,
            queued: queued.unsigned_abs(),
            taken: HashMap::new(),
            settled: VecDeque::new(),
            unsettled: 0,
            first_new_url,
        })
    }

    /// Number of URLs that are taken and not settled.
    pub(super) fn taken(&self) -> u64 {
        self.unsettled
    }

    /// Adds a queued URL that is durable with the sequence.
    pub(super) fn enqueue(&mut self, queued: Queued, sequence: u64) {
        self.queued += 1;
        let place = (queued.priority, queued.depth, queued.id);
        match queued.due_at {
            Some(due) => self.waiting.push((due, queued.id), sequence, queued),
            None if self.forms.is_some() => {
                self.queued_by_form += 1;
                self.form(queued.form).push(place, sequence, queued);
            }
            None => self.queue.push(place, sequence, queued),
        }
    }

    /// Marks a URL as taken that was queued until now, or that never was.
    pub(super) fn mark_taken(&mut self, queued: Queued) {
        self.unsettled += 1;
        self.taken.insert(
            queued.id,
            Taken {
                queued,
                settled: None,
            },
        );
    }

    /// Returns true if a URL is taken and not settled.
    pub(super) fn is_taken(&self, id: i64) -> bool {
        self.taken.get(&id).is_some_and(|taken| taken.settled.is_none())
    }

    /// Marks a taken URL as settled, and gives what it was.
    pub(super) fn settle(&mut self, id: i64, sequence: u64) -> Option<Queued> {
        let taken = self.taken.get_mut(&id).filter(|taken| taken.settled.is_none())?;
        taken.settled = Some(sequence);
        self.unsettled -= 1;
        self.settled.push_back((sequence, id));
        let queued = &taken.queued;
        Some(Queued {
            url: queued.url.clone(),
            last_answer: queued.last_answer.clone(),
            ..*queued
        })
    }

    /// Forgets settled URLs up to a committed sequence: the database has them.
    pub(super) fn forget(&mut self, committed: u64) {
        while let Some(&(sequence, id)) = self.settled.front() {
            if sequence > committed {
                break;
            }
            self.settled.pop_front();
            // It may have been queued and taken again since.
            if self
                .taken
                .get(&id)
                .is_some_and(|taken| taken.settled == Some(sequence))
            {
                self.taken.remove(&id);
            }
        }
        /// Below this, going through the list costs more than its memory.
        const MANY: usize = 1024;
        if self.queue.unwritten() > MANY {
            self.queue.forget(committed);
        }
        if self.waiting.unwritten() > MANY {
            self.waiting.forget(committed);
        }
        if let Some(forms) = self.forms.as_mut().filter(|_| self.queued_by_form > MANY) {
            forms.values_mut().for_each(|form| form.forget(committed));
            self.queued_by_form = 0;
        }
    }

    /// Returns true if the next URLs, of a form or of all, have to be read first.
    pub(super) fn wants(&mut self, form: Option<i64>) -> bool {
        let queue = match form {
            Some(form) => self.form(form).wants().is_some(),
            None => self.forms.is_none() && self.queue.wants().is_some(),
        };
        queue || self.waiting.wants().is_some()
    }

    /// Makes sure that the first URLs, of a form or of all, are in memory. `committed` was read
    /// before the connection looks.
    pub(super) fn fill(
        &mut self,
        connection: &Connection,
        site: i64,
        form: Option<i64>,
        committed: u64,
    ) -> rusqlite::Result<()> {
        // First, since rows that are read now may have been committed after their entries were put
        // into memory.
        self.forget(committed);
        let place = |row: &Queued| (row.priority, row.depth, row.id);
        match form {
            None => {
                while let Some(edge) = self.queue.wants().filter(|_| self.forms.is_none()) {
                    let (priority, depth, id) = edge.unwrap_or((i32::MIN, 0, i64::MIN));
                    let rows = self.read_queued(
                        connection,
                        "due_at IS NULL AND (priority, depth, id) > (?3, ?4, ?5)
                         ORDER BY priority, depth, id LIMIT ?6",
                        &[&site, &priority, &depth, &id, &(WINDOW as i64)],
                    )?;
                    let (last, exhausted) = (rows.iter().map(place).max(), rows.len() < WINDOW);
                    // The database learns only at the commit that a URL was taken, so rows may be
                    // of URLs that are in flight.
                    let free = self.without_taken(rows, place);
                    self.queue.refill(free, last, exhausted, committed);
                }
            }
            Some(form) => {
                while let Some(edge) = self.form(form).wants() {
                    let (priority, depth, id) = edge.unwrap_or((i32::MIN, 0, i64::MIN));
                    let rows = self.read_queued(
                        connection,
                        "due_at IS NULL AND (priority, depth, id) > (?3, ?4, ?5)
                         AND form = ?7 AND form <> 0 ORDER BY priority, depth, id LIMIT ?6",
                        &[&site, &priority, &depth, &id, &(FORM_WINDOW as i64), &form],
                    )?;
                    let (last, exhausted) = (rows.iter().map(place).max(), rows.len() < FORM_WINDOW);
                    let free = self.without_taken(rows, place);
                    self.form(form).refill(free, last, exhausted, committed);
                }
            }
        }
        let place = |row: &Queued| (row.due_at.unwrap_or(Timestamp::MIN), row.id);
        while let Some(edge) = self.waiting.wants() {
            let (due, id) = edge.unwrap_or((Timestamp::MIN, i64::MIN));
            let rows = self.read_queued(
                connection,
                "due_at IS NOT NULL AND (due_at, id) > (?3, ?4) ORDER BY due_at, id LIMIT ?5",
                &[&site, &due.as_millis(), &id, &(WINDOW as i64)],
            )?;
            let (last, exhausted) = (rows.iter().map(place).max(), rows.len() < WINDOW);
            let free = self.without_taken(rows, place);
            self.waiting.refill(free, last, exhausted, committed);
        }
        Ok(())
    }

    /// Reads queued URLs of a site, with the versions that their last good answers named.
    ///
    /// `condition` uses the parameters from `?3` on; the first of `values` is the site. The columns
    /// of URLs are named without their table, so that the indexes of partial queues apply.
    fn read_queued(
        &self,
        connection: &Connection,
        condition: &str,
        values: &[&dyn ToSql],
    ) -> rusqlite::Result<Vec<Queued>> {
        let mut statement = connection.prepare_cached(&format!(
            "SELECT queued.*, page.etag, page.last_modified, page.id FROM (
                 SELECT id, url, priority, depth, attempts, due_at, form FROM url
                 WHERE site_id = ?2 AND state = 'queued' AND {condition}) AS queued
             LEFT JOIN page ON page.id = (
                 SELECT max(id) FROM page
                 WHERE url_id = queued.id AND status = 200 AND problem IS NULL AND queued.id < ?1)"
        ))?;
        let mut all: Vec<&dyn ToSql> = vec![&self.first_new_url];
        all.extend_from_slice(values);
        let rows = statement.query_map(all.as_slice(), Queued::read)?;
        rows.collect()
    }

    /// Drops what was taken meanwhile, and adds the places.
    fn without_taken<K>(&self, rows: Vec<Queued>, place: impl Fn(&Queued) -> K) -> Vec<(K, Queued)> {
        let free = rows.into_iter().filter(|row| !self.taken.contains_key(&row.id));
        free.map(|row| (place(&row), row)).collect()
    }

    /// Takes URLs form by form from now on.
    pub(super) fn rank(&mut self) {
        // Read again from the database: URLs may have been given a form since.
        self.forms = Some(HashMap::new());
        // Its entries are in the queues of the forms as well.
        self.queue = Window::unread(WINDOW);
    }

    fn form(&mut self, form: i64) -> &mut Window<Order, Queued> {
        let forms = self.forms.get_or_insert_default();
        forms.entry(form).or_insert_with(|| Window::unread(FORM_WINDOW))
    }

    /// Takes the next URL from memory: one whose moment has come, else the first of the form or of
    /// the queue.
    pub(super) fn next(&mut self, form: Option<i64>, now: Timestamp) -> Option<Pending> {
        // URLs whose moment has come go before all others, of whatever form: they have waited
        // already.
        let due = self.waiting.first().is_some_and(|(due, _)| due <= now);
        let queued = match (due, form) {
            (true, _) => self.waiting.pop().map(|(_, queued)| queued),
            (false, Some(form)) => self.form(form).pop().map(|(_, queued)| queued),
            (false, None) => self.queue.pop().map(|(_, queued)| queued),
        }?;
        let pending = queued.pending();
        self.queued = self.queued.saturating_sub(1);
        self.mark_taken(queued);
        Some(pending)
    }
}

impl Queued {
    fn read(row: &Row<'_>) -> rusqlite::Result<Queued> {
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

    fn pending(&self) -> Pending {
        Pending {
            id: UrlId(self.id),
            url: self.url.to_string(),
            priority: self.priority,
            form: self.form,
            depth: self.depth,
            attempts: self.attempts,
            due_at: self.due_at,
            last_answer: self.last_answer.as_deref().cloned(),
        }
    }
}

fn read_known(connection: &Connection, site: i64) -> rusqlite::Result<KnownSet> {
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
