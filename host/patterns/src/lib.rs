//! Selection of the pages of a site that are worth fetching, and the navigation to them.
//!
//! - [`pattern`] induces URL patterns of wanted pages, and matches them.
//! - [`select`] chooses the patterns with the most objects for the cost of their pages.
//! - [`navigate`] leads to the pages of the chosen patterns.
//! - [`plan`] turns crawled sites into chosen patterns and navigations, and decides what a recrawl
//!   fetches.
//! - [`rendering`] decides which kinds of pages need a browser.
//! - [`drift`] detects when learned patterns and lists no longer hold.
//! - [`coverage`] counts the fetched part of a site, and estimates the objects on the rest.
//!
//! No I/O, no clock, no randomness: the same input gives the same output.

mod bits;
pub mod coverage;
pub mod drift;
pub mod navigate;
pub mod pattern;
pub mod plan;
pub mod rendering;
pub mod select;
