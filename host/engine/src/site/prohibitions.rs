//! Prohibitions of a site that the settings obey: the pages and links that a crawl refuses.
//!
//! Learning, selections, navigations, rounds and repairs work on one graph, and what is refused
//! here is no way in it.

use std::collections::HashMap;

use magpie_discovery::{Relations, Robots, Rules};
use magpie_model::CanonicalUrl;
use magpie_rows::{KnownPage, PageLink, ReadStore, StoreError};
use magpie_values::Timestamp;

use crate::settings::{RobotsRule, Settings};

/// The prohibitions of a site, as its pages had them last, and as far as the robots.txt of its
/// hosts are known to be valid.
#[derive(Clone, Debug, Default)]
pub(super) struct Prohibitions {
    /// Robots meta tags and `X-Robots-Tag` are obeyed.
    obeys_tags: bool,
    /// Links with `rel=nofollow` are left alone.
    obeys_rel: bool,
    /// For each page, true if a robots.txt forbids it, or if it acts by its words.
    forbidden: Vec<bool>,
}

impl Prohibitions {
    /// Reads them for the pages of a site, as of a moment.
    pub(super) fn read(
        reader: &dyn ReadStore,
        (settings, now): (&Settings, Timestamp),
        pages: &[CanonicalUrl],
    ) -> Result<Prohibitions, StoreError> {
        let politeness = &settings.politeness;
        let obeys_robots = politeness.robots == RobotsRule::Obey;
        let mut origins: HashMap<&str, Option<Rules>> = HashMap::new();
        let mut forbidden = vec![false; pages.len()];
        for (url, forbidden) in pages.iter().zip(&mut forbidden).filter(|_| obeys_robots) {
            if !origins.contains_key(url.origin()) {
                let known = reader.host(url.origin())?.and_then(|host| host.robots);
                // An older file is asked for again before any page, and may permit what it forbade.
                let valid = known.filter(|robots| now.since(robots.fetched_at) < politeness.robots_age);
                // A file without a text forbids nothing, or could not be fetched, which passes.
                let rules = valid
                    .and_then(|robots| robots.text)
                    .map(|text| Robots::parse(text.as_bytes()).rules(&settings.identity.robots_name))
                    .filter(|rules| !rules.is_empty());
                origins.insert(url.origin(), rules);
            }
            let rules = origins.get(url.origin()).and_then(Option::as_ref);
            *forbidden = rules.is_some_and(|rules| !rules.allows(url.path_and_query()));
        }
        // A page may have been fetched before its word was on the list.
        let acts = settings.acts();
        for (url, forbidden) in pages.iter().zip(&mut forbidden) {
            *forbidden |= acts.of_url(url.path(), url.query()).is_some();
        }
        Ok(Prohibitions {
            obeys_tags: politeness.robots_tags,
            obeys_rel: !politeness.follow_nofollow,
            forbidden,
        })
    }

    /// Returns true if the page at a place may be asked for.
    pub(super) fn may_fetch(&self, place: usize) -> bool {
        !self.forbidden.get(place).is_some_and(|forbidden| *forbidden)
    }

    /// Returns true if verticals are shown a page.
    pub(super) fn may_read(&self, page: &KnownPage) -> bool {
        !(self.obeys_tags && page.tags.noindex)
    }

    /// Returns true if any link of the page at a place is followed.
    pub(super) fn may_follow_page(&self, place: usize, page: &KnownPage) -> bool {
        self.may_fetch(place) && !(self.obeys_tags && page.tags.nofollow)
    }

    /// Returns true if a link is followed, where those of its page are.
    pub(super) fn may_follow(&self, link: &PageLink) -> bool {
        !(self.obeys_rel && Relations::of(&link.rel).asks_not_to_follow())
    }
}
