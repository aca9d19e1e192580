//! A repair: what a site, or some folders of it, are learned again from.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use magpie_discovery::{Canonicaliser, Variety};
use magpie_model::{CanonicalUrl, UrlReason};
use magpie_patterns::navigate::Navigator;
use magpie_patterns::pattern::PatternSet;
use magpie_rows::{KnownPage, RunId, UrlState};

use super::record::has_failed;
use crate::filters::{New, OnlyNew};
use crate::site::{
    Collection, LearnedPattern, SiteError, SitePages, SiteSnapshot, Snapshots, is_gone, moved_to,
    navigation_file, read_navigation,
};

/// The repair of the folders of a site that are broken.
pub(crate) struct FolderRepair {
    /// Pages to begin with whose URLs have changed since they were fetched.
    pub(crate) named: Vec<CanonicalUrl>,
    pub(crate) filter: OnlyNew,
    pub(crate) max_pages: u64,
}

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

impl Collection<'_> {
    /// Queues the pages from which the broken folders of a site are learned again: pages of this
    /// run that link to new ones of other kinds than the intact patterns, and lists that led to the
    /// folders. At most as many pages are fetched as the folders had, and those to begin with.
    /// Returns `None` for a site without a navigation.
    pub(crate) fn plan_folders(
        &self,
        key: &str,
        run: RunId,
        most: u64,
        snapshots: &mut Snapshots,
    ) -> Result<Option<FolderRepair>, SiteError> {
        let view = self.view();
        let mut learned = self.store.learned_sites(self.vertical)?.into_iter();
        let Some(learned) = learned.find(|learned| learned.key == key) else {
            return Ok(None);
        };
        let Some(navigator) = view.navigator(&learned)? else {
            return Ok(None);
        };
        let standing = view.snapshot_along(learned, &navigator, snapshots)?;
        let (broken, intact) = broken_and_intact(&standing);
        let surveyed = &standing.surveyed;
        let asked = surveyed
            .named_pages()
            .filter(|(_, page)| page.fetched_at.is_some());
        let new = New {
            asked: asked.map(|(url, _)| url.fingerprint().0).collect(),
            intact,
            reads_sitemaps: navigator.navigation().sitemaps,
        };
        let of_folders = surveyed.named_pages();
        let of_folders = of_folders.filter(|(url, page)| page.page.is_some() && broken.matches(url));
        let pages = of_folders.count();
        // Half as many pages to begin with as there are to find.
        let (mut from, shown) = self.pages_with_new(key, &new, (surveyed, &navigator), run)?;
        from.extend(resting_lists(&broken, (surveyed, &navigator), run));
        from.truncate(pages.div_ceil(2));
        let max_pages = most.min((pages + from.len()) as u64);
        // A link does not queue a URL that is already queued or held, so these are queued here.
        let known = surveyed.named_pages().enumerate();
        let waiting = known.filter(|(_, (url, page))| {
            let waits = matches!(page.state, UrlState::Queued | UrlState::Held);
            waits && page.fetched_at.is_none() && shown.contains(&url.fingerprint().0)
        });
        from.extend(waiting.map(|(place, _)| place).take(pages));
        let (urls, named) = surveyed.asked_by(from);
        self.store
            .hold_queue(standing.site.site, &UrlReason::NotPlanned)?;
        self.store.queue_urls(standing.site.site, urls)?;
        Ok(Some(FolderRepair {
            named,
            filter: OnlyNew(Some(Arc::new(new))),
            max_pages,
        }))
    }

    /// Returns pages of a run whose links lead between them to all new pages, the entry page and
    /// lists first; with the fingerprints of these links.
    fn pages_with_new(
        &self,
        key: &str,
        new: &New,
        (surveyed, navigator): (&SitePages, &Navigator),
        run: RunId,
    ) -> Result<(Vec<usize>, HashSet<u64>), SiteError> {
        let entry = surveyed.survey.entry;
        let mut read: Vec<usize> = (0..surveyed.pages.len())
            .filter(|place| {
                let page = &surveyed.pages[*place];
                page.run == Some(run) && was_answered(page) && surveyed.may_follow(*place)
            })
            .collect();
        read.sort_by_key(|place| (*place != entry, !navigator.reads(surveyed.at(*place).0)));
        let canonicaliser = self.view().canonicaliser(key)?;
        let mut shown = HashSet::new();
        let mut found = Vec::new();
        for place in read {
            let (url, page) = surveyed.at(place);
            let before = shown.len();
            for of_page in self.store.page_links(page.page.as_slice())? {
                let links = of_page.links.iter();
                let links = links.filter_map(|link| canonicaliser.canonicalise_text(&link.href, None).ok());
                let links = links.filter(|link| new.is_new(url, &link.url));
                shown.extend(links.map(|link| link.url.fingerprint().0));
            }
            if shown.len() > before {
                found.push(place);
            }
        }
        Ok((found, shown))
    }

    /// Returns `true` if a run has found objects of a site on pages that match none of the patterns
    /// which were intact before.
    pub(crate) fn has_found_anew(
        &self,
        key: &str,
        run: RunId,
        before: &New,
        snapshots: &mut Snapshots,
    ) -> Result<bool, SiteError> {
        let surveyed = self.view().site_pages(self.store.site(key)?, key, snapshots)?;
        let mut with_objects = surveyed
            .survey
            .objects
            .iter()
            .map(|(page, _)| surveyed.at(*page as usize));
        Ok(with_objects.any(|(url, page)| page.run == Some(run) && !before.intact.matches(url)))
    }
}

/// Returns the lists that were not read in a run and led to broken pages, those with the most such
/// links first: they may have other links by now.
fn resting_lists(
    broken: &PatternSet,
    (surveyed, navigator): (&SitePages, &Navigator),
    run: RunId,
) -> Vec<usize> {
    let mut led: BTreeMap<usize, usize> = BTreeMap::new();
    for (list, page) in &surveyed.survey.links {
        let (url, known) = surveyed.at(*list as usize);
        let rests = known.run != Some(run) && was_answered(known) && navigator.reads(url);
        if rests && broken.matches(surveyed.at(*page as usize).0) {
            *led.entry(*list as usize).or_default() += 1;
        }
    }
    let mut led: Vec<(usize, usize)> = led.into_iter().collect();
    led.sort_by_key(|(_, links)| Reverse(*links));
    led.into_iter().map(|(list, _)| list).collect()
}

fn was_answered(page: &KnownPage) -> bool {
    matches!(page.status, Some(200..=299 | 304))
}

/// Returns the patterns of a site that have an alarm, and the others.
fn broken_and_intact(standing: &SiteSnapshot) -> (PatternSet, PatternSet) {
    let (broken, intact): (Vec<_>, Vec<_>) = standing
        .rows
        .iter()
        .partition(|learned| learned.row.chosen && learned.row.watched.alarm.is_some());
    let set = |some: Vec<&LearnedPattern>| PatternSet::new(some.into_iter().map(|of| of.pattern.clone()));
    (set(broken), set(intact))
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
