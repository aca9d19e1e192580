//! Learning of a navigation from a crawled site: the cheapest hubs that lead to the objects of the
//! wanted pages.
//!
//! Pages are classified by pattern. Starting with the entry page, the learner repeatedly adds the
//! class that leads to the most new objects for the cost of its pages. If no class leads to any in
//! one step, it adds all classes on the shortest path to the next object. Then it drops hubs that
//! the others make redundant. A wanted page whose objects are also on other pages, such as the
//! tenth colour of a shirt, needs no route of its own. If lists are reached only via detail pages,
//! recrawls start at these known lists instead of reading all those pages for their links.

mod bypass;
mod grow;
mod lists;
mod site;
mod skip;
mod states;

use std::cell::OnceCell;
use std::collections::{BTreeSet, VecDeque};

use super::document::Navigation;
use super::graph::SiteGraph;
use crate::pattern::UrlPattern;
use site::ObjectSet;

pub(crate) use lists::{are_lists, is_list};
pub(crate) use site::Site;
/// A learned navigation, and its performance on the site it was learned from.
#[derive(Clone, Debug)]
pub struct Learned {
    pub navigation: Navigation,
    /// Number of objects that it reaches on wanted pages.
    pub reached: usize,
    /// Number of objects that can be reached at all.
    pub reachable: usize,
    /// Indexes of the hub pages that it fetches, including the entry page.
    pub hubs: Vec<usize>,
}

/// Value and cost of each page of a site, by page index.
#[derive(Clone, Copy, Debug)]
pub struct PageValues<'a> {
    pub objects: &'a [Vec<u32>],
    /// First id of expected objects, on pages that were not fetched yet. They are worth a route
    /// like others, but are not counted.
    pub known: u32,
    /// Cost of each page as a hub.
    pub hub_costs: &'a [f64],
    pub lists: Lists,
}

/// Choice of the lists that a navigation reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lists {
    /// Lists that lead to objects of today, as in the published methods.
    Needed,
    /// Also lists that lead to no further objects today, for future ones.
    Promising,
}

/// Learns the navigation from the entry page to the pages that `selected` matches.
///
/// `classes` are patterns for the other pages of the site, induced from all its URLs. The
/// navigation reaches at least `share` of the objects on wanted pages that can be reached along
/// classes.
pub fn learn(
    graph: &SiteGraph<'_>,
    entry: usize,
    selected: &[UrlPattern],
    classes: &[UrlPattern],
    share: f64,
    values: PageValues<'_>,
) -> Option<Learned> {
    if entry >= graph.pages() {
        return None;
    }
    let patterns = selected.iter().chain(classes).cloned().collect();
    let site = Site::new(graph, entry, patterns, values);
    let chosen: Vec<usize> = (0..selected.len()).collect();
    let learner = Learner::new(&site, &chosen);
    let (mut route, reachable) = learner.route(share);
    if values.lists == Lists::Promising {
        learner.add_lists(&mut route);
    }
    Some(learner.to_learned(&route, site.count_known(&reachable)))
}

/// Returns the hub pages that a navigation to the pages of one pattern of a site reads; none if the
/// site has no entry page.
pub(crate) fn hubs_of(site: &Site<'_, '_>, pattern: usize) -> Vec<usize> {
    if site.entry >= site.graph.pages() {
        return Vec::new();
    }
    let learner = Learner::new(site, &[pattern]);
    let (route, _) = learner.route(1.0);
    let reach = learner.reach(&route);
    learner.read_pages(&route, &reach)
}

struct Learner<'s, 'a, 'g> {
    site: &'s Site<'a, 'g>,
    /// The pattern of each class, by its number in the site.
    patterns: Vec<usize>,
    /// Number of leading classes that are selected: their pages are wanted.
    selected: usize,
    /// Class of each page; `None` if no pattern matches.
    class_of: Vec<Option<u32>>,
    /// Number of pages of each class.
    sizes: Vec<u32>,
    /// Cost of each class as hubs.
    costs: Vec<f64>,
    lists: OnceCell<Vec<bool>>,
}

/// The pages that a recrawl reads for their links.
#[derive(Clone)]
struct Route {
    /// Hub classes.
    hubs: BTreeSet<u32>,
    /// Start pages: the entry page, and lists of hub classes.
    starts: Vec<usize>,
    /// Lists among detail pages, read for future objects. They reach no further objects today.
    lists: BTreeSet<usize>,
    /// Pages of hub classes without links of their own.
    skipped: BTreeSet<usize>,
}

impl Route {
    fn from(entry: usize, hubs: BTreeSet<u32>) -> Route {
        Route {
            hubs,
            starts: vec![entry],
            lists: BTreeSet::new(),
            skipped: BTreeSet::new(),
        }
    }
}

/// The pages and objects that a route reaches.
struct Reach {
    pages: Vec<bool>,
    /// Objects on wanted pages.
    objects: ObjectSet,
}

impl<'s, 'a, 'g> Learner<'s, 'a, 'g> {
    fn new(site: &'s Site<'a, 'g>, selected: &[usize]) -> Learner<'s, 'a, 'g> {
        let count = site.patterns.len();
        let left = (0..count).filter(|pattern| !selected.contains(pattern));
        let patterns: Vec<usize> = selected.iter().copied().chain(left).collect();
        let mut numbers = vec![0; count];
        for (class, pattern) in (0_u32..).zip(&patterns) {
            numbers[*pattern] = class;
        }
        let (mut sizes, mut costs) = (vec![0; count], vec![0.0; count]);
        let class = |page: usize| {
            let classes = site
                .matching(page)
                .iter()
                .map(|pattern| numbers[*pattern as usize]);
            // Selected patterns come first, since they also decide which pages are wanted.
            let wanted = classes.clone().find(|class| (*class as usize) < selected.len());
            let class = wanted.or_else(|| classes.clone().next())?;
            sizes[class as usize] += 1;
            costs[class as usize] += site.hub_cost(page);
            Some(class)
        };
        Learner {
            class_of: (0..site.graph.pages()).map(class).collect(),
            sizes,
            costs,
            selected: selected.len(),
            patterns,
            site,
            lists: OnceCell::new(),
        }
    }

    /// Returns the route to a share of the objects that can be reached at all, and these.
    fn route(&self, share: f64) -> (Route, ObjectSet) {
        // Objects that no links lead to must not count, or the share could never be reached.
        let mut reachable = self.site.no_objects();
        for page in (0..self.site.graph.pages()).filter(|page| self.is_wanted(*page)) {
            if self.site.connected()[page] {
                reachable.extend(self.site.objects(page).iter().copied());
            }
        }
        let needed = (reachable.len() as f64 * share.clamp(0.0, 1.0)).ceil() as usize;
        let mut route = Route::from(self.site.entry, self.grow(needed));
        // The steps of growing are greedy, and later hubs often lead to what an earlier one was
        // added for.
        self.shrink(&mut route, needed);
        self.bypass_expensive_hubs(&mut route, needed);
        // After the hubs are settled: a page is skipped only inside the classes that remain.
        self.skip_unproductive(&mut route);
        (route, reachable)
    }

    fn pattern(&self, class: u32) -> &UrlPattern {
        &self.site.patterns[self.patterns[class as usize]]
    }

    /// Returns for each class whether it is a wanted one with several objects on each page.
    fn lists(&self) -> &[bool] {
        self.lists.get_or_init(|| self.list_classes())
    }

    fn is_wanted(&self, page: usize) -> bool {
        self.class_of[page].is_some_and(|class| (class as usize) < self.selected)
    }

    /// Returns the pages that are fetched along a route. Links of other than hub pages are not
    /// followed.
    fn reach(&self, route: &Route) -> Reach {
        let mut reach = Reach {
            pages: vec![false; self.site.graph.pages()],
            objects: self.site.no_objects(),
        };
        let mut is_hub_class = vec![false; self.patterns.len()];
        for class in &route.hubs {
            is_hub_class[*class as usize] = true;
        }
        for start in &route.starts {
            self.enter(&mut reach, *start);
        }
        let mut queue: VecDeque<usize> = route.starts.iter().copied().collect();
        while let Some(page) = queue.pop_front() {
            for link in self.site.graph.links(page) {
                let link = *link as usize;
                let Some(class) = self.class_of[link].filter(|_| !reach.pages[link]) else {
                    continue;
                };
                let is_hub = is_hub_class[class as usize] && !route.skipped.contains(&link);
                if !is_hub && class as usize >= self.selected {
                    continue;
                }
                self.enter(&mut reach, link);
                // Wanted pages are read once and not in every recrawl, so their links lead nowhere.
                if is_hub {
                    queue.push_back(link);
                }
            }
        }
        reach
    }

    fn enter(&self, reach: &mut Reach, page: usize) {
        reach.pages[page] = true;
        if self.is_wanted(page) {
            reach.objects.extend(self.site.objects(page).iter().copied());
        }
    }

    /// Returns true if the links of a page are followed.
    fn is_read(&self, page: usize, hubs: &BTreeSet<u32>, reach: &Reach) -> bool {
        let is_hub =
            page == self.site.entry || self.class_of[page].is_some_and(|class| hubs.contains(&class));
        reach.pages[page] && is_hub
    }

    /// Returns the pages that are read for their links along a route.
    fn read_pages(&self, route: &Route, reach: &Reach) -> Vec<usize> {
        let is_read = |page: &usize| {
            let is_hub = self.is_read(*page, &route.hubs, reach) && !route.skipped.contains(page);
            is_hub || route.lists.contains(page)
        };
        (0..self.site.graph.pages()).filter(is_read).collect()
    }
}
