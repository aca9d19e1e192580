//! The pages of a queue: belief, due time, and value of a visit.

use crate::change::Goal;

use super::frequency::Page;
use super::ranked::Ranked;

/// All pages by index.
#[derive(Clone, Debug, Default)]
pub(super) struct Table {
    pub(super) goal: Goal,
    pub(super) price: f64,
    pub(super) max_gap: f64,
    entries: Vec<Entry>,
    free: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) page: Page,
    pub(super) last: f64,
    pub(super) site: u32,
    stamp: u32,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Waiting,
    Taken,
    Removed,
}

impl Table {
    pub(super) fn new(goal: Goal, price: f64, max_gap: f64) -> Self {
        Self {
            goal,
            price,
            max_gap,
            ..Self::default()
        }
    }

    pub(super) fn add(&mut self, page: Page, site: u32, last: f64) -> u32 {
        let entry = Entry {
            page,
            last,
            site,
            stamp: 0,
            state: State::Waiting,
        };
        let Some(index) = self.free.pop() else {
            self.entries.push(entry);
            return self.entries.len() as u32 - 1;
        };
        // The stamp continues, so that the former owner's entries in the heaps stay stale.
        let stamp = self.entries[index as usize].stamp;
        self.entries[index as usize] = Entry { stamp, ..entry };
        index
    }

    /// Returns a page that was not removed.
    pub(super) fn get(&self, index: u32) -> Option<&Entry> {
        let entry = self.entries.get(index as usize)?;
        (entry.state != State::Removed).then_some(entry)
    }

    /// Changes a page, which makes its entries in the heaps stale.
    pub(super) fn change(&mut self, index: u32, change: impl FnOnce(&mut Entry)) -> bool {
        let known = self.get(index).is_some();
        if known {
            let entry = &mut self.entries[index as usize];
            entry.stamp = entry.stamp.wrapping_add(1);
            change(entry);
        }
        known
    }

    pub(super) fn remove(&mut self, index: u32) -> Option<u32> {
        let site = self.get(index)?.site;
        self.change(index, |entry| entry.state = State::Removed);
        self.free.push(index);
        Some(site)
    }

    /// Returns an entry for the heap of waiting pages: the earliest due time has the highest rank.
    pub(super) fn by_time(&self, index: u32) -> Option<Ranked> {
        let entry = self.get(index)?;
        Some(Ranked {
            rank: -self.due(entry),
            index,
            stamp: entry.stamp,
        })
    }

    /// Returns an entry for the heap of due pages.
    pub(super) fn by_value(&self, index: u32, now: f64) -> Option<Ranked> {
        let entry = self.get(index)?;
        Some(Ranked {
            rank: self.value(entry, now),
            index,
            stamp: entry.stamp,
        })
    }

    /// Returns true if a heap's entry is current.
    pub(super) fn is_current(&self, ranked: &Ranked) -> bool {
        let entry = &self.entries[ranked.index as usize];
        entry.stamp == ranked.stamp && entry.is_waiting()
    }

    pub(super) fn due(&self, entry: &Entry) -> f64 {
        let gap = if entry.page.weight > 0.0 {
            entry
                .page
                .belief
                .gap_for(self.goal, self.price / entry.page.weight)
        } else {
            f64::INFINITY
        };
        // Without a budget nothing is due, not even pages that were never fetched.
        if self.price == f64::INFINITY {
            return f64::INFINITY;
        }
        // A page that was never fetched and is never worth a visit: its maximum gap began at minus
        // infinity.
        let gap = gap.min(self.max_gap);
        if gap.is_infinite() {
            f64::INFINITY
        } else {
            entry.last + gap
        }
    }

    pub(super) fn value(&self, entry: &Entry, now: f64) -> f64 {
        entry.page.weight.max(0.0) * entry.page.belief.value(self.goal, now - entry.last)
    }
}

impl Entry {
    pub(super) fn is_waiting(&self) -> bool {
        self.state == State::Waiting
    }

    pub(super) fn set_taken(&mut self) {
        self.state = State::Taken;
    }

    pub(super) fn set_waiting(&mut self) {
        self.state = State::Waiting;
    }
}
