//! Which objects are one thing: what a clustering decided, and what it needs to go on.
//!
//! A *member* is a record found on a URL; the same record on the same URL again is another sighting of it. A *cluster* is all
//! members that are one thing. Who decides that is not known here: whole batches of decisions are written, each in one transaction.

mod read;
mod standing;
mod write;

pub use read::{ClusterFilter, ClusterOrder, ClusterRow, ClusterTimes, MemberRow, SightingRow};
pub use standing::{FoundPage, FoundPages, MemberAt, MemberState, StandingRow};

use magpie_model::Record;
use magpie_values::Timestamp;

use crate::words::MatcherKind;

/// A cluster's number. Numbers are never given again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClusterNumber(pub i64);

impl std::fmt::Display for ClusterNumber {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// Who says which objects of a vertical are one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matching {
    /// The matcher; none before the first clustering, and while everything is clustered again.
    pub matcher: Option<MatcherKind>,
    /// The digest of the component.
    pub digest: String,
    /// The options it runs with, and the settings of the clustering, as JSON.
    pub options: String,
    /// The attributes with their kinds, as JSON.
    pub schema: String,
}

/// How far a vertical is clustered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WarehouseRow {
    /// Its number.
    pub id: i64,
    /// The vertical.
    pub vertical: String,
    /// By whom.
    pub matching: Matching,
    /// What was found on pages up to this one is clustered.
    pub page: i64,
    /// The last object that was taken in.
    pub object: i64,
    /// When something was done last, in milliseconds since 1970.
    pub clustered_at: i64,
}

/// What a clustering made of the next pages: written whole or not at all.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// The vertical, by the number of its [`WarehouseRow`].
    pub warehouse: i64,
    /// The last page that was looked at.
    pub page: i64,
    /// The last object that was taken in; none leaves what is recorded.
    pub object: Option<i64>,
    /// When it is written, in milliseconds since 1970.
    pub now: i64,
    /// Clusters that are new or changed.
    pub clusters: Vec<MergedCluster>,
    /// Clusters that are part of another from now on, in the order that happened.
    pub merged: Vec<(ClusterNumber, ClusterNumber)>,
    /// Members that are new, and those that came back after another took their place.
    pub members: Vec<NewMember>,
    /// Sightings of members, the first ones of new members among them.
    pub seen: Vec<Seen>,
    /// Members that did not stand on their page any more.
    pub gone: Vec<i64>,
    /// Those of them whose place another member of the same page and cluster took: they are compared no more.
    pub replaced: Vec<i64>,
    /// The links that joined members.
    pub links: Vec<WarehouseLink>,
}

/// A cluster with what its members say together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MergedCluster {
    /// Its number; the caller chooses new ones after [`Reader::last_cluster`](crate::Reader::last_cluster).
    pub id: i64,
    /// What to call it.
    pub label: String,
    /// The merged record.
    pub record: Record,
    /// Of each attribute the member its value comes from, as a JSON object.
    pub origins: String,
    /// How many members.
    pub members: u64,
    /// How many of them stand on their pages.
    pub current: u64,
    /// When it was seen first, in milliseconds since 1970.
    pub first_seen: i64,
    /// When it was seen last.
    pub last_seen: i64,
    /// The moment from which it is of no more interest.
    pub expires_at: Option<Timestamp>,
}

/// A member that takes part from now on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewMember {
    /// The object in which it was found first.
    pub id: i64,
    /// Its cluster.
    pub cluster: i64,
    /// The page's URL.
    pub url: String,
    /// The same for equal records.
    pub record_print: u128,
    /// When its page was fetched, in milliseconds since 1970.
    pub seen_at: i64,
    /// What the matcher compares.
    pub features: Vec<u8>,
    /// The keys under which it meets others: scheme and key.
    pub keys: Vec<(String, String)>,
}

/// What a member is compared by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PreparedMember {
    /// The member.
    pub id: i64,
    /// What the matcher compares.
    pub features: Vec<u8>,
    /// The keys under which it meets others: scheme and key.
    pub keys: Vec<(String, String)>,
}

/// A sighting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The member.
    pub member: i64,
    /// The object that it is; none when the site said that the page has not changed.
    pub object: Option<i64>,
    /// When the page was fetched, in milliseconds since 1970.
    pub at: i64,
}

/// A link between two members.
#[derive(Clone, Debug, PartialEq)]
pub struct WarehouseLink {
    /// A member.
    pub one: i64,
    /// The other.
    pub other: i64,
    /// How probably they are one.
    pub probability: f64,
    /// The kind of key under which they met.
    pub scheme: String,
    /// What the matcher said.
    pub reasons: Vec<String>,
}

/// What a clustering of everything anew came to.
#[derive(Clone, Debug, Default)]
pub struct Reassignment {
    /// The vertical, by the number of its [`WarehouseRow`].
    pub warehouse: i64,
    /// By whom, from now on.
    pub matching: Matching,
    /// When it is written, in milliseconds since 1970.
    pub now: i64,
    /// Numbers of new clusters.
    pub new: Vec<i64>,
    /// Members that are in another cluster than before.
    pub moved: Vec<(i64, i64)>,
    /// Clusters that retired, and what most of each became part of. Their members that were not compared go there too.
    pub retired: Vec<(i64, i64)>,
    /// All links.
    pub links: Vec<WarehouseLink>,
}

/// What a URL is known by.
pub(crate) fn url_print(url: &str) -> i64 {
    xxhash_rust::xxh3::xxh3_64(url.as_bytes()).cast_signed()
}
