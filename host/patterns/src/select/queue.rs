//! A priority queue with the highest score first.
//!
//! A binary heap of a million entries misses the cache at every level. Here scores are sorted
//! roughly into buckets, which are plain lists, and only the highest bucket is a heap. The order is
//! that of a single heap.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap};

/// Bits of a score that a level ignores, which leaves 64 levels for each power of two.
const DROPPED_BITS: u32 = 46;

/// An item with its score when it was last evaluated.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    /// Non-negative.
    pub(super) score: f64,
    /// Tie-breaker of equal scores: larger first.
    pub(super) tie: f32,
    pub(super) item: u32,
    /// Version of the item's entry; older ones are invalid.
    pub(super) version: u32,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Queue {
    /// Entries of the highest level, and later ones with higher scores.
    best: BinaryHeap<Entry>,
    level: u64,
    below: BTreeMap<u64, Vec<Entry>>,
}

impl Queue {
    pub(super) fn push(&mut self, entry: Entry) {
        let level = level(&entry);
        if level >= self.level && !self.best.is_empty() {
            self.best.push(entry);
        } else {
            self.below.entry(level).or_default().push(entry);
        }
    }

    pub(super) fn pop(&mut self) -> Option<Entry> {
        self.refill();
        self.best.pop()
    }

    pub(super) fn peek(&mut self) -> Option<&Entry> {
        self.refill();
        self.best.peek()
    }

    pub(super) fn clear(&mut self) {
        self.best.clear();
        self.below.clear();
    }

    /// Moves the next level into the heap when that is empty.
    fn refill(&mut self) {
        if self.best.is_empty()
            && let Some((level, entries)) = self.below.pop_last()
        {
            self.level = level;
            self.best = BinaryHeap::from(entries);
        }
    }
}

/// Returns the level of an entry. Non-negative floats sort like their bits.
fn level(entry: &Entry) -> u64 {
    entry.score.max(0.0).to_bits() >> DROPPED_BITS
}

impl Ord for Entry {
    /// Orders by score, then by tie-breaker, then lower items first.
    fn cmp(&self, other: &Entry) -> Ordering {
        self.score
            .total_cmp(&other.score)
            .then(self.tie.total_cmp(&other.tie))
            .then(other.item.cmp(&self.item))
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Entry) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Entry) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Entry {}
