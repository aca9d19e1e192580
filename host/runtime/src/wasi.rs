//! WASI 0.2 without access to the machine. Every language's toolchain imports it, so it must exist.
//! It has no folder, no socket and no variable; the clock shows the page's fetch time, and random
//! numbers are the same on every run. Output is kept for the log.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rand::SeedableRng;
use rand::rngs::SmallRng;
use wasmtime::component::{Linker, ResourceTable};
use wasmtime_wasi::cli::{IsTerminal, StdoutStream};
use wasmtime_wasi::p2::bindings::sync::LinkOptions;
use wasmtime_wasi::p2::pipe::MemoryOutputPipe;
use wasmtime_wasi::p2::{OutputStream, Pollable, StreamResult};
use wasmtime_wasi::{HostMonotonicClock, HostWallClock, WasiCtx, WasiCtxBuilder, WasiCtxView, async_trait};

use crate::fault::{Fault, Raised};
use crate::state::State;
use magpie_values::Timestamp;

/// Maximum number of output bytes to keep of one call. A panic's text has a few hundred bytes; the
/// rest is dropped.
const OUTPUT_BYTES: usize = 64 << 10;

/// Maximum size of one write by the guest; excess output is dropped anyway.
const WRITE_BYTES: usize = 4 << 10;

/// Fixed seed: the same page gives the same random numbers.
const SEED: u64 = 0x6d61_6770_6965;

/// WASI of one instance, created when the instance first uses it.
pub(crate) struct Wasi {
    ctx: WasiCtx,
    table: ResourceTable,
    output: Output,
}

impl Wasi {
    pub(crate) fn closed(fetched_at: Timestamp) -> Self {
        let output = Output::default();
        let mut builder = WasiCtxBuilder::new();
        builder
            .stdout(output.clone())
            .stderr(output.clone())
            .allow_tcp(false)
            .allow_udp(false)
            .allow_ip_name_lookup(false)
            .wall_clock(FrozenClock(fetched_at))
            .monotonic_clock(FrozenClock(fetched_at))
            .secure_random(SmallRng::seed_from_u64(SEED))
            .insecure_random(SmallRng::seed_from_u64(SEED))
            .insecure_random_seed(u128::from(SEED));
        Self {
            ctx: builder.build(),
            table: ResourceTable::new(),
            output,
        }
    }

    pub(crate) fn view(&mut self) -> WasiCtxView<'_> {
        WasiCtxView {
            ctx: &mut self.ctx,
            table: &mut self.table,
        }
    }

    /// Output of the guest to stdout and stderr.
    pub(crate) fn output(&self) -> String {
        String::from_utf8_lossy(&self.output.0.lock().unwrap_or_else(PoisonError::into_inner)).into_owned()
    }
}

/// Adds the closed WASI to a linker.
pub(crate) fn add_to_linker(linker: &mut Linker<State>) -> wasmtime::Result<()> {
    wasmtime_wasi::p2::add_to_linker_with_options_sync(linker, &LinkOptions::default())?;
    reject_waiting(linker)
}

/// Lets functions that wait fail.
fn reject_waiting(linker: &mut Linker<State>) -> wasmtime::Result<()> {
    linker.allow_shadowing(true);
    let mut poll = linker.instance("wasi:io/poll@0.2.12")?;
    // A guest that waits uses no CPU time, so no budget would ever stop it.
    poll.func_new("[method]pollable.block", |_, _, _, _| {
        Err(Raised(Fault::Slept).into())
    })?;
    poll.func_new("poll", |_, _, _, _| Err(Raised(Fault::Slept).into()))?;
    linker.allow_shadowing(false);
    Ok(())
}

/// A clock that always shows the same time.
struct FrozenClock(Timestamp);

impl HostWallClock for FrozenClock {
    fn resolution(&self) -> Duration {
        Duration::from_secs(1)
    }

    fn now(&self) -> Duration {
        Duration::from_secs(u64::try_from(self.0.as_seconds()).unwrap_or(0))
    }
}

impl HostMonotonicClock for FrozenClock {
    fn resolution(&self) -> u64 {
        1
    }

    fn now(&self) -> u64 {
        0
    }
}

/// Accepts all output and keeps the beginning.
#[derive(Clone, Default)]
struct Output(Arc<Mutex<Vec<u8>>>);

impl IsTerminal for Output {
    fn is_terminal(&self) -> bool {
        false
    }
}

impl StdoutStream for Output {
    fn async_stream(&self) -> Box<dyn tokio::io::AsyncWrite + Send + Sync> {
        // Only asynchronous guests use this, and there are none.
        Box::new(MemoryOutputPipe::new(0))
    }

    fn p2_stream(&self) -> Box<dyn OutputStream> {
        Box::new(self.clone())
    }
}

impl OutputStream for Output {
    fn write(&mut self, bytes: bytes::Bytes) -> StreamResult<()> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Output beyond the limit is dropped without an error: a guest that prints much neither
        // fills the memory nor fails.
        let room = OUTPUT_BYTES.saturating_sub(kept.len()).min(bytes.len());
        kept.extend_from_slice(&bytes[..room]);
        Ok(())
    }

    fn flush(&mut self) -> StreamResult<()> {
        Ok(())
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        Ok(WRITE_BYTES)
    }
}

#[async_trait]
impl Pollable for Output {
    async fn ready(&mut self) {}
}
