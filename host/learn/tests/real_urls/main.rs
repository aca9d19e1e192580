//! Patterns on real sites; page classes are measured by `cargo xtask bench real`. Without the data, every test says so and is skipped.
//!
//! `cargo nextest run -p magpie-learn --test real_urls --no-capture` prints the figures.

#![expect(clippy::print_stdout, reason = "the figures are what these tests are for")]

mod next_ids;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of a set, unpacked; none, with a visible line, when the archives are not there.
fn folder(set: &str) -> Option<PathBuf> {
    let unpack = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/unpack");
    if unpack.exists() {
        let to = Path::new(env!("CARGO_TARGET_TMPDIR"));
        // Tests run side by side, and the script is not made for that.
        let lock = File::create(to.join("unpack.lock")).and_then(|file| file.lock().map(|()| file));
        let output = Command::new(unpack).arg(set).arg("--to").arg(to).output();
        drop(lock);
        let printed = output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
        if let Some(path) = printed.ok().map(PathBuf::from).filter(|path| path.is_dir()) {
            return Some(path);
        }
    }
    println!("skipped: real data set {set} not found");
    None
}
