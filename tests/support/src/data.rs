//! Finds the real data for tests and benchmarks. It is stored beside the repository, never in it.
//! Tests that need missing data are skipped with a visible line.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Folder of the archives, relative to the repository's root.
const ARCHIVES: &str = "../shared/data";

/// Folder of the unpacked data, relative to the repository's root.
const UNPACKED: &str = "target/real-data";

/// Returns the folder of a data set, unpacking it if necessary. Skips the test and returns `None`
/// if it is missing.
pub fn find(set: &str) -> Option<PathBuf> {
    let found = unpack(set);
    if found.is_none() {
        crate::skip(format_args!("real data set {set} not found"));
    }
    found
}

fn unpack(set: &str) -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2)?;
    let script = root.join(ARCHIVES).join("unpack");
    if !script.exists() {
        return None;
    }
    let to = root.join(UNPACKED);
    std::fs::create_dir_all(&to).ok()?;
    // Tests run in parallel. If two find a set missing, the second would remove what the first
    // reads.
    let lock = File::create(to.join(".lock")).ok()?;
    lock.lock().ok()?;
    let made = Command::new(script).arg(set).arg("--to").arg(&to).output().ok()?;
    drop(lock);
    let folder = to.join(set);
    (made.status.success() && folder.is_dir()).then_some(folder)
}

/// Files below a folder whose names have this ending, sorted.
///
/// # Panics
/// Panics if the folder can't be read: an unpacked set is complete.
pub fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries =
            std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        for entry in entries {
            let path = entry.expect("the entry can be read").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.to_string_lossy().ends_with(ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}
