//! Builds guests into WebAssembly components: those in Rust on any machine and with no tool but cargo,
//! those in other languages ([`Foreign`]) by the languages' own tools.
//!
//! [`Toolchain::provide`] finds or installs a compiler for `wasm32-unknown-unknown`; [`build`] and
//! [`build_all`] run cargo, turn the core modules into components, stamp them with what the package
//! says about itself and with the contract they speak, and validate them. A guest whose sources,
//! compiler and recipe are as they were is not built again: that is decided by content, in
//! milliseconds, without asking cargo.
//!
//! [`componentize`] and [`stamp`] do the second half alone, for modules that came from elsewhere;
//! [`build_module`] does the first half alone, for hosts that load no components.
//!
//! The library prints nothing (what happens is told to a `progress` function, line by line) and takes
//! no decision from the environment.

mod batch;
mod cache;
mod command;
mod compile;
mod component;
mod error;
mod foreign;
mod inputs;
mod module;
mod package;
mod request;
mod toolchain;

pub use batch::{build, build_all};
pub use component::{CONTRACT_SECTION, Metadata, componentize, contract_of, stamp};
pub use error::{Error, Result};
pub use foreign::{Foreign, Language};
pub use module::build_module;
pub use request::{BuildRequest, Built};
pub use toolchain::{Toolchain, Way};

/// The one target guests are built for. It has no WASI, so a module's imports are the contract's alone.
pub const TARGET: &str = "wasm32-unknown-unknown";
