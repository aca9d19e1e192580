//! From crawled sites to the patterns that are worth fetching, and the navigations to them.
//!
//! Three independent steps, so that one can be repeated with other settings:
//!
//! 1. [`induced`] makes the patterns of a site: those of pages with objects, and those of all
//!    others.
//! 2. [`Offer::of`] collects the patterns and the search queries of all sites with their objects
//!    and costs; a [`Strategy`](crate::select::Strategy) chooses among them.
//! 3. [`way`] learns the navigation of a site to its chosen patterns.

mod induced;
mod navigation;
mod offer;
mod queries;
mod round;
mod survey;

pub use induced::{Induce, SitePatterns, induced};
pub use navigation::way;
pub use offer::{Costs, Matches, Offer, PatternCandidate, SiteOffer};
pub use queries::{QueryAnswer, QueryCandidate, ResultPage};
pub use round::{Known, Memory, Round};
pub use survey::Survey;
