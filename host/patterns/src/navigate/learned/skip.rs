//! Pages that a hub class holds beside its lists: terms, an imprint, a contact form. Their
//! addresses look like those of the lists, and all that they lead to stands in the menu of every
//! page.

use std::collections::{BTreeMap, BTreeSet};

use super::{Learner, Way};

/// On a site of fewer pages nobody can tell a menu from a list.
const LEAST_PAGES: usize = 8;

impl Learner<'_, '_> {
    /// Leaves the pages out of a way that lead nowhere of their own, in hub classes of which most
    /// pages do so. A class of lists keeps the one that happens to be empty.
    pub(super) fn skip_fruitless(&self, way: &mut Way) {
        let reach = self.reach(way);
        let is_plain_hub = |page: usize| {
            let class = self.class_of[page];
            page != self.entry
                && !way.starts.contains(&page)
                && class.is_some_and(|class| way.hubs.contains(&class) && class as usize >= self.selected)
        };
        let pages = 0..self.graph.pages();
        let hubs: BTreeSet<usize> = pages
            .filter(|page| reach.pages[*page] && is_plain_hub(*page) && !self.graph.links(*page).is_empty())
            .collect();
        let leading = self.leading(&hubs);
        let menu = self.menu();
        // Months and further pages of a list lead to one another: what is empty today may fill.
        let goes_on = |page: usize| {
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
            let leads = pages.iter().filter(|page| leading.contains(*page)).count();
            if leads > 0 && 2 * leads <= pages.len() {
                let fruitless = pages
                    .into_iter()
                    .filter(|page| !leading.contains(page) && !goes_on(*page));
                skipped.extend(fruitless);
            }
        }
        if skipped.is_empty() {
            return;
        }
        way.skipped = skipped;
        if self.reach(way).objects.len() < reach.objects.len() {
            way.skipped.clear();
        }
    }

    /// Returns those of these hubs that lead to a wanted page, or to another hub that does, by a
    /// link that is no part of a menu.
    fn leading(&self, hubs: &BTreeSet<usize>) -> BTreeSet<usize> {
        let menu = &self.menu();
        let mut leading: BTreeSet<usize> = BTreeSet::new();
        let own = |page: usize| {
            let links = self.graph.links(page).iter().map(|link| *link as usize);
            links.filter(move |link| *link != page && !menu.contains(link))
        };
        // One round of this reaches one step further; a hub is added at most once.
        loop {
            let more: Vec<usize> = hubs
                .iter()
                .copied()
                .filter(|page| !leading.contains(page))
                .filter(|page| own(*page).any(|link| self.is_wanted(link) || leading.contains(&link)))
                .collect();
            if more.is_empty() {
                return leading;
            }
            leading.extend(more);
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
        let is_menu = |page: &usize| read >= LEAST_PAGES && 2 * linked[*page] > read;
        (0..linked.len()).filter(is_menu).collect()
    }
}
