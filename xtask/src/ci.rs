//! Everything that must pass before a change goes in, and the repair of what can be repaired.

use anyhow::{Result, bail};

use crate::places::Places;
use crate::{demo, docs, instructions, lint, release, step, test, tools};

/// Runs all checks, also after one has failed, and names those that did.
pub(crate) fn run(places: &Places) -> Result<()> {
    let mut failed = Vec::new();
    let mut check = |name: &'static str, outcome: Result<()>| {
        if let Err(error) = outcome {
            step::say(&format!("{name}: {error:#}"));
            failed.push(name);
        }
    };
    check("lints", lint::run(places));
    check("advisories", tools::check_advisories(places));
    let tested = test::run(places, &test::Arguments::default());
    let are_programs_built = places.program("debug", "magpie").exists();
    check("tests", tested);
    // The tests have built `magpie`, which need not be built again.
    if are_programs_built {
        check("laboratory", places.build_lab(true));
        // The laboratory serves a web to `magpie` and scores what it found: its smoke run.
        check("demo", demo::show(places, &demo::Arguments::default()));
        check("instructions", instructions::check_built(places));
        check("documents", docs::check_built(places));
        check("release", release::check_built(places));
    }
    if !failed.is_empty() {
        bail!("failed: {}", failed.join(", "));
    }
    Ok(())
}

/// Formats all workspaces and applies clippy's suggestions.
pub(crate) fn fix(places: &Places) -> Result<()> {
    let clippy = [
        "clippy",
        "--fix",
        "--allow-dirty",
        "--allow-staged",
        "--workspace",
        "--all-targets",
    ];
    step::run("cargo clippy --fix", places.cargo().args(clippy))?;
    step::run("cargo clippy --fix, in lab", places.cargo_in_lab().args(clippy))?;
    lint::format(places, false)
}
