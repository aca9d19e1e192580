//! The warehouse: which records are one object, as a clustering decided, and what it needs to go
//! on.
//!
//! A *member* is a record found on a URL; the same record on the same URL again is another sighting
//! of it. A *object* is all members that are one object. The store does not know who decides that:
//! whole batches of decisions are written, each in one transaction.
//!
//! [`Objects`] reads the warehouse and [`Warehouse`] writes it: what a pipeline needs, and no more.
//! Numbers of members and objects are names. They grow within a shard; a folder is one shard. A
//! vertical is clustered up to a page of each site, so no order across sites is needed.
//!
//! [`Catalogue`] reads it as people ask: lists of objects by filter and order, the members of an
//! object with their pages, single sightings.

mod read;
mod standing;
mod views;
mod write;

use std::ops::ControlFlow;

use crate::StoreError;
use crate::fetch_result::SiteId;

pub(crate) use read::{MEMBER, OBJECT, member_row, object_row};
pub use read::{MemberRow, ObjectFilter, ObjectOnPage, ObjectOrder, ObjectRow, SightingRow};
pub(crate) use standing::json_array;
pub use standing::{
    FoundPage, FoundPages, MemberFilter, MemberState, RecordRow, StandingRow, WarehouseTotals,
};
pub(crate) use views::{create_views, drop_views, views_page};

/// Objects on pages that are read at a time.
const ON_PAGES: usize = 20_000;

/// Reads the objects of verticals. Lists come in pages by key: a call returns at most `limit` rows
/// after a key, and an empty list is the end. Calls see what is committed.
pub trait Objects {
    /// Returns how far a vertical is clustered and by whom, or `None` if nothing ever was.
    fn warehouse_vertical(&self, vertical: &str) -> Result<Option<WarehouseRow>, StoreError>;

    /// Returns a object. For one that retired, returns the object that it is part of now.
    fn object(&self, id: ObjectId) -> Result<Option<ObjectRow>, StoreError>;

    /// Returns the objects of a vertical that have not retired, by number.
    fn objects_after(
        &self,
        vertical: &str,
        after: Option<ObjectId>,
        limit: usize,
    ) -> Result<Vec<ObjectRow>, StoreError>;

    /// Returns each page of a vertical with each object that it had when it was fetched last: by
    /// the hash of the URL, then by object.
    fn objects_on_pages(
        &self,
        vertical: &str,
        after: Option<(u64, ObjectId)>,
        limit: usize,
    ) -> Result<Vec<ObjectOnPage>, StoreError>;

    /// Returns the objects on URLs that may not be what they are taken for: the URL's hash, the
    /// object and the probability. It is that of the best link of the record. The record that a
    /// object began with is certain. The list is as long as there are doubts.
    fn doubtful_pages(&self, vertical: &str) -> Result<Vec<(u64, ObjectId, f64)>, StoreError>;

    /// Returns the members of a vertical after a number with the times they were on their pages.
    fn record_times(&self, vertical: &str, after: i64, limit: usize) -> Result<Vec<RecordTimes>, StoreError>;

    /// Returns the members at some URLs or of some objects, by number; those that are gone too.
    fn members(&self, of: MemberFilter<'_>) -> Result<Vec<MemberState>, StoreError>;

    /// Returns the members of a vertical that are compared, after a number, by number.
    fn standing_after(
        &self,
        warehouse: i64,
        after: i64,
        limit: usize,
    ) -> Result<Vec<StandingRow>, StoreError>;

    /// Returns found records by number. A number that no record has is left out.
    fn records(&self, numbers: &[i64]) -> Result<Vec<RecordRow>, StoreError>;

    /// Returns the links between the members of a object.
    fn links_of(&self, object: i64) -> Result<Vec<WarehouseLink>, StoreError>;

    /// Returns the pairs of members that a person said are not one object.
    fn apart(&self, warehouse: i64) -> Result<Vec<(i64, i64)>, StoreError>;

    /// Returns all of [`Objects::objects_on_pages`].
    fn all_objects_on_pages(&self, vertical: &str) -> Result<Vec<ObjectOnPage>, StoreError> {
        let mut all: Vec<ObjectOnPage> = Vec::new();
        loop {
            let after = all.last().map(|last| (last.url_print, last.object));
            let mut next = self.objects_on_pages(vertical, after, ON_PAGES)?;
            let is_last = next.len() < ON_PAGES;
            all.append(&mut next);
            if is_last {
                return Ok(all);
            }
        }
    }
}

/// Reads the warehouse as people ask for it. Calls see what is committed.
pub trait Catalogue {
    /// Passes the objects that a filter lets through to `each`, one by one and from one state of
    /// the warehouse, until it breaks. Retired objects are left out.
    fn objects(
        &self,
        filter: &ObjectFilter,
        each: &mut dyn FnMut(ObjectRow) -> ControlFlow<()>,
    ) -> Result<(), StoreError>;

    /// Returns the objects that were merged into a object, by number.
    fn merged_into(&self, object: ObjectId) -> Result<Vec<ObjectId>, StoreError>;

    /// Returns the members of a object that has not retired, by number.
    fn members_of(&self, object: ObjectId) -> Result<Vec<MemberRow>, StoreError>;

    /// Returns the member that a record is a sighting of.
    fn member_with(&self, record: i64) -> Result<Option<MemberRow>, StoreError>;

    /// Returns all sightings of a member, the oldest first.
    fn sightings(&self, member: i64) -> Result<Vec<SightingRow>, StoreError>;

    /// Returns the objects with a current member on a page.
    fn objects_at(&self, vertical: &str, url: &str) -> Result<Vec<ObjectId>, StoreError>;
}

/// Writes the objects of verticals. Each call that writes is one transaction and committed when it
/// returns. One process at a time objects a vertical.
pub trait Warehouse: Objects {
    /// Returns the number of a vertical and writes it down if it is new: nothing is clustered then.
    fn warehouse(&self, vertical: &str, now: Timestamp) -> Result<i64, StoreError>;

    /// Returns pages that are not clustered yet and say something of the vertical, until they have
    /// this number of records. Pages of a site come in their order, those of sites by time.
    fn found(&self, vertical: &str, records: usize) -> Result<FoundPages, StoreError>;

    /// Returns objects that have to be written again, by number.
    fn stale(&self, warehouse: i64, limit: usize) -> Result<Vec<i64>, StoreError>;

    /// Counts the objects and members of a vertical and returns the greatest number of a object.
    fn totals(&self, warehouse: i64) -> Result<WarehouseTotals, StoreError>;

    /// Writes what a clustering made of the next pages.
    fn take_in(&self, batch: Batch) -> Result<(), StoreError>;

    /// Logs the objects whose last date has passed, and returns their number.
    fn expire(&self, warehouse: i64, now: Timestamp) -> Result<usize, StoreError>;

    /// Writes a step of clustering everything again.
    fn rebuild(&self, warehouse: i64, step: Rebuild) -> Result<(), StoreError>;

    /// Records that what was found at these URLs is there no more, and returns the number of
    /// members. Their objects are stale until [`Batch::objects`] has them.
    fn withdraw(&self, vertical: &str, urls: Vec<String>) -> Result<usize, StoreError>;

    /// Records that two members are not one object. Moves the members that go with one of them into
    /// a new object, if there are any, and cuts their links to the others.
    fn keep_apart(
        &self,
        pair: (i64, i64),
        moved: Vec<i64>,
        now: Timestamp,
    ) -> Result<Option<ObjectId>, StoreError>;
}

/// A step of clustering everything again, in this order.
#[derive(Clone, Debug)]
pub enum Rebuild {
    /// Invalidates the existing clustering.
    Begin,
    /// The matcher that compares members from now on.
    Prepare(Vec<PreparedMember>),
    /// The outcome. All objects are stale then.
    Assign(Reassignment),
}

/// A record on a URL, and when it was there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordTimes {
    /// The member.
    pub member: i64,
    /// xxh3-64 of the URL: the fingerprint of its canonical form.
    pub url: u64,
    /// When the page was fetched on which it was found first.
    pub first_seen: Timestamp,
    /// When it was known to be there last.
    pub last_seen: Timestamp,
    /// It was there when the page was fetched last.
    pub current: bool,
    /// The object was not known before.
    pub new_object: bool,
}

use magpie_model::Record;
use magpie_values::Timestamp;

use crate::words::MatcherKind;

/// A object's number. Numbers are never given again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId(pub i64);

impl std::fmt::Display for ObjectId {
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

/// The progress of the clustering of a vertical.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WarehouseRow {
    /// Its number.
    pub id: i64,
    /// The vertical.
    pub vertical: String,
    /// By whom.
    pub matching: Matching,
    /// When something was done last, in milliseconds since 1970.
    pub clustered_at: Timestamp,
}

/// The result of clustering a batch of pages, written completely or not at all.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// The vertical, by the number of its [`WarehouseRow`].
    pub warehouse: i64,
    /// The last page of each site that was looked at, by the numbers of [`FoundPages::upto`].
    pub upto: Vec<(SiteId, u64)>,
    /// When it is written, in milliseconds since 1970.
    pub now: Timestamp,
    /// Objects that are new or changed.
    pub objects: Vec<MergedObject>,
    /// Objects that are part of another from now on, in the order that happened.
    pub merged: Vec<(ObjectId, ObjectId)>,
    /// Members that are new, and those that came back after another took their place.
    pub members: Vec<NewMember>,
    /// Sightings of members, the first ones of new members among them.
    pub seen: Vec<Seen>,
    /// Members that did not stand on their page any more.
    pub gone: Vec<i64>,
    /// Members among them that another member of the same page and object replaces: they are not
    /// compared any more.
    pub replaced: Vec<i64>,
    /// The links that joined members.
    pub links: Vec<WarehouseLink>,
}

/// A object with what its members say together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MergedObject {
    /// Its number; the caller chooses new ones after [`WarehouseTotals::last`].
    pub id: i64,
    /// Its label.
    pub label: String,
    /// The merged record.
    pub record: Record,
    /// For each attribute the member its value comes from, as a JSON object.
    pub origins: String,
    /// Number of members.
    pub members: u64,
    /// Number of current members.
    pub current: u64,
    /// When it was seen first, in milliseconds since 1970.
    pub first_seen: Timestamp,
    /// When it was seen last.
    pub last_seen: Timestamp,
    /// The moment from which it is of no more interest.
    pub expires_at: Option<Timestamp>,
}

/// A member that takes part from now on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewMember {
    /// The object in which it was found first.
    pub id: i64,
    /// Its object.
    pub object: i64,
    /// The page's URL.
    pub url: String,
    /// The same for equal records.
    pub record_print: u128,
    /// When its page was fetched, in milliseconds since 1970.
    pub seen_at: Timestamp,
    /// Features for the matcher.
    pub features: Vec<u8>,
    /// The keys under which it meets others: scheme and key.
    pub keys: Vec<(String, String)>,
}

/// The data by which a member is compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PreparedMember {
    /// The member.
    pub id: i64,
    /// Features for the matcher.
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
    pub record: Option<i64>,
    /// When the page was fetched, in milliseconds since 1970.
    pub at: Timestamp,
}

/// A link between two members.
#[derive(Clone, Debug, PartialEq)]
pub struct WarehouseLink {
    /// A member.
    pub one: i64,
    /// The other.
    pub other: i64,
    /// Probability that they are one object.
    pub probability: f64,
    /// The kind of key under which they met.
    pub scheme: String,
    /// Reasons by the matcher.
    pub reasons: Vec<String>,
}

/// The result of clustering everything again.
#[derive(Clone, Debug, Default)]
pub struct Reassignment {
    /// By whom, from now on.
    pub matching: Matching,
    /// When it is written, in milliseconds since 1970.
    pub now: Timestamp,
    /// Numbers of new objects.
    pub new: Vec<i64>,
    /// Members that are in another object than before.
    pub moved: Vec<(i64, i64)>,
    /// Retired objects, with the object that got most of their members. Members that were not
    /// compared go there too.
    pub retired: Vec<(i64, i64)>,
    /// All links.
    pub links: Vec<WarehouseLink>,
}

/// Returns the fingerprint of a URL.
pub(crate) fn url_print(url: &str) -> i64 {
    xxhash_rust::xxh3::xxh3_64(url.as_bytes()).cast_signed()
}
