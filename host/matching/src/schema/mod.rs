//! Clustering and queries by the schema alone, for verticals that bring neither.

mod compare;
mod evidence;
mod features;
mod keys;
mod merge;
mod person;
mod plan;
mod queries;
mod statistics;
mod words;

use magpie_model::{Object, VerticalInfo};

use magpie_model::{Matcher, Merged, Prepared, Verdict};

use features::Features;
use plan::Plan;
use statistics::Statistics;

pub use plan::naming;
pub use queries::queries;

/// Features that this matcher did not make, or made for another schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the features were not made by the schema's matcher, or for another schema; prepare the objects again"
)]
pub struct BadFeatures;

/// Compares objects by what their schema says of the attributes: kind, weight, and whether they
/// identify.
///
/// Every attribute that both objects have gives evidence for or against their being one, as the
/// logarithm of a likelihood ratio: agreement in something rare counts much, in something common
/// little; see the `evidence` module. A value that one of the two lacks is no evidence. The sum is
/// turned into a probability; it starts from the prior that two random objects are one.
///
/// The rarity of a word or value is counted over the objects prepared or [absorbed](Self::absorb).
/// Objects are taken in normal form, as [`magpie_model::Record::to_object`] gives them.
#[derive(Clone, Debug)]
pub struct SchemaMatcher {
    plan: Plan,
    statistics: Statistics,
}

impl SchemaMatcher {
    /// A matcher for the objects of a vertical.
    pub fn new(info: &VerticalInfo) -> Self {
        Self {
            plan: Plan::new(info),
            statistics: Statistics::default(),
        }
    }

    /// Counts features that were prepared in an earlier life, as if they had been prepared now.
    pub fn absorb(&mut self, features: &[u8]) -> Result<(), BadFeatures> {
        let features = Features::decode(features, &self.plan).ok_or(BadFeatures)?;
        self.statistics.observe(&features, &self.plan);
        Ok(())
    }
}

impl Matcher for SchemaMatcher {
    type Error = BadFeatures;

    fn prepare(&mut self, objects: &[Object]) -> Result<Vec<Prepared>, BadFeatures> {
        let mut all = Vec::with_capacity(objects.len());
        for object in objects {
            let bytes = features::encode(object, &self.plan);
            let features = Features::decode(&bytes, &self.plan).ok_or(BadFeatures)?;
            // Counted before any comparison, so that the rarity of a word does not depend on the
            // order of the objects.
            self.statistics.observe(&features, &self.plan);
            let keys = keys::keys(&features, &self.plan);
            all.push(Prepared {
                features: bytes,
                keys,
            });
        }
        Ok(all)
    }

    fn compare(&mut self, one: &[u8], many: &[&[u8]]) -> Result<Vec<Verdict>, BadFeatures> {
        let one = Features::decode(one, &self.plan).ok_or(BadFeatures)?;
        let verdict = |other: &&[u8]| {
            let other = Features::decode(other, &self.plan).ok_or(BadFeatures)?;
            Ok(compare::compare(&self.plan, &self.statistics, &one, &other))
        };
        many.iter().map(verdict).collect()
    }

    fn merge(&mut self, objects: &[Object]) -> Result<Merged, BadFeatures> {
        Ok(merge::merge(&self.plan, objects))
    }
}
