//! The machine: one engine, one ticker, one cache, any number of plugins.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use magpie_model::VerticalInfo;
use magpie_values::Timestamp;
use serde_json::{Map, Value};
use wasmtime::component::Component;
use wasmtime::{
    Config, Enabled, Engine, Instance, InstanceAllocationStrategy, Module, OptLevel, PoolingAllocationConfig,
    Store, UpdateDeadline, WasmFeatures,
};

use crate::cache::Cache;
use crate::contract::Contracts;
use crate::cpu::Ticker;
use crate::inspect::{ContractVersion, Inspection, inspect};
use crate::limits::{BadLimit, COMPONENT_BYTES, INSTANCES, Limits, STACK_BYTES, TABLE_ELEMENTS};
use crate::load_error::LoadError;
use crate::plugin::{OptionTexts, Plugin};
use crate::state::State;

/// How much memory of a slot stays resident between instances; most pages touch less, and giving
/// pages back to the system and getting them again costs more than a call.
const KEEP_RESIDENT_BYTES: usize = 8 << 20;

/// Core modules, memories and tables one component may consist of. Ours have one or two; the
/// engines of JavaScript and Python come as several modules with adapters between them.
const PARTS: u32 = 20;

/// Bytes of bookkeeping one core instance may need; large engines have many functions.
const INSTANCE_BYTES: usize = 4 << 20;

/// How the runtime is set up.
#[derive(Clone, Debug)]
pub struct RuntimeSettings {
    /// What each call may use.
    pub limits: Limits,
    /// Where compiled components are kept; none means they are compiled anew each time.
    pub cache: Option<PathBuf>,
    /// Instances alive at once; further calls wait for a place.
    pub instances: u32,
    /// Use the pool of instance slots where the address space allows it. Off is slower, never wrong.
    pub pooling: bool,
}

impl Default for RuntimeSettings {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            cache: None,
            instances: INSTANCES,
            pooling: true,
        }
    }
}

/// The runtime could not be set up.
#[derive(Debug, thiserror::Error)]
pub enum RuntimeError {
    /// A limit makes no sense.
    #[error(transparent)]
    Limit(#[from] BadLimit),
    /// The engine refused its settings.
    #[error("the WebAssembly engine can't start on this machine: {0}")]
    Engine(String),
    /// The ticker thread could not be started.
    #[error("can't start the thread that limits CPU time: {0}")]
    Ticker(#[source] std::io::Error),
}

/// Loads and runs plugins. Cheap to clone; share one in a process.
#[derive(Clone)]
pub struct Runtime {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) engine: Engine,
    pub(crate) limits: Limits,
    pub(crate) ticker: Ticker,
    pub(crate) places: Places,
    contracts: Contracts,
    cache: Option<Cache>,
    pooled: bool,
}

impl Runtime {
    /// Sets the engine up: with the pool if there is address space for it, without it otherwise.
    pub fn new(settings: &RuntimeSettings) -> Result<Self, RuntimeError> {
        let limits = settings.limits.checked()?;
        let instances = settings.instances.max(1);
        let (engine, pooled) = engine(settings.pooling.then_some(instances), &limits)
            .map_err(|error| RuntimeError::Engine(format!("{error:#}")))?;
        let contracts =
            Contracts::new(&engine).map_err(|error| RuntimeError::Engine(format!("{error:#}")))?;
        let ticker = Ticker::start(engine.weak()).map_err(RuntimeError::Ticker)?;
        let cache = settings.cache.as_deref().and_then(Cache::open);
        let places = Places::new(instances);
        Ok(Self {
            inner: Arc::new(Inner {
                engine,
                limits,
                ticker,
                places,
                contracts,
                cache,
                pooled,
            }),
        })
    }

    /// Whether instances come from the pool.
    pub fn is_pooled(&self) -> bool {
        self.inner.pooled
    }

    /// The limits of each call.
    pub fn limits(&self) -> &Limits {
        &self.inner.limits
    }

    /// The versions of the contract this runtime speaks.
    pub fn contracts(&self) -> Vec<ContractVersion> {
        self.inner.contracts.spoken()
    }

    /// Loads a component with its options at their defaults.
    pub fn load(&self, path: &Path) -> Result<Plugin, LoadError> {
        self.load_with(path, &Map::new())
    }

    /// Loads a component with options the user set.
    pub fn load_with(&self, path: &Path, options: &Map<String, Value>) -> Result<Plugin, LoadError> {
        let bytes = read_component(path)?;
        self.load_bytes(&bytes, options)
    }

    /// Loads a component that is in memory.
    pub fn load_bytes(&self, bytes: &[u8], options: &Map<String, Value>) -> Result<Plugin, LoadError> {
        let inspection = inspect(bytes)?;
        self.refuse_forbidden(&inspection)?;
        self.refuse_large(&inspection)?;
        let line = self.inner.contracts.line(inspection.contract)?;
        let component = self.compiled(bytes, &inspection)?;
        let linked = line.link(&component).map_err(|error| LoadError::Misfit {
            contract: inspection.contract,
            reason: format!("{error:#}"),
        })?;
        if !linked.describes() {
            return Err(LoadError::NoDescription);
        }
        let info = self
            .inner
            .cache
            .as_ref()
            .and_then(|c| c.load_info(&self.inner.engine, &inspection.digest));
        let plugin = Plugin::new(self.clone(), inspection, linked, info.unwrap_or_default());
        plugin
            .described(|digest, info: &VerticalInfo| self.keep_info(digest, info))?
            .with_options(options)
    }

    fn keep_info(&self, digest: &str, info: &VerticalInfo) {
        if let Some(cache) = &self.inner.cache {
            cache.store_info(&self.inner.engine, digest, info);
        }
    }

    /// Everything a plugin may import is our own contract or the closed WASI 0.2; the rest gets a
    /// sentence here rather than a linker's.
    fn refuse_forbidden(&self, inspection: &Inspection) -> Result<(), LoadError> {
        const ALLOWED: [&str; 7] = [
            "magpie:vertical/",
            "wasi:cli/",
            "wasi:io/",
            "wasi:clocks/",
            "wasi:filesystem/",
            "wasi:random/",
            "wasi:sockets/",
        ];
        let forbidden = |name: &&String| !ALLOWED.iter().any(|allowed| name.starts_with(allowed));
        let imports: Vec<String> = inspection.imports.iter().filter(forbidden).cloned().collect();
        if imports.is_empty() {
            Ok(())
        } else {
            Err(LoadError::Forbidden { imports })
        }
    }

    /// The compiler would refuse it too, with words about its own settings.
    fn refuse_large(&self, inspection: &Inspection) -> Result<(), LoadError> {
        let (needed, allowed) = (inspection.memory_bytes, self.limits().memory_bytes);
        if needed > allowed {
            Err(LoadError::Memory { needed, allowed })
        } else {
            Ok(())
        }
    }

    fn compiled(&self, bytes: &[u8], inspection: &Inspection) -> Result<Component, LoadError> {
        let engine = &self.inner.engine;
        let cached = self
            .inner
            .cache
            .as_ref()
            .and_then(|cache| cache.load(engine, &inspection.digest));
        if let Some(component) = cached {
            return Ok(component);
        }
        let component = Component::from_binary(engine, bytes)
            .map_err(|error| LoadError::Compile(format!("{error:#}")))?;
        if let Some(cache) = &self.inner.cache {
            cache.store(engine, &inspection.digest, &component);
        }
        Ok(component)
    }
}

/// Reads a component file, refusing what is far too large before reading it.
pub fn read_component(path: &Path) -> Result<Vec<u8>, LoadError> {
    let bytes = std::fs::metadata(path).map_err(LoadError::Read)?.len();
    if bytes > COMPONENT_BYTES {
        return Err(LoadError::TooLarge {
            bytes,
            limit: COMPONENT_BYTES,
        });
    }
    std::fs::read(path).map_err(LoadError::Read)
}

/// The engine, and whether it pools. Pooling reserves gigabytes of address space for each slot, and
/// even one instance usually some for its memory, which containers and `ulimit -v` may refuse. So each
/// way is tried out, the next one being slower and more modest.
fn engine(pool: Option<u32>, limits: &Limits) -> wasmtime::Result<(Engine, bool)> {
    if let Some(instances) = pool {
        let mut config = config();
        config.allocation_strategy(pooling(instances, limits));
        if let Ok(engine) = Engine::new(&config)
            && probe(&engine).is_ok()
        {
            return Ok((engine, true));
        }
    }
    let engine = Engine::new(&config())?;
    if probe(&engine).is_ok() {
        return Ok((engine, false));
    }
    let mut modest = config();
    modest
        .memory_reservation(0)
        .memory_guard_size(0)
        .memory_reservation_for_growth(MODEST_GROWTH_BYTES);
    Ok((Engine::new(&modest)?, false))
}

/// Where address space is short, memories move when they grow; this much room makes that rare.
const MODEST_GROWTH_BYTES: u64 = 4 << 20;

/// Makes one instance with a memory, to see whether there is address space for it.
fn probe(engine: &Engine) -> wasmtime::Result<()> {
    /// The smallest module with a memory: the header, and a memory section with one memory of one page.
    const MODULE: [u8; 13] = *b"\0asm\x01\0\0\0\x05\x03\x01\0\x01";
    let module = Module::new(engine, MODULE)?;
    let mut store = Store::new(engine, ());
    store.set_epoch_deadline(1);
    Instance::new(&mut store, &module, &[]).map(|_| ())
}

fn config() -> Config {
    let mut config = Config::new();
    config
        .wasm_component_model(true)
        // No plugin function is asynchronous, and each call costs a third without the machinery.
        .concurrency_support(false)
        .epoch_interruption(true)
        .cranelift_opt_level(OptLevel::Speed)
        .max_wasm_stack(STACK_BYTES)
        // Same input, same output: no instruction may differ between machines.
        .wasm_relaxed_simd(false)
        .wasm_features(WasmFeatures::THREADS | WasmFeatures::MEMORY64, false);
    config
}

fn pooling(instances: u32, limits: &Limits) -> InstanceAllocationStrategy {
    let mut pool = PoolingAllocationConfig::default();
    pool.total_component_instances(instances)
        .total_core_instances(instances * PARTS)
        .total_memories(instances)
        .total_tables(instances * PARTS)
        .max_core_instances_per_component(PARTS * 4)
        .max_memories_per_component(PARTS)
        .max_tables_per_component(PARTS)
        .max_tables_per_module(PARTS)
        .table_elements(TABLE_ELEMENTS)
        .max_core_instance_size(INSTANCE_BYTES)
        .max_component_instance_size(INSTANCE_BYTES)
        .max_memory_size(usize::try_from(limits.memory_bytes).unwrap_or(usize::MAX))
        .linear_memory_keep_resident(KEEP_RESIDENT_BYTES)
        .table_keep_resident(KEEP_RESIDENT_BYTES)
        .max_unused_warm_slots(instances)
        .pagemap_scan(Enabled::Auto);
    InstanceAllocationStrategy::Pooling(pool)
}

/// Places for instances. The pool answers an error when it is full; a caller should wait instead.
pub(crate) struct Places {
    count: Mutex<Count>,
    freed: Condvar,
}

struct Count {
    free: u32,
    /// Callers that wait: waking asks the system, which takes longer than all else, even where nobody does.
    waiting: u32,
}

/// A place taken; free again when dropped.
pub(crate) struct Place {
    runtime: Arc<Inner>,
}

impl Places {
    fn new(count: u32) -> Self {
        Self {
            count: Mutex::new(Count {
                free: count,
                waiting: 0,
            }),
            freed: Condvar::new(),
        }
    }

    fn take(&self) {
        let mut count = self.count();
        while count.free == 0 {
            count.waiting += 1;
            count = self.freed.wait(count).unwrap_or_else(PoisonError::into_inner);
            count.waiting -= 1;
        }
        count.free -= 1;
    }

    fn give_back(&self) {
        let mut count = self.count();
        count.free += 1;
        if count.waiting > 0 {
            self.freed.notify_one();
        }
    }

    fn count(&self) -> MutexGuard<'_, Count> {
        self.count.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    /// A store under the limits of one call.
    pub(crate) fn store(&self, options: Arc<OptionTexts>, fetched_at: Timestamp) -> Store<State> {
        let mut store = Store::new(&self.engine, State::new(self.limits, options, fetched_at));
        store.limiter(|state| state);
        store.set_hostcall_fuel(self.limits.result_bytes);
        store.set_epoch_deadline(1);
        store.epoch_deadline_callback(|store| {
            let state = store.data();
            if state.meter().exceeded() {
                Err(state.over_budget())
            } else {
                Ok(UpdateDeadline::Continue(1))
            }
        });
        store
    }

    pub(crate) fn take_place(self: &Arc<Self>) -> Place {
        self.places.take();
        Place {
            runtime: Arc::clone(self),
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.runtime.places.give_back();
    }
}
