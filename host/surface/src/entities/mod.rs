//! Queries for entities: names that the warehouse, a query log or a knowledge base has.
//!
//! [`Affixes`] removes what people add to names in queries. [`match_types`] finds the types of a
//! knowledge base that a site has. [`EntityQueries`] ranks the queries for a site.

mod affixes;
mod ranking;
mod types;

pub use affixes::Affixes;
pub use ranking::{Candidate, Described, EntityQueries, Ranking};
pub use types::{RELATIVE_THRESHOLD, TypeMatch, match_types};
