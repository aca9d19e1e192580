//! Build cache: records the inputs of a component.
//!
//! The file `events.wasm.inputs.json` beside `events.wasm` has hashes of all files from which the
//! component was built, the folders in which a new file would matter, and the hash of the
//! component. While nothing of it changes, cargo is not run. File times are ignored: they change
//! with every checkout, and two changes within one clock tick have the same time.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use crate::inputs::{Inputs, Snapshot};
use crate::{Built, Error, Result};

/// Version of the build process; incremented by changes that this crate's version does not reflect.
const RECIPE: u32 = 2;

#[derive(Serialize, Deserialize)]
struct Record {
    /// Hash of all inputs that are not files.
    recipe: String,
    roots: Vec<PathBuf>,
    inputs: BTreeMap<PathBuf, Option<String>>,
    component: String,
}

/// Returns the component at a path if it exists and all its inputs are unchanged.
pub(crate) fn lookup(recipe: &str, out: &Path, snapshot: &mut Snapshot) -> Option<Built> {
    let record: Record = serde_json::from_slice(&std::fs::read(record_path(out)).ok()?).ok()?;
    if record.recipe != recipe {
        return None;
    }
    let component = std::fs::read(out).ok()?;
    // The component is hashed as well, because another program may have overwritten it.
    let unchanged = hash(&component) == record.component
        && snapshot.of(&record.roots, record.inputs.keys()) == record.inputs;
    unchanged.then(|| built(out, &component, true))
}

/// Writes a component and the record of its inputs.
///
/// `started` is the start of the build. If a source changed after that, the compiler may have read
/// either version. Then no record is written, and the next build runs cargo.
pub(crate) fn store(
    recipe: &str,
    out: &Path,
    component: &[u8],
    inputs: &Inputs,
    snapshot: &mut Snapshot,
    started: SystemTime,
) -> Result<Built> {
    let built = built(out, component, false);
    // An unchanged file keeps its time, so that programs that watch it are not triggered.
    if std::fs::read(out).ok().as_deref() != Some(component) {
        write_atomically(out, component)?;
    }
    let record_path = record_path(out);
    let hashes = snapshot.of(&inputs.roots, &inputs.files);
    if hashes.keys().any(|file| changed_since(file, started)) {
        // The record may not exist.
        let _ = std::fs::remove_file(&record_path);
        return Ok(built);
    }
    let record = Record {
        recipe: recipe.to_owned(),
        roots: inputs.roots.iter().cloned().collect(),
        inputs: hashes,
        component: hash(component),
    };
    let text = serde_json::to_vec_pretty(&record).map_err(std::io::Error::from);
    // The record is written after the component: if the process dies between the two, the old
    // record does not fit and cargo runs again.
    write_atomically(&record_path, &text.map_err(Error::file("write", &record_path))?)?;
    Ok(built)
}

fn built(path: &Path, component: &[u8], fresh: bool) -> Built {
    Built {
        component: path.to_owned(),
        bytes: component.len() as u64,
        fresh,
    }
}

fn hash(component: &[u8]) -> String {
    blake3::hash(component).to_hex().to_string()
}

fn record_path(out: &Path) -> PathBuf {
    with_suffix(out, ".inputs.json")
}

/// Hash of all inputs that are not files.
pub(crate) fn recipe(parts: &[&str]) -> String {
    let own = [RECIPE.to_string(), env!("CARGO_PKG_VERSION").to_owned()];
    let mut hasher = blake3::Hasher::new();
    for part in own.iter().map(String::as_str).chain(parts.iter().copied()) {
        // The line feed separates the parts, so that moving text from one to the next changes the
        // hash.
        hasher.update(part.as_bytes()).update(b"\n");
    }
    hasher.finalize().to_hex().to_string()
}

/// Returns true if a file changed during the build. Lock files don't count, since the tools may
/// have written them.
fn changed_since(file: &Path, started: SystemTime) -> bool {
    let lock = file
        .file_name()
        .is_some_and(|name| name == "Cargo.lock" || name == "package-lock.json");
    // A file without a time does not count as changed. Its content is hashed all the same.
    let changed = std::fs::metadata(file).and_then(|metadata| metadata.modified());
    !lock && changed.is_ok_and(|changed| changed > started)
}

/// Writes a file atomically: readers see the old or the new content, never a part.
fn write_atomically(path: &Path, bytes: &[u8]) -> Result<()> {
    if let Some(dir) = path.parent() {
        std::fs::create_dir_all(dir).map_err(Error::file("create", dir))?;
    }
    // The process number keeps two builds of the same guest from writing one file.
    let aside = with_suffix(path, &format!(".{}.part", std::process::id()));
    // Errors name the final path, which is the one that matters to the user.
    std::fs::write(&aside, bytes).map_err(Error::file("write", path))?;
    std::fs::rename(&aside, path).map_err(Error::file("write", path))
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
