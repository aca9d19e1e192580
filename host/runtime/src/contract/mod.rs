//! The lines of the contract this host speaks, side by side.
//!
//! One module a line (`v0_1` …): generated bindings, a linker, and conversions between the wire's
//! types and the model's. The rest of the host sees the traits below and never a version. A new
//! breaking version adds a module here and a frozen folder under `wit/`; nothing else changes.

mod v0_1;

use magpie_model::{Merged, Prepared, Verdict};
use magpie_model::{Object, PluginError, Query, VerticalInfo};
use wasmtime::component::Component;
use wasmtime::{Engine, Store};

use crate::inspect::ContractVersion;
use crate::load_error::LoadError;
use crate::state::State;

/// What a plugin answered: the outer result is the machine's, the inner one the plugin's.
pub(crate) type Answer<T> = wasmtime::Result<Result<T, PluginError>>;

/// One line of the contract.
pub(crate) trait Line: Send + Sync {
    /// The newest version of the line that this host speaks.
    fn version(&self) -> ContractVersion;
    /// Joins a component to the host's functions, checking all types.
    fn link(&self, component: &Component) -> wasmtime::Result<Box<dyn Linked>>;
}

/// A component that is ready to be instantiated any number of times.
pub(crate) trait Linked: Send + Sync {
    fn describes(&self) -> bool;
    fn extracts(&self) -> bool;
    fn clusters(&self) -> bool;
    fn queries(&self) -> bool;
    fn open(&self, store: &mut Store<State>) -> wasmtime::Result<Box<dyn Instance>>;
}

/// One instance. Each function is called only when the component exports it.
pub(crate) trait Instance: Send {
    fn describe(&mut self, store: &mut Store<State>) -> wasmtime::Result<VerticalInfo>;
    fn extract(&mut self, store: &mut Store<State>) -> Answer<Vec<Object>>;
    fn prepare(&mut self, store: &mut Store<State>, objects: &[Object]) -> Answer<Vec<Prepared>>;
    fn compare(&mut self, store: &mut Store<State>, one: &[u8], many: &[&[u8]]) -> Answer<Vec<Verdict>>;
    fn merge(&mut self, store: &mut Store<State>, objects: &[Object]) -> Answer<Merged>;
    fn queries(&mut self, store: &mut Store<State>, object: &Object) -> Answer<Vec<Query>>;
}

/// All lines the host speaks.
pub(crate) struct Contracts(Vec<Box<dyn Line>>);

impl Contracts {
    pub(crate) fn new(engine: &Engine) -> wasmtime::Result<Self> {
        Ok(Self(vec![Box::new(v0_1::V0_1::new(engine)?)]))
    }

    pub(crate) fn spoken(&self) -> Vec<ContractVersion> {
        self.0.iter().map(|line| line.version()).collect()
    }

    /// The line a component was built for.
    pub(crate) fn line(&self, wanted: ContractVersion) -> Result<&dyn Line, LoadError> {
        let line = self.0.iter().find(|line| wanted.same_line(line.version()));
        line.map(AsRef::as_ref).ok_or_else(|| LoadError::OtherContract {
            found: wanted,
            spoken: self.spoken(),
        })
    }
}
