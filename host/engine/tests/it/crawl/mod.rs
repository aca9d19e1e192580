//! Crawls of servers on loopback.

mod attacks;
mod common;
mod hostile;
mod maps;
mod memory;
mod names;
mod order;
mod pages;
mod selftest;
