//! Finds real data for tests, which lies beside the repository and is never part of it.
#![expect(clippy::print_stdout, reason = "a test that is skipped says so")]

use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of a data set, unpacked if need be; none, and a visible line, when it is not at hand.
pub(crate) fn find(set: &str) -> Option<PathBuf> {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("real-data");
    let unpacked = shared.join("unpack").exists()
        && std::fs::create_dir_all(&target).is_ok()
        && Command::new(shared.join("unpack"))
            .arg(set)
            .arg("--to")
            .arg(&target)
            .output()
            .is_ok_and(|made| made.status.success());
    if !unpacked {
        println!("skipped: real data set {set} not found");
        return None;
    }
    Some(target.join(set))
}

/// The files below a folder with an ending, sorted.
pub(crate) fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder).expect("the folder can be read");
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
