//! All tests, with the components they load.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::num::NonZero;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use tempfile::NamedTempFile;

use crate::places::Places;
use crate::{guests, polyglot, step};

#[derive(clap::Args, Default)]
pub(crate) struct Arguments {
    /// Arguments for `cargo nextest run` (or `cargo test`); with any, documentation examples and
    /// tests in other languages are skipped
    #[arg(last = true)]
    rest: Vec<OsString>,
}

/// Variable with the file to which each skipped test adds a line, `NAME: REASON`.
const SKIPPED: &str = "MAGPIE_SKIPPED";

pub(crate) fn run(places: &Places, arguments: &Arguments) -> Result<()> {
    guests::build_all(places)?;
    polyglot::build_all(places)?;
    if arguments.rest.is_empty() {
        polyglot::test_all(places)?;
        // Tests install what they need. Here they would wait for each other.
        servers(places, &["--install".into()])?;
    }
    let list = NamedTempFile::new().context("can't create a file for the list of skipped tests")?;
    let outcome = run_cargo_tests(places, &arguments.rest, list.path());
    // Test runners hide what passing tests print, so the skipped ones are counted at the end.
    let skipped = std::fs::read_to_string(list.path()).context("can't read the list of skipped tests")?;
    step::say(&summary(&skipped));
    outcome
}

/// Runs the program that installs and starts third-party servers.
pub(crate) fn servers(places: &Places, arguments: &[OsString]) -> Result<()> {
    let mut cargo = places.cargo();
    cargo
        .args(["run", "--quiet", "--example", "servers", "--"])
        .args(arguments);
    step::run("third-party servers", &mut cargo)
}

fn run_cargo_tests(places: &Places, rest: &[OsString], list: &Path) -> Result<()> {
    let run = |verb: &[&str], rest: &[OsString]| {
        let mut cargo = places.cargo();
        cargo.args(verb).args(rest).env(SKIPPED, list);
        places.name_guests(&mut cargo);
        step::run(&format!("cargo {}", verb.join(" ")), &mut cargo)
    };
    if !has_nextest(places) {
        // It runs the examples in the documentation by itself.
        return run(&with_scope(&["test"], rest), rest);
    }
    if !rest.is_empty() {
        return run(&with_scope(&["nextest", "run"], rest), rest);
    }
    // They run first, so that nextest's summary is at the end.
    let examples = run(&["test", "--doc", "--workspace"], &[]);
    let threads = test_threads();
    run(
        &[
            "nextest",
            "run",
            "--workspace",
            // Programs in `examples/` have no tests. Clippy checks them, and linking them takes
            // minutes.
            "--lib",
            "--bins",
            "--tests",
            "--no-fail-fast",
            // On a busy machine a test can fail for lack of time. The summary names it as flaky.
            "--retries",
            "1",
            "--test-threads",
            &threads,
        ],
        &[],
    )?;
    examples
}

/// Returns the number of skipped tests, and their number by reason. A test that was tried twice is
/// in the list twice.
fn summary(list: &str) -> String {
    let tests: BTreeSet<&str> = list.lines().collect();
    let mut by_reason: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, reason) in tests.iter().filter_map(|line| line.split_once(": ")) {
        *by_reason.entry(reason).or_default() += 1;
    }
    let reasons = by_reason
        .iter()
        .map(|(reason, count)| format!("; {count}: {reason}"));
    format!("skipped tests: {}{}", tests.len(), reasons.collect::<String>())
}

/// Returns the number of tests that run at once: two for each processor, since many tests wait for
/// servers, delays and other processes.
fn test_threads() -> String {
    let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
    (2 * processors).to_string()
}

/// The whole workspace, unless the arguments name packages, which cargo would then overlook.
fn with_scope<'a>(verb: &[&'a str], rest: &[OsString]) -> Vec<&'a str> {
    let names_packages = rest
        .iter()
        .filter_map(|word| word.to_str())
        .any(|word| word.starts_with("--package") || (word.starts_with("-p") && !word.starts_with("--")));
    let scope = if names_packages { None } else { Some("--workspace") };
    verb.iter().copied().chain(scope).collect()
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

    #[test]
    fn skipped_tests_are_counted_once_and_by_reason() {
        let list = "a::one: no data\nb: no browser\na::one: no data\nc: no data\n";
        assert_eq!(summary(list), "skipped tests: 3; 1: no browser; 2: no data");
        assert_eq!(summary(""), "skipped tests: 0");
    }
}
