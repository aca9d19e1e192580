//! Integration tests of the program of the lab.

mod experiment;
mod lab;
mod schema;
mod train;
