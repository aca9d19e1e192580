//! The order by yield, in which `learn` fetches pages, as a strategy of the guided crawl.

use std::collections::{HashMap, HashSet, VecDeque};

use magpie_discovery::{Brought, Group, PageOrder};
use magpie_focus::PageId;
use magpie_focus::strategy::{Link, Strategy, Visit};

use super::path_number;

/// Fetches pages of the group that brings most objects, its own and those of the pages it leads to.
#[derive(Clone, Debug, Default)]
pub(crate) struct ByYield {
    order: PageOrder,
    queues: HashMap<Group, VecDeque<PageId>>,
    group_of: HashMap<PageId, Group>,
    visited: HashSet<PageId>,
}

impl ByYield {
    /// Queues a page. Returns its group if it is new.
    fn queue(&mut self, page: &Link<'_>) -> Option<Group> {
        if self.group_of.contains_key(&page.target) {
            return None;
        }
        let group = self.order.group(page.url, path_number(page.path));
        self.group_of.insert(page.target, group);
        if self.visited.contains(&page.target) {
            return None;
        }
        self.queues.entry(group).or_default().push_back(page.target);
        self.order.queued(group, 1);
        Some(group)
    }
}

impl Strategy for ByYield {
    fn offer(&mut self, page: &Link<'_>) {
        self.queue(page);
    }

    fn next(&mut self) -> Option<PageId> {
        loop {
            let group = self.order.turn()?;
            let page = self.queues.get_mut(&group).and_then(VecDeque::pop_front);
            let Some(page) = page else {
                self.order.emptied(group);
                continue;
            };
            self.order.taken(group);
            if !self.visited.contains(&page) {
                return Some(page);
            }
        }
    }

    fn visited(&mut self, visit: &Visit<'_>) {
        if !self.visited.insert(visit.page) {
            return;
        }
        let offered: Vec<Group> = visit.links.iter().filter_map(|link| self.queue(link)).collect();
        if let Some(group) = self.group_of.get(&visit.page) {
            let brought = Brought {
                // A visit has no count of the objects that other pages had before.
                objects: visit.new_objects,
                new_objects: visit.new_objects,
                offered,
                is_page: true,
            };
            self.order.learn(*group, &brought);
        }
    }
}
