//! CPU time of calls, and the ticker that enforces their budgets.
//!
//! Wasm code checks its engine's epoch at every loop and function entry, which is cheap. The ticker
//! increments the epoch. At each tick the running call compares its *own thread's* CPU time with
//! its budget. A wall-clock deadline would stop well-behaved plugins on a loaded or suspended
//! machine.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use wasmtime::EngineWeak;

/// Interval between epochs: a runaway call is detected at most this long after its budget is used.
const TICK: Duration = Duration::from_millis(5);

/// Number of ticks without any call after which the ticker sleeps, so that an idle host causes no
/// wake-ups.
const IDLE_TICKS: u32 = 20;

/// CPU time used by this thread.
pub(crate) fn thread_cpu() -> Duration {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(
        u64::try_from(now.tv_sec).unwrap_or(0),
        u32::try_from(now.tv_nsec).unwrap_or(0),
    )
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Meter {
    started: Duration,
    budget: Duration,
}

impl Meter {
    pub(crate) fn start(budget: Duration) -> Self {
        Self {
            started: thread_cpu(),
            budget,
        }
    }

    pub(crate) fn used(&self) -> Duration {
        thread_cpu().saturating_sub(self.started)
    }

    pub(crate) fn exceeded(&self) -> bool {
        self.used() >= self.budget
    }
}

/// Increments the engine's epoch while calls are active.
#[derive(Debug)]
pub(crate) struct Ticker {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    calls: AtomicUsize,
    asleep: AtomicBool,
    stop: AtomicBool,
    lock: Mutex<()>,
    wake: Condvar,
}

/// An active call; the ticker runs while at least one exists.
#[derive(Debug)]
pub(crate) struct ActiveCall(Arc<Shared>);

impl Ticker {
    pub(crate) fn start(engine: EngineWeak) -> std::io::Result<Self> {
        let shared = Arc::new(Shared {
            calls: AtomicUsize::new(0),
            asleep: AtomicBool::new(false),
            stop: AtomicBool::new(false),
            lock: Mutex::new(()),
            wake: Condvar::new(),
        });
        let theirs = Arc::clone(&shared);
        let thread = std::thread::Builder::new()
            .name("magpie-epoch".to_owned())
            .spawn(move || theirs.run(&engine))?;
        Ok(Self {
            shared,
            thread: Some(thread),
        })
    }

    pub(crate) fn call(&self) -> ActiveCall {
        // Counted before `asleep` is read. The ticker sets `asleep` before it reads the count, so
        // at least one of the two sees the other.
        self.shared.calls.fetch_add(1, Ordering::SeqCst);
        if self.shared.asleep.load(Ordering::SeqCst) {
            self.shared.wake_up();
        }
        ActiveCall(Arc::clone(&self.shared))
    }
}

impl Drop for ActiveCall {
    fn drop(&mut self) {
        self.0.calls.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::SeqCst);
        self.shared.wake_up();
        if let Some(thread) = self.thread.take() {
            // A panic of the ticker does not matter here: no calls are left.
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn wake_up(&self) {
        // The ticker holds the lock from its last look at the count until it waits, so the
        // notification can't fall between the two.
        let _guard = self.lock.lock();
        self.wake.notify_all();
    }

    fn run(&self, engine: &EngineWeak) {
        let mut idle = 0;
        while !self.stop.load(Ordering::SeqCst) {
            std::thread::sleep(TICK);
            // The ticker must not keep an engine alive whose last plugin is gone.
            let Some(engine) = engine.upgrade() else { return };
            engine.increment_epoch();
            idle = if self.calls.load(Ordering::SeqCst) == 0 {
                idle + 1
            } else {
                0
            };
            if idle >= IDLE_TICKS {
                self.sleep();
                idle = 0;
            }
        }
    }

    fn sleep(&self) {
        let Ok(mut guard) = self.lock.lock() else { return };
        self.asleep.store(true, Ordering::SeqCst);
        while self.calls.load(Ordering::SeqCst) == 0 && !self.stop.load(Ordering::SeqCst) {
            match self.wake.wait(guard) {
                Ok(next) => guard = next,
                Err(_) => break,
            }
        }
        self.asleep.store(false, Ordering::SeqCst);
    }
}
