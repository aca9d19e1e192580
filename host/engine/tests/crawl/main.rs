//! Crawls of servers on loopback.

mod common;
mod hostile;
mod memory;
mod pages;
mod selftest;
