//! The suites of the traits that the store has, with each release of the server.

#![expect(
    clippy::unwrap_used,
    reason = "a test stops where something is not as it should be"
)]

mod archives;
mod copy;
#[path = "../../../sqlite/tests/it/frontier.rs"]
mod frontier;
mod load;
mod stores;
mod workers;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use magpie_archive::StoreUrl;
use magpie_postgres::{Address, Layout, Server, ServerOptions, Store, StoreOptions};
use magpie_rows::{ArchiveStore as _, Frontier};
use magpie_test_servers::{Release, SharedPostgres};

/// Number of cases of the property of frontiers: each makes workspaces.
const CASES: u32 = 8;

/// Runs a test with a new workspace on each release of the server.
fn each_workspace(test: impl Fn(&Arc<Server>)) {
    /// Number of workspaces of this process. Each has a schema of its own.
    static WORKSPACES: AtomicU32 = AtomicU32::new(0);
    // Small, since a property makes dozens of them.
    let layout = Layout {
        buckets: 3,
        partitions: 2,
    };
    for server in Release::ALL.into_iter().filter_map(SharedPostgres::start_or_skip) {
        let number = WORKSPACES.fetch_add(1, Ordering::SeqCst);
        let url = format!(
            "{}?schema=w{}_{number}",
            server.url("postgres"),
            std::process::id()
        );
        let address = Address::parse(&url, None).unwrap();
        test(&Server::create(address, ServerOptions::default(), layout).unwrap());
    }
}

/// Runs a test with a store that has all buckets of a new workspace.
fn each_store(test: impl Fn(&Store)) {
    each_workspace(|server| {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(Arc::clone(server), "test", archiving_to(folder.path())).unwrap();
        assert_eq!(store.buckets().claim(9).unwrap().len(), 3);
        test(&store);
        assert_eq!(store.verify().unwrap().problems, Vec::<String>::new());
    });
}

/// Returns options with a folder for bodies.
fn archiving_to(folder: &Path) -> StoreOptions {
    StoreOptions {
        store: Some(magpie_archive::StoreOptions {
            url: StoreUrl::parse(&format!("file://{}", folder.display())).unwrap(),
            patience: Duration::from_secs(2),
        }),
        ..StoreOptions::default()
    }
}

fn each_frontier(test: impl Fn(&dyn Frontier)) {
    each_store(|store| test(store));
}
