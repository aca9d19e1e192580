//! Builds guests into WebAssembly components. Guests in Rust need no tool but cargo; those in other
//! languages ([`Foreign`]) are built by the tools of these languages.
//!
//! [`Toolchain::provide`] finds or installs a compiler for `wasm32-unknown-unknown`. [`build`] and
//! [`build_all`] run cargo, convert the core modules to components, add the metadata of the package
//! and its contract, and validate them. A guest is not built again if its sources, compiler and
//! settings are unchanged. This is decided by content, within milliseconds and without running
//! cargo.
//!
//! [`build_module`] builds the core module alone, for hosts that load core modules.
//!
//! The library prints nothing: it passes progress to a `progress` function, line by line. It takes
//! no decision from the environment.

mod batch;
mod cache;
mod command;
mod compile;
mod component;
mod error;
mod foreign;
mod inputs;
mod language;
mod module;
mod package;
mod request;
mod toolchain;

pub use batch::{build, build_all};
pub use component::{CONTRACT_SECTION, Metadata};
pub use error::{Error, Result};
pub use foreign::Foreign;
pub use language::Language;
pub use module::build_module;
pub use request::{BuildRequest, Built};
pub use toolchain::{Toolchain, Way};

/// Compilation target of all guests. It has no WASI, so a module imports only the contract.
pub(crate) const TARGET: &str = "wasm32-unknown-unknown";

/// Package of the contract, without version.
pub(crate) const CONTRACT_PACKAGE: &str = "magpie:vertical";
