//! Search for objects in the index: its tables, and what `magpie-find` reads of them.

pub(crate) mod detail;
pub(crate) mod index;
mod run;
mod tables;
