//! Checks of the source that every commit must pass.

use anyhow::Result;

use crate::places::Places;
use crate::{layers, locks, prose, step, tools};

pub(crate) fn run(places: &Places) -> Result<()> {
    format(places, true)?;
    prose::run(places.root())?;
    layers::run(places, false)?;
    locks::run(places)?;
    tools::check(places)?;
    tools::check_deployments(places)?;
    let clippy = [
        "clippy",
        "--quiet",
        "--workspace",
        "--all-targets",
        "--",
        "-D",
        "warnings",
    ];
    step::run("cargo clippy", places.cargo().args(clippy))?;
    step::run("cargo clippy, in lab", places.cargo_in_lab().args(clippy))
}

/// Formats all workspaces, or checks that they are formatted.
pub(crate) fn format(places: &Places, checks: bool) -> Result<()> {
    // Each is a workspace of its own. `--all` would also format the path dependencies, which are
    // members of the first one.
    for workspace in [
        places.root().to_owned(),
        places.lab(),
        places.test_guests(),
        places.bench_guests(),
        places.fuzz(),
    ] {
        let mut format = places.cargo();
        format.arg("fmt").current_dir(&workspace);
        if checks {
            format.arg("--check");
        }
        let below = workspace.strip_prefix(places.root()).unwrap_or(&workspace);
        let what = if checks { "cargo fmt --check" } else { "cargo fmt" };
        step::run(format!("{what} {}", below.display()).trim_end(), &mut format)?;
    }
    Ok(())
}
