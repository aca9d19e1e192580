//! The order of a site's queue in a guided crawl: each URL by itself, chosen by a strategy.

use std::collections::{HashMap, HashSet, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use magpie_discovery::{Canonicaliser, LinkBase, Relations, path_hash};
use magpie_focus::strategy::{Expectation, Expected, KnownLink, Link, Strategy, Visit, Walk, WalkSettings};
use magpie_model::{CanonicalUrl, Record};
use magpie_rows::{
    CrawlStore, Frontier, Lease, LinkList, PageId, PastFetch, PastLinks, Pending, StoreError, UrlSource,
};
use magpie_values::Timestamp;
use xxhash_rust::xxh3::xxh3_64;

use super::Extractor;
use super::event::FoundShare;
use super::fetch_yield::FetchYield;

/// Bits of a URL's number that are from the place of its link.
const PLACE_BITS: u32 = 22;

/// Bits of a fingerprint that are no part of a URL's number.
const DROPPED_BITS: u32 = 24;

/// Pages of a site until an estimate may end its crawl.
const MIN_PAGES: usize = 50;

/// Objects of a crawl that are remembered, so that those seen again count no more.
const MAX_OBJECTS: usize = 1 << 22;

/// Maximum number of links of one page to known pages that are passed to a strategy.
const MAX_KNOWN_LINKS: usize = 2_000;

/// Past pages whose links are read at a time.
const PAST_PAGES: usize = 200;

/// A form that no URL is queued by.
const NO_FORM: i64 = -1;

/// Judges pages by what was found on them.
pub trait Validator: fmt::Debug + Send + Sync {
    /// Returns `true` if a page with these records is one that the crawl looks for.
    fn accepts(&self, records: &mut dyn Iterator<Item = &Record>) -> bool;
}

/// Accepts pages with a record of at least this confidence.
#[derive(Clone, Copy, Debug)]
pub struct ByConfidence(pub f64);

impl Validator for ByConfidence {
    fn accepts(&self, mut records: &mut dyn Iterator<Item = &Record>) -> bool {
        Iterator::any(&mut records, |record| record.confidence >= self.0)
    }
}

/// The strategy of a guided crawl.
#[derive(Clone, Debug)]
pub enum GuideOrder {
    /// The page with the largest expected number of new objects.
    Expected,
    /// The walk of xCRAWL.
    Walk(WalkSettings),
    /// These pages alone, by the fingerprints of their URLs, and those that they redirect to. What
    /// they link to stays queued.
    Given(Arc<HashSet<u64>>),
}

impl GuideOrder {
    /// Returns the name of the strategy.
    pub fn name(&self) -> &'static str {
        match self {
            GuideOrder::Expected => "expected",
            GuideOrder::Walk(_) => "walk",
            GuideOrder::Given(_) => "given",
        }
    }
}

/// Objects on the pages that were fetched, over all sites of a crawl.
#[derive(Clone, Debug, Default)]
pub struct SeenObjects(Arc<Mutex<HashSet<u64>>>);

impl SeenObjects {
    /// Adds an object. Returns `true` if it is new.
    fn add(&self, object: u64) -> bool {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match seen.len() < MAX_OBJECTS {
            true => seen.insert(object),
            false => !seen.contains(&object),
        }
    }
}

/// Guides a crawl: chooses the page of a site that is fetched next.
#[derive(Clone, Debug)]
pub struct Guide {
    /// The strategy.
    pub order: GuideOrder,
    /// Judges pages.
    pub validator: Arc<dyn Validator>,
    /// The objects that were found. One of several sites is new at the first of them alone.
    pub seen: SeenObjects,
}

/// The stored facts about pages that were fetched before.
struct PastPages<'s> {
    /// Returns the identity of an object of a vertical.
    identity: &'s dyn Fn(&str, &Record) -> u64,
    canonicaliser: &'s Canonicaliser,
    /// Reads the links of pages.
    links_of: LinksOf<'s>,
}

/// Reads the links of pages that were fetched, in the order of the pages.
type LinksOf<'s> = &'s dyn Fn(&[PageId]) -> Result<Vec<PastLinks>, StoreError>;

/// Orders the queue of a site by a guide. The form that a URL is queued by is a number of its own.
pub(super) struct GuidedOrder {
    strategy: Chosen,
    guide: Guide,
    /// The numbers of URLs, by their fingerprints.
    numbers: HashMap<u64, i64>,
    /// The places of the links of the page that is being read, by the fingerprints of their URLs.
    places: HashMap<u64, u64>,
    /// The links of that page to known pages.
    known_links: Vec<(i64, u64)>,
    /// Objects on the pages of the site.
    own: HashSet<u64>,
    /// Chosen, but another URL was due before it.
    again: Option<magpie_focus::PageId>,
    pages: usize,
}

enum Chosen {
    Expected(Box<Expected>),
    Walk(Box<Walk>),
    Given(Given),
}

impl Chosen {
    fn of(order: &GuideOrder) -> Chosen {
        match order {
            GuideOrder::Expected => Chosen::Expected(Box::default()),
            GuideOrder::Walk(settings) => Chosen::Walk(Box::new(Walk::new(*settings))),
            GuideOrder::Given(wanted) => Chosen::Given(Given {
                wanted: Arc::clone(wanted),
                redirected: path_of(place_bits(place_of(UrlSource::Redirect))),
                queue: VecDeque::new(),
            }),
        }
    }

    fn get(&mut self) -> &mut dyn Strategy {
        match self {
            Chosen::Expected(expected) => &mut **expected,
            Chosen::Walk(walk) => &mut **walk,
            Chosen::Given(given) => given,
        }
    }
}

/// Fetches the pages that it is given, and those that they redirect to.
struct Given {
    wanted: Arc<HashSet<u64>>,
    /// The path of what is no link, but the target of a redirect.
    redirected: String,
    queue: VecDeque<magpie_focus::PageId>,
}

impl Strategy for Given {
    fn offer(&mut self, page: &Link<'_>) {
        if self.wanted.contains(&page.url.fingerprint().0) || page.path == self.redirected {
            self.queue.push_back(page.target);
        }
    }

    fn next(&mut self) -> Option<magpie_focus::PageId> {
        self.queue.pop_front()
    }

    fn visited(&mut self, visit: &Visit<'_>) {
        visit.links.iter().for_each(|link| self.offer(link));
    }
}

impl GuidedOrder {
    /// Opens the queue of a leased site, and learns what was found there in earlier runs. `look`
    /// sees each past fetch.
    pub(super) fn open(
        store: &dyn CrawlStore,
        lease: &Lease,
        extractor: &dyn Extractor,
        guide: &Guide,
        canonicaliser: &Canonicaliser,
        look: &mut dyn FnMut(&CanonicalUrl, &PastFetch),
    ) -> Result<GuidedOrder, StoreError> {
        let mut order = GuidedOrder::new(guide);
        let canonical = |url: &str| CanonicalUrl::trusted(url);
        let mut form_of = |url: &str| canonical(url).map_or(1, |url| order.number(&url, 0));
        let ranked = store.rank(lease, &mut form_of)?;
        let mut urls: HashMap<i64, CanonicalUrl> = HashMap::new();
        let mut queued = Vec::new();
        for form in &ranked {
            if let Some(url) = canonical(&form.url) {
                order.numbers.insert(url.fingerprint().0, form.form);
                urls.insert(form.form, url);
                queued.push(form.form);
            }
        }
        let mut past = Vec::new();
        store.past(lease, &mut |fetch| {
            if let Some(url) = canonical(&fetch.url) {
                look(&url, &fetch);
            }
            past.push(fetch);
        })?;
        let identity = |vertical: &str, record: &Record| extractor.identity(vertical, record);
        let links = PastPages {
            identity: &identity,
            canonicaliser,
            links_of: &|pages| store.past_links(lease, pages),
        };
        // Past fetches come first, so that queued URLs are weighed by what is known.
        order.learn_past(past, &mut urls, &links, &mut |_, _, _| {})?;
        for number in queued {
            if let Some(url) = urls.get(&number) {
                order.offer(number, url);
            }
        }
        Ok(order)
    }

    fn new(guide: &Guide) -> GuidedOrder {
        GuidedOrder {
            strategy: Chosen::of(&guide.order),
            guide: guide.clone(),
            numbers: HashMap::new(),
            places: HashMap::new(),
            known_links: Vec::new(),
            own: HashSet::new(),
            again: None,
            pages: 0,
        }
    }

    /// Passes the results of earlier fetches to the strategy, in their order. `look` sees each as
    /// it was known before its page was visited.
    fn learn_past(
        &mut self,
        past: Vec<PastFetch>,
        urls: &mut HashMap<i64, CanonicalUrl>,
        stored: &PastPages<'_>,
        look: &mut dyn FnMut(&mut GuidedOrder, &CanonicalUrl, &[u64]),
    ) -> Result<(), StoreError> {
        let mut numbered = Vec::with_capacity(past.len());
        for fetch in past {
            let Some(url) = CanonicalUrl::trusted(fetch.url.as_str()) else {
                continue;
            };
            let number = match fetch.form {
                0 => self.number(&url, 0),
                form => *self.numbers.entry(url.fingerprint().0).or_insert(form),
            };
            urls.insert(number, url.clone());
            numbered.push((number, url, fetch));
        }
        // The links of all past pages would not fit into memory.
        for chunk in numbered.chunks(PAST_PAGES) {
            let mut links = match self.wants_known_links() {
                true => {
                    let pages: Vec<PageId> = chunk.iter().map(|(_, _, fetch)| fetch.page).collect();
                    (stored.links_of)(&pages)?
                }
                false => Vec::new(),
            }
            .into_iter()
            .peekable();
            for (number, url, fetch) in chunk {
                let led_to = fetch.led_to.iter();
                let led_to: Vec<(i64, &CanonicalUrl)> =
                    led_to.filter_map(|form| Some((*form, urls.get(form)?))).collect();
                self.offer(*number, url);
                let records = fetch.records.iter();
                let objects: Vec<u64> = records
                    .map(|(vertical, record)| (stored.identity)(vertical, record))
                    .collect();
                look(self, url, &objects);
                let mut records = fetch.records.iter().map(|(_, record)| record);
                let is_accepted = fetch
                    .judgement
                    .unwrap_or_else(|| self.guide.validator.accepts(&mut records));
                let new = self.new_objects(&objects);
                let own = links.next_if(|links| links.page == fetch.page);
                let known = own.map_or_else(Vec::new, |own| {
                    self.known_among(url, &own.links, &fetch.led_to, stored.canonicaliser)
                });
                self.visited(*number, is_accepted, new, &led_to, &known);
            }
        }
        if let Chosen::Walk(walk) = &mut self.strategy {
            // Its weights are those of the first page otherwise, until its next round.
            walk.refresh();
        }
        Ok(())
    }

    /// Returns those of a page's links that led to a page that was known before, with their places:
    /// all but those to pages that were found there first.
    fn known_among(
        &self,
        page: &CanonicalUrl,
        links: &LinkList,
        led_to: &[i64],
        canonicaliser: &Canonicaliser,
    ) -> Vec<(i64, u64)> {
        let Ok(url) = page.to_url() else {
            return Vec::new();
        };
        let (base, first): (_, HashSet<i64>) = (LinkBase::new(url), led_to.iter().copied().collect());
        let mut scratch = String::new();
        let followed = links
            .iter()
            .filter(|link| !Relations::of(link.rel).asks_not_to_follow());
        let known = followed.filter_map(|link| {
            let fingerprint = canonicaliser.plain_fingerprint(link.href, &base, &mut scratch)?;
            let number = *self.numbers.get(&fingerprint.0)?;
            (!first.contains(&number)).then(|| (number, path_hash(link.path)))
        });
        known.take(MAX_KNOWN_LINKS).collect()
    }

    /// Returns the number of a URL; one that is new gets it from the place of its link.
    fn number(&mut self, url: &CanonicalUrl, place: u64) -> i64 {
        let fingerprint = url.fingerprint().0;
        let number = || ((upper_bits(fingerprint) | place_bits(place)).max(1)).cast_signed();
        *self.numbers.entry(fingerprint).or_insert_with(number)
    }

    fn offer(&mut self, number: i64, url: &CanonicalUrl) {
        let path = path_of(number.cast_unsigned());
        self.strategy.get().offer(&Link {
            target: number.cast_unsigned(),
            url,
            path: &path,
            text: "",
        });
    }

    fn visited(
        &mut self,
        number: i64,
        is_accepted: bool,
        new_objects: u64,
        links: &[(i64, &CanonicalUrl)],
        known: &[(i64, u64)],
    ) {
        let paths: Vec<String> = links
            .iter()
            .map(|(number, _)| path_of(number.cast_unsigned()))
            .collect();
        let links = links.iter().zip(&paths).map(|((number, url), path)| Link {
            target: number.cast_unsigned(),
            url,
            path,
            text: "",
        });
        let links: Vec<Link<'_>> = links.collect();
        let known_paths: Vec<String> = known
            .iter()
            .map(|(_, place)| path_of(place_bits(*place)))
            .collect();
        let known = known
            .iter()
            .zip(&known_paths)
            .map(|((number, _), path)| KnownLink {
                target: number.cast_unsigned(),
                path,
            });
        let known: Vec<KnownLink<'_>> = known.collect();
        self.pages += 1;
        self.strategy.get().visited(&Visit {
            page: number.cast_unsigned(),
            is_accepted,
            new_objects: if is_accepted { new_objects } else { 0 },
            links: &links,
            known: &known,
        });
    }

    /// Returns the number of objects that are new to the crawl, and counts those of the site.
    fn new_objects(&mut self, objects: &[u64]) -> u64 {
        let mut new = 0;
        for object in objects {
            if self.own.len() < MAX_OBJECTS {
                self.own.insert(*object);
            }
            new += u64::from(self.guide.seen.add(*object));
        }
        new
    }

    /// Returns `true` if the strategy learns from links to pages that are known, too.
    pub(super) fn wants_known_links(&self) -> bool {
        matches!(self.strategy, Chosen::Walk(_))
    }

    /// Takes note of a link to a page that is known, on the page that is being read.
    pub(super) fn note_known_link(&mut self, fingerprint: u64, place: u64) {
        if let Some(number) = self.numbers.get(&fingerprint)
            && self.known_links.len() < MAX_KNOWN_LINKS
        {
            self.known_links.push((*number, place));
        }
    }

    /// Returns `true` if the crawl reads more of a site than the pages it was given.
    pub(super) fn reads_whole_site(&self) -> bool {
        !matches!(self.strategy, Chosen::Given(_))
    }

    /// Remembers where on a page the links to URLs stand.
    pub(super) fn place(&mut self, url: &CanonicalUrl, place: u64) {
        self.places.entry(url.fingerprint().0).or_insert(place);
    }

    /// Forgets the links of the page before.
    pub(super) fn begin_page(&mut self) {
        self.places.clear();
        self.known_links.clear();
    }

    /// The form that a URL is queued by.
    pub(super) fn form_of(&mut self, url: &CanonicalUrl, source: UrlSource) -> i64 {
        let place = match source {
            UrlSource::Link => self.places.get(&url.fingerprint().0).copied().unwrap_or(0),
            // A URL without a link has no position on a page; its source takes that role.
            source => place_of(source),
        };
        self.number(url, place)
    }

    /// Takes the next URL of a leased site.
    pub(super) fn take(
        &mut self,
        frontier: &dyn Frontier,
        lease: &Lease,
        now: Timestamp,
    ) -> Result<Vec<Pending>, StoreError> {
        loop {
            let Some(page) = self.again.take().or_else(|| self.strategy.get().next()) else {
                // The other URLs are retries, or were queued before the crawl was guided.
                let form = (!self.reads_whole_site()).then_some(NO_FORM);
                return frontier.take(lease, form, 1, now);
            };
            let taken = frontier.take(lease, Some(page.cast_signed()), 1, now)?;
            // The page was fetched under another name or refused since the strategy learned of it.
            let Some(first) = taken.first() else {
                continue;
            };
            // A URL that waited for a moment comes first.
            if first.form != page.cast_signed() {
                self.again = Some(page);
            }
            return Ok(taken);
        }
    }

    /// Learns what a page brought, and which URLs it led to.
    pub(super) fn learn(&mut self, offered: &[(i64, CanonicalUrl)], fetch: Option<&FetchYield>) {
        let links: Vec<(i64, &CanonicalUrl)> = offered.iter().map(|(form, url)| (*form, url)).collect();
        match fetch {
            Some(fetch) => {
                let new = self.new_objects(&fetch.objects);
                let known = std::mem::take(&mut self.known_links);
                self.visited(fetch.form, fetch.is_accepted, new, &links, &known);
            }
            None => links.iter().for_each(|(number, url)| self.offer(*number, url)),
        }
    }

    /// Returns the validator's verdict on a page with these records.
    pub(super) fn accepts(&self, records: &mut dyn Iterator<Item = &Record>) -> bool {
        self.guide.validator.accepts(records)
    }

    /// Returns the objects that were found, with the estimate of all, if the crawl of the site may
    /// end: when the wanted share is found, or when the walk has ended.
    pub(super) fn ending(&self, until: f64) -> Option<FoundShare> {
        if self.pages < MIN_PAGES {
            return None;
        }
        let found = self.found_share();
        match &self.strategy {
            Chosen::Expected(_) => (found.objects > 0 && found.share() >= until).then_some(found),
            Chosen::Walk(walk) => walk.has_ended().then_some(found),
            Chosen::Given(_) => None,
        }
    }

    fn found_share(&self) -> FoundShare {
        let objects = self.own.len() as u64;
        let unseen = match &self.strategy {
            Chosen::Expected(expected) => expected.forecast().expected,
            Chosen::Walk(walk) => match walk.coverage() {
                share if share > 0.0 => objects as f64 * (1.0 / share - 1.0),
                _ => 0.0,
            },
            Chosen::Given(_) => 0.0,
        };
        FoundShare {
            objects,
            expected: objects + unseen.round() as u64,
        }
    }

    /// Returns the weights of a page as the strategy has them now.
    fn weights(&mut self, number: i64) -> Option<PageWeights> {
        let page = number.cast_unsigned();
        match &mut self.strategy {
            Chosen::Expected(expected) => expected.expectation(page).map(PageWeights::Expected),
            Chosen::Walk(walk) => {
                walk.refresh();
                let (hub, rank) = walk.weights(page)?;
                Some(PageWeights::Walk { hub, rank })
            }
            Chosen::Given(_) => None,
        }
    }
}

/// The weights by which a strategy chooses a page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PageWeights {
    /// The objects that it is expected to bring.
    Expected(Expectation),
    /// Its weights in the walk.
    Walk {
        /// Weight as a hub, from 0 to 1.
        hub: f64,
        /// By PageRank.
        rank: f64,
    },
}

/// The reasons of a guided crawl for one page.
#[derive(Clone, Copy, Debug, Default)]
pub struct Explanation {
    /// The place of its fetch among those of the site, from 1; none if it was not fetched.
    pub place: Option<usize>,
    /// Its weights before it was fetched; for a page that was not, as they are now.
    pub weights: Option<PageWeights>,
    /// The objects that its fetch was the first to bring.
    pub new_objects: u64,
    /// The objects of the site, found and estimated, before its fetch; for a page that was not
    /// fetched, as they are now.
    pub found: FoundShare,
    /// Fetches of the site.
    pub fetches: usize,
}

/// Explains the place of a page in a guided crawl, by what is stored of its site: the fetches in
/// their order, and the URLs that are known.
pub fn explain(
    guide: &Guide,
    (past, links_of): (Vec<PastFetch>, LinksOf<'_>),
    known: &[CanonicalUrl],
    canonicaliser: &Canonicaliser,
    identity: &dyn Fn(&str, &Record) -> u64,
    page: &CanonicalUrl,
) -> Result<Explanation, StoreError> {
    let mut order = GuidedOrder::new(guide);
    // The number of a URL has the place of its link, which is known by the page that led to it.
    let by_upper: HashMap<u64, &CanonicalUrl> = known
        .iter()
        .map(|url| (upper_bits(url.fingerprint().0), url))
        .collect();
    let mut urls = HashMap::new();
    for form in past.iter().flat_map(|fetch| &fetch.led_to) {
        let upper = form.cast_unsigned() >> PLACE_BITS << PLACE_BITS;
        if let Some(url) = by_upper.get(&upper) {
            order.numbers.insert(url.fingerprint().0, *form);
            urls.insert(*form, (*url).clone());
        }
    }
    let mut explanation = Explanation {
        fetches: past.len(),
        ..Explanation::default()
    };
    let stored = PastPages {
        identity,
        canonicaliser,
        links_of,
    };
    order.learn_past(past, &mut urls, &stored, &mut |order, url, objects| {
        if url == page {
            let number = order.number(url, 0);
            let new = objects.iter().filter(|object| {
                let seen = order.guide.seen.0.lock().unwrap_or_else(PoisonError::into_inner);
                !seen.contains(object)
            });
            explanation.new_objects = new.count() as u64;
            explanation.place = Some(order.pages + 1);
            explanation.weights = order.weights(number);
            explanation.found = order.found_share();
        }
    })?;
    if explanation.place.is_none() {
        let number = order.number(page, 0);
        order.offer(number, page);
        explanation.weights = order.weights(number);
        explanation.found = order.found_share();
    }
    Ok(explanation)
}

fn upper_bits(fingerprint: u64) -> u64 {
    (fingerprint >> DROPPED_BITS) << PLACE_BITS
}

fn place_bits(place: u64) -> u64 {
    place >> (u64::BITS - PLACE_BITS)
}

/// Returns the place of what is no link.
fn place_of(source: UrlSource) -> u64 {
    xxh3_64(source.as_str().as_bytes())
}

/// Returns the place of a URL's link as the path of an element.
fn path_of(number: u64) -> String {
    format!("{:06x}", number & ((1 << PLACE_BITS) - 1))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use magpie_rows::{
        Component, ExtractedRecord, Extraction, FetchResult, LeaseRequest, Link as PageLink, Offer, Page,
        Requeue as _, UrlOutcome, Urls as _,
    };
    use magpie_sqlite::{Workspace, WorkspaceOptions};

    use super::*;

    const SITE: &str = "https://hall.example";

    const NOW: Timestamp = Timestamp::from_millis(1_000);

    /// A page with its links, each with the place of its element, and the objects on it.
    struct Planned {
        links: Vec<(usize, &'static str)>,
        objects: u64,
    }

    /// Finds nothing by itself: the objects of pages are given.
    struct Nothing;

    impl Extractor for Nothing {
        fn extract(&self, _: &Arc<magpie_page::Page>) -> Vec<Extraction> {
            Vec::new()
        }

        fn notices(&self) -> Vec<String> {
            Vec::new()
        }
    }

    /// Draws a site: a first page, lists, and pages of objects, with links between all of them.
    fn site(seed: u64) -> Vec<Planned> {
        let mut state = seed;
        let mut draw = move |below: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        let places = ["html>body>nav>a", "html>body>ul>li>a", "html>body>p>a"];
        let count = 20 + draw(40) as usize;
        let pages = (0..count).map(|page| {
            let is_detail = page > 4 && page % 3 != 0;
            // Each page leads to the next, so that all are reached.
            let next = (page + 1 < count).then_some((page + 1, places[0]));
            let links = if is_detail { 2 } else { 12 };
            let links = (0..links).map(|_| (draw(count as u64) as usize, places[draw(3) as usize]));
            Planned {
                links: links.chain(next).collect(),
                objects: if is_detail { 1 + draw(2) } else { 0 },
            }
        });
        pages.collect()
    }

    fn url(page: usize) -> CanonicalUrl {
        CanonicalUrl::trusted(format!("{SITE}/{page}")).expect("a URL")
    }

    fn record(page: usize, object: u64) -> Record {
        Record {
            object_type: "Thing".to_owned(),
            confidence: 1.0,
            values: vec![magpie_model::RecordValue {
                attribute: "name".to_owned(),
                value: format!("{page} {object}"),
                raw: None,
                node: None,
                repeated: false,
            }],
        }
    }

    fn leased(store: &Workspace) -> Lease {
        let request = LeaseRequest {
            worker: "test",
            site: Some(store.site(SITE).expect("a site")),
            now: NOW,
            until: NOW + Duration::from_secs(60),
        };
        store.lease(&request).expect("a store").expect("a lease")
    }

    fn offer(order: &mut GuidedOrder, target: usize, found_on: Option<magpie_rows::UrlId>) -> Offer {
        let (source, target) = match found_on {
            Some(_) => (UrlSource::Link, url(target)),
            None => (UrlSource::Seed, url(target)),
        };
        Offer {
            form: order.form_of(&target, source),
            found_on,
            source,
            ..Offer::queued(target.as_str(), target.fingerprint().0, 1, NOW)
        }
    }

    /// Crawls the site breadth first. Returns a store and the order of the fetches.
    fn crawl(plan: &[Planned], store: &Workspace, order: &mut GuidedOrder) {
        let lease = leased(store);
        let component = Arc::new(Component {
            vertical: "things".to_owned(),
            ..Component::default()
        });
        let seed = offer(order, 0, None);
        order.offer(seed.form, &url(0));
        let first = FetchResult {
            offers: vec![seed],
            ..FetchResult::default()
        };
        store.commit(&lease, first).expect("committed");
        let mut known = HashSet::from([0]);
        loop {
            let taken = store.take(&lease, None, 1, NOW).expect("a store");
            let Some(pending) = taken.into_iter().next() else {
                break;
            };
            let page: usize = pending
                .url
                .rsplit('/')
                .next()
                .and_then(|name| name.parse().ok())
                .expect("a number");
            let planned = &plan[page];
            order.begin_page();
            let (mut links, mut new) = (LinkList::new(), Vec::new());
            for (target, path) in &planned.links {
                let href = url(*target);
                links.push(PageLink {
                    href: href.as_str(),
                    text: "",
                    path,
                    rel: "",
                });
                match known.contains(target) {
                    true => order.note_known_link(href.fingerprint().0, path_hash(path)),
                    false => {
                        order.place(&href, path_hash(path));
                        new.push(*target);
                    }
                }
            }
            new.retain(|target| known.insert(*target));
            let offers: Vec<Offer> = new
                .iter()
                .map(|target| offer(order, *target, Some(pending.id)))
                .collect();
            let offered: Vec<(i64, CanonicalUrl)> = offers
                .iter()
                .zip(&new)
                .map(|(offer, target)| (offer.form, url(*target)))
                .collect();
            let records: Vec<Record> = (0..planned.objects).map(|object| record(page, object)).collect();
            let fetch = FetchYield {
                form: pending.form,
                objects: records.iter().map(|record| record.fingerprint() as u64).collect(),
                is_accepted: !records.is_empty(),
                is_page: true,
            };
            order.learn(&offered, Some(&fetch));
            let found = records.into_iter().map(|record| ExtractedRecord {
                record,
                expires_at: None,
            });
            let result = FetchResult {
                settled: Some(UrlOutcome::fetched(pending.id)),
                page: Some(Page {
                    url: pending.url.clone(),
                    status: Some(200),
                    media_type: Some("text/html".to_owned()),
                    links,
                    ..Page::default()
                }),
                offers,
                extractions: vec![Extraction {
                    component: Arc::clone(&component),
                    records: found.collect(),
                    ..Extraction::default()
                }],
                ..FetchResult::default()
            };
            store.commit(&lease, result).expect("committed");
        }
        store.release(lease, NOW).expect("released");
    }

    /// Opened again from the store, a walk weighs all pages as it did.
    #[test]
    fn a_walk_that_is_opened_again_knows_what_it_knew() {
        let guide = Guide {
            order: GuideOrder::Walk(WalkSettings::default()),
            validator: Arc::new(ByConfidence(0.5)),
            seen: SeenObjects::default(),
        };
        for seed in 1..=20 {
            let (plan, folder) = (site(seed), tempfile::tempdir().expect("a folder"));
            let store = Workspace::create(folder.path(), &WorkspaceOptions::default()).expect("a workspace");
            let mut live = GuidedOrder::new(&guide);
            crawl(&plan, &store, &mut live);
            store.flush().expect("durable");
            let number = store.site(SITE).expect("a site");
            // A site is leased while it has something to fetch.
            let root = store.find_urls(&[url(0).fingerprint().0]).expect("URLs")[0].id;
            store.queue_urls(number, vec![root]).expect("queued");
            let lease = leased(&store);
            let mut settled = FetchResult::default();
            let taken = store.take(&lease, None, 1, NOW).expect("a store");
            settled.settled = Some(UrlOutcome::fetched(taken[0].id));
            store.commit(&lease, settled).expect("committed");
            let canonicaliser = crate::canonicaliser(&crate::settings::Settings::default());
            let mut again =
                GuidedOrder::open(&store, &lease, &Nothing, &guide, &canonicaliser, &mut |_, _| ())
                    .expect("opened");
            let mut hubs = 0;
            for page in 0..plan.len() {
                let weights = |order: &mut GuidedOrder| {
                    let number = order.number(&url(page), 0);
                    match order.weights(number) {
                        Some(PageWeights::Walk { hub, rank }) => (hub, rank),
                        other => panic!("seed {seed}, page {page}: {other:?}"),
                    }
                };
                let (before, after) = (weights(&mut live), weights(&mut again));
                let is_same = |one: f64, other: f64| (one - other).abs() < 1e-9;
                assert!(
                    is_same(before.0, after.0) && is_same(before.1, after.1),
                    "seed {seed}, page {page}: {before:?} before, {after:?} after"
                );
                hubs += usize::from(before.0 > 0.1);
            }
            assert!(hubs > 0, "seed {seed} has no hub");
        }
    }
}
