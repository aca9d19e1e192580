//! Greedy choice of the hubs that lead to the objects, and removal of redundant ones.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::{Learner, Reach, Route};

/// Maximum number of hub classes. Each takes another pass over all links.
const MAX_HUBS: usize = 64;

impl Learner<'_, '_, '_> {
    /// Returns the unreached objects of a page; none if the page is not wanted.
    pub(super) fn new_objects(&self, page: usize, reach: &Reach) -> impl Iterator<Item = u32> {
        let is_new = self.is_wanted(page) && !reach.pages[page];
        let objects = if is_new { self.site.objects(page) } else { &[] };
        objects
            .iter()
            .copied()
            .filter(|object| !reach.objects.contains(*object))
    }

    pub(super) fn grow(&self, needed: usize) -> BTreeSet<u32> {
        let mut route = Route::from(self.site.entry, BTreeSet::new());
        let mut reach = self.reach(&route);
        while reach.objects.len() < needed && route.hubs.len() < MAX_HUBS {
            let more = match self.best_step(&route.hubs, &reach) {
                Some(class) => vec![class],
                // No single class leads to anything new, as where a category leads to lists and
                // these to products. The whole path is added at once.
                None => self.shortest_path(&route.hubs, &reach),
            };
            if more.is_empty() {
                break;
            }
            route.hubs.extend(more);
            reach = self.reach(&route);
        }
        route.hubs
    }

    /// Returns the class linked from hubs with the most new objects per cost of its pages.
    fn best_step(&self, hubs: &BTreeSet<u32>, reach: &Reach) -> Option<u32> {
        let mut linked: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        let mut seen = vec![false; self.site.graph.pages()];
        for page in (0..self.site.graph.pages()).filter(|page| self.is_read(*page, hubs, reach)) {
            for link in self.site.graph.links(page) {
                let link = *link as usize;
                if !std::mem::replace(&mut seen[link], true)
                    && let Some(class) = self.class_of[link].filter(|class| !hubs.contains(class))
                {
                    linked.entry(class).or_default().push(link);
                }
            }
        }
        let mut best = None;
        for (class, pages) in linked {
            let (mut new, mut cost) = (self.site.no_objects(), 0.0);
            for page in pages {
                // A wanted page is fetched anyway; a hub is fetched in every round.
                cost += self.site.hub_cost(page);
                for link in self.site.graph.links(page) {
                    new.extend(self.new_objects(*link as usize, reach));
                }
            }
            let rate = new.len() as f64 / cost;
            // Of equals the first class, so that equal input gives an equal navigation.
            if new.len() > 0 && best.is_none_or(|(_, most)| rate > most) {
                best = Some((class, rate));
            }
        }
        best.map(|(class, _)| class)
    }

    /// Returns the classes on the shortest path to an unreached object.
    fn shortest_path(&self, hubs: &BTreeSet<u32>, reach: &Reach) -> Vec<u32> {
        let read = |page: &usize| self.is_read(*page, hubs, reach);
        let mut queue: VecDeque<usize> = (0..self.site.graph.pages()).filter(read).collect();
        let mut parent: Vec<Option<usize>> = vec![None; self.site.graph.pages()];
        let mut seen = vec![false; self.site.graph.pages()];
        for page in &queue {
            seen[*page] = true;
        }
        while let Some(page) = queue.pop_front() {
            for link in self.site.graph.links(page) {
                let link = *link as usize;
                if seen[link] || self.class_of[link].is_none() {
                    continue;
                }
                seen[link] = true;
                parent[link] = Some(page);
                if self.new_objects(link, reach).next().is_some() {
                    return self.classes_on_path(link, &parent);
                }
                queue.push_back(link);
            }
        }
        Vec::new()
    }

    fn classes_on_path(&self, page: usize, parent: &[Option<usize>]) -> Vec<u32> {
        let mut classes = Vec::new();
        let mut page = parent[page];
        while let Some(at) = page {
            // The path starts at a page that is already a hub.
            if parent[at].is_some() {
                classes.extend(self.class_of[at]);
            }
            page = parent[at];
        }
        classes
    }

    /// Drops redundant hubs, the most expensive first.
    pub(super) fn shrink(&self, route: &mut Route, needed: usize) {
        for class in self.most_expensive_first(route) {
            route.hubs.remove(&class);
            if self.reach(route).objects.len() < needed {
                route.hubs.insert(class);
            }
        }
    }

    /// Returns the hubs of a route, the most expensive first.
    pub(super) fn most_expensive_first(&self, route: &Route) -> Vec<u32> {
        let mut hubs: Vec<u32> = route.hubs.iter().copied().collect();
        let cost = |class: &u32| self.costs[*class as usize];
        hubs.sort_by(|one, other| cost(other).total_cmp(&cost(one)).then(one.cmp(other)));
        hubs
    }
}
