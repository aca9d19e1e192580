//! Files of a workspace: written whole or not at all, by one process at a time.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use magpie_runtime::{LoadError, Plugin, Runtime, read_component};
use serde_json::Map;

use super::error::InstallError;
use magpie_runtime::Sha256;

/// Folder of a workspace with its components.
pub(super) const FOLDER: &str = "verticals";

/// File that is locked while a command changes the components.
const GUARD: &str = ".lock";

/// Makes an error of a failed action.
pub(super) fn failed(action: &'static str, path: &Path, cause: io::Error) -> InstallError {
    InstallError::File {
        action,
        path: path.to_owned(),
        cause,
    }
}

/// Makes the folder of components, and waits until no other process changes it. The returned file
/// keeps the lock.
pub(super) fn guard(workspace: &Path) -> Result<File, InstallError> {
    let folder = workspace.join(FOLDER);
    std::fs::create_dir_all(&folder).map_err(|error| failed("make", &folder, error))?;
    let path = folder.join(GUARD);
    let mut options = File::options();
    let opened = options.create(true).truncate(false).write(true).open(&path);
    let file = opened.map_err(|error| failed("open", &path, error))?;
    file.lock().map_err(|error| failed("lock", &path, error))?;
    Ok(file)
}

/// Replaces a file. A process that is killed leaves the old content or the new one. The name of
/// the temporary file does not end as those of components do, so that a crawl does not load it.
pub(super) fn write_atomically(path: &Path, content: &[u8]) -> Result<(), InstallError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let part = path.with_file_name(format!(".{name}.part"));
    let written = (|| {
        // A process that was killed may have left this file. `create_new` then refuses a link that
        // someone puts in its place.
        remove_if_there(&part)?;
        let mut file = File::options().write(true).create_new(true).open(&part)?;
        file.write_all(content)?;
        // The content must be on the disk before the name leads to it. After a power failure, the
        // file could otherwise be empty.
        file.sync_all()?;
        std::fs::rename(&part, path)?;
        sync_folder(path)
    })();
    written.map_err(|error| {
        // If this fails, the next attempt overwrites the file.
        let _ = std::fs::remove_file(&part);
        failed("write", path, error)
    })
}

/// Removes a file. A missing one is no error.
pub(super) fn remove_if_there(path: &Path) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Makes a rename durable.
#[cfg(unix)]
fn sync_folder(path: &Path) -> io::Result<()> {
    path.parent()
        .map_or(Ok(()), |folder| File::open(folder)?.sync_all())
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

/// A component in the folder of a workspace.
pub(super) struct Present {
    pub(super) file: String,
    pub(super) path: PathBuf,
    pub(super) bytes: u64,
    /// Digest of the file, unless it can't be read.
    pub(super) digest: Option<Sha256>,
    pub(super) plugin: Result<Plugin, LoadError>,
}

/// Loads the components of a workspace, sorted by file.
pub(super) fn present(workspace: &Path, runtime: &Runtime) -> Result<Vec<Present>, InstallError> {
    let folder = workspace.join(FOLDER);
    let unreadable = |error| failed("read", &folder, error);
    let entries = match std::fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(unreadable(error)),
    };
    let mut present = Vec::new();
    for entry in entries {
        let path = entry.map_err(unreadable)?.path();
        let is_component = path.extension().is_some_and(|extension| extension == "wasm");
        let Some(metadata) = std::fs::metadata(&path).ok().filter(|_| is_component) else {
            continue;
        };
        if metadata.is_file() {
            present.push(load(path, metadata.len(), runtime));
        }
    }
    present.sort_by(|one, other| one.file.cmp(&other.file));
    Ok(present)
}

fn load(path: PathBuf, bytes: u64, runtime: &Runtime) -> Present {
    let content = read_component(&path);
    let digest = content.as_ref().ok().map(|content| Sha256::of(content));
    Present {
        file: path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned(),
        bytes,
        digest,
        plugin: content.and_then(|content| runtime.load_bytes(&content, &Map::new())),
        path,
    }
}
