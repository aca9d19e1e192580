//! Verticals and test guests in other languages, `plugins/polyglot/`, `tests/polyglot/` and
//! `examples/c/`, and the packages they are written with.
//!
//! A machine that has only Rust builds and tests everything else: parts that need missing tools are
//! skipped with a message.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;
use magpie_guest_build::{Error, Foreign, Language};

use crate::guests::{folders_in, remove_orphans};
use crate::places::Places;
use crate::step::{run, say, timed};

/// Builds the components of the verticals whose tools are here.
pub(crate) fn build_all(places: &Places) -> Result<()> {
    let example = Foreign::open(&places.example_c())?;
    let mut kept = BTreeSet::from([example.name().to_owned()]);
    let mut projects = Vec::new();
    for sources in [places.polyglot(), places.polyglot_guests()] {
        for name in folders_in(&sources, |folder| Language::of(folder).is_some())? {
            projects.push(sources.join(&name));
            kept.insert(name);
        }
    }
    remove_orphans(&places.built_polyglot(), &kept)?;
    for folder in projects {
        let project = Foreign::open(&folder)?;
        let what = folder.strip_prefix(places.root()).unwrap_or(&folder);
        build(places, &project, &what.to_string_lossy(), &[project.language()])?;
    }
    // npm brings the tool that makes components, pip the compiler.
    build(places, &example, "examples/c", &Language::ALL)
}

/// Builds the component of a project if the tools of these languages are here.
fn build(places: &Places, project: &Foreign, what: &str, needed: &[Language]) -> Result<()> {
    let component = places.built_polyglot().join(format!("{}.wasm", project.name()));
    if !needed.iter().all(|language| is_here(*language, what)) {
        // A component of earlier sources must not pass for one of these.
        let _ = std::fs::remove_file(&component);
        return Ok(());
    }
    timed(what, || {
        let built = project.build(&component, &|line| eprintln!("{line}"));
        let state = if built.map_err(Error::without_output)?.fresh {
            "as it was"
        } else {
            "built"
        };
        Ok((format!("{state}, with {}", project.language().program()), ()))
    })
}

/// Runs the tests that the packages and the verticals have in their own languages. The verticals
/// must be built first, which installs the tools of their tests.
pub(crate) fn test_all(places: &Places) -> Result<()> {
    let package = places.root().join("guest-js");
    if is_here(Language::JavaScript, "guest-js") {
        run_in(
            &package,
            "npm",
            &["install", "--no-audit", "--no-fund", "--loglevel=error"],
        )?;
        run_in(&package, "npm", &["test"])?;
    }
    let package = places.root().join("guest-python");
    if is_here(Language::Python, "guest-python") {
        run_in(&package, Language::Python.program(), &["-m", "unittest"])?;
    }
    for name in folders_in(&places.polyglot(), |folder| Language::of(folder).is_some())? {
        let folder = places.polyglot().join(&name);
        match Language::of(&folder).filter(|language| language.is_here()) {
            Some(Language::JavaScript) => run_in(&folder, "npm", &["test"])?,
            Some(Language::Python) => {
                let python = folder.join(".venv/bin/python");
                run_in(
                    &folder,
                    &python.to_string_lossy(),
                    &["-m", "unittest", "discover", "tests"],
                )?;
            }
            None => {}
        }
    }
    Ok(())
}

fn is_here(language: Language, what: &str) -> bool {
    let here = language.is_here();
    if !here {
        say(&format!(
            "skipped: {what}, since {} is not installed",
            language.program()
        ));
    }
    here
}

fn run_in(folder: &Path, program: &str, arguments: &[&str]) -> Result<()> {
    let name = folder.file_name().map(PathBuf::from).unwrap_or_default();
    let shown = Path::new(program)
        .file_name()
        .unwrap_or_default()
        .to_string_lossy();
    run(
        &format!("{}: {shown} {}", name.display(), arguments.join(" ")),
        Command::new(program).args(arguments).current_dir(folder),
    )
}
