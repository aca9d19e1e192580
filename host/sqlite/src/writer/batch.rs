//! The batch that is open.

use std::time::{Duration, Instant};

use crate::workspace::options::BatchLimits;

/// The size of the open batch, to know when it is full.
#[derive(Default)]
pub(super) struct Batch {
    /// When its first result came; none when none is open.
    since: Option<Instant>,
    pages: usize,
    offers: usize,
    bytes: usize,
    /// The last sequence in it.
    pub(super) sequence: u64,
}

impl Batch {
    pub(super) fn is_open(&self) -> bool {
        self.since.is_some()
    }

    pub(super) fn open(&mut self) {
        self.since = Some(Instant::now());
    }

    pub(super) fn add(&mut self, pages: usize, offers: usize, bytes: usize) {
        self.pages += pages;
        self.offers += offers;
        self.bytes += bytes;
    }

    pub(super) fn is_full(&self, limits: &BatchLimits) -> bool {
        self.pages >= limits.pages || self.offers >= limits.offers || self.bytes >= limits.bytes
    }

    /// Returns the time until the batch must be committed, or `None` if no batch is open.
    pub(super) fn time_left(&self, limits: &BatchLimits) -> Option<Duration> {
        self.since.map(|since| limits.age.saturating_sub(since.elapsed()))
    }

    /// Ends the batch; the sequence stays.
    pub(super) fn end(&mut self) {
        *self = Batch {
            sequence: self.sequence,
            ..Batch::default()
        };
    }
}
