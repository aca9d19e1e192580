//! What instances weigh that live at the same time.

use std::sync::{Arc, Barrier};

use anyhow::{Context, Result};
use magpie_page::Page;
use magpie_runtime::Plugin;

use super::{load, runtime};
use crate::components::Folder;
use crate::figure::{Figure, Report, tell};
use crate::listing;

const INSTANCES: usize = 16;

/// In MiB.
const TARGET: f64 = 100.0;

pub(crate) fn measure(report: &mut Report) -> Result<()> {
    let runtime = runtime()?;
    let plugin = load(&runtime, Folder::Verticals, "events")?;
    let page = listing::parsed()?;
    let Some(before) = resident() else {
        tell("left out: memory, since this system does not tell a process's in /proc/self/status");
        return Ok(());
    };
    let held = while_held(&plugin, &page)?;
    let kept = resident().unwrap_or(held) - before;
    let held = held - before;
    let figure = Figure::new(format!("{INSTANCES} instances at once"), held, "MiB")
        .at_most(TARGET)
        .beside("each", held / INSTANCES as f64)
        .beside("kept by the pool for the next ones", kept)
        .note(
            "growth of the process while as many threads hold an instance of events that has read the page, and \
             its objects; the page and the engine are shared and not counted",
        );
    report.add(figure);
    Ok(())
}

/// What the process has while all threads hold their instance.
fn while_held(plugin: &Plugin, page: &Arc<Page>) -> Result<f64> {
    let (ready, seen) = (Barrier::new(INSTANCES + 1), Barrier::new(INSTANCES + 1));
    std::thread::scope(|scope| {
        let hold = || {
            let mut session = plugin.open();
            let objects = session.as_mut().map(|session| session.extract(page));
            let failure = match &objects {
                Ok(Ok(_)) => None,
                Ok(Err(error)) => Some(error.clone()),
                Err(error) => Some((*error).clone()),
            };
            // Every thread comes here, or the others would wait for ever.
            ready.wait();
            seen.wait();
            failure
        };
        let threads: Vec<_> = (0..INSTANCES).map(|_| scope.spawn(hold)).collect();
        ready.wait();
        let held = resident();
        seen.wait();
        for thread in threads {
            match thread.join() {
                Ok(None) => {}
                Ok(Some(error)) => return Err(error).context("an instance failed"),
                Err(_) => anyhow::bail!("a thread panicked"),
            }
        }
        held.context("the process's memory is no longer told")
    })
}

/// The process's resident memory in MiB, where the system tells it.
fn resident() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes / 1024.0)
}
