//! A repair: what a site is learned again from.

use std::collections::{BTreeSet, HashSet};

use magpie_discovery::{Canonicaliser, Variety};
use magpie_model::{CanonicalUrl, UrlReason};
use magpie_patterns::navigate::Navigator;
use magpie_rows::{KnownPage, RunId};

use super::record::has_failed;
use crate::site::{
    Collection, SiteError, SitePages, Snapshots, is_gone, moved_to, navigation_file, read_navigation,
};

impl Collection<'_> {
    /// Queues the pages from which a site is learned again: its entry page, the lists that were
    /// read in this run or their redirect targets, and known pages that the entry page links to.
    /// All new pages that these link to will be followed, for which at least a third of the page
    /// limit is reserved. If the entry page is gone, returns other pages at the root of its host
    /// that were not tried yet.
    pub(crate) fn plan_repair(
        &self,
        key: &str,
        run: RunId,
        most: u64,
        snapshots: &mut Snapshots,
    ) -> Result<Vec<CanonicalUrl>, SiteError> {
        let path = navigation_file(self.folder, self.vertical, key);
        let navigation = read_navigation(&path)?;
        let navigator = navigation.and_then(|navigation| Navigator::new(navigation).ok());
        let site = self.store.site(key)?;
        let mut surveyed = (*self.view().site_pages(site, key, snapshots)?).clone();
        let canonicaliser = self.view().canonicaliser(key)?;
        // Without a usable navigation no page counts as a list. The entry page and its links
        // remain.
        let lists = read_lists(&surveyed, navigator.as_ref(), &canonicaliser, run);
        surveyed.read_links(self.store, &canonicaliser, &|_| false)?;
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let entry = surveyed.survey.entry;
        let pages = surveyed.named_pages().enumerate();
        let lists = pages.filter(|(place, (url, _))| {
            *place != entry && lists.contains(url) && surveyed.may_follow(*place)
        });
        // Half of the limit is for lists and an eighth for known pages; the rest is for what they
        // lead to.
        let lists = lists.map(|(place, _)| place).take(most / 2);
        let known = linked_and_known(&surveyed, run, most / 8);
        // A site of which no page was ever fetched has no entry page.
        let first = Some(entry).filter(|entry| *entry < surveyed.pages.len());
        let again = first.into_iter().chain(lists).chain(known);
        let (urls, mut named) = surveyed.asked_by(again);
        // URLs that another operation has queued would use up the limit of the repair.
        self.store.hold_queue(site, &UrlReason::NotPlanned)?;
        self.store.queue_urls(site, urls)?;
        let gone = surveyed
            .named_pages()
            .nth(entry)
            .filter(|(_, page)| is_gone(page));
        named.extend(gone.and_then(|(url, _)| root_of(url)));
        Ok(named)
    }
}

/// The lists that were read in a run, by their names or, where they have moved, by where they lead.
fn read_lists(
    surveyed: &SitePages,
    navigator: Option<&Navigator>,
    canonicaliser: &Canonicaliser,
    run: RunId,
) -> HashSet<CanonicalUrl> {
    let was_read = |page: &KnownPage| page.run == Some(run) && !has_failed(page);
    let is_list = |url| navigator.is_some_and(|navigator| navigator.reads(url));
    let pages = surveyed.named_pages();
    let lists = pages.filter(|(url, page)| was_read(page) && is_list(url));
    let names = lists.map(|(url, page)| {
        let moved = moved_to(page).and_then(|to| canonicaliser.canonicalise_text(to, None).ok());
        moved.map_or_else(|| url.clone(), |moved| moved.url)
    });
    names.collect()
}

/// Returns at most `most` pages of all kinds that the entry page links to and that were not fetched
/// in this run.
fn linked_and_known(surveyed: &SitePages, run: RunId, most: usize) -> Vec<usize> {
    // Their links may have changed too.
    let entry = surveyed.survey.entry;
    let links = surveyed.survey.links.iter();
    let linked = links.filter(|(from, to)| *from as usize == entry && *to as usize != entry);
    let linked: BTreeSet<usize> = linked.map(|(_, to)| *to as usize).collect();
    let pages = linked.into_iter().map(|place| (place, surveyed.at(place)));
    let not_asked = pages.filter(|(_, (_, page))| page.fetched_at.is_some() && page.run != Some(run));
    // The limit is small, so the kinds of pages take turns in it.
    let mut variety = Variety::default();
    let mut ranked: Vec<(i32, usize)> = not_asked
        .map(|(place, (url, _))| (variety.rank(url), place))
        .collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.truncate(most);
    ranked.into_iter().map(|(_, place)| place).collect()
}

/// The page at the root of a page's host, if that is another.
fn root_of(page: &CanonicalUrl) -> Option<CanonicalUrl> {
    let root = CanonicalUrl::trusted(format!("{}/", page.origin()))?;
    (root != *page).then_some(root)
}
