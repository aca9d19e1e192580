//! Writing the results of clustering.

use std::collections::BTreeSet;

use magpie_model::Record;
use magpie_values::Timestamp;

use crate::error::StoreError;
use crate::ids::{ObjectId, PageId, SiteId};
use crate::links::Anchor;
use crate::objects::{Matching, Objects, WarehouseLink};

/// Writes the objects of verticals. Each call that writes is one transaction and committed when it
/// returns. One process at a time objects a vertical.
pub trait Warehouse: Objects {
    /// Returns the number of a vertical and writes it down if it is new: nothing is clustered then.
    fn warehouse(&self, vertical: &str, now: Timestamp) -> Result<i64, StoreError>;

    /// Returns pages that are not clustered yet and matter to the vertical, until they have this
    /// number of records. Pages of a site come in their order, those of sites by time.
    fn found(&self, vertical: &str, records: usize) -> Result<FoundPages, StoreError>;

    /// Returns what is known of addresses of sites that were fetched, in no particular order.
    /// Others are left out.
    fn addresses(&self, urls: &[(SiteId, String)]) -> Result<Vec<AddressRow>, StoreError>;

    /// Returns the links of pages with their anchor texts, but for pages without links.
    fn anchors(&self, pages: &[PageId]) -> Result<Vec<PageAnchors>, StoreError>;

    /// Returns the pages on which records were found, by the numbers of the records.
    fn pages_of_records(&self, records: &[i64]) -> Result<Vec<RecordPage>, StoreError>;

    /// Returns objects that have to be written again, by number.
    fn stale(&self, warehouse: i64, limit: usize) -> Result<Vec<i64>, StoreError>;

    /// Counts the objects and members of a vertical and returns the greatest number of an object.
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

/// The result of clustering a batch of pages, written completely or not at all.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// The vertical, by the number of its [`WarehouseRow`](crate::WarehouseRow).
    pub warehouse: i64,
    /// The marks of the [`FoundPages`].
    pub marks: Marks,
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

impl Batch {
    /// Returns the objects whose values, members or successors may be others.
    pub fn touched(&self) -> BTreeSet<i64> {
        let merged = self.merged.iter().flat_map(|(gone, stays)| [gone.0, stays.0]);
        let objects = self.objects.iter().map(|object| object.id).chain(merged);
        objects
            .chain(self.members.iter().map(|member| member.object))
            .collect()
    }
}

/// An object with the merged values of its members.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MergedObject {
    /// Its number; the caller chooses new ones after [`WarehouseTotals::last`].
    pub id: i64,
    pub label: String,
    pub record: Record,
    /// For each attribute the member its value comes from, as a JSON object.
    pub origins: String,
    pub members: u64,
    pub current: u64,
    /// When it was seen first, in milliseconds since 1970.
    pub first_seen: Timestamp,
    pub last_seen: Timestamp,
    /// The moment from which it is of no more interest.
    pub expires_at: Option<Timestamp>,
}

/// A member that takes part from now on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewMember {
    /// The object in which it was found first.
    pub id: i64,
    pub object: i64,
    pub url: String,
    /// The same for equal records.
    pub record_print: u128,
    /// When its page was fetched, in milliseconds since 1970.
    pub seen_at: Timestamp,
    pub features: Vec<u8>,
    /// The keys under which it meets others: scheme and key.
    pub keys: Vec<(String, String)>,
    /// The place where it was found, in the form of the clustering. Its first byte is 1 if the
    /// member is the subject of its page.
    pub origin: Vec<u8>,
}

/// The data by which a member is compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PreparedMember {
    pub id: i64,
    pub features: Vec<u8>,
    /// The keys under which it meets others: scheme and key.
    pub keys: Vec<(String, String)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    pub member: i64,
    /// The record on the page; `None` if the site answered that the page has not changed.
    pub record: Option<i64>,
    /// When the page was fetched, in milliseconds since 1970.
    pub at: Timestamp,
}

/// The result of clustering everything again.
#[derive(Clone, Debug, Default)]
pub struct Reassignment {
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
    pub links: Vec<WarehouseLink>,
}

/// A page on which a vertical was called, or which was unchanged, or which is gone with its
/// objects.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundPage {
    pub page: PageId,
    pub site: SiteId,
    pub url: String,
    /// When it was fetched, in milliseconds since 1970.
    pub fetched_at: Timestamp,
    /// The objects on it, by their numbers, with their records as far as they can be read; empty if
    /// the page is gone. `None` if the page has not changed and no plugin was asked.
    pub records: Option<Vec<(i64, Option<Record>)>>,
    /// The site has no such page any more, and does not say that it is elsewhere.
    pub is_gone: bool,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct FoundPages {
    /// Pages that matter to the vertical; the others are skipped.
    pub pages: Vec<FoundPage>,
    pub marks: Marks,
    /// True if there are no more.
    pub last: bool,
}

/// Pages that count as clustered when their batch is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// The number of the last page that was looked at, of each site with any.
    pub upto: Vec<(SiteId, u64)>,
    /// Pages that were clustered before, and have other records now.
    pub again: Vec<PageId>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WarehouseTotals {
    /// Objects that have not retired.
    pub objects: u64,
    pub members: u64,
    /// The greatest number of an object of any vertical; 0 before the first.
    pub last: i64,
}

/// An address of a site as its last fetch found it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddressRow {
    pub url: String,
    /// Its last page that was read.
    pub page: PageId,
    /// The status; `None` if no answer came.
    pub status: Option<u16>,
    /// Target of the redirect.
    pub redirect: Option<String>,
    /// The canonical URL that the page declares.
    pub canonical: Option<String>,
    pub title: Option<String>,
}

/// The links of a page, resolved, in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageAnchors {
    pub page: PageId,
    pub links: Vec<Anchor>,
}

/// The page on which a record was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordPage {
    pub record: i64,
    pub page: PageId,
    pub site: SiteId,
    pub url: String,
}
