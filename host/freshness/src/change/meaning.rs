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
    /// The hash of the text; none if it was not read.
    pub text: Option<u64>,
    /// Of the objects, in an order of their own; none when nothing could be extracted.
    pub objects: Option<u64>,
}

impl Meaning {
    /// Returns `true` if a page changed from one version to the next, and `None` if the digests
    /// cannot tell. Only digests of one kind are compared.
    ///
    /// Objects are compared where both versions have some. Where neither has, as on a page of links,
    /// the text decides, or the bytes if one of the texts was not read; where only one has, it
    /// changed. Of texts that were not read, equal bytes tell that they are equal.
    pub fn changed(self, before: &Print, after: &Print) -> Option<bool> {
        let is_other_body = before.bytes != after.bytes;
        let is_other_text = before.text.zip(after.text).map(|(before, after)| before != after);
        match self {
            Self::Bytes => Some(is_other_body),
            Self::Text => is_other_text.or((!is_other_body).then_some(false)),
            Self::Objects if before.objects.is_none() && after.objects.is_none() => {
                is_other_text.or(Some(is_other_body))
            }
            Self::Objects => Some(before.objects != after.objects),
        }
    }
}
