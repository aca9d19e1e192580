//! Pure algorithms: which records are one object, and why.
//!
//! - [`cluster`] groups objects by what a [`Matcher`](magpie_model::Matcher) says of pairs of them,
//!   and explains it.
//! - [`SchemaMatcher`] is the matcher for verticals that bring none: it knows the schema alone.
//! - [`queries`] asks a search engine for an object, also by the schema alone.
//! - [`pattern`] makes URL patterns of the pages that are wanted, and matches them.
//! - [`select`] chooses the patterns that bring most objects for the pages they cost.
//! - [`navigate`] knows the way to the pages of the chosen patterns.
//! - [`plan`] goes from crawled sites to chosen patterns and the ways to them, and says what a recrawl fetches.
//! - [`drift`] notices when what was learned no longer holds.
//! - [`coverage`] counts what of a site was read, and estimates how many objects the rest has.
//! - [`plausible`] says which objects of a site look like junk.
//! - [`change`] learns how often pages change, and says how fresh copies are.
//! - [`schedule`] says when to visit which page, at a budget.
//!
//! No I/O, no clock, no randomness: the same input gives the same output.

pub mod change;
mod cluster;
pub mod coverage;
pub mod drift;
pub mod navigate;
pub mod pattern;
pub mod plan;
pub mod plausible;
pub mod schedule;
mod schema;
pub mod select;

pub use cluster::{
    Added, Cluster, ClusterId, Clustering, MemberId, Report, Settings, Standing, StandingLink, Step, cluster,
};
pub use schema::{BadFeatures, SchemaMatcher, queries};
