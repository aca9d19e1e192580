//! The suites of stores.

#[path = "../../../sqlite/tests/it/stores/bodies.rs"]
mod bodies;
#[path = "../../../sqlite/tests/it/stores/changes.rs"]
mod changes;
#[path = "../../../sqlite/tests/it/stores/coverage.rs"]
mod coverage;
#[path = "../../../sqlite/tests/it/stores/exports.rs"]
mod exports;
#[path = "../../../sqlite/tests/it/stores/hidden.rs"]
mod hidden;
#[path = "../../../sqlite/tests/it/stores/house.rs"]
mod house;
#[path = "../../../sqlite/tests/it/stores/learned.rs"]
mod learned;
#[path = "../../../sqlite/tests/it/stores/logs.rs"]
mod logs;
#[path = "../../../sqlite/tests/it/stores/page_bodies.rs"]
mod page_bodies;
#[path = "../../../sqlite/tests/it/stores/pages.rs"]
mod pages;
#[path = "../../../sqlite/tests/it/stores/pruning.rs"]
mod pruning;
#[path = "../../../sqlite/tests/it/stores/replay.rs"]
mod replay;
#[path = "../../../sqlite/tests/it/stores/requeue.rs"]
mod requeue;
#[path = "../../../sqlite/tests/it/stores/search.rs"]
mod search;
#[path = "../../../sqlite/tests/it/stores/site_memory.rs"]
mod site_memory;
#[path = "../../../sqlite/tests/it/stores/statistics.rs"]
mod statistics;
#[path = "../../../sqlite/tests/it/stores/steps.rs"]
mod steps;
#[path = "../../../sqlite/tests/it/stores/urls.rs"]
mod urls;
#[path = "../../../sqlite/tests/it/stores/warehouse.rs"]
mod warehouse;

use self::steps::{Archiving, Clustered, Counted, Crawled, Exported, Learning, Paged, Searched};
pub(crate) use self::steps::{exchange, fetch, fingerprint, lease, moment, record, take};

fn with_each_kept(test: impl Fn(&dyn magpie_rows::Store)) {
    crate::each_store(|store| test(store));
}

fn with_each_crawled(test: impl Fn(&dyn Crawled)) {
    crate::each_store(|store| test(store));
}

fn with_each_learning(test: impl Fn(&dyn Learning)) {
    crate::each_store(|store| test(store));
}

fn with_each_paged(test: impl Fn(&dyn Paged)) {
    crate::each_store(|store| test(store));
}

fn with_each_searched(test: impl Fn(&dyn Searched)) {
    crate::each_store(|store| test(store));
}

fn with_each_exported(test: impl Fn(&dyn Exported)) {
    crate::each_store(|store| test(store));
}

fn with_each_clustered(test: impl Fn(&dyn Clustered)) {
    crate::each_store(|store| test(store));
}

fn with_each_counted(test: impl Fn(&dyn Counted)) {
    crate::each_store(|store| test(store));
}

fn with_each_archiving(test: impl Fn(&dyn Archiving)) {
    crate::each_store(|store| test(store));
}
