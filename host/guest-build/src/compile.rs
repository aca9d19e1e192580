//! One run of cargo for several packages of a workspace.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

use crate::command::stream;
use crate::package::{Package, Workspace};
use crate::{Error, Result, TARGET, Toolchain};

/// What is the same for all packages of one run.
pub(crate) struct Settings<'a> {
    pub(crate) target_dir: &'a Path,
    pub(crate) profile: &'a str,
    pub(crate) locked: bool,
}

/// Builds the packages; gives the `.wasm` file of each, by the package's id.
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
            output: finished.complaints,
        });
    }
    modules(&finished.stdout)
}

/// The profile to build with: the workspace's own for guests, if it has one.
///
/// Cargo does not tell which profiles there are, so the manifest's lines are looked at; a manifest that
/// writes the table in another way is built with the release profile, which works as well.
pub(crate) fn usual_profile(workspace: &Workspace) -> Result<&'static str> {
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
    // Rendered errors go to stderr, for people; the files that were made to stdout, for us.
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

/// How much code a function may be to stand in the one that calls it; the compiler's own answer is 225.
///
/// A component looks at the beginning of each function whether its time is up, so a call costs more than
/// it does elsewhere. With this extraction takes a tenth less, for a tenth more code.
const INLINED: &str = "-Cllvm-args=-inline-threshold=1000";

/// Flags for the compiler. As configuration they join those of the guest's own `.cargo/config.toml`.
fn compiler_flags(workspace: &Workspace, target_dir: &Path) -> Option<String> {
    let flags: Vec<String> = path_flags(workspace, target_dir)
        .chain([INLINED.to_owned()])
        .collect();
    // A JSON list of strings is also a TOML one.
    let list = serde_json::to_string(&flags).ok()?;
    Some(format!("target.{TARGET}.rustflags={list}"))
}

/// Panic messages hold the paths of sources. Those of downloaded and generated sources are made the same
/// on every machine, so that equal sources give equal components, and nobody publishes the name of their
/// home.
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

/// Reads cargo's messages, one JSON object a line.
fn modules(messages: &str) -> Result<BTreeMap<String, PathBuf>> {
    let mut modules = BTreeMap::new();
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
