//! Tests of the crate.

mod rank;
mod region;
mod strategy;
mod tokens;
mod unseen;
