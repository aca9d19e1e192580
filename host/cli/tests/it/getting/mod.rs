//! Getting a vertical: into a new workspace, from files, URLs and registries, with a lock file.

mod files;
mod first_party;
mod hostile;
mod registry;

use magpie_tests::guest;
use serde_json::Value;

use crate::context::{Ran, TestContext};

/// A folder with an empty workspace `ws`.
struct Desk(TestContext);

impl std::ops::Deref for Desk {
    type Target = TestContext;

    fn deref(&self) -> &TestContext {
        &self.0
    }
}

impl Desk {
    fn new() -> Desk {
        let context = TestContext::new();
        context.workspace("ws", &[], "");
        Desk(context)
    }

    /// Runs a command about the components of the workspace, for sources on this machine.
    #[track_caller]
    fn plugin(&self, line: &str) -> Ran {
        self.run(&format!(
            "plugin {line} -w ws --set network.allow_addresses=127.0.0.0/8"
        ))
    }

    #[track_caller]
    fn add(&self, source: &str) -> Ran {
        self.plugin(&format!("add {source}"))
    }

    fn list(&self) -> Vec<Value> {
        self.run("plugin list -w ws --json").json()
    }

    fn lock(&self) -> String {
        std::fs::read_to_string(self.path("ws/verticals.lock")).unwrap_or_default()
    }

    fn component(&self) -> Vec<u8> {
        std::fs::read(self.path("ws/verticals/ordinary.wasm")).expect("the component")
    }
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
