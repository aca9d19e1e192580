//! When to visit which page.
//!
//! - [`change`] learns how often pages change, and says how fresh copies are.
//! - [`schedule`] says when to visit which page, at a budget.
//!
//! No I/O, no clock, no randomness: the same input gives the same output.

pub mod change;
pub mod schedule;
