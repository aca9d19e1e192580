//! Files that commands write for a person: never over a part of a workspace, and to the standard
//! output too.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use magpie_engine::{FOLDERS, write_file};
use magpie_rows::StoreError;

use crate::failure::Failure;

/// File name for the standard output.
pub const STDOUT: &str = "-";

/// Beginnings of the names of files that a workspace has beside its folders.
const FILES: [&str; 5] = [
    "magpie.",
    "crawl.log",
    "accounts.jsonl",
    "audit.jsonl",
    "feed-keys.jsonl",
];

/// Returns the named place, unless that is a part of a workspace; else the usual one.
pub fn place(named: Option<&Path>, usual: &str) -> Result<PathBuf, Failure> {
    let Some(named) = named else {
        return Ok(PathBuf::from(usual));
    };
    match is_of_workspace(named) {
        false => Ok(named.to_owned()),
        true => Err(Failure::usage(format!(
            "{} belongs to a workspace and would be overwritten",
            named.display()
        ))
        .hint("name another file")),
    }
}

/// Refuses such a place before anything is done whose outcome could then not be written.
pub fn check(named: Option<&Path>) -> Result<(), Failure> {
    place(named, "").map(drop)
}

/// Writes a text to a place. The file is there whole or as it was.
pub fn write(path: &Path, text: &str) -> Result<(), StoreError> {
    let failed = |error, name: &Path| StoreError::file("can't write", name, error);
    if path == Path::new(STDOUT) {
        let written = stdout().and_then(|mut stdout| stdout.write_all(text.as_bytes()));
        return written.map_err(|error| failed(error, Path::new("the standard output")));
    }
    write_file(path, text.as_bytes()).map_err(|error| failed(error, path))
}

/// Returns `true` if a path leads to what a workspace itself consists of.
fn is_of_workspace(path: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    // A file that does not exist yet has no real path, but its folder has one.
    let target = real(path).or_else(|| {
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        Some(real(parent.unwrap_or(Path::new(".")))?.join(path.file_name()?))
    });
    let Some(target) = target else {
        return false;
    };
    let is_workspace = |folder: &&Path| {
        ["magpie.db", "magpie.toml"]
            .iter()
            .any(|own| folder.join(own).is_file())
    };
    let mut workspaces = target.ancestors().skip(1).filter(is_workspace);
    workspaces.any(|folder| target.strip_prefix(folder).is_ok_and(is_own))
}

/// Returns `true` if a path inside of a workspace is one of its own.
fn is_own(inside: &Path) -> bool {
    let first = inside.iter().next().unwrap_or_default().to_string_lossy();
    let is_alone = inside.iter().count() == 1;
    FOLDERS.contains(&&*first) || (is_alone && FILES.iter().any(|own| first.starts_with(own)))
}

/// Returns the standard output as a file.
#[cfg(unix)]
pub fn stdout() -> io::Result<File> {
    use std::os::fd::AsFd;
    Ok(File::from(io::stdout().as_fd().try_clone_to_owned()?))
}

/// Returns the standard output as a file.
#[cfg(windows)]
pub fn stdout() -> io::Result<File> {
    use std::os::windows::io::AsHandle;
    Ok(File::from(io::stdout().as_handle().try_clone_to_owned()?))
}
