//! Test suites for stores: one for each trait. They only use traits, so that another store can pass
//! them too: `magpie-postgres` includes those that it passes.

#![expect(
    clippy::unwrap_used,
    reason = "a test stops where something is not as it should be"
)]

mod bodies;
mod changes;
mod coverage;
mod exports;
mod hidden;
pub(crate) mod house;
mod last_version;
mod learned;
mod logs;
mod page_bodies;
mod pages;
pub(crate) mod pruning;
pub(crate) mod replay;
mod requeue;
mod search;
mod site_memory;
mod statistics;
mod steps;
mod urls;
mod warehouse;

use magpie_sqlite::{Workspace, WorkspaceOptions};

pub(crate) use self::steps::{
    Archiving, Clustered, Counted, Crawled, Exported, Learning, Paged, Searched, exchange, fetch,
    fingerprint, lease, moment, record, take,
};

fn with_each_workspace(test: impl Fn(&Workspace)) {
    let folder = tempfile::tempdir().unwrap();
    let workspace = Workspace::create(folder.path(), &WorkspaceOptions::default()).unwrap();
    test(&workspace);
    let verified = workspace.verify().unwrap();
    assert_eq!(verified.problems, Vec::<String>::new());
    workspace.close().unwrap();
}

/// Runs a test of keeping house with every store.
fn with_each_kept(test: impl Fn(&dyn magpie_rows::Store)) {
    with_each_workspace(|workspace| test(workspace));
}

/// Runs a test of what a crawl needs with every store.
fn with_each_crawled(test: impl Fn(&dyn Crawled)) {
    with_each_workspace(|workspace| test(workspace));
}

/// Runs a test of what is learned and logged with every store.
fn with_each_learning(test: impl Fn(&dyn Learning)) {
    with_each_workspace(|workspace| test(workspace));
}

/// Runs a test of exported tables with every store.
fn with_each_exported(test: impl Fn(&dyn Exported)) {
    with_each_workspace(|workspace| test(workspace));
}

/// Runs a test of clustering with every store.
fn with_each_clustered(test: impl Fn(&dyn Clustered)) {
    with_each_workspace(|workspace| test(workspace));
}

/// Runs a test of search with every store.
fn with_each_searched(test: impl Fn(&dyn Searched)) {
    with_each_workspace(|workspace| test(workspace));
}

/// Runs a test of sums and URLs with every store.
fn with_each_counted(test: impl Fn(&dyn Counted)) {
    with_each_workspace(|workspace| test(workspace));
}

/// Runs a test of what is read of pages with every store.
fn with_each_paged(test: impl Fn(&dyn Paged)) {
    with_each_workspace(|workspace| test(workspace));
}

/// Runs a test of pages with their bodies with every store.
fn with_each_archiving(test: impl Fn(&dyn Archiving)) {
    with_each_workspace(|workspace| test(workspace));
}
