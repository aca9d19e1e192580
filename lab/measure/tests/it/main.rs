//! Integration tests of the measuring program.

mod experiment;
