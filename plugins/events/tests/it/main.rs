//! Integration tests of the vertical, natively.

mod fixtures;
mod pages;
