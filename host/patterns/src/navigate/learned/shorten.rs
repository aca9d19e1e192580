//! Ways past hubs that are dear: recrawls start at the lists that these lead to.

use std::cmp::Reverse;
use std::collections::HashSet;

use super::{Learner, Reach, Way};

/// From so much on average, against a list, pages are too dear to be read for their links if there is another way.
const DEAR: f64 = 2.0;

/// A way past dear hubs is taken where it saves at least so much of what they cost: it finds no new lists of its own.
const WORTH_IT: f64 = 0.5;

/// Lists that a recrawl starts with at most, besides its entry page; to find each is a look at all links.
const MOST_STARTS: usize = 20;

impl Learner<'_, '_> {
    /// Replaces hubs that are pages about one thing by the lists they lead to, where these are much cheaper.
    pub(super) fn shorten(&self, way: &mut Way, needed: usize) {
        for class in self.dearest(way) {
            if self.is_dear(class)
                && let Some(shorter) = self.without(way, class, needed)
                && self.price(way, None) - self.price(&shorter, None)
                    >= self.price(way, Some(class)) * WORTH_IT
            {
                *way = shorter;
            }
        }
    }

    fn is_dear(&self, class: u32) -> bool {
        self.costs[class as usize] >= DEAR * f64::from(self.sizes[class as usize])
    }

    /// What reading all hubs of a way costs, or those of one class.
    fn price(&self, way: &Way, class: Option<u32>) -> f64 {
        let reach = self.reach(way);
        let read = (0..self.graph.pages()).filter(|page| self.is_read(*page, &way.hubs, &reach));
        let counted = read.filter(|page| class.is_none() || self.class_of[*page] == class);
        counted.map(|page| self.worth.hub_cost(page)).sum()
    }

    /// A way without a class of hubs: it starts with as many of the lists as are needed that only these led to.
    fn without(&self, way: &Way, class: u32, needed: usize) -> Option<Way> {
        let before = self.reach(way);
        let mut shorter = way.clone();
        shorter.hubs.remove(&class);
        loop {
            let reach = self.reach(&shorter);
            if reach.objects.len() >= needed {
                return Some(shorter);
            }
            let lost = (0..self.graph.pages()).filter(|page| before.pages[*page] && !reach.pages[*page]);
            let lists = lost.filter(|page| self.class_of[*page].is_some_and(|class| !self.is_dear(class)));
            let gains = lists.map(|page| (self.objects_at(page, &reach).len(), page));
            let (gain, best) = gains.max_by_key(|(gain, page)| (*gain, Reverse(*page)))?;
            if gain == 0 || shorter.starts.len() > MOST_STARTS {
                return None;
            }
            shorter.starts.push(best);
            shorter.hubs.extend(self.class_of[best]);
        }
    }

    /// The objects that nothing led to yet of a page and of those it links to.
    fn objects_at(&self, page: usize, reach: &Reach) -> HashSet<u32> {
        let links = self.graph.links(page).iter();
        let all = links.flat_map(|link| self.new_objects(*link as usize, reach));
        all.chain(self.new_objects(page, reach)).collect()
    }
}
