//! Novelty of pages of one kind.

use super::trap::TrapSettings;

/// Fingerprints of one kind that are remembered, the newest.
const MAX_CONTENTS: usize = 256;

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

    pub(super) fn learn(&mut self, content: u64) {
        let is_new = !self.contents.contains(&content);
        self.pages = self.pages.saturating_add(1);
        self.lately = self.lately << 1 | u64::from(is_new);
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
