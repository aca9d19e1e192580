//! A matcher that has other processes compare.

use std::error::Error;

use magpie_model::{Matcher, Merged, Object, Pair, Prepared, Verdict};

use super::Remembering;

/// Fewer pairs are compared sooner than others begin: about a tenth of a second of a processor.
const FEW: usize = 10_000;

/// Processes that compare records for this one.
pub trait Comparers {
    /// Compares pairs of records of a vertical, as the component does that clusters it. Returns
    /// `None` if there are no such processes, or the comparison was stopped.
    fn compare(
        &self,
        vertical: &str,
        pairs: &[Pair<'_>],
    ) -> Result<Option<Vec<Option<Verdict>>>, Box<dyn Error + Send + Sync>>;
}

pub(super) struct Shared<'s, M> {
    pub(super) matcher: M,
    pub(super) others: &'s dyn Comparers,
    pub(super) vertical: &'s str,
}

/// Reason why a comparison failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum SharedError<E: Error> {
    #[error(transparent)]
    Matcher(#[from] E),
    #[error(transparent)]
    Others(Box<dyn Error + Send + Sync>),
}

impl<M: Remembering> Matcher for Shared<'_, M> {
    type Error = SharedError<M::Error>;

    fn prepare(&mut self, objects: &[Object]) -> Result<Vec<Prepared>, Self::Error> {
        Ok(self.matcher.prepare(objects)?)
    }

    fn compare(&mut self, one: &[u8], many: &[&[u8]]) -> Result<Vec<Verdict>, Self::Error> {
        Ok(self.matcher.compare(one, many)?)
    }

    fn compare_pairs(&mut self, pairs: &[Pair<'_>]) -> Result<Vec<Option<Verdict>>, Self::Error> {
        if pairs.len() >= FEW
            && let Some(verdicts) = self
                .others
                .compare(self.vertical, pairs)
                .map_err(SharedError::Others)?
        {
            return Ok(verdicts);
        }
        Ok(self.matcher.compare_pairs(pairs)?)
    }

    fn merge(&mut self, objects: &[Object]) -> Result<Merged, Self::Error> {
        Ok(self.matcher.merge(objects)?)
    }
}

impl<M: Remembering> Remembering for Shared<'_, M> {
    type Refusal = M::Refusal;

    fn remember(&mut self, features: &[u8]) -> Result<(), Self::Refusal> {
        self.matcher.remember(features)
    }
}
