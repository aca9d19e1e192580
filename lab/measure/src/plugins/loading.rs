//! Time of a start with many plugins.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use magpie_runtime::{Runtime, RuntimeSettings};

use crate::components::Folder;
use crate::figure::{Figure, Report};
use crate::sample::{Samples, timed};

const PLUGINS: usize = 30;

/// Starts with a warm cache.
const ROUNDS: usize = 11;

/// In milliseconds.
const TARGET: f64 = 150.0;

struct Start {
    engine: f64,
    wall: f64,
    cpu: f64,
}

pub(crate) fn measure(report: &mut Report) -> Result<()> {
    let folder = tempfile::tempdir().context("there is no place for temporary files")?;
    let component = std::fs::read(Folder::Verticals.component("events")?)?;
    let plugins = differing_copies(&component, folder.path())?;
    let settings = RuntimeSettings {
        cache: Some(folder.path().join("cache")),
        ..RuntimeSettings::default()
    };
    let cold = start(&settings, &plugins)?;
    let mut warm = Vec::new();
    for _ in 0..ROUNDS {
        warm.push(start(&settings, &plugins)?);
    }
    let samples = |value: fn(&Start) -> f64| Samples::new(warm.iter().map(value).collect());
    let figure = Figure::of(format!("{PLUGINS} cached plugins loaded"), &samples(|start| start.wall), "ms")
        .at_most(TARGET)
        .beside("CPU", samples(|start| start.cpu).median())
        .beside("of it the engine", samples(|start| start.engine).median())
        .beside("cold", cold.wall)
        .note(format!(
            "time on the wall of a whole start, one plugin after another, from files of {:.2} MiB; cold means that \
             all are compiled",
            component.len() as f64 / f64::from(1 << 20)
        ));
    report.add(figure);
    Ok(())
}

/// A start as the program does it: the engine, then each plugin.
fn start(settings: &RuntimeSettings, plugins: &[PathBuf]) -> Result<Start> {
    let (outcome, cpu, wall) = timed(|| -> Result<_> {
        let (runtime, _, engine) = timed(|| Runtime::new(settings));
        let runtime = runtime?;
        let loaded: Result<Vec<_>, _> = plugins.iter().map(|path| runtime.load(path)).collect();
        // The plugins are given back, so that dropping them is not counted.
        Ok((loaded?, engine))
    });
    let (_loaded, engine) = outcome?;
    let milliseconds = |time: std::time::Duration| time.as_secs_f64() * 1e3;
    Ok(Start {
        engine: milliseconds(engine),
        wall: milliseconds(wall),
        cpu: milliseconds(cpu),
    })
}

/// Copies that are other components to a cache: each has a custom section of its own.
fn differing_copies(component: &[u8], folder: &Path) -> Result<Vec<PathBuf>> {
    let write = |number: usize| {
        let path = folder.join(format!("copy-{number}.wasm"));
        std::fs::write(&path, with_section(component, u8::try_from(number)?))?;
        Ok(path)
    };
    (0..PLUGINS).map(write).collect()
}

/// The component with one more custom section: id 0, size, name with its length, content.
fn with_section(component: &[u8], content: u8) -> Vec<u8> {
    const NAME: &[u8] = b"copy";
    let mut copy = component.to_vec();
    copy.extend([0, NAME.len() as u8 + 2, NAME.len() as u8]);
    copy.extend(NAME);
    copy.push(content);
    copy
}
