//! List pages among the wanted pages. Their content changes with every object that comes or goes,
//! so they are read in every round, and new pages that they link to are fetched. Some lists form a
//! class of their own. Others have URLs like those of their detail pages (`/women.html` among
//! `/blue-jacket.html`) and are stored individually.

use std::cmp::Reverse;

use super::{Learner, Route};

/// Minimum average number of objects on a list page. A detail page often names a second object,
/// seldom two more.
const MIN_OBJECTS_PER_LIST: f64 = 2.5;

/// Minimum average number of the short pages of a class on which an object is, if they are lists:
/// the detail page of an object is the only one of its kind, while tags share their objects.
const MIN_PAGES_PER_OBJECT: f64 = 1.2;

/// Minimum number of short pages, since two of them may be one page under two names.
const MIN_SHORT_PAGES: usize = 5;

/// A page is also a list if it leads to this many times the median number of other objects in its
/// class, plus this many.
const RICH_FACTOR_AND_ADDEND: (usize, usize) = (2, 3);

/// Maximum number of individually stored lists: the larger of this number and this share of all
/// pages.
const MAX_LISTS: usize = 20;
const MAX_LISTS_SHARE: f64 = 0.02;

/// Returns true if this number of objects on this number of pages makes them lists.
pub(crate) fn is_list(objects: usize, pages: usize) -> bool {
    pages > 0 && objects as f64 >= MIN_OBJECTS_PER_LIST * pages as f64
}

/// Returns true if pages of one class, each with its objects, are lists.
pub(crate) fn are_lists<O: IntoIterator<Item = u32>>(pages: impl IntoIterator<Item = O>) -> bool {
    let (mut number, mut objects) = (0, 0);
    let (mut short_pages, mut short) = (0, Vec::new());
    for page in pages {
        let page: Vec<u32> = page.into_iter().collect();
        number += usize::from(!page.is_empty());
        objects += page.len();
        if !page.is_empty() && !is_list(page.len(), 1) {
            short_pages += 1;
            short.extend(page);
        }
    }
    let sightings = short.len() as f64;
    short.sort_unstable();
    short.dedup();
    let is_shared = sightings >= MIN_PAGES_PER_OBJECT * short.len() as f64;
    is_list(objects, number) || (short_pages >= MIN_SHORT_PAGES && is_shared)
}

impl Learner<'_, '_, '_> {
    /// Returns for each class whether it is a list. Only wanted classes can be.
    pub(super) fn list_classes(&self) -> Vec<bool> {
        let mut pages = vec![Vec::new(); self.patterns.len()];
        for (page, class) in self.class_of.iter().enumerate() {
            if let Some(class) = class.filter(|class| (*class as usize) < self.selected) {
                pages[class as usize].push(page);
            }
        }
        let of_class = |pages: Vec<usize>| are_lists(pages.into_iter().map(|page| self.site.seen(page)));
        pages.into_iter().map(of_class).collect()
    }

    /// Adds the lists among detail pages as starts of recrawls, unless they are already.
    pub(super) fn add_lists(&self, route: &mut Route) {
        let mut of_class = vec![Vec::new(); self.selected];
        let mut last_seen = vec![usize::MAX; self.site.objects_count()];
        for page in 0..self.site.graph.pages() {
            if let Some(class) = self.class_of[page].filter(|class| self.is_detail_class(*class, route)) {
                of_class[class as usize].push((self.leads_to(page, &mut last_seen), page));
            }
        }
        let mut lists: Vec<(usize, usize)> = Vec::new();
        for mut pages in of_class {
            pages.sort_unstable();
            // The median, not the mean: the lists themselves lead to far more.
            let usual = pages.get(pages.len() / 2).map_or(0, |page| page.0);
            let is_one = |&(objects, page): &(usize, usize)| {
                objects >= usual * RICH_FACTOR_AND_ADDEND.0 + RICH_FACTOR_AND_ADDEND.1
                    || is_list(self.site.objects(page).len(), 1)
            };
            lists.extend(pages.into_iter().filter(is_one));
        }
        lists.retain(|(_, page)| !route.starts.contains(page));
        // Each list is read in every round, so the limit keeps those that lead to most.
        lists.sort_by_key(|(objects, page)| (Reverse(*objects), *page));
        let most = (self.site.graph.pages() as f64 * MAX_LISTS_SHARE) as usize;
        lists.truncate(most.max(MAX_LISTS));
        route.lists = lists.into_iter().map(|(_, page)| page).collect();
    }

    /// Returns true if pages of a class are wanted, and are neither lists nor hubs.
    pub(super) fn is_detail_class(&self, class: u32, route: &Route) -> bool {
        let index = class as usize;
        index < self.selected && !self.lists()[index] && !route.hubs.contains(&class)
    }

    /// Returns the number of objects on linked pages that are not on the page itself. `last_seen`
    /// has for each object the last page for which it was counted.
    fn leads_to(&self, page: usize, last_seen: &mut [usize]) -> usize {
        for own in self.site.objects(page) {
            last_seen[*own as usize] = page;
        }
        let links = self.site.graph.links(page).iter().map(|link| *link as usize);
        let wanted = links.filter(|link| self.is_wanted(*link));
        let objects = wanted.flat_map(|link| self.site.objects(link));
        objects
            .filter(|object| std::mem::replace(&mut last_seen[**object as usize], page) != page)
            .count()
    }
}
