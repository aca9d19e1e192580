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
mod skip;
mod states;

use std::collections::{BTreeSet, HashSet, VecDeque};

use super::document::Navigation;
use super::graph::SiteGraph;
use crate::pattern::{PatternSet, UrlPattern};

pub(crate) use lists::{are_lists, is_list};

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

impl PageValues<'_> {
    fn objects(&self, page: usize) -> &[u32] {
        self.objects.get(page).map_or(&[], Vec::as_slice)
    }

    /// Returns the known objects of a page.
    fn seen(&self, page: usize) -> impl Iterator<Item = u32> {
        self.objects(page)
            .iter()
            .copied()
            .filter(|object| self.is_known(*object))
    }

    fn is_known(&self, object: u32) -> bool {
        object < self.known
    }

    fn hub_cost(&self, page: usize) -> f64 {
        self.hub_costs.get(page).copied().unwrap_or(1.0)
    }
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
    let learner = Learner::new(graph, entry, selected, classes, values);
    let everything: BTreeSet<u32> = (0..learner.patterns.len() as u32).collect();
    // Objects that no links lead to must not count, or the share could never be reached.
    let reachable = learner.reach(&Route::from(entry, everything)).objects;
    let needed = (reachable.len() as f64 * share.clamp(0.0, 1.0)).ceil() as usize;
    let hubs = learner.grow(needed);
    let mut route = Route::from(entry, hubs);
    // The steps of growing are greedy, and later hubs often lead to what an earlier one was added
    // for.
    learner.shrink(&mut route, needed);
    learner.bypass_expensive_hubs(&mut route, needed);
    // After the hubs are settled: a page is skipped only inside the classes that remain.
    learner.skip_unproductive(&mut route);
    if values.lists == Lists::Promising {
        learner.add_lists(&mut route);
    }
    Some(learner.to_learned(&route, learner.count_known(&reachable)))
}

struct Learner<'a, 'g> {
    graph: &'a SiteGraph<'g>,
    entry: usize,
    patterns: Vec<UrlPattern>,
    /// Number of leading patterns that are selected: their pages are wanted.
    selected: usize,
    /// Class of each page; `None` if no pattern matches.
    class_of: Vec<Option<u32>>,
    /// Number of pages of each class.
    sizes: Vec<u32>,
    /// Cost of each class as hubs.
    costs: Vec<f64>,
    /// Number of objects of each class.
    objects: Vec<u32>,
    /// True for wanted classes with several objects on each page.
    lists: Vec<bool>,
    values: PageValues<'a>,
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
    objects: HashSet<u32>,
}

impl<'a, 'g> Learner<'a, 'g> {
    fn new(
        graph: &'a SiteGraph<'g>,
        entry: usize,
        selected: &[UrlPattern],
        classes: &[UrlPattern],
        values: PageValues<'a>,
    ) -> Learner<'a, 'g> {
        let patterns: Vec<UrlPattern> = selected.iter().chain(classes).cloned().collect();
        let (wanted, others) = (
            PatternSet::new(selected.iter().cloned()),
            PatternSet::new(classes.iter().cloned()),
        );
        let (mut sizes, mut costs) = (vec![0; patterns.len()], vec![0.0; patterns.len()]);
        let mut objects: Vec<HashSet<u32>> = vec![HashSet::new(); patterns.len()];
        let class = |page: usize| {
            let url = graph.url(page);
            let other = || others.best(url).map(|class| class + selected.len());
            // Selected patterns come first, since they also decide which pages are wanted. Their
            // numbers are below `selected`.
            let class = wanted.best(url).or_else(other)? as u32;
            sizes[class as usize] += 1;
            costs[class as usize] += values.hub_cost(page);
            objects[class as usize].extend(values.objects(page));
            Some(class)
        };
        let class_of: Vec<Option<u32>> = (0..graph.pages()).map(class).collect();
        Learner {
            lists: lists::of_classes(&class_of, selected.len(), patterns.len(), values),
            class_of,
            objects: objects.iter().map(|objects| objects.len() as u32).collect(),
            sizes,
            costs,
            values,
            selected: selected.len(),
            patterns,
            entry,
            graph,
        }
    }

    /// Number of known objects among these.
    fn count_known(&self, objects: &HashSet<u32>) -> usize {
        objects
            .iter()
            .filter(|object| self.values.is_known(**object))
            .count()
    }

    fn is_wanted(&self, page: usize) -> bool {
        self.class_of[page].is_some_and(|class| (class as usize) < self.selected)
    }

    /// Returns the pages that are fetched along a route. Links of other than hub pages are not
    /// followed.
    fn reach(&self, route: &Route) -> Reach {
        let mut reach = Reach {
            pages: vec![false; self.graph.pages()],
            objects: HashSet::new(),
        };
        for start in &route.starts {
            self.enter(&mut reach, *start);
        }
        let mut queue: VecDeque<usize> = route.starts.iter().copied().collect();
        while let Some(page) = queue.pop_front() {
            for link in self.graph.links(page) {
                let link = *link as usize;
                let is_hub = self.class_of[link].is_some_and(|class| route.hubs.contains(&class))
                    && !route.skipped.contains(&link);
                if reach.pages[link] || !(is_hub || self.is_wanted(link)) {
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
            reach.objects.extend(self.values.objects(page));
        }
    }

    /// Returns true if the links of a page are followed.
    fn is_read(&self, page: usize, hubs: &BTreeSet<u32>, reach: &Reach) -> bool {
        let is_hub = page == self.entry || self.class_of[page].is_some_and(|class| hubs.contains(&class));
        reach.pages[page] && is_hub
    }
}
