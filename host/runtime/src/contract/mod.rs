//! Contract lines of this host, side by side.
//!
//! A line is a set of compatible contract versions. Each has a module (`v0_1` …) with generated
//! bindings, a linker, and conversions between the contract's types and the model's. The rest of
//! the host uses the traits below and never depends on a version. A new breaking version adds a
//! module here and a frozen folder under `wit/`; nothing else changes.

mod v0_1;

use magpie_model::{Judgement, Merged, Prepared, Verdict};
use magpie_model::{Object, PluginError, Query, VerticalInfo};
use wasmtime::component::Component;
use wasmtime::{Engine, Store};

use crate::inspect::ContractVersion;
use crate::load_error::LoadError;
use crate::state::State;

/// Answer of a plugin: the outer result is the engine's, the inner one the plugin's.
pub(crate) type Answer<T> = wasmtime::Result<Result<T, PluginError>>;

pub(crate) trait ContractLine: Send + Sync {
    /// Newest version of the line that this host supports.
    fn version(&self) -> ContractVersion;
    /// Links a component to the host's functions, checking all types.
    fn link(&self, component: &Component) -> wasmtime::Result<Box<dyn Linked>>;
}

/// A component that is ready to be instantiated any number of times.
pub(crate) trait Linked: Send + Sync {
    fn describes(&self) -> bool;
    fn extracts(&self) -> bool;
    fn clusters(&self) -> bool;
    fn queries(&self) -> bool;
    fn judges(&self) -> bool;
    fn open(&self, store: &mut Store<State>) -> wasmtime::Result<Box<dyn Instance>>;
}

/// One instance. A function may only be called if the component exports it.
pub(crate) trait Instance: Send {
    fn describe(&mut self, store: &mut Store<State>) -> wasmtime::Result<VerticalInfo>;
    fn extract(&mut self, store: &mut Store<State>) -> Answer<Vec<Object>>;
    fn prepare(&mut self, store: &mut Store<State>, objects: &[Object]) -> Answer<Vec<Prepared>>;
    fn compare(&mut self, store: &mut Store<State>, one: &[u8], many: &[&[u8]]) -> Answer<Vec<Verdict>>;
    fn merge(&mut self, store: &mut Store<State>, objects: &[Object]) -> Answer<Merged>;
    fn queries(&mut self, store: &mut Store<State>, object: &Object) -> Answer<Vec<Query>>;
    fn judge(&mut self, store: &mut Store<State>) -> Answer<Judgement>;
}

pub(crate) struct Contracts(Vec<Box<dyn ContractLine>>);

impl Contracts {
    pub(crate) fn new(engine: &Engine) -> wasmtime::Result<Self> {
        Ok(Self(vec![Box::new(v0_1::V0_1::new(engine)?)]))
    }

    pub(crate) fn spoken(&self) -> Vec<ContractVersion> {
        self.0.iter().map(|line| line.version()).collect()
    }

    /// Returns the line for which a component was built.
    pub(crate) fn line(&self, wanted: ContractVersion) -> Result<&dyn ContractLine, LoadError> {
        let line = self.0.iter().find(|line| wanted.same_line(line.version()));
        line.map(AsRef::as_ref).ok_or_else(|| LoadError::OtherContract {
            found: wanted,
            spoken: self.spoken(),
        })
    }
}
