//! Crawls of servers on loopback.

mod common;
mod hostile;
mod maps;
mod memory;
mod names;
mod order;
mod pages;
mod selftest;
