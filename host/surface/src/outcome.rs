//! The result of one request to a search form.

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

/// Identifies an object: equal for two records of one object.
pub type ObjectId = u64;

/// Signature shared by all empty result pages.
const EMPTY: u64 = 0;

/// The objects and the appearance of one result page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Outcome {
    /// Ids of the objects on the page, sorted and distinct.
    pub objects: Vec<ObjectId>,
    /// Hash of the text of the page, for pages that no vertical reads.
    pub page_signature: u64,
    /// True if the page has no results.
    pub is_empty: bool,
    /// Total number of results, if the page states it.
    pub reported_count: Option<u64>,
    /// True if there is a next page of results.
    pub has_next: bool,
}

impl Outcome {
    /// Creates the outcome of a page with these objects and no next page.
    pub fn new(objects: impl IntoIterator<Item = ObjectId>) -> Outcome {
        let mut objects: Vec<ObjectId> = objects.into_iter().collect();
        objects.sort_unstable();
        objects.dedup();
        Outcome {
            is_empty: objects.is_empty(),
            objects,
            ..Outcome::default()
        }
    }

    /// Returns a hash of the set of objects; of the page, if no object was read from it. All empty
    /// pages have one signature.
    pub(crate) fn result_signature(&self) -> u64 {
        if self.is_empty {
            return EMPTY;
        }
        if self.objects.is_empty() {
            return self.page_signature;
        }
        let bytes: Vec<u8> = self.objects.iter().flat_map(|id| id.to_le_bytes()).collect();
        xxh3_64(&bytes).max(1)
    }

    /// Returns true if the page has all results of its query.
    pub(crate) fn is_complete(&self) -> bool {
        let shown = self.objects.len() as u64;
        !self.has_next && self.reported_count.is_none_or(|count| count <= shown)
    }

    /// Returns the total number of results, if the page states or shows it.
    pub(crate) fn total(&self) -> Option<u64> {
        let shown = self.objects.len() as u64;
        match self.reported_count {
            Some(count) => Some(count.max(shown)),
            None => (!self.has_next).then_some(shown),
        }
    }
}
