//! The pipelines, and the settings they run by.

pub mod collect;
pub mod crawl;
pub mod settings;
pub mod warehouse;

mod client;
mod look;
mod source;
mod verticals;

pub use client::{ClientError, can_fetch, canonicaliser, canonicaliser_knowing, proof, proof_of_order};
pub use look::{JudgedLink, Look, RobotsVerdict, Says, look};
/// What [`canonicaliser`] gives.
pub use magpie_discovery::Canonicaliser;
pub use source::{Archive, Clients, Source, for_archive};
pub use verticals::{Verticals, VerticalsError, limits, option_value};
