//! Remembering what a component was made from.
//!
//! Beside `events.wasm` lies `events.wasm.inputs.json`: hashes of all files the component was made
//! from, the folders in which a new file would matter, and the hash of the component itself. While all
//! of it still holds, cargo is not asked. Times of files are not looked at: they change with every
//! checkout, and two changes within one tick of a clock look like none.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use crate::inputs::{Inputs, Snapshot};
use crate::{Built, Error, Result};

/// Counts changes in how components are made that are not seen in this crate's version.
const RECIPE: u32 = 2;

#[derive(Serialize, Deserialize)]
struct Record {
    /// The hash of everything that matters and is no file.
    recipe: String,
    roots: Vec<PathBuf>,
    inputs: BTreeMap<PathBuf, Option<String>>,
    component: String,
}

/// The component at a path, if it is there and still made from the same things in the same way.
pub(crate) fn lookup(recipe: &str, out: &Path, snapshot: &mut Snapshot) -> Option<Built> {
    let record: Record = serde_json::from_slice(&std::fs::read(record_path(out)).ok()?).ok()?;
    if record.recipe != recipe {
        return None;
    }
    let component = std::fs::read(out).ok()?;
    let built = built(out, &component, true);
    let unchanged =
        built.digest == record.component && snapshot.of(&record.roots, record.inputs.keys()) == record.inputs;
    unchanged.then_some(built)
}

/// Writes a component and what it was made from.
///
/// `started` is when the build began. A source that changed after that may have been read by the
/// compiler or not; then nothing is remembered, and the next build looks again.
pub(crate) fn store(
    recipe: &str,
    out: &Path,
    component: &[u8],
    inputs: &Inputs,
    snapshot: &mut Snapshot,
    started: SystemTime,
) -> Result<Built> {
    let built = built(out, component, false);
    // A file that is as it was keeps its time, so that nobody who watches it is disturbed.
    if std::fs::read(out).ok().as_deref() != Some(component) {
        write_whole(out, component)?;
    }
    let record_path = record_path(out);
    let hashes = snapshot.of(&inputs.roots, &inputs.files);
    if hashes.keys().any(|file| changed_since(file, started)) {
        // It may not be there in the first place.
        let _ = std::fs::remove_file(&record_path);
        return Ok(built);
    }
    let record = Record {
        recipe: recipe.to_owned(),
        roots: inputs.roots.iter().cloned().collect(),
        inputs: hashes,
        component: built.digest.clone(),
    };
    let text = serde_json::to_vec_pretty(&record).map_err(std::io::Error::from);
    write_whole(&record_path, &text.map_err(Error::file("write", &record_path))?)?;
    Ok(built)
}

fn built(path: &Path, component: &[u8], fresh: bool) -> Built {
    Built {
        component: path.to_owned(),
        digest: blake3::hash(component).to_hex().to_string(),
        bytes: component.len() as u64,
        fresh,
    }
}

fn record_path(out: &Path) -> PathBuf {
    with_suffix(out, ".inputs.json")
}

/// The hash of everything that matters and is no file.
pub(crate) fn recipe(parts: &[&str]) -> String {
    let own = [RECIPE.to_string(), env!("CARGO_PKG_VERSION").to_owned()];
    let mut hasher = blake3::Hasher::new();
    for part in own.iter().map(String::as_str).chain(parts.iter().copied()) {
        hasher.update(part.as_bytes()).update(b"\n");
    }
    hasher.finalize().to_hex().to_string()
}

/// The tools themselves may have written a lock file; every other change during the build is a person's.
fn changed_since(file: &Path, started: SystemTime) -> bool {
    let lock = file
        .file_name()
        .is_some_and(|name| name == "Cargo.lock" || name == "package-lock.json");
    let changed = std::fs::metadata(file).and_then(|metadata| metadata.modified());
    !lock && changed.is_ok_and(|changed| changed > started)
}

/// Writes a file so that whoever reads it meanwhile sees the old or the new one, never a part.
fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    if let Some(dir) = path.parent() {
        std::fs::create_dir_all(dir).map_err(Error::file("create", dir))?;
    }
    let aside = with_suffix(path, &format!(".{}.part", std::process::id()));
    // The name that matters to a person is the one the file will have.
    std::fs::write(&aside, bytes).map_err(Error::file("write", path))?;
    std::fs::rename(&aside, path).map_err(Error::file("write", path))
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
