//! From a few objects to the sites that have them.
//!
//! - [`read_seeds`] reads the given objects, checked against the vertical's schema.
//! - [`SearchEngine`] queries SearXNG, Brave, or any engine that answers with JSON, through a given
//!   [`Client`](magpie_web::Client).
//! - [`Votes`] ranks sites by the number of queries that led to them; [`Expansion`] chooses the
//!   next query and decides when to stop.
//!
//! Only [`SearchEngine`] does I/O. Nothing here prints or reads the clock or the environment, and
//! no error and no `Debug` output shows an engine's key.

mod engine;
mod expansion;
mod seeds;

pub use engine::{
    BadEngine, EngineCounts, EngineKind, EngineSettings, Hit, Key, MAX_QUERY_LEN, SearchEngine, SearchError,
};
pub use expansion::{
    Ask, Expansion, ExpansionSettings, HitSite, MAX_HITS, Ranked, Reason, Step, Subject, Taken, Votes,
};
pub use seeds::{MAX_FILE_BYTES, MAX_SEEDS, Seed, SeedsError, SeedsProblem, read_seeds};
