//! Integration tests of clustering and of the matcher by schema.

mod clustering;
mod plausible;
mod real_data;
