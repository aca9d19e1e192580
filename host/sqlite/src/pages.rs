//! Pages, links and records of sites, to be read site by site.
//!
//! The pages of a site are numbered from 1 in the order they were committed, and
//! [`Pages::fetches`] continues after a number: a cursor for each site. [`PageId`] and [`UrlId`]
//! are names. The names of one site's URLs and pages grow; those of two sites can't be compared.

use magpie_rows::{
    Component, FetchRequest, FoundByLink, FoundRecord, JudgementRow, KnownPage, PageId, PageLinks, PageRow,
    Pages, RunId, RunKind, RunRow, RunTotals, Runs, ShownPage, SiteId, SiteRow, Spent, StoreError, UrlId,
};
use magpie_values::Timestamp;

use crate::learned::{figures, survey, visits};
use crate::opened::{Looks, Opened};
use crate::read::page::fetches;
use crate::read::{extractions, status};
use crate::warehouse::readings;

impl<A: Looks> Pages for Opened<A> {
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

    fn shown_pages(
        &self,
        vertical: &str,
        site: SiteId,
        after: u64,
        limit: usize,
    ) -> Result<Vec<ShownPage>, StoreError> {
        self.look(|connection| readings::shown_pages(connection, vertical, site, after, limit))
    }

    fn judgements_of(&self, pages: &[PageId]) -> Result<Vec<JudgementRow>, StoreError> {
        self.look(|connection| extractions::judgements_of(connection, pages))
    }
}

impl<A: Looks> Runs for Opened<A> {
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
