//! Pages in a hub class that are not lists: terms, an imprint, a contact form. Their URLs look like
//! those of lists, and they link only to pages in the menu of every page.

use std::collections::{BTreeMap, BTreeSet};

use super::{Learner, Route};

/// Minimum number of pages with links for a site to have a menu.
const MIN_PAGES: usize = 8;

impl Learner<'_, '_> {
    /// Skips hub pages without links of their own, in hub classes of which at least half the pages
    /// are such.
    pub(super) fn skip_unproductive(&self, route: &mut Route) {
        let reach = self.reach(route);
        let is_plain_hub = |page: usize| {
            let class = self.class_of[page];
            page != self.entry
                && !route.starts.contains(&page)
                && class.is_some_and(|class| route.hubs.contains(&class) && class as usize >= self.selected)
        };
        let pages = 0..self.graph.pages();
        let hubs: BTreeSet<usize> = pages
            .filter(|page| reach.pages[*page] && is_plain_hub(*page) && !self.graph.links(*page).is_empty())
            .collect();
        let productive = self.productive(&hubs);
        let menu = self.menu();
        // Months and further pages of a list link to one another; one that is empty today may fill.
        let is_paginated = |page: usize| {
            let mut links = self.graph.links(page).iter().map(|link| *link as usize);
            links.any(|link| {
                link != page && !menu.contains(&link) && self.class_of[link] == self.class_of[page]
            })
        };
        let mut classes: BTreeMap<Option<u32>, Vec<usize>> = BTreeMap::new();
        for page in &hubs {
            classes.entry(self.class_of[*page]).or_default().push(*page);
        }
        let mut skipped = BTreeSet::new();
        for pages in classes.into_values() {
            let productive_count = pages.iter().filter(|page| productive.contains(*page)).count();
            // In a class that is mostly lists, a page without links of its own is a list that is
            // empty today.
            if productive_count > 0 && 2 * productive_count <= pages.len() {
                let unproductive = pages
                    .into_iter()
                    .filter(|page| !productive.contains(page) && !is_paginated(*page));
                skipped.extend(unproductive);
            }
        }
        if skipped.is_empty() {
            return;
        }
        route.skipped = skipped;
        // Links were judged one page at a time. The route as a whole must still lead to the same
        // objects.
        if self.reach(route).objects.len() < reach.objects.len() {
            route.skipped.clear();
        }
    }

    /// Returns the hubs that link to a wanted page, or to another such hub, outside of menus.
    fn productive(&self, hubs: &BTreeSet<usize>) -> BTreeSet<usize> {
        let menu = &self.menu();
        let mut productive: BTreeSet<usize> = BTreeSet::new();
        let own = |page: usize| {
            let links = self.graph.links(page).iter().map(|link| *link as usize);
            links.filter(move |link| *link != page && !menu.contains(link))
        };
        // Each iteration extends the reach by one link; each hub is added at most once.
        loop {
            let more: Vec<usize> = hubs
                .iter()
                .copied()
                .filter(|page| !productive.contains(page))
                .filter(|page| own(*page).any(|link| self.is_wanted(link) || productive.contains(&link)))
                .collect();
            if more.is_empty() {
                return productive;
            }
            productive.extend(more);
        }
    }

    /// Returns the pages that more than half of all pages link to.
    fn menu(&self) -> BTreeSet<usize> {
        let mut linked = vec![0_usize; self.graph.pages()];
        let mut read = 0;
        for page in 0..self.graph.pages() {
            let links: BTreeSet<u32> = self.graph.links(page).iter().copied().collect();
            read += usize::from(!links.is_empty());
            links.into_iter().for_each(|link| linked[link as usize] += 1);
        }
        // On smaller sites menus and lists look alike.
        let is_menu = |page: &usize| read >= MIN_PAGES && 2 * linked[*page] > read;
        (0..linked.len()).filter(is_menu).collect()
    }
}
