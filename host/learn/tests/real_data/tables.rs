//! Where the sets are, and how their tables are read.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of a set, unpacked; none, with a visible line, when the archives are not there.
pub(crate) fn folder(set: &str) -> Option<PathBuf> {
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

/// The rows of a table with quotes as in RFC 4180, its head first.
pub(crate) fn rows(path: &Path, separator: char) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new();
    reader.delimiter(u8::try_from(separator).expect("ASCII"));
    let reader = reader.has_headers(false).flexible(true).from_path(path);
    let reader = reader.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let cells = |row: Result<csv::StringRecord, csv::Error>| -> Vec<String> {
        let row = row.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        row.iter().map(str::to_owned).collect()
    };
    reader.into_records().map(cells).collect()
}
