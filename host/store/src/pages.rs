//! Pages, links and records of sites, to be read site by site.
//!
//! The pages of a site are numbered from 1 in the order they were committed, and
//! [`Pages::fetches`] goes on after a number: a cursor for each site. [`PageId`] and [`UrlId`] are
//! names. The names of one site's URLs and pages grow; those of two sites can't be compared.
//!
//! Outside of the trait, on [`Reader`](crate::Reader) alone, is what only people ask for: the state
//! of the workspace, why a URL was not fetched, what a plugin made of one page, pages out of the
//! archive, exports.

use crate::hidden::{Hidden, HiddenStore};
use crate::learned::{FoundByLink, KnownPage, PageLinks, Spent, figures, survey, visits};
use crate::read::{
    FoundRecord, FoundUrl, JudgementRow, Looks, PageRow, SiteRow, explain, extractions, fetches, status,
};
use crate::words::RunKind;
use crate::{
    Catalogue, Component, CrawlStore, Learned, LearnedStore, Objects, PageId, Requeue, RunId, RunRow,
    RunTotals, SiteFacts, SiteId, StoreError, UrlId, Warehouse, WebhookStore, Webhooks,
};
use crate::{Coverage, CoverageStore, History, Search};
use magpie_values::Timestamp;

/// URLs of a site that are read at a time.
const KNOWN_PAGES: usize = 20_000;

/// Reads pages. Lists come in pages by key: a call returns at most `limit` rows after a key, and an
/// empty list is the end. Calls see what is committed.
pub trait Pages {
    /// Returns sites, in an order that stays the same.
    fn sites_after(&self, after: Option<SiteId>, limit: usize) -> Result<Vec<SiteRow>, StoreError>;

    /// Returns the URLs of a site with their newest answers, in the order they were found, but for
    /// those that the site's rules refuse.
    fn known_pages_after(
        &self,
        site: SiteId,
        after: Option<UrlId>,
        limit: usize,
    ) -> Result<Vec<KnownPage>, StoreError>;

    /// Returns the URLs of a site that links on its pages led to, in the order they were found, but
    /// for those that the site's rules refuse.
    fn found_by_links_after(
        &self,
        site: SiteId,
        after: Option<UrlId>,
        limit: usize,
    ) -> Result<Vec<FoundByLink>, StoreError>;

    /// Returns fetches of a site in their order.
    fn fetches(&self, request: &FetchRequest) -> Result<Vec<PageRow>, StoreError>;

    /// Returns the links of pages, in the order of `pages`, but for pages without links.
    fn page_links(&self, pages: &[PageId]) -> Result<Vec<PageLinks>, StoreError>;

    /// Returns the records of a vertical on pages, in the order of `pages` and as they are on each.
    fn records_of(&self, vertical: &str, pages: &[PageId]) -> Result<Vec<FoundRecord>, StoreError>;

    /// Returns the judgements of pages by plugins whose vertical finds objects, too, in the order
    /// of `pages`.
    fn judgements_of(&self, pages: &[PageId]) -> Result<Vec<JudgementRow>, StoreError>;

    /// Finds URLs by fingerprint in the frontiers of all sites: by fingerprint, and for each the
    /// site first that found it first.
    fn find_urls(&self, fingerprints: &[u64]) -> Result<Vec<FoundUrl>, StoreError>;

    /// Returns the components that were shown pages, in the order in which they came into use.
    fn components(&self) -> Result<Vec<Component>, StoreError>;

    /// Returns the number of pages of a site with objects of a vertical, and the number of those
    /// with a value that did not fit the schema.
    fn checked_pages(&self, vertical: &str, site: SiteId) -> Result<(u64, u64), StoreError>;

    /// Returns all URLs of a site: [`Pages::known_pages_after`] from the first to the last.
    fn known_pages(&self, site: SiteId) -> Result<Vec<KnownPage>, StoreError> {
        let mut all = Vec::new();
        loop {
            let after = all.last().map(|page: &KnownPage| page.id);
            let mut next = self.known_pages_after(site, after, KNOWN_PAGES)?;
            let is_last = next.len() < KNOWN_PAGES;
            all.append(&mut next);
            if is_last {
                return Ok(all);
            }
        }
    }

    /// Returns all fetches of a run or of all runs, site by site.
    fn all_fetches(&self, run: Option<RunId>) -> Result<Vec<PageRow>, StoreError> {
        let (mut all, mut site) = (Vec::new(), None);
        while let Some(next) = self.sites_after(site, 1)?.pop() {
            site = Some(next.id);
            let mut request = FetchRequest {
                run,
                ..FetchRequest::of(next.id)
            };
            loop {
                let mut rows = self.fetches(&request)?;
                let Some(last) = rows.last() else { break };
                request.after = last.number;
                all.append(&mut rows);
            }
        }
        Ok(all)
    }
}

/// A request for fetches of a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FetchRequest {
    /// The site.
    pub site: SiteId,
    /// Those after this number; 0 for all.
    pub after: u64,
    /// Those of a run.
    pub run: Option<RunId>,
    /// Those since a moment, in milliseconds since 1970.
    pub since: Timestamp,
    /// The maximum number of rows.
    pub limit: usize,
}

impl FetchRequest {
    /// All fetches of a site, a thousand at a time.
    pub fn of(site: SiteId) -> FetchRequest {
        FetchRequest {
            site,
            after: 0,
            run: None,
            since: Timestamp::MIN,
            limit: 1_000,
        }
    }
}

/// Reads runs, and what they cost and brought.
pub trait Runs {
    /// Returns all runs, the oldest first.
    fn runs(&self) -> Result<Vec<RunRow>, StoreError>;

    /// Counts the objects of a vertical that were seen for the first time in a window, each once,
    /// at however many sites it is. Both ends are included.
    fn new_objects(&self, vertical: &str, window: (Timestamp, Timestamp)) -> Result<u64, StoreError>;

    /// Counts what runs fetched, and found for a vertical. New objects are those of
    /// [`Runs::new_objects`] in the window.
    fn run_totals(
        &self,
        vertical: &str,
        runs: &[RunId],
        window: (Timestamp, Timestamp),
    ) -> Result<RunTotals, StoreError>;

    /// Returns the requests that runs of a kind made since a moment, the newest first. Where the
    /// clock stepped back, older times end the list of a site.
    fn spent(&self, kind: RunKind, since: Timestamp) -> Result<Vec<Spent>, StoreError>;
}

/// Writes runs.
pub trait RunStore: Runs {
    /// Begins a run. `settings` is JSON.
    fn begin_run(
        &self,
        kind: RunKind,
        program: &str,
        settings: &str,
        now: Timestamp,
    ) -> Result<RunId, StoreError>;

    /// Goes on with the last run of a kind if it was not ended.
    fn resume_run(&self, kind: RunKind, now: Timestamp) -> Result<Option<RunId>, StoreError>;

    /// Ends a run with a word for how.
    fn end_run(&self, run: RunId, now: Timestamp) -> Result<(), StoreError>;
}

/// All that a pipeline needs of a store.
pub trait Store:
    ReadStore
    + CrawlStore
    + Requeue
    + Warehouse
    + LearnedStore
    + HiddenStore
    + RunStore
    + CoverageStore
    + WebhookStore
{
}

impl<S> Store for S where
    S: ReadStore
        + CrawlStore
        + Requeue
        + Warehouse
        + LearnedStore
        + HiddenStore
        + RunStore
        + CoverageStore
        + WebhookStore
{
}

/// All that is read of a store.
pub trait ReadStore:
    Pages + SiteFacts + Objects + Catalogue + Search + History + Learned + Hidden + Coverage + Runs + Webhooks
{
}

impl<S> ReadStore for S where
    S: Pages
        + SiteFacts
        + Objects
        + Catalogue
        + Search
        + History
        + Learned
        + Hidden
        + Coverage
        + Runs
        + Webhooks
{
}

impl<L: Looks> Pages for L {
    fn sites_after(&self, after: Option<SiteId>, limit: usize) -> Result<Vec<SiteRow>, StoreError> {
        self.look(|connection| status::sites_after(connection, after, limit))
    }

    fn components(&self) -> Result<Vec<Component>, StoreError> {
        self.look(extractions::components)
    }

    fn checked_pages(&self, vertical: &str, site: SiteId) -> Result<(u64, u64), StoreError> {
        self.look(|connection| figures::checked_pages(connection, vertical, site))
    }

    fn known_pages_after(
        &self,
        site: SiteId,
        after: Option<UrlId>,
        limit: usize,
    ) -> Result<Vec<KnownPage>, StoreError> {
        self.look(|connection| survey::known_pages_after(connection, site, after, limit))
    }

    fn found_by_links_after(
        &self,
        site: SiteId,
        after: Option<UrlId>,
        limit: usize,
    ) -> Result<Vec<FoundByLink>, StoreError> {
        self.look(|connection| survey::found_by_links_after(connection, site, after, limit))
    }

    fn fetches(&self, request: &FetchRequest) -> Result<Vec<PageRow>, StoreError> {
        self.look(|connection| fetches(connection, request))
    }

    fn page_links(&self, pages: &[PageId]) -> Result<Vec<PageLinks>, StoreError> {
        self.look(|connection| survey::page_links(connection, pages))
    }

    fn records_of(&self, vertical: &str, pages: &[PageId]) -> Result<Vec<FoundRecord>, StoreError> {
        self.look(|connection| extractions::records_of(connection, vertical, pages))
    }

    fn judgements_of(&self, pages: &[PageId]) -> Result<Vec<JudgementRow>, StoreError> {
        self.look(|connection| extractions::judgements_of(connection, pages))
    }

    fn find_urls(&self, fingerprints: &[u64]) -> Result<Vec<FoundUrl>, StoreError> {
        self.look(|connection| explain::find_urls(connection, fingerprints))
    }
}

impl<L: Looks> Runs for L {
    fn runs(&self) -> Result<Vec<RunRow>, StoreError> {
        self.look(status::runs)
    }

    fn new_objects(&self, vertical: &str, window: (Timestamp, Timestamp)) -> Result<u64, StoreError> {
        self.look(|connection| figures::new_objects(connection, vertical, window))
    }

    fn run_totals(
        &self,
        vertical: &str,
        runs: &[RunId],
        window: (Timestamp, Timestamp),
    ) -> Result<RunTotals, StoreError> {
        self.look(|connection| figures::run_totals(connection, vertical, runs, window))
    }

    fn spent(&self, kind: RunKind, since: Timestamp) -> Result<Vec<Spent>, StoreError> {
        self.look(|connection| visits::spent(connection, kind, since))
    }
}
