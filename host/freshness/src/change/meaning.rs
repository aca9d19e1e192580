//! Definitions of a change of a page.

use serde::{Deserialize, Serialize};

/// The part of a page whose difference is a change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Meaning {
    /// Any byte.
    Bytes,
    /// The visible text.
    Text,
    /// The extracted objects: changes of advertisements and clocks do not count.
    #[default]
    Objects,
}

/// Hashes of one fetched version of a page. The caller chooses the hash functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Print {
    /// Hash of the body.
    pub bytes: u64,
    /// Hash of the text; `None` if it was not read.
    pub text: Option<u64>,
    /// Hash of the objects, independent of their order; `None` if nothing could be extracted.
    pub objects: Option<u64>,
}

impl Meaning {
    /// Returns true if a page changed from one version to the next, and `None` if the hashes cannot
    /// tell. Only hashes of the same kind are compared.
    ///
    /// Objects are compared if both versions have some. If neither has, as on a page of links, the
    /// text decides, or the bytes if one of the texts was not read. If only one has objects, the
    /// page changed.
    pub fn changed(self, before: &Print, after: &Print) -> Option<bool> {
        let is_other_body = before.bytes != after.bytes;
        let is_other_text = before.text.zip(after.text).map(|(before, after)| before != after);
        match self {
            Self::Bytes => Some(is_other_body),
            // Equal bytes prove that texts are equal that were not read. Other bytes prove nothing.
            Self::Text => is_other_text.or((!is_other_body).then_some(false)),
            Self::Objects if before.objects.is_none() && after.objects.is_none() => {
                is_other_text.or(Some(is_other_body))
            }
            Self::Objects => Some(before.objects != after.objects),
        }
    }
}
