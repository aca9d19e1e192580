//! A release: one archive with the program, the verticals and what a package of them needs.
//!
//! The same inputs give the same bytes: files are sorted, and their times, owners and modes are
//! fixed. `--check` packs a program that was built already, unpacks the archive and starts it, so
//! that it can run with the tests.

mod archive;
mod check;
mod licences;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::guests;
use crate::places::Places;
use crate::step;
use archive::Entry;

/// The verticals of a release, each a component in the archive's folder `verticals`.
const VERTICALS: [&str; 3] = ["books", "events", "products"];

/// Shells and the files in which they look for completions of the program.
const COMPLETIONS: [(&str, &str); 3] = [
    ("bash", "magpie.bash"),
    ("zsh", "_magpie"),
    ("fish", "magpie.fish"),
];

/// Files of the repository that are packed as they are, and their places in the archive.
const FILES: [(&str, &str); 9] = [
    ("LICENSE-APACHE", "LICENSE-APACHE"),
    ("LICENSE-MIT", "LICENSE-MIT"),
    ("packaging/README.md", "README.md"),
    ("packaging/systemd/magpie.service", "systemd/magpie.service"),
    (
        "packaging/systemd/magpie-recrawl.service",
        "systemd/magpie-recrawl.service",
    ),
    (
        "packaging/systemd/magpie-recrawl.timer",
        "systemd/magpie-recrawl.timer",
    ),
    (
        "packaging/systemd/magpie-worker.service",
        "systemd/magpie-worker.service",
    ),
    ("packaging/alerts.yml", "prometheus/alerts.yml"),
    ("packaging/grafana.json", "prometheus/grafana.json"),
];

/// The variable by which packagers fix the time of all files.
const EPOCH_VARIABLE: &str = "SOURCE_DATE_EPOCH";

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The folder for the archive [default: target/dist]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Pack the program in this folder instead of building a release
    #[arg(long, value_name = "DIR")]
    programs: Option<PathBuf>,
    /// Pack into a temporary folder, unpack, and check the contents; without --programs a
    /// development build is packed
    #[arg(long, conflicts_with = "out")]
    check: bool,
}

/// Makes the archive, or checks that it can be made.
pub(crate) fn run(places: &Places, arguments: &Arguments) -> Result<()> {
    let profile = if arguments.check { "debug" } else { "release" };
    let program = match &arguments.programs {
        Some(folder) => folder
            .join("magpie")
            .with_extension(std::env::consts::EXE_EXTENSION),
        None => build(places, profile)?,
    };
    guests::build_verticals(places)?;
    let release = Release::of(places, &program)?;
    if arguments.check {
        return check::run(&release);
    }
    let out = match &arguments.out {
        Some(folder) => folder.clone(),
        None => places.root().join("target/dist"),
    };
    let path = release.write(&out, archive::SMALL)?;
    let size = std::fs::metadata(&path).map_or(0, |file| file.len());
    step::say(&format!("{} has {:.1} MB", path.display(), size as f64 / 1e6));
    Ok(())
}

/// Checks a release with a program that was built already.
pub(crate) fn check_built(places: &Places) -> Result<()> {
    let programs = places.program("debug", "magpie").parent().map(PathBuf::from);
    run(
        places,
        &Arguments {
            out: None,
            programs,
            check: true,
        },
    )
}

/// Builds the program and returns its path.
fn build(places: &Places, profile: &str) -> Result<PathBuf> {
    let mut arguments = vec!["build", "--package", "magpie", "--locked"];
    if profile == "release" {
        arguments.push("--release");
    }
    step::run(
        &format!("cargo {}", arguments.join(" ")),
        places.cargo().args(&arguments),
    )?;
    Ok(places.program(profile, "magpie"))
}

/// The contents of an archive.
struct Release {
    /// The name of the archive without its end, and of the only folder in it.
    name: String,
    entries: Vec<Entry>,
    /// The time of all files, in seconds since 1970.
    time: u64,
}

impl Release {
    fn of(places: &Places, program: &Path) -> Result<Release> {
        let target = host()?;
        let name = format!("magpie-{}-{target}", env!("CARGO_PKG_VERSION"));
        let executable = Path::new("magpie").with_extension(std::env::consts::EXE_EXTENSION);
        let mut entries = vec![Entry::program(&executable.to_string_lossy(), read(program)?)];
        for vertical in VERTICALS {
            let file = format!("{vertical}.wasm");
            let component = read(&places.built_verticals().join(&file))?;
            entries.push(Entry::file(&format!("verticals/{file}"), component));
        }
        for (shell, file) in COMPLETIONS {
            let script = completions(program, shell)?;
            entries.push(Entry::file(&format!("completions/{file}"), script));
        }
        for (from, to) in FILES {
            entries.push(Entry::file(to, read(&places.root().join(from))?));
        }
        let licences = licences::page(places, &target, &VERTICALS)?;
        entries.push(Entry::file("LICENSES-DEPENDENCIES.md", licences.into_bytes()));
        Ok(Release {
            name,
            entries,
            time: time(places)?,
        })
    }

    /// Writes the archive and its hash to a folder, and returns the archive's path.
    fn write(&self, folder: &Path, level: flate2::Compression) -> Result<PathBuf> {
        std::fs::create_dir_all(folder).with_context(|| format!("can't create {}", folder.display()))?;
        let file = format!("{}.tar.gz", self.name);
        let bytes = archive::pack(&self.name, &self.entries, self.time, level)?;
        let hash = format!("{}  {file}\n", archive::sha256(&bytes));
        let path = folder.join(&file);
        std::fs::write(&path, bytes).with_context(|| format!("can't write {}", path.display()))?;
        let beside = folder.join(format!("{file}.sha256"));
        std::fs::write(&beside, hash).with_context(|| format!("can't write {}", beside.display()))?;
        Ok(path)
    }
}

fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).with_context(|| format!("can't read {}", path.display()))
}

/// Returns the script by which a shell learns to ask the program for completions.
fn completions(program: &Path, shell: &str) -> Result<Vec<u8>> {
    let mut command = Command::new(program);
    command.env("COMPLETE", shell);
    // The script calls the program by the name that it was called with.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::arg0(&mut command, "magpie");
    output(&mut command)
}

/// Returns the target triple of this machine.
fn host() -> Result<String> {
    let text = output(Command::new("rustc").arg("-vV"))?;
    let text = String::from_utf8_lossy(&text);
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc does not name its host")?.to_owned())
}

/// Returns the time of all files: the one that is asked for, else that of the last commit.
fn time(places: &Places) -> Result<u64> {
    if let Ok(text) = std::env::var(EPOCH_VARIABLE) {
        return text
            .parse()
            .with_context(|| format!("invalid value `{text}` for {EPOCH_VARIABLE}: expected seconds"));
    }
    let mut git = Command::new("git");
    git.args(["log", "-1", "--format=%ct"]).current_dir(places.root());
    // An exported tree has no history.
    let text = output(&mut git).unwrap_or_default();
    Ok(String::from_utf8_lossy(&text).trim().parse().unwrap_or(0))
}

/// Returns the standard output of a program that must succeed.
fn output(command: &mut Command) -> Result<Vec<u8>> {
    let name = command.get_program().to_owned();
    let name = OsStr::to_string_lossy(&name);
    let output = command.output().with_context(|| format!("can't start {name}"))?;
    ensure!(
        output.status.success(),
        "{name} ended with {}: {}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(output.stdout)
}
