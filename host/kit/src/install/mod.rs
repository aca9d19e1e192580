//! Gets verticals into a workspace, and keeps account of them in `verticals.lock`.
//!
//! A component is fetched whole, checked, and put in place by a rename, so a broken one never
//! replaces a good one. The lock file has the source, version and digest of each. Another content
//! under the same source and version is refused until the user accepts it.

mod candidate;
mod download;
mod error;
mod files;
mod find;
mod list;
mod lock;
mod oci;
mod source;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use magpie_runtime::{LoadError, MAX_COMPONENT_BYTES, Plugin, Runtime, Sha256, read_component};
use magpie_web::ClientSettings;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Map;

pub use candidate::Candidate;
pub use download::DownloadError;
pub use error::{Changed, InstallError, InstallErrorKind};
pub use find::{NotFound, Places};
pub use list::{FileState, Listed, ListedView};
pub use lock::BadLock;
pub use oci::{BadManifest, Challenge, Layer, OciError};
pub use source::{BadSource, Reference, Source};

use download::{Downloads, MAX_TIME};
use files::{FOLDER, Present, failed, guard, present, remove_if_there, write_atomically};
use lock::{Entry, Lock};

/// Puts components into a workspace and removes them.
pub struct Installer {
    workspace: PathBuf,
    runtime: Runtime,
    network: ClientSettings,
}

/// A component of the workspace after a command.
#[derive(Clone, Debug)]
pub struct Installed {
    pub vertical: String,
    pub version: String,
    pub file: PathBuf,
    pub source: Source,
    pub digest: Sha256,
    /// Digest of the manifest of an OCI artefact.
    pub manifest: Option<Sha256>,
    pub bytes: u64,
    pub change: Change,
}

/// Effect of a command on a component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// It is new in the workspace.
    Added,
    Replaced {
        version: Option<String>,
    },
    /// It was there already.
    Unchanged,
}

impl Change {
    fn word(&self) -> &'static str {
        match self {
            Change::Added => "added",
            Change::Replaced { .. } => "replaced",
            Change::Unchanged => "unchanged",
        }
    }
}

/// A component that was put into a workspace.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Installed")]
pub struct InstalledView {
    /// Name of the vertical.
    vertical: String,
    /// Version of the component.
    version: String,
    /// Path of the component.
    file: PathBuf,
    /// Source of the component.
    source: String,
    /// Digest of the component: `sha256:` and hexadecimal digits.
    #[schemars(with = "String")]
    digest: Sha256,
    /// Digest of the manifest of an OCI artefact, else null.
    #[schemars(with = "Option<String>")]
    manifest: Option<Sha256>,
    /// Size of the component.
    bytes: u64,
    /// Effect of the command: `added`, `replaced` or `unchanged`.
    change: String,
}

impl From<&Installed> for InstalledView {
    fn from(installed: &Installed) -> InstalledView {
        InstalledView {
            vertical: installed.vertical.clone(),
            version: installed.version.clone(),
            file: installed.file.clone(),
            source: installed.source.to_string(),
            digest: installed.digest,
            manifest: installed.manifest,
            bytes: installed.bytes,
            change: installed.change.word().to_owned(),
        }
    }
}

impl Installer {
    /// Creates an installer. The workspace need not exist before a component is put there.
    pub fn new(workspace: impl Into<PathBuf>, runtime: Runtime, network: ClientSettings) -> Installer {
        Installer {
            workspace: workspace.into(),
            runtime,
            network,
        }
    }

    /// Fetches a component and checks that it can be used.
    pub fn fetch(&self, source: &Source) -> Result<Candidate, InstallError> {
        let source_text = || source.to_string();
        let unusable = |cause| InstallError::Component {
            source_text: source_text(),
            cause: Box::new(cause),
        };
        let (content, manifest) = match source {
            Source::File(path) => (read_file(path)?.map_err(unusable)?, None),
            Source::Url(_) | Source::Oci(_) => self.download(source)?,
        };
        let plugin = self.runtime.load_bytes(&content, &Map::new());
        Ok(Candidate {
            source: source.clone(),
            plugin: plugin.map_err(unusable)?,
            digest: Sha256::of(&content),
            content,
            manifest,
        })
    }

    /// Puts a component into the workspace. `accept_changed` allows another content under the same
    /// source and version, and the replacement of a file that is not in the lock file.
    pub fn put(&self, candidate: &Candidate, accept_changed: bool) -> Result<Installed, InstallError> {
        // Both the lock file and the folder are read under the guard. Another process could
        // otherwise change them between the checks and the writes.
        let _guard = guard(&self.workspace)?;
        let mut lock = Lock::read(&self.workspace)?;
        let present = present(&self.workspace, &self.runtime)?;
        let file = candidate.file();
        let path = self.workspace.join(FOLDER).join(&file);
        refuse_rivals(candidate, &present, &file)?;
        let old = present.iter().find(|present| present.file == file);
        let entry = lock.of_file(&file);
        match (entry, old) {
            (Some(entry), _) if entry.name != candidate.vertical() => {
                return Err(InstallError::Taken {
                    file: path,
                    vertical: entry.name.clone(),
                });
            }
            (Some(entry), _) if !accept_changed => candidate.refuse_changed(entry)?,
            // The source of a file without an entry is unknown, so it could not be fetched again.
            (None, Some(old)) if !accept_changed && old.digest != Some(candidate.digest) => {
                return Err(InstallError::Occupied { file: path });
            }
            _ => {}
        }
        let change = match (old, entry) {
            (Some(old), Some(_)) if old.digest == Some(candidate.digest) => Change::Unchanged,
            (Some(old), None) if old.digest == Some(candidate.digest) => Change::Added,
            (Some(old), entry) => {
                let of_file = old.plugin.as_ref().ok().map(|plugin| &plugin.info().version);
                let version = of_file.or(entry.map(|entry| &entry.version)).cloned();
                Change::Replaced { version }
            }
            (None, _) => Change::Added,
        };
        if old.is_none_or(|old| old.digest != Some(candidate.digest)) {
            write_atomically(&path, &candidate.content)?;
        }
        // The entry comes after the file. If the process is killed in between, the same command
        // finds the right file without an entry and adds it.
        lock.set(candidate.entry(file));
        lock.write(&self.workspace)?;
        Ok(candidate.installed(path, change))
    }

    /// Fetches a component and puts it into the workspace.
    pub fn add(&self, source: &Source, accept_changed: bool) -> Result<Installed, InstallError> {
        self.put(&self.fetch(source)?, accept_changed)
    }

    /// Fetches the components of a vertical again, or of all verticals in the lock file. Each has
    /// its own result, so that one that fails does not keep the others back.
    pub fn update(
        &self,
        name: Option<&str>,
        accept_changed: bool,
    ) -> Result<Vec<Result<Installed, InstallError>>, InstallError> {
        let lock = Lock::read(&self.workspace)?;
        let is_meant = |entry: &&Entry| name.is_none_or(|name| entry.name == name);
        let entries: Vec<&Entry> = lock.entries.iter().filter(is_meant).collect();
        if let Some(name) = name.filter(|_| entries.is_empty()) {
            let names = lock.entries.iter().map(|entry| entry.name.clone());
            return Err(unknown(name, true, names));
        }
        let update = |entry: &Entry| {
            let candidate = self.fetch(&Source::parse(&entry.source)?)?;
            // A URL may meanwhile have another component, which must not take the place of this
            // one.
            if candidate.file() != entry.file || candidate.vertical() != entry.name {
                return Err(InstallError::OtherVertical {
                    source_text: entry.source.clone(),
                    found: candidate.vertical().to_owned(),
                    expected: entry.name.clone(),
                });
            }
            self.put(&candidate, accept_changed)
        };
        Ok(entries.into_iter().map(update).collect())
    }

    /// Removes the components of a vertical and their entries in the lock file, and returns the
    /// removed files. A component that can't be used is named by its file.
    pub fn remove(&self, name: &str) -> Result<Vec<PathBuf>, InstallError> {
        let _guard = guard(&self.workspace)?;
        let mut lock = Lock::read(&self.workspace)?;
        let present = present(&self.workspace, &self.runtime)?;
        let mut files = BTreeSet::new();
        let mut known = Vec::new();
        for entry in &lock.entries {
            known.push(entry.name.clone());
            if entry.name == name {
                files.insert(entry.file.clone());
            }
        }
        for present in &present {
            // A file with an entry is named by the entry alone, even if it now contains another
            // vertical.
            if lock.of_file(&present.file).is_none() {
                known.push(present.name());
                if present.name() == name {
                    files.insert(present.file.clone());
                }
            }
        }
        if files.is_empty() {
            return Err(unknown(name, false, known));
        }
        let mut removed = Vec::new();
        for file in &files {
            let path = self.workspace.join(FOLDER).join(file);
            remove_if_there(&path).map_err(|error| failed("remove", &path, error))?;
            removed.push(path);
        }
        // If a file could not be removed, this is not reached, and the lock file keeps all entries.
        let before = lock.entries.len();
        lock.entries.retain(|entry| !files.contains(&entry.file));
        if lock.entries.len() != before {
            lock.write(&self.workspace)?;
        }
        Ok(removed)
    }

    fn download(&self, source: &Source) -> Result<(Vec<u8>, Option<Sha256>), InstallError> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| InstallError::Network(error.to_string()))?;
        let downloads = Downloads::new(&self.network).map_err(InstallError::Network)?;
        let source_text = source.to_string();
        runtime.block_on(async {
            // The client limits each request. This limit is for all of them, with redirects and
            // tokens.
            let downloaded = tokio::time::timeout(MAX_TIME, get(&downloads, source)).await;
            downloaded.unwrap_or(Err(InstallError::Timeout {
                source_text,
                limit: MAX_TIME,
            }))
        })
    }
}

async fn get(downloads: &Downloads, source: &Source) -> Result<(Vec<u8>, Option<Sha256>), InstallError> {
    match source {
        // Read without the network.
        Source::File(_) => Ok((Vec::new(), None)),
        Source::Url(url) => {
            let limit = usize::try_from(MAX_COMPONENT_BYTES).unwrap_or(usize::MAX);
            let exchange = downloads.file(url, limit).await;
            let exchange = exchange.map_err(|cause| InstallError::Download {
                source_text: source.to_string(),
                cause,
            })?;
            Ok((exchange.body().to_vec(), None))
        }
        Source::Oci(reference) => {
            let pulled = oci::pull(downloads, reference).await;
            let pulled = pulled.map_err(|cause| InstallError::Oci {
                source_text: source.to_string(),
                cause,
            })?;
            Ok((pulled.component, Some(pulled.manifest)))
        }
    }
}

/// Reads a component file. The inner error is about its content.
fn read_file(path: &Path) -> Result<Result<Vec<u8>, LoadError>, InstallError> {
    let metadata = std::fs::metadata(path).map_err(|error| failed("read", path, error))?;
    // Reading a pipe or a device might never end.
    if !metadata.is_file() {
        return Err(failed("read", path, std::io::Error::other("not a regular file")));
    }
    match read_component(path) {
        Err(LoadError::Read(error)) => Err(failed("read", path, error)),
        read => Ok(read),
    }
}

/// Refuses a component if another file does the same for its vertical.
fn refuse_rivals(candidate: &Candidate, present: &[Present], file: &str) -> Result<(), InstallError> {
    let new = &candidate.plugin;
    let is_rival = |old: &Plugin| old.is_rival_of(new);
    let mut others = present.iter().filter(|present| present.file != file);
    match others.find(|other| other.plugin.as_ref().is_ok_and(is_rival)) {
        None => Ok(()),
        Some(rival) => Err(InstallError::Rival {
            vertical: candidate.vertical().to_owned(),
            file: rival.path.clone(),
        }),
    }
}

fn unknown(name: &str, locked: bool, known: impl IntoIterator<Item = String>) -> InstallError {
    let known: BTreeSet<String> = known.into_iter().collect();
    InstallError::Unknown {
        name: name.to_owned(),
        locked,
        known: known.into_iter().collect(),
    }
}

impl Present {
    /// Name of the vertical, or of the file if the component can't be used.
    fn name(&self) -> String {
        match &self.plugin {
            Ok(plugin) => plugin.info().name.clone(),
            Err(_) => self.file.trim_end_matches(".wasm").to_owned(),
        }
    }
}

#[cfg(test)]
mod tests;
