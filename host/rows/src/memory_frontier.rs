//! A frontier in memory, for crawls that keep no results.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

use magpie_model::UrlReason;
use magpie_values::Timestamp;

use crate::compact::CompactQueue;
use crate::error::StoreError;
use crate::fetch_result::{FetchResult, Receipt, Robots};
use crate::frontier::{Frontier, SiteMemory};
use crate::ids::{PageId, SiteId, UrlId};
use crate::known::KnownSet;
use crate::known_site::{Cookie, KeptUrlRule, KnownSite};
use crate::offer::{
    Counts, Lease, LeaseRequest, Offer, PastFetch, PastLinks, Pending, RankedForm, Standing, UrlOutcome,
};
use crate::words::UrlState;

/// A frontier without a disk. Everything counts as durable at once. Pages, links and objects are
/// dropped after their URLs were counted.
#[derive(Default)]
pub struct MemoryFrontier(Mutex<State>);

#[derive(Default)]
struct State {
    keys: HashMap<String, i64>,
    sites: Vec<Site>,
    urls: i64,
    pages: i64,
    sequence: u64,
}

#[derive(Default)]
struct Site {
    key: String,
    epoch: i64,
    until: Timestamp,
    ready_at: Timestamp,
    known: KnownSet,
    /// By form; all of form 0 where the site is not taken form by form.
    queues: BTreeMap<i64, CompactQueue>,
    /// Taken form by form.
    by_form: bool,
    /// Queued URLs that came back and so are not in the order of their numbers.
    returned: BTreeMap<(i64, i32, u32, i64), Pending>,
    waiting: BTreeMap<(Timestamp, i64), Pending>,
    taken: HashMap<i64, Pending>,
    counts: BTreeMap<(UrlState, Option<UrlReason>), u64>,
}

impl MemoryFrontier {
    pub fn new() -> MemoryFrontier {
        MemoryFrontier::default()
    }

    /// About the bytes it takes.
    pub fn memory(&self) -> usize {
        let state = self.state();
        state
            .sites
            .iter()
            .map(|site| site.known.memory() + site.queues.values().map(CompactQueue::memory).sum::<usize>())
            .sum()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // No step leaves the state half changed.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Frontier for MemoryFrontier {
    fn site(&self, key: &str) -> Result<SiteId, StoreError> {
        let mut state = self.state();
        if let Some(&id) = state.keys.get(key) {
            return Ok(SiteId(id));
        }
        state.sites.push(Site {
            key: key.to_owned(),
            ..Site::default()
        });
        let id = state.sites.len() as i64;
        state.keys.insert(key.to_owned(), id);
        Ok(SiteId(id))
    }

    fn lease(&self, request: &LeaseRequest<'_>) -> Result<Option<Lease>, StoreError> {
        let mut state = self.state();
        let candidates = (1i64..).zip(&mut state.sites);
        let free = candidates.filter(|(_, site)| site.until <= request.now);
        let chosen = match request.site {
            Some(wanted) => free.into_iter().find(|(id, _)| *id == wanted.0),
            None => free
                .filter(|(_, site)| {
                    site.ready_at <= request.now && site.queued() + site.taken.len() as u64 > 0
                })
                .min_by_key(|(id, site)| (site.ready_at, *id)),
        };
        Ok(chosen.map(|(id, site)| {
            site.by_form = false;
            site.give_back();
            site.epoch += 1;
            site.until = request.until;
            site.ready_at = request.now;
            Lease {
                site: SiteId(id),
                key: site.key.clone(),
                epoch: site.epoch,
                until: site.until,
            }
        }))
    }

    fn extend(&self, lease: &mut Lease, until: Timestamp) -> Result<(), StoreError> {
        self.state().get(lease)?.until = until;
        lease.until = until;
        Ok(())
    }

    fn release(&self, lease: Lease, ready_at: Timestamp) -> Result<(), StoreError> {
        let mut state = self.state();
        let site = state.get(&lease)?;
        site.give_back();
        site.until = Timestamp::default();
        // A lease of the old epoch can take no more URLs.
        site.epoch += 1;
        site.ready_at = ready_at;
        Ok(())
    }

    fn unknown(&self, lease: &Lease, fingerprints: &[u64]) -> Result<Vec<usize>, StoreError> {
        let mut state = self.state();
        Ok(state.get(lease)?.known.unknown(fingerprints))
    }

    fn take(
        &self,
        lease: &Lease,
        form: Option<i64>,
        limit: usize,
        now: Timestamp,
    ) -> Result<Vec<Pending>, StoreError> {
        let mut state = self.state();
        let site = state.get(lease)?;
        let mut taken = Vec::new();
        while taken.len() < limit
            && let Some(pending) = match form {
                Some(form) => site.due(now).or_else(|| site.first_of(form)),
                None => site.next(now),
            }
        {
            site.taken.insert(pending.id.0, pending.clone());
            taken.push(pending);
        }
        Ok(taken)
    }

    fn rank(
        &self,
        lease: &Lease,
        form_of: &mut dyn FnMut(&str) -> i64,
    ) -> Result<Vec<RankedForm>, StoreError> {
        let mut state = self.state();
        Ok(state.get(lease)?.rank(form_of))
    }

    fn commit(&self, lease: &Lease, result: FetchResult) -> Result<Receipt, StoreError> {
        let mut state = self.state();
        let site = state.get(lease)?;
        if let Some(settled) = &result.settled {
            site.settle(settled)?;
        }
        state.sequence += 1;
        let page = result.page.map(|_| {
            state.pages += 1;
            PageId(state.pages)
        });
        let accepted = result
            .offers
            .into_iter()
            .map(|offer| state.accept(lease.site, offer))
            .collect();
        Ok(Receipt {
            sequence: state.sequence,
            page,
            accepted,
        })
    }

    fn committed(&self) -> u64 {
        self.state().sequence
    }

    fn flush(&self) -> Result<(), StoreError> {
        Ok(())
    }

    fn standing(&self, lease: &Lease) -> Result<Standing, StoreError> {
        let mut state = self.state();
        let site = state.get(lease)?;
        Ok(Standing {
            known: site.known.len() as u64,
            queued: site.queued(),
            taken: site.taken.len() as u64,
            next_due: site.waiting.first_key_value().map(|((due, _), _)| *due),
        })
    }

    fn counts(&self, site: Option<SiteId>) -> Result<Counts, StoreError> {
        let state = self.state();
        let mut counts = Counts::default();
        for (id, known) in (1i64..).zip(&state.sites) {
            if site.is_some_and(|site| site.0 != id) {
                continue;
            }
            for (key, count) in known.counts.iter().filter(|(_, count)| **count > 0) {
                *counts.0.entry(key.clone()).or_default() += count;
            }
        }
        Ok(counts)
    }
}

/// It forgets with the crawl.
impl SiteMemory for MemoryFrontier {
    fn known_site(&self, _: &Lease) -> Result<KnownSite, StoreError> {
        Ok(KnownSite::default())
    }

    fn robots(&self, _: &str) -> Result<Option<Robots>, StoreError> {
        Ok(None)
    }

    fn past(&self, _: &Lease, _: &mut dyn FnMut(PastFetch)) -> Result<(), StoreError> {
        Ok(())
    }

    fn past_links(&self, _: &Lease, _: &[PageId]) -> Result<Vec<PastLinks>, StoreError> {
        Ok(Vec::new())
    }

    fn keep_cookies(&self, _: &Lease, _: Vec<Cookie>) -> Result<(), StoreError> {
        Ok(())
    }

    fn keep_url_rules(&self, _: &Lease, _: Vec<KeptUrlRule>) -> Result<(), StoreError> {
        Ok(())
    }
}

impl State {
    /// The leased site, when the lease still holds.
    fn get(&mut self, lease: &Lease) -> Result<&mut Site, StoreError> {
        let index = usize::try_from(lease.site.0 - 1).ok();
        index
            .and_then(|index| self.sites.get_mut(index))
            .filter(|site| site.epoch == lease.epoch)
            .ok_or(StoreError::LeaseOver {
                site: lease.site.0,
                epoch: lease.epoch,
            })
    }

    fn accept(&mut self, own: SiteId, offer: Offer) -> Option<UrlId> {
        let id = offer.site.unwrap_or(own);
        let site = self.sites.get_mut(usize::try_from(id.0 - 1).ok()?)?;
        if !site.known.insert(offer.fingerprint) {
            return None;
        }
        self.urls += 1;
        let url = UrlId(self.urls);
        site.count(offer.state, offer.reason.as_ref(), true);
        let pending = Pending {
            id: url,
            url: offer.url,
            priority: offer.priority,
            form: offer.form,
            depth: offer.depth,
            attempts: 0,
            due_at: offer.due_at,
            last_answer: None,
        };
        // SQLite finds out later whether a URL of an unleased site is new, so its id is unknown.
        let leased = site.until > Timestamp::default();
        if offer.taken && leased {
            site.taken.insert(url.0, pending);
        } else if offer.state == UrlState::Queued {
            site.enqueue(pending);
        }
        Some(url).filter(|_| leased)
    }
}

impl Site {
    fn queued(&self) -> u64 {
        let queues: usize = self.queues.values().map(CompactQueue::len).sum();
        (queues + self.returned.len() + self.waiting.len()) as u64
    }

    fn count(&mut self, state: UrlState, reason: Option<&UrlReason>, more: bool) {
        let reason = reason.filter(|_| state != UrlState::Queued).cloned();
        let count = self.counts.entry((state, reason)).or_default();
        *count = if more { *count + 1 } else { count.saturating_sub(1) };
    }

    fn enqueue(&mut self, pending: Pending) {
        let id = pending.id.0;
        if let Some(due) = pending.due_at {
            self.waiting.insert((due, id), pending);
            return;
        }
        let (form, priority, depth) = (pending.form, pending.priority, pending.depth);
        let queue = self.queues.entry(form).or_default();
        if !queue.push(priority, depth, id, pending.attempts, &pending.url) {
            self.returned.insert((form, priority, depth, id), pending);
        }
    }

    /// A URL whose moment has come.
    fn due(&mut self, now: Timestamp) -> Option<Pending> {
        let first = self.waiting.first_entry()?;
        (first.key().0 <= now).then(|| first.remove())
    }

    fn next(&mut self, now: Timestamp) -> Option<Pending> {
        if let Some(due) = self.due(now) {
            return Some(due);
        }
        if self.by_form {
            return None;
        }
        // The first of all forms; nearly always there is one.
        let mut first = self
            .queues
            .iter()
            .filter_map(|(form, queue)| Some((queue.first()?, *form)))
            .min();
        let mut after = i64::MIN;
        while let Some(((form, priority, depth, id), _)) =
            self.returned.range((after, i32::MIN, 0, i64::MIN)..).next()
        {
            let place = ((*priority, *depth, *id), *form);
            first = Some(first.map_or(place, |first| first.min(place)));
            after = form.saturating_add(1);
        }
        self.first_of(first?.1)
    }

    /// The first URL of a form.
    fn first_of(&mut self, form: i64) -> Option<Pending> {
        let range = (form, i32::MIN, 0, i64::MIN)..=(form, i32::MAX, u32::MAX, i64::MAX);
        let returned = self.returned.range(range).next().map(|(place, _)| *place);
        let queued = self.queues.get(&form).and_then(CompactQueue::first);
        if let Some(place) = returned
            && queued.is_none_or(|queued| (place.1, place.2, place.3) < queued)
        {
            return self.returned.remove(&place);
        }
        let queue = self.queues.get_mut(&form)?;
        let (priority, depth, id, attempts, url) = queue.pop()?;
        if queue.len() == 0 {
            self.queues.remove(&form);
        }
        Some(Pending {
            id: UrlId(id),
            url,
            priority,
            form,
            depth,
            attempts,
            due_at: None,
            last_answer: None,
        })
    }

    /// Gives every queued URL a form that has none. The forms in the order of their first URLs.
    fn rank(&mut self, form_of: &mut dyn FnMut(&str) -> i64) -> Vec<RankedForm> {
        self.by_form = true;
        let forms: BTreeSet<i64> = self
            .queues
            .keys()
            .chain(self.returned.keys().map(|(form, ..)| form))
            .copied()
            .collect();
        let mut pending: Vec<Pending> = std::mem::take(&mut self.waiting).into_values().collect();
        for form in forms {
            while let Some(next) = self.first_of(form) {
                pending.push(next);
            }
        }
        pending.sort_unstable_by_key(|pending| pending.id);
        let mut ranked: Vec<RankedForm> = Vec::new();
        let mut places: HashMap<i64, usize> = HashMap::new();
        for mut pending in pending {
            if pending.form == 0 {
                pending.form = form_of(&pending.url);
            }
            let place = *places.entry(pending.form).or_insert_with(|| {
                ranked.push(RankedForm {
                    form: pending.form,
                    queued: 0,
                    url: pending.url.clone(),
                });
                ranked.len() - 1
            });
            ranked[place].queued += 1;
            self.enqueue(pending);
        }
        ranked
    }

    fn settle(&mut self, settled: &UrlOutcome) -> Result<(), StoreError> {
        let url = settled.url.0;
        let pending = self.taken.remove(&url).ok_or(StoreError::NotTaken { url })?;
        self.count(UrlState::Queued, None, false);
        self.count(settled.state, settled.reason.as_ref(), true);
        if settled.state == UrlState::Queued {
            self.enqueue(Pending {
                attempts: pending.attempts.saturating_add(u32::from(settled.attempted)),
                due_at: settled.due_at,
                ..pending
            });
        }
        Ok(())
    }

    /// Queues again what was taken.
    fn give_back(&mut self) {
        let mut taken: Vec<Pending> = self.taken.drain().map(|(_, pending)| pending).collect();
        taken.sort_unstable_by_key(|pending| pending.id);
        for pending in taken {
            self.enqueue(pending);
        }
    }
}
