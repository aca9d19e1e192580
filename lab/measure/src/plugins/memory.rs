//! Memory of instances that live at the same time.

use std::sync::{Arc, Barrier};

use anyhow::{Context, Result, bail};
use magpie_model::Object;
use magpie_page::Page;
use magpie_runtime::{Plugin, Session};

use super::{load, runtime};
use crate::components::Folder;
use crate::figure::{Figure, Report, tell};
use crate::listing;

const INSTANCES: usize = 16;

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

/// Memory of the process while all threads hold their instance.
fn while_held(plugin: &Plugin, page: &Arc<Page>) -> Result<f64> {
    let (ready, seen) = (Barrier::new(INSTANCES + 1), Barrier::new(INSTANCES + 1));
    std::thread::scope(|scope| {
        let hold = || {
            let held = instance_and_objects(plugin, page);
            // Every thread comes here, or the others would wait for ever.
            ready.wait();
            seen.wait();
            held.map(drop)
        };
        let threads: Vec<_> = (0..INSTANCES).map(|_| scope.spawn(hold)).collect();
        ready.wait();
        let held = resident();
        seen.wait();
        for thread in threads {
            let Ok(outcome) = thread.join() else {
                bail!("a thread panicked")
            };
            outcome.context("an instance failed")?;
        }
        held.context("the process's memory is no longer told")
    })
}

/// An instance that has read the page, and what it found.
fn instance_and_objects(plugin: &Plugin, page: &Arc<Page>) -> Result<(Session, Vec<Object>)> {
    let mut session = plugin.open()?;
    let objects = session.extract(page)?;
    Ok((session, objects))
}

/// The process's resident memory in MiB, if the system reports it.
fn resident() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes / 1024.0)
}
