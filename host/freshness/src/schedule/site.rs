//! The pages of one site in a queue.

use super::ranked::{Heap, Ranked};
use super::table::Table;

/// One site: its waiting pages, its due pages, and its next access time.
#[derive(Clone, Debug, Default)]
pub(super) struct Site {
    pub(super) gap: f64,
    pub(super) free_at: f64,
    pub(super) pages: usize,
    /// Entries of this site in the queue's heaps with another stamp are stale.
    pub(super) stamp: u32,
    /// Time at which the queue next handles the site; minus infinity while it has a due page.
    pub(super) scheduled: f64,
    waiting: Heap,
    ready: Heap,
}

impl Site {
    pub(super) fn new(gap: f64) -> Self {
        Self {
            gap: gap.max(0.0),
            free_at: f64::NEG_INFINITY,
            scheduled: f64::INFINITY,
            ..Self::default()
        }
    }

    pub(super) fn enqueue(&mut self, ranked: Ranked, table: &Table) {
        self.waiting.push(ranked);
        self.waiting.prune(self.pages, |ranked| table.is_current(ranked));
        self.ready.prune(self.pages, |ranked| table.is_current(ranked));
    }

    /// Moves pages that have become due to the heap by value.
    pub(super) fn move_due(&mut self, table: &Table, now: f64) {
        while let Some(first) = self.waiting.peek(|ranked| table.is_current(ranked)) {
            if -first.rank > now {
                break;
            }
            self.waiting.pop(|_| true);
            if let Some(ranked) = table.by_value(first.index, now) {
                self.ready.push(ranked);
            }
        }
    }

    /// Returns the time at which a page can be taken, after `move_due`.
    pub(super) fn next(&mut self, table: &Table) -> f64 {
        if self.ready.peek(|ranked| table.is_current(ranked)).is_some() {
            return self.free_at;
        }
        let first = self.waiting.peek(|ranked| table.is_current(ranked));
        first.map_or(f64::INFINITY, |first| self.free_at.max(-first.rank))
    }

    /// Returns the approximate value of its best page; the ranking may be slightly stale.
    pub(super) fn best(&self, table: &Table, now: f64) -> f64 {
        let top = self.ready.top();
        let value = top.and_then(|ranked| table.by_value(ranked.index, now));
        value.map_or(f64::NEG_INFINITY, |ranked| ranked.rank)
    }

    /// Takes the most valuable page.
    pub(super) fn take(&mut self, table: &Table, now: f64) -> Option<u32> {
        self.ready.rerank(|ranked| {
            let current = table.is_current(ranked);
            current
                .then(|| table.by_value(ranked.index, now))?
                .map(|fresh| fresh.rank)
        });
        let top = self.ready.pop(|ranked| table.is_current(ranked))?;
        self.free_at = now + self.gap;
        Some(top.index)
    }
}
