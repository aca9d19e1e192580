//! The list of a workspace's components, beside the lock file.

use std::path::PathBuf;

use magpie_runtime::LoadError;
use schemars::JsonSchema;
use serde::Serialize;

use super::Installer;
use super::error::InstallError;
use super::files::{FOLDER, Present, present};
use super::lock::{Entry, Lock};
use magpie_runtime::Sha256;

/// A component in the list of a workspace.
#[derive(Debug)]
pub struct Listed {
    /// Name of the vertical, or of the file if that can't be used.
    pub vertical: String,
    /// Version of the file, or of the lock file if that is missing.
    pub version: Option<String>,
    pub file: PathBuf,
    /// Its source, if it is in the lock file.
    pub source: Option<String>,
    /// Digest of the file, or of the lock file if that is missing.
    pub digest: Option<Sha256>,
    /// Digest of the manifest of an OCI artefact.
    pub manifest: Option<Sha256>,
    pub bytes: Option<u64>,
    pub state: FileState,
    /// Reason why the component can't be used.
    pub problem: Option<LoadError>,
}

/// State of a component beside the lock file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileState {
    /// It is the one in the lock file.
    Matches,
    /// It is another one than in the lock file.
    Changed,
    Missing,
    /// It is not in the lock file.
    NotLocked,
}

impl FileState {
    fn word(self) -> &'static str {
        match self {
            FileState::Matches => "matches",
            FileState::Changed => "changed",
            FileState::Missing => "missing",
            FileState::NotLocked => "not-locked",
        }
    }
}

impl Listed {
    /// Returns true if the component can be used, and is the one in the lock file if it is there.
    pub fn is_well(&self) -> bool {
        matches!(self.state, FileState::Matches | FileState::NotLocked) && self.problem.is_none()
    }

    /// Returns true if the component can be used for a vertical.
    pub fn is_usable(&self, vertical: &str) -> bool {
        self.vertical == vertical && self.state != FileState::Missing && self.problem.is_none()
    }
}

/// A component in the list of a workspace.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "ListedComponent")]
pub struct ListedView {
    /// Name of the vertical.
    vertical: String,
    /// Version of the component.
    version: Option<String>,
    /// Path of the component.
    file: PathBuf,
    /// Source in the lock file.
    source: Option<String>,
    /// Digest of the file, or of the lock file if the file is missing: `sha256:` and hexadecimal
    /// digits.
    #[schemars(with = "Option<String>")]
    digest: Option<Sha256>,
    /// Digest of the manifest of an OCI artefact in the lock file.
    #[schemars(with = "Option<String>")]
    manifest: Option<Sha256>,
    /// Size of the component.
    bytes: Option<u64>,
    /// Comparison of the file with `verticals.lock`: `matches`, `changed`, `missing` or
    /// `not-locked`.
    state: String,
    /// Reason why the component can't be used, or null.
    problem: Option<String>,
}

impl From<&Listed> for ListedView {
    fn from(listed: &Listed) -> ListedView {
        ListedView {
            vertical: listed.vertical.clone(),
            version: listed.version.clone(),
            file: listed.file.clone(),
            source: listed.source.clone(),
            digest: listed.digest,
            manifest: listed.manifest,
            bytes: listed.bytes,
            state: listed.state.word().to_owned(),
            problem: listed.problem.as_ref().map(ToString::to_string),
        }
    }
}

impl Installer {
    /// Lists the components of the workspace and those that the lock file has, sorted by file.
    pub fn list(&self) -> Result<Vec<Listed>, InstallError> {
        let lock = Lock::read(&self.workspace)?;
        let present = present(&self.workspace, &self.runtime)?;
        let is_missing = |entry: &&Entry| !present.iter().any(|present| present.file == entry.file);
        let missing = lock.entries.iter().filter(is_missing);
        let mut list: Vec<Listed> = missing.map(|entry| self.missing(entry)).collect();
        list.extend(present.into_iter().map(|present| {
            let entry = lock.of_file(&present.file);
            listed(present, entry)
        }));
        list.sort_by(|one, other| one.file.cmp(&other.file));
        Ok(list)
    }

    fn missing(&self, entry: &Entry) -> Listed {
        Listed {
            vertical: entry.name.clone(),
            version: Some(entry.version.clone()),
            file: self.workspace.join(FOLDER).join(&entry.file),
            source: Some(entry.source.clone()),
            digest: Some(entry.digest),
            manifest: entry.manifest,
            bytes: None,
            state: FileState::Missing,
            problem: None,
        }
    }
}

fn listed(present: Present, entry: Option<&Entry>) -> Listed {
    let state = match entry {
        None => FileState::NotLocked,
        Some(entry) if present.digest == Some(entry.digest) => FileState::Matches,
        Some(_) => FileState::Changed,
    };
    Listed {
        vertical: present.name(),
        version: present
            .plugin
            .as_ref()
            .ok()
            .map(|plugin| plugin.info().version.clone()),
        source: entry.map(|entry| entry.source.clone()),
        digest: present.digest,
        manifest: entry.and_then(|entry| entry.manifest),
        bytes: Some(present.bytes),
        state,
        problem: present.plugin.err(),
        file: present.path,
    }
}
