//! What counts as a change of a page.

use serde::{Deserialize, Serialize};

/// What has to differ for a page to have changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Meaning {
    /// Any byte.
    Bytes,
    /// Its text as a person reads it.
    Text,
    /// The objects extracted from it: advertisements and clocks are no news.
    #[default]
    Objects,
}

/// One fetched version of a page, as digests; who computes them decides how.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Print {
    /// Of the body.
    pub bytes: u64,
    /// Of the text.
    pub text: u64,
    /// Of the objects, in an order of their own; none when nothing could be extracted.
    pub objects: Option<u64>,
}

impl Meaning {
    /// Whether a page changed from one version to the next.
    ///
    /// Objects are compared where both versions have some. Where neither has, as on a page of links,
    /// the text decides; where only one has, it changed.
    pub fn changed(self, before: &Print, after: &Print) -> bool {
        match self {
            Self::Bytes => before.bytes != after.bytes,
            Self::Text => before.text != after.text,
            Self::Objects if before.objects.is_none() && after.objects.is_none() => before.text != after.text,
            Self::Objects => before.objects != after.objects,
        }
    }
}
