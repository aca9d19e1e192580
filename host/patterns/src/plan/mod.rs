//! From sites as they were crawled to the patterns that are worth fetching, and the ways to them.
//!
//! Three steps, each by itself, so that one can be done anew with other settings:
//!
//! 1. [`induced`] makes the patterns of a site: of the pages that have objects, and of all others.
//! 2. [`Offer::of`] puts the patterns of all sites side by side with what they bring and cost; a
//!    [`Strategy`](crate::select::Strategy) chooses among them.
//! 3. [`way`] learns the navigation of a site for the patterns that were chosen there.

mod induced;
mod offer;
mod round;
mod survey;
mod way;

pub use induced::{Induce, SitePatterns, induced};
pub use offer::{Costs, Matches, Offer, Offered};
pub use round::{Known, Memory, Round};
pub use survey::Survey;
pub use way::way;
