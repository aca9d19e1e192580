//! When two texts are the same, or nearly.

mod near;
mod not_found;
mod words;

pub use near::{NearDuplicate, NearDuplicates, Simhash, TextPrint};
pub use not_found::{NotFoundProfile, SoftNotFound, probe_path};
