//! The search for authorities: pages found by words that the vertical accepts.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use magpie_focus::authorities::{AuthoritySearch, SearchStep, WordQuery};
use magpie_model::CanonicalUrl;
use magpie_rows::{FetchRequest, PageId, RunId, RunKind, SiteId};
use magpie_search::{Hit, SearchEngine, SearchError};
use magpie_values::Timestamp;

use super::words::document_frequencies;
use crate::PipelineError;
use crate::canonicaliser;
use crate::crawl::{ByConfidence, Guide, GuideOrder, SeenObjects, Target};
use crate::observer::{Event, Observer};
use crate::session::{CrawlRequest, Session};

/// Searches on, keeping the state of the search after every step. Returns the last error of the
/// engine, or `None` in place of the result if it was stopped.
pub(crate) fn find_authorities(
    session: &Session,
    engine: &mut SearchEngine,
    search: &mut AuthoritySearch,
    keep: &mut dyn FnMut(&AuthoritySearch) -> Result<(), PipelineError>,
    observer: &mut dyn Observer,
) -> Result<Option<Option<SearchError>>, PipelineError> {
    let run = session.begin_run(RunKind::Sample)?;
    let mut failed = None;
    let mut frequencies = None;
    loop {
        if session.is_stopping() {
            return Ok(None);
        }
        match search.step() {
            SearchStep::Hits(word) => {
                let hits = match engine.counts_results() {
                    true => session.runtime().block_on(engine.count(&word)),
                    false => Ok(None),
                };
                let hits = hits.unwrap_or_else(|error| {
                    observer.observe(Event::QueryFailed {
                        query: &word,
                        error: &error,
                    });
                    failed = Some(error);
                    None
                });
                let hits = match hits {
                    Some(hits) => hits,
                    None => {
                        let counts = match &frequencies {
                            Some(counts) => counts,
                            None => frequencies.insert(document_frequencies(session)?),
                        };
                        counts.get(&word).copied().unwrap_or(0)
                    }
                };
                search.count(hits);
            }
            SearchStep::Ask(query) => match session.runtime().block_on(engine.search(&query.text)) {
                Ok(hits) => {
                    let Some(judged) = judge(session, run, search, hits, observer)? else {
                        return Ok(None);
                    };
                    search.take(query.number, judged);
                }
                Err(error) => {
                    let WordQuery { number, text } = query;
                    observer.observe(Event::QueryFailed {
                        query: &text,
                        error: &error,
                    });
                    search.failed(number);
                    let is_final = error.is_final();
                    failed = Some(error);
                    if is_final {
                        break;
                    }
                }
            },
            SearchStep::Done(_) => break,
        }
        keep(search)?;
        if failed.as_ref().is_some_and(SearchError::is_final) {
            break;
        }
    }
    session.end_run(run.0)?;
    Ok(Some(failed))
}

/// Fetches the pages that were found, and returns the verdict on each; `None` if it was stopped.
fn judge(
    session: &Session,
    run: (RunId, Timestamp),
    search: &AuthoritySearch,
    hits: Vec<Hit>,
    observer: &mut dyn Observer,
) -> Result<Option<Vec<(String, bool)>>, PipelineError> {
    // A page that redirects has the verdict on the page at the end.
    let settings = session.settings();
    let most = usize::try_from(settings.settings.focus.results).unwrap_or(usize::MAX);
    let pages = hits.into_iter().take(most).filter_map(|hit| {
        let for_host = settings.for_host(hit.url.host_str()?);
        Some(canonicaliser(for_host).canonicalise(&hit.url).ok()?.url)
    });
    let pages: BTreeSet<CanonicalUrl> = pages
        .filter(|page| search.verdict(page.as_str()).is_none())
        .collect();
    if pages.is_empty() {
        return Ok(Some(Vec::new()));
    }
    let wanted: HashSet<u64> = pages.iter().map(|page| page.fingerprint().0).collect();
    let guide = Guide {
        order: GuideOrder::Given(Arc::new(wanted)),
        validator: Arc::new(ByConfidence(settings.settings.focus.confidence)),
        seen: SeenObjects::default(),
    };
    let request = CrawlRequest {
        guide: Some(guide),
        ..CrawlRequest::new(run, pages.iter().cloned().map(Target::From).collect())
    };
    if session.crawl(request, observer)?.was_stopped() {
        return Ok(None);
    }
    session.store().flush()?;
    let mut verdicts: BTreeMap<String, bool> = BTreeMap::new();
    let mut sites: HashMap<SiteId, Vec<CanonicalUrl>> = HashMap::new();
    for page in pages {
        sites.entry(session.site_of(&page)?).or_default().push(page);
    }
    for (site, pages) in sites {
        let accepted = accepted_pages(session, site)?;
        for page in pages {
            let mut at = page.as_str().to_owned();
            let is_accepted = accepted.verdict(&mut at);
            verdicts.insert(page.as_str().to_owned(), false);
            verdicts.insert(at, is_accepted);
        }
    }
    Ok(Some(verdicts.into_iter().collect()))
}

/// The fetched pages of a site: redirects, and pages that are accepted.
struct FetchedPages {
    redirects: HashMap<String, String>,
    accepted: HashSet<String>,
}

/// Redirects that are followed one after the other.
const MAX_REDIRECTS: usize = 10;

impl FetchedPages {
    /// Returns the verdict on the page that a URL leads to, and makes the URL that of the page.
    fn verdict(&self, url: &mut String) -> bool {
        for _ in 0..MAX_REDIRECTS {
            match self.redirects.get(url.as_str()) {
                Some(target) => target.clone_into(url),
                None => break,
            }
        }
        self.accepted.contains(url.as_str())
    }
}

/// Reads the newest fetches of a site.
fn accepted_pages(session: &Session, site: SiteId) -> Result<FetchedPages, PipelineError> {
    let store = session.store();
    let min = session.settings().settings.focus.confidence;
    let mut pages = FetchedPages {
        redirects: HashMap::new(),
        accepted: HashSet::new(),
    };
    let mut request = FetchRequest::of(site);
    loop {
        let rows = store.fetches(&request)?;
        let Some(last) = rows.last() else { break };
        request.after = last.number;
        let numbers: Vec<_> = rows.iter().map(|row| row.id).collect();
        // The judgement of a page counts instead of its records.
        let mut judged: HashMap<PageId, bool> = HashMap::new();
        for row in store.judgements_of(&numbers)? {
            *judged.entry(row.page).or_default() |= row.judgement.accepted;
        }
        for found in store.records_of(session.vertical(), &numbers)? {
            if found.record.confidence >= min && !judged.contains_key(&found.page) {
                pages.accepted.insert(found.url);
            }
        }
        let accepted = rows.iter().filter(|row| judged.get(&row.id) == Some(&true));
        pages.accepted.extend(accepted.map(|row| row.url.clone()));
        for row in rows {
            if let Some(target) = row.redirect {
                pages.redirects.insert(row.url, target);
            }
        }
    }
    Ok(pages)
}
