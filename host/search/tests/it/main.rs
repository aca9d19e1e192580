//! Seeds, engines and the way to further sites, from the outside.
#![expect(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod engine;
mod expansion;
mod lab;
mod seeds;
mod verticals;
mod votes;
