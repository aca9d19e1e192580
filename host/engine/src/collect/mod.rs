//! Collects the objects of a vertical: decides which pages of which sites are worth fetching.
//!
//! - [`Collection`] is one vertical of one workspace. Its steps read the store and write results:
//!   [`Collection::make_patterns`], [`Collection::choose`], [`Collection::find_navigations`].
//! - [`Plan`] is a recrawl: the URLs to queue for each site, and the
//!   [`LinkFilters`](crate::crawl::LinkFilters) that keep a crawl to them. [`Collection::record`]
//!   writes the outcome down and names the sites to learn again.
//! - [`WatchPlan`] rates the visits to all pages at a moment, for a budget. A watch alternates
//!   [`View::outlook`] and [`Collection::plan_cycle`].
//! - [`View::site_figures`] tells how much of each site was read, how many objects are expected on
//!   the rest, and which objects look like junk.
//! - [`Snapshots`] reads each site once and passes it from step to step.
//! - [`SitePages`] and [`ObjectsByPage`] hold the data of the store by index, as learning takes it.

mod answers;
mod coverage;
mod explore;
mod figures;
mod learn;
mod navigation;
mod record;
mod recrawl;
mod renamed;
mod rendering;
mod repair;
mod round;
mod sample;
mod snapshot;
mod survey;
mod unfetched;
mod watch;

use std::path::Path;

use magpie_patterns::plan::Induce;
use magpie_patterns::select::{CandidatesError, Goal};
use magpie_rows::{ReadStore, Store, StoreError};
use magpie_values::Timestamp;

use crate::settings::{InducerChoice, Learn, Resolved};

pub use coverage::CoverageFall;
pub use explore::Exploration;
pub use figures::{PatternSamples, SampleObject, SiteFigures};
pub use learn::{EmptySite, NavigationSummary, PatternSummary, SelectionSummary};
pub use navigation::{NAVIGATIONS, NavigationFileError, navigation_file, read_navigation, write_navigation};
pub use record::{Recorded, SiteOutcome};
pub use recrawl::{Method, Plan, PlannedSite};
pub use rendering::{LearnedRules, SiteRendering, rendering_rules};
pub use sample::{SampledObject, sampled_objects};
pub use snapshot::Snapshots;
pub use survey::{ObjectsByPage, SitePages};
pub use unfetched::Unfetched;
pub use watch::{Allowance, Due, Forecast, Purpose, ScheduledVisit, WatchPlan, Watched, WatchedSite};

/// The error of a step of collecting.
#[derive(Debug, thiserror::Error)]
pub enum CollectError {
    /// The workspace.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The file of a navigation.
    #[error(transparent)]
    Navigation(#[from] NavigationFileError),
    /// An invalid pattern in the workspace, written by another program.
    #[error("the workspace has the pattern {pattern:?}, which can't be read: {reason}")]
    Pattern {
        /// The pattern.
        pattern: String,
        /// The problem.
        reason: String,
    },
    /// Figures that selection can't use.
    #[error(transparent)]
    Candidates(#[from] CandidatesError),
}

/// One vertical of one workspace.
#[derive(Clone, Copy)]
pub struct Collection<'a> {
    /// The store of the workspace.
    pub store: &'a dyn Store,
    /// Its folder.
    pub folder: &'a Path,
    /// Settings of the steps.
    pub settings: &'a Resolved,
    /// The vertical's name.
    pub vertical: &'a str,
    /// The moment, in milliseconds since 1970.
    pub now: Timestamp,
}

/// A vertical of a workspace, to look at.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// The store of the workspace, for reading.
    pub reader: &'a dyn ReadStore,
    /// Its folder.
    pub folder: &'a Path,
    /// Settings of the steps.
    pub settings: &'a Resolved,
    /// The vertical's name.
    pub vertical: &'a str,
    /// The moment, in milliseconds since 1970.
    pub now: Timestamp,
}

impl<'a> Collection<'a> {
    /// The same for reading.
    pub fn view(&self) -> View<'a> {
        View {
            reader: self.store,
            folder: self.folder,
            settings: self.settings,
            vertical: self.vertical,
            now: self.now,
        }
    }

    fn learn_settings(&self) -> &Learn {
        &self.settings.settings.learn
    }

    fn induce(&self) -> Induce {
        match self.learn_settings().inducer {
            InducerChoice::Typed => Induce::Typed,
            InducerChoice::Prefix => Induce::Prefix,
            InducerChoice::PlainPrefix => Induce::PlainPrefix,
        }
    }

    fn goal(&self) -> Goal {
        match self.learn_settings().budget {
            0 => Goal::Coverage(self.learn_settings().coverage),
            pages => Goal::Pages(pages as f64),
        }
    }
}
