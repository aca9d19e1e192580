//! Crawls of servers on loopback.

mod common;
mod memory;
mod pages;
