//! Cache of compiled components on disk, so that a start takes milliseconds instead of compiling.
//!
//! Compiled code is native code: loading a forged file would run it outside the sandbox. So the
//! folder is private (0700), only files owned by this user are read, each file starts with the hash
//! of its content, and its name is derived from the component's hash and the engine's compatibility
//! hash. No other file is ever loaded as compiled code.
//!
//! If the cache can't be written (a read-only home, a full disk), the only cost is time.

use std::fs;
use std::hash::{Hash, Hasher};
use std::io::Write;
use std::path::{Path, PathBuf};

use magpie_model::VerticalInfo;
use wasmtime::Engine;
use wasmtime::component::Component;

/// End of the names of cached descriptions. Changes when a field is added to them.
const DESCRIPTION: &str = "2.json";

#[derive(Clone, Debug)]
pub(crate) struct Cache {
    folder: PathBuf,
}

impl Cache {
    /// Opens the folder, creating it if necessary; `None` if it can't be made private.
    pub(crate) fn open(folder: &Path) -> Option<Self> {
        private_folder(folder).then(|| Self {
            folder: folder.to_owned(),
        })
    }

    /// Loads the compiled component, if it is cached and intact.
    pub(crate) fn load(&self, engine: &Engine, digest: &str) -> Option<Component> {
        let bytes = read_owned(&self.path(engine, digest, "cwasm"))?;
        let (sum, code) = bytes.split_at_checked(blake3::OUT_LEN)?;
        // The engine checks only that the same compiler made the code, and would execute a damaged
        // file.
        if blake3::hash(code).as_bytes() != sum {
            return None;
        }
        // SAFETY: the bytes were written by `store` below: the file is in a folder that only this
        // user can write to, belongs to this user, and has the hash with which it was written. The
        // engine itself checks that the same compiler with the same settings made the code.
        unsafe { Component::deserialize(engine, code) }.ok()
    }

    /// Stores a compiled component. Failures are ignored: the next start compiles again.
    pub(crate) fn store(&self, engine: &Engine, digest: &str, component: &Component) {
        if let Ok(code) = component.serialize() {
            let sum = blake3::hash(&code);
            write_atomically(&self.path(engine, digest, "cwasm"), &[sum.as_bytes(), &code]);
        }
    }

    /// Loads the cached description of a component.
    pub(crate) fn load_info(&self, engine: &Engine, digest: &str) -> Option<VerticalInfo> {
        serde_json::from_slice(&read_owned(&self.path(engine, digest, DESCRIPTION))?).ok()
    }

    pub(crate) fn store_info(&self, engine: &Engine, digest: &str, info: &VerticalInfo) {
        if let Ok(text) = serde_json::to_vec(info) {
            write_atomically(&self.path(engine, digest, DESCRIPTION), &[&text]);
        }
    }

    fn path(&self, engine: &Engine, digest: &str, extension: &str) -> PathBuf {
        let mut hasher = blake3::Hasher::new();
        engine
            // An engine with other settings, or another version of wasmtime, gets a file of its own
            // instead of one that it refuses.
            .precompile_compatibility_hash()
            .hash(&mut StdHash(&mut hasher));
        hasher.update(env!("CARGO_PKG_VERSION").as_bytes());
        let engine = hasher.finalize().to_hex();
        let digits = digest.rsplit(':').next().unwrap_or_default();
        self.folder.join(format!(
            "{}-{}.{extension}",
            &digits[..32.min(digits.len())],
            &engine[..16]
        ))
    }
}

/// Feeds the engine's hash into a hash function that is the same in every build of the host.
struct StdHash<'a>(&'a mut blake3::Hasher);

impl Hasher for StdHash<'_> {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&self) -> u64 {
        0
    }
}

/// Returns a sentence with the remedy, if the folder of the cache is there but not used because it
/// is not this user's alone.
pub fn cache_problem(folder: &Path) -> Option<String> {
    if !folder.is_dir() || private_folder(folder) {
        return None;
    }
    let folder = folder.display();
    Some(format!(
        "components are compiled at each start: their cache {folder} is not used, since other users may \
         write to it or own it; `chmod 700 {folder}` makes it private"
    ))
}

#[cfg(unix)]
fn private_folder(folder: &Path) -> bool {
    use std::os::unix::fs::{DirBuilderExt, MetadataExt};
    let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(folder);
    let Ok(metadata) = made.and_then(|()| fs::metadata(folder)) else {
        return false;
    };
    metadata.uid() == rustix::process::geteuid().as_raw() && metadata.mode() & 0o022 == 0
}

#[cfg(unix)]
fn read_owned(path: &Path) -> Option<Vec<u8>> {
    use std::os::unix::fs::MetadataExt;
    // The link itself is examined: a link could lead to a file of another user.
    let metadata = fs::symlink_metadata(path).ok()?;
    let ours = metadata.is_file()
        && metadata.uid() == rustix::process::geteuid().as_raw()
        && metadata.mode() & 0o022 == 0;
    if ours { fs::read(path).ok() } else { None }
}

#[cfg(not(unix))]
fn private_folder(folder: &Path) -> bool {
    // On other systems, folders below a user's profile are private to the user.
    fs::create_dir_all(folder).is_ok()
}

#[cfg(not(unix))]
fn read_owned(path: &Path) -> Option<Vec<u8>> {
    fs::read(path).ok()
}

/// Creates a file that only this user may write, whatever the umask. A file that others can write
/// is not read again.
#[cfg(unix)]
fn create_private(path: &Path) -> std::io::Result<fs::File> {
    use std::os::unix::fs::OpenOptionsExt;
    let mut options = fs::File::options();
    options
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(path)
}

#[cfg(not(unix))]
fn create_private(path: &Path) -> std::io::Result<fs::File> {
    fs::File::create(path)
}

/// Writes to a temporary file and renames it, so that no reader ever sees a partial file.
fn write_atomically(path: &Path, parts: &[&[u8]]) {
    let temporary = path.with_extension(format!("{}.tmp", std::process::id()));
    let written = create_private(&temporary)
        .and_then(|mut file| parts.iter().try_for_each(|part| file.write_all(part)))
        .and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        // The caller expects no result, but the partial file must not remain.
        let _ = fs::remove_file(&temporary);
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::{cache_problem, private_folder, read_owned, write_atomically};
    use rustix::fs::Mode;

    #[test]
    fn a_cache_that_others_may_write_to_is_told() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(cache_problem(&folder.path().join("none")), None);
        assert_eq!(cache_problem(folder.path()), None);
        rustix::fs::chmod(folder.path(), Mode::from_raw_mode(0o777)).unwrap();
        let problem = cache_problem(folder.path()).unwrap();
        assert!(problem.contains("chmod 700"), "{problem}");
    }

    #[test]
    fn files_written_without_a_umask_are_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let cache = folder.path().join("cache");
        let path = cache.join("code");
        let before = rustix::process::umask(Mode::empty());
        let is_private = private_folder(&cache);
        write_atomically(&path, &[b"co", b"de"]);
        rustix::process::umask(before);
        assert!(is_private);
        assert_eq!(read_owned(&path).as_deref(), Some(b"code".as_slice()));
    }
}
