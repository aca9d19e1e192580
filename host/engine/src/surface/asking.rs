//! The strategy of a crawl that asks queries of several templates.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use magpie_discovery::Canonicaliser;
use magpie_model::{CanonicalUrl, Record, UrlReason, VerticalInfo};
use magpie_rows::{FetchRequest, KnownPage, PageRow, RunId, SiteId, StoreError, UrlId, UrlState};
use magpie_surface::ObjectId;
use magpie_surface::entities::Described;
use magpie_values::Timestamp;
use url::Url;

use super::ask::{Answer, Ask, MAX_DETAIL_OBJECTS, shown_by};
use super::recorder::{Recorder, Requests, ResultFilters, SeenPage};
use super::session::TemplateSession;
use super::words::{MIN_SHARE_OF_BEST, describe, text_of};
use super::{MAX_TEXTS, RECORD_PAGES, sites_of};
use crate::PipelineError;
use crate::client::canonicaliser_knowing;
use crate::crawl::{Queries, Target};
use crate::observer::Observer;
use crate::session::{CrawlRequest, Session};

/// Queries that a template is asked before the next ones are chosen.
const BATCH: usize = 4;

/// Redirects that are followed from a query to its answer.
const MAX_REDIRECTS: usize = 10;

/// Objects of the warehouse that give queries.
const MAX_KNOWN: usize = 5_000;

fn choose_requests(searches: &mut [TemplateSession]) -> Vec<(usize, Ask, Url)> {
    let mut rated: Vec<(f64, usize)> = searches
        .iter_mut()
        .enumerate()
        .map(|(index, search)| (search.expected_new(), index))
        .collect();
    rated.sort_by(|one, other| other.0.total_cmp(&one.0));
    let mut best: HashMap<SiteId, f64> = HashMap::new();
    let mut asks = Vec::new();
    for (expected, index) in rated {
        let search = &mut searches[index];
        // A template waits while its requests are expected to bring much less than those of the
        // site's best template.
        let is_poor = best
            .get(&search.site)
            .is_some_and(|best| expected < best * MIN_SHARE_OF_BEST);
        let next = match is_poor {
            true => Vec::new(),
            false => search.next(BATCH),
        };
        if !next.is_empty() {
            best.entry(search.site).or_insert(expected);
        }
        asks.extend(next.into_iter().map(|(ask, url)| (index, ask, url)));
    }
    asks
}

/// Asks queries of several templates: the strategy of a crawl.
pub(super) struct Asking<'a> {
    session: &'a Session,
    info: &'a VerticalInfo,
    pub(super) searches: Vec<TemplateSession>,
    /// The objects of the warehouse, with their entities.
    pub(super) known: Vec<Described>,
    /// The texts of some of their records.
    pub(super) texts: Vec<String>,
    /// The ids of the objects on pages, by URL.
    by_url: HashMap<String, Vec<ObjectId>>,
    recorder: Arc<Recorder>,
    batch: Option<Batch>,
    /// The pages that the last requests led to.
    seen: HashMap<String, SeenPage>,
    /// For each site the number of its last fetch before these requests.
    last_fetch: HashMap<SiteId, u64>,
    /// The fetches since then, by URL.
    fetches: HashMap<String, PageRow>,
    /// Names of the pages that redirects lead to, as the sites have them.
    canonicalisers: HashMap<SiteId, Canonicaliser>,
}

/// Requests that are sent together.
struct Batch {
    /// Each with the number of its template.
    asks: Vec<(usize, Ask, Url)>,
    urls: Vec<CanonicalUrl>,
    /// The sites of the templates and of the URLs.
    sites: BTreeSet<SiteId>,
    /// Fingerprints of the targets of redirects that were queued.
    tried: HashSet<u64>,
}

impl Batch {
    fn fingerprints(&self) -> Vec<u64> {
        self.urls.iter().map(|url| url.fingerprint().0).collect()
    }

    fn targets(&self) -> Vec<Target> {
        self.urls.iter().cloned().map(Target::From).collect()
    }
}

impl Queries for Asking<'_> {
    fn next(&mut self) -> Result<Vec<Target>, StoreError> {
        if let Some(mut batch) = self.batch.take() {
            // Targets of redirects and held links are part of the answers, so they are fetched
            // before these are judged.
            if self.queue_rest(&mut batch)? > 0 {
                let targets = batch.targets();
                self.batch = Some(batch);
                return Ok(targets);
            }
            // Only now has all that an answer leads to been fetched.
            self.take_answers(&batch)?;
        }
        let mut asks = choose_requests(&mut self.searches);
        asks.retain(|(_, _, url)| !acts_at_its_site(self.session, url));
        match asks.is_empty() {
            true => Ok(Vec::new()),
            false => self.send(asks),
        }
    }
}

/// Returns `true` if a request acts by the rules of its site. The searches themselves know those
/// that hold everywhere.
fn acts_at_its_site(session: &Session, url: &Url) -> bool {
    let settings = session.settings().for_host(url.host_str().unwrap_or_default());
    let acts = settings.acts().composed();
    acts.of_url(url.path(), url.query()).is_some()
}

impl<'a> Asking<'a> {
    /// Asks until no template has a further request. Returns the number of pages that were fetched,
    /// or `None` if it was stopped.
    pub(super) fn ask_all(
        &mut self,
        during: (RunId, Timestamp),
        observer: &mut dyn Observer,
    ) -> Result<Option<u64>, PipelineError> {
        // The crawl begins with the first requests and asks for the others itself.
        let targets = self.next()?;
        if targets.is_empty() {
            return Ok(Some(0));
        }
        let request = CrawlRequest {
            filters: Some(Arc::new(ResultFilters(Arc::clone(&self.recorder)))),
            extractor: Some(Arc::clone(&self.recorder) as Arc<dyn crate::crawl::Extractor>),
            ..CrawlRequest::new(during, targets)
        };
        let crawled = self.session.crawl_here(request, Some(self), observer)?;
        Ok((!crawled.was_stopped()).then_some(crawled.progress.pages))
    }

    pub(super) fn begin(session: &'a Session, info: &'a VerticalInfo) -> Result<Asking<'a>, StoreError> {
        let recorder = Recorder::new(session.extractor(), session.vertical());
        let mut asking = Asking {
            session,
            info,
            searches: Vec::new(),
            known: Vec::new(),
            texts: Vec::new(),
            by_url: HashMap::new(),
            recorder: Arc::new(recorder),
            batch: None,
            seen: HashMap::new(),
            last_fetch: HashMap::new(),
            fetches: HashMap::new(),
            canonicalisers: HashMap::new(),
        };
        let extractor = session.extractor();
        for (site, key) in sites_of(session, &[])? {
            let host = key.split_once("://").map_or(key.as_str(), |(_, host)| host);
            let settings = session.settings().for_host(host);
            let canonicaliser = canonicaliser_knowing(settings, &session.store().url_rules(&key)?);
            asking.canonicalisers.insert(site, canonicaliser);
            for (_, record) in asking.records(site)? {
                // The state of each template has these objects, and is written after each batch.
                if asking.known.len() < MAX_KNOWN {
                    let id = extractor.identity(session.vertical(), &record);
                    asking.known.push(describe(id, &record, info));
                }
                if asking.texts.len() < MAX_TEXTS {
                    asking.texts.push(text_of(&record, info));
                }
            }
        }
        Ok(asking)
    }

    /// Returns the URLs of the known pages of a site with the records on them.
    fn records(&self, site: SiteId) -> Result<Vec<(String, Record)>, StoreError> {
        let store = self.session.store();
        let pages: Vec<_> = store
            .known_pages(site)?
            .iter()
            .filter_map(|page| page.page)
            .collect();
        let mut records = Vec::new();
        for pages in pages.chunks(RECORD_PAGES) {
            let found = store.records_of(self.session.vertical(), pages)?;
            records.extend(found.into_iter().map(|found| (found.url, found.record)));
        }
        Ok(records)
    }

    /// Reads which pages of a site have objects. Returns these, with their texts.
    pub(super) fn read_site(&mut self, site: SiteId) -> Result<Vec<(ObjectId, String)>, StoreError> {
        let extractor = self.session.extractor();
        let mut objects = Vec::new();
        for (url, record) in self.records(site)? {
            let id = extractor.identity(self.session.vertical(), &record);
            self.by_url.entry(url).or_default().push(id);
            if objects.len() < MAX_KNOWN {
                objects.push((id, text_of(&record, self.info)));
            }
        }
        let known: Vec<KnownPage> = self.session.store().known_pages(site)?;
        for page in known.iter().filter(|page| page.page.is_some()) {
            if let Some(url) = CanonicalUrl::trusted(page.url.as_str()) {
                self.recorder
                    .count_page(&url, self.by_url.contains_key(&page.url));
            }
        }
        Ok(objects)
    }

    /// Queues the URLs of requests. Returns them.
    fn send(&mut self, asks: Vec<(usize, Ask, Url)>) -> Result<Vec<Target>, StoreError> {
        let store = self.session.store();
        let mut requests = Requests::default();
        let mut urls = Vec::new();
        for (index, ask, url) in &asks {
            if let Some(url) = CanonicalUrl::trusted(url.as_str()) {
                self.searches[*index].describe_request(ask, &url, &mut requests);
                urls.push(url);
            }
        }
        let mut batch = Batch {
            asks,
            urls,
            sites: self.searches.iter().map(|search| search.site).collect(),
            tried: HashSet::new(),
        };
        let known = store.find_urls(&batch.fingerprints())?;
        // The search of a site may be on a host of its own.
        batch.sites.extend(known.iter().map(|found| found.site));
        for site in &batch.sites {
            // URLs that another operation has queued are put aside, so that only queries are sent.
            store.hold_queue(*site, &UrlReason::NotPlanned)?;
            self.last_fetch.insert(*site, self.newest_fetch(*site)?);
        }
        let mut again: BTreeMap<SiteId, Vec<UrlId>> = BTreeMap::new();
        for found in store.find_urls(&batch.fingerprints())? {
            // Other crawls refuse the URLs of POST forms. This crawl may send these forms.
            if found.state != UrlState::Refused || found.reason == Some(UrlReason::Post) {
                again.entry(found.site).or_default().push(found.id);
            }
        }
        for (site, urls) in again {
            store.queue_urls(site, urls)?;
        }
        self.recorder.begin(requests);
        let targets = batch.targets();
        self.batch = Some(batch);
        Ok(targets)
    }

    /// Queues what the answers lead to and what a crawl does not queue when it meets it, since it
    /// is known from other work. Returns the number of URLs.
    fn queue_rest(&mut self, batch: &mut Batch) -> Result<u64, StoreError> {
        let store = self.session.store();
        // The answers are read from the store, which writes what was committed in batches.
        store.flush()?;
        let known = store.find_urls(&batch.fingerprints())?;
        batch.sites.extend(known.iter().map(|found| found.site));
        self.read_fetches(&batch.sites)?;
        Ok(self.queue_held(&self.recorder.take_wanted())? + self.queue_known_targets(batch)?)
    }

    /// Takes the answers to requests, and records them with the states of their templates.
    fn take_answers(&mut self, batch: &Batch) -> Result<(), StoreError> {
        let (session, info) = (self.session, self.info);
        let (vertical, now) = (session.vertical(), session.now());
        self.seen = self.recorder.take_pages();
        for (url, page) in &self.seen {
            let ids = page.objects.iter().map(|(id, _)| *id);
            if !page.objects.is_empty() {
                self.by_url.insert(url.clone(), ids.collect());
            }
        }
        for (index, ask, url) in &batch.asks {
            let site = self.searches[*index].site;
            let answer = self.answer(site, url)?;
            self.searches[*index].record((ask, url), &answer, (vertical, info), now);
            if let Ask::Bad(_) = ask {
                continue;
            }
            // An object that one template has shown is new for no other one of the site.
            for (other, search) in self.searches.iter_mut().enumerate() {
                if other != *index && search.site == site {
                    search.observe_elsewhere(&answer, info);
                }
            }
        }
        for search in &mut self.searches {
            let (row, submissions) = search.take_rows(vertical, now);
            if !submissions.is_empty() {
                session.store().put_query_template(row, submissions)?;
            }
        }
        Ok(())
    }

    /// Reads the fetches since the requests began.
    fn read_fetches(&mut self, sites: &BTreeSet<SiteId>) -> Result<(), StoreError> {
        self.fetches.clear();
        for site in sites {
            let request = FetchRequest {
                after: self.last_fetch.get(site).copied().unwrap_or(0),
                ..FetchRequest::of(*site)
            };
            let rows = self.session.store().fetches(&request)?.into_iter();
            self.fetches.extend(rows.map(|row| (row.url.clone(), row)));
        }
        Ok(())
    }

    /// Queues the pages that requests were redirected to and that were fetched before these
    /// requests: a list of results may have changed. Returns the number of those that were not
    /// tried before.
    fn queue_known_targets(&self, batch: &mut Batch) -> Result<u64, StoreError> {
        let store = self.session.store();
        let mut targets: BTreeMap<SiteId, Vec<UrlId>> = BTreeMap::new();
        for (index, _, url) in &batch.asks {
            let site = self.searches[*index].site;
            let hops = self.redirects_of(site, url);
            let Some(target) = hops
                .last()
                .and_then(|target| CanonicalUrl::trusted(target.as_str()))
            else {
                continue;
            };
            let is_fetched = self.fetches.contains_key(target.as_str());
            let objects = self.by_url.get(target.as_str()).map_or(0, Vec::len);
            // The page of an object is known by its name and need not be fetched again to see which
            // object the query found.
            let is_object = (1..=MAX_DETAIL_OBJECTS).contains(&objects) && !self.recorder.is_result(&target);
            if is_fetched || is_object || !batch.tried.insert(target.fingerprint().0) {
                continue;
            }
            for found in store.find_urls(&[target.fingerprint().0])? {
                if batch.sites.contains(&found.site) && found.state != UrlState::Refused {
                    targets.entry(found.site).or_default().push(found.id);
                }
            }
        }
        let mut queued = 0;
        for (site, urls) in targets {
            queued += store.queue_urls(site, urls)?;
        }
        Ok(queued)
    }

    /// Returns the URLs that a request of the last crawl was redirected to, one after another.
    fn redirects_of(&self, site: SiteId, asked: &Url) -> Vec<String> {
        let mut hops: Vec<String> = Vec::new();
        let mut url = asked.as_str().to_owned();
        // A site may redirect in a circle.
        while hops.len() <= MAX_REDIRECTS {
            let row = self.fetches.get(&url);
            // A redirect that was not followed is no answer.
            let followed = row.filter(|row| row.problem.is_none());
            let target = followed.and_then(|row| {
                let target = Url::parse(&url).ok()?.join(row.redirect.as_ref()?).ok()?;
                match self.canonicalisers.get(&site) {
                    Some(canonicaliser) => {
                        Some(canonicaliser.canonicalise(&target).ok()?.url.as_str().to_owned())
                    }
                    None => Some(String::from(target)),
                }
            });
            let Some(target) = target else { break };
            hops.push(target.clone());
            url = target;
        }
        hops
    }

    /// Queues those of the links that were put aside. Returns their number.
    fn queue_held(&self, links: &[u64]) -> Result<u64, StoreError> {
        let store = self.session.store();
        let mut held: BTreeMap<SiteId, Vec<UrlId>> = BTreeMap::new();
        for found in store.find_urls(links)? {
            if found.state == UrlState::Held {
                held.entry(found.site).or_default().push(found.id);
            }
        }
        let mut queued = 0;
        for (site, urls) in held {
            queued += store.queue_urls(site, urls)?;
        }
        Ok(queued)
    }

    fn newest_fetch(&self, site: SiteId) -> Result<u64, StoreError> {
        let mut after = self.last_fetch.get(&site).copied().unwrap_or(0);
        loop {
            let request = FetchRequest {
                after,
                ..FetchRequest::of(site)
            };
            match self.session.store().fetches(&request)?.last() {
                Some(row) => after = row.number,
                None => return Ok(after),
            }
        }
    }

    /// Returns the answer to a request of the last crawl, after redirects.
    fn answer(&self, site: SiteId, asked: &Url) -> Result<Answer, StoreError> {
        let hops = self.redirects_of(site, asked);
        if hops.len() > MAX_REDIRECTS {
            return Ok(Answer::default());
        }
        let url = hops.last().map_or(asked.as_str(), String::as_str).to_owned();
        let row = self.fetches.get(&url);
        let page = self.seen.get(&url).cloned();
        let shown = match &page {
            Some(page) => shown_by(page, &url, &self.by_url),
            // The page of an object that was fetched before.
            None if !hops.is_empty() => {
                let ids = self.by_url.get(&url).cloned();
                ids.map(|ids| (url.clone(), ids)).into_iter().collect()
            }
            None => BTreeMap::new(),
        };
        let objects: Vec<ObjectId> = shown.values().flatten().copied().collect();
        let of_page = page.iter().flat_map(|page| &page.objects);
        let of_links = page.iter().flat_map(|page| &page.links);
        let of_links = of_links
            .filter_map(|(href, _, _)| self.seen.get(href.split('#').next().unwrap_or(href)))
            .flat_map(|page| &page.objects);
        let records = of_page.chain(of_links).filter(|(id, _)| objects.contains(id));
        let records = records.cloned().collect();
        let is_known = !hops.is_empty() && !objects.is_empty();
        let page = page.or_else(|| is_known.then(SeenPage::default));
        Ok(Answer {
            is_refused: page.is_none() && row.is_none() && self.is_refused(asked)?,
            page,
            url,
            is_missing: row.is_some_and(|row| matches!(row.status, Some(404 | 410))),
            hops,
            shown_on: self.ids_of(shown.keys())?,
            objects,
            records,
        })
    }

    /// Returns the ids of URLs that the workspace knows.
    fn ids_of<'u>(&self, urls: impl Iterator<Item = &'u String>) -> Result<Vec<UrlId>, StoreError> {
        let urls = urls.filter_map(|url| CanonicalUrl::trusted(url.as_str()));
        let fingerprints: Vec<u64> = urls.map(|url| url.fingerprint().0).collect();
        let found = self.session.store().find_urls(&fingerprints)?;
        Ok(found.into_iter().map(|found| found.id).collect())
    }

    /// Returns `true` if a rule forbids a URL.
    fn is_refused(&self, url: &Url) -> Result<bool, StoreError> {
        let Some(url) = CanonicalUrl::trusted(url.as_str()) else {
            return Ok(true);
        };
        let found = self.session.store().find_urls(&[url.fingerprint().0])?;
        Ok(found.iter().any(|found| found.state == UrlState::Refused))
    }
}
