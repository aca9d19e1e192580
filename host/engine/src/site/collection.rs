//! One vertical of one workspace: what learning, rounds and watches work on.
//!
//! [`Collection`] reads and writes, [`View`] only reads. The steps of each stage are their methods,
//! in the folder of the stage.

use std::path::Path;

use magpie_patterns::plan::Induce;
use magpie_patterns::select::{CandidatesError, Goal};
use magpie_rows::{ReadStore, Store, StoreError};
use magpie_values::Timestamp;

use super::navigation::NavigationFileError;
use crate::settings::{InducerChoice, Learn, Resolved};

/// Errors of the steps of learning and of rounds.
#[derive(Debug, thiserror::Error)]
pub enum SiteError {
    /// The workspace.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The file of a navigation.
    #[error(transparent)]
    Navigation(#[from] NavigationFileError),
    /// An invalid pattern in the workspace, written by another program.
    #[error("the workspace has the pattern {pattern:?}, which can't be read: {reason}")]
    Pattern {
        /// The text of the pattern.
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
    /// The folder of the workspace, for the files of navigations.
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
    /// The folder of the workspace, for the files of navigations.
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

    pub(crate) fn learn_settings(&self) -> &Learn {
        &self.settings.settings.learn
    }

    pub(crate) fn induce(&self) -> Induce {
        match self.learn_settings().inducer {
            InducerChoice::Typed => Induce::Typed,
            InducerChoice::Prefix => Induce::Prefix,
            InducerChoice::PlainPrefix => Induce::PlainPrefix,
        }
    }

    pub(crate) fn goal(&self) -> Goal {
        match self.learn_settings().budget {
            0 => Goal::Coverage(self.learn_settings().coverage),
            pages => Goal::Pages(pages as f64),
        }
    }
}
