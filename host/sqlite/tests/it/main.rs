//! Integration tests of the workspace, the frontier and the exports.

#![expect(
    clippy::unwrap_used,
    reason = "a test stops where something is not as it should be"
)]

mod archives;
mod crash;
mod crawl;
mod export;
mod forgotten;
mod frontier;
mod stores;
mod typed;
mod warehouse;
mod workspace;

use magpie_rows::{Frontier, MemoryFrontier};
use magpie_sqlite::{Workspace, WorkspaceOptions};

/// Number of cases of the property of frontiers.
const CASES: u32 = 24;

/// Runs a test with the frontiers in memory and on disk.
fn each_frontier(test: impl Fn(&dyn Frontier)) {
    test(&MemoryFrontier::new());
    let folder = tempfile::tempdir().unwrap();
    let workspace = Workspace::create(folder.path(), &WorkspaceOptions::default()).unwrap();
    test(&workspace);
    let verified = workspace.verify().unwrap();
    assert_eq!(verified.problems, Vec::<String>::new());
    workspace.close().unwrap();
}
