//! The order in which sites are opened and hosts are asked, within the limits of the crawl.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, VecDeque};

use magpie_model::CanonicalUrl;
use magpie_values::Timestamp;

use super::{Target, site_key};
use crate::settings::Resolved;

/// A site that was not opened yet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct WaitingSite {
    pub(super) key: String,
    /// The pages that the crawl begins with.
    pub(super) seeds: Vec<CanonicalUrl>,
    /// The pages that it begins with if those can't be reached.
    pub(super) alternatives: Vec<CanonicalUrl>,
}

/// Returns the sites of targets, in the order they were named.
pub(super) fn sites_of(settings: &Resolved, targets: &[Target]) -> Vec<WaitingSite> {
    let mut positions: HashMap<String, usize> = HashMap::new();
    let mut sites: Vec<WaitingSite> = Vec::new();
    for target in targets {
        let (key, seed) = match target {
            Target::From(seed) | Target::Host(seed) => {
                (site_key(settings.for_host(seed.host()), seed), Some(seed.clone()))
            }
            Target::Known(key) => (key.clone(), None),
        };
        let position = *positions.entry(key.clone()).or_insert(sites.len());
        if position == sites.len() {
            sites.push(WaitingSite {
                key,
                ..WaitingSite::default()
            });
        }
        sites[position].seeds.extend(seed);
        if let Target::Host(seed) = target {
            // A host without a scheme is asked over `https` first. `http` is tried only if it can't
            // be reached.
            let plain = seed.as_str().strip_prefix("https://");
            let plain = plain.and_then(|rest| CanonicalUrl::trusted(format!("http://{rest}")));
            sites[position].alternatives.extend(plain);
        }
    }
    sites
}

/// Limits of a crawl over all sites.
#[derive(Clone, Copy, Debug)]
pub(super) struct CrawlLimits {
    /// Requests under way.
    pub(super) max_connections: usize,
    pub(super) max_sites: usize,
    /// Pages that may be asked for.
    pub(super) max_pages: Option<u64>,
}

/// Decides which site is opened next and which host is asked next. Times are given by the caller.
#[derive(Debug)]
pub(super) struct Scheduler {
    limits: CrawlLimits,
    waiting: VecDeque<WaitingSite>,
    /// Hosts by the moment that their politeness allows the next request.
    wakes: BinaryHeap<Reverse<(Timestamp, usize)>>,
    in_flight: usize,
    asked: u64,
}

impl Scheduler {
    pub(super) fn new(limits: CrawlLimits, waiting: Vec<WaitingSite>) -> Scheduler {
        Scheduler {
            limits,
            waiting: waiting.into(),
            wakes: BinaryHeap::new(),
            in_flight: 0,
            asked: 0,
        }
    }

    /// Adds sites before those that wait.
    pub(super) fn add_sites(&mut self, sites: Vec<WaitingSite>) {
        sites
            .into_iter()
            .rev()
            .for_each(|site| self.waiting.push_front(site));
    }

    /// Allows further pages.
    pub(super) fn allow(&mut self, pages: Option<u64>) {
        if let (Some(max), Some(pages)) = (&mut self.limits.max_pages, pages) {
            *max += pages;
        }
    }

    /// Takes the site to open next, if another may be open.
    pub(super) fn next_site(&mut self, open: usize) -> Option<WaitingSite> {
        (open < self.limits.max_sites)
            .then(|| self.waiting.pop_front())
            .flatten()
    }

    /// Returns the sites that were not opened yet.
    pub(super) fn waiting_sites(&self) -> impl ExactSizeIterator<Item = &WaitingSite> {
        self.waiting.iter()
    }

    /// Schedules a host. It must not be scheduled already.
    pub(super) fn wake_at(&mut self, at: Timestamp, host: usize) {
        self.wakes.push(Reverse((at, host)));
    }

    /// Takes a host that may be asked now, if another request may be under way.
    pub(super) fn next_host(&mut self, now: Timestamp) -> Option<usize> {
        let Reverse((at, _)) = self.wakes.peek()?;
        // The heap is ordered by time, so no later host is due either.
        if *at > now || !self.has_room() {
            return None;
        }
        self.wakes.pop().map(|Reverse((_, host))| host)
    }

    /// Returns the moment at which the next host may be asked.
    pub(super) fn next_wake(&self) -> Option<Timestamp> {
        self.wakes.peek().map(|Reverse((at, _))| *at)
    }

    /// Returns `true` if another request may be under way.
    pub(super) fn has_room(&self) -> bool {
        self.in_flight < self.limits.max_connections
    }

    /// Returns `true` if as many pages were asked for as may be.
    pub(super) fn is_spent(&self) -> bool {
        self.limits.max_pages.is_some_and(|max| self.asked >= max)
    }

    pub(super) fn request_begins(&mut self, is_page: bool) {
        self.in_flight += 1;
        self.asked += u64::from(is_page);
    }

    pub(super) fn request_ended(&mut self) {
        self.in_flight -= 1;
    }

    /// Returns the number of requests under way.
    pub(super) fn in_flight(&self) -> usize {
        self.in_flight
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scheduler(limits: CrawlLimits) -> Scheduler {
        let site = |key: &str| WaitingSite {
            key: key.to_owned(),
            ..WaitingSite::default()
        };
        Scheduler::new(limits, vec![site("a"), site("b"), site("c")])
    }

    const LIMITS: CrawlLimits = CrawlLimits {
        max_connections: 2,
        max_sites: 2,
        max_pages: Some(3),
    };

    #[test]
    fn sites_are_opened_in_order_as_others_are_given_back() {
        let mut scheduler = scheduler(LIMITS);
        let key = |site: Option<WaitingSite>| site.map(|site| site.key);
        assert_eq!(key(scheduler.next_site(0)).as_deref(), Some("a"));
        assert_eq!(key(scheduler.next_site(1)).as_deref(), Some("b"));
        assert_eq!(scheduler.next_site(2), None);
        assert_eq!(scheduler.waiting_sites().len(), 1);
        assert_eq!(key(scheduler.next_site(1)).as_deref(), Some("c"));
        assert_eq!(scheduler.next_site(0), None);
    }

    #[test]
    fn sites_that_join_are_next_and_bring_their_pages() {
        let mut scheduler = scheduler(LIMITS);
        let joining = ["d", "e"].map(|key| WaitingSite {
            key: key.to_owned(),
            ..WaitingSite::default()
        });
        scheduler.add_sites(joining.into());
        scheduler.allow(Some(1));
        let keys: Vec<&str> = scheduler.waiting_sites().map(|site| site.key.as_str()).collect();
        assert_eq!(keys, ["d", "e", "a", "b", "c"]);
        for _ in 0..4 {
            assert!(!scheduler.is_spent());
            scheduler.request_begins(true);
        }
        assert!(scheduler.is_spent());
    }

    #[test]
    fn hosts_are_asked_when_they_are_due_and_there_is_room() {
        let mut scheduler = scheduler(LIMITS);
        for (at, host) in [(30, 0), (10, 1), (20, 2)] {
            scheduler.wake_at(Timestamp::from_millis(at), host);
        }
        assert_eq!(scheduler.next_host(Timestamp::from_millis(5)), None);
        assert_eq!(scheduler.next_wake(), Some(Timestamp::from_millis(10)));
        assert_eq!(scheduler.next_host(Timestamp::from_millis(25)), Some(1));
        scheduler.request_begins(true);
        scheduler.request_begins(false);
        assert!(!scheduler.has_room());
        assert_eq!(
            scheduler.next_host(Timestamp::from_millis(25)),
            None,
            "two requests are under way"
        );
        scheduler.request_ended();
        assert_eq!(scheduler.next_host(Timestamp::from_millis(25)), Some(2));
        assert_eq!(
            scheduler.next_host(Timestamp::from_millis(25)),
            None,
            "the last is due at 30"
        );
        assert_eq!(scheduler.next_host(Timestamp::from_millis(30)), Some(0));
    }

    #[test]
    fn only_pages_count_against_the_budget() {
        let mut scheduler = scheduler(LIMITS);
        for is_page in [true, false, true, false] {
            assert!(!scheduler.is_spent());
            scheduler.request_begins(is_page);
            scheduler.request_ended();
        }
        assert!(!scheduler.is_spent());
        scheduler.request_begins(true);
        assert!(scheduler.is_spent());
    }
}
