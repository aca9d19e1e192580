//! Limits of one call of a plugin. Every limit is a setting; none can be disabled.

use std::ops::RangeInclusive;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Linear memory of one instance. Typical pages need 2 MiB, a Python guest 20 MiB. 64 leaves a
/// margin and limits sixteen runaway instances to a gigabyte.
pub(crate) const MEMORY_BYTES: u64 = 64 << 20;
/// CPU time of one call, on the calling thread. Typical pages take milliseconds.
pub(crate) const CPU: Duration = Duration::from_secs(1);
/// Maximum number of objects of one page. The longest real listings have hundreds.
pub(crate) const OBJECTS: usize = 10_000;
/// Maximum number of bytes that a plugin may pass at once, as a result or as an argument.
pub(crate) const RESULT_BYTES: usize = 4 << 20;
/// Maximum number of log lines to keep of one call.
pub(crate) const LOG_LINES: usize = 100;
/// Maximum length of a log line in bytes; the rest is dropped.
pub(crate) const LOG_LINE_BYTES: usize = 2_000;
/// Maximum number of entries of one table: the functions of a JavaScript or Python engine are some
/// ten thousand.
pub(crate) const TABLE_ELEMENTS: usize = 100_000;
/// Wasm stack: deep enough for recursive parsers, small enough for the calling threads.
pub(crate) const STACK_BYTES: usize = 512 << 10;
/// Maximum size of a component file. The largest toolchain (Python) produces 40 MiB.
pub const MAX_COMPONENT_BYTES: u64 = 128 << 20;
/// Maximum number of concurrent instances; the pool reserves address space for each.
pub(crate) const INSTANCES: u32 = 64;

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    /// Linear memory in bytes: at least one Wasm page, at most the pool's reservation (4 GiB).
    pub memory_bytes: u64,
    /// CPU time of the calling thread.
    pub cpu: Duration,
    /// Maximum number of objects of one page.
    pub objects: usize,
    /// Maximum number of bytes of results.
    pub result_bytes: usize,
    /// Maximum number of log lines to keep.
    pub log_lines: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            memory_bytes: MEMORY_BYTES,
            cpu: CPU,
            objects: OBJECTS,
            result_bytes: RESULT_BYTES,
            log_lines: LOG_LINES,
        }
    }
}

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("invalid value `{value}` for the plugin limit `{name}`: expected {allowed}")]
pub struct BadLimit {
    name: &'static str,
    value: u64,
    allowed: &'static str,
}

impl Limits {
    pub const CPU_MS: RangeInclusive<u64> = 1..=600_000;
    /// Allowed memory in bytes: from one Wasm page to the pool's reservation.
    pub const MEMORY_BYTES: RangeInclusive<u64> = (64 << 10)..=(4 << 30);
    pub const RESULT_BYTES: RangeInclusive<usize> = (1 << 10)..=(1 << 30);

    /// Rejects limits that would disable a guard or stop every plugin.
    pub fn checked(self) -> Result<Self, BadLimit> {
        let bad = |name, value, allowed| Err(BadLimit { name, value, allowed });
        if !Self::MEMORY_BYTES.contains(&self.memory_bytes) {
            return bad("memory_bytes", self.memory_bytes, "64 KiB to 4 GiB");
        }
        let cpu_ms = u64::try_from(self.cpu.as_millis()).unwrap_or(u64::MAX);
        if !Self::CPU_MS.contains(&cpu_ms) {
            return bad("cpu", cpu_ms, "1 ms to 10 minutes");
        }
        if self.objects == 0 {
            return bad("objects", 0, "at least 1");
        }
        if !Self::RESULT_BYTES.contains(&self.result_bytes) {
            return bad("result_bytes", self.result_bytes as u64, "1 KiB to 1 GiB");
        }
        if self.log_lines == 0 {
            return bad("log_lines", 0, "at least 1, so that the text of a panic is kept");
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_limit_can_be_disabled() {
        let good = Limits::default();
        assert!(good.checked().is_ok());
        for bad in [
            Limits {
                memory_bytes: 0,
                ..good
            },
            Limits {
                memory_bytes: u64::MAX,
                ..good
            },
            Limits {
                cpu: Duration::ZERO,
                ..good
            },
            Limits {
                cpu: Duration::MAX,
                ..good
            },
            Limits { objects: 0, ..good },
            Limits {
                result_bytes: 0,
                ..good
            },
            Limits { log_lines: 0, ..good },
        ] {
            let sentence = bad.checked().expect_err("must be refused").to_string();
            assert!(sentence.contains("expected "), "{sentence}");
        }
    }
}
