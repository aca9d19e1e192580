//! The queries of a round.

use std::collections::{HashMap, VecDeque};

use magpie_surface::probe::Query;

/// Queries that a round asks in place of those that seem best.
#[derive(Default)]
pub(super) struct QueryQueue {
    queue: VecDeque<Query>,
    /// The number of pages of results that are read of a query in any case.
    pages: HashMap<String, u32>,
}

impl QueryQueue {
    /// Adds a query with the number of pages of results that are read.
    pub(super) fn add(&mut self, query: &str, pages: u32) {
        let depth = self.pages.entry(query.to_owned()).or_default();
        if *depth == 0 {
            self.queue.push_back(Query {
                keyword: query.to_owned(),
                page: 0,
            });
        }
        *depth = pages.max(*depth);
    }

    pub(super) fn len(&self) -> usize {
        self.queue.len()
    }

    pub(super) fn take(&mut self, count: usize) -> Vec<Query> {
        let count = count.min(self.queue.len());
        self.queue.drain(..count).collect()
    }

    /// Adds the next page of an answer if it is one of those to read, or if the answer was new:
    /// where a round meets something new, there may be more of it.
    pub(super) fn follow(&mut self, query: &Query, is_new: bool) {
        let depth = self.pages.get(&query.keyword).copied().unwrap_or(1);
        if is_new || query.page + 1 < depth {
            self.queue.push_front(Query {
                keyword: query.keyword.clone(),
                page: query.page + 1,
            });
        }
    }
}
