//! Scheduling of page visits.
//!
//! - [`change`] estimates how often pages change, and computes the freshness of copies.
//! - [`schedule`] decides when to visit which page within a budget.
//!
//! No I/O, no clock, no randomness: the same input gives the same output.

pub mod change;
pub mod schedule;
