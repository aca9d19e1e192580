//! The pages of one site in a queue.

use super::ranked::{Heap, Ranked};
use super::table::Table;

/// One site: its waiting pages, those that are due, and when it may be asked.
#[derive(Clone, Debug, Default)]
pub(super) struct Site {
    pub(super) gap: f64,
    pub(super) free_at: f64,
    pub(super) pages: usize,
    /// Entries of this site in the queue's heaps with another stamp are out of date.
    pub(super) stamp: u32,
    /// When the queue next looks at it; minus infinity while it has something to give.
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

    pub(super) fn enter(&mut self, ranked: Ranked, table: &Table) {
        self.waiting.push(ranked);
        self.waiting.sweep(self.pages, |ranked| table.holds(ranked));
        self.ready.sweep(self.pages, |ranked| table.holds(ranked));
    }

    /// Forgets the order of all pages, before they enter again.
    pub(super) fn clear(&mut self) {
        self.waiting = Heap::default();
        self.ready = Heap::default();
        self.scheduled = f64::INFINITY;
        self.stamp = self.stamp.wrapping_add(1);
    }

    /// Ranks by value what has come due.
    pub(super) fn stir(&mut self, table: &Table, now: f64) {
        while let Some(first) = self.waiting.peek(|ranked| table.holds(ranked)) {
            if -first.rank > now {
                break;
            }
            self.waiting.pop(|_| true);
            if let Some(ranked) = table.by_value(first.place, now) {
                self.ready.push(ranked);
            }
        }
    }

    /// When there is something to give, after `stir`.
    pub(super) fn next(&mut self, table: &Table) -> f64 {
        if self.ready.peek(|ranked| table.holds(ranked)).is_some() {
            return self.free_at;
        }
        let first = self.waiting.peek(|ranked| table.holds(ranked));
        first.map_or(f64::INFINITY, |first| self.free_at.max(-first.rank))
    }

    /// About what its best page is worth: which one that is may be a little behind.
    pub(super) fn best(&self, table: &Table, now: f64) -> f64 {
        let top = self.ready.top();
        let value = top.and_then(|ranked| table.by_value(ranked.place, now));
        value.map_or(f64::NEG_INFINITY, |ranked| ranked.rank)
    }

    /// Takes the page that is worth most.
    pub(super) fn take(&mut self, table: &Table, now: f64) -> Option<u32> {
        self.ready.freshen(|ranked| {
            let current = table.holds(ranked);
            current
                .then(|| table.by_value(ranked.place, now))?
                .map(|fresh| fresh.rank)
        });
        let top = self.ready.pop(|ranked| table.holds(ranked))?;
        self.free_at = now + self.gap;
        Some(top.place)
    }
}
