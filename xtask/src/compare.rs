//! Builds the program and the verticals of two commits, and measures both in turns.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use crate::places::Places;
use crate::{guests, step};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The earlier commit, tag or branch
    before: String,
    /// The commit to compare with it; without one, the files as they are
    after: Option<String>,
    /// Show the CPU time of each stage, with perf, instead of that of whole commands
    #[arg(long)]
    stages: bool,
    /// Arguments for `measure profile`, such as `--rounds 9 --lab 5 --sites books`
    #[arg(last = true)]
    rest: Vec<String>,
}

/// Runs of each program, unless the arguments have another number.
const ROUNDS: &str = "5";

pub(crate) fn run(places: &Places, arguments: &Arguments) -> Result<()> {
    let before = build(places, Some(&arguments.before), arguments.stages)?;
    let after = build(places, arguments.after.as_deref(), arguments.stages)?;
    guests::build_verticals_and_bench_guests(places)?;
    let mut cargo = places.cargo_in_lab();
    cargo.args(["build", "--release", "--package", "magpie-measure"]);
    step::run(
        "cargo build --release --package magpie-measure, in lab",
        &mut cargo,
    )?;
    let mut measure = Command::new(places.program("release", "measure"));
    measure.current_dir(places.root());
    places.name_guests(&mut measure);
    measure.env("MAGPIE_VERTICALS", after.verticals);
    measure.args(["profile", "--before"]).arg(before.program);
    measure.arg("--before-verticals").arg(before.verticals);
    measure.arg("--program").arg(after.program);
    if !arguments.stages {
        measure.arg("--whole");
    }
    if !arguments.rest.iter().any(|word| word.starts_with("--rounds")) {
        measure.args(["--rounds", ROUNDS]);
    }
    step::run("measure profile", measure.args(&arguments.rest))
}

struct Built {
    program: PathBuf,
    /// The folder of the components.
    verticals: PathBuf,
}

/// Builds `magpie` and the verticals of a commit, or of the files as they are. For a profile the
/// program has symbols and frame pointers. Earlier commits are checked out below the target folder;
/// dependencies are compiled once for all of them.
fn build(places: &Places, commit: Option<&str>, is_framed: bool) -> Result<Built> {
    let folder = places.target().join("compared");
    let (name, sources) = match commit {
        None => ("here".to_owned(), places.root().to_owned()),
        Some(commit) => {
            let name = resolved(places, commit)?;
            let sources = folder.join(&name);
            if !sources.is_dir() {
                let mut git = Command::new("git");
                git.current_dir(places.root())
                    .args(["worktree", "add", "--quiet", "--force", "--detach"]);
                step::run(&format!("git worktree add {name}"), git.arg(&sources).arg(&name))?;
            }
            (name, sources)
        }
    };
    let kind = if is_framed { "framed" } else { "plain" };
    let target = folder.join(kind);
    let in_sources = || {
        let mut cargo = places.cargo();
        cargo.current_dir(&sources).env("CARGO_TARGET_DIR", &target);
        cargo
    };
    // Cargo compares the ages of files. It would reuse a crate of another checkout that was built
    // after the files of this one were written.
    step::run(
        "cargo clean --release --workspace",
        in_sources().args(["clean", "--release", "--workspace"]),
    )?;
    let mut cargo = in_sources();
    cargo.args(["build", "--release", "--package", "magpie"]);
    if is_framed {
        cargo.args(["--config", "profile.release.strip=\"none\""]);
        cargo.env("RUSTFLAGS", "-C force-frame-pointers=yes");
    }
    step::run(
        &format!("cargo build --release --package magpie, of {name}"),
        &mut cargo,
    )?;
    // The next commit is built into the same folder.
    let built = target.join("release/magpie");
    let program = folder.join(format!("magpie-{kind}-{name}"));
    std::fs::copy(&built, &program).with_context(|| format!("can't copy {}", built.display()))?;
    let verticals = match commit {
        None => places.built_verticals(),
        Some(_) => folder.join(format!("verticals-{name}")),
    };
    if commit.is_some() {
        std::fs::create_dir_all(&verticals)?;
        guests::build_verticals_of(&sources, &verticals)?;
    }
    Ok(Built { program, verticals })
}

/// Returns the full name of a commit.
fn resolved(places: &Places, commit: &str) -> Result<String> {
    let mut git = Command::new("git");
    git.current_dir(places.root())
        .args(["rev-parse", "--verify", "--quiet"]);
    let output = git
        .arg(format!("{commit}^{{commit}}"))
        .output()
        .context("can't start git")?;
    let name = String::from_utf8(output.stdout)?.trim().to_owned();
    anyhow::ensure!(!name.is_empty(), "there is no commit `{commit}`");
    Ok(name)
}
