//! The object warehouse: decides from run to run which records are one object.
//!
//! 1. New pages are read in order. A record that its page had before is another sighting of the
//!    same member. A new record becomes a member. A record that its page has lost is no longer
//!    current.
//! 2. New members join the existing clustering, by the matcher of the plugin or of the schema. Only
//!    features and keys of existing members are in memory. A record that a newer one of the same
//!    page and object has replaced is not compared any more.
//! 3. All changes of a batch of pages are written in one transaction, with the mark up to which
//!    pages were read. After a crash, the next run continues after the last batch.
//!
//! If the component, its options or the settings have changed, existing clusters were made by other
//! rules. Then all members are clustered again, and each cluster keeps its number where most of its
//! members are.
//!
//! New members never split existing clusters. So several runs may differ from one run over the same
//! pages, where a later record links what an earlier run kept apart, or the other way round.
//! Clusters are numbered in the order in which their objects were found.

mod answering;
mod batch;
mod merge;
mod names;
mod origins;
mod plan;
mod rebuild;
mod recording;
mod session;
mod shared;
mod split;
mod subject;
mod why;
mod years;

use std::collections::BTreeSet;
use std::error::Error;

use magpie_matching::{SchemaMatcher, Settings};
use magpie_rows::{MatcherKind, Store, StoreError, Warehouse};
use magpie_runtime::{Plugin, PluginMatcher};

use session::Session;
use shared::Shared;

use crate::Clock;
use crate::verticals::{describing, which_are};

pub use shared::Comparers;
pub use split::{Split, split};
pub use subject::{Remembering, Subject};
pub use why::{Compared, compared, compared_by, path};

/// Reason why a clustering ended early. Earlier batches are kept.
#[derive(Debug, thiserror::Error)]
pub enum WarehouseError {
    /// The workspace.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The matcher failed.
    #[error("the objects of {vertical} can't be clustered further: {source}")]
    Matcher {
        /// The vertical that was clustered.
        vertical: String,
        /// The error of the matcher.
        source: Box<dyn Error + Send + Sync>,
    },
    /// A vertical was asked for whose component is not there.
    #[error("there is no component of the vertical `{vertical}`; {}", which_are(.there, &[]))]
    NoPlugin {
        /// Its name.
        vertical: String,
        /// The verticals whose components are there.
        there: Vec<String>,
    },
    /// A record was named that no cluster has.
    #[error("no object has a record {record}")]
    NoMember {
        /// The number of the record.
        record: i64,
    },
    /// Two records were named that can't be kept apart.
    #[error("{detail}")]
    Inseparable {
        /// The reason.
        detail: String,
    },
}

/// Options of a clustering.
#[derive(Clone, Debug)]
pub struct Options {
    /// Settings of the clustering. The pairs that must not be linked come from the store.
    pub settings: Settings,
    /// Number of records per transaction, or a few more, since a page is never divided.
    pub batch: usize,
    /// The time.
    pub clock: Clock,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            settings: Settings::default(),
            // A batch costs a commit, so it should not be small. A crash costs one batch.
            batch: 5_000,
            clock: Clock::default(),
        }
    }
}

/// The outcome of a clustering.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The vertical that was clustered.
    pub vertical: String,
    /// The matcher; none where no plugin has the vertical.
    pub matcher: Option<MatcherKind>,
    /// Pages with records.
    pub pages: u64,
    /// Records that were on them.
    pub records: u64,
    /// Records among them that are new on their pages.
    pub new_members: u64,
    /// The rest: records that were known.
    pub sightings: u64,
    /// Objects that were not known.
    pub new_objects: u64,
    /// Objects that turned out to be part of others.
    pub merged: u64,
    /// Objects there are now.
    pub objects: u64,
    /// True if everything was clustered again.
    pub reclustered: bool,
    /// Notes for people, in sentences.
    pub notices: Vec<String>,
}

/// Clusters the records that were found since the last clustering, of one vertical or of all that
/// have a component. Without new records it costs nothing.
///
/// It is meant for the time after a crawl. Records that are committed meanwhile are left to the
/// next clustering. `others` compare large batches. `progress` receives sentences.
pub fn cluster_new(
    store: &dyn Store,
    plugins: &[Plugin],
    only: Option<&str>,
    options: &Options,
    others: Option<&dyn Comparers>,
    progress: &mut dyn FnMut(&str),
) -> Result<Vec<Report>, WarehouseError> {
    // Pages that are still in the batch of the writer would be left to the next clustering.
    store.flush()?;
    let there: BTreeSet<String> = plugins.iter().map(|plugin| plugin.info().name.clone()).collect();
    if let Some(vertical) = only.filter(|only| !there.contains(*only)) {
        return Err(WarehouseError::NoPlugin {
            vertical: vertical.to_owned(),
            there: there.into_iter().collect(),
        });
    }
    // A vertical whose component was removed still has objects. It is reported instead of being
    // left out silently.
    let found: BTreeSet<String> = store
        .components()?
        .into_iter()
        .map(|component| component.vertical)
        .collect();
    let wanted = found
        .iter()
        .filter(|vertical| only.is_none_or(|only| only == *vertical));
    let mut reports = Vec::new();
    for vertical in wanted {
        if there.contains(vertical) {
            reports.push(by_plugins(store, plugins, vertical, options, others, progress)?);
        } else {
            progress(&format!(
                "{vertical}: its component is missing, so its objects stay as they are"
            ));
        }
    }
    Ok(reports)
}

/// A vertical may have one component that finds objects and another that clusters them.
fn by_plugins(
    store: &dyn Store,
    plugins: &[Plugin],
    vertical: &str,
    options: &Options,
    others: Option<&dyn Comparers>,
    progress: &mut dyn FnMut(&str),
) -> Result<Report, WarehouseError> {
    match chosen(plugins, vertical) {
        Some((plugin, true)) => {
            let subject = Subject {
                info: describing(plugins, vertical).unwrap_or(plugin).info().clone(),
                ..Subject::of(plugin, MatcherKind::Plugin)
            };
            let mut matcher = PluginMatcher(plugin);
            match others {
                None => cluster_with(store, &subject, &mut matcher, options, progress),
                Some(others) => {
                    let mut matcher = Shared {
                        matcher,
                        others,
                        vertical,
                    };
                    cluster_with(store, &subject, &mut matcher, options, progress)
                }
            }
        }
        Some((plugin, false)) => {
            let subject = Subject::of(plugin, MatcherKind::Schema);
            cluster_with(
                store,
                &subject,
                &mut SchemaMatcher::new(plugin.info()),
                options,
                progress,
            )
        }
        None => Ok(Report::default()),
    }
}

/// Returns the component that decides which records are one object, and whether it clusters.
pub(crate) fn chosen<'a>(plugins: &'a [Plugin], vertical: &str) -> Option<(&'a Plugin, bool)> {
    let mut own = plugins.iter().filter(|plugin| plugin.info().name == vertical);
    let clusters = own.find(|plugin| plugin.clusters());
    clusters
        .map(|plugin| (plugin, true))
        .or_else(|| describing(plugins, vertical).map(|plugin| (plugin, false)))
}

/// Clusters what was found of one vertical since the last time, by any matcher. What is not
/// committed yet is left to the next time.
pub fn cluster_with<M: Remembering>(
    store: &dyn Warehouse,
    subject: &Subject,
    matcher: &mut M,
    options: &Options,
    progress: &mut dyn FnMut(&str),
) -> Result<Report, WarehouseError> {
    Session::new(store, subject, matcher, options, progress)?.run()
}
