//! The suites of stores.

#[path = "../../../sqlite/tests/it/stores/coverage.rs"]
mod coverage;
#[path = "../../../sqlite/tests/it/stores/hidden.rs"]
mod hidden;
#[path = "../../../sqlite/tests/it/stores/requeue.rs"]
mod requeue;
#[path = "../../../sqlite/tests/it/stores/site_memory.rs"]
mod site_memory;
#[path = "../../../sqlite/tests/it/stores/steps.rs"]
mod steps;

use self::steps::{Crawled, fetch, record, take};
pub(crate) use self::steps::{fingerprint, lease, moment};

fn with_each_crawled(test: impl Fn(&dyn Crawled)) {
    crate::each_store(|store| test(store));
}
