//! Test suites for stores: one for each trait. They only use traits, so that another store can pass
//! them too.

#![expect(
    clippy::unwrap_used,
    reason = "a test stops where something is not as it should be"
)]

mod hidden;
mod last_version;
mod learned;
mod pages;
pub(crate) mod replay;
mod requeue;
mod site_memory;
mod warehouse;

use magpie_rows::{FetchResult, Lease, LeaseRequest, Page, Receipt, Store, UrlId, UrlOutcome};
use magpie_sqlite::{Workspace, WorkspaceOptions};
use magpie_values::Timestamp;

/// Returns the time this many milliseconds after the beginning of 1970.
pub(crate) const fn moment(milliseconds: i64) -> Timestamp {
    Timestamp::from_millis(milliseconds)
}

/// Runs a test with every store.
fn with_each(test: impl Fn(&dyn Store)) {
    let folder = tempfile::tempdir().unwrap();
    let workspace = Workspace::create(folder.path(), &WorkspaceOptions::default()).unwrap();
    test(&workspace);
    let verified = workspace.verify().unwrap();
    assert_eq!(verified.problems, Vec::<String>::new());
    workspace.close().unwrap();
}

fn lease(store: &dyn Store, key: &str) -> Lease {
    let request = LeaseRequest {
        worker: "test",
        site: Some(store.site(key).unwrap()),
        now: moment(0),
        until: Timestamp::MAX,
    };
    store.lease(&request).unwrap().unwrap()
}

/// Offers a URL of a leased site and takes it.
fn take(store: &dyn Store, lease: &Lease, url: &str) -> UrlId {
    let offer = magpie_rows::Offer {
        taken: true,
        ..magpie_rows::Offer::queued(url, fingerprint(url), 1, moment(5))
    };
    let offers = FetchResult {
        offers: vec![offer],
        ..FetchResult::default()
    };
    store.commit(lease, offers).unwrap().accepted[0].unwrap()
}

/// Commits a page and settles its URL.
fn fetch(store: &dyn Store, lease: &Lease, url: UrlId, page: Page) -> Receipt {
    let result = FetchResult {
        settled: Some(UrlOutcome::fetched(url)),
        page: Some(page),
        ..FetchResult::default()
    };
    store.commit(lease, result).unwrap()
}

/// Fingerprint of a URL, computed as the crawler does.
fn fingerprint(url: &str) -> u64 {
    xxhash_rust::xxh3::xxh3_64(url.as_bytes())
}
