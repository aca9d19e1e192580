//! The hidden Web: asks the search forms of sites for objects that no link leads to.
//!
//! [`forms_of`] reads the forms on the archived pages of a site and makes URL templates of those
//! that may be sent. [`surface`] tries each template with nonsense and with names of objects, asks
//! the queries that are expected to bring the most new objects, and keeps every answer. Requests
//! are those of a crawl: robots.txt, politeness, limits and archives are the same.

mod ask;
mod filter_form;
mod filters;
mod forms;
mod method;
mod queue;
mod recorder;
mod redirects;
mod safety;
mod session;
mod suggested;
mod way;
mod words;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use magpie_discovery::{Canonicaliser, UrlTemplate};
use magpie_model::{CanonicalUrl, PostedForm, Record, UrlReason, VerticalInfo};
use magpie_rows::ReadStore;
use magpie_rows::{
    FetchRequest, FormSource, KnownPage, PageRow, QueryTemplateRow, RunId, RunKind, SelectedQuery, SiteId,
    StoreError, UrlId, UrlState,
};
use magpie_surface::ObjectId;
use magpie_surface::entities::Described;
use magpie_values::Timestamp;
use url::{Position, Url};

use crate::PipelineError;
use crate::client::canonicaliser_knowing;
use crate::crawl::{Queries, Target};
use crate::observer::{Observer, observe_kept};
use crate::session::{CrawlRequest, Session};
use crate::site::{Snapshots, navigation_file, read_navigation};

pub use filter_form::templates_of;
pub use filters::FormDecision;
pub use forms::forms_of;
pub use magpie_surface::isit::Decision;
pub use method::SurfaceMethod;
pub use redirects::redirects_to;

pub(crate) use forms::archived_page;

use ask::{Answer, Ask, Known, MAX_DETAIL_OBJECTS, shown_by};
use filter_form::{Filter, filters_of};
use recorder::{Recorder, Requests, ResultFilters, SeenPage};
use session::TemplateSession;
use suggested::Suggested;
use words::{MIN_SHARE_OF_BEST, describe, text_of};

/// Queries that a template is asked before the next ones are chosen.
const BATCH: usize = 4;

/// Redirects that are followed from a query to its answer.
const MAX_REDIRECTS: usize = 10;

/// Objects of the warehouse that give queries.
const MAX_KNOWN: usize = 5_000;

/// Records whose words are asked for first.
const MAX_TEXTS: usize = 2_000;

/// Templates of a site that are tried.
const MAX_TEMPLATES: usize = 4;

/// Pages whose records are read at a time.
const RECORD_PAGES: usize = 1_000;

/// Time after which a watch asks a query again that brought something new the last time.
const ASK_AGAIN: Duration = Duration::from_secs(86_400);

/// The same for queries that brought nothing new.
const ASK_QUIET_AGAIN: Duration = Duration::from_secs(7 * 86_400);

/// A request to ask the search forms of sites.
#[derive(Clone, Debug, Default)]
pub struct SurfaceRequest {
    /// Keys of the sites; empty for all sites with a form that may be sent.
    pub sites: Vec<String>,
    /// Queries besides the names in the warehouse, from a log or a knowledge base.
    pub queries: Vec<SurfaceQuery>,
    /// Requests to each template at most.
    pub max_requests: u64,
    /// The sort of requests.
    pub method: SurfaceMethod,
}

/// A query from a log or a knowledge base.
#[derive(Clone, Debug, PartialEq)]
pub struct SurfaceQuery {
    /// The words of the query.
    pub text: String,
    /// The type of the entity; empty if it is not known.
    pub kind: String,
    /// Its frequency.
    pub count: f64,
}

/// The outcome of asking.
#[derive(Clone, Debug)]
pub struct SurfaceOutcome {
    /// The templates that were asked, with their states.
    pub templates: Vec<QueryTemplateRow>,
    /// The decisions about the inputs of filter forms, in the order of the templates.
    pub decisions: Vec<FormDecision>,
    /// Pages that were fetched.
    pub pages: u64,
    /// Records that were not known before.
    pub new_records: u64,
}

/// Returns the sites with these keys; all sites if there are none.
fn sites_of(session: &Session, keys: &[String]) -> Result<Vec<(SiteId, String)>, StoreError> {
    let mut sites = Vec::new();
    let mut after = None;
    loop {
        let next = session.store().sites_after(after, RECORD_PAGES)?;
        let Some(last) = next.last() else {
            return Ok(sites);
        };
        after = Some(last.id);
        let wanted = next
            .into_iter()
            .filter(|site| keys.is_empty() || keys.contains(&site.key));
        sites.extend(wanted.map(|site| (site.id, site.key)));
    }
}

/// Asks the search forms of sites, and selects the queries that are asked in every round. Returns
/// `None` if it was stopped; the next call continues.
pub fn surface(
    session: &Session,
    request: &SurfaceRequest,
    observer: &mut dyn Observer,
) -> Result<Option<SurfaceOutcome>, PipelineError> {
    let sites = sites_of(session, &request.sites)?;
    let Some(asked) = ask_forms(session, &sites, request, observer)? else {
        return Ok(None);
    };
    let clustered = session.cluster(observer)?.unwrap_or_default();
    // Before the first learning there is no selection to which queries could be added.
    if !session.store().learned_sites(session.vertical())?.is_empty() {
        let (collection, mut snapshots) = (session.collection(), Snapshots::default());
        collection.choose(true, &mut snapshots)?;
        observe_kept(&collection.find_ways_of(&[], &mut snapshots)?, observer);
    }
    Ok(Some(SurfaceOutcome {
        templates: asked.templates,
        decisions: asked.decisions,
        pages: asked.pages,
        new_records: clustered.new_members,
    }))
}

/// Templates that were asked.
pub(crate) struct FormsAsked {
    pub(crate) templates: Vec<QueryTemplateRow>,
    /// The decisions about the inputs of filter forms.
    pub(crate) decisions: Vec<FormDecision>,
    /// Pages that were fetched.
    pub(crate) pages: u64,
}

/// Asks the search forms of these sites. Returns `None` if it was stopped; the next call continues.
pub(crate) fn ask_forms(
    session: &Session,
    keys: &[(SiteId, String)],
    request: &SurfaceRequest,
    observer: &mut dyn Observer,
) -> Result<Option<FormsAsked>, PipelineError> {
    session.store().flush()?;
    let during = session.begin_run(RunKind::Surface)?;
    let reader = session.store().reader()?;
    if !fetch_descriptions(session, &*reader, keys, during, observer)? {
        return Ok(None);
    }
    let kept = session.store().query_templates(session.vertical())?;
    let mut sites: BTreeMap<SiteId, Vec<String>> = BTreeMap::new();
    let mut filters: BTreeMap<SiteId, Vec<Filter>> = BTreeMap::new();
    for (site, _) in keys {
        let site = *site;
        let forms = forms_of(&*reader, site, session.settings(), session.now())?;
        session.store().put_forms(site, forms.clone())?;
        filters.insert(site, filters_of(&forms, request.method));
        let sendable = forms.into_iter().filter(|form| form.refusal.is_none());
        let mut templates: Vec<String> = Vec::new();
        let mut met = HashSet::new();
        let asks_words = request.method.asks_names() || request.method.asks_words();
        let own = sendable.filter_map(|form| Some((form.source, form.template?)));
        let with_words = own.filter(|(_, template)| asks_words && template.parse::<UrlTemplate>().is_ok());
        for (source, template) in with_words {
            // A site states the search of a form once more for browsers and search engines.
            let is_new = met.insert(search_of(&template)) || source == FormSource::Form;
            if is_new && templates.len() < MAX_TEMPLATES && !templates.contains(&template) {
                templates.push(template);
            }
        }
        sites.insert(site, templates);
    }
    let plugin = session.plugin()?;
    let (info, vertical) = (plugin.info(), session.vertical());
    let mut asking = Asking::begin(session, info)?;
    let suggested = Suggested::new(&request.queries, &asking.known);
    let mut asked = Vec::new();
    for (site, templates) in &sites {
        let filters = filters.remove(site).unwrap_or_default();
        if templates.is_empty() && filters.is_empty() {
            continue;
        }
        let linked = asking.read_site(*site)?;
        let texts = match linked.is_empty() && asking.texts.is_empty() {
            true => forms::texts_of(&*reader, *site, MAX_TEXTS)?,
            false => Vec::new(),
        };
        let candidates = suggested.for_site(linked.iter().map(|(_, text)| text.as_str()));
        let known = Known {
            objects: &asking.known,
            texts: match texts.is_empty() {
                true => &asking.texts,
                false => &texts,
            },
            linked: &linked,
        };
        let row_of = |template: &str| {
            let mut rows = kept.iter();
            rows.find(|row| row.site == *site && row.template == template)
        };
        for template in templates {
            let row = row_of(template);
            let search =
                TemplateSession::of_words(*site, template, request.method, row, request.max_requests);
            if let Some(mut search) = search {
                search.add_known(&known, &candidates);
                asked.push(search);
            }
        }
        for filter in filters {
            let (template, row) = (filter.template.clone(), row_of(&filter.template));
            let form = Some(filter);
            let search = TemplateSession::of_filters(*site, &template, form, row, request.max_requests);
            if let Some(mut search) = search {
                search.add_known(&known, &[]);
                asked.push(search);
            }
        }
    }
    drop(reader);
    asking.searches = asked;
    let Some(pages) = asking.ask_all(during, observer)? else {
        return Ok(None);
    };
    let mut searches = asking.searches;
    for search in &searches {
        let arguments = search.arguments();
        if !arguments.is_empty() {
            session.store().put_arguments(search.site, arguments)?;
        }
    }
    session.end_run(during.0)?;
    let now = session.now();
    let decisions = searches.iter().flat_map(TemplateSession::decisions).collect();
    let templates = searches
        .iter_mut()
        .map(|search| search.take_rows(vertical, now).0);
    Ok(Some(FormsAsked {
        templates: templates.collect(),
        decisions,
        pages,
    }))
}

/// Fetches search descriptions that pages link to and that were never fetched. Returns `false` if
/// it was stopped.
fn fetch_descriptions(
    session: &Session,
    reader: &dyn ReadStore,
    sites: &[(SiteId, String)],
    (run, began): (RunId, Timestamp),
    observer: &mut dyn Observer,
) -> Result<bool, PipelineError> {
    let store = session.store();
    let mut targets = Vec::new();
    for (site, _) in sites {
        let known = store.known_pages(*site)?;
        let urls = forms::descriptions_of(reader, &known)?.into_iter();
        let urls = urls.filter_map(|url| CanonicalUrl::trusted(url.as_str()));
        for url in urls {
            let is_unsafe = safety::trap_of(&url).is_some();
            if !is_unsafe && store.find_urls(&[url.fingerprint().0])?.is_empty() {
                // URLs that wait at the site would use up the pages of this crawl.
                store.hold_queue(*site, &UrlReason::NotPlanned)?;
                targets.push(Target::From(url));
            }
        }
    }
    if targets.is_empty() {
        return Ok(true);
    }
    // A crawl that may ask for these pages alone follows no links.
    let request = CrawlRequest {
        max_pages: Some(targets.len() as u64),
        ..CrawlRequest::new((run, began), targets)
    };
    let crawled = session.crawl(request, observer)?;
    store.flush()?;
    Ok(!crawled.was_stopped())
}

/// Returns the page and the argument of a template, equal for templates of one search.
fn search_of(template: &str) -> (String, String) {
    let read: Option<UrlTemplate> = template.parse().ok();
    let page = read.as_ref().and_then(|template| template.fill("query", &[]));
    let argument = read.as_ref().and_then(UrlTemplate::keyword_argument);
    // That of a form sent by POST has no equal: a search by GET is asked besides.
    match (page, argument) {
        (Some(page), Some(argument)) if !PostedForm::is_marked(template) => {
            (page[..Position::AfterPath].to_owned(), argument.to_owned())
        }
        _ => (template.to_owned(), String::new()),
    }
}

/// The outcome of the queries of a round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RoundAsked {
    pub(crate) queries: u64,
    /// The number of pages that were fetched, with those of objects.
    pub(crate) pages: u64,
}

#[derive(Default)]
pub(crate) struct RoundQueries {
    /// The queries, by site and template.
    searches: BTreeMap<(SiteId, String), Vec<SelectedQuery>>,
    /// The time at which the next one is due that is not among them.
    pub(crate) next: Option<Timestamp>,
}

impl RoundQueries {
    /// Reads the queries in the navigations of sites: all, or those that are due at a moment.
    pub(crate) fn read(
        session: &Session,
        sites: &[(SiteId, String)],
        due_at: Option<Timestamp>,
    ) -> Result<RoundQueries, PipelineError> {
        let vertical = session.vertical();
        let mut queries = RoundQueries::default();
        for (site, key) in sites {
            let path = navigation_file(session.folder(), vertical, key);
            // A broken file was reported where its site was left out.
            let Ok(Some(navigation)) = read_navigation(&path) else {
                continue;
            };
            if navigation.searches.is_empty() {
                continue;
            }
            let again = match due_at {
                Some(_) => asked_again_at(session, *site)?,
                None => HashMap::new(),
            };
            for search in navigation.searches {
                for query in search.queries {
                    let key = (search.template.clone(), query);
                    let at = again.get(&key).copied().unwrap_or(Timestamp::MIN);
                    if due_at.is_some_and(|due_at| at > due_at) {
                        queries.next = Some(queries.next.map_or(at, |next| next.min(at)));
                        continue;
                    }
                    let (template, query) = key;
                    let of_template = (*site, template.clone());
                    queries
                        .searches
                        .entry(of_template)
                        .or_default()
                        .push(SelectedQuery {
                            site: *site,
                            template,
                            query,
                            pages: search.pages,
                        });
                }
            }
        }
        Ok(queries)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.searches.is_empty()
    }
}

/// Returns for each query of a site, by template and query, the time from which it is asked again.
fn asked_again_at(
    session: &Session,
    site: SiteId,
) -> Result<HashMap<(String, String), Timestamp>, StoreError> {
    let mut again: HashMap<(String, String), Timestamp> = HashMap::new();
    for row in session.store().submissions(session.vertical(), site)? {
        let wait = match row.new_objects {
            0 => ASK_QUIET_AGAIN,
            _ => ASK_AGAIN,
        };
        let at = again.entry((row.template, row.query)).or_insert(Timestamp::MIN);
        // The rows of further pages that were not read again are old.
        *at = (*at).max(row.asked_at + wait);
    }
    Ok(again)
}

/// Asks the queries of a round, and for names of objects that are new in the warehouse. Returns
/// `None` if it was stopped.
pub(crate) fn ask_again(
    session: &Session,
    queries: &RoundQueries,
    during: (RunId, Timestamp),
    max_requests: Option<u64>,
    observer: &mut dyn Observer,
) -> Result<Option<RoundAsked>, PipelineError> {
    if queries.is_empty() {
        return Ok(Some(RoundAsked::default()));
    }
    session.store().flush()?;
    let rows = session.store().query_templates(session.vertical())?;
    let plugin = session.plugin()?;
    let info = plugin.info();
    let mut asking = Asking::begin(session, info)?;
    let mut searches = Vec::new();
    let mut left = max_requests.unwrap_or(u64::MAX);
    let mut linked: BTreeMap<SiteId, Vec<(ObjectId, String)>> = BTreeMap::new();
    for ((site, template), queries) in &queries.searches {
        let mut rows = rows.iter();
        let row = rows.find(|row| row.site == *site && row.template == *template);
        // The navigation file may be edited, and settings may have changed since the template was
        // learned.
        if !forms::may_be_asked(session, *site, template)? {
            continue;
        }
        let Some(mut search) = TemplateSession::of_navigation(*site, template, row, left) else {
            continue;
        };
        if !linked.contains_key(site) {
            linked.insert(*site, asking.read_site(*site)?);
        }
        let known = Known {
            objects: &asking.known,
            texts: &asking.texts,
            linked: linked.get(site).map(Vec::as_slice).unwrap_or_default(),
        };
        // The templates of a round share its budget, each with the queries that it will ask.
        left = left.saturating_sub(search.begin_round(queries, &known));
        searches.push(search);
    }
    // The templates count all requests that were ever sent to them.
    let before: u64 = searches.iter().map(TemplateSession::asked).sum();
    asking.searches = searches;
    let Some(pages) = asking.ask_all(during, observer)? else {
        return Ok(None);
    };
    let queries = asking.searches.iter().map(TemplateSession::asked).sum::<u64>() - before;
    Ok(Some(RoundAsked { queries, pages }))
}

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
struct Asking<'a> {
    session: &'a Session,
    info: &'a VerticalInfo,
    searches: Vec<TemplateSession>,
    /// The objects of the warehouse, with their entities.
    known: Vec<Described>,
    /// The texts of some of their records.
    texts: Vec<String>,
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
        let asks = choose_requests(&mut self.searches);
        match asks.is_empty() {
            true => Ok(Vec::new()),
            false => self.send(asks),
        }
    }
}

impl<'a> Asking<'a> {
    /// Asks until no template has a further request. Returns the number of pages that were fetched,
    /// or `None` if it was stopped.
    fn ask_all(
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
        let crawled = self.session.crawl_by(request, Some(self), observer)?;
        Ok((!crawled.was_stopped()).then_some(crawled.progress.pages))
    }

    fn begin(session: &'a Session, info: &'a VerticalInfo) -> Result<Asking<'a>, StoreError> {
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
    fn read_site(&mut self, site: SiteId) -> Result<Vec<(ObjectId, String)>, StoreError> {
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
            // Other crawls refuse what stands for a form. This one may be permitted to send it.
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
