//! From a few objects to the sites that have them.
//!
//! - [`read_seeds`] reads the objects a person begins with, checked against the vertical's schema.
//! - [`SearchEngine`] asks SearXNG, Brave, or any engine that answers with JSON, through a [`Client`](magpie_web::Client)
//!   that is handed in.
//! - [`Votes`] ranks sites by how many queries led to them; [`Expansion`] says what to ask next and when to stop.
//!
//! Only [`SearchEngine`] does I/O. Nothing here prints, looks at a calendar or the environment, and no error and no
//! `Debug` output shows an engine's key.

mod engine;
mod expansion;
mod seeds;

pub use engine::{
    BadEngine, EngineCounts, EngineKind, EngineSettings, Hit, Key, LONGEST_QUERY, SearchEngine, SearchError,
};
pub use expansion::{
    Ask, Expansion, ExpansionSettings, HitSite, MOST_HITS, MOST_SUBJECTS, Ranked, Reason, Step, Subject,
    Taken, Votes,
};
pub use seeds::{LARGEST_FILE, MOST_SEEDS, Seed, SeedsError, SeedsProblem, read_seeds};
