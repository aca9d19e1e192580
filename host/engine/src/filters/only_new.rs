//! The link filter of a repair and of an exploration, which follows only links to new pages.

use std::collections::HashSet;
use std::sync::Arc;

use magpie_discovery::TrapWatch;
use magpie_model::CanonicalUrl;
use magpie_patterns::pattern::PatternSet;
use serde::{Deserialize, Serialize};

use super::written::{Outgoing, write};
use crate::crawl::{LinkFilter, LinkFilters};

/// Follows only links to new pages that match no intact pattern; without such patterns, none.
#[derive(Clone)]
pub(crate) struct OnlyNew(pub(crate) Option<Arc<New>>);

/// The pages that are not new.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct New {
    /// Fingerprints of URLs that were asked for.
    pub(crate) asked: HashSet<u64>,
    /// The patterns that still hold.
    pub(crate) intact: PatternSet,
    pub(crate) reads_sitemaps: bool,
}

impl New {
    pub(crate) fn is_new(&self, page: &CanonicalUrl, link: &CanonicalUrl) -> bool {
        link.origin() == page.origin() && TrapWatch::may_be_page(link) && self.is_unknown(link)
    }

    fn is_unknown(&self, url: &CanonicalUrl) -> bool {
        !self.asked.contains(&url.fingerprint().0) && !self.intact.matches(url)
    }
}

impl LinkFilters for OnlyNew {
    fn filter(&self, _: &str) -> Option<Box<dyn LinkFilter>> {
        Some(Box::new(self.clone()))
    }

    fn written(&self, _: &str) -> Option<String> {
        write(&Outgoing::New(self.0.as_deref()))
    }
}

impl LinkFilter for OnlyNew {
    fn wants(&mut self, page: &CanonicalUrl, link: &CanonicalUrl, _: bool) -> bool {
        self.0.as_ref().is_some_and(|new| new.is_new(page, link))
    }

    fn reads_sitemaps(&self) -> bool {
        self.0.as_ref().is_some_and(|new| new.reads_sitemaps)
    }

    fn wants_named(&mut self, url: &CanonicalUrl) -> bool {
        self.0.as_ref().is_some_and(|new| new.is_unknown(url))
    }

    fn is_list(&self, _: &CanonicalUrl) -> bool {
        false
    }

    fn wants_whole(&self, _: &CanonicalUrl) -> bool {
        false
    }

    fn fetched(&mut self, _: &CanonicalUrl, _: u64, _: u64) {}
}
