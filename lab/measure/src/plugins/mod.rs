//! Cost of a plugin: instances, calls, pages, starts, limits, memory.

mod calls;
mod extism;
mod languages;
mod loading;
mod memory;
mod overhead;
mod runaway;
mod verticals;

use anyhow::{Context, Result};
use magpie_runtime::{Plugin, Runtime, RuntimeSettings};

use crate::components::Folder;
use crate::figure::{Report, tell};

/// Rounds of interleaved samples: enough for quartiles that hold still.
const ROUNDS: usize = 60;

/// A group of figures: what it is about, and its work.
type Group = (&'static str, fn(&mut Report) -> Result<()>);

#[derive(clap::Args)]
#[group(skip)]
pub(crate) struct Options {}

pub(crate) fn run(_: &Options, report: &mut Report) -> Result<()> {
    let groups: [Group; 7] = [
        // First, while the process is small and nothing that was freed can be used again unseen.
        ("memory of instances", memory::measure),
        ("instances", overhead::measure),
        ("pages", verticals::measure),
        ("languages", languages::measure),
        ("calls", calls::measure),
        ("runaways", runaway::measure),
        ("starts", loading::measure),
    ];
    for (about, measure) in groups {
        tell(&format!("measuring {about}"));
        measure(report).with_context(|| format!("the figures about {about} can't be had"))?;
    }
    Ok(())
}

/// The runtime as a crawl uses it.
fn runtime() -> Result<Runtime> {
    Ok(Runtime::new(&RuntimeSettings::default())?)
}

fn load(runtime: &Runtime, folder: Folder, name: &str) -> Result<Plugin> {
    let path = folder.component(name)?;
    runtime
        .load(&path)
        .with_context(|| format!("{name} can't be loaded"))
}
