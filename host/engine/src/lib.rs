//! The pipelines, and the settings they run by.

pub mod crawl;
pub mod settings;

mod client;
mod look;
mod verticals;

pub use client::{ClientError, canonicaliser, client};
pub use look::{Look, RobotsVerdict, look};
pub use verticals::{Verticals, VerticalsError, limits};
