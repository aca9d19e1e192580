//! Which hubs lead to the objects: the best next ones until enough is reached, and of these the needed ones.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::{Learner, Reach, Way};

/// Hub classes at most; each is one more look at all links.
const MOST_HUBS: usize = 64;

impl Learner<'_, '_> {
    /// The objects of a page that nothing led to yet; none on pages that are not wanted.
    pub(super) fn new_objects(&self, page: usize, reach: &Reach) -> impl Iterator<Item = u32> {
        let is_new = self.is_wanted(page) && !reach.pages[page];
        let objects = if is_new { self.worth.objects(page) } else { &[] };
        objects
            .iter()
            .copied()
            .filter(|object| !reach.objects.contains(object))
    }

    pub(super) fn grown(&self, needed: usize) -> BTreeSet<u32> {
        let mut way = Way::from(self.entry, BTreeSet::new());
        let mut reach = self.reach(&way);
        while reach.objects.len() < needed && way.hubs.len() < MOST_HUBS {
            let more = match self.best_step(&way.hubs, &reach) {
                Some(class) => vec![class],
                None => self.shortest_way(&way.hubs, &reach),
            };
            if more.is_empty() {
                break;
            }
            way.hubs.extend(more);
            reach = self.reach(&way);
        }
        way.hubs
    }

    /// The class that leads to most new objects for what its pages cost, among those that hubs link to.
    fn best_step(&self, hubs: &BTreeSet<u32>, reach: &Reach) -> Option<u32> {
        let mut found: BTreeMap<u32, (BTreeSet<u32>, f64)> = BTreeMap::new();
        let mut seen = vec![false; self.graph.pages()];
        for page in (0..self.graph.pages()).filter(|page| self.is_read(*page, hubs, reach)) {
            for link in self.graph.links(page) {
                let place = *link as usize;
                let Some(class) = self.class_of[place] else {
                    continue;
                };
                if hubs.contains(&class) || std::mem::replace(&mut seen[place], true) {
                    continue;
                }
                let entry = found.entry(class).or_default();
                // A wanted page is fetched anyway; as a hub it is fetched again and again.
                entry.1 += self.worth.hub_cost(place);
                let new = self.graph.links(place).iter();
                entry
                    .0
                    .extend(new.flat_map(|link| self.new_objects(*link as usize, reach)));
            }
        }
        let rate = |(new, cost): &(BTreeSet<u32>, f64)| new.len() as f64 / cost;
        let best = found
            .iter()
            .filter(|(_, (new, _))| !new.is_empty())
            .max_by(|one, other| rate(one.1).total_cmp(&rate(other.1)).then(other.0.cmp(one.0)));
        best.map(|(class, _)| *class)
    }

    /// The classes on the shortest way to an object that is not reached.
    fn shortest_way(&self, hubs: &BTreeSet<u32>, reach: &Reach) -> Vec<u32> {
        let read = |page: &usize| self.is_read(*page, hubs, reach);
        let mut queue: VecDeque<usize> = (0..self.graph.pages()).filter(read).collect();
        let mut parent: Vec<Option<usize>> = vec![None; self.graph.pages()];
        let mut seen = vec![false; self.graph.pages()];
        for page in &queue {
            seen[*page] = true;
        }
        while let Some(page) = queue.pop_front() {
            for link in self.graph.links(page) {
                let link = *link as usize;
                if seen[link] || self.class_of[link].is_none() {
                    continue;
                }
                seen[link] = true;
                parent[link] = Some(page);
                if self.new_objects(link, reach).next().is_some() {
                    return self.classes_up(link, &parent);
                }
                queue.push_back(link);
            }
        }
        Vec::new()
    }

    fn classes_up(&self, page: usize, parent: &[Option<usize>]) -> Vec<u32> {
        let mut classes = Vec::new();
        let mut page = parent[page];
        while let Some(at) = page {
            // Where the way starts, a hub stands already.
            if parent[at].is_some() {
                classes.extend(self.class_of[at]);
            }
            page = parent[at];
        }
        classes
    }

    /// Drops hubs that are not needed, those that cost most first.
    pub(super) fn shrink(&self, way: &mut Way, needed: usize) {
        for class in self.dearest(way) {
            way.hubs.remove(&class);
            if self.reach(way).objects.len() < needed {
                way.hubs.insert(class);
            }
        }
    }

    /// The hubs of a way, those that cost most first.
    pub(super) fn dearest(&self, way: &Way) -> Vec<u32> {
        let mut dearest: Vec<u32> = way.hubs.iter().copied().collect();
        let cost = |class: &u32| self.costs[*class as usize];
        dearest.sort_by(|one, other| cost(other).total_cmp(&cost(one)).then(one.cmp(other)));
        dearest
    }
}
