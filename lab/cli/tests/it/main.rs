//! Integration tests of the program of the lab.

mod lab;
#[cfg(feature = "train")]
mod train;
