//! What must hold of every commit's source.

use anyhow::Result;

use crate::places::Places;
use crate::step;

pub(crate) fn run(places: &Places) -> Result<()> {
    // Guests are workspaces of their own.
    for workspace in [
        places.root().to_owned(),
        places.test_guests(),
        places.bench_guests(),
    ] {
        let mut format = places.cargo();
        format.args(["fmt", "--all", "--check"]).current_dir(&workspace);
        let shown = workspace.strip_prefix(places.root()).unwrap_or(&workspace);
        step::run(&format!("cargo fmt --check {}", shown.display()), &mut format)?;
    }
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
