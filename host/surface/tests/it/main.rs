//! Tests of the hidden Web against a generated database.

mod database;
mod debug;
mod trials;
