//! Code shared by the tests of all crates. It depends on none of them.

pub mod cost;
pub mod data;
pub mod server;
