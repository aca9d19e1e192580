//! Assignment of cores: the contestants share the first, one after another; the server and the
//! benchmark itself have the second.

/// A core, by its part.
#[derive(Clone, Copy)]
pub(super) enum Core {
    Contestants,
    Server,
}

/// Puts this thread, and the processes it starts from now on, on a core. Whether the system let it.
#[cfg(target_os = "linux")]
pub(super) fn stay_on(core: Core) -> bool {
    let first = match core {
        Core::Contestants => [0, 0],
        // A machine with one core has to share it; CPU time is still measured per process.
        Core::Server => [1, 0],
    };
    first.into_iter().any(|number| {
        let mut set = rustix::thread::CpuSet::new();
        set.set(number);
        rustix::thread::sched_setaffinity(None, &set).is_ok()
    })
}

/// Other systems choose for themselves.
#[cfg(not(target_os = "linux"))]
pub(super) fn stay_on(_core: Core) -> bool {
    false
}
