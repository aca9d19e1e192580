//! Clustering with a plugin: adapts it to the trait `Matcher`.

use magpie_model::Object;
use magpie_model::{Matcher, Merged, Prepared, Verdict};

use crate::fault::CallError;
use crate::plugin::Plugin;

/// Number of objects passed to `prepare` at a time: enough to make the cost of a call negligible,
/// and few enough for its memory and result limits.
const PREPARED_AT_A_TIME: usize = 500;

/// Number of candidates compared with one object at a time.
const COMPARED_AT_A_TIME: usize = 2_000;

/// Matcher that asks a plugin which objects are the same.
pub struct PluginMatcher<'a>(pub &'a Plugin);

impl Matcher for PluginMatcher<'_> {
    type Error = CallError;

    fn prepare(&mut self, objects: &[Object]) -> Result<Vec<Prepared>, CallError> {
        let mut all = Vec::with_capacity(objects.len());
        for some in objects.chunks(PREPARED_AT_A_TIME) {
            all.extend(self.0.prepare(some).outcome?);
        }
        Ok(all)
    }

    fn compare(&mut self, one: &[u8], many: &[&[u8]]) -> Result<Vec<Verdict>, CallError> {
        let mut all = Vec::with_capacity(many.len());
        for some in many.chunks(COMPARED_AT_A_TIME) {
            all.extend(self.0.compare(one, some).outcome?);
        }
        Ok(all)
    }

    fn merge(&mut self, objects: &[Object]) -> Result<Merged, CallError> {
        self.0.merge(objects).outcome
    }
}
