//! The numbers that an expansion goes by.

use serde::{Deserialize, Serialize};

/// The numbers that an expansion goes by.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ExpansionSettings {
    /// Number of sites that are searched for further objects after the first phase.
    pub seed_sites: usize,
    pub sites: usize,
    /// A query with fewer hits is not all that is asked for its object: the next one follows.
    pub thin: u32,
    /// Maximum number of queries in the first phase.
    pub seed_queries: u32,
    /// Maximum number of queries in the second phase.
    pub more_queries: u32,
    /// By how many of the last queries the chance of another site is estimated.
    pub window: u32,
    /// The second phase ends when the probability that the next query brings a site among the
    /// wanted ones is below this.
    pub chance: f64,
    /// Maximum number of failures in a row.
    pub failures: u32,
}

impl ExpansionSettings {
    /// Published measurements find hardly a difference between 1 and 20.
    pub const SEED_SITES: usize = 5;
    /// Number of sites of published crawls of one vertical in one region.
    const SITES: usize = 300;
    /// An engine that finds a handful of pages has understood the query.
    const THIN: u32 = 3;
    /// Published measurements find hardly a difference between 1 and 25 objects.
    const SEED_QUERIES: u32 = 50;
    /// Five minutes at a query a second.
    const MORE_QUERIES: u32 = 300;
    /// The estimate is half a query in 31 if none of the last 30 brought anything: precise enough
    /// for a probability of a few percent, and short enough to forget the beginning.
    const WINDOW: u32 = 30;
    /// One query of twenty: then a further site costs more queries than it has objects of its own.
    const CHANCE: f64 = 0.05;
    /// Consecutive failures after which an engine is not expected to recover within this run.
    const FAILURES: u32 = 5;
}

impl Default for ExpansionSettings {
    fn default() -> Self {
        Self {
            seed_sites: Self::SEED_SITES,
            sites: Self::SITES,
            thin: Self::THIN,
            seed_queries: Self::SEED_QUERIES,
            more_queries: Self::MORE_QUERIES,
            window: Self::WINDOW,
            chance: Self::CHANCE,
            failures: Self::FAILURES,
        }
    }
}
