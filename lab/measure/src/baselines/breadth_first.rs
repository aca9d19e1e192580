//! Pages in the order in which they were found.

use std::collections::{HashSet, VecDeque};

use magpie_focus::PageId;
use magpie_focus::strategy::{Link, Strategy, Visit};

/// Fetches pages in the order in which they were found.
#[derive(Clone, Debug, Default)]
pub(crate) struct BreadthFirst {
    known: HashSet<PageId>,
    visited: HashSet<PageId>,
    queue: VecDeque<PageId>,
}

impl Strategy for BreadthFirst {
    fn offer(&mut self, page: &Link<'_>) {
        if self.known.insert(page.target) {
            self.queue.push_back(page.target);
        }
    }

    fn next(&mut self) -> Option<PageId> {
        loop {
            let page = self.queue.pop_front()?;
            if !self.visited.contains(&page) {
                return Some(page);
            }
        }
    }

    fn visited(&mut self, visit: &Visit<'_>) {
        self.known.insert(visit.page);
        self.visited.insert(visit.page);
        visit.links.iter().for_each(|link| self.offer(link));
    }
}
