//! Integration tests of the readers of values.

mod properties;
mod real_data;
