//! Integration tests of the vertical, on the host without WebAssembly.

mod fixtures;
mod pages;
