//! Getting a vertical: into a new workspace, from files, URLs and registries, with a lock file.

mod files;
mod first_party;
mod hostile;
mod registry;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use magpie_tests::guest;
use serde_json::Value;

use crate::context::program;

/// An empty folder with a workspace `ws`, and the program in it.
struct Desk {
    folder: tempfile::TempDir,
}

impl Desk {
    fn new() -> Desk {
        let desk = Desk {
            folder: tempfile::tempdir().expect("a folder"),
        };
        desk.ok(&["init", "ws"]);
        desk
    }

    fn path(&self, below: &str) -> PathBuf {
        self.folder.path().join(below)
    }

    fn command(&self) -> Command {
        let mut command = program(self.folder.path());
        command.env("MAGPIE_CACHE_DIR", self.path("cache"));
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command().args(arguments).output().expect("it runs")
    }

    /// Runs a command that must succeed, and returns all that it printed.
    fn ok(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", said(&output));
        said(&output)
    }

    /// Runs a command that must fail with an exit code, and returns all that it printed.
    fn fails(&self, code: i32, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert_eq!(
            output.status.code(),
            Some(code),
            "{arguments:?}: {}",
            said(&output)
        );
        said(&output)
    }

    /// Runs `plugin add`, for a source on this machine.
    fn add<'a>(&self, source: &'a str, more: &[&'a str]) -> Output {
        let mut arguments = vec!["plugin", "add", source, "-w", "ws"];
        arguments.extend(["--set", "network.allow_addresses=127.0.0.0/8"]);
        arguments.extend(more);
        self.run(&arguments)
    }

    fn list(&self) -> Vec<Value> {
        let output = self.run(&["plugin", "list", "-w", "ws", "--json"]);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.lines()
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect()
    }

    fn lock(&self) -> String {
        std::fs::read_to_string(self.path("ws/verticals.lock")).unwrap_or_default()
    }

    fn component(&self) -> Vec<u8> {
        std::fs::read(self.path("ws/verticals/ordinary.wasm")).expect("the component")
    }
}

fn said(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    text(&output.stdout) + &text(&output.stderr)
}

/// The component `ordinary` 1.2.3.
fn ordinary() -> Vec<u8> {
    std::fs::read(guest("ordinary")).expect("the component")
}

/// The same component with other content: it has a custom section more.
fn changed(component: &[u8]) -> Vec<u8> {
    let mut changed = component.to_vec();
    changed.extend(b"\0\x05\x04note");
    changed
}

/// The same component with another version of the same length.
fn with_version(component: &[u8], version: &[u8; 5]) -> Vec<u8> {
    let mut other = component.to_vec();
    for start in 0..other.len() - version.len() {
        if other[start..].starts_with(b"1.2.3") {
            other[start..start + version.len()].copy_from_slice(version);
        }
    }
    assert_ne!(other, component);
    other
}

fn write(path: &Path, content: &[u8]) {
    std::fs::write(path, content).expect("written");
}
