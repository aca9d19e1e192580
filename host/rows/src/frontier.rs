//! The frontier: the known URLs, their order, and the right to work on a site.
//!
//! A site is the unit of work: a worker leases it, takes pending URLs from it, and commits the
//! result of each with the URLs found there. `magpie-sqlite` implements
//! [`Frontier`] in a database, [`MemoryFrontier`](crate::MemoryFrontier) in memory, and both pass
//! one suite of tests.
//! [`SiteMemory`] keeps the state of a site beside its URLs.
//!
//! **Order.** Within a site URLs are ordered by priority (lower first), then depth, then in the
//! order they were found. URLs with a due time come first once it has passed, the longest due
//! before the others. The same calls give the same order. A worker may rank the queue by forms
//! ([`Frontier::rank`]) and choose the form of the next URL.
//!
//! **Fencing.** Every lease has an epoch that grows with each lease of the site. Calls with an
//! expired lease are refused, so a worker that slept too long can't disturb its successor.

use magpie_model::UrlReason;
use magpie_values::Timestamp;

use crate::error::StoreError;
use crate::fetch_result::{FetchResult, Host, Receipt, Robots};
use crate::ids::{PageId, SiteId, UrlId};
use crate::known_site::{Cookie, KeptUrlRule, KnownSite};
use crate::offer::{Counts, Lease, LeaseRequest, PastFetch, PastLinks, Pending, RankedForm, Standing};
use crate::words::UrlState;

/// Queues of URLs by site, and the right to work on a site. Times are milliseconds since 1970,
/// given by the caller.
///
/// Calls may wait for the disk: `lease` and `release` for a transaction, `take` and `rank` for a
/// query per window of URLs, `commit` when the writer is far behind.
pub trait Frontier: Send + Sync {
    /// Returns the site with this key (`https://example.org`, or a domain: whatever the caller's
    /// unit is). A new key makes a new site.
    fn site(&self, key: &str) -> Result<SiteId, StoreError>;

    /// Leases a site to a worker: the requested one, or the one that has been ready the longest.
    /// Returns `None` when no site is free, ready and has URLs queued.
    fn lease(&self, request: &LeaseRequest<'_>) -> Result<Option<Lease>, StoreError>;

    fn extend(&self, lease: &mut Lease, until: Timestamp) -> Result<(), StoreError>;

    /// Returns true if the hosts of a leased site may be asked now. Where processes on several
    /// machines share a workspace, they may not while another process may soon have the site.
    fn may_ask(&self, lease: &Lease) -> bool {
        let _ = lease;
        true
    }

    /// Returns true if the URLs of a leased site are worked on alone, because one of them may kill
    /// the worker.
    fn is_careful(&self, lease: &Lease) -> bool {
        let _ = lease;
        false
    }

    /// Takes note of the page that is worked on alone from now on. Returns false if it has killed
    /// workers.
    fn begin_alone(&self, lease: &Lease, url: &str) -> Result<bool, StoreError> {
        let _ = (lease, url);
        Ok(true)
    }

    /// Takes note that the page has a result, which is durable then.
    fn end_alone(&self, lease: &Lease) -> Result<(), StoreError> {
        let _ = lease;
        Ok(())
    }

    /// Returns true if another process may have asked the hosts of a site just before it is leased
    /// here.
    fn is_shared(&self) -> bool {
        false
    }

    /// Gives a site back; the next worker may have it from `ready_at`. URLs that were taken and not
    /// settled are queued again.
    fn release(&self, lease: Lease, ready_at: Timestamp) -> Result<(), StoreError>;

    /// Returns the positions of the fingerprints that the site does not know. It only looks into
    /// memory.
    fn unknown(&self, lease: &Lease, fingerprints: &[u64]) -> Result<Vec<usize>, StoreError>;

    /// Takes the next URLs of the site. Each is given once until it is settled or the lease ends.
    ///
    /// URLs whose moment has come are first, whatever their form. After a call of
    /// [`rank`](Frontier::rank), a form selects the queue that the others are taken from.
    fn take(
        &self,
        lease: &Lease,
        form: Option<i64>,
        limit: usize,
        now: Timestamp,
    ) -> Result<Vec<Pending>, StoreError>;

    /// Splits the queue of a leased site by forms. Every queued URL without a form gets one from
    /// `form_of`. Returns the forms with the number of their queued URLs.
    ///
    /// It reads the whole queue once, and has to be called before anything is taken.
    fn rank(
        &self,
        lease: &Lease,
        form_of: &mut dyn FnMut(&str) -> i64,
    ) -> Result<Vec<RankedForm>, StoreError>;

    /// Records the result of one URL as a whole: see [`FetchResult`]. It is durable when
    /// [`committed`](Frontier::committed) has reached the sequence number of the receipt.
    fn commit(&self, lease: &Lease, result: FetchResult) -> Result<Receipt, StoreError>;

    /// Returns the sequence number up to which everything is durable.
    fn committed(&self) -> u64;

    /// Waits until everything that was committed before is durable.
    fn flush(&self) -> Result<(), StoreError>;

    /// Returns the figures of a leased site at this moment.
    fn standing(&self, lease: &Lease) -> Result<Standing, StoreError>;

    /// Returns the number of known URLs by state and reason: of one site or of all.
    fn counts(&self, site: Option<SiteId>) -> Result<Counts, StoreError>;
}

/// Changes the queue of a site between crawls. A site that a worker has leased is refused: its
/// worker would not know of the change.
pub trait Requeue: Send + Sync {
    /// Queues the URLs of a site again that are in a state, those with one reason or all. Returns
    /// their number.
    fn queue_again(
        &self,
        site: SiteId,
        from: UrlState,
        reason: Option<&UrlReason>,
    ) -> Result<u64, StoreError>;

    /// Queues these URLs of a site again whatever their state, as if they had never failed. Returns
    /// the number of those that were not queued already.
    fn queue_urls(&self, site: SiteId, urls: Vec<UrlId>) -> Result<u64, StoreError>;

    /// Puts the queued URLs of a site aside, for a reason. Returns their number.
    fn hold_queue(&self, site: SiteId, reason: &UrlReason) -> Result<u64, StoreError>;
}

/// Facts about a site that outlive a crawl, beside its URLs.
pub trait SiteMemory: Send + Sync {
    /// Returns what earlier crawls have learned of a leased site.
    fn known_site(&self, lease: &Lease) -> Result<KnownSite, StoreError>;

    /// Returns the robots.txt of an origin as it was read last.
    fn robots(&self, origin: &str) -> Result<Option<Robots>, StoreError>;

    /// Passes each fetch of a site in earlier crawls to a function, the oldest first.
    fn past(&self, lease: &Lease, tell: &mut dyn FnMut(PastFetch)) -> Result<(), StoreError>;

    /// Returns the links of fetches that [`SiteMemory::past`] passed, in the order of `pages`, but
    /// for pages without links. It is empty for crawls that keep no links.
    fn past_links(&self, lease: &Lease, pages: &[PageId]) -> Result<Vec<PastLinks>, StoreError>;

    /// Replaces the cookies of a site.
    fn keep_cookies(&self, lease: &Lease, cookies: Vec<Cookie>) -> Result<(), StoreError>;

    /// Adds rules for the URLs of a site. A known rule keeps its
    /// first evidence.
    fn keep_url_rules(&self, lease: &Lease, url_rules: Vec<KeptUrlRule>) -> Result<(), StoreError>;
}

/// Reads what crawls have found out about hosts and sites.
pub trait SiteFacts {
    /// Returns the number of a site by its key.
    fn site_named(&self, key: &str) -> Result<Option<SiteId>, StoreError>;

    /// Returns what is known of a host, by its origin.
    fn host(&self, origin: &str) -> Result<Option<Host>, StoreError>;

    /// Returns the rules that were learned for the URLs of a site, by the key of the site.
    fn url_rules(&self, site: &str) -> Result<Vec<KeptUrlRule>, StoreError>;

    /// Returns the sites with such rules, and their keys.
    fn sites_with_url_rules(&self) -> Result<Vec<(SiteId, String)>, StoreError>;

    fn cookies(&self, site: SiteId) -> Result<Vec<Cookie>, StoreError>;

    fn feeds(&self, site: SiteId) -> Result<Vec<String>, StoreError>;

    /// Returns the fetches of a site in their order, each URL once, by its last answer.
    fn past_fetches(&self, site: SiteId) -> Result<Vec<PastFetch>, StoreError>;

    /// Returns the links of fetches that [`SiteFacts::past_fetches`] returned, in the order of
    /// `pages`, but for pages without links.
    fn links_of_pages(&self, pages: &[PageId]) -> Result<Vec<PastLinks>, StoreError>;
}

/// A store that a crawl can work with.
pub trait CrawlStore: Frontier + SiteMemory {}

impl<T: Frontier + SiteMemory> CrawlStore for T {}
