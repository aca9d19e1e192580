//! Integration tests of the SDK, as plain Rust.

mod cluster;
mod extract;
mod page;
mod record;
