//! Novelty of pages of one kind.

use std::collections::VecDeque;

use super::trap::TrapSettings;

/// Fingerprints of one kind that are remembered, the newest.
const MAX_CONTENTS: usize = 256;

/// Bits in which simhashes of texts differ at most that are alike but for their figures, such as
/// the pages of an empty calendar. Texts that have nothing in common differ in 32 bits, give or
/// take 4.
const LIKE_BITS: u32 = 20;

/// Number of the last pages that decide: the bits of a number.
const WINDOW: u32 = 64;

/// The content of pages of one kind.
#[derive(Debug, Default)]
pub(super) struct Novelty {
    pages: u32,
    /// One bit per page, the newest lowest, set if its content was new.
    lately: u64,
    /// Fingerprints of contents, in a ring.
    contents: Vec<u64>,
    next: usize,
    /// Simhashes of pages of earlier runs, the newest.
    past: VecDeque<u64>,
    key_sets: Vec<u64>,
}

impl Novelty {
    pub(super) fn pages(&self) -> u32 {
        self.pages
    }

    pub(super) fn key_sets(&self) -> usize {
        self.key_sets.len()
    }

    pub(super) fn knows_keys(&self, keys: u64) -> bool {
        self.key_sets.contains(&keys)
    }

    fn count(&mut self, is_new: bool) {
        self.pages = self.pages.saturating_add(1);
        self.lately = self.lately << 1 | u64::from(is_new);
    }

    /// Learns a page of an earlier run. Its words are not known, so a page that brought something
    /// is new unless its simhash is known, and another one if none is like it.
    pub(super) fn restore(&mut self, simhash: u64, brought_something: bool) {
        let most = if brought_something { 0 } else { LIKE_BITS };
        let is_known = self.past.iter().any(|past| (past ^ simhash).count_ones() <= most);
        self.count(!is_known);
        if !is_known {
            if self.past.len() == MAX_CONTENTS {
                self.past.pop_front();
            }
            self.past.push_back(simhash);
        }
    }

    pub(super) fn learn(&mut self, content: u64) {
        let is_new = !self.contents.contains(&content);
        self.count(is_new);
        if !is_new {
            return;
        }
        if self.contents.len() < MAX_CONTENTS {
            self.contents.push(content);
        } else {
            self.contents[self.next % MAX_CONTENTS] = content;
            self.next += 1;
        }
    }

    pub(super) fn learn_keys(&mut self, keys: u64, limit: usize) {
        if self.key_sets.len() < limit && !self.knows_keys(keys) {
            self.key_sets.push(keys);
        }
    }

    /// Returns the percentage of pages with something new, if that is too low.
    pub(super) fn too_little(&self, settings: &TrapSettings) -> Option<u32> {
        if self.pages < settings.min_pages {
            return None;
        }
        let window = self.pages.clamp(1, WINDOW);
        let percent = self.lately.count_ones().min(window) * 100 / window;
        (percent < settings.min_new_percent).then_some(percent)
    }
}
