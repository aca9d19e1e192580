//! A repair: what a site is learned again from.

use std::collections::HashSet;

use magpie_learn::navigate::Navigator;
use magpie_model::CanonicalUrl;
use magpie_store::{Frontier, KnownPage, RunId, UrlId};

use super::navigation::{navigation_file, read_navigation};
use super::record::has_failed;
use super::recrawl::NOT_PLANNED;
use super::survey::{Sightings, is_gone};
use super::{CollectError, Collection};

impl Collection<'_> {
    /// Queues what a site is learned again from: its entry page, the hubs that led somewhere, and where they lead if they have moved. All
    /// that they link to and is new will be followed. Where the entry page is gone its host may still have one at its root: the pages to
    /// ask for that nobody has asked for yet.
    pub fn plan_repair(&self, key: &str, run: RunId) -> Result<Vec<CanonicalUrl>, CollectError> {
        let reader = self.reader()?;
        let sightings = Sightings::read(&reader, self.vertical, self.now)?;
        let path = navigation_file(self.folder, self.vertical, key);
        let navigation = read_navigation(&path)?;
        let navigator = navigation.and_then(|navigation| Navigator::new(navigation).ok());
        let site = self.workspace.site(key)?;
        let surveyed = self.view(&reader).surveyed_pages(site, key, &sightings)?;
        let is_hub = |url: &CanonicalUrl| {
            let navigator = navigator.as_ref();
            navigator.is_some_and(|navigator| navigator.reads(url))
        };
        let canonicaliser = self.view(&reader).canonicaliser(key)?;
        let was_read = |page: &KnownPage| page.run == Some(run) && !has_failed(page);
        let hubs = || {
            let pages = surveyed.named_pages();
            pages.filter(|(url, page)| was_read(page) && is_hub(url))
        };
        let moved = hubs().filter_map(|(_, page)| page.redirect.as_deref());
        let moved = moved.filter_map(|to| Some(canonicaliser.canonicalise_text(to, None).ok()?.url));
        let moved: HashSet<CanonicalUrl> = moved.collect();
        let entry = surveyed.survey.entry;
        let is_asked = |place: usize, url: &CanonicalUrl, page: &KnownPage| {
            place == entry || moved.contains(url) || (was_read(page) && is_hub(url))
        };
        let pages = surveyed.named_pages().enumerate();
        let again = pages.filter(|(place, (url, page))| is_asked(*place, url, page));
        let urls: Vec<UrlId> = again.map(|(_, (_, page))| page.id).collect();
        self.workspace.hold_queue(site, NOT_PLANNED)?;
        self.workspace.queue_urls(site, urls)?;
        let root = surveyed.pages.get(entry).filter(|page| is_gone(page));
        let root = root.and_then(|_| root_of(&surveyed.survey.urls[entry]));
        Ok(root.into_iter().collect())
    }
}

/// The page at the root of a page's host, if that is another.
fn root_of(page: &CanonicalUrl) -> Option<CanonicalUrl> {
    let root = CanonicalUrl::trusted(format!("{}/", page.origin()))?;
    (root != *page).then_some(root)
}
