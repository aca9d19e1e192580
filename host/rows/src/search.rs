//! Search for objects: queries answered by an index, in pages, with facets.
//!
//! The index is written in the transaction that writes an object. [`Query::matches`] defines what a
//! query finds.

use magpie_query::Query;

use crate::cursor::Cursor;
use crate::error::StoreError;
use crate::ids::ObjectId;
use crate::objects::{MemberRow, ObjectRow};
use crate::words::ObjectState;

/// Number of hits that are counted exactly. If there are more, facets count the newest of them.
pub const MAX_COUNTED: usize = 10_000;

pub trait Search {
    /// Returns a page of the objects of a vertical that match a query.
    fn search(
        &self,
        vertical: &str,
        query: &Query,
        options: &SearchOptions,
    ) -> Result<SearchPage, StoreError>;

    /// Returns the objects among some that match a query, in their order. Retired objects match
    /// nothing.
    fn matching(
        &self,
        vertical: &str,
        query: &Query,
        among: &[ObjectId],
    ) -> Result<Vec<ObjectId>, StoreError>;

    /// Returns all objects of a vertical that match a query, by number.
    fn find_all(&self, vertical: &str, query: &Query) -> Result<Vec<ObjectId>, StoreError>;

    /// Returns a query with known words instead of unknown ones, for a query that finds nothing.
    fn did_you_mean(&self, vertical: &str, query: &Query) -> Result<Option<String>, StoreError>;

    /// Returns the number of objects that a query for each of these sites alone finds.
    fn objects_of_sites(&self, vertical: &str, sites: &[&str]) -> Result<Vec<u64>, StoreError>;

    /// Returns everything about an object, also about one that retired.
    fn object_detail(&self, id: ObjectId) -> Result<Option<ObjectDetail>, StoreError>;
}

/// The part of the hits to return, and their order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchOptions {
    pub order: SearchOrder,
    /// The position after which the page begins, from [`SearchPage::next`].
    pub after: Option<Cursor>,
    pub limit: usize,
    /// Maximum number of values of each facet; 0 for no facets.
    pub facets: usize,
}

/// The order of hits. Equals come by number, the newest first; objects without a value come last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchOrder {
    /// The key by which they are sorted.
    pub by: SortKey,
    /// Inverts the natural direction of the key.
    pub is_reversed: bool,
}

/// The key by which hits are sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum SortKey {
    /// Hits with all words of the query in their label first, then the newest. Without words, the
    /// newest first.
    #[default]
    Relevance,
    /// By number, the greatest first: the newest objects.
    Newest,
    /// By label, from A to Z.
    Label,
    /// By the number of records, the most first.
    Records,
    /// By the time when they were seen first, the latest first.
    FirstSeen,
    /// By the time when they were seen last, the latest first.
    LastSeen,
    /// By the time of their last change, the latest first.
    Changed,
    /// By the time when they expire, the earliest first.
    Expires,
    /// The next ones first: objects that have not expired by the time when they expire, the
    /// earliest first, then those that never do, then expired ones, the latest first.
    Soonest,
    /// By the first value of an attribute, the least first.
    Attribute(String),
}

#[derive(Clone, Debug, PartialEq)]
pub struct SearchPage {
    pub hits: Vec<ObjectRow>,
    pub total: Count,
    /// Facets in the order of the schema; those without values are left out.
    pub facets: Vec<Facet>,
    /// The number of hits whose values the facets count: all, or the newest [`MAX_COUNTED`].
    pub facets_of: u64,
    /// The position after the page; `None` on the last page.
    pub next: Option<Cursor>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    Exact(u64),
    MoreThan(u64),
}

/// The values of an attribute among the hits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facet {
    pub attribute: String,
    pub label: String,
    /// The most frequent values.
    pub values: Vec<FacetValue>,
}

/// A value and the number of hits that have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FacetValue {
    pub value: String,
    /// The number of hits that have it.
    pub hits: u64,
    /// The term that narrows a query to it, as in `venue="Old Mill"`.
    pub term: String,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ObjectDetail {
    /// The object. One that retired has the values it had then.
    pub object: ObjectRow,
    /// The object that it is part of now, if it retired.
    pub merged_into: Option<ObjectId>,
    pub state: ObjectState,
    /// The number of logged changes. It only grows.
    pub revision: u64,
    /// The objects that were merged into it.
    pub merged: Vec<ObjectId>,
    /// Its records; empty if it retired.
    pub members: Vec<MemberRow>,
    /// Its values with their sources, in the order of the schema.
    pub values: Vec<ValueSources>,
}

/// An attribute of an object, and the records that have a value of it.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueSources {
    pub attribute: String,
    pub values: Vec<String>,
    /// The member they come from.
    pub origin: Option<i64>,
    /// The values of each record, those that agree first.
    pub sources: Vec<Source>,
}

/// The values that a record has for an attribute.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    /// The index of its member in [`ObjectDetail::members`].
    pub member: usize,
    pub values: Vec<String>,
    /// The nodes of the page from which the values were read, as far as they are known.
    pub nodes: Vec<u32>,
    /// True if its values are those of the object.
    pub agrees: bool,
}
