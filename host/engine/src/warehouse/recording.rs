//! A matcher that keeps its preparations, since the clustering keeps only hashes of keys.

use magpie_model::Object;
use magpie_model::{Matcher, Merged, Pair, Prepared, Verdict};

/// Passes everything on, and keeps what was prepared.
pub(super) struct Recording<'a, M> {
    pub(super) matcher: &'a mut M,
    prepared: Vec<Prepared>,
}

impl<'a, M> Recording<'a, M> {
    pub(super) fn new(matcher: &'a mut M) -> Self {
        Self {
            matcher,
            prepared: Vec::new(),
        }
    }

    /// Returns the records prepared since the last call, in order.
    pub(super) fn take(&mut self) -> Vec<Prepared> {
        std::mem::take(&mut self.prepared)
    }
}

impl<M: Matcher> Matcher for Recording<'_, M> {
    type Error = M::Error;

    fn prepare(&mut self, objects: &[Object]) -> Result<Vec<Prepared>, M::Error> {
        let mut prepared = self.matcher.prepare(objects)?;
        // As the clustering does: an object that was left out has no keys and stays alone.
        prepared.resize_with(objects.len(), Prepared::default);
        self.prepared.extend(prepared.iter().cloned());
        Ok(prepared)
    }

    fn compare(&mut self, one: &[u8], many: &[&[u8]]) -> Result<Vec<Verdict>, M::Error> {
        self.matcher.compare(one, many)
    }

    fn compare_pairs(&mut self, pairs: &[Pair<'_>]) -> Result<Vec<Option<Verdict>>, M::Error> {
        self.matcher.compare_pairs(pairs)
    }

    fn merge(&mut self, objects: &[Object]) -> Result<Merged, M::Error> {
        self.matcher.merge(objects)
    }
}
