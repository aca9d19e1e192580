//! A clock that nobody sets, and that goes on while the machine sleeps.

use std::time::Duration;

/// Returns the time since the machine was started.
#[cfg(target_os = "linux")]
pub fn boot_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    Duration::new(
        time.tv_sec.cast_unsigned(),
        u32::try_from(time.tv_nsec).unwrap_or_default(),
    )
}

/// Returns the time since the first call. Other systems have such a clock under other names, or
/// none.
#[cfg(not(target_os = "linux"))]
pub fn boot_time() -> Duration {
    static BEGIN: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    BEGIN.get_or_init(std::time::Instant::now).elapsed()
}
