//! Runs a process and measures the CPU time of all processes that come from it.
//!
//! A browser is a family of processes, some of which outlive their parents for a moment. This
//! process adopts those (Linux calls it a subreaper) and waits for them, and the system adds their
//! time to that of its children.

use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

pub(super) struct Used {
    pub(super) wall: f64,
    pub(super) cpu: f64,
}

/// Interval between checks for the end of a process.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// The time that the rest of a family gets to end after its first process has.
const MAX_FAREWELL: Duration = Duration::from_secs(10);

/// Makes this process adopt orphans. Returns `false` if the system does not permit it.
#[cfg(target_os = "linux")]
pub(super) fn adopt() -> bool {
    rustix::process::set_child_subreaper(Some(rustix::process::getpid())).is_ok() && reaped_time().is_some()
}

/// Other systems have no subreapers.
#[cfg(not(target_os = "linux"))]
pub(super) fn adopt() -> bool {
    false
}

/// Runs a command and waits for all of its family but a server that this process has started, too.
pub(super) fn run(command: &mut Command, log: &Path, limit: Duration, server: u32) -> Result<Used> {
    let output = File::create(log).with_context(|| format!("can't write {}", log.display()))?;
    command
        .stdin(Stdio::null())
        .stdout(output.try_clone()?)
        .stderr(output);
    let before = reaped_time().context("the system does not tell the time of processes")?;
    let began = Instant::now();
    let mut child = command
        .spawn()
        .with_context(|| format!("can't start {}", command.get_program().display()))?;
    loop {
        if child.try_wait()?.is_some() {
            break;
        }
        if began.elapsed() > limit {
            child.kill().context("can't end a process that takes too long")?;
            child.wait()?;
            break;
        }
        std::thread::sleep(POLL_INTERVAL);
    }
    let wall = began.elapsed().as_secs_f64();
    let ended = Instant::now();
    loop {
        reap();
        let left: Vec<u32> = children()
            .into_iter()
            .filter(|process| *process != server)
            .collect();
        if left.is_empty() {
            break;
        }
        if ended.elapsed() > MAX_FAREWELL {
            bail!("{} processes of it do not end: {left:?}", left.len());
        }
        std::thread::sleep(POLL_INTERVAL);
    }
    let after = reaped_time().context("the system does not tell the time of processes")?;
    Ok(Used {
        wall,
        cpu: after - before,
    })
}

/// Waits for the children that have ended.
#[cfg(target_os = "linux")]
fn reap() {
    while let Ok(Some(_)) = rustix::process::wait(rustix::process::WaitOptions::NOHANG) {}
}

#[cfg(not(target_os = "linux"))]
fn reap() {}

/// The fields of a process behind its name, which may have spaces and parentheses.
fn fields(process: &str) -> Option<Vec<String>> {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let (_, rest) = text.rsplit_once(')')?;
    Some(rest.split_whitespace().map(str::to_owned).collect())
}

/// Seconds of CPU time of the children that were waited for, and of theirs. The system counts in
/// hundredths.
fn reaped_time() -> Option<f64> {
    const TICKS: f64 = 100.0;
    let fields = fields("self")?;
    // Numbers 16 and 17 of proc(5), which counts from 1 and has two before these.
    let ticks = |at: usize| fields.get(at)?.parse::<f64>().ok();
    Some((ticks(13)? + ticks(14)?) / TICKS)
}

/// The processes whose parent this process is.
fn children() -> Vec<u32> {
    let own = std::process::id().to_string();
    let Ok(entries) = std::fs::read_dir("/proc") else {
        return Vec::new();
    };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    names
        .filter_map(|name| {
            let process = name.parse::<u32>().ok()?;
            let parent = fields(&name)?.into_iter().nth(1)?;
            (parent == own).then_some(process)
        })
        .collect()
}
