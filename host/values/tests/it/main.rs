//! Integration tests of the readers of values.

mod checklists;
mod properties;
mod real_data;
