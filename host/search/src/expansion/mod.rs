//! From queries to sites: which query is next, and when to stop.
//!
//! A single query is noise: most results are general shops, encyclopedias and chance. Sites that
//! many queries lead to have such objects. So sites are ranked by votes ([`Votes`]), in two phases
//! ([`Expansion`]): the given objects lead to a few sites, and the objects found there lead to the
//! others.

mod gain;
mod machine;
mod pool;
mod settings;
mod votes;

pub use machine::{Ask, Expansion, Reason, Step};
pub use pool::Subject;
pub use settings::ExpansionSettings;
pub use votes::{HitSite, MAX_HITS, Ranked, Taken, Votes};
