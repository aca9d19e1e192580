//! The pages of a queue: what is known of each, when it is due, and what a visit is worth.

use crate::change::Goal;

use super::frequency::Page;
use super::ranked::Ranked;

/// All pages, by place.
#[derive(Clone, Debug, Default)]
pub(super) struct Table {
    pub(super) goal: Goal,
    pub(super) price: f64,
    pub(super) longest_gap: f64,
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
    pub(super) fn new(goal: Goal, price: f64, longest_gap: f64) -> Self {
        Self {
            goal,
            price,
            longest_gap,
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
        let Some(place) = self.free.pop() else {
            self.entries.push(entry);
            return self.entries.len() as u32 - 1;
        };
        // The stamp goes on, so that what the former owner left in the heaps stays out of date.
        let stamp = self.entries[place as usize].stamp;
        self.entries[place as usize] = Entry { stamp, ..entry };
        place
    }

    /// A page that was not removed.
    pub(super) fn get(&self, place: u32) -> Option<&Entry> {
        let entry = self.entries.get(place as usize)?;
        (entry.state != State::Removed).then_some(entry)
    }

    /// Changes a page. Whatever the heaps hold of it is out of date from here on.
    pub(super) fn change(&mut self, place: u32, change: impl FnOnce(&mut Entry)) -> bool {
        let known = self.get(place).is_some();
        if known {
            let entry = &mut self.entries[place as usize];
            entry.stamp = entry.stamp.wrapping_add(1);
            change(entry);
        }
        known
    }

    pub(super) fn remove(&mut self, place: u32) -> Option<u32> {
        let site = self.get(place)?.site;
        self.change(place, |entry| entry.state = State::Removed);
        self.free.push(place);
        Some(site)
    }

    /// All pages, those that were removed included.
    pub(super) fn places(&self) -> std::ops::Range<u32> {
        0..self.entries.len() as u32
    }

    /// The pages that wait.
    pub(super) fn waiting(&self) -> impl Iterator<Item = u32> + '_ {
        let places = (0..).zip(&self.entries);
        places
            .filter(|(_, entry)| entry.is_waiting())
            .map(|(place, _)| place)
    }

    /// An entry for the heap of waiting pages: the earliest due time ranks highest.
    pub(super) fn by_time(&self, place: u32) -> Option<Ranked> {
        let entry = self.get(place)?;
        Some(Ranked {
            rank: -self.due(entry),
            place,
            stamp: entry.stamp,
        })
    }

    /// An entry for the heap of pages that are due.
    pub(super) fn by_value(&self, place: u32, now: f64) -> Option<Ranked> {
        let entry = self.get(place)?;
        Some(Ranked {
            rank: self.value(entry, now),
            place,
            stamp: entry.stamp,
        })
    }

    /// Whether a heap's entry says what is so.
    pub(super) fn holds(&self, ranked: &Ranked) -> bool {
        let entry = &self.entries[ranked.place as usize];
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
        // Without a budget nothing is due, not even what was never fetched.
        if self.price == f64::INFINITY {
            return f64::INFINITY;
        }
        // A page that was never fetched and is never worth a visit: the longest gap began at minus infinity.
        let gap = gap.min(self.longest_gap);
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
