//! Search for objects in an index that a store keeps.
//!
//! - [`Entries`] are what the index has of an object: a store writes them in the transaction that
//!   writes the object.
//! - [`Running`] is a query that is run against an [`Index`], which is what a store reads of them.
//!   It has the parts of [`Search`](magpie_rows::Search).
//! - [`Query::matches`](magpie_query::Query::matches) defines what a query finds.
//!
//! No SQL and no I/O.

mod detail;
mod entries;
mod index;
mod indexed;
mod matches;
mod order;
mod packed;
mod page;
mod plan;
mod position;
mod suggest;

pub use detail::joined;
pub use entries::{Entries, IndexedAttribute, NAME_COLUMNS, TEXT_COLUMNS, facet_term, site_term};
pub use index::{Candidate, EachCandidate, EachEntry, Index, Key, Part, Place, Placed, Words};
pub use indexed::{EntryDiff, Indexed};
pub use packed::{Packed, PackedNumber};
pub use page::Start;
pub use plan::Running;
pub use suggest::did_you_mean;
