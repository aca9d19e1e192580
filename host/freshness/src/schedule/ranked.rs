//! Heaps whose entries may be out of date.
//!
//! An entry carries the stamp its owner had when it was pushed. Whoever changes, gets a new stamp and
//! a new entry, and the old one is skipped when it comes up. That is several times quicker than to look for
//! the old entry and move it, at the price of some memory, which is bounded by sweeping.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// A heap is swept when more than half of it, and more than this, is out of date.
const SWEEP_FROM: usize = 64;
/// Ranks are brought up to date when a heap shrank by this part since.
const FRESH_PART: usize = 8;

/// A place in some table, its stamp then, and its rank.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ranked {
    pub(super) rank: f64,
    pub(super) place: u32,
    pub(super) stamp: u32,
}

impl Ord for Ranked {
    fn cmp(&self, other: &Self) -> Ordering {
        // By place where ranks are equal, so that the same calls give the same order.
        let by_rank = self.rank.total_cmp(&other.rank);
        by_rank.then_with(|| other.place.cmp(&self.place))
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

    /// The highest entry, up to date or not.
    pub(super) fn top(&self) -> Option<&Ranked> {
        self.heap.peek()
    }

    /// The highest entry that is up to date; those above it are dropped.
    pub(super) fn peek(&mut self, current: impl Fn(&Ranked) -> bool) -> Option<Ranked> {
        while let Some(top) = self.heap.peek() {
            if current(top) {
                return Some(*top);
            }
            self.heap.pop();
        }
        None
    }

    /// Takes the highest entry that is up to date.
    pub(super) fn pop(&mut self, current: impl Fn(&Ranked) -> bool) -> Option<Ranked> {
        let top = self.peek(current)?;
        self.heap.pop();
        self.taken += 1;
        Some(top)
    }

    /// Drops what is out of date if it is too much, when `live` entries are not.
    pub(super) fn sweep(&mut self, live: usize, current: impl Fn(&Ranked) -> bool) {
        if self.heap.len() > 2 * live + SWEEP_FROM {
            self.heap.retain(current);
        }
    }

    /// Gives every entry its rank of now, if enough were taken since that was done. Ranks that rise with
    /// time at different speeds are thereby never far behind, at a constant cost for each entry taken.
    pub(super) fn freshen(&mut self, rank: impl Fn(&Ranked) -> Option<f64>) {
        if self.taken * FRESH_PART <= self.heap.len() || self.taken == 0 {
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
