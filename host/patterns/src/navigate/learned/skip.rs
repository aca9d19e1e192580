//! Pages in a hub class that are not lists: terms, an imprint, a contact form. Their URLs look like
//! those of lists, and they link only to pages in the menu of every page.

use std::collections::{BTreeMap, BTreeSet};

use super::{Learner, Route};

impl Learner<'_, '_, '_> {
    /// Skips hub pages without links of their own, in hub classes of which at least half the pages
    /// are such.
    pub(super) fn skip_unproductive(&self, route: &mut Route) {
        let reach = self.reach(route);
        let is_plain_hub = |page: usize| {
            let class = self.class_of[page];
            page != self.site.entry
                && !route.starts.contains(&page)
                && class.is_some_and(|class| route.hubs.contains(&class) && class as usize >= self.selected)
        };
        let pages = 0..self.site.graph.pages();
        let hubs: BTreeSet<usize> = pages
            .filter(|page| {
                reach.pages[*page] && is_plain_hub(*page) && !self.site.graph.links(*page).is_empty()
            })
            .collect();
        let menu = self.site.menu();
        let productive = self.productive(&hubs);
        // Months and further pages of a list link to one another; one that is empty today may fill.
        let is_paginated = |page: usize| {
            let mut links = self.site.graph.links(page).iter().map(|link| *link as usize);
            links.any(|link| link != page && !menu[link] && self.class_of[link] == self.class_of[page])
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
        let menu = self.site.menu();
        let mut is_hub = vec![false; self.site.graph.pages()];
        hubs.iter().for_each(|page| is_hub[*page] = true);
        let mut linked_from: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let mut found = Vec::new();
        for page in hubs.iter().copied() {
            let links = self.site.graph.links(page).iter().map(|link| *link as usize);
            let own = links.filter(|link| *link != page && !menu[*link]);
            if own.clone().any(|link| self.is_wanted(link)) {
                found.push(page);
            } else {
                own.filter(|link| is_hub[*link])
                    .for_each(|link| linked_from.entry(link).or_default().push(page));
            }
        }
        let mut productive: BTreeSet<usize> = found.iter().copied().collect();
        while let Some(page) = found.pop() {
            let more = linked_from.remove(&page).into_iter().flatten();
            found.extend(more.filter(|page| productive.insert(*page)));
        }
        productive
    }
}
