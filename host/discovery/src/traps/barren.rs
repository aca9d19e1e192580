//! Kinds of pages without objects that lead to nothing but more of their kind.

use super::trap::TrapSettings;

/// Minimum number among the last 64 pages of a kind that lead to more of it. Otherwise the series
/// ends by itself.
const MIN_FEEDING: u32 = 16;

/// The yield of pages of one kind.
#[derive(Debug, Default)]
pub(super) struct Yield {
    pages: u32,
    /// One bit per page, the newest lowest: whether it led to a new page of another kind.
    leads: u64,
    /// The same: whether it led to a new page of its own kind.
    feeds: u64,
    had_objects: bool,
    is_barren: bool,
}

/// The yield of one page.
#[derive(Clone, Copy, Debug)]
pub(super) struct Brought {
    pub(super) objects: bool,
    /// New pages of its kind.
    pub(super) own: bool,
    /// New pages of other kinds.
    pub(super) others: bool,
}

impl Yield {
    pub(super) fn learn(&mut self, brought: Brought, settings: &TrapSettings) {
        self.pages = self.pages.saturating_add(1);
        self.leads = self.leads << 1 | u64::from(brought.others);
        self.feeds = self.feeds << 1 | u64::from(brought.own);
        self.had_objects |= brought.objects;
        // It stays so: what is refused from now on feeds nothing any more.
        self.is_barren |=
            self.pages >= settings.max_barren && self.leads == 0 && self.feeds.count_ones() >= MIN_FEEDING;
        self.is_barren &= !self.had_objects;
    }

    /// Returns the number of pages, if more would be useless.
    pub(super) fn barren(&self) -> Option<u32> {
        self.is_barren.then_some(self.pages)
    }
}
