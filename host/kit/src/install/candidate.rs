//! Components that were fetched and checked.

use std::path::PathBuf;

use magpie_runtime::Plugin;

use super::error::{Changed, InstallError};
use super::lock::Entry;
use super::source::Source;
use super::{Change, Installed};
use magpie_runtime::Sha256;

/// A component that was fetched and checked, but is not in the workspace yet.
pub struct Candidate {
    pub(super) source: Source,
    pub(super) content: Vec<u8>,
    pub(super) plugin: Plugin,
    pub(super) digest: Sha256,
    pub(super) manifest: Option<Sha256>,
}

impl Candidate {
    pub(crate) fn vertical(&self) -> &str {
        &self.plugin.info().name
    }

    /// Returns an error if this is another vertical.
    pub fn expect(&self, name: &str) -> Result<(), InstallError> {
        if self.vertical() == name {
            return Ok(());
        }
        Err(InstallError::OtherVertical {
            source_text: self.source.to_string(),
            found: self.vertical().to_owned(),
            expected: name.to_owned(),
        })
    }

    /// Name of its file in the workspace. A vertical may have several components; those that only
    /// cluster or only judge have files of their own.
    pub(super) fn file(&self) -> String {
        let name = self.vertical();
        match (self.plugin.extracts(), self.plugin.clusters()) {
            (true, _) => format!("{name}.wasm"),
            (false, true) => format!("{name}-clusterer.wasm"),
            (false, false) => format!("{name}-validator.wasm"),
        }
    }

    /// Refuses another content under the same source and version.
    pub(super) fn refuse_changed(&self, entry: &Entry) -> Result<(), InstallError> {
        let version = &self.plugin.info().version;
        // A source that names a version must not change, even if the component states another
        // version.
        let same_version = entry.version == *version || self.source.is_pinned();
        if entry.source != self.source.to_string() || !same_version || entry.digest == self.digest {
            return Ok(());
        }
        Err(InstallError::Changed(Box::new(Changed {
            source_text: entry.source.clone(),
            vertical: entry.name.clone(),
            version: entry.version.clone(),
            locked: entry.digest,
            found: self.digest,
        })))
    }

    pub(super) fn entry(&self, file: String) -> Entry {
        Entry {
            name: self.vertical().to_owned(),
            file,
            version: self.plugin.info().version.clone(),
            source: self.source.to_string(),
            digest: self.digest,
            manifest: self.manifest,
        }
    }

    pub(super) fn installed(&self, file: PathBuf, change: Change) -> Installed {
        Installed {
            vertical: self.vertical().to_owned(),
            version: self.plugin.info().version.clone(),
            file,
            source: self.source.clone(),
            digest: self.digest,
            manifest: self.manifest,
            bytes: self.content.len() as u64,
            change,
        }
    }
}
