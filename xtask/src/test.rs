//! All tests, with the components they load.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::Result;
use serde_json::Value;

use crate::places::Places;
use crate::{files, guests, polyglot, servers, step};

#[derive(clap::Args, Default)]
pub(crate) struct Arguments {
    /// Arguments for `cargo nextest run` (or `cargo test`); with any, documentation examples and
    /// tests in other languages are skipped
    #[arg(last = true)]
    rest: Vec<OsString>,
}

pub(crate) fn run(places: &Places, arguments: &Arguments) -> Result<()> {
    guests::build_all(places)?;
    polyglot::build_all(places)?;
    if arguments.rest.is_empty() {
        polyglot::test_all(places)?;
        // Tests install what they need. Here they would wait for each other.
        servers::install_all()?;
    }
    // Test runners hide what passing tests print.
    if !has_registry() {
        step::say("skipped: pulls from a real registry, since docker-registry is not installed");
    }
    if !has_nextest(places) {
        // It runs the examples in the documentation by itself.
        return run_cargo(places, &with_scope(&["test"], &arguments.rest), &arguments.rest);
    }
    // They run first, so that nextest's summary is at the end.
    let examples = if arguments.rest.is_empty() {
        test_documentation(places)
    } else {
        Ok(())
    };
    // Programs in `examples/` have no tests. Clippy checks them, and linking them takes minutes.
    let mut verb = with_scope(&["nextest", "run"], &arguments.rest);
    if arguments.rest.is_empty() {
        verb.extend(["--lib", "--bins", "--tests"]);
    }
    run_cargo(places, &verb, &arguments.rest)?;
    examples
}

/// Runs the examples in the documentation of packages that have some. For each other one, rustdoc
/// would compile the package for nothing.
fn test_documentation(places: &Places) -> Result<()> {
    let metadata = places.metadata()?;
    let mut verb = vec!["test", "--doc"];
    for package in metadata["packages"].as_array().into_iter().flatten() {
        let (Some(name), Some(manifest)) = (package["name"].as_str(), package["manifest_path"].as_str())
        else {
            continue;
        };
        let sources = Path::new(manifest).with_file_name("src");
        if has_library(package) && has_examples(&sources)? {
            verb.extend(["-p", name]);
        }
    }
    run_cargo(places, &verb, &[])
}

fn has_library(package: &Value) -> bool {
    let mut targets = package["targets"].as_array().into_iter().flatten();
    targets.any(|target| target["doctest"] == true)
}

/// Returns true if a comment in these sources opens a block of code.
fn has_examples(sources: &Path) -> Result<bool> {
    for file in files::below(sources, "rs", &[])? {
        let text = std::fs::read_to_string(sources.join(&file))?;
        let mut comments = text
            .lines()
            .filter_map(|line| line.trim_start().strip_prefix("//"));
        if comments.any(|comment| comment.trim_start_matches(['/', '!', ' ']).starts_with("```")) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The whole workspace, unless the arguments name packages, which cargo would then overlook.
fn with_scope(verb: &[&'static str], rest: &[OsString]) -> Vec<&'static str> {
    let names_packages = rest
        .iter()
        .filter_map(|word| word.to_str())
        .any(|word| word.starts_with("--package") || (word.starts_with("-p") && !word.starts_with("--")));
    let scope = if names_packages { None } else { Some("--workspace") };
    verb.iter().copied().chain(scope).collect()
}

fn run_cargo(places: &Places, verb: &[&str], rest: &[OsString]) -> Result<()> {
    let mut cargo = places.cargo();
    cargo.args(verb).args(rest);
    places.name_guests(&mut cargo);
    step::run(&format!("cargo {}", verb.join(" ")), &mut cargo)
}

fn has_registry() -> bool {
    let mut version = Command::new("docker-registry");
    version
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    version.status().is_ok_and(|status| status.success())
}

fn has_nextest(places: &Places) -> bool {
    let mut version: Command = places.cargo();
    version
        .args(["nextest", "--version"])
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    version.status().is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_workspace_is_tested_unless_packages_are_named() {
        let scope = |rest: &[&str]| {
            let rest: Vec<OsString> = rest.iter().map(Into::into).collect();
            with_scope(&["test"], &rest).len() == 2
        };
        assert!(scope(&[]) && scope(&["some_test", "--profile", "ci"]));
        assert!(!scope(&["-p", "xtask"]) && !scope(&["-pxtask"]) && !scope(&["--package=xtask"]));
    }
}
