//! Files of sites in the workspace: learned, and edited by people.

use std::io;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_64;

use crate::write_file;

/// A file of a site that can't be read or written.
#[derive(Debug, thiserror::Error)]
#[error("can't {what} {path}: {error}")]
pub struct SiteFileError {
    /// `read` or `write`.
    what: &'static str,
    path: PathBuf,
    error: io::Error,
}

impl SiteFileError {
    pub(crate) fn read(path: &Path, error: io::Error) -> Self {
        Self {
            what: "read",
            path: path.to_owned(),
            error,
        }
    }

    pub(crate) fn write(path: &Path, error: io::Error) -> Self {
        Self {
            what: "write",
            ..Self::read(path, error)
        }
    }
}

const MAX_BYTES: u64 = 16 << 20;

/// Prefix of the checksum of the rest of the file as it was learned. A file with another checksum
/// was edited.
const STAMP: &str = "# Checksum as learned: ";

/// The file of a site in a folder of the workspace, which has one folder for each vertical.
pub(crate) fn site_file(workspace: &Path, folder: &str, vertical: &str, site: &str) -> PathBuf {
    let plain = |character: char| match character {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '.' | '-' => character,
        _ => '_',
    };
    let host = site.split_once("://").map_or(site, |(_, host)| host);
    let name: String = host.chars().map(plain).collect();
    let vertical: String = vertical.chars().map(plain).collect();
    workspace.join(folder).join(vertical).join(format!("{name}.toml"))
}

/// Reads a file; none when there is no such file.
pub(crate) fn read_site_file(path: &Path) -> Result<Option<String>, SiteFileError> {
    bounded(path).map_err(|error| SiteFileError::read(path, error))
}

fn bounded(path: &Path) -> io::Result<Option<String>> {
    let length = match path.metadata() {
        // A pipe would be waited for, a device read for ever.
        Ok(metadata) if !metadata.is_file() => return Err(io::Error::other("not a regular file")),
        Ok(metadata) => metadata.len(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    if length > MAX_BYTES {
        return Err(io::Error::other(format!(
            "it has {length} bytes, more than the maximum of {MAX_BYTES}"
        )));
    }
    std::fs::read_to_string(path).map(Some)
}

/// The ending of the file with the version that was in force before.
const BEFORE: &str = "toml.before";

/// The file with the version of a site's file that was in force before the present one.
pub(crate) fn file_before(path: &Path) -> PathBuf {
    path.with_extension(BEFORE)
}

/// Writes a new version as [`write_site_file`] does, and keeps the one before it.
pub(crate) fn renew_site_file(
    path: &Path,
    head: &str,
    text: Option<&str>,
) -> Result<Option<PathBuf>, SiteFileError> {
    // A file that can't be read is no version to return to.
    let before = read_site_file(path).ok().flatten();
    if let Some(before) = before {
        if text.is_some_and(|text| before.ends_with(text)) {
            return Ok(None);
        }
        let beside = file_before(path);
        write_file(&beside, before.as_bytes()).map_err(|error| SiteFileError::write(&beside, error))?;
    }
    write_site_file(path, head, text)
}

/// Removes a file with the version before it. An edited file is kept; its path is returned.
pub(crate) fn forget_site_file(path: &Path) -> Result<Option<PathBuf>, SiteFileError> {
    let before = file_before(path);
    match std::fs::remove_file(&before) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(SiteFileError::write(&before, error)),
        _ => write_site_file(path, "", None),
    }
}

/// Writes a text below a head atomically, or removes the file for `None`. An edited file is kept
/// beside the new one; its path is returned.
pub(crate) fn write_site_file(
    path: &Path,
    head: &str,
    text: Option<&str>,
) -> Result<Option<PathBuf>, SiteFileError> {
    replace(path, head, text).map_err(|error| SiteFileError::write(path, error))
}

fn replace(path: &Path, head: &str, text: Option<&str>) -> io::Result<Option<PathBuf>> {
    let text = text.map(|text| format!("{head}{}", stamped(text)));
    // A file that can't be read is replaced: it has no edits that could be kept.
    let before = path.is_file().then(|| std::fs::read(path).ok()).flatten();
    let is_edited =
        before.as_deref().is_some_and(is_edited) && before.as_deref() != text.as_deref().map(str::as_bytes);
    let kept = is_edited.then(|| beside(path));
    if let Some(kept) = &kept {
        std::fs::rename(path, kept)?;
    }
    match text {
        None => match std::fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        },
        Some(text) => {
            if let Some(folder) = path.parent() {
                std::fs::create_dir_all(folder)?;
            }
            write_file(path, text.as_bytes())?;
        }
    }
    Ok(kept)
}

/// A text with its number before it.
fn stamped(text: &str) -> String {
    format!("{STAMP}{:016x}.\n\n{text}", xxh3_64(text.as_bytes()))
}

/// Returns true if a file was edited since it was written.
fn is_edited(file: &[u8]) -> bool {
    let Some((_, rest)) = std::str::from_utf8(file)
        .ok()
        .and_then(|text| text.split_once(STAMP))
    else {
        return true;
    };
    let text = rest.split_once('\n').map_or("", |(_, text)| text);
    let text = text.strip_prefix('\n').unwrap_or(text);
    !stamped(text).ends_with(rest)
}

/// A name beside a file that nothing has yet.
fn beside(path: &Path) -> PathBuf {
    let names = (1_u32..).map(|number| path.with_extension(format!("toml.edited-{number}")));
    let mut free = names.filter(|name| !name.exists());
    free.next().unwrap_or_else(|| path.with_extension("toml.edited"))
}
