//! Messages about the steps of a command and their durations.

use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail};

/// Prints the name of the next step.
pub(crate) fn say(what: &str) {
    eprintln!("==> {what}");
}

/// Runs a step without output of its own, and prints its result and duration.
pub(crate) fn timed<T>(what: &str, work: impl FnOnce() -> Result<(String, T)>) -> Result<T> {
    let started = Instant::now();
    let (outcome, result) = work()?;
    say(&format!("{what}: {outcome} ({})", seconds(started)));
    Ok(result)
}

/// Runs a program that speaks for itself. `what` is how a person would call it.
pub(crate) fn run(what: &str, command: &mut Command) -> Result<()> {
    say(what);
    let started = Instant::now();
    let status = command.status().with_context(|| format!("can't run {what}"))?;
    if !status.success() {
        bail!("{what} failed after {}", seconds(started));
    }
    say(&format!("{what}: done ({})", seconds(started)));
    Ok(())
}

fn seconds(started: Instant) -> String {
    format!("{:.1} s", started.elapsed().as_secs_f64())
}
