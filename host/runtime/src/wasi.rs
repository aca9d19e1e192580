//! WASI 0.2, closed. Every language's toolchain imports it, so it must be there; nothing of the
//! machine is behind it: no folder, no socket, no variable, a clock that stands at the page's fetch
//! time, random numbers that are the same on every run. Output is kept for the log.

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

/// Output kept of one call. A panic's text has a few hundred bytes; what comes after this is dropped.
const OUTPUT_BYTES: usize = 64 << 10;

/// How much a guest may claim to write at once; what we have no use for is dropped anyway.
const WRITE_BYTES: usize = 4 << 10;

/// Any fixed number: the same page gives the same random numbers.
const SEED: u64 = 0x6d61_6770_6965;

/// One instance's WASI; made only when the instance first asks for it.
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
            .wall_clock(Standing(fetched_at))
            .monotonic_clock(Standing(fetched_at))
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

    /// What the guest wrote to stdout and stderr.
    pub(crate) fn output(&self) -> String {
        String::from_utf8_lossy(&self.output.0.lock().unwrap_or_else(PoisonError::into_inner)).into_owned()
    }
}

/// Adds the closed WASI to a linker.
pub(crate) fn add_to_linker(linker: &mut Linker<State>) -> wasmtime::Result<()> {
    wasmtime_wasi::p2::add_to_linker_with_options_sync(linker, &LinkOptions::default())?;
    forbid_waiting(linker)
}

/// A guest that waits uses no CPU, so no budget would ever stop it; it gets an answer instead.
fn forbid_waiting(linker: &mut Linker<State>) -> wasmtime::Result<()> {
    linker.allow_shadowing(true);
    let mut poll = linker.instance("wasi:io/poll@0.2.12")?;
    poll.func_new("[method]pollable.block", |_, _, _, _| {
        Err(Raised(Fault::Slept).into())
    })?;
    poll.func_new("poll", |_, _, _, _| Err(Raised(Fault::Slept).into()))?;
    linker.allow_shadowing(false);
    Ok(())
}

/// A clock that stands still.
struct Standing(Timestamp);

impl HostWallClock for Standing {
    fn resolution(&self) -> Duration {
        Duration::from_secs(1)
    }

    fn now(&self) -> Duration {
        Duration::from_secs(u64::try_from(self.0.as_seconds()).unwrap_or(0))
    }
}

impl HostMonotonicClock for Standing {
    fn resolution(&self) -> u64 {
        1
    }

    fn now(&self) -> u64 {
        0
    }
}

/// Takes everything and keeps the beginning, so that a chatty guest neither fills the memory nor fails.
#[derive(Clone, Default)]
struct Output(Arc<Mutex<Vec<u8>>>);

impl IsTerminal for Output {
    fn is_terminal(&self) -> bool {
        false
    }
}

impl StdoutStream for Output {
    fn async_stream(&self) -> Box<dyn tokio::io::AsyncWrite + Send + Sync> {
        // Only asynchronous guests would use it, and there are none.
        Box::new(MemoryOutputPipe::new(0))
    }

    fn p2_stream(&self) -> Box<dyn OutputStream> {
        Box::new(self.clone())
    }
}

impl OutputStream for Output {
    fn write(&mut self, bytes: bytes::Bytes) -> StreamResult<()> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
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
