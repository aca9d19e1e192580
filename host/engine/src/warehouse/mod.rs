//! The object warehouse: which of the objects that were found are one thing, from run to run.
//!
//! 1. Pages that came since the last time are read in order. A record that its page had before is another sighting of the same
//!    member; what is new becomes a member; what a page has no more stands there no more.
//! 2. New members join the clustering that stands, by the plugin's matcher or by the schema's. Of what stands, only features and
//!    keys are in memory. A record whose place a newer one of the same page and thing has taken is not compared any more.
//! 3. Everything that a batch of pages changed is written in one transaction with the mark up to where it goes: after a crash, the
//!    next run goes on from the last batch.
//!
//! When the component, its options or the settings change, what stands was decided by other rules: all members are clustered anew, and
//! each cluster keeps its number where most of its members are.
//!
//! Clusters that stand are not taken apart by what is added to them, so several runs may end otherwise than one run over the same
//! pages where a later object links what an earlier run kept apart, or the other way round. Numbers of clusters follow the order in
//! which things were found.

mod anew;
mod batch;
mod merge;
mod names;
mod plan;
mod query;
mod recording;
mod search;
mod session;
mod split;
mod subject;
mod why;

use std::collections::BTreeSet;
use std::error::Error;

use magpie_matching::{SchemaMatcher, Settings};
use magpie_runtime::{Plugin, PluginMatcher};
use magpie_store::{MatcherKind, Store, StoreError, Warehouse};

use session::Session;

use crate::Clock;
use crate::verticals::{describing, which_are};

pub use query::{BadCondition, Condition, magnitude, matches_site, moment, named_host};
pub use search::Search;
pub use split::{Split, split};
pub use subject::{Remembering, Subject};
pub use why::{Compared, compared, compared_by, path};

/// Why a clustering ended early. What was written before stands.
#[derive(Debug, thiserror::Error)]
pub enum WarehouseError {
    /// The workspace.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The matcher failed.
    #[error("the objects of {vertical} can't be clustered further: {source}")]
    Matcher {
        /// The vertical.
        vertical: String,
        /// What it said.
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
        /// Its number.
        record: i64,
    },
    /// Two records were named that can't be kept apart.
    #[error("{detail}")]
    Inseparable {
        /// Why.
        detail: String,
    },
}

/// How objects are clustered.
#[derive(Clone, Debug)]
pub struct Options {
    /// The settings of the clustering; its pairs that must not be linked are those of the workspace.
    pub settings: Settings,
    /// How many objects are taken in by one transaction, or a few more: a page is never divided.
    pub batch: usize,
    /// The time.
    pub clock: Clock,
}

impl Default for Options {
    /// A batch costs a commit and a look at all links that were made so far in this run, so it should not be small; what a crash
    /// costs is one batch.
    fn default() -> Self {
        Options {
            settings: Settings::default(),
            batch: 5_000,
            clock: Clock::default(),
        }
    }
}

/// What a clustering did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The vertical.
    pub vertical: String,
    /// The matcher; none where no plugin has the vertical.
    pub matcher: Option<MatcherKind>,
    /// Pages that said something.
    pub pages: u64,
    /// Objects that were on them.
    pub objects: u64,
    /// Of these, records that their page had not before.
    pub new_members: u64,
    /// The rest: records that were known.
    pub sightings: u64,
    /// Things that were not known.
    pub new_clusters: u64,
    /// Things that turned out to be part of others.
    pub merged: u64,
    /// Things there are now.
    pub clusters: u64,
    /// Whether everything was clustered anew.
    pub reclustered: bool,
    /// What a person should know, in sentences.
    pub notices: Vec<String>,
}

/// Clusters what was found since the last time: of one vertical, or of all that have a component. Nothing new costs nothing.
///
/// It is meant for after a crawl, with the workspace open: what is handed in meanwhile is taken in the next time. `tell` is told in
/// sentences how it goes on.
pub fn cluster_new(
    store: &dyn Store,
    plugins: &[Plugin],
    only: Option<&str>,
    options: &Options,
    tell: &mut dyn FnMut(&str),
) -> Result<Vec<Report>, WarehouseError> {
    store.flush()?;
    let there: BTreeSet<String> = plugins.iter().map(|plugin| plugin.info().name.clone()).collect();
    if let Some(vertical) = only.filter(|only| !there.contains(*only)) {
        return Err(WarehouseError::NoPlugin {
            vertical: vertical.to_owned(),
            there: there.into_iter().collect(),
        });
    }
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
            reports.push(by_plugins(store, plugins, vertical, options, tell)?);
        } else {
            tell(&format!(
                "{vertical}: its component is not there any more, so its objects stay as they are"
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
    tell: &mut dyn FnMut(&str),
) -> Result<Report, WarehouseError> {
    match chosen(plugins, vertical) {
        Some((plugin, true)) => {
            let subject = Subject {
                info: describing(plugins, vertical).unwrap_or(plugin).info().clone(),
                ..Subject::of(plugin, MatcherKind::Plugin)
            };
            cluster_with(store, &subject, &mut PluginMatcher(plugin), options, tell)
        }
        Some((plugin, false)) => {
            let subject = Subject::of(plugin, MatcherKind::Schema);
            cluster_with(
                store,
                &subject,
                &mut SchemaMatcher::new(plugin.info()),
                options,
                tell,
            )
        }
        None => Ok(Report::default()),
    }
}

/// The component that says what is one, and whether it does so itself.
fn chosen<'a>(plugins: &'a [Plugin], vertical: &str) -> Option<(&'a Plugin, bool)> {
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
    tell: &mut dyn FnMut(&str),
) -> Result<Report, WarehouseError> {
    Session::new(store, subject, matcher, options, tell)?.run()
}
