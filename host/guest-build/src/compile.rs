//! Compiles several packages of a workspace in one run of cargo.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

use crate::command::stream;
use crate::package::{Package, Workspace};
use crate::{Error, Result, TARGET, Toolchain};

/// Settings common to all packages of one run.
pub(crate) struct Settings<'a> {
    pub(crate) target_dir: &'a Path,
    pub(crate) profile: &'a str,
    pub(crate) locked: bool,
}

/// Builds the packages; returns the `.wasm` file of each by package id.
pub(crate) fn compile(
    toolchain: &Toolchain,
    workspace: &Workspace,
    packages: &[&Package],
    settings: &Settings<'_>,
    progress: &dyn Fn(&str),
) -> Result<BTreeMap<String, PathBuf>> {
    let mut cargo = command(toolchain, workspace, packages, settings);
    let finished = stream(&mut cargo, progress)?;
    if !finished.status.success() {
        let packages = packages.iter().map(|package| package.name.clone()).collect();
        return Err(Error::Compile {
            packages,
            output: finished.stderr_tail,
        });
    }
    modules(&finished.stdout)
}

/// Returns the default profile: `guest` if the workspace defines it, otherwise `release`.
///
/// Cargo does not list profiles, so the manifest's lines are searched. If a manifest writes the
/// table in another form, the release profile is used, which works too.
pub(crate) fn default_profile(workspace: &Workspace) -> Result<&'static str> {
    let manifest = workspace.root.join("Cargo.toml");
    let text = std::fs::read_to_string(&manifest).map_err(Error::file("read", &manifest))?;
    let defined = text.lines().any(|line| line.trim() == "[profile.guest]");
    Ok(if defined { "guest" } else { "release" })
}

fn command(
    toolchain: &Toolchain,
    workspace: &Workspace,
    packages: &[&Package],
    settings: &Settings<'_>,
) -> Command {
    let mut cargo = toolchain.cargo("build");
    cargo.current_dir(&workspace.root);
    cargo.args(["--lib", "--target", TARGET, "--profile", settings.profile]);
    cargo.arg("--target-dir").arg(settings.target_dir);
    // Cargo writes rendered errors to stderr, for people, and the list of artifacts to stdout, for
    // this program.
    cargo.arg("--message-format=json-render-diagnostics");
    for package in packages {
        cargo.args(["--package", &package.id]);
    }
    if settings.locked {
        cargo.arg("--locked");
    }
    if let Some(flags) = compiler_flags(workspace, settings.target_dir) {
        cargo.args(["--config", &flags]);
    }
    cargo.args(toolchain.build_arguments());
    cargo
}

/// Inlining threshold of LLVM; the default is 225.
///
/// At the beginning of each function, a component checks if its CPU time is used up, so calls cost
/// more than usual. This threshold reduces the time of extraction by a tenth, for a tenth more
/// code.
const INLINE_THRESHOLD: &str = "-Cllvm-args=-inline-threshold=1000";

/// Compiler flags. As configuration they are added to those of the guest's own
/// `.cargo/config.toml`.
fn compiler_flags(workspace: &Workspace, target_dir: &Path) -> Option<String> {
    let flags: Vec<String> = path_flags(workspace, target_dir)
        .chain([INLINE_THRESHOLD.to_owned()])
        .collect();
    // A JSON list of strings is also a TOML one.
    let list = serde_json::to_string(&flags).ok()?;
    Some(format!("target.{TARGET}.rustflags={list}"))
}

/// Flags that map the paths of downloaded and generated sources to fixed prefixes. Panic messages
/// contain such paths. With fixed ones, equal sources give equal components on every machine, and
/// no home directory is published.
fn path_flags<'a>(workspace: &'a Workspace, target_dir: &'a Path) -> impl Iterator<Item = String> + 'a {
    let downloads = workspace
        .download_dirs()
        .into_iter()
        .map(|dir| (dir, "/registry"));
    downloads
        .chain([(target_dir, "/target")])
        .map(|(dir, name)| format!("--remap-path-prefix={}={name}", dir.display()))
}

#[derive(Deserialize)]
struct Message {
    reason: String,
    package_id: Option<String>,
    #[serde(default)]
    filenames: Vec<PathBuf>,
}

/// Parses cargo's messages, one JSON object per line.
fn modules(messages: &str) -> Result<BTreeMap<String, PathBuf>> {
    let mut modules = BTreeMap::new();
    // Procedural macros may print lines of their own between the messages.
    for line in messages.lines().filter(|line| line.starts_with('{')) {
        let message: Message = serde_json::from_str(line).map_err(|source| Error::CargoOutput {
            what: "messages",
            source,
        })?;
        if message.reason != "compiler-artifact" {
            continue;
        }
        let module = message
            .filenames
            .into_iter()
            .find(|file| file.extension().is_some_and(|end| end == "wasm"));
        if let (Some(package), Some(module)) = (message.package_id, module) {
            modules.insert(package, module);
        }
    }
    Ok(modules)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_found_among_messages() {
        let messages = concat!(
            r#"{"reason":"compiler-artifact","package_id":"a","filenames":["/t/liba.rlib"]}"#,
            "\n",
            r#"{"reason":"compiler-artifact","package_id":"b","filenames":["/t/libb.rlib","/t/b.wasm"]}"#,
            "\nnot json\n",
            r#"{"reason":"build-finished","success":true}"#,
        );
        let found = modules(messages).unwrap();
        assert_eq!(
            found.into_iter().collect::<Vec<_>>(),
            [("b".to_owned(), PathBuf::from("/t/b.wasm"))]
        );
    }
}
