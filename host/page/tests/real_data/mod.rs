//! Finds real data for tests, which lies beside the repository and is never part of it.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of a data set, unpacked if need be; none, and a visible line, when it is not at hand.
pub fn find(set: &str) -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let shared = root.join("shared/data");
    let unpacked = [root.join("real-data").join(set), target().join(set)];
    if let Some(known) = unpacked.iter().find(|folder| folder.join("SOURCE.txt").exists()) {
        return Some(known.clone());
    }
    let made = Command::new(shared.join("unpack")).arg(set).arg("--to").arg(target()).status();
    if made.is_ok_and(|status| status.success()) && unpacked[1].exists() {
        return Some(unpacked[1].clone());
    }
    println!("skipped: real data set {set} not found");
    None
}

fn target() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("real-data")
}
