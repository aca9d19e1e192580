//! Archives whose bytes depend on nothing but their contents.

use std::fmt::Write as _;

use anyhow::{Context, Result};
use flate2::{Compression, GzBuilder};
use sha2::{Digest as _, Sha256};

/// Compression for archives that are kept.
pub(super) const SMALL: Compression = Compression::best();

pub(super) struct Entry {
    /// The path below the archive's folder, with slashes.
    pub(super) path: String,
    bytes: Vec<u8>,
    mode: u32,
}

impl Entry {
    /// A file that is read.
    pub(super) fn file(path: &str, bytes: Vec<u8>) -> Entry {
        Entry {
            path: path.to_owned(),
            bytes,
            mode: 0o644,
        }
    }

    /// A file that is run.
    pub(super) fn program(path: &str, bytes: Vec<u8>) -> Entry {
        Entry {
            mode: 0o755,
            ..Entry::file(path, bytes)
        }
    }
}

/// Packs files into a compressed archive with one folder. All files have the same time, in seconds
/// since 1970.
pub(super) fn pack(folder: &str, entries: &[Entry], time: u64, level: Compression) -> Result<Vec<u8>> {
    let mut sorted: Vec<&Entry> = entries.iter().collect();
    sorted.sort_by(|a, b| a.path.cmp(&b.path));
    let encoder = GzBuilder::new().mtime(0).write(Vec::new(), level);
    let mut archive = tar::Builder::new(encoder);
    for entry in sorted {
        let mut header = tar::Header::new_gnu();
        header.set_size(entry.bytes.len() as u64);
        header.set_mode(entry.mode);
        header.set_mtime(time);
        header.set_uid(0);
        header.set_gid(0);
        archive
            .append_data(&mut header, format!("{folder}/{}", entry.path), &entry.bytes[..])
            .with_context(|| format!("can't pack {}", entry.path))?;
    }
    let encoder = archive.into_inner().context("can't finish the archive")?;
    encoder.finish().context("can't compress the archive")
}

/// Returns the SHA-256 of bytes, in hexadecimal digits.
pub(super) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_do_not_depend_on_the_order_of_files() {
        let files = |names: &[&str]| -> Vec<Entry> {
            names
                .iter()
                .map(|name| Entry::file(name, name.as_bytes().to_vec()))
                .collect()
        };
        let one = pack("x", &files(&["a", "b/c"]), 7, SMALL).unwrap();
        let other = pack("x", &files(&["b/c", "a"]), 7, SMALL).unwrap();
        assert_eq!(sha256(&one), sha256(&other));
        assert_ne!(one, pack("x", &files(&["a", "b/c"]), 8, SMALL).unwrap());
    }

    #[test]
    fn hash_is_that_of_sha256sum() {
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sha256(b"abc"), expected);
    }
}
