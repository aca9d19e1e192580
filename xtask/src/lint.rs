//! What must hold of every commit's source.

use anyhow::Result;

use crate::places::Places;
use crate::step;

pub(crate) fn run(places: &Places) -> Result<()> {
    step::run(
        "cargo fmt --check",
        places.cargo().args(["fmt", "--all", "--check"]),
    )?;
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
