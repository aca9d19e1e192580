//! Compiled components on disk, so that a start costs milliseconds and not compilations.
//!
//! Compiled code is native code: loading a forged file would run it outside the sandbox. So the
//! folder is ours alone (0700), only files we own are read, each carries the digest of its content,
//! and its name is made from the component's digest and the engine's compatibility hash. Nothing
//! from outside is ever taken for compiled code.
//!
//! A cache that can't be written (a read-only home, a full disk) costs time and nothing else.

use std::fs;
use std::hash::{Hash, Hasher};
use std::io::Write;
use std::path::{Path, PathBuf};

use magpie_model::VerticalInfo;
use wasmtime::Engine;
use wasmtime::component::Component;

/// Where compiled components are kept.
#[derive(Clone, Debug)]
pub(crate) struct Cache {
    folder: PathBuf,
}

impl Cache {
    /// Opens (and makes) the folder; none when it can't be made private.
    pub(crate) fn open(folder: &Path) -> Option<Self> {
        private_folder(folder).then(|| Self {
            folder: folder.to_owned(),
        })
    }

    /// The compiled component, when it is there and sound.
    pub(crate) fn load(&self, engine: &Engine, digest: &str) -> Option<Component> {
        let bytes = read_own(&self.path(engine, digest, "cwasm"))?;
        let (sum, code) = bytes.split_at_checked(blake3::OUT_LEN)?;
        if blake3::hash(code).as_bytes() != sum {
            return None;
        }
        // SAFETY: the bytes are what `store` below wrote: the file is in a folder only we can
        // write to, belongs to us, and has the digest it was written with. The engine itself checks
        // that the code was made by the same compiler with the same settings.
        unsafe { Component::deserialize(engine, code) }.ok()
    }

    /// Keeps a compiled component. Failing to is no error: the next start compiles again.
    pub(crate) fn store(&self, engine: &Engine, digest: &str, component: &Component) {
        if let Ok(code) = component.serialize() {
            let sum = blake3::hash(&code);
            write_whole(&self.path(engine, digest, "cwasm"), &[sum.as_bytes(), &code]);
        }
    }

    /// What the component said of itself when it was asked.
    pub(crate) fn load_info(&self, engine: &Engine, digest: &str) -> Option<VerticalInfo> {
        serde_json::from_slice(&read_own(&self.path(engine, digest, "json"))?).ok()
    }

    /// Keeps what the component said of itself.
    pub(crate) fn store_info(&self, engine: &Engine, digest: &str, info: &VerticalInfo) {
        if let Ok(text) = serde_json::to_vec(info) {
            write_whole(&self.path(engine, digest, "json"), &[&text]);
        }
    }

    fn path(&self, engine: &Engine, digest: &str, extension: &str) -> PathBuf {
        let mut hasher = blake3::Hasher::new();
        engine
            .precompile_compatibility_hash()
            .hash(&mut StdHash(&mut hasher));
        hasher.update(env!("CARGO_PKG_VERSION").as_bytes());
        let engine = hasher.finalize().to_hex();
        self.folder.join(format!(
            "{}-{}.{extension}",
            &digest[..32.min(digest.len())],
            &engine[..16]
        ))
    }
}

/// Lets the engine's hash feed a hash that is the same in every build of the host.
struct StdHash<'a>(&'a mut blake3::Hasher);

impl Hasher for StdHash<'_> {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&self) -> u64 {
        0
    }
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
fn read_own(path: &Path) -> Option<Vec<u8>> {
    use std::os::unix::fs::MetadataExt;
    let metadata = fs::symlink_metadata(path).ok()?;
    let ours = metadata.is_file()
        && metadata.uid() == rustix::process::geteuid().as_raw()
        && metadata.mode() & 0o022 == 0;
    if ours { fs::read(path).ok() } else { None }
}

#[cfg(not(unix))]
fn private_folder(folder: &Path) -> bool {
    // Folders below a user's profile are private to the user elsewhere.
    fs::create_dir_all(folder).is_ok()
}

#[cfg(not(unix))]
fn read_own(path: &Path) -> Option<Vec<u8>> {
    fs::read(path).ok()
}

/// Creates a file that nobody else may write, whatever the umask: one that others could have
/// written is not read again.
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

/// Writes beside the target and renames, so that nobody ever reads half a file.
fn write_whole(path: &Path, parts: &[&[u8]]) {
    let temporary = path.with_extension(format!("{}.tmp", std::process::id()));
    let written = create_private(&temporary)
        .and_then(|mut file| parts.iter().try_for_each(|part| file.write_all(part)))
        .and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        // Nothing was promised; the half-written file must not stay.
        let _ = fs::remove_file(&temporary);
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::{private_folder, read_own, write_whole};
    use rustix::fs::Mode;

    #[test]
    fn what_was_written_without_a_umask_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let cache = folder.path().join("cache");
        let path = cache.join("code");
        let before = rustix::process::umask(Mode::empty());
        let is_private = private_folder(&cache);
        write_whole(&path, &[b"co", b"de"]);
        rustix::process::umask(before);
        assert!(is_private);
        assert_eq!(read_own(&path).as_deref(), Some(b"code".as_slice()));
    }
}
