//! Tests of the crate.

mod authorities;
mod rank;
mod region;
mod strategy;
mod tokens;
mod unseen;
