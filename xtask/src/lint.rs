//! Checks of the source that every commit must pass.

use anyhow::Result;

use crate::places::Places;
use crate::{layers, prose, step, tools};

pub(crate) fn run(places: &Places) -> Result<()> {
    format(places, true)?;
    prose::run(places.root())?;
    layers::run(places, false)?;
    tools::check(places)?;
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

/// Formats all workspaces, or checks that they are formatted.
pub(crate) fn format(places: &Places, checks: bool) -> Result<()> {
    // Guests and fuzz targets are workspaces of their own.
    for workspace in [
        places.root().to_owned(),
        places.test_guests(),
        places.bench_guests(),
        places.fuzz(),
    ] {
        let mut format = places.cargo();
        format.args(["fmt", "--all"]).current_dir(&workspace);
        if checks {
            format.arg("--check");
        }
        let below = workspace.strip_prefix(places.root()).unwrap_or(&workspace);
        let what = if checks { "cargo fmt --check" } else { "cargo fmt" };
        step::run(format!("{what} {}", below.display()).trim_end(), &mut format)?;
    }
    Ok(())
}
