//! Heaps with stale entries.
//!
//! An entry has the stamp of its owner at the time of insertion. A changed owner gets a new stamp
//! and a new entry; the old one is skipped when it surfaces. That is several times faster than
//! finding and moving the old entry. The additional memory is bounded by pruning.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Minimum number of stale entries for a heap to be pruned, if they are also more than half of it.
const MIN_STALE_FOR_PRUNING: usize = 64;
/// Ranks are recomputed when this part of the heap was taken since the last time, as a reciprocal.
const RERANK_RECIPROCAL: usize = 8;

/// An index in some table, its stamp at the time, and its rank.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ranked {
    pub(super) rank: f64,
    pub(super) index: u32,
    pub(super) stamp: u32,
}

impl Ord for Ranked {
    fn cmp(&self, other: &Self) -> Ordering {
        // Ties are resolved by index, so that equal calls give the same order.
        let by_rank = self.rank.total_cmp(&other.rank);
        by_rank.then_with(|| other.index.cmp(&self.index))
    }
}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Ranked {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Ranked {}

/// A heap with the highest rank on top.
#[derive(Clone, Debug, Default)]
pub(super) struct Heap {
    heap: BinaryHeap<Ranked>,
    taken: usize,
}

impl Heap {
    pub(super) fn push(&mut self, ranked: Ranked) {
        self.heap.push(ranked);
    }

    /// Returns the highest entry, stale or not.
    pub(super) fn top(&self) -> Option<&Ranked> {
        self.heap.peek()
    }

    /// Returns the highest current entry; drops stale ones above it.
    pub(super) fn peek(&mut self, current: impl Fn(&Ranked) -> bool) -> Option<Ranked> {
        while let Some(top) = self.heap.peek() {
            if current(top) {
                return Some(*top);
            }
            self.heap.pop();
        }
        None
    }

    /// Takes the highest current entry.
    pub(super) fn pop(&mut self, current: impl Fn(&Ranked) -> bool) -> Option<Ranked> {
        let top = self.peek(current)?;
        self.heap.pop();
        self.taken += 1;
        Some(top)
    }

    /// Drops stale entries if there are too many beside the `live` ones.
    pub(super) fn prune(&mut self, live: usize, current: impl Fn(&Ranked) -> bool) {
        if self.heap.len() > 2 * live + MIN_STALE_FOR_PRUNING {
            self.heap.retain(current);
        }
    }

    /// Recomputes all ranks, if enough entries were taken since the last time.
    pub(super) fn rerank(&mut self, rank: impl Fn(&Ranked) -> Option<f64>) {
        // Ranks rise at different speeds. At this pace they are never far behind, at a constant
        // cost per entry taken.
        if self.taken * RERANK_RECIPROCAL <= self.heap.len() || self.taken == 0 {
            return;
        }
        self.taken = 0;
        let old = std::mem::take(&mut self.heap).into_vec();
        let fresh = old.into_iter().filter_map(|entry| {
            Some(Ranked {
                rank: rank(&entry)?,
                ..entry
            })
        });
        self.heap = fresh.collect();
    }
}
