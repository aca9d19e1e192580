//! The folders in which browsers keep their files.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use tempfile::TempDir;

/// The folder of a browser. It is removed when it is dropped, or by a later start if the process
/// was killed.
pub(super) struct Profile {
    /// Held as long as the folder is in use. Unlike the number of a process it is not reused.
    _lock: File,
    folder: TempDir,
}

const PREFIX: &str = "magpie-browser-";

const LOCK: &str = "magpie.lock";

impl Profile {
    /// Makes a folder, and removes those of processes that were killed.
    pub(super) fn new() -> io::Result<Profile> {
        // A folder that can't be removed does not keep the browser from starting.
        let _ = remove_unused(&std::env::temp_dir());
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir()?;
        // The file has its name only when it is locked, so that no other start takes the folder for
        // an unused one in between.
        let unnamed = folder.path().join("magpie.lock.new");
        let lock = File::create(&unnamed)?;
        // On file systems without locks, no folder counts as unused.
        let _ = lock.try_lock();
        fs::rename(unnamed, folder.path().join(LOCK))?;
        Ok(Profile { _lock: lock, folder })
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Removes this user's folders whose lock no process holds.
fn remove_unused(temporary: &Path) -> io::Result<()> {
    for entry in fs::read_dir(temporary)? {
        let entry = entry?;
        if !entry.file_name().to_string_lossy().starts_with(PREFIX) || !is_own_folder(&entry) {
            continue;
        }
        let lock = File::open(entry.path().join(LOCK));
        if lock.is_ok_and(|lock| lock.try_lock().is_ok()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
    Ok(())
}

fn is_own_folder(entry: &fs::DirEntry) -> bool {
    // This does not follow a link.
    let Ok(metadata) = entry.metadata() else {
        return false;
    };
    #[cfg(unix)]
    let is_own = std::os::unix::fs::MetadataExt::uid(&metadata) == rustix::process::geteuid().as_raw();
    #[cfg(not(unix))]
    let is_own = true;
    metadata.is_dir() && is_own
}
