//! Bypasses around expensive hubs: recrawls start at the lists that these hubs lead to.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::{Learner, Reach, Route};

/// Minimum average cost of an expensive hub relative to a list. Such pages are read for their links
/// only if there is no bypass.
const EXPENSIVE: f64 = 2.0;

/// Minimum share of the hubs' cost that a bypass must save.
const MIN_SAVING: f64 = 0.5;

/// Maximum number of lists at which a recrawl starts, besides its entry page.
const MAX_STARTS: usize = 20;

impl Learner<'_, '_, '_> {
    /// Replaces hubs that are detail pages by the lists they lead to, where these are much cheaper.
    pub(super) fn bypass_expensive_hubs(&self, route: &mut Route, needed: usize) {
        for class in self.most_expensive_first(route) {
            if self.is_expensive(class)
                && let Some(shorter) = self.without(route, class, needed)
                // A bypass finds no new lists by itself, so it has to save much of the cost of the
                // hubs.
                && self.hub_cost_of(route, None) - self.hub_cost_of(&shorter, None)
                    >= self.hub_cost_of(route, Some(class)) * MIN_SAVING
            {
                *route = shorter;
            }
        }
    }

    fn is_expensive(&self, class: u32) -> bool {
        self.costs[class as usize] >= EXPENSIVE * f64::from(self.sizes[class as usize])
    }

    /// Returns the cost of reading all hubs of a route, or those of one class.
    fn hub_cost_of(&self, route: &Route, class: Option<u32>) -> f64 {
        let reach = self.reach(route);
        let read = (0..self.site.graph.pages()).filter(|page| self.is_read(*page, &route.hubs, &reach));
        let counted = read.filter(|page| class.is_none() || self.class_of[*page] == class);
        counted.map(|page| self.site.hub_cost(page)).sum()
    }

    /// Returns a route without a class of hubs. It starts at as many as needed of the lists that
    /// only those hubs lead to.
    fn without(&self, route: &Route, class: u32, needed: usize) -> Option<Route> {
        let before = self.reach(route);
        let mut shorter = route.clone();
        shorter.hubs.remove(&class);
        let mut reach = self.reach(&shorter);
        let lost = (0..self.site.graph.pages()).filter(|page| before.pages[*page] && !reach.pages[*page]);
        let lists = lost.filter(|page| self.class_of[*page].is_some_and(|class| !self.is_expensive(class)));
        let gains = lists.map(|page| (self.objects_at(page, &reach), Reverse(page)));
        let mut gains: BinaryHeap<(usize, Reverse<usize>)> = gains.collect();
        while reach.objects.len() < needed {
            let (bound, Reverse(page)) = gains.pop()?;
            if reach.pages[page] {
                continue;
            }
            // What a list leads to only falls while others are added, so an old number is a bound.
            let gain = self.objects_at(page, &reach);
            if gain < bound {
                gains.push((gain, Reverse(page)));
                continue;
            }
            // Each further start takes another pass over all links.
            if gain == 0 || shorter.starts.len() > MAX_STARTS {
                return None;
            }
            shorter.starts.push(page);
            shorter.hubs.extend(self.class_of[page]);
            reach = self.reach(&shorter);
        }
        Some(shorter)
    }

    /// Returns the number of unreached objects of a page and of the pages it links to.
    fn objects_at(&self, page: usize, reach: &Reach) -> usize {
        let links = self.site.graph.links(page).iter();
        let all = links.flat_map(|link| self.new_objects(*link as usize, reach));
        let mut all: Vec<u32> = all.chain(self.new_objects(page, reach)).collect();
        all.sort_unstable();
        all.dedup();
        all.len()
    }
}
