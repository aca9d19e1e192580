//! The instructions of a small crawl, counted by Valgrind and compared with committed counts.
//!
//! Time depends on the machine and on what else it does. The number of instructions on Valgrind's
//! processor varies by less than 1 % between runs, so a few percent more is a regression.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use anyhow::{Context, Result, bail};

use crate::demo::{self, Demo, Web};
use crate::places::Places;
use crate::{guests, locks, step};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Write the counts to xtask/instructions.txt instead of comparing them
    #[arg(long)]
    update: bool,
}

const FILE: &str = "xtask/instructions.txt";

const HEADER: &str = "\
# Instructions that `magpie`, as the tests build it, executes for each part of a small crawl.
# CI fails if a part takes over 5 % more. `cargo xtask instructions --update` writes this file.
";

/// The share by which a count may differ from the committed one, in percent.
const TOLERANCE: f64 = 5.0;

const WEB: [&str; 9] = [
    "--vertical",
    "events",
    "--seed",
    "7",
    "--readable",
    "--calm",
    "--light",
    "--sites",
    "1",
];

/// A time in week 0 of the web.
const NOW: &str = "2026-11-02T09:00Z";

/// One page at a time, as many as suffice for patterns. Under Valgrind a page takes fifty times as
/// long.
const SETTINGS: [&str; 4] = [
    "politeness.requests=1",
    "crawl.threads=1",
    "scope.pages=30",
    "verticals.cpu=10m",
];

/// Counts by part, of one toolchain.
#[derive(Debug, PartialEq)]
struct Counts {
    toolchain: String,
    parts: BTreeMap<String, u64>,
}

pub(crate) fn run(places: &Places, arguments: &Arguments) -> Result<()> {
    guests::build_verticals(places)?;
    let product = ["build", "--workspace", "--bin", "magpie"];
    // As in CI: the units of incremental builds are smaller, so less is inlined.
    let mut cargo = places.cargo();
    step::run(
        "cargo build --workspace --bin magpie",
        cargo.args(product).env("CARGO_INCREMENTAL", "0"),
    )?;
    places.build_lab(false)?;
    if !arguments.update {
        return check_built(places);
    }
    let counted = counted(places)?.context("Valgrind is not installed: `apt-get install valgrind`")?;
    std::fs::write(places.root().join(FILE), counted.to_string())
        .with_context(|| format!("can't write {FILE}"))
}

/// Compares the counts of programs that were built already with the committed ones.
pub(crate) fn check_built(places: &Places) -> Result<()> {
    let Some(counted) = counted(places)? else {
        step::say("skipped: instructions, since Valgrind is not installed: `apt-get install valgrind`");
        return Ok(());
    };
    let text =
        std::fs::read_to_string(places.root().join(FILE)).with_context(|| format!("can't read {FILE}"))?;
    step::say(&judge(&Counts::parse(&text)?, &counted)?);
    Ok(())
}

/// Returns sentences about counts that are as committed, lower, or can't be compared. Fails if one
/// is higher.
fn judge(committed: &Counts, counted: &Counts) -> Result<String> {
    if committed.toolchain != counted.toolchain {
        return Ok(format!(
            "instructions: nothing to compare with, since {FILE} has the counts of {}, and this is {}",
            committed.toolchain, counted.toolchain
        ));
    }
    let (mut higher, mut others) = (Vec::new(), Vec::new());
    for (part, count) in &counted.parts {
        let Some(before) = committed.parts.get(part) else {
            higher.push(format!(
                "{part} takes {count} instructions, and {FILE} has no count of it"
            ));
            continue;
        };
        let percent = 100.0 * (*count as f64 / *before as f64 - 1.0);
        let sentence = format!("{part} takes {count} instructions, {percent:+.1} % of {before}");
        match percent {
            _ if percent > TOLERANCE => higher.push(sentence),
            _ if percent < -TOLERANCE => others.push(format!("{sentence}: commit the lower count")),
            _ => others.push(sentence),
        }
    }
    let others = others.join("\n    ");
    if higher.is_empty() {
        return Ok(format!("instructions:\n    {others}"));
    }
    bail!(
        "{}\n    {others}\n    `cg_annotate target/instructions/PART.cachegrind` shows the functions of a part. If the \
         change is worth it, commit what `cargo xtask instructions --update` writes",
        higher.join("\n    ")
    )
}

impl Counts {
    fn parse(text: &str) -> Result<Counts> {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let mut pairs = lines.filter_map(|line| line.split_once(": "));
        let (_, toolchain) = pairs.next().with_context(|| format!("{FILE} has no toolchain"))?;
        let parts = pairs.map(|(part, count)| Ok((part.to_owned(), count.parse()?)));
        Ok(Counts {
            toolchain: toolchain.to_owned(),
            parts: parts
                .collect::<Result<_>>()
                .with_context(|| format!("{FILE} has a count that is no number"))?,
        })
    }
}

impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        writeln!(f, "{HEADER}toolchain: {}", self.toolchain)?;
        self.parts
            .iter()
            .try_for_each(|(part, count)| writeln!(f, "{part}: {count}"))
    }
}

/// Counts all parts, two at a time. Returns nothing if Valgrind is not installed.
fn counted(places: &Places) -> Result<Option<Counts>> {
    let Some(toolchain) = toolchain(places)? else {
        return Ok(None);
    };
    let demo = Demo::begin_in(places, "debug", "instructions")?;
    let web = Web::serve(&demo, 0, 0, &WEB)?;
    let home = web.homes.first().context("the web has no site")?;
    let extract = |vertical: &str| {
        let component = places.built_verticals().join(vertical).with_extension("wasm");
        let fixtures = places.plugins().join(vertical).join("fixtures");
        let run = |under: &[&str], pages: PathBuf| {
            let mut command = valgrind(places, &demo, under);
            command.args(["plugin", "run", "--threads", "1", "--cpu-ms", "600000"]);
            demo::output(command.arg(&component).arg(pages))
        };
        // Compiles the component for Valgrind's processor. The cache keeps it.
        run(&["--tool=none"], fixtures.join("empty/page.html"))?;
        let part = format!("extract-{vertical}");
        count(&demo, part, |under| run(under, fixtures).map(drop))
    };
    let crawl = |verb: &str| {
        demo.settings(verb, &web)?;
        count(&demo, verb.to_owned(), |under| {
            let mut command = valgrind(places, &demo, under);
            command.args([verb, "--workspace", verb, home]);
            command.args(SETTINGS.iter().flat_map(|setting| ["--set", setting]));
            demo::output(&mut command).map(drop)
        })
    };
    let parts = step::timed("counting instructions", || {
        let parts = thread::scope(|scope| {
            let others = scope.spawn(|| anyhow::Ok([extract("books")?, extract("products")?]));
            let parts = [extract("events")?, crawl("crawl")?, crawl("learn")?];
            let others = others.join().expect("errors are returned")?;
            anyhow::Ok(parts.into_iter().chain(others).collect())
        })?;
        Ok(("done".to_owned(), parts))
    })?;
    Ok(Some(Counts { toolchain, parts }))
}

/// Counts the instructions of a command that is started with these options of Valgrind.
fn count(demo: &Demo, part: String, run: impl FnOnce(&[&str]) -> Result<()>) -> Result<(String, u64)> {
    let name = format!("{part}.cachegrind");
    let out = format!("--cachegrind-out-file={name}");
    run(&["--tool=cachegrind", "--cache-sim=no", &out])?;
    let text =
        std::fs::read_to_string(demo.folder.join(&name)).with_context(|| format!("can't read {name}"))?;
    let sum = text.lines().find_map(|line| line.strip_prefix("summary: "));
    let sum = sum.and_then(|sum| sum.trim().parse().ok());
    Ok((part, sum.with_context(|| format!("{name} has no sum"))?))
}

/// Returns `magpie` under Valgrind, with shipped settings and the cache of the tests.
fn valgrind(places: &Places, demo: &Demo, options: &[&str]) -> Command {
    let mut command = demo.command(Path::new("valgrind"), options);
    command.arg(&demo.magpie).args(["--quiet", "--now", NOW]);
    command.env("MAGPIE_CACHE_DIR", places.target().join("compiled"));
    command.env("XDG_CONFIG_HOME", &demo.folder);
    command
}

/// Returns the versions that the counts depend on, or nothing if Valgrind is not installed.
fn toolchain(places: &Places) -> Result<Option<String>> {
    let version = |program: &str| {
        let output = demo::output(Command::new(program).arg("--version")).ok()?;
        String::from_utf8(output).ok().map(|text| text.trim().to_owned())
    };
    let Some(valgrind) = version("valgrind") else {
        return Ok(None);
    };
    let rustc = version("rustc").context("can't run rustc")?;
    let locked = locks::locked(&places.root().join("Cargo.lock"))?;
    let wasmtime = locked.iter().find(|(name, _)| name == "wasmtime");
    let (_, wasmtime) = wasmtime.context("Cargo.lock has no wasmtime")?;
    let processor = std::env::consts::ARCH;
    Ok(Some(format!(
        "{rustc}, wasmtime {wasmtime}, {valgrind}, {processor}"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(toolchain: &str, parts: &[(&str, u64)]) -> Counts {
        let parts = parts.iter().map(|(part, count)| ((*part).to_owned(), *count));
        Counts {
            toolchain: toolchain.to_owned(),
            parts: parts.collect(),
        }
    }

    fn judged(crawl: u64, learn: u64) -> Result<String> {
        let committed = counts("rustc 1", &[("crawl", 1_000), ("learn", 2_000)]);
        judge(
            &committed,
            &counts("rustc 1", &[("crawl", crawl), ("learn", learn)]),
        )
    }

    #[test]
    fn only_a_higher_count_fails_and_is_named() {
        let within = judged(1_040, 1_920).expect("both are within five percent");
        assert!(!within.contains("commit"), "{within}");
        let below = judged(940, 2_000).expect("a lower count passes");
        assert!(
            below.contains("crawl takes 940 instructions, -6.0 % of 1000: commit"),
            "{below}"
        );
        let above = judged(1_000, 2_120)
            .expect_err("a higher count fails")
            .to_string();
        assert!(
            above.starts_with("learn takes 2120 instructions, +6.0 % of 2000"),
            "{above}"
        );
    }

    #[test]
    fn counts_of_another_toolchain_are_not_compared() {
        let committed = counts("rustc 1", &[("crawl", 1_000)]);
        let other = judge(&committed, &counts("rustc 2", &[("crawl", 9_000)]));
        assert!(
            other
                .expect("there is nothing to compare with")
                .contains("rustc 1")
        );
        let new = judge(&committed, &counts("rustc 1", &[("learn", 1)]));
        assert!(new.is_err(), "a part without a count is not judged");
    }

    #[test]
    fn counts_are_read_back() {
        let written = counts("rustc 1, wasmtime 2", &[("crawl", 1_000), ("learn", 2_000)]);
        assert_eq!(Counts::parse(&written.to_string()).expect("counts"), written);
        let places = Places::find().expect("a workspace");
        let text = std::fs::read_to_string(places.root().join(FILE)).expect("committed counts");
        assert!(
            !Counts::parse(&text)
                .expect("committed counts are read")
                .parts
                .is_empty()
        );
    }
}
