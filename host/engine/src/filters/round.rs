//! The link filter of a round at a site, which knows the pages that are new or due.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use magpie_discovery::TrapWatch;
use magpie_model::CanonicalUrl;
use magpie_patterns::drift::ShapeWatch;
use magpie_patterns::navigate::{Navigator, is_possible_next_page};
use magpie_patterns::pattern::PatternSet;
use magpie_patterns::plan::{Known, Memory, Round};

use serde::{Deserialize, Serialize};

use super::written::{Outgoing, read_round, write};
use crate::crawl::{LinkFilter, LinkFilters};

/// The rounds of all sites, shared with the crawl.
#[derive(Default)]
pub(crate) struct Rounds(pub(crate) HashMap<String, Arc<Mutex<SiteRound>>>);

/// The round of a site. It is serialised for the process that crawls the site.
#[derive(Serialize, Deserialize)]
pub(crate) struct SiteRound {
    pub(crate) round: Round<FetchHistory>,
    /// Fingerprints of URLs that are queued or were accepted.
    pub(crate) taken: HashSet<u64>,
    /// Pages fetched unconditionally, without `If-None-Match`.
    pub(crate) whole: HashSet<u64>,
    /// Reads the sitemaps and feeds of the site.
    pub(crate) reads_sitemaps: bool,
    pub(crate) known: PatternSet,
    /// Those of them that no page has shown: of further pages of lists.
    pub(crate) foreseen: PatternSet,
    pub(crate) shapes: ShapeWatch,
    /// Further pages of lists that nothing was known of, by fingerprint.
    pub(crate) further: HashSet<u64>,
    /// Those of them that led to new pages with objects.
    pub(crate) leading: HashSet<u64>,
    /// Fingerprints of the lists, and of pages that may have objects, to which lists linked.
    pub(crate) listed: HashSet<u64>,
    /// It continues a round that was stopped, so links of lists that were read then are unknown.
    pub(crate) is_resumed: bool,
    /// Pages of no known kind that were looked at because an object on a list names them.
    pub(crate) strange: usize,
    /// Limit for the pages explored of each of these two kinds.
    pub(crate) explore: usize,
    /// The number of pages that links, sitemaps and feeds lead to and that may be asked for.
    pub(crate) left: u64,
    /// Fingerprints of pages that are wanted and may not be asked for any more.
    pub(crate) refused: HashSet<u64>,
}

/// Results of earlier rounds for pages, by fingerprint.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct FetchHistory {
    pub(crate) pages: HashMap<u64, Known>,
    /// Pages that were never there and are not due to be tried again.
    pub(crate) missing: HashSet<u64>,
    /// Hubs that are not read in this round.
    pub(crate) resting: HashSet<u64>,
    /// All others are read in this round; else they are pages like others.
    pub(crate) hubs_are_due: bool,
}

impl Memory for FetchHistory {
    fn known(&self, url: &CanonicalUrl) -> Known {
        let known = self.pages.get(&url.fingerprint().0);
        known.copied().unwrap_or(Known::Never)
    }

    fn known_hub(&self, url: &CanonicalUrl) -> Known {
        if self.resting.contains(&url.fingerprint().0) {
            return Known::Fresh;
        }
        // A navigation may expect a list, or a link may name one, that the site does not have.
        if self.missing.contains(&url.fingerprint().0) {
            return Known::Over;
        }
        match self.known(url) {
            known if known == Known::Moved || !self.hubs_are_due => known,
            _ => Known::Due,
        }
    }
}

impl LinkFilters for Rounds {
    fn filter(&self, site: &str) -> Option<Box<dyn LinkFilter>> {
        let round = self.0.get(site)?;
        Some(Box::new(Shared(Arc::clone(round))))
    }

    fn written(&self, site: &str) -> Option<String> {
        write(&Outgoing::Round(&lock(self.0.get(site)?)))
    }

    fn take_back(&self, site: &str, written: &str) {
        if let (Some(round), Some(read)) = (self.0.get(site), read_round(written)) {
            *lock(round) = read;
        }
    }
}

struct Shared(Arc<Mutex<SiteRound>>);

impl LinkFilter for Shared {
    fn wants(&mut self, page: &CanonicalUrl, link: &CanonicalUrl, is_named: bool) -> bool {
        lock(&self.0).wants(page, link, is_named)
    }

    fn reads_sitemaps(&self) -> bool {
        lock(&self.0).reads_sitemaps
    }

    fn wants_named(&mut self, url: &CanonicalUrl) -> bool {
        lock(&self.0).wants_named(url)
    }

    fn is_list(&self, page: &CanonicalUrl) -> bool {
        lock(&self.0).is_list(page)
    }

    fn wants_whole(&self, page: &CanonicalUrl) -> bool {
        lock(&self.0).whole.contains(&page.fingerprint().0)
    }

    fn fetched(&mut self, page: &CanonicalUrl, found: u64, objects: u64) {
        lock(&self.0).round.found(page, found + objects > 0);
    }
}

impl SiteRound {
    /// The navigation that it follows.
    pub(crate) fn navigator(&self) -> &Arc<Navigator> {
        self.round.navigator()
    }

    pub(crate) fn is_list(&self, page: &CanonicalUrl) -> bool {
        self.navigator().reads(page) || self.further.contains(&page.fingerprint().0)
    }

    pub(crate) fn wants(&mut self, page: &CanonicalUrl, link: &CanonicalUrl, is_named: bool) -> bool {
        // Rounds find new objects by the links of lists alone.
        if !self.is_list(page) || link == page {
            return false;
        }
        let fingerprint = link.fingerprint().0;
        // These are counted before links that are taken are left out: the lists of a site lead
        // somewhere even if they show nothing new.
        if self.is_list(link) || self.navigator().may_have_objects(link) {
            self.listed.insert(fingerprint);
        }
        if self.taken.contains(&fingerprint) || self.refused.contains(&fingerprint) {
            return false;
        }
        // Links to other sites and to files are no new kind of pages.
        if link.origin() == page.origin() && TrapWatch::may_be_page(link) {
            self.shapes.saw(page, link, &self.known);
        }
        // The conditions are tried in this order because each counts what it accepts, and a link
        // counts for one of them.
        let is_wanted = self.round.wants(page, link)
            || self.is_new_by_further(page, link)
            || self.is_further(page, link)
            || (is_named && self.is_strange_thing(link));
        is_wanted && self.take(fingerprint)
    }

    /// Counts a wanted page against what may still be asked for.
    fn take(&mut self, fingerprint: u64) -> bool {
        if self.left == 0 {
            self.refused.insert(fingerprint);
            return false;
        }
        let is_first = self.taken.insert(fingerprint);
        self.left -= u64::from(is_first);
        is_first
    }

    /// Returns true if a URL in a sitemap is an unknown page of a pattern with objects.
    fn wants_named(&mut self, url: &CanonicalUrl) -> bool {
        self.is_new_thing(url) && self.take(url.fingerprint().0)
    }

    /// Returns true if a further page of a list, which the navigation does not know, links to an
    /// unknown page with objects.
    fn is_new_by_further(&mut self, page: &CanonicalUrl, link: &CanonicalUrl) -> bool {
        let page = page.fingerprint().0;
        // The navigation has no state for such a page, so it can't accept the links of it.
        let is_new = self.further.contains(&page) && self.is_new_thing(link);
        if is_new {
            self.leading.insert(page);
        }
        is_new
    }

    /// Returns true if a link leads to a further page of a list that had none before.
    fn is_further(&mut self, page: &CanonicalUrl, link: &CanonicalUrl) -> bool {
        // A site that begins to paginate its lists would otherwise hide all objects after the first
        // page.
        let is_strange = !self.known.matches(link) || self.foreseen.matches(link);
        let is_further = self.further.len() < self.explore && is_possible_next_page(page, link) && is_strange;
        if is_further {
            self.further.insert(link.fingerprint().0);
        }
        is_further
    }

    /// Returns true if a page that an object on a list names is of an unknown kind: the site has
    /// begun to put its objects elsewhere, or had none there when it was learned.
    fn is_strange_thing(&mut self, link: &CanonicalUrl) -> bool {
        let is_strange = self.strange < self.explore && !self.known.matches(link) && self.is_new(link);
        self.strange += usize::from(is_strange);
        is_strange
    }

    /// Returns true if an unknown page is of a kind that has objects.
    fn is_new_thing(&self, url: &CanonicalUrl) -> bool {
        self.navigator().may_have_objects(url) && self.is_new(url)
    }

    fn is_new(&self, url: &CanonicalUrl) -> bool {
        self.round.known(url) == Known::Never
    }
}

pub(crate) fn lock(round: &Mutex<SiteRound>) -> MutexGuard<'_, SiteRound> {
    round.lock().unwrap_or_else(PoisonError::into_inner)
}
