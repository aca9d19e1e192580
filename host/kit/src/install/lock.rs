//! The file `verticals.lock` of a workspace: source, version and digest of each component that a
//! command put there.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::error::InstallError;
use super::files::{failed, write_atomically};
use magpie_runtime::Sha256;

/// Name of the lock file in a workspace.
const LOCK_FILE: &str = "verticals.lock";

const FORMAT: u32 = 1;

/// Maximum size of a lock file. An entry has some 300 bytes.
const MAX_LOCK_BYTES: u64 = 1 << 20;

const HEADING: &str = "# Written by `magpie plugin add`, `update` and `remove`. It says where the components in\n\
     # `verticals` are from, so that another content under the same version is noticed.\n\n";

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Lock {
    format: u32,
    #[serde(default, rename = "vertical", skip_serializing_if = "Vec::is_empty")]
    pub(super) entries: Vec<Entry>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Entry {
    pub(super) name: String,
    /// File in the folder `verticals`.
    pub(super) file: String,
    pub(super) version: String,
    /// Source, as [`Source`](super::Source) parses it.
    pub(super) source: String,
    pub(super) digest: Sha256,
    /// Digest of the manifest of an OCI artefact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) manifest: Option<Sha256>,
}

/// Reason why a lock file can't be used.
#[derive(Debug, thiserror::Error)]
pub enum BadLock {
    #[error("it has {bytes} bytes, more than the {limit} of a lock file")]
    TooLarge { bytes: u64, limit: u64 },
    /// It is not TOML, or has other fields.
    #[error("it can't be parsed: {0}")]
    Syntax(String),
    #[error("it has the format {0}, which this version of Magpie does not know")]
    Format(u32),
    /// An entry names a file outside the folder.
    #[error("{0:?} is not the name of a component in the folder `verticals`")]
    FileName(String),
    /// Two entries name one file.
    #[error("two entries name the file {0}")]
    Twice(String),
}

impl Default for Lock {
    fn default() -> Lock {
        Lock {
            format: FORMAT,
            entries: Vec::new(),
        }
    }
}

impl Lock {
    /// Reads the lock file of a workspace. A missing file is an empty one.
    pub(super) fn read(workspace: &Path) -> Result<Lock, InstallError> {
        let path = path(workspace);
        let bytes = match std::fs::metadata(&path) {
            Ok(metadata) => metadata.len(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Lock::default()),
            Err(error) => return Err(failed("read", &path, error)),
        };
        let limit = MAX_LOCK_BYTES;
        if bytes > limit {
            let cause = BadLock::TooLarge { bytes, limit };
            return Err(InstallError::Lock { path, cause });
        }
        let text = std::fs::read_to_string(&path).map_err(|error| failed("read", &path, error))?;
        Lock::parse(&text).map_err(|cause| InstallError::Lock { path, cause })
    }

    pub(super) fn parse(text: &str) -> Result<Lock, BadLock> {
        #[derive(Deserialize)]
        struct Head {
            format: u32,
        }
        let syntax = |error: toml::de::Error| BadLock::Syntax(error.message().to_owned());
        // The format comes first, because another format may have fields that `Lock` refuses.
        let head: Head = toml::from_str(text).map_err(syntax)?;
        if head.format != FORMAT {
            return Err(BadLock::Format(head.format));
        }
        let lock: Lock = toml::from_str(text).map_err(syntax)?;
        for (index, entry) in lock.entries.iter().enumerate() {
            // The name becomes part of a path, and `remove` deletes the file at that path.
            if !is_component_name(&entry.file) {
                return Err(BadLock::FileName(entry.file.clone()));
            }
            if lock.entries[..index].iter().any(|other| other.file == entry.file) {
                return Err(BadLock::Twice(entry.file.clone()));
            }
        }
        Ok(lock)
    }

    /// Replaces the lock file of a workspace.
    pub(super) fn write(&self, workspace: &Path) -> Result<(), InstallError> {
        let path = path(workspace);
        let text = toml::to_string(self).map_err(|error| InstallError::Lock {
            path: path.clone(),
            cause: BadLock::Syntax(error.to_string()),
        })?;
        write_atomically(&path, format!("{HEADING}{text}").as_bytes())
    }

    pub(super) fn of_file(&self, file: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.file == file)
    }

    /// Adds or replaces the entry of a file. Entries are sorted, for small diffs.
    pub(super) fn set(&mut self, entry: Entry) {
        self.entries.retain(|other| other.file != entry.file);
        self.entries.push(entry);
        self.entries.sort_by(|one, other| one.file.cmp(&other.file));
    }
}

fn path(workspace: &Path) -> PathBuf {
    workspace.join(LOCK_FILE)
}

/// Returns true if a text is the name of a component's file without any folder.
fn is_component_name(file: &str) -> bool {
    let stem = file.strip_suffix(".wasm").unwrap_or_default();
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    !stem.is_empty() && stem.bytes().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(file: &str) -> Entry {
        Entry {
            name: "events".to_owned(),
            file: file.to_owned(),
            version: "0.1.0".to_owned(),
            source: "oci://ghcr.io/events:0.1.0".to_owned(),
            digest: Sha256::of(b"component"),
            manifest: Some(Sha256::of(b"manifest")),
        }
    }

    #[test]
    fn a_lock_file_is_read_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Lock::read(folder.path()).unwrap(), Lock::default());
        let mut lock = Lock::default();
        lock.set(entry("events.wasm"));
        lock.set(entry("books.wasm"));
        lock.set(entry("events.wasm"));
        lock.write(folder.path()).unwrap();
        assert_eq!(Lock::read(folder.path()).unwrap(), lock);
        let text = std::fs::read_to_string(folder.path().join(LOCK_FILE)).unwrap();
        assert!(text.contains("[[vertical]]\nname = \"events\""), "{text}");
    }

    #[test]
    fn other_files_are_refused() {
        let entry = |file: &str| {
            format!(
                "[[vertical]]\nname = \"a\"\nfile = \"{file}\"\nversion = \"1\"\nsource = \"a\"\ndigest = \"{}\"\n",
                Sha256::of(b"")
            )
        };
        for (text, sentence) in [
            (String::new(), "missing field `format`"),
            ("format = 2".to_owned(), "the format 2"),
            ("format = 1\nnote = 1".to_owned(), "unknown field"),
            ("format = 1\n".to_owned() + &entry("../a.wasm"), "not the name"),
            ("format = 1\n".to_owned() + &entry("/a.wasm"), "not the name"),
            ("format = 1\n".to_owned() + &entry(".wasm"), "not the name"),
            ("format = 1\n".to_owned() + &entry("a.toml"), "not the name"),
            (
                "format = 1\n".to_owned() + &entry("a.wasm") + &entry("a.wasm"),
                "two entries",
            ),
            (
                "format = 1\n".to_owned() + &entry("a.wasm").replace("sha256", "md5"),
                "a digest is",
            ),
        ] {
            let error = Lock::parse(&text).unwrap_err().to_string();
            assert!(error.contains(sentence), "{text}: {error}");
        }
    }
}
