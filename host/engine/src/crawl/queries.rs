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

    /// Returns sites that the crawl takes on while it runs. It is called several times a second.
    fn join(&mut self) -> Result<Joining, StoreError> {
        Ok(Joining::default())
    }
}

/// Sites that come to a crawl.
#[derive(Default)]
pub struct Joining {
    /// The sites, and the pages to begin with.
    pub targets: Vec<Target>,
    /// The number of pages that may be asked for there. `None` sets no limit.
    pub max_pages: Option<u64>,
}

impl Decider<'_> {
    /// Begins with the next pages. Returns `false` if there are none.
    pub(super) fn ask_queries(&mut self) -> Result<bool, CrawlError> {
        let Some(queries) = &mut self.queries else {
            return Ok(false);
        };
        let targets = queries.next()?;
        self.add_sites(&targets)?;
        Ok(!targets.is_empty())
    }

    /// Takes on sites that have come to the crawl since it began.
    pub(super) fn let_join(&mut self) -> Result<(), CrawlError> {
        let Some(queries) = &mut self.queries else {
            return Ok(());
        };
        let joining = queries.join()?;
        if joining.targets.is_empty() {
            return Ok(());
        }
        self.scheduler.allow(joining.max_pages);
        self.add_sites(&joining.targets)
    }

    fn add_sites(&mut self, targets: &[Target]) -> Result<(), CrawlError> {
        self.scheduler.add_sites(sites_of(&self.config.settings, targets));
        self.rotate_sites()?;
        self.offer_waiting()
    }
}
