//! Running a contestant and finding out what it took: its own time and memory and that of the processes it waited for.

use std::fs::File;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use wait4::Wait4;

use super::cores::{Core, stay_on};

/// What a process took.
#[derive(Clone, Copy, Debug)]
pub(super) struct Usage {
    pub(super) wall: f64,
    /// User and system time.
    pub(super) cpu: f64,
    /// The most it ever had in memory, in MB.
    pub(super) memory: f64,
    /// None when it was ended because it took too long.
    pub(super) status: Option<ExitStatus>,
}

/// How often it is looked whether the process has ended. The clock on the wall is told no finer.
const LOOK_EVERY: Duration = Duration::from_millis(2);

/// Runs a command on the contestants' core, for so long at most. What it prints goes to a file.
pub(super) fn run(command: &mut Command, log: &Path, limit: Duration) -> Result<Usage> {
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
    let mut in_time = true;
    loop {
        if let Some(used) = child.try_wait4()? {
            let wall = began.elapsed().as_secs_f64();
            return Ok(Usage {
                wall,
                cpu: (used.rusage.utime + used.rusage.stime).as_secs_f64(),
                memory: used.rusage.maxrss as f64 / 1e6,
                status: Some(used.status).filter(|_| in_time),
            });
        }
        if in_time && began.elapsed() > limit {
            in_time = false;
            child.kill().context("can't end a process that takes too long")?;
        }
        std::thread::sleep(LOOK_EVERY);
    }
}

/// The last lines of what a process printed, for an error.
pub(super) fn last_words(log: &Path) -> String {
    const LINES: usize = 8;
    let text = std::fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(LINES)..].join("\n")
}
