//! Search for objects: queries answered by an index, in pages, with facets.
//!
//! The index is written in the transaction that writes an object.
//! [`Query::matches`](magpie_query::Query::matches) defines what a query finds.

pub(crate) mod detail;
pub(crate) mod index;
pub(crate) mod matches;
pub(crate) mod order;
pub(crate) mod packed;
pub(crate) mod plan;
mod position;
pub(crate) mod run;
pub(crate) mod suggest;
