//! The hidden Web: asks the search forms of sites for objects that no link leads to.
//!
//! [`forms_of`] reads the forms on the archived pages of a site and makes URL templates of those
//! that may be sent. [`surface`] tries each template with nonsense and with names of objects, asks
//! the queries that are expected to bring the most new objects, and keeps every answer. Requests
//! are those of a crawl: robots.txt, politeness, limits and archives are the same.

mod ask;
mod asking;
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

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Duration;

use magpie_discovery::UrlTemplate;
use magpie_model::{CanonicalUrl, PostedForm, UrlReason};
use magpie_rows::{
    FormSource, QueryTemplateRow, ReadStore, RunId, RunKind, SelectedQuery, SiteId, StoreError,
};
use magpie_surface::ObjectId;
use magpie_values::Timestamp;
use serde::{Deserialize, Serialize};
use url::Position;

use crate::PipelineError;
use crate::crawl::Target;
use crate::crew::{WorkKind, share};
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

use ask::Known;
use asking::Asking;
use filter_form::{Filter, filters_of};
use session::TemplateSession;
use suggested::Suggested;

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
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
        collection.choose_again(&mut snapshots)?;
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
#[derive(Default)]
pub(crate) struct FormsAsked {
    pub(crate) templates: Vec<QueryTemplateRow>,
    /// The decisions about the inputs of filter forms.
    pub(crate) decisions: Vec<FormDecision>,
    /// Pages that were fetched.
    pub(crate) pages: u64,
}

/// Forms of some sites that were asked.
#[derive(Serialize, Deserialize)]
pub(crate) struct SitesAsked {
    /// The templates, with the numbers of their sites.
    templates: Vec<(SiteId, String)>,
    decisions: Vec<FormDecision>,
    pages: u64,
}

/// Asks the search forms of these sites. Returns `None` if it was stopped; the next call continues.
pub(crate) fn ask_forms(
    session: &Session,
    sites: &[(SiteId, String)],
    request: &SurfaceRequest,
    observer: &mut dyn Observer,
) -> Result<Option<FormsAsked>, PipelineError> {
    session.store().flush()?;
    let during = session.begin_run(RunKind::Surface)?;
    let work = WorkKind::Ask {
        during: during.into(),
        request: serde_json::to_value(request).unwrap_or_default(),
    };
    let here = |sites: &[(SiteId, String)]| ask_sites(session, sites, request, during, observer);
    let Some(parts) = share(session, work, sites, here)? else {
        return Ok(None);
    };
    session.end_run(during.0)?;
    session.prune_archive(observer);
    let mut asked = FormsAsked::default();
    let rows = session.store().query_templates(session.vertical())?;
    for part in parts {
        let row_of = |(site, template): &(SiteId, String)| {
            let mut rows = rows.iter();
            rows.find(|row| row.site == *site && row.template == *template)
        };
        asked
            .templates
            .extend(part.templates.iter().filter_map(row_of).cloned());
        asked.decisions.extend(part.decisions);
        asked.pages += part.pages;
    }
    Ok(Some(asked))
}

/// Asks the search forms of these sites in this process.
pub(crate) fn ask_sites(
    session: &Session,
    keys: &[(SiteId, String)],
    request: &SurfaceRequest,
    during: (RunId, Timestamp),
    observer: &mut dyn Observer,
) -> Result<Option<SitesAsked>, PipelineError> {
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
    let mut asking = Asking::begin(session, plugin.info())?;
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
    let searches = asking.searches;
    for search in &searches {
        let arguments = search.arguments();
        if !arguments.is_empty() {
            session.store().put_arguments(search.site, arguments)?;
        }
    }
    let templates = searches.iter().map(|search| (search.site, search.text.clone()));
    Ok(Some(SitesAsked {
        templates: templates.collect(),
        decisions: searches.iter().flat_map(TemplateSession::decisions).collect(),
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
            let acts = session.settings().for_host(url.host()).acts();
            let is_unsafe = safety::trap_of(&url, &acts).is_some();
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
