//! From queries to sites: who is asked for what next, and when it is enough.
//!
//! A single query is noise: most of its results are shops of everything, encyclopedias and chance. Sites that many
//! queries lead to are the ones that have such objects. So sites are ranked by votes ([`Votes`]), in two phases
//! ([`Expansion`]): the objects one has lead to a few sites, and the objects found there lead to the others.

mod gain;
mod machine;
mod pool;
mod settings;
mod votes;

pub use machine::{Ask, Expansion, Reason, Step};
pub use pool::{MOST_SUBJECTS, Subject};
pub use settings::ExpansionSettings;
pub use votes::{HitSite, MOST_HITS, Ranked, Taken, Votes};
