//! Loads verticals (WebAssembly components), runs them sandboxed, and reports the results.
//!
//! - [`inspect`](inspect()) reads the description of a file without running any of it.
//! - [`Runtime`] compiles a component (or takes it from the cache), checks it and loads it as a
//!   [`Plugin`].
//! - [`Plugin::extract`] and its siblings run one call in a fresh instance under [`Limits`] and
//!   return a [`Call`]: the result or a typed [`Fault`], the cost, and the log.
//! - [`Folder`] keeps a folder of plugins loaded, and reloads changed files.
//!
//! A plugin's failure is an ordinary outcome. A plugin can't end the process, access the machine,
//! or affect another page. Only this crate uses wasmtime.

mod breaker;
mod cache;
mod contract;
mod cpu;
mod digest;
mod examine;
mod fault;
mod folder;
mod inspect;
mod limits;
mod load_error;
mod matcher;
mod plugin;
mod probe;
mod routing;
mod runtime;
mod state;
mod wasi;

pub use breaker::Breaker;
pub use cache::cache_problem;
pub use digest::Sha256;
pub use examine::Examination;
pub use fault::{CallError, Fault, FaultKind, PluginId};
pub use folder::{Change, Folder, LoadedPlugin, POLL_INTERVAL, Watch};
pub use inspect::{ContractVersion, Inspection, inspect};
pub use limits::{BadLimit, Limits, MAX_COMPONENT_BYTES};
pub use load_error::LoadError;
pub use matcher::PluginMatcher;
pub use plugin::{Call, Plugin, Session, Usage};
pub use probe::Probe;
pub use routing::Route;
pub use runtime::{Runtime, RuntimeError, RuntimeSettings, read_component};
pub use state::{Level, LogLine};
