//! A store that lives in memory: for tests, and for programs that embed a crawl and keep nothing.
//!
//! [`MemoryStore`] is a [`Frontier`], which is a [`MemoryFrontier`], and remembers what passes
//! through it: pages with their links and records, objects, what was learned, runs. Bodies are
//! dropped. Everything is durable at once, as far as anything is. It searches its lists where a
//! database has indexes, so it is for some ten thousand pages.

mod hidden;
mod learned;
mod pages;
mod warehouse;
mod webhooks;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use magpie_model::{Record, UrlReason};
use magpie_values::Timestamp;

use self::hidden::HiddenRows;
use self::learned::Learning;
use self::warehouse::StoredObjects;
use self::webhooks::WebhookRows;
use crate::fetch_result::{
    Component, FetchResult, Host, Link, LinkList, Page, PageId, PageJudgement, Receipt, Robots, SiteId, UrlId,
};
use crate::frontier::{
    Counts, Frontier, KnownSite, LastAnswer, Lease, LeaseRequest, MemoryFrontier, PastFetch, PastLinks,
    Pending, RankedForm, Requeue, SiteFacts, SiteMemory, Standing,
};
use crate::learned::Hinted;
use crate::words::{HintSource, UrlSource, UrlState};
use crate::writer::origin;
use crate::{Cookie, CoverageRow, KeptUrlRule, RunRow, StoreError};
use magpie_warc::PayloadDigest;

/// A store without a disk.
#[derive(Default)]
pub struct MemoryStore {
    frontier: MemoryFrontier,
    kept: Mutex<Kept>,
}

/// Everything that is kept beside the frontier.
#[derive(Default)]
struct Kept {
    /// The keys of sites; the first is site 1.
    sites: Vec<String>,
    /// Names count from 1.
    urls: Vec<Url>,
    url_names: HashMap<(SiteId, u64), UrlId>,
    hints: HashMap<(SiteId, u64, bool), Hinted>,
    pages: BTreeMap<PageId, Fetched>,
    /// The pages of each site in their order.
    of_site: BTreeMap<SiteId, Vec<PageId>>,
    /// Pages with a whole body, by its hash.
    bodies: HashMap<[u8; 32], PageId>,
    /// Components in the order in which they came into use.
    components: Vec<Arc<Component>>,
    /// Records by number, which count from 1.
    records: Vec<Found>,
    /// Facts about sites beside their URLs.
    facts: BTreeMap<SiteId, KnownSite>,
    /// By origin.
    hosts: HashMap<String, Host>,
    runs: Vec<RunRow>,
    /// By vertical and site.
    coverage: BTreeMap<(String, SiteId), Vec<CoverageRow>>,
    objects: StoredObjects,
    learning: Learning,
    hidden: HiddenRows,
    hooks: WebhookRows,
}

/// A URL as the frontier has it.
struct Url {
    site: SiteId,
    fingerprint: u64,
    url: String,
    priority: i32,
    depth: u32,
    form: i64,
    attempts: u32,
    state: UrlState,
    reason: Option<UrlReason>,
    source: UrlSource,
    found_on: Option<UrlId>,
    found_at: Timestamp,
    pages: Vec<PageId>,
}

/// A page.
struct Fetched {
    site: SiteId,
    number: u64,
    url: Option<UrlId>,
    page: Page,
    digest: Option<PayloadDigest>,
    same_as: Option<PageId>,
    /// Each vertical that was asked, the outcome and its records.
    extractions: Vec<Asked>,
    judgements: Vec<PageJudgement>,
}

struct Asked {
    vertical: String,
    is_done: bool,
    violations: u64,
    records: Vec<i64>,
}

/// A record.
struct Found {
    page: PageId,
    record: Record,
    expires_at: Option<Timestamp>,
}

/// A body below this is kept again rather than referred to, as in archives.
const MIN_SHARED_BODY: usize = 500;

impl MemoryStore {
    /// Returns an empty store.
    pub fn new() -> MemoryStore {
        MemoryStore::default()
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        // No step leaves it half changed.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn url(&self, url: UrlId) -> Option<&Url> {
        self.urls.get(usize::try_from(url.0 - 1).ok()?)
    }

    fn record(&self, number: i64) -> Option<&Found> {
        self.records.get(usize::try_from(number - 1).ok()?)
    }

    fn site_key(&self, site: SiteId) -> Option<&str> {
        self.sites
            .get(usize::try_from(site.0 - 1).ok()?)
            .map(String::as_str)
    }

    /// The pages of a site after a number, in their order.
    fn pages_after(&self, site: SiteId, after: u64) -> impl Iterator<Item = (PageId, &Fetched)> {
        let pages = self.of_site.get(&site).map_or(&[][..], Vec::as_slice);
        let pages = pages
            .get(usize::try_from(after).unwrap_or(usize::MAX)..)
            .unwrap_or_default();
        pages.iter().map(|page| (*page, &self.pages[page]))
    }

    /// Returns the version that the last good answer of a URL named.
    fn last_answer(&self, url: UrlId) -> Option<LastAnswer> {
        let pages = self.url(url)?.pages.iter().rev();
        let mut pages = pages.map(|page| &self.pages[page].page);
        let page = pages.find(|page| page.status == Some(200) && page.problem.is_none())?;
        Some(LastAnswer {
            etag: page.etag.clone(),
            last_modified: page.last_modified.clone(),
        })
    }

    /// Returns the fetches of a site in their order, each URL once, by its last answer.
    fn past(&self, site: SiteId) -> Vec<PastFetch> {
        let of_site = || (1..).zip(&self.urls).filter(|(_, url)| url.site == site);
        let is_over = |state| matches!(state, UrlState::Fetched | UrlState::Failed);
        let fetched = of_site().filter(|(_, url)| is_over(url.state));
        let mut fetches: Vec<(PageId, PastFetch)> = Vec::new();
        for (name, url) in fetched {
            // An answer that the page has not changed says nothing of what is on it.
            let is_told = |id: &&PageId| self.pages[*id].page.status != Some(304);
            let Some(id) = url.pages.iter().rev().find(is_told) else {
                continue;
            };
            let Fetched {
                page,
                extractions,
                judgements,
                ..
            } = &self.pages[id];
            let is_accepted = || judgements.iter().any(|judged| judged.judgement.accepted);
            let records = extractions.iter().flat_map(|asked| {
                let numbers = asked.records.iter().filter_map(|number| self.record(*number));
                numbers.map(|found| (asked.vertical.clone(), found.record.clone()))
            });
            let media_type = page.media_type.as_deref();
            let led_to = of_site().filter(|(_, other)| {
                other.found_on == Some(UrlId(name)) && other.state != UrlState::Refused && other.form != 0
            });
            fetches.push((
                *id,
                PastFetch {
                    page: *id,
                    judgement: (!judgements.is_empty()).then(is_accepted),
                    url: url.url.clone(),
                    form: url.form,
                    is_page: matches!(page.status, Some(200..=299))
                        && media_type.is_none_or(|written| written.contains("html")),
                    records: records.collect(),
                    led_to: led_to.map(|(_, other)| other.form).collect(),
                },
            ));
        }
        fetches.sort_unstable_by_key(|(page, _)| *page);
        fetches.into_iter().map(|(_, fetch)| fetch).collect()
    }

    /// Remembers a result that the frontier has accepted.
    fn record_result(&mut self, site: SiteId, result: FetchResult, page: Option<PageId>) {
        let url = result.settled.as_ref().map(|settled| settled.url);
        if let Some((page, id)) = result.page.zip(page) {
            self.record_page(site, url, page, id);
            for extraction in result.extractions {
                if !self.components.contains(&extraction.component) {
                    self.components.push(Arc::clone(&extraction.component));
                }
                let records = extraction.records.into_iter().map(|found| {
                    self.records.push(Found {
                        page: id,
                        record: found.record,
                        expires_at: found.expires_at,
                    });
                    self.records.len() as i64
                });
                let asked = Asked {
                    vertical: extraction.component.vertical.clone(),
                    is_done: extraction.problem.is_none(),
                    violations: extraction.violations,
                    records: records.collect(),
                };
                if let Some(page) = self.pages.get_mut(&id) {
                    page.extractions.push(asked);
                }
            }
            if let Some(page) = self.pages.get_mut(&id) {
                page.judgements = result.judgements;
            }
        }
        let feeds = &mut self.facts.entry(site).or_default().feeds;
        feeds.extend(result.feeds);
        feeds.sort();
        feeds.dedup();
        for host in result.hosts {
            let before = self.hosts.remove(&host.origin).and_then(|before| before.robots);
            let robots = host.robots.clone().or(before);
            self.hosts.insert(host.origin.clone(), Host { robots, ..host });
        }
        for hint in result.hints {
            let key = (site, hint.fingerprint, hint.source == HintSource::Feed);
            let before = self
                .hints
                .get(&key)
                .filter(|before| before.seen_at == hint.seen_at);
            let modified_at = before.map_or(hint.modified_at, |before| {
                before.modified_at.max(hint.modified_at)
            });
            let seen_at = hint.seen_at;
            self.hints.insert(key, Hinted { modified_at, seen_at });
        }
        for offer in result.offers {
            let site = offer.site.unwrap_or(site);
            let is_known = self.url_names.contains_key(&(site, offer.fingerprint));
            if is_known || self.site_key(site).is_none() {
                continue;
            }
            // The frontier numbers new URLs in this order, too.
            let name = UrlId(self.urls.len() as i64 + 1);
            self.url_names.insert((site, offer.fingerprint), name);
            self.urls.push(Url {
                site,
                fingerprint: offer.fingerprint,
                url: offer.url,
                priority: offer.priority,
                depth: offer.depth,
                form: offer.form,
                attempts: 0,
                state: offer.state,
                reason: offer.reason,
                source: offer.source,
                found_on: offer.found_on,
                found_at: offer.found_at,
                pages: Vec::new(),
            });
        }
        if let Some(settled) = result.settled
            && let Some(url) = usize::try_from(settled.url.0 - 1)
                .ok()
                .and_then(|url| self.urls.get_mut(url))
        {
            (url.state, url.reason) = (settled.state, settled.reason);
            url.attempts = url.attempts.saturating_add(u32::from(settled.attempted));
        }
    }

    fn record_page(&mut self, site: SiteId, url: Option<UrlId>, mut page: Page, id: PageId) {
        let exchange = page.exchange.take();
        let (digest, same_as) = match &exchange {
            None => (None, None),
            Some(exchange) => {
                let own = PayloadDigest::of(&exchange.body);
                let same = self.same_body(url, &page, &own, exchange.body.len());
                let digest = same.and_then(|same| self.pages[&same].digest).unwrap_or(own);
                if same.is_none() && exchange.body.len() >= MIN_SHARED_BODY {
                    self.bodies.insert(own.0, id);
                }
                (Some(digest), same)
            }
        };
        let of_site = self.of_site.entry(site).or_default();
        of_site.push(id);
        let number = of_site.len() as u64;
        let fetched = Fetched {
            site,
            number,
            url,
            page,
            digest,
            same_as,
            extractions: Vec::new(),
            judgements: Vec::new(),
        };
        self.pages.insert(id, fetched);
        if let Some(url) = url.and_then(|url| self.urls.get_mut(usize::try_from(url.0 - 1).ok()?)) {
            url.pages.push(id);
        }
    }

    /// The older page that has the body of this one.
    fn same_body(
        &self,
        url: Option<UrlId>,
        page: &Page,
        own: &PayloadDigest,
        length: usize,
    ) -> Option<PageId> {
        let last = || {
            let pages = self
                .url(url?)?
                .pages
                .iter()
                .rev()
                .map(|page| (page, &self.pages[page]));
            let mut answers = pages
                .filter(|(_, page)| page.digest.is_some() && matches!(page.page.status, Some(200..=399)));
            let (name, last) = answers.next()?;
            Some((last.same_as.unwrap_or(*name), last.digest))
        };
        if page.status == Some(304) {
            return last().map(|(page, _)| page);
        }
        if length < MIN_SHARED_BODY {
            return None;
        }
        let elsewhere = self.bodies.get(&own.0).copied();
        elsewhere.or_else(|| {
            last()
                .filter(|(_, digest)| *digest == Some(*own))
                .map(|(page, _)| page)
        })
    }
}

impl Frontier for MemoryStore {
    fn site(&self, key: &str) -> Result<SiteId, StoreError> {
        let mut kept = self.kept();
        let site = self.frontier.site(key)?;
        if kept.site_key(site).is_none() {
            kept.sites.push(key.to_owned());
        }
        Ok(site)
    }

    fn lease(&self, request: &LeaseRequest<'_>) -> Result<Option<Lease>, StoreError> {
        self.frontier.lease(request)
    }

    fn extend(&self, lease: &mut Lease, until: Timestamp) -> Result<(), StoreError> {
        self.frontier.extend(lease, until)
    }

    fn release(&self, lease: Lease, ready_at: Timestamp) -> Result<(), StoreError> {
        self.frontier.release(lease, ready_at)
    }

    fn unknown(&self, lease: &Lease, fingerprints: &[u64]) -> Result<Vec<usize>, StoreError> {
        self.frontier.unknown(lease, fingerprints)
    }

    fn take(
        &self,
        lease: &Lease,
        form: Option<i64>,
        limit: usize,
        now: Timestamp,
    ) -> Result<Vec<Pending>, StoreError> {
        let mut pending = self.frontier.take(lease, form, limit, now)?;
        let kept = self.kept();
        for pending in &mut pending {
            pending.last_answer = kept.last_answer(pending.id);
        }
        Ok(pending)
    }

    fn rank(
        &self,
        lease: &Lease,
        form_of: &mut dyn FnMut(&str) -> i64,
    ) -> Result<Vec<RankedForm>, StoreError> {
        let mut kept = self.kept();
        let site = lease.site;
        self.frontier.rank(lease, &mut |url| {
            let form = form_of(url);
            let known = kept
                .urls
                .iter_mut()
                .find(|known| known.site == site && known.url == url);
            if let Some(known) = known {
                known.form = form;
            }
            form
        })
    }

    fn commit(&self, lease: &Lease, mut result: FetchResult) -> Result<Receipt, StoreError> {
        // Held over both, so that URLs and pages get the same names here and there.
        let mut kept = self.kept();
        let for_frontier = FetchResult {
            settled: result.settled.clone(),
            // The frontier counts it.
            page: result.page.as_ref().map(|_| Page::default()),
            offers: result.offers.clone(),
            ..FetchResult::default()
        };
        let receipt = self.frontier.commit(lease, for_frontier)?;
        if receipt.page.is_none() {
            result.page = None;
        }
        kept.record_result(lease.site, result, receipt.page);
        Ok(receipt)
    }

    fn committed(&self) -> u64 {
        self.frontier.committed()
    }

    fn flush(&self) -> Result<(), StoreError> {
        self.frontier.flush()
    }

    fn standing(&self, lease: &Lease) -> Result<Standing, StoreError> {
        self.frontier.standing(lease)
    }

    fn counts(&self, site: Option<SiteId>) -> Result<Counts, StoreError> {
        self.frontier.counts(site)
    }
}

impl Requeue for MemoryStore {
    fn queue_again(
        &self,
        site: SiteId,
        from: UrlState,
        reason: Option<&UrlReason>,
    ) -> Result<u64, StoreError> {
        let is_meant =
            |_: UrlId, url: &Url| url.state == from && (reason.is_none() || url.reason.as_ref() == reason);
        self.queue_where(site, false, &is_meant)
    }

    fn queue_urls(&self, site: SiteId, urls: Vec<UrlId>) -> Result<u64, StoreError> {
        self.queue_where(site, true, &|id, _| urls.contains(&id))
    }

    fn hold_queue(&self, site: SiteId, reason: &UrlReason) -> Result<u64, StoreError> {
        let mut kept = self.kept();
        let held = self.frontier.hold(site, reason)?;
        let queued = kept.urls.iter_mut();
        for url in queued.filter(|url| url.site == site && url.state == UrlState::Queued) {
            (url.state, url.reason) = (UrlState::Held, Some(reason.clone()));
        }
        Ok(held)
    }
}

impl MemoryStore {
    /// Queues the URLs of a site again that are meant and not queued already. Returns their number.
    fn queue_where(
        &self,
        site: SiteId,
        forgets_attempts: bool,
        is_meant: &dyn Fn(UrlId, &Url) -> bool,
    ) -> Result<u64, StoreError> {
        let mut kept = self.kept();
        self.frontier.check_unleased(site)?;
        let mut queued = 0;
        for (name, url) in (1..).map(UrlId).zip(&mut kept.urls) {
            if url.site != site || url.state == UrlState::Queued || !is_meant(name, url) {
                continue;
            }
            if forgets_attempts {
                url.attempts = 0;
            }
            let pending = Pending {
                id: name,
                url: url.url.clone(),
                priority: url.priority,
                form: url.form,
                depth: url.depth,
                attempts: url.attempts,
                due_at: None,
                last_answer: None,
            };
            self.frontier
                .put_back(site, pending, (url.state, url.reason.as_ref()))?;
            (url.state, url.reason) = (UrlState::Queued, None);
            queued += 1;
        }
        Ok(queued)
    }
}

impl SiteMemory for MemoryStore {
    fn known_site(&self, lease: &Lease) -> Result<KnownSite, StoreError> {
        Ok(self.kept().facts.get(&lease.site).cloned().unwrap_or_default())
    }

    fn robots(&self, origin: &str) -> Result<Option<Robots>, StoreError> {
        Ok(self.kept().hosts.get(origin).and_then(|host| host.robots.clone()))
    }

    fn past(&self, lease: &Lease, tell: &mut dyn FnMut(PastFetch)) -> Result<(), StoreError> {
        let past = self.kept().past(lease.site);
        past.into_iter().for_each(tell);
        Ok(())
    }

    fn past_links(&self, _: &Lease, pages: &[PageId]) -> Result<Vec<PastLinks>, StoreError> {
        let kept = self.kept();
        let links = pages.iter().filter_map(|id| {
            let page = &kept.pages.get(id)?.page;
            let origin = origin(&page.url);
            let mut links = LinkList::new();
            for link in page.links.iter() {
                let href = match link.href.starts_with('/') {
                    true => format!("{origin}{}", link.href),
                    false => link.href.to_owned(),
                };
                let is_kept = links.push(Link {
                    href: &href,
                    text: "",
                    ..link
                });
                if !is_kept {
                    break;
                }
            }
            (!links.is_empty()).then_some(PastLinks { page: *id, links })
        });
        Ok(links.collect())
    }

    fn keep_cookies(&self, lease: &Lease, cookies: Vec<Cookie>) -> Result<(), StoreError> {
        self.frontier.standing(lease)?;
        self.kept().facts.entry(lease.site).or_default().cookies = cookies;
        Ok(())
    }

    fn keep_url_rules(&self, lease: &Lease, url_rules: Vec<KeptUrlRule>) -> Result<(), StoreError> {
        self.frontier.standing(lease)?;
        let mut kept = self.kept();
        let known = &mut kept.facts.entry(lease.site).or_default().url_rules;
        for url_rule in url_rules {
            let is_known =
                |known: &KeptUrlRule| (&known.url_rule, &known.key) == (&url_rule.url_rule, &url_rule.key);
            if !known.iter().any(is_known) {
                known.push(url_rule);
            }
        }
        known.sort_by(|one, other| {
            let place = |kept: &KeptUrlRule| (kept.learned_at, kept.url_rule.clone(), kept.key.clone());
            place(one).cmp(&place(other))
        });
        Ok(())
    }
}

impl SiteFacts for MemoryStore {
    fn host(&self, origin: &str) -> Result<Option<Host>, StoreError> {
        Ok(self.kept().hosts.get(origin).cloned())
    }

    fn url_rules(&self, site: &str) -> Result<Vec<KeptUrlRule>, StoreError> {
        let kept = self.kept();
        let mut facts = kept.facts.iter();
        let own = facts.find(|(id, _)| kept.site_key(**id) == Some(site));
        Ok(own.map_or_else(Vec::new, |(_, facts)| facts.url_rules.clone()))
    }

    fn sites_with_url_rules(&self) -> Result<Vec<(SiteId, String)>, StoreError> {
        let kept = self.kept();
        let taught = kept.facts.iter().filter(|(_, facts)| !facts.url_rules.is_empty());
        let taught = taught.filter_map(|(site, _)| Some((*site, kept.site_key(*site)?.to_owned())));
        Ok(taught.collect())
    }
}

/// The error of a database that misses a row which another one refers to.
fn missing(what: &str, number: i64) -> StoreError {
    StoreError::Disagreement {
        detail: format!("it has no {what} {number}"),
    }
}
