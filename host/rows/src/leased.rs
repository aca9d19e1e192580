//! The leased sites in memory, for stores whose queues lie in a database.
//!
//! This module gives the numbers of new URLs and pages, the next URLs, and refusals, which a caller
//! gets at once. The store writes the result later. It reads from the database only the part of a
//! queue that is not in memory.

use std::collections::{HashMap, VecDeque};

use magpie_model::Record;
use magpie_values::Timestamp;

use crate::error::StoreError;
use crate::fetch_result::{Extraction, FetchResult, Hint, Host, Page, PageJudgement, Receipt};
use crate::ids::{PageId, SiteId, UrlId};
use crate::known::KnownSet;
use crate::offer::{LastAnswer, Lease, Offer, Pending, Standing, UrlOutcome};
use crate::window::Window;
use crate::words::UrlState;

/// Number of URLs per order of a leased site: enough for a second of the fastest crawl, and about a
/// megabyte.
const WINDOW: usize = 4096;

/// The same of each form of a site that is taken form by form: there are thousands.
const FORM_WINDOW: usize = 48;

/// The place of a URL in the order of its site: priority, depth, number.
pub type QueuePlace = (i32, u32, i64);

/// Gives numbers to what is new.
pub trait Numbers {
    /// Returns the number of a new URL of a site.
    fn url(&mut self, site: SiteId) -> UrlId;

    /// Returns the number of a new page of a site.
    fn page(&mut self, site: SiteId) -> PageId;
}

/// All leased sites, and the numbers that come next.
pub struct LeasedSites<N> {
    pub numbers: N,
    leased: HashMap<i64, LeasedSite>,
    sequence: u64,
}

/// A part of the queue of a site that is to be read, in its order.
#[derive(Clone, Copy, Debug)]
pub enum QueuePart {
    /// URLs without a due time, after a place.
    Ordered(QueuePlace),
    /// Those of a form.
    OfForm(i64, QueuePlace),
    /// URLs with a due time, by that time and their number.
    Waiting(Timestamp, i64),
}

/// A result with its numbers.
#[derive(Debug)]
pub struct Filed {
    pub sequence: u64,
    pub site: SiteId,
    /// The epoch of the lease under which it was made.
    pub epoch: i64,
    /// The outcome, with the number of attempts from now on.
    pub settled: Option<(UrlOutcome, u32)>,
    pub page: Option<(PageId, Page)>,
    pub offers: Vec<FiledOffer>,
    pub hints: Vec<Hint>,
    pub feeds: Vec<String>,
    pub hosts: Vec<Host>,
    pub extractions: Vec<Extraction>,
    pub judgements: Vec<PageJudgement>,
    /// About the bytes that it takes while it waits.
    pub weight: usize,
}

/// An offer with its number.
#[derive(Debug)]
pub struct FiledOffer {
    pub id: UrlId,
    pub site: SiteId,
    /// True if it is known to be new.
    pub certain: bool,
    pub offer: Offer,
}

/// A leased site.
pub struct LeasedSite {
    pub epoch: i64,
    pub until: Timestamp,
    known: KnownSet,
    queue: Window<QueuePlace, Queued>,
    waiting: Window<(Timestamp, i64), Queued>,
    /// The queue of each form, where the site is taken form by form; `queue` is not used then.
    forms: Option<HashMap<i64, Window<QueuePlace, Queued>>>,
    /// The number queued by forms since their windows let go of what is committed.
    queued_by_form: usize,
    queued: u64,
    taken: HashMap<i64, Taken>,
    /// Settled URLs in the order of their sequence. Once it is committed, the database has them.
    settled: VecDeque<(u64, i64)>,
    unsettled: u64,
}

/// A queued URL, without the facts that its place in the queues implies.
#[derive(Debug)]
pub struct Queued {
    pub id: i64,
    pub url: Box<str>,
    pub priority: i32,
    pub form: i64,
    pub depth: u32,
    pub attempts: u32,
    pub due_at: Option<Timestamp>,
    pub last_answer: Option<Box<LastAnswer>>,
}

/// A URL that is not to be given again.
struct Taken {
    queued: Queued,
    settled: Option<u64>,
}

impl<N: Numbers> LeasedSites<N> {
    pub fn new(numbers: N) -> LeasedSites<N> {
        LeasedSites {
            numbers,
            leased: HashMap::new(),
            sequence: 0,
        }
    }

    /// Returns a leased site by its number.
    pub fn find(&self, site: SiteId) -> Option<&LeasedSite> {
        self.leased.get(&site.0)
    }

    /// Refuses changes to a site that is leased.
    pub fn check_unleased(&self, site: SiteId) -> Result<(), StoreError> {
        match self.find(site) {
            None => Ok(()),
            Some(leased) => Err(StoreError::Disagreement {
                detail: format!("site {} is leased with epoch {}", site.0, leased.epoch),
            }),
        }
    }

    /// Returns the number of leased sites.
    pub fn len(&self) -> usize {
        self.leased.len()
    }

    /// Returns the leased sites, in no order.
    pub fn ids(&self) -> impl Iterator<Item = SiteId> {
        self.leased.keys().copied().map(SiteId)
    }

    /// Returns true if no site is leased.
    pub fn is_empty(&self) -> bool {
        self.leased.is_empty()
    }

    pub fn insert(&mut self, site: SiteId, leased: LeasedSite) {
        self.leased.insert(site.0, leased);
    }

    pub fn remove(&mut self, site: SiteId) {
        self.leased.remove(&site.0);
    }

    /// The leased site, when the lease still holds.
    pub fn get(&mut self, lease: &Lease) -> Result<&mut LeasedSite, StoreError> {
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

    pub fn next_sequence(&mut self) -> u64 {
        self.sequence += 1;
        self.sequence
    }

    /// Takes a result into the memory of its site and numbers what is new.
    pub fn file(
        &mut self,
        lease: &Lease,
        result: FetchResult,
        weight: usize,
    ) -> Result<(Filed, Receipt), StoreError> {
        let site = self.get(lease)?;
        if let Some(settled) = &result.settled
            // Checked before anything changes in memory, so that a refused result leaves no trace.
            && !site.is_taken(settled.url.0)
        {
            return Err(StoreError::NotTaken { url: settled.url.0 });
        }
        let sequence = self.next_sequence();
        let attempts = match &result.settled {
            None => 0,
            Some(settled) => self.get(lease)?.settle_as(settled, sequence)?,
        };
        let page = result.page.map(|page| (self.numbers.page(lease.site), page));
        let mut accepted = Vec::with_capacity(result.offers.len());
        let mut offers = Vec::new();
        for offer in result.offers {
            let site = offer.site.unwrap_or(lease.site);
            let (id, certain) = self.accept(site, &offer, sequence);
            accepted.push(id.filter(|_| certain));
            if let Some(id) = id {
                offers.push(FiledOffer {
                    id,
                    site,
                    certain,
                    offer,
                });
            }
        }
        let receipt = Receipt {
            sequence,
            page: page.as_ref().map(|(id, _)| *id),
            accepted,
        };
        let filed = Filed {
            sequence,
            epoch: lease.epoch,
            site: lease.site,
            settled: result.settled.map(|settled| (settled, attempts)),
            page,
            offers,
            hints: result.hints,
            feeds: result.feeds,
            hosts: result.hosts,
            extractions: result.extractions,
            judgements: result.judgements,
            weight,
        };
        Ok((filed, receipt))
    }

    /// Returns the id of a URL if it is new, and whether that is certain: for an unleased site only
    /// the database knows.
    fn accept(&mut self, site: SiteId, offer: &Offer, sequence: u64) -> (Option<UrlId>, bool) {
        let certain = match self.leased.get_mut(&site.0) {
            // Only a leased site has all its fingerprints in memory. For another the writer decides
            // by the database.
            None => false,
            Some(leased) => {
                if !leased.known.insert(offer.fingerprint) {
                    return (None, true);
                }
                true
            }
        };
        let id = self.numbers.url(site);
        if let Some(leased) = self.leased.get_mut(&site.0) {
            let queued = Queued {
                id: id.0,
                url: offer.url.as_str().into(),
                priority: offer.priority,
                form: offer.form,
                depth: offer.depth,
                attempts: 0,
                due_at: offer.due_at,
                last_answer: None,
            };
            match offer.state {
                _ if offer.taken => leased.mark_taken(queued),
                UrlState::Queued => leased.enqueue(queued, sequence),
                _ => {}
            }
        }
        (Some(id), certain)
    }
}

impl LeasedSite {
    /// A site as the database has it: the fingerprints of its URLs, and the number of queued ones.
    pub fn new(epoch: i64, until: Timestamp, known: KnownSet, queued: u64) -> LeasedSite {
        LeasedSite {
            epoch,
            until,
            known,
            queue: Window::unread(WINDOW),
            waiting: Window::unread(WINDOW),
            forms: None,
            queued_by_form: 0,
            queued,
            taken: HashMap::new(),
            settled: VecDeque::new(),
            unsettled: 0,
        }
    }

    /// Returns the positions of the fingerprints that the site does not know.
    pub fn unknown(&self, fingerprints: &[u64]) -> Vec<usize> {
        self.known.unknown(fingerprints)
    }

    /// Returns the figures of the site. The first URLs have to be in memory: see
    /// [`LeasedSite::wants`].
    pub fn standing(&self) -> Standing {
        Standing {
            known: self.known.len() as u64,
            queued: self.queued,
            taken: self.unsettled,
            next_due: self.waiting.first().map(|(due, _)| due),
        }
    }

    /// Settles a taken URL, and queues it again if that is its outcome. Returns its attempts from
    /// now on.
    fn settle_as(&mut self, settled: &UrlOutcome, sequence: u64) -> Result<u32, StoreError> {
        let url = settled.url.0;
        let queued = self.settle(url, sequence).ok_or(StoreError::NotTaken { url })?;
        let attempts = queued.attempts.saturating_add(u32::from(settled.attempted));
        if settled.state == UrlState::Queued {
            let due_at = settled.due_at;
            self.enqueue(
                Queued {
                    attempts,
                    due_at,
                    ..queued
                },
                sequence,
            );
        }
        Ok(attempts)
    }

    /// Adds a queued URL that is durable with the sequence.
    fn enqueue(&mut self, queued: Queued, sequence: u64) {
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
    fn mark_taken(&mut self, queued: Queued) {
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
    fn is_taken(&self, id: i64) -> bool {
        self.taken.get(&id).is_some_and(|taken| taken.settled.is_none())
    }

    /// Marks a taken URL as settled, and gives what it was.
    fn settle(&mut self, id: i64, sequence: u64) -> Option<Queued> {
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
    pub fn forget(&mut self, committed: u64) {
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
    pub fn wants(&mut self, form: Option<i64>) -> bool {
        let queue = match form {
            Some(form) => self.form(form).wants().is_some(),
            None => self.forms.is_none() && self.queue.wants().is_some(),
        };
        queue || self.waiting.wants().is_some()
    }

    /// Makes sure that the first URLs, of a form or of all, are in memory. `committed` was read
    /// before anything is. `read` returns queued URLs of a part, at most a number, in its order;
    /// with the versions that their last good answers named before this lease.
    pub fn fill<E>(
        &mut self,
        form: Option<i64>,
        committed: u64,
        mut read: impl FnMut(QueuePart, usize) -> Result<Vec<Queued>, E>,
    ) -> Result<(), E> {
        // First, since rows that are read now may have been committed after their entries were put
        // into memory.
        self.forget(committed);
        let place = |row: &Queued| (row.priority, row.depth, row.id);
        let first = (i32::MIN, 0, i64::MIN);
        match form {
            None => {
                while let Some(edge) = self.queue.wants().filter(|_| self.forms.is_none()) {
                    let rows = read(QueuePart::Ordered(edge.unwrap_or(first)), WINDOW)?;
                    let (last, exhausted) = (rows.iter().map(place).max(), rows.len() < WINDOW);
                    // The database learns only at the commit that a URL was taken, so rows may be
                    // of URLs that are in flight.
                    let free = self.without_taken(rows, place);
                    self.queue.refill(free, last, exhausted, committed);
                }
            }
            Some(form) => {
                while let Some(edge) = self.form(form).wants() {
                    let rows = read(QueuePart::OfForm(form, edge.unwrap_or(first)), FORM_WINDOW)?;
                    let (last, exhausted) = (rows.iter().map(place).max(), rows.len() < FORM_WINDOW);
                    let free = self.without_taken(rows, place);
                    self.form(form).refill(free, last, exhausted, committed);
                }
            }
        }
        let place = |row: &Queued| (row.due_at.unwrap_or(Timestamp::MIN), row.id);
        while let Some(edge) = self.waiting.wants() {
            let (due, id) = edge.unwrap_or((Timestamp::MIN, i64::MIN));
            let rows = read(QueuePart::Waiting(due, id), WINDOW)?;
            let (last, exhausted) = (rows.iter().map(place).max(), rows.len() < WINDOW);
            let free = self.without_taken(rows, place);
            self.waiting.refill(free, last, exhausted, committed);
        }
        Ok(())
    }

    /// Drops what was taken meanwhile, and adds the places.
    fn without_taken<K>(&self, rows: Vec<Queued>, place: impl Fn(&Queued) -> K) -> Vec<(K, Queued)> {
        let free = rows.into_iter().filter(|row| !self.taken.contains_key(&row.id));
        free.map(|row| (place(&row), row)).collect()
    }

    /// Takes URLs form by form from now on.
    pub fn rank(&mut self) {
        // Read again from the database: URLs may have been given a form since.
        self.forms = Some(HashMap::new());
        // Its entries are in the queues of the forms as well.
        self.queue = Window::unread(WINDOW);
    }

    fn form(&mut self, form: i64) -> &mut Window<QueuePlace, Queued> {
        let forms = self.forms.get_or_insert_default();
        forms.entry(form).or_insert_with(|| Window::unread(FORM_WINDOW))
    }

    /// Takes the next URL from memory: one whose moment has come, else the first of the form or of
    /// the queue.
    pub fn next(&mut self, form: Option<i64>, now: Timestamp) -> Option<Pending> {
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

/// Returns about the bytes that the texts of a record take.
fn record_weight(record: &Record) -> usize {
    let values = record.values.iter();
    values
        .map(|value| value.attribute.len() + value.value.len())
        .sum()
}

/// Returns about the bytes that a result takes while it waits.
pub fn weigh(result: &FetchResult) -> usize {
    /// The parts of a page or a URL beside its text.
    const PART: usize = 200;
    let page = result.page.as_ref().map_or(0, |page| {
        let exchange = page.exchange.as_ref().map_or(0, |exchange| {
            exchange.request.len() + exchange.response_head.len() + exchange.body.len()
        });
        let rendering = page.rendering.as_ref();
        let rendering = rendering.map_or(0, |rendering| rendering.html.len());
        PART + exchange + rendering + page.links.weight()
    });
    let offers: usize = result.offers.iter().map(|offer| PART + offer.url.len()).sum();
    let records: usize = result
        .extractions
        .iter()
        .flat_map(|extraction| &extraction.records)
        .map(|found| PART + record_weight(&found.record))
        .sum();
    PART + page + offers + records
}
