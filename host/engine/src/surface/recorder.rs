//! Result pages, read while a crawl fetches them.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};

use magpie_discovery::forms::link_deed;
use magpie_discovery::{ScanLimits, scan};
use magpie_model::{CanonicalUrl, Record};
use magpie_page::Page;
use magpie_rows::Extraction;
use magpie_surface::ObjectId;
use url::{Position, Url};
use xxhash_rust::xxh3::xxh3_64;

use super::safety::is_deed;
use crate::crawl::{Extractor, LinkFilter, LinkFilters};

/// Bytes of the visible text of a page that are kept.
const MAX_TEXT: usize = 256 * 1024;

/// Links of a page that are kept.
const MAX_LINKS: usize = 2_000;

/// Pages of an unknown kind that are fetched to see if they have objects.
const TRIALS: u32 = 5;

/// A page that a crawl has read.
#[derive(Clone, Debug, Default)]
pub(super) struct SeenPage {
    pub(super) text: String,
    /// Its objects with their records.
    pub(super) objects: Vec<(ObjectId, Record)>,
    /// Target, text and relation of each link.
    pub(super) links: Vec<(String, String, String)>,
}

/// Requests that are under way, and links on their answers that lead to no result.
#[derive(Default)]
pub(super) struct Requests {
    /// Fingerprints of the URLs that are asked for.
    pub(super) asked: HashSet<u64>,
    /// Those of them that the template of a form has made that is sent by POST.
    pub(super) posted: HashSet<u64>,
    /// Kinds of these URLs. Links to them are other queries: suggestions, filters, other orders.
    pub(super) asked_kinds: HashSet<Kind>,
    /// Those of them whose queries match nothing. No link on their answers leads to a result.
    pub(super) nonsense: HashSet<u64>,
    /// Arguments of filter forms, each with the page of its form.
    pub(super) inputs: HashSet<(String, String)>,
    /// The queries, in lower case.
    pub(super) queries: HashSet<String>,
    /// Kinds of the pages that nonsense was redirected to: result pages, too.
    pub(super) result_kinds: HashSet<Kind>,
    /// Hashes of the links that answers to all queries have.
    pub(super) furniture: HashSet<u64>,
    /// Those of the asked URLs whose site has given enough answers to know such links. Links of
    /// unknown kinds are tried on these alone.
    pub(super) explored: HashSet<u64>,
}

impl Requests {
    /// Returns `true` if a link may lead to a result: it is not on all result pages, it is no
    /// query, and it does not repeat one.
    fn may_lead_to_result(&self, link: &CanonicalUrl) -> bool {
        // Links that do are about the search: they sort it, page through it, or save it, and a
        // request that saves something must not be sent.
        let repeats = Url::parse(link.as_str()).is_ok_and(|url| {
            let is_input = |name: &str| {
                let page = url[..Position::AfterPath].to_owned();
                !self.inputs.is_empty() && self.inputs.contains(&(page, name.to_owned()))
            };
            url.query_pairs()
                .any(|(name, value)| self.queries.contains(&value.to_lowercase()) || is_input(&name))
        });
        let is_query = self.asked_kinds.contains(&kind_of(link));
        !repeats && !is_query && !self.furniture.contains(&link_hash(link.as_str()))
    }
}

/// Returns the hash of a link for comparisons, without its fragment.
pub(super) fn link_hash(href: &str) -> u64 {
    xxh3_64(href.split('#').next().unwrap_or(href).as_bytes())
}

/// The pages that requests led to, shared by the extractor and the link filters of the crawl.
pub(super) struct Recorder {
    verticals: Arc<dyn Extractor>,
    vertical: String,
    requests: RwLock<Requests>,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    pages: HashMap<String, SeenPage>,
    kinds: HashMap<Kind, Yield>,
    /// Fingerprints of the links that are worth following.
    wanted: HashSet<u64>,
}

impl Seen {
    fn count(&mut self, url: &CanonicalUrl, has_objects: bool) {
        let known = self.kinds.entry(kind_of(url)).or_default();
        known.pages += 1;
        known.with_objects += u32::from(has_objects);
    }
}

/// The kind of a URL: its host, the number of its segments, the first one, the word before a number
/// that is the rest of the last one (`issue` in `/tracker/issue12`), and the names of its
/// arguments.
pub(super) type Kind = (String, usize, String, String, Vec<String>);

/// Pages of a kind, and those with objects.
#[derive(Clone, Copy, Debug, Default)]
struct Yield {
    pages: u32,
    with_objects: u32,
    promised: u32,
}

impl Recorder {
    pub(super) fn new(verticals: Arc<dyn Extractor>, vertical: &str) -> Recorder {
        Recorder {
            verticals,
            vertical: vertical.to_owned(),
            requests: RwLock::default(),
            seen: Mutex::default(),
        }
    }

    /// Begins with other requests.
    pub(super) fn begin(&self, requests: Requests) {
        *self.requests.write().unwrap_or_else(PoisonError::into_inner) = requests;
    }

    pub(super) fn count_page(&self, url: &CanonicalUrl, has_objects: bool) {
        self.seen().count(url, has_objects);
    }

    /// Takes the pages that were read, by URL.
    pub(super) fn take_pages(&self) -> HashMap<String, SeenPage> {
        std::mem::take(&mut self.seen().pages)
    }

    /// Takes the fingerprints of the links that were worth following.
    pub(super) fn take_wanted(&self) -> Vec<u64> {
        std::mem::take(&mut self.seen().wanted).into_iter().collect()
    }

    /// Returns `true` if a page answers a query.
    pub(super) fn is_result(&self, page: &CanonicalUrl) -> bool {
        let requests = self.requests();
        requests.asked.contains(&page.fingerprint().0) || requests.result_kinds.contains(&kind_of(page))
    }

    fn requests(&self) -> RwLockReadGuard<'_, Requests> {
        self.requests.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns `true` if a result page may lead to an object by this link.
    fn is_worth_following(&self, page: &CanonicalUrl, link: &CanonicalUrl, is_named: bool) -> bool {
        let requests = self.requests();
        // Nothing matches nonsense, so none of its links leads to a result.
        if requests.nonsense.contains(&page.fingerprint().0) {
            return false;
        }
        if is_named {
            return true;
        }
        let url = Url::parse(link.as_str()).ok();
        if !requests.may_lead_to_result(link) || url.as_ref().is_some_and(is_deed) {
            return false;
        }
        let is_explored = requests.explored.contains(&page.fingerprint().0);
        let mut seen = self.seen();
        // If the vertical reads objects from the list itself, other links need no visit.
        let has_objects = seen
            .pages
            .get(page.as_str())
            .is_some_and(|page| !page.objects.is_empty());
        let known = *seen.kinds.entry(kind_of(link)).or_default();
        if known.with_objects > 0 {
            return known.with_objects * 3 >= known.pages;
        }
        if has_objects || !is_explored || known.promised >= TRIALS {
            return false;
        }
        let links = seen.pages.get(page.as_str()).map(|page| page.links.as_slice());
        let texts = links.unwrap_or_default().iter();
        let hash = link_hash(link.as_str());
        let mut texts = texts.filter(|(href, _, _)| link_hash(href) == hash);
        // The text of any link with this target may show that it acts.
        let acts = texts.any(|(_, text, _)| {
            let url = url.as_ref();
            url.is_none_or(|url| link_deed(url, text).is_some())
        });
        if !acts {
            seen.kinds.entry(kind_of(link)).or_default().promised += 1;
        }
        !acts
    }
}

impl Extractor for Recorder {
    fn extract(&self, page: &Arc<Page>) -> Vec<Extraction> {
        let extractions = self.verticals.extract(page);
        let records = extractions
            .iter()
            .filter(|extraction| extraction.component.vertical == self.vertical)
            .flat_map(|extraction| &extraction.records);
        let objects: Vec<(ObjectId, Record)> = records
            .map(|found| {
                let id = self.verticals.identity(&self.vertical, &found.record);
                (id, found.record.clone())
            })
            .collect();
        let has_objects = !objects.is_empty();
        let limits = ScanLimits {
            keep_text: true,
            ..ScanLimits::default()
        };
        let mut text = scan(page.text(), &limits).text;
        // The pages of a batch are in memory together, so a large one is cut.
        text.truncate(text.floor_char_boundary(MAX_TEXT));
        let links = page.links().into_iter().take(MAX_LINKS);
        let read = SeenPage {
            text,
            objects,
            links: links.map(|link| (link.href, link.text, link.rel)).collect(),
        };
        let url = CanonicalUrl::trusted(page.url().as_str());
        // Pages of results have objects as well, and would pass for a kind of pages that links
        // should lead to.
        let counted = url.filter(|url| !self.is_result(url));
        let mut seen = self.seen();
        if let Some(url) = counted {
            seen.count(&url, has_objects);
        }
        seen.pages.insert(page.url().as_str().to_owned(), read);
        extractions
    }

    fn identity(&self, vertical: &str, record: &Record) -> u64 {
        self.verticals.identity(vertical, record)
    }

    fn notices(&self) -> Vec<String> {
        self.verticals.notices()
    }
}

/// Returns the kind of a URL.
pub(super) fn kind_of(url: &CanonicalUrl) -> Kind {
    let segments: Vec<&str> = url
        .path()
        .split('/')
        .filter(|segment| !segment.is_empty())
        .collect();
    // Without a query, one segment is the name of a page. With one, it is a program.
    let first = match segments.as_slice() {
        [] => String::new(),
        [_] if url.query().is_none() => String::new(),
        [first, ..] => (*first).to_owned(),
    };
    let pairs = url.query().unwrap_or_default().split('&');
    let mut names: Vec<String> = pairs
        .map(|pair| pair.split('=').next().unwrap_or_default().to_owned())
        .filter(|name| !name.is_empty())
        .collect();
    names.sort_unstable();
    let last = segments.last().copied().unwrap_or_default();
    let word = last.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let is_numbered = word.len() < last.len() && word.bytes().all(|byte| byte.is_ascii_alphabetic());
    let word = if is_numbered { word } else { "" };
    (
        url.host().to_owned(),
        segments.len(),
        first,
        word.to_owned(),
        names,
    )
}

/// Follows links from result pages to objects, and no others.
pub(super) struct ResultFilters(pub(super) Arc<Recorder>);

impl LinkFilters for ResultFilters {
    fn filter(&self, _: &str) -> Option<Box<dyn LinkFilter>> {
        Some(Box::new(ResultFilter(Arc::clone(&self.0))))
    }
}

struct ResultFilter(Arc<Recorder>);

impl LinkFilter for ResultFilter {
    fn wants(&mut self, page: &CanonicalUrl, link: &CanonicalUrl, is_named: bool) -> bool {
        let is_wanted =
            self.is_asked(page) && !self.is_asked(link) && self.0.is_worth_following(page, link, is_named);
        if is_wanted {
            self.0.seen().wanted.insert(link.fingerprint().0);
        }
        is_wanted
    }

    fn reads_sitemaps(&self) -> bool {
        false
    }

    fn wants_named(&mut self, _: &CanonicalUrl) -> bool {
        false
    }

    fn is_list(&self, _: &CanonicalUrl) -> bool {
        false
    }

    /// Pages of results and those of new objects: what is not read again was not asked for.
    fn wants_whole(&self, _: &CanonicalUrl) -> bool {
        true
    }

    fn fetched(&mut self, _: &CanonicalUrl, _: u64, _: u64) {}

    fn may_post(&self, url: &CanonicalUrl) -> bool {
        self.0.requests().posted.contains(&url.fingerprint().0)
    }

    fn is_asked(&self, page: &CanonicalUrl) -> bool {
        self.0.is_result(page)
    }
}
