//! Integration tests of the program of the lab.

mod experiment;
mod json_reference;
mod lab;
mod schema;
mod train;
