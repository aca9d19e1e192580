//! Collecting the objects of a vertical: which pages of which sites are worth fetching, and fetching only those.
//!
//! - [`Collection`] is one vertical of one workspace. Its steps read what is there and write what follows from it:
//!   [`Collection::make_patterns`], [`Collection::choose`], [`Collection::find_ways`].
//! - [`Plan`] is a recrawl: what of each site is queued, and the
//!   [`LinkFilters`](crate::crawl::LinkFilters) that keep a crawl to it;
//!   [`Collection::record`] writes down what came of it and which sites have to be learned again.
//! - [`Outlook`] is what is believed of all pages at a moment, and what is worth a visit at a budget: a recrawl without end is
//!   one [`View::outlook`] and one [`Collection::plan_beat`] after the other.
//! - [`View::site_figures`] says how much of each site was read, what is expected of the rest, and
//!   what looks like junk.
//! - [`Snapshots`] reads each site once and passes it on from step to step.
//! - [`Surveyed`] and [`Sightings`] are the workspace in the numbers that learning takes.

mod explore;
mod figures;
mod learn;
mod navigation;
mod record;
mod recrawl;
mod renamed;
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
use magpie_store::{ReadStore, Store, StoreError};
use magpie_values::Timestamp;

use crate::settings::{InducerChoice, Learn, Resolved};

pub use explore::Exploration;
pub use figures::{PatternSamples, SampleObject, SiteFigures};
pub use learn::{Barren, Chosen, Made, Wayed};
pub use navigation::{NAVIGATIONS, NavigationFileError, navigation_file, read_navigation, write_navigation};
pub use record::{Recorded, SiteOutcome};
pub use recrawl::{Method, Plan, PlannedSite};
pub use sample::{SampledObject, sampled_objects};
pub use snapshot::Snapshots;
pub use survey::{Sightings, Surveyed};
pub use unfetched::Unfetched;
pub use watch::{Allowance, Due, Forecast, Outlook, Pick, Purpose, Watched, WatchedSite};

/// Why a step of collecting failed.
#[derive(Debug, thiserror::Error)]
pub enum CollectError {
    /// The workspace.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The file of a navigation.
    #[error(transparent)]
    Navigation(#[from] NavigationFileError),
    /// A pattern in the workspace that is none: something else has written it.
    #[error("the workspace has the pattern {pattern:?}, which can't be read: {reason}")]
    Pattern {
        /// The pattern.
        pattern: String,
        /// What is wrong with it.
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
    /// How it is done.
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
    /// How things are done.
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
