//! Measures what a bare call costs on this engine.
//!
//! The contract has no function that does nothing, so the benchmarks bring a component of their own,
//! which is loaded here with the engine, the limits and the meter that plugins get. Nothing else uses it.

use std::sync::Arc;

use wasmtime::Store;
use wasmtime::component::{Component, Linker};

use crate::cpu::Ticking;
use crate::fault::{Fault, diagnose};
use crate::load_error::LoadError;
use crate::runtime::{Place, Runtime};
use crate::state::State;
use magpie_values::Timestamp;

mod bindings {
    wasmtime::component::bindgen!({
        inline: "
            package magpie:probe;

            world probe {
                export nothing: func();
                export take: func(text: string) -> u32;
            }
        ",
    });
}

/// An instance of the component of the benchmarks: two functions that do next to nothing.
pub struct Probe {
    instance: bindings::Probe,
    store: Store<State>,
    runtime: Runtime,
    _ticking: Ticking,
    _place: Place,
}

impl Probe {
    /// A call that passes nothing.
    pub fn nothing(&mut self) -> Result<(), Fault> {
        let answer = self.instance.call_nothing(&mut self.store);
        answer.map_err(|error| self.fault(&error))
    }

    /// A call that passes a text, which arrives in the guest's memory. The answer is its length.
    pub fn take(&mut self, text: &str) -> Result<u32, Fault> {
        let answer = self.instance.call_take(&mut self.store, text);
        answer.map_err(|error| self.fault(&error))
    }

    /// Starts the CPU time of a call anew: many calls go through one instance here, and all of
    /// them together would be over the budget of one.
    pub fn restart_meter(&mut self) {
        self.store.data_mut().restart_meter();
    }

    fn fault(&self, error: &wasmtime::Error) -> Fault {
        diagnose(error, self.runtime.limits(), self.store.data().last_words())
    }
}

impl Runtime {
    /// Instantiates the component of the benchmarks.
    pub fn probe(&self, component: &[u8]) -> Result<Probe, LoadError> {
        let inner = &self.inner;
        let component = Component::from_binary(&inner.engine, component)
            .map_err(|error| LoadError::Compile(format!("{error:#}")))?;
        let place = inner.take_place();
        let ticking = inner.ticker.call();
        let mut store = inner.store(Arc::default(), Timestamp::default());
        let instance = bindings::Probe::instantiate(&mut store, &component, &Linker::new(&inner.engine))
            .map_err(|error| LoadError::Compile(format!("{error:#}")))?;
        Ok(Probe {
            instance,
            store,
            runtime: self.clone(),
            _ticking: ticking,
            _place: place,
        })
    }
}
