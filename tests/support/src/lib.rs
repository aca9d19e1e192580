//! Code shared by the tests of all crates. It depends on none of them.

#[cfg(unix)]
pub mod browser;
pub mod cost;
pub mod data;
pub mod proxy;
pub mod server;
mod skip;
#[cfg(feature = "tls")]
pub mod tls;

pub use skip::{SKIPPED, has_program, skip};

// Reads the feeds that the program writes.
pub use feed_rs;
