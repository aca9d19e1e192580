//! Checks of the source that every commit must pass.

use anyhow::Result;

use crate::places::Places;
use crate::{layers, prose, step};

pub(crate) fn run(places: &Places) -> Result<()> {
    // Guests and fuzz targets are workspaces of their own.
    for workspace in [
        places.root().to_owned(),
        places.test_guests(),
        places.bench_guests(),
        places.fuzz(),
    ] {
        let mut format = places.cargo();
        format.args(["fmt", "--all", "--check"]).current_dir(&workspace);
        let below = workspace.strip_prefix(places.root()).unwrap_or(&workspace);
        let what = format!("cargo fmt --check {}", below.display());
        step::run(what.trim_end(), &mut format)?;
    }
    prose::run(places.root())?;
    layers::run(places, false)?;
    let clippy = [
        "clippy",
        "--quiet",
        "--workspace",
        "--all-targets",
        "--",
        "-D",
        "warnings",
    ];
    step::run("cargo clippy", places.cargo().args(clippy))
}
