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
