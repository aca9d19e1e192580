//! Crawls of servers on loopback.

mod common;
mod hostile;
mod maps;
mod memory;
mod names;
mod pages;
mod selftest;
