//! A repair: what a site is learned again from.

use std::collections::HashSet;

use magpie_learn::navigate::Navigator;
use magpie_model::CanonicalUrl;
use magpie_store::{Frontier, KnownPage, RunId};

use super::navigation::{navigation_file, read_navigation};
use super::record::has_failed;
use super::recrawl::NOT_PLANNED;
use super::survey::{Sightings, is_gone, moved_to};
use super::{CollectError, Collection};

impl Collection<'_> {
    /// Queues what a site is learned again from: its entry page, and the lists that were read in this run, by where they lead if they have
    /// moved. All that they link to and is new will be followed, for which at least half of the pages are left that may be had at most.
    /// Where the entry page is gone its host may still have one at its root: the pages to ask for that nobody has asked for yet.
    pub fn plan_repair(&self, key: &str, run: RunId, most: u64) -> Result<Vec<CanonicalUrl>, CollectError> {
        let reader = self.reader()?;
        let sightings = Sightings::read(&reader, self.vertical, self.now)?;
        let path = navigation_file(self.folder, self.vertical, key);
        let navigation = read_navigation(&path)?;
        let navigator = navigation.and_then(|navigation| Navigator::new(navigation).ok());
        let site = self.workspace.site(key)?;
        let surveyed = self.view(&reader).surveyed_pages(site, key, &sightings)?;
        let is_list = |url: &CanonicalUrl| {
            let navigator = navigator.as_ref();
            navigator.is_some_and(|navigator| navigator.reads(url))
        };
        let was_read = |page: &KnownPage| page.run == Some(run) && !has_failed(page);
        let pages = surveyed.named_pages();
        let lists = pages.filter(|(url, page)| was_read(page) && is_list(url));
        let canonicaliser = self.view(&reader).canonicaliser(key)?;
        let lists: HashSet<CanonicalUrl> = lists
            .map(|(url, page)| {
                let moved = moved_to(page).and_then(|to| canonicaliser.canonicalise_text(to, None).ok());
                moved.map_or_else(|| url.clone(), |moved| moved.url)
            })
            .collect();
        let entry = surveyed.survey.entry;
        let pages = surveyed.named_pages().enumerate();
        let again = pages.filter(|(place, (url, _))| *place != entry && lists.contains(url));
        let again = again.map(|(_, (_, page))| page.id);
        let again = again.take(usize::try_from(most / 2).unwrap_or(usize::MAX));
        let entry_page = surveyed.pages.get(entry);
        let urls = entry_page.map(|page| page.id).into_iter().chain(again);
        self.workspace.hold_queue(site, NOT_PLANNED)?;
        self.workspace.queue_urls(site, urls.collect())?;
        let root = entry_page.filter(|page| is_gone(page));
        let root = root.and_then(|_| root_of(&surveyed.survey.urls[entry]));
        Ok(root.into_iter().collect())
    }
}

/// The page at the root of a page's host, if that is another.
fn root_of(page: &CanonicalUrl) -> Option<CanonicalUrl> {
    let root = CanonicalUrl::trusted(format!("{}/", page.origin()))?;
    (root != *page).then_some(root)
}
