//! Objects and their members.

use std::ops::ControlFlow;

use magpie_model::Record;
use magpie_values::Timestamp;

use crate::error::StoreError;
use crate::ids::{ObjectId, PageId};
use crate::readings::Sources;
use crate::words::{MatcherKind, ObjectState};

/// Objects on pages that are read at a time.
const ON_PAGES: usize = 20_000;

/// Reads the objects of verticals. Lists come in pages by key: a call returns at most `limit` rows
/// after a key, and an empty list is the end. Calls see what is committed.
pub trait Objects {
    /// Returns how far a vertical is clustered and by whom, or `None` if nothing ever was.
    fn warehouse_vertical(&self, vertical: &str) -> Result<Option<WarehouseRow>, StoreError>;

    /// Returns an object. For one that retired, returns the object that it is part of now.
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

    /// Returns the links between the members of an object.
    fn links_of(&self, object: i64) -> Result<Vec<WarehouseLink>, StoreError>;

    /// Returns each object of a vertical that is held together by links, with the weakest of them,
    /// the weakest first.
    ///
    /// The weakest link is the least probable link of the maximum spanning tree of the members.
    /// Branches of the tree that have only members that are gone are left out.
    fn weakest_links(&self, vertical: &str) -> Result<Vec<WeakestLink>, StoreError>;

    /// Returns the pairs of members that a person has separated: they are not one object.
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

    /// Returns the progress of the clustering of each vertical.
    fn warehouse_verticals(&self) -> Result<Vec<WarehouseRow>, StoreError>;

    /// Counts the objects of a vertical that have not retired.
    fn warehouse_objects(&self, row: &WarehouseRow) -> Result<u64, StoreError>;

    /// Returns the greatest number of an object; 0 before the first.
    fn last_object(&self) -> Result<i64, StoreError>;

    /// Returns the objects that were merged into an object, by number.
    fn merged_into(&self, object: ObjectId) -> Result<Vec<ObjectId>, StoreError>;

    /// Returns the members of an object that has not retired, by number.
    fn members_of(&self, object: ObjectId) -> Result<Vec<MemberRow>, StoreError>;

    /// Returns the member that a record is a sighting of.
    fn member_with(&self, record: i64) -> Result<Option<MemberRow>, StoreError>;

    /// Returns all sightings of a member, the oldest first.
    fn sightings(&self, member: i64) -> Result<Vec<SightingRow>, StoreError>;

    /// Returns the objects with a current member on a page.
    fn objects_at(&self, vertical: &str, url: &str) -> Result<Vec<ObjectId>, StoreError>;
}

/// A record on a URL, and when it was there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordTimes {
    pub member: i64,
    /// xxh3-64 of the URL: the fingerprint of its canonical form.
    pub url: u64,
    /// When the page was fetched on which it was found first.
    pub first_seen: Timestamp,
    /// When it was known to be there last.
    pub last_seen: Timestamp,
    /// It was there when the page was fetched last.
    pub current: bool,
    pub new_object: bool,
}

/// The matcher that decides which members are one object, with everything its decisions depend on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matching {
    /// The matcher; none before the first clustering, and while everything is clustered again.
    pub matcher: Option<MatcherKind>,
    pub digest: String,
    /// The options it runs with, and the settings of the clustering, as JSON.
    pub options: String,
    /// The attributes with their kinds, as JSON.
    pub schema: String,
}

/// The progress of the clustering of a vertical.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WarehouseRow {
    pub id: i64,
    pub vertical: String,
    pub matching: Matching,
    /// When something was done last, in milliseconds since 1970.
    pub clustered_at: Timestamp,
}

/// A link between two members.
#[derive(Clone, Debug, PartialEq)]
pub struct WarehouseLink {
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

/// The weakest of the links that hold an object together.
#[derive(Clone, Debug, PartialEq)]
pub struct WeakestLink {
    pub object: ObjectId,
    pub label: String,
    pub link: WarehouseLink,
    /// The URLs on which its two members were found last.
    pub urls: [String; 2],
}

/// An object with the merged values of its members.
#[derive(Clone, Debug, PartialEq)]
pub struct ObjectRow {
    pub id: ObjectId,
    pub vertical: String,
    pub label: String,
    /// The merged record; an empty one if it can't be read.
    pub record: Record,
    /// For each attribute the member its value comes from, as a JSON object.
    pub origins: String,
    pub members: u64,
    /// Number of members that were on their page at its last fetch.
    pub current: u64,
    /// When it was seen first, in milliseconds since 1970.
    pub first_seen: Timestamp,
    pub last_seen: Timestamp,
    /// The moment from which it is of no more interest.
    pub expires_at: Option<Timestamp>,
    /// Its state as of the last change in the log; `None` before the first.
    pub state: Option<ObjectState>,
    /// When the last change was logged.
    pub changed_at: Timestamp,
}

/// A member of an object, with where it was found last.
#[derive(Clone, Debug, PartialEq)]
pub struct MemberRow {
    /// Its number: the object in which it was found first.
    pub id: i64,
    pub object: ObjectId,
    pub url: String,
    /// The page on which it was found last.
    pub page: PageId,
    /// The record; an empty one if it can't be read.
    pub record: Record,
    /// The origins of its values; empty if the vertical itself found it as it is.
    pub sources: Sources,
    /// When it was seen first, in milliseconds since 1970.
    pub first_seen: Timestamp,
    pub last_seen: Timestamp,
    /// True if it was on its page at the last fetch.
    pub current: bool,
}

/// One time that a member was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SightingRow {
    pub record: i64,
    pub page: PageId,
    /// When it was fetched, in milliseconds since 1970.
    pub fetched_at: Timestamp,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectOnPage {
    /// xxh3-64 of the page's URL.
    pub url_print: u64,
    pub object: ObjectId,
    pub url: String,
    /// When the object was seen first, on any page, in milliseconds since 1970.
    pub first_seen: Timestamp,
    pub last_seen: Timestamp,
    /// The moment from which it is of no more interest.
    pub expires_at: Option<Timestamp>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObjectFilter {
    /// Only of this vertical.
    pub vertical: Option<String>,
    /// Only those seen for the first time since this moment, in milliseconds since 1970.
    pub new_since: Option<Timestamp>,
    /// Only those that are of no more interest at this moment.
    pub expired_at: Option<Timestamp>,
    /// Only those that still are; a thing that never expires is.
    pub current_at: Option<Timestamp>,
    pub order: ObjectOrder,
    pub backwards: bool,
}

impl ObjectFilter {
    /// Returns a filter for objects that were seen first at a moment or later.
    pub fn new_since(moment: Timestamp) -> ObjectFilter {
        ObjectFilter {
            new_since: Some(moment),
            ..ObjectFilter::default()
        }
    }
}

/// The order of objects; equals come by their number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ObjectOrder {
    #[default]
    Number,
    Label,
    Members,
    FirstSeen,
    LastSeen,
    /// By when they are of no more interest, those that never expire last.
    Expires,
}

/// A member as it is compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StandingRow {
    pub id: i64,
    pub object: i64,
    pub features: Vec<u8>,
    /// The keys under which it meets others: scheme and key.
    pub keys: Vec<(String, String)>,
    /// The place where it was found, in the form of the clustering; empty if it is unknown.
    pub origin: Vec<u8>,
}

/// A member without what it is compared by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemberState {
    pub id: i64,
    pub object: i64,
    /// xxh3-64 of its URL.
    pub url: u64,
    /// The same for equal records.
    pub record_print: u128,
    /// It was on its page when that was fetched last.
    pub current: bool,
    pub compared: bool,
    /// It is the subject of its page.
    pub is_subject: bool,
    /// When it was seen first, in milliseconds since 1970.
    pub first_seen: Timestamp,
    pub last_seen: Timestamp,
}

#[derive(Clone, Copy, Debug)]
pub enum MemberFilter<'a> {
    /// Those of a vertical, by the number of its [`WarehouseRow`], that were found at URLs.
    Urls(i64, &'a [String]),
    Objects(&'a [i64]),
    /// Those that records are sightings of.
    Records(&'a [i64]),
}

/// A record as it was found.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordRow {
    pub id: i64,
    /// The record, if it can be read.
    pub record: Option<Record>,
    /// The moment from which it is of no more interest.
    pub expires_at: Option<Timestamp>,
}
