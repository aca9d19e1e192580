//! Items by score, the best first.
//!
//! A heap of a million entries misses the cache at every level. Scores are sorted roughly instead, into levels that
//! are plain lists, and the best level alone is a heap. The order is that of one heap.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap};

/// Bits of a score that a level leaves out: 64 levels for each doubling.
const LEFT_OUT: u32 = 46;

/// An item with the score it had when it was looked at last.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    /// Not negative.
    pub(super) score: f64,
    /// Between equal scores, the larger.
    pub(super) tie: f32,
    pub(super) item: u32,
    /// Which of the item's entries this is; older ones are void.
    pub(super) version: u32,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Queue {
    /// The entries of the best level, and better ones that came later.
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
        self.climb();
        self.best.pop()
    }

    pub(super) fn peek(&mut self) -> Option<&Entry> {
        self.climb();
        self.best.peek()
    }

    pub(super) fn clear(&mut self) {
        self.best.clear();
        self.below.clear();
    }

    /// Makes the next level the best one when that is used up.
    fn climb(&mut self) {
        if self.best.is_empty()
            && let Some((level, entries)) = self.below.pop_last()
        {
            self.level = level;
            self.best = BinaryHeap::from(entries);
        }
    }
}

/// Positive numbers are sorted like their bits.
fn level(entry: &Entry) -> u64 {
    entry.score.max(0.0).to_bits() >> LEFT_OUT
}

impl Ord for Entry {
    /// By score, then by the tie, then the item that comes first.
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
