//! What the tests of all crates share. It depends on none of them.

pub mod cost;
pub mod data;
pub mod server;
