//! Removing what was collected, and bounding the archive.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use magpie_model::Record;
use magpie_values::Timestamp;

use crate::diff::Version;
use crate::error::StoreError;
use crate::history::AttributeChange;
use crate::words::PrunedBy;

/// Removes pages with all that came of them, and old bodies. While it does, nothing else may write
/// to the store, and no site may be leased.
///
/// Rows are removed in one transaction, and bodies after it. A process that is killed leaves files
/// that [`HouseStore::prune`] writes again or removes.
pub trait HouseStore {
    /// Removes the pages of URLs, with their records, bodies and entries in the index, and what the
    /// log of changes has of their objects. Objects that have other records stay. The URLs stay as
    /// refused.
    fn forget(&self, request: &Forgetting) -> Result<Forgotten, StoreError>;

    /// Queues URLs again that were refused because they are forgotten. Returns their number.
    fn recall(&self, urls: UrlTest) -> Result<u64, StoreError>;

    /// Does what is left of removals that were interrupted, and removes the oldest bodies until the
    /// archive is within its limits.
    fn prune(&self, limits: &ArchiveLimits, now: Timestamp) -> Result<Pruned, StoreError>;
}

/// Returns true for the URLs that are meant.
#[derive(Clone)]
pub struct UrlTest(pub Arc<dyn Fn(&str) -> bool + Send + Sync>);

impl fmt::Debug for UrlTest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("UrlTest")
    }
}

#[derive(Clone, Debug)]
pub struct Forgetting {
    pub urls: UrlTest,
    /// The reason that is kept with the URLs, for people.
    pub detail: String,
    pub now: Timestamp,
    /// Counts and changes nothing.
    pub is_dry: bool,
}

/// Numbers of rows that were removed, or would be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Forgotten {
    /// Keys of the sites that have no other URLs.
    pub sites: Vec<String>,
    pub urls: u64,
    pub pages: u64,
    pub records: u64,
    /// Objects without other records.
    pub objects: u64,
    /// Objects that lost some of their records.
    pub changed_objects: u64,
    /// Bytes of records in the archive.
    pub bytes: u64,
}

/// The limits of the archive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ArchiveLimits {
    /// Bodies that were last found before the first time are removed, but only once one of them was
    /// last found before the second. The delay keeps files from being rewritten for each body.
    pub oldest: Option<(Timestamp, Timestamp)>,
    /// Bytes of all files.
    pub bytes: Option<u64>,
}

/// Bodies that were removed from the archive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// Pages that lost their body.
    pub pages: u64,
    /// Bytes of all files before and after.
    pub before: u64,
    pub after: u64,
}

/// The removal of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BodyPruned {
    pub at: Timestamp,
    pub by: PrunedBy,
}

impl fmt::Display for BodyPruned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = self.at.to_string();
        let (day, _) = time.split_once('T').unwrap_or((&time, ""));
        write!(f, "the body was removed by `{}` on {day}", self.by.setting())
    }
}

/// Returns the version of an object that is to be merged again, by one of the records that it has
/// left. Its label stays if the record says it.
pub fn version_left(label: &str, record: Record, expires_at: Option<Timestamp>) -> Version {
    let says = |text: &str| record.values.iter().any(|value| value.value == text);
    let label = match says(label) {
        true => label,
        false => ["name", "title"]
            .into_iter()
            .find_map(|name| record.get(name))
            .or_else(|| record.values.first().map(|value| value.value.as_str()))
            .unwrap_or_default(),
    };
    Version {
        label: label.to_owned(),
        record,
        expires_at,
    }
}

/// Returns the change to a version whose earlier values are removed from the log. Followers know
/// them, so attributes that have no value any more are named, too.
pub fn values_left(before: &Record, after: &Record) -> Vec<AttributeChange> {
    let mut new: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for name in before.attributes().chain(after.attributes()) {
        new.insert(name, after.all(name).map(str::to_owned).collect());
    }
    let new = new.into_iter().map(|(name, new)| AttributeChange {
        attribute: name.to_owned(),
        old: Vec::new(),
        new,
    });
    new.collect()
}
