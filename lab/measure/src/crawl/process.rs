//! Runs a contestant and measures its resources: its own time and memory and that of the processes
//! it waited for.

use std::fs::File;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use wait4::Wait4;

use super::cores::{Core, stay_on};

#[derive(Clone, Copy, Debug)]
pub(crate) struct Usage {
    pub(crate) wall: f64,
    /// User and system time.
    pub(crate) cpu: f64,
    /// The most it ever had in memory, in MB.
    pub(crate) memory: f64,
    /// None when it was ended from outside.
    pub(crate) status: Option<ExitStatus>,
}

/// Interval between checks for the end of the process. Wall-clock times are no more precise.
const POLL_INTERVAL: Duration = Duration::from_millis(2);

/// Runs a command on the contestants' core, with a time limit. Its output goes to a file.
pub(crate) fn run(command: &mut Command, log: &Path, limit: Duration) -> Result<Usage> {
    watch(command, log, limit, &mut |_| Ok(true))
}

/// The same, with an observer that gets the process id and may end the process by returning
/// `false`.
pub(super) fn watch(
    command: &mut Command,
    log: &Path,
    limit: Duration,
    looking_on: &mut dyn FnMut(u32) -> Result<bool>,
) -> Result<Usage> {
    let output = File::create(log).with_context(|| format!("can't write {}", log.display()))?;
    command
        .stdin(Stdio::null())
        .stdout(output.try_clone()?)
        .stderr(output);
    stay_on(Core::Contestants);
    let began = Instant::now();
    let spawned = command.spawn();
    stay_on(Core::Server);
    let mut child = spawned.with_context(|| format!("can't start {}", command.get_program().display()))?;
    let mut goes_on = true;
    loop {
        if let Some(used) = child.try_wait4()? {
            let wall = began.elapsed().as_secs_f64();
            return Ok(Usage {
                wall,
                cpu: (used.rusage.utime + used.rusage.stime).as_secs_f64(),
                memory: used.rusage.maxrss as f64 / 1e6,
                status: Some(used.status).filter(|_| goes_on),
            });
        }
        if goes_on && (began.elapsed() > limit || !looking_on(child.id())?) {
            goes_on = false;
            child.kill().context("can't end a process that takes too long")?;
        }
        std::thread::sleep(POLL_INTERVAL);
    }
}

/// The CPU time in seconds that a running process has used so far, if the system reports it.
pub(super) fn cpu_of(process: u32) -> Option<f64> {
    let threads = std::fs::read_dir(format!("/proc/{process}/task")).ok()?;
    let nanoseconds = threads.map(|thread| {
        let told = std::fs::read_to_string(thread.ok()?.path().join("schedstat")).ok()?;
        told.split(' ').next()?.parse::<f64>().ok()
    });
    // Threads that have ended in between count for nothing; ours live as long as the crawl.
    Some(nanoseconds.flatten().sum::<f64>() / 1e9)
}

/// The last lines of what a process printed, for an error.
pub(crate) fn last_words(log: &Path) -> String {
    const LINES: usize = 8;
    let text = std::fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(LINES)..].join("\n")
}
