//! One site of a crawl: its lease, its queue, its budget and its policy.

use std::collections::HashMap;
use std::sync::Arc;

use magpie_model::{CanonicalUrl, HostKey};
use magpie_rows::{CrawlStore, Lease, Pending, StoreError};
use magpie_values::Timestamp;

use super::cookies::SiteCookies;
use super::event::Closure;
use super::order::RANKED_WINDOW;
use super::policy::SitePolicy;
use super::rules::SiteRules;

/// URLs taken from the frontier at once. Fewer would ask it more often, more would hold many in
/// memory.
const WINDOW: usize = 512;

/// A site that is worked on.
pub(super) struct Site {
    pub(super) lease: Lease,
    pub(super) leased_at: Timestamp,
    pub(super) rules: Arc<SiteRules>,
    pub(super) policy: SitePolicy,
    pub(super) cookies: SiteCookies,
    /// Its hosts, by their positions among all.
    pub(super) hosts: HashMap<HostKey, usize>,
    /// It is asked over plain `http`, as far as is known.
    pub(super) is_plain: bool,
    /// The pages that it begins with if the first ones can't be reached.
    pub(super) alternatives: Vec<CanonicalUrl>,
    /// Pages that were answered.
    pub(super) pages: u64,
    /// Sitemaps and feeds that were asked for.
    pub(super) sitemaps: u64,
    pub(super) bytes: u64,
    /// Pages that a browser showed.
    pub(super) rendered: u64,
    pub(super) under_way: u64,
    /// Nothing more is fetched, for a reason.
    pub(super) closure: Option<Closure>,
    /// It was reported that the server wants keys in URLs that are not in the canonical ones.
    pub(super) has_reported_keys: bool,
    /// URLs taken from the frontier and not settled.
    taken: usize,
    /// The frontier has nothing before this moment.
    empty_until: Option<Timestamp>,
    /// The frontier has nothing left that is due.
    is_exhausted: bool,
}

impl Site {
    pub(super) fn new(
        lease: Lease,
        leased_at: Timestamp,
        rules: Arc<SiteRules>,
        policy: SitePolicy,
        cookies: SiteCookies,
        alternatives: Vec<CanonicalUrl>,
        is_plain: bool,
    ) -> Site {
        Site {
            lease,
            leased_at,
            rules,
            policy,
            cookies,
            hosts: HashMap::new(),
            is_plain,
            alternatives,
            pages: 0,
            sitemaps: 0,
            bytes: 0,
            rendered: 0,
            under_way: 0,
            closure: None,
            has_reported_keys: false,
            taken: 0,
            empty_until: None,
            is_exhausted: false,
        }
    }

    /// Takes the next URLs from the frontier, if it may have some and half of those that were taken
    /// before are settled.
    pub(super) fn take(
        &mut self,
        store: &dyn CrawlStore,
        now: Timestamp,
    ) -> Result<Vec<Pending>, StoreError> {
        let window = match &self.policy.order {
            Some(order) => order.window(),
            None if self.policy.is_varied() => RANKED_WINDOW,
            None => WINDOW,
        };
        // Taken by half windows, so that the frontier is asked seldom.
        let is_full = self.taken > window / 2;
        let is_early = self.empty_until.is_some_and(|until| until > now);
        let is_through = self.is_exhausted && self.empty_until.is_none();
        if self.closure.is_some() || is_full || is_early || is_through {
            return Ok(Vec::new());
        }
        let limit = window - self.taken;
        let pending = match &mut self.policy.order {
            Some(order) => order.take(store, &self.lease, limit, now)?,
            None => store.take(&self.lease, None, limit, now)?,
        };
        self.taken += pending.len();
        // Asked again only when something was queued since, or when a retry is due.
        self.is_exhausted = pending.is_empty();
        self.empty_until = match pending.is_empty() {
            true => {
                let standing = store.standing(&self.lease)?;
                // Retries that are due much later are left to a later run.
                let latest = self.rules.latest(now);
                standing.next_due.filter(|due| *due <= latest)
            }
            false => None,
        };
        Ok(pending)
    }

    /// Takes note that a URL is taken without the frontier, or again.
    pub(super) fn note_taken(&mut self) {
        self.taken += 1;
    }

    /// Takes note that URLs are settled, or left for a later run.
    pub(super) fn note_settled(&mut self, count: usize) {
        self.taken -= count;
    }

    /// Takes note that URLs were queued that may be fetched at once.
    pub(super) fn note_queued(&mut self) {
        (self.is_exhausted, self.empty_until) = (false, None);
    }

    /// Takes note that a URL waits for a moment. The frontier is asked again then.
    pub(super) fn note_retry_at(&mut self, due_at: Option<Timestamp>, now: Timestamp) {
        if let Some(due_at) = due_at.filter(|due| *due <= self.rules.latest(now)) {
            self.empty_until = Some(self.empty_until.map_or(due_at, |until| until.min(due_at)));
        }
    }

    /// Returns the moment at which the frontier is asked again.
    pub(super) fn wake_at(&self) -> Option<Timestamp> {
        self.empty_until.filter(|_| self.closure.is_none())
    }

    /// Returns the moment until which the frontier has nothing.
    pub(super) fn empty_until(&self) -> Option<Timestamp> {
        self.empty_until
    }

    /// Returns `true` if nothing is left to be fetched, now or later, and nothing is taken.
    pub(super) fn is_through(&self) -> bool {
        let is_over = self.closure.is_some() || (self.is_exhausted && self.empty_until.is_none());
        is_over && self.taken == 0
    }

    /// Returns `true` if no more sitemaps and feeds are to be read.
    pub(super) fn has_sitemaps_enough(&self) -> bool {
        // As many as its budget has pages may be, so that an index of sitemaps without end costs no
        // more than the site itself.
        self.sitemaps >= self.rules.settings.scope.pages
    }

    /// Returns `true` if the pages under way may be all that its budget has left.
    pub(super) fn is_budget_taken(&self) -> bool {
        self.pages + self.under_way >= self.rules.settings.scope.pages
    }

    /// Returns the reason to close the site if its budget is used up.
    pub(super) fn used_up(&self) -> Option<Closure> {
        let scope = &self.rules.settings.scope;
        if self.pages >= scope.pages {
            return Some(Closure::Pages(self.pages));
        }
        (self.bytes >= scope.bytes.0).then_some(Closure::Bytes(self.bytes))
    }
}
