//! Numbers by which rows are named.

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SiteId(pub i64);

/// A URL's number in the database. Numbers grow in the order URLs were found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UrlId(pub i64);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunId(pub i64);

/// A page's number in the database: one fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PageId(pub i64);

/// The number of an object, which people type. Numbers are never given again.
///
/// A store with several shards keeps the shard in the lowest bits, `number = count << bits |
/// shard`, where `count` grows from 1 within the shard and `bits` is fixed when the store is made:
/// 8 for 256 shards. A folder is one shard without bits, so its numbers are 1, 2, 3. Counts grow
/// alike in all shards, so a greater number is about a newer object; nothing may depend on more
/// than that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId(pub i64);

impl std::fmt::Display for ObjectId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0)
    }
}
