//! What one call of a plugin may use. Every limit is a setting; none can be switched off.

use std::ops::RangeInclusive;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Linear memory of one instance. Typical pages need 2 MiB, a Python guest 20 MiB; 64 leaves room
/// and keeps sixteen runaways at a gigabyte.
pub(crate) const MEMORY_BYTES: u64 = 64 << 20;
/// CPU time of one call, on the calling thread. Typical pages take milliseconds.
pub(crate) const CPU: Duration = Duration::from_secs(1);
/// Objects one page may yield. The longest honest listings have hundreds.
pub(crate) const OBJECTS: usize = 10_000;
/// Bytes a plugin may hand over in one go, as a result or as an argument.
pub(crate) const RESULT_BYTES: usize = 4 << 20;
/// Log lines kept of one call.
pub(crate) const LOG_LINES: usize = 100;
/// Bytes of one log line; the rest is cut.
pub(crate) const LOG_LINE_BYTES: usize = 2_000;
/// Entries of one table: functions of a JavaScript or Python engine come to some ten thousand.
pub(crate) const TABLE_ELEMENTS: usize = 100_000;
/// Wasm stack: deep enough for recursive parsers, small enough for the threads that call.
pub(crate) const STACK_BYTES: usize = 512 << 10;
/// A component file. The largest toolchains (Python) make 40 MiB.
pub(crate) const COMPONENT_BYTES: u64 = 128 << 20;
/// Instances alive at once; the pool reserves address space for each.
pub(crate) const INSTANCES: u32 = 64;

/// The limits of one call.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    /// Linear memory in bytes; at least one Wasm page, at most what the pool reserves (4 GiB).
    pub memory_bytes: u64,
    /// CPU time of the calling thread.
    pub cpu: Duration,
    /// Objects of one page.
    pub objects: usize,
    /// Bytes of results.
    pub result_bytes: usize,
    /// Log lines kept.
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

/// A limit that makes no sense.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error(
    "the plugin limit `{name}` is {value}, but must be {allowed}; set it to such a value or leave it out"
)]
pub struct BadLimit {
    name: &'static str,
    value: u64,
    allowed: &'static str,
}

impl Limits {
    /// The milliseconds of CPU time that may be allowed.
    pub const CPU_MS: RangeInclusive<u64> = 1..=600_000;
    /// The bytes of memory that may be allowed: one Wasm page, to what the pool reserves.
    pub const MEMORY_BYTES: RangeInclusive<u64> = (64 << 10)..=(4 << 30);
    /// The bytes of results that may be allowed.
    pub const RESULT_BYTES: RangeInclusive<usize> = (1 << 10)..=(1 << 30);

    /// Refuses limits that would switch a guard off or stop every plugin.
    pub fn checked(self) -> Result<Self, BadLimit> {
        let bad = |name, value, allowed| Err(BadLimit { name, value, allowed });
        if !Self::MEMORY_BYTES.contains(&self.memory_bytes) {
            return bad("memory_bytes", self.memory_bytes, "between 64 KiB and 4 GiB");
        }
        let cpu_ms = u64::try_from(self.cpu.as_millis()).unwrap_or(u64::MAX);
        if !Self::CPU_MS.contains(&cpu_ms) {
            return bad("cpu", cpu_ms, "between 1 ms and 10 minutes");
        }
        if self.objects == 0 {
            return bad("objects", 0, "at least 1");
        }
        if !Self::RESULT_BYTES.contains(&self.result_bytes) {
            return bad(
                "result_bytes",
                self.result_bytes as u64,
                "between 1 KiB and 1 GiB",
            );
        }
        if self.log_lines == 0 {
            return bad("log_lines", 0, "at least 1, or the text of a panic would be lost");
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_limit_can_be_switched_off() {
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
            assert!(sentence.contains("must be"), "{sentence}");
        }
    }
}
