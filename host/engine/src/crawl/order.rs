//! The order of a site's queue where objects are looked for: by the yield of pages of the same form
//! and of links from the same place.

use std::collections::{HashMap, HashSet};

use magpie_discovery::{Brought, Group, PageOrder};
use magpie_model::CanonicalUrl;
use magpie_rows::{
    CrawlStore, Frontier, Lease, PastFetch, Pending, RankedForm, Receipt, StoreError, UrlSource,
};
use magpie_values::Timestamp;
use xxhash_rust::xxh3::xxh3_64;

use super::Extractor;
use super::event::{Closure, FoundShare};
use super::fetch_yield::FetchYield;
use super::guided::GuidedOrder;

/// Objects of a site that are remembered, so that those seen again count no more. Eight bytes each.
const MAX_OBJECTS: usize = 1 << 20;

/// Distinguishes the places of links on pages with objects.
const BESIDE_OBJECTS: u64 = 0x9e37_79b9_7f4a_7c15;

/// Fetched pages of a site before the share of its objects that is found is estimated.
const MIN_PAGES: u64 = 20;

/// Most pages from one estimate to the next.
const MAX_EVERY: u64 = 50;

/// Orders the queue of a site.
pub(super) enum QueueOrder {
    /// By the yield of groups.
    Yield(Box<SiteOrder>),
    /// URL by URL, as a guide chooses.
    Guided(Box<GuidedOrder>),
}

/// URLs taken from the frontier at once where the order changes with every page: a URL that was
/// taken keeps its turn.
pub(super) const RANKED_WINDOW: usize = 8;

impl QueueOrder {
    /// URLs that are taken at once.
    pub(super) fn window(&self) -> usize {
        match self {
            QueueOrder::Yield(_) => RANKED_WINDOW,
            QueueOrder::Guided(_) => 1,
        }
    }

    /// Returns `true` if the crawl reads more of the site than pages it was given.
    pub(super) fn reads_whole_site(&self) -> bool {
        match self {
            QueueOrder::Yield(_) => true,
            QueueOrder::Guided(order) => order.reads_whole_site(),
        }
    }

    /// Returns `true` if the order learns from links to pages that are known.
    pub(super) fn wants_known_links(&self) -> bool {
        match self {
            QueueOrder::Yield(_) => false,
            QueueOrder::Guided(order) => order.wants_known_links(),
        }
    }

    /// Takes note of a link to a page that is known.
    pub(super) fn note_known_link(&mut self, fingerprint: u64, place: u64) {
        if let QueueOrder::Guided(order) = self {
            order.note_known_link(fingerprint, place);
        }
    }

    /// Remembers where on a page the links to URLs stand.
    pub(super) fn place(&mut self, url: &CanonicalUrl, place: u64) {
        match self {
            QueueOrder::Yield(order) => order.place(url, place),
            QueueOrder::Guided(order) => order.place(url, place),
        }
    }

    /// Forgets the places of the page before.
    pub(super) fn begin_page(&mut self, has_objects: bool) {
        match self {
            QueueOrder::Yield(order) => order.begin_page(has_objects),
            QueueOrder::Guided(order) => order.begin_page(),
        }
    }

    /// The form that a URL is queued by.
    pub(super) fn form_of(&mut self, url: &CanonicalUrl, source: UrlSource) -> i64 {
        match self {
            QueueOrder::Yield(order) => order.form_of(url, source),
            QueueOrder::Guided(order) => order.form_of(url, source),
        }
    }

    /// Takes the next URLs of a leased site.
    pub(super) fn take(
        &mut self,
        frontier: &dyn Frontier,
        lease: &Lease,
        limit: usize,
        now: Timestamp,
    ) -> Result<Vec<Pending>, StoreError> {
        match self {
            QueueOrder::Yield(order) => order.take(frontier, lease, limit, now),
            QueueOrder::Guided(order) => order.take(frontier, lease, now),
        }
    }

    /// Returns the reason to fetch nothing more of the site, if as much of it is found as is
    /// wanted, with the estimate of what it has.
    pub(super) fn ending(&self, until: f64) -> Option<(Closure, FoundShare)> {
        let found = match self {
            QueueOrder::Yield(order) if order.is_due() => {
                order.found_share().filter(|found| found.share() >= until)?
            }
            QueueOrder::Yield(_) => return None,
            QueueOrder::Guided(order) => order.ending(until)?,
        };
        let is_walk = self.wants_known_links();
        let closure = if is_walk {
            Closure::NoNewHub(found)
        } else {
            Closure::Found(found)
        };
        Some((closure, found))
    }
}

/// Orders the queue of a site by the yield of groups.
pub(super) struct SiteOrder {
    pages: PageOrder,
    seen: HashSet<u64>,
    fetched: u64,
    /// The places of the links of the page that is being read, by the fingerprints of their URLs.
    places: HashMap<u64, u64>,
    has_objects: bool,
}

impl SiteOrder {
    /// Ranks the queue of a leased site, by what was found there in earlier runs. `look` sees each
    /// past fetch.
    pub(super) fn open(
        store: &dyn CrawlStore,
        lease: &Lease,
        extractor: &dyn Extractor,
        look: &mut dyn FnMut(&CanonicalUrl, &PastFetch),
    ) -> Result<SiteOrder, StoreError> {
        let mut pages = PageOrder::default();
        let canonical = |url: &str| CanonicalUrl::trusted(url);
        let mut form_of = |url: &str| canonical(url).map_or(1, |url| pages.group(&url, 0).number());
        let ranked = store.rank(lease, &mut form_of)?;
        let queued = restored(&mut pages, &ranked);
        let mut order = SiteOrder {
            pages,
            seen: HashSet::new(),
            fetched: 0,
            places: HashMap::new(),
            has_objects: false,
        };
        store.past(lease, &mut |fetch| {
            let Some(url) = canonical(&fetch.url) else {
                return;
            };
            look(&url, &fetch);
            let group = match Group::from_number(fetch.form) {
                Some(group) => {
                    order.pages.restore(group, &url);
                    group
                }
                None => order.pages.group(&url, 0),
            };
            order.pages.taken(group);
            let records = fetch.records.iter();
            let objects = records.map(|(vertical, record)| extractor.identity(vertical, record));
            let (objects, new_objects) = order.count(objects);
            let brought = Brought {
                objects,
                new_objects,
                offered: fetch.led_to.into_iter().filter_map(Group::from_number).collect(),
                is_page: fetch.is_page,
            };
            order.pages.learn(group, &brought);
        })?;
        // Past fetches left the queue long ago: counted before them, what is queued would seem to
        // be gone.
        for (group, count) in queued {
            order.pages.queued(group, count);
        }
        Ok(order)
    }

    /// Returns the number of objects of a page, and of those that were on no page before.
    fn count(&mut self, objects: impl Iterator<Item = u64>) -> (u64, u64) {
        self.fetched += 1;
        let objects: HashSet<u64> = objects.collect();
        let mut new = 0;
        for object in &objects {
            let is_new = match self.seen.len() < MAX_OBJECTS {
                true => self.seen.insert(*object),
                false => !self.seen.contains(object),
            };
            new += u64::from(is_new);
        }
        (objects.len() as u64, new)
    }

    /// Returns `true` if the estimate is to be made again: with every page at first, then less
    /// often, as it takes time in proportion to the kinds of pages.
    fn is_due(&self) -> bool {
        self.fetched >= MIN_PAGES
            && self
                .fetched
                .is_multiple_of((self.fetched / MIN_PAGES).min(MAX_EVERY))
    }

    /// Estimates the share of the site's objects that is found. Returns `None` before enough pages
    /// were fetched, and as long as there are no objects.
    fn found_share(&self) -> Option<FoundShare> {
        let objects = self.seen.len() as u64;
        if self.fetched < MIN_PAGES || objects == 0 {
            return None;
        }
        Some(FoundShare {
            objects,
            expected: objects + self.pages.unseen().round() as u64,
        })
    }

    /// Remembers where on a page the links to URLs stand.
    pub(super) fn place(&mut self, url: &CanonicalUrl, place: u64) {
        let place = match self.has_objects {
            true => place ^ BESIDE_OBJECTS,
            false => place,
        };
        self.places.entry(url.fingerprint().0).or_insert(place);
    }

    /// Forgets the places of the page before.
    pub(super) fn begin_page(&mut self, has_objects: bool) {
        // Links beside objects mostly lead to pages about these objects, which are known then, so
        // their places are others.
        self.places.clear();
        self.has_objects = has_objects;
    }

    /// The form that a URL is queued by.
    pub(super) fn form_of(&mut self, url: &CanonicalUrl, source: UrlSource) -> i64 {
        let place = match source {
            UrlSource::Link => self.places.get(&url.fingerprint().0).copied().unwrap_or(0),
            // A URL without a link has no position on a page; its source takes that role.
            source => xxh3_64(source.as_str().as_bytes()),
        };
        self.pages.group(url, place).number()
    }

    /// The group whose turn it is.
    fn turn(
        &mut self,
        frontier: &dyn Frontier,
        lease: &Lease,
        is_recounted: &mut bool,
    ) -> Result<Option<Group>, StoreError> {
        // If none seems to have URLs though some are queued, these were offered past the order, and
        // are counted now.
        let group = self.pages.turn();
        // Counted once: what the frontier does not give then is under way.
        if group.is_some() || std::mem::replace(is_recounted, true) {
            return Ok(group);
        }
        let standing = frontier.standing(lease)?;
        if standing.queued == 0 || standing.next_due.is_some() {
            return Ok(None);
        }
        let pages = &mut self.pages;
        let mut form_of =
            |url: &str| CanonicalUrl::trusted(url).map_or(1, |url| pages.group(&url, 0).number());
        let ranked = frontier.rank(lease, &mut form_of)?;
        for (group, count) in restored(pages, &ranked) {
            pages.queued(group, count);
        }
        Ok(pages.turn())
    }

    /// Takes the next URLs of a leased site, in the order of its forms.
    pub(super) fn take(
        &mut self,
        frontier: &dyn Frontier,
        lease: &Lease,
        limit: usize,
        now: Timestamp,
    ) -> Result<Vec<Pending>, StoreError> {
        let mut pending = Vec::new();
        let mut is_recounted = false;
        while pending.len() < limit {
            let Some(group) = self.turn(frontier, lease, &mut is_recounted)? else {
                // URLs that wait for a moment are left.
                pending.extend(frontier.take(lease, None, limit - pending.len(), now)?);
                break;
            };
            let taken = frontier.take(lease, Some(group.number()), 1, now)?;
            // The group has fewer URLs than were counted: some were settled without being taken.
            if taken.is_empty() {
                self.pages.emptied(group);
            }
            // URLs that waited for a moment were taken from their form before.
            for taken in taken.iter().filter(|taken| taken.due_at.is_none()) {
                if let Some(group) = Group::from_number(taken.form) {
                    self.pages.taken(group);
                }
            }
            pending.extend(taken);
        }
        Ok(pending)
    }

    /// Learns which of some offers were new to the frontier, and what the page brought on which
    /// they were found.
    pub(super) fn learn(&mut self, offered: &[(i64, bool)], accepted: &Receipt, fetch: Option<FetchYield>) {
        let new = offered.iter().zip(&accepted.accepted);
        let new = new.filter(|((_, is_queued), id)| *is_queued && id.is_some());
        let groups: Vec<Group> = new
            .filter_map(|((form, _), _)| Group::from_number(*form))
            .collect();
        groups.iter().for_each(|group| self.pages.queued(*group, 1));
        let Some(fetch) = fetch else {
            return;
        };
        if let Some(group) = Group::from_number(fetch.form) {
            let (objects, new_objects) = self.count(fetch.objects.into_iter());
            let brought = Brought {
                objects,
                new_objects,
                offered: groups,
                is_page: fetch.is_page,
            };
            self.pages.learn(group, &brought);
        }
    }
}

/// Makes the groups of queued URLs known. Returns each with the number of its URLs.
fn restored(pages: &mut PageOrder, ranked: &[RankedForm]) -> Vec<(Group, u64)> {
    let groups = ranked.iter().filter_map(|form| {
        let (group, url) = (
            Group::from_number(form.form)?,
            CanonicalUrl::trusted(form.url.as_str())?,
        );
        pages.restore(group, &url);
        Some((group, form.queued))
    });
    groups.collect()
}
