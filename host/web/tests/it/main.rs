//! The client against real servers on this machine.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "helpers of tests are tests, and one prints a table"
)]

mod basics;
mod client;
mod connections;
mod follow;
mod frames;
mod hostile;
mod http2;
mod identity;
mod proxy;
mod tls;
