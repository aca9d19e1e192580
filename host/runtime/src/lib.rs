//! Loads verticals (WebAssembly components), runs them sandboxed, and reports what they did.
//!
//! - [`inspect`](inspect()) reads what a file says of itself without running any of it.
//! - [`Runtime`] compiles (or takes from its cache), checks and loads; [`Plugin`] is the result.
//! - [`Plugin::extract`] and its siblings run one call in a fresh instance under [`Limits`] and
//!   return a [`Call`]: the result or a typed [`Fault`], what it cost, what was logged.
//! - [`Folder`] keeps a folder of plugins loaded, and reloads what changes.
//!
//! A plugin's failure is an ordinary outcome. Nothing a plugin does can end the process, reach the
//! machine, or touch another page. Only this crate names wasmtime.

mod breaker;
mod cache;
mod contract;
mod cpu;
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
pub use examine::Examination;
pub use fault::{CallError, Fault, PluginId};
pub use folder::{Change, Folder, Gate, LOOK_EVERY, Watch};
pub use inspect::{CONTRACT, ContractVersion, Inspection, inspect};
pub use limits::{BadLimit, Limits};
pub use load_error::LoadError;
pub use matcher::PluginMatcher;
pub use plugin::{Call, Plugin, Session, Usage};
pub use probe::Probe;
pub use routing::{Route, route};
pub use runtime::{Runtime, RuntimeError, RuntimeSettings, read_component};
pub use state::{Level, LogLine};
