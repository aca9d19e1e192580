//! Fuzzing: each target is given what a fuzzer thinks of, for a while.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

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
    /// Folder with the inputs that earlier runs found worth keeping, one folder for each target
    #[arg(long, value_name = "DIR", default_value = "fuzz/corpus")]
    corpus: PathBuf,
}

/// The words that a fuzzer would take long to find by itself, by target.
const DICTIONARIES: [(&str, &[&str]); 9] = [
    ("archives", &["response", "warc_read", "warc_write"]),
    ("browser", &["browser"]),
    ("html", &["dom", "forms", "links", "selectors", "structured"]),
    ("posts", &["posts"]),
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
    ("verticals", &["verticals"]),
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
    let (mut failed, mut covered) = (Vec::new(), Vec::new());
    for target in chosen {
        match fuzz(places, &program, target, arguments) {
            Ok(coverage) => covered.push((target, coverage)),
            Err(_) => failed.push(target.as_str()),
        }
    }
    for (target, coverage) in covered {
        step::say(&format!("{target:12} {coverage}"));
    }
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

/// Fuzzes a target, and returns how much of its code the inputs reach.
fn fuzz(places: &Places, program: &Path, target: &str, arguments: &Arguments) -> Result<String> {
    let folder = places.fuzz();
    let corpus = places.root().join(&arguments.corpus).join(target);
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
    step::say(&format!("cargo fuzz run {target}"));
    let mut fuzzer = cargo
        .stderr(Stdio::piped())
        .spawn()
        .context("can't start cargo-fuzz")?;
    let mut coverage = String::new();
    for line in BufReader::new(fuzzer.stderr.take().context("it has no output")?).lines() {
        let line = line.context("can't read what cargo-fuzz prints")?;
        coverage = coverage_in(&line).unwrap_or(coverage);
        eprintln!("{line}");
    }
    let status = fuzzer.wait()?;
    if !status.success() {
        bail!("cargo fuzz run {target} ended with {status}");
    }
    Ok(coverage)
}

/// Returns the coverage that libFuzzer prints after it tried an input:
/// `#2097 DONE cov: 1510 ft: 4230 corp: 190/12Kb lim: 8192 exec/s: 699 rss: 83Mb`.
fn coverage_in(line: &str) -> Option<String> {
    let mut words = line.strip_prefix('#')?.split_whitespace();
    let tried = words.next()?;
    let mut value = |name: &str| words.find(|word| *word == name).and_then(|_| words.next());
    let (edges, features, kept) = (value("cov:")?, value("ft:")?, value("corp:")?);
    let kept = kept.split('/').next()?;
    Some(format!(
        "{edges} edges, {features} features, {kept} inputs kept, {tried} tried"
    ))
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
    fn coverage_is_read() {
        let line = "#2097\tDONE   cov: 1510 ft: 4230 corp: 190/12Kb lim: 8192 exec/s: 699 rss: 83Mb";
        let expected = "1510 edges, 4230 features, 190 inputs kept, 2097 tried";
        assert_eq!(coverage_in(line).as_deref(), Some(expected));
        assert_eq!(coverage_in("#0\tREAD units: 7"), None);
        assert_eq!(coverage_in("==21== ERROR: libFuzzer: timeout"), None);
    }

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
