//! Clustering: the records that are one object, with the reasons.
//!
//! - [`cluster`] groups objects by what a [`Matcher`](magpie_model::Matcher) says of pairs of them,
//!   and explains it.
//! - [`SchemaMatcher`] is the matcher for verticals that bring none: it knows the schema alone.
//! - [`queries`] asks a search engine for an object, also by the schema alone.
//! - [`plausible`] says which objects of a site look like junk.
//!
//! No I/O, no clock, no randomness: the same input gives the same output.

mod cluster;
pub mod plausible;
mod schema;

pub use cluster::{
    Added, Cluster, ClusterId, Clustering, MemberId, Origin, Report, Settings, Standing, StandingLink, Step,
    cluster,
};
pub use schema::{BadFeatures, SchemaMatcher, naming, queries};
