//! Finding the valuable part of a site without downloading the site.
//!
//! - [`tokens`] weighs the words of sample pages, and makes queries for search engines from the
//!   words that are neither too common nor too rare.
//! - [`authorities`] asks these queries until no further page is accepted.
//! - [`WebGraph`] grows with every visited page, and knows the pages that were only linked to.
//! - [`rank`] weighs its pages: by PageRank, and as hubs of accepted pages by HITS.
//! - [`strategy`] chooses the page that is fetched next: the published walk, its rival, and ours.
//! - [`region`] finds the part of a hub that lists accepted pages.
//! - [`unseen`] estimates the accepted pages that were not found, so that a crawl knows when to
//!   stop.
//!
//! No I/O, no clock, no randomness but that of a seed.

mod graph;

pub mod authorities;
pub mod rank;
pub mod region;
pub mod strategy;
pub mod tokens;
pub mod unseen;

pub use graph::{PageId, WebGraph};
