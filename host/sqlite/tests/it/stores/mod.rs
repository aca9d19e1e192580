//! Test suites for stores: one for each trait. They only use traits, so that another store can pass
//! them too: `magpie-postgres` includes those that it passes.

#![expect(
    clippy::unwrap_used,
    reason = "a test stops where something is not as it should be"
)]

mod coverage;
mod hidden;
mod last_version;
mod learned;
mod pages;
pub(crate) mod replay;
mod requeue;
mod site_memory;
mod steps;
mod warehouse;

use magpie_rows::Store;
use magpie_sqlite::{Workspace, WorkspaceOptions};

pub(crate) use self::steps::{Crawled, fetch, fingerprint, lease, moment, record, take};

/// Runs a test with every store.
fn with_each(test: impl Fn(&dyn Store)) {
    with_each_workspace(|workspace| test(workspace));
}

fn with_each_workspace(test: impl Fn(&Workspace)) {
    let folder = tempfile::tempdir().unwrap();
    let workspace = Workspace::create(folder.path(), &WorkspaceOptions::default()).unwrap();
    test(&workspace);
    let verified = workspace.verify().unwrap();
    assert_eq!(verified.problems, Vec::<String>::new());
    workspace.close().unwrap();
}

/// Runs a test of what a crawl needs with every store.
fn with_each_crawled(test: impl Fn(&dyn Crawled)) {
    with_each_workspace(|workspace| test(workspace));
}
