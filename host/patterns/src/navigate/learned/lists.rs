//! Lists among the wanted pages: what is on them changes with every object that comes or goes, so they are read in every round, and the
//! new pages that they link to are fetched. Some are a class of their own; others have addresses like those of the things they list
//! (`/women.html` among `/blue-jacket.html`) and are named one by one.

use std::cmp::Reverse;
use std::collections::HashSet;

use super::{Learner, Way, Worth};

/// From so many objects on a page, on average, it is a list. A page about one thing often names a second, seldom two more.
const LIST: f64 = 2.5;

/// A page that leads to so many times as many other objects as pages of its class usually do, and to some more, is a list too.
const RICH: (usize, usize) = (2, 3);

/// Lists that are named one by one: so many, or a part of all pages if that is more.
const MOST_LISTS: usize = 20;
const MOST_LISTS_SHARE: f64 = 0.02;

/// Whether so many objects on so many pages make them lists.
pub(crate) fn is_list(objects: usize, pages: usize) -> bool {
    pages > 0 && objects as f64 >= LIST * pages as f64
}

/// Which of the classes are lists: of those that are wanted, which are the first so many.
pub(super) fn of_classes(
    class_of: &[Option<u32>],
    wanted: usize,
    classes: usize,
    worth: Worth<'_>,
) -> Vec<bool> {
    let mut counts = vec![(0, 0); classes];
    for (page, class) in class_of.iter().enumerate() {
        let of_page = worth.seen(page).count();
        if let Some(class) = class.filter(|class| of_page > 0 && (*class as usize) < wanted) {
            let (objects, pages) = &mut counts[class as usize];
            *objects += of_page;
            *pages += 1;
        }
    }
    counts
        .into_iter()
        .map(|(objects, pages)| is_list(objects, pages))
        .collect()
}

impl Learner<'_, '_> {
    /// Lets recrawls start with the lists among pages about one thing, besides where they start already.
    pub(super) fn add_lists(&self, way: &mut Way) {
        let mut of_class = vec![Vec::new(); self.selected];
        for page in 0..self.graph.pages() {
            if let Some(class) = self.class_of[page].filter(|class| self.is_of_things(*class, way)) {
                of_class[class as usize].push((self.leads_to(page), page));
            }
        }
        let mut lists: Vec<(usize, usize)> = Vec::new();
        for mut pages in of_class {
            pages.sort_unstable();
            let usual = pages.get(pages.len() / 2).map_or(0, |page| page.0);
            let is_one = |&(objects, page): &(usize, usize)| {
                objects >= usual * RICH.0 + RICH.1 || is_list(self.worth.objects(page).len(), 1)
            };
            lists.extend(pages.into_iter().filter(is_one));
        }
        lists.retain(|(_, page)| !way.starts.contains(page));
        lists.sort_by_key(|(objects, page)| (Reverse(*objects), *page));
        let most = (self.graph.pages() as f64 * MOST_LISTS_SHARE) as usize;
        lists.truncate(most.max(MOST_LISTS));
        way.lists = lists.into_iter().map(|(_, page)| page).collect();
    }

    /// Whether pages of a class are wanted, and neither lists nor read for their links.
    pub(super) fn is_of_things(&self, class: u32, way: &Way) -> bool {
        let place = class as usize;
        place < self.selected && !self.lists[place] && !way.hubs.contains(&class)
    }

    /// To how many objects a page leads that are not on it.
    fn leads_to(&self, page: usize) -> usize {
        let links = self.graph.links(page).iter().map(|link| *link as usize);
        let wanted = links.filter(|link| self.is_wanted(*link));
        let mut objects: HashSet<u32> = wanted
            .flat_map(|link| self.worth.objects(link))
            .copied()
            .collect();
        for own in self.worth.objects(page) {
            objects.remove(own);
        }
        objects.len()
    }
}
