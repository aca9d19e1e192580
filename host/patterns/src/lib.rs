//! The choice of pages of a site that are worth fetching, and the way to them.
//!
//! - [`pattern`] makes URL patterns of the pages that are wanted, and matches them.
//! - [`select`] chooses the patterns that bring most objects for the pages they cost.
//! - [`navigate`] knows the way to the pages of the chosen patterns.
//! - [`plan`] goes from crawled sites to chosen patterns and the ways to them, and says what a
//!   recrawl fetches.
//! - [`drift`] notices when what was learned no longer holds.
//! - [`coverage`] counts what of a site was read, and estimates how many objects the rest has.
//!
//! No I/O, no clock, no randomness: the same input gives the same output.

pub mod coverage;
pub mod drift;
pub mod navigate;
pub mod pattern;
pub mod plan;
pub mod select;
