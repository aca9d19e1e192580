//! The frontier: which URLs are known, which of them come next, and who may work on a site.
//!
//! A site is the unit of work: a worker leases it, takes pending URLs from it, and hands in what became of each of
//! them, together with the URLs it found there. [`Frontier`] is the seam; [`Workspace`](crate::Workspace) keeps a
//! frontier in SQLite, [`MemoryFrontier`] only in memory, and one suite of tests holds for both.
//!
//! **Order.** Within a site URLs come by priority (lower first), then depth, then in the order they were found;
//! URLs that wait for a moment come first once it has passed, the longest waiting before the others. The order is
//! the same whenever the same calls are made. A worker that knows better has the queue ranked by
//! forms ([`Frontier::rank`]) and says from which form the next URL comes.
//!
//! **Fencing.** Every lease has an epoch that grows with each lease of the site. What is done with a lease that
//! is over is refused, so a worker that slept too long can't disturb its successor.

mod compact;
mod known;
mod memory;
mod offer;
mod window;

use crate::hand_in::{HandIn, Receipt, Robots, SiteId, UrlId};
use crate::{Cookie, KeptLesson, StoreError};

pub(crate) use crate::words::UrlState;
pub use known::KnownSet;
pub use memory::MemoryFrontier;
pub use offer::{
    Counts, LastAnswer, Lease, LeaseRequest, Offer, PastFetch, Pending, RankedForm, Settled, Standing,
};

pub(crate) use window::Window;

/// What a worker needs of a frontier. Times are milliseconds since 1970, handed in by the caller.
///
/// Calls may wait for the disk: `lease` and `release` for a commit, `take` for a read now and then, `hand_in` when
/// the writer is far behind.
pub trait Frontier: Send + Sync {
    /// The site with this key (`https://example.org`, or a domain: whatever the caller's unit is), made known
    /// if it is new.
    fn site(&self, key: &str) -> Result<SiteId, StoreError>;

    /// Gives a site to a worker until a moment: a certain one, or the one that has been ready the longest. None
    /// when no site is free, ready and has URLs queued.
    fn lease(&self, request: &LeaseRequest<'_>) -> Result<Option<Lease>, StoreError>;

    /// Makes a lease last longer.
    fn extend(&self, lease: &mut Lease, until: i64) -> Result<(), StoreError>;

    /// Gives a site back; it is ready for the next worker at `ready_at`. What was taken and not settled is
    /// queued as before.
    fn release(&self, lease: Lease, ready_at: i64) -> Result<(), StoreError>;

    /// Which of these fingerprints the site does not know, as their positions. So most links of a page cost a
    /// look into memory and nothing else.
    fn unknown(&self, lease: &Lease, fingerprints: &[u64]) -> Result<Vec<usize>, StoreError>;

    /// The next URLs of the site, each of them given once until it is settled or the lease ends.
    fn take(&self, lease: &Lease, limit: usize, now: i64) -> Result<Vec<Pending>, StoreError>;

    /// Orders the queue of a leased site by forms from now on: every queued URL without a form gets
    /// one, and
    /// [`take_form`](Frontier::take_form) takes URLs of one form. The forms are told with what each
    /// has queued. To be called before anything is taken; it goes through the queue once.
    fn rank(
        &self,
        lease: &Lease,
        form_of: &mut dyn FnMut(&str) -> i64,
    ) -> Result<Vec<RankedForm>, StoreError>;

    /// The next URLs of a form, after those whose moment has come, which are given whatever their
    /// form. Within a form the order is that of [`take`](Frontier::take).
    fn take_form(&self, lease: &Lease, form: i64, limit: usize, now: i64)
    -> Result<Vec<Pending>, StoreError>;

    /// Tells what the fetches of a site brought in earlier runs, the oldest first.
    fn past(&self, lease: &Lease, tell: &mut dyn FnMut(PastFetch)) -> Result<(), StoreError>;

    /// What the last good answer of a URL said of its version, if there was one and it is kept: with it the site can say that nothing
    /// has changed. URLs that are new in this process cost no look.
    fn last_answer(&self, url: UrlId) -> Result<Option<LastAnswer>, StoreError>;

    /// The robots file of an origin as it was read last, if it ever was and is kept.
    fn robots(&self, origin: &str) -> Result<Option<Robots>, StoreError>;

    /// The feeds of a site that earlier runs have come across, where they are kept.
    fn feeds(&self, lease: &Lease) -> Result<Vec<String>, StoreError>;

    /// The cookies a site has set in earlier runs.
    fn cookies(&self, lease: &Lease) -> Result<Vec<Cookie>, StoreError>;

    /// Keeps the cookies of a site for later runs, instead of those before.
    fn keep_cookies(&self, lease: &Lease, cookies: Vec<Cookie>) -> Result<(), StoreError>;

    /// What was learned of how a site names its pages, in earlier runs too where that is kept.
    fn lessons(&self, lease: &Lease) -> Result<Vec<KeptLesson>, StoreError>;

    /// Keeps what was learned for later runs, besides what was before; what proved it first stays.
    fn keep_lessons(&self, lease: &Lease, lessons: Vec<KeptLesson>) -> Result<(), StoreError>;

    /// Takes the whole result of one URL: see [`HandIn`]. It is durable when
    /// [`committed`](Frontier::committed) has reached the receipt's sequence.
    fn hand_in(&self, lease: &Lease, result: HandIn) -> Result<Receipt, StoreError>;

    /// The sequence number up to which everything handed in is durable.
    fn committed(&self) -> u64;

    /// Waits until everything handed in before is durable.
    fn flush(&self) -> Result<(), StoreError>;

    /// How a leased site stands at this moment.
    fn standing(&self, lease: &Lease) -> Result<Standing, StoreError>;

    /// How many URLs are known, by state and reason: of one site or of all. Their sum is the number of URLs known.
    fn counts(&self, site: Option<SiteId>) -> Result<Counts, StoreError>;
}
