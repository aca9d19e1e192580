//! Tests of patterns on real sites; page classes are measured by `cargo xtask bench real`. Without
//! the data every test prints that and is skipped.
//!
//! `cargo nextest run -p magpie-patterns real_urls:: --no-capture` prints the figures.

#![expect(clippy::print_stdout, reason = "the figures are what these tests are for")]

mod next_ids;
