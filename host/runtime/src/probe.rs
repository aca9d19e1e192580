//! Measures the cost of a bare call on this engine.
//!
//! The contract has no function without work, so the benchmarks bring their own component. It is
//! loaded here with the same engine, limits and meter as plugins. Only benchmarks use it.

use std::sync::Arc;

use magpie_values::Timestamp;
use wasmtime::Store;
use wasmtime::component::{Component, Linker};

use crate::cpu::ActiveCall;
use crate::fault::{Fault, diagnose};
use crate::load_error::LoadError;
use crate::runtime::{Runtime, Slot};
use crate::state::State;

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

/// An instance of the benchmarks' component: two functions that do almost nothing.
pub struct Probe {
    instance: bindings::Probe,
    store: Store<State>,
    runtime: Runtime,
    _active_call: ActiveCall,
    _slot: Slot,
}

impl Probe {
    /// Makes a call without arguments.
    pub fn nothing(&mut self) -> Result<(), Fault> {
        let answer = self.instance.call_nothing(&mut self.store);
        answer.map_err(|error| self.fault(&error))
    }

    /// Makes a call with a text, which is copied to the guest's memory. Returns its length.
    pub fn take(&mut self, text: &str) -> Result<u32, Fault> {
        let answer = self.instance.call_take(&mut self.store, text);
        answer.map_err(|error| self.fault(&error))
    }

    /// Restarts the CPU time of a call: many calls use one instance here, and together they would
    /// exceed the budget of one.
    pub fn restart_meter(&mut self) {
        self.store.data_mut().restart_meter();
    }

    fn fault(&self, error: &wasmtime::Error) -> Fault {
        diagnose(error, self.runtime.limits(), self.store.data().last_output())
    }
}

impl Runtime {
    pub fn probe(&self, component: &[u8]) -> Result<Probe, LoadError> {
        let inner = &self.inner;
        let component = Component::from_binary(&inner.engine, component)
            .map_err(|error| LoadError::Compile(format!("{error:#}")))?;
        let slot = inner.take_slot();
        let active_call = inner.ticker.call();
        let mut store = inner.store(Arc::default(), Timestamp::default());
        let instance = bindings::Probe::instantiate(&mut store, &component, &Linker::new(&inner.engine))
            .map_err(|error| LoadError::Compile(format!("{error:#}")))?;
        Ok(Probe {
            instance,
            store,
            runtime: self.clone(),
            _active_call: active_call,
            _slot: slot,
        })
    }
}
