//! Crawls whose next pages follow from the answers before: the strategy "next query".

use magpie_rows::StoreError;

use super::decide::Decider;
use super::scheduler::sites_of;
use super::{CrawlError, Target};

/// Chooses the next pages of a crawl.
///
/// A strategy of a guided crawl chooses among the pages of a site that links lead to. This one
/// makes the pages itself, from all that was fetched.
pub trait Queries: Send {
    /// Returns the pages to fetch next, none if the crawl is over. It is called when nothing is
    /// left to fetch and everything that was fetched is committed.
    fn next(&mut self) -> Result<Vec<Target>, StoreError>;
}

impl Decider<'_> {
    /// Begins with the next pages. Returns `false` if there are none.
    pub(super) fn ask_queries(&mut self) -> Result<bool, CrawlError> {
        let Some(queries) = &mut self.queries else {
            return Ok(false);
        };
        let targets = queries.next()?;
        self.scheduler
            .add_sites(sites_of(&self.config.settings, &targets));
        self.rotate_sites()?;
        self.offer_waiting()?;
        Ok(!targets.is_empty())
    }
}
