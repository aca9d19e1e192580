//! Fuzzing: each target is given what a fuzzer thinks of, for a while.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::places::Places;
use crate::{step, tools};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Targets, by the names of their folders in fuzz/seeds; without one, all of them
    targets: Vec<String>,
    /// Seconds to fuzz each target; 0 tries only its seeds and earlier findings
    #[arg(long, default_value_t = 60)]
    seconds: u32,
    /// Check memory as well (address, leak or thread): slower, and only of use where C is called
    #[arg(long, default_value = "none")]
    sanitizer: String,
}

/// The words that a fuzzer would take long to find by itself, by target.
const DICTIONARIES: [(&str, &[&str]); 6] = [
    ("archives", &["response", "warc_read", "warc_write"]),
    ("html", &["dom", "forms", "links", "selectors", "structured"]),
    ("robots", &["robots", "robots_tags"]),
    ("sitemap", &["sitemap"]),
    ("text", &["charset", "cursors", "queries", "reading", "values"]),
    (
        "urls",
        &[
            "canonical",
            "form_bodies",
            "hosts",
            "navigation",
            "patterns",
            "templates",
        ],
    ),
];

/// Seconds that one input may take. The slowest honest ones take some hundredths.
const SLOWEST: u32 = 10;

/// Bytes of an input. Everything that is promised shows in fewer; longer ones are tried less often.
const LONGEST: u32 = 8 * 1024;

pub(crate) fn run(places: &Places, arguments: &Arguments) -> Result<()> {
    let Some(program) = tools::FUZZ.provide(places)? else {
        bail!("cargo-fuzz is not installed");
    };
    let known = targets(&places.fuzz())?;
    let chosen = if arguments.targets.is_empty() {
        &known
    } else {
        &arguments.targets
    };
    for target in chosen {
        if !known.contains(target) {
            bail!("there is no target {target}; there are {}", known.join(", "));
        }
    }
    let failed: Vec<&str> = chosen
        .iter()
        .filter(|target| fuzz(places, &program, target, arguments).is_err())
        .map(String::as_str)
        .collect();
    if !failed.is_empty() {
        bail!(
            "something was found by {}; the input is in fuzz/artifacts, and the command above tries it again",
            failed.join(", ")
        );
    }
    Ok(())
}

/// The targets, each of which has seeds.
fn targets(fuzz: &Path) -> Result<Vec<String>> {
    let seeds = fuzz.join("seeds");
    let entries = std::fs::read_dir(&seeds).with_context(|| format!("can't read {}", seeds.display()))?;
    let mut names = Vec::new();
    for entry in entries {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

fn fuzz(places: &Places, program: &Path, target: &str, arguments: &Arguments) -> Result<()> {
    let folder = places.fuzz();
    let corpus = folder.join("corpus").join(target);
    std::fs::create_dir_all(&corpus).with_context(|| format!("can't make {}", corpus.display()))?;
    let mut cargo = Command::new(program);
    cargo.current_dir(places.root());
    cargo.args(["run", "--sanitizer", &arguments.sanitizer, "--target-dir"]);
    cargo.arg(places.fuzz_target()).arg(target).arg(corpus);
    cargo.arg(folder.join("seeds").join(target)).arg("--");
    let limits = [("-timeout", SLOWEST), ("-max_len", LONGEST)];
    cargo.args(limits.map(|(name, value)| format!("{name}={value}")));
    cargo.arg("-print_final_stats=1");
    cargo.args(dictionary(&folder, target).map(|file| format!("-dict={}", file.display())));
    cargo.arg(match arguments.seconds {
        0 => "-runs=0".to_owned(),
        seconds => format!("-max_total_time={seconds}"),
    });
    // Compilers other than nightly then take the flags that a fuzzer needs.
    cargo.env("RUSTC_BOOTSTRAP", "1");
    step::run(&format!("cargo fuzz run {target}"), &mut cargo)
}

fn dictionary(folder: &Path, target: &str) -> Option<PathBuf> {
    let (name, _) = DICTIONARIES
        .iter()
        .find(|(_, targets)| targets.contains(&target))?;
    Some(folder.join("dictionaries").join(format!("{name}.dict")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_has_seeds_and_a_dictionary() {
        let folder = Places::find().expect("a workspace").fuzz();
        let targets = targets(&folder).expect("seeds");
        for target in &targets {
            let dictionary = dictionary(&folder, target).expect("a dictionary");
            assert!(dictionary.is_file(), "{}", dictionary.display());
            let program = folder.join("fuzz_targets").join(format!("{target}.rs"));
            assert!(program.is_file(), "{}", program.display());
        }
        let programs = std::fs::read_dir(folder.join("fuzz_targets")).expect("programs");
        assert_eq!(programs.count(), targets.len());
    }
}
