//! Code shared by the tests of all crates. It depends on none of them.

#[cfg(unix)]
pub mod browser;
pub mod cost;
pub mod data;
pub mod server;
