//! The runtime: one engine, one ticker, one cache, any number of plugins.

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
use crate::inspect::{Inspection, inspect};
use crate::limits::{BadLimit, INSTANCES, Limits, MAX_COMPONENT_BYTES, STACK_BYTES, TABLE_ELEMENTS};
use crate::load_error::LoadError;
use crate::plugin::{OptionTexts, Plugin};
use crate::state::State;

/// Memory of a slot that stays resident between instances. Most pages touch less, and returning
/// memory to the system and getting it again costs more than a call.
const KEEP_RESIDENT_BYTES: usize = 8 << 20;

/// Maximum number of core modules, memories and tables of one component. Rust components have one
/// or two; the engines of JavaScript and Python are several modules with adapters between them.
const MAX_PARTS: u32 = 20;

/// Maximum bytes of bookkeeping of one core instance; large engines have many functions.
const INSTANCE_BYTES: usize = 4 << 20;

#[derive(Clone, Debug)]
pub struct RuntimeSettings {
    pub limits: Limits,
    /// Folder of the cache of compiled components; without one they are compiled at every load.
    pub cache: Option<PathBuf>,
    /// Maximum number of concurrent instances; further calls wait for a slot.
    pub instances: u32,
    /// Use the pool of instance slots if the address space allows it. Disabling it only makes calls
    /// slower.
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

#[derive(Debug, thiserror::Error)]
pub enum RuntimeError {
    #[error(transparent)]
    Limit(#[from] BadLimit),
    #[error("the WebAssembly engine can't start on this machine: {0}")]
    Engine(String),
    /// The ticker thread could not be started.
    #[error("can't start the thread that limits CPU time: {0}")]
    Ticker(#[source] std::io::Error),
}

/// Loads and runs plugins. Cheap to clone; a process should share one.
#[derive(Clone)]
pub struct Runtime {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) engine: Engine,
    pub(crate) limits: Limits,
    pub(crate) ticker: Ticker,
    pub(crate) slots: Slots,
    contracts: Contracts,
    cache: Option<Cache>,
}

impl Runtime {
    /// Sets up the engine, with the pool if there is address space for it.
    pub fn new(settings: &RuntimeSettings) -> Result<Self, RuntimeError> {
        let limits = settings.limits.checked()?;
        let instances = settings.instances.max(1);
        let engine = engine(settings.pooling.then_some(instances), &limits)
            .map_err(|error| RuntimeError::Engine(format!("{error:#}")))?;
        let contracts =
            Contracts::new(&engine).map_err(|error| RuntimeError::Engine(format!("{error:#}")))?;
        let ticker = Ticker::start(engine.weak()).map_err(RuntimeError::Ticker)?;
        let cache = settings.cache.as_deref().and_then(Cache::open);
        let slots = Slots::new(instances);
        Ok(Self {
            inner: Arc::new(Inner {
                engine,
                limits,
                ticker,
                slots,
                contracts,
                cache,
            }),
        })
    }

    pub fn limits(&self) -> &Limits {
        &self.inner.limits
    }

    pub fn load(&self, path: &Path) -> Result<Plugin, LoadError> {
        self.load_with(path, &Map::new())
    }

    /// Loads a component with the user's options.
    pub fn load_with(&self, path: &Path, options: &Map<String, Value>) -> Result<Plugin, LoadError> {
        let bytes = read_component(path)?;
        self.load_bytes(&bytes, options)
    }

    /// Loads a component from memory.
    pub fn load_bytes(&self, bytes: &[u8], options: &Map<String, Value>) -> Result<Plugin, LoadError> {
        let inspection = inspect(bytes)?;
        self.refuse_forbidden(&inspection)?;
        self.refuse_large(&inspection)?;
        // All that can be read from the file is checked before it is compiled, since compiling
        // takes longest and its errors say less to an author.
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
            .with_description(|digest, info: &VerticalInfo| self.keep_info(digest, info))?
            .with_options(options)
    }

    fn keep_info(&self, digest: &str, info: &VerticalInfo) {
        if let Some(cache) = &self.inner.cache {
            cache.store_info(&self.inner.engine, digest, info);
        }
    }

    /// Rejects other imports than the contract and the closed WASI 0.2, with a clearer message than
    /// the linker's.
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

    /// Rejects components whose initial memory exceeds the limit. The compiler would reject them
    /// too, with a message about its own settings.
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

/// Reads a component file; rejects one over the size limit before reading it.
pub fn read_component(path: &Path) -> Result<Vec<u8>, LoadError> {
    let bytes = std::fs::metadata(path).map_err(LoadError::Read)?.len();
    // Compared before the file is read, so that a wrong path (a disk image, a log) does not fill
    // the memory.
    if bytes > MAX_COMPONENT_BYTES {
        return Err(LoadError::TooLarge {
            bytes,
            limit: MAX_COMPONENT_BYTES,
        });
    }
    std::fs::read(path).map_err(LoadError::Read)
}

/// Creates the engine; also returns true if it uses the pool. Pooling reserves gigabytes of address
/// space for each slot. Even one instance usually reserves some for its memory, which containers
/// and `ulimit -v` may refuse. So several configurations are tried, each slower and using less
/// address space than the one before.
fn engine(pool: Option<u32>, limits: &Limits) -> wasmtime::Result<Engine> {
    if let Some(instances) = pool {
        let mut config = config();
        config.allocation_strategy(pooling(instances, limits));
        if let Ok(engine) = Engine::new(&config)
            // The engine reserves address space for memories when the first instance is created, so
            // only an instance shows that there is enough.
            && probe(&engine).is_ok()
        {
            return Ok(engine);
        }
    }
    let engine = Engine::new(&config())?;
    if probe(&engine).is_ok() {
        return Ok(engine);
    }
    // Without reservation and guard pages, each access of the code checks its bounds. This is the
    // slowest configuration, and the one that needs the least address space.
    let mut modest = config();
    modest
        .memory_reservation(0)
        .memory_guard_size(0)
        .memory_reservation_for_growth(MODEST_GROWTH_BYTES);
    Engine::new(&modest)
}

/// Room for growth of a memory. With little address space, memories move when they grow; this much
/// room makes that rare.
const MODEST_GROWTH_BYTES: u64 = 4 << 20;

/// Creates one instance with a memory, to test if there is address space for it.
fn probe(engine: &Engine) -> wasmtime::Result<()> {
    /// The smallest module with a memory: the header, and a memory section with one memory of one
    /// page.
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
        // No plugin function is asynchronous, and calls are a third cheaper without this support.
        .concurrency_support(false)
        .epoch_interruption(true)
        .cranelift_opt_level(OptLevel::Speed)
        .max_wasm_stack(STACK_BYTES)
        // Deterministic: no instruction may differ between machines.
        .wasm_relaxed_simd(false)
        .wasm_features(WasmFeatures::THREADS | WasmFeatures::MEMORY64, false);
    config
}

fn pooling(instances: u32, limits: &Limits) -> InstanceAllocationStrategy {
    let mut pool = PoolingAllocationConfig::default();
    pool.total_component_instances(instances)
        .total_core_instances(instances * MAX_PARTS)
        .total_memories(instances)
        .total_tables(instances * MAX_PARTS)
        .max_core_instances_per_component(MAX_PARTS * 4)
        .max_memories_per_component(MAX_PARTS)
        .max_tables_per_component(MAX_PARTS)
        .max_tables_per_module(MAX_PARTS)
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

/// Slots for instances. If the pool is full it returns an error; callers should wait instead.
pub(crate) struct Slots {
    count: Mutex<Count>,
    freed: Condvar,
}

struct Count {
    free: u32,
    waiting: u32,
}

/// An occupied slot; freed when dropped.
pub(crate) struct Slot {
    runtime: Arc<Inner>,
}

impl Slots {
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
        // Waking takes a system call, the slowest step here, so it is skipped if no call waits.
        if count.waiting > 0 {
            self.freed.notify_one();
        }
    }

    fn count(&self) -> MutexGuard<'_, Count> {
        self.count.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    /// Creates a store under the limits of one call.
    pub(crate) fn store(&self, options: Arc<OptionTexts>, fetched_at: Timestamp) -> Store<State> {
        let mut store = Store::new(&self.engine, State::new(self.limits, options, fetched_at));
        store.limiter(|state| state);
        store.set_hostcall_fuel(self.limits.result_bytes);
        // The callback runs at each tick instead of at a deadline: it compares CPU time, which no
        // number of ticks can express.
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

    pub(crate) fn take_slot(self: &Arc<Self>) -> Slot {
        self.slots.take();
        Slot {
            runtime: Arc::clone(self),
        }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.runtime.slots.give_back();
    }
}
