//! The processes of a browser.

use std::time::Duration;

use serde_json::Value;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Process {
    pub(crate) id: u64,
    /// `true` if it runs pages.
    pub(crate) is_renderer: bool,
    /// CPU time since its start.
    pub(crate) cpu: Duration,
}

/// Reads the list of processes that a browser gives.
pub(super) fn read(answer: &Value) -> Vec<Process> {
    let list = answer["processInfo"].as_array();
    let processes = list.into_iter().flatten().filter_map(|process| {
        Some(Process {
            id: process["id"].as_u64()?,
            is_renderer: process["type"] == "renderer",
            cpu: Duration::try_from_secs_f64(process["cpuTime"].as_f64()?).ok()?,
        })
    });
    processes.collect()
}

impl Process {
    /// Returns the memory that the process has for itself, in bytes; `None` if the system does not
    /// report it.
    pub(crate) fn memory(&self) -> Option<u64> {
        let text = std::fs::read_to_string(format!("/proc/{}/statm", self.id)).ok()?;
        let mut pages = text.split(' ').map(|number| number.parse::<u64>().ok());
        let (_size, resident, shared) = (pages.next()??, pages.next()??, pages.next()??);
        // Shared pages are counted once for each process, and would make a browser with many
        // processes look larger than it is.
        Some(resident.saturating_sub(shared) * PAGE)
    }
}

/// Bytes of a page of memory: `statm` counts pages.
const PAGE: u64 = 4_096;
