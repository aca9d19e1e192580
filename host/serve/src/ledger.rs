//! Files beside the database whose last line about a name counts: keys of feeds, and accounts.
//!
//! They are not in the database, so that a command can change one while a watch has that. A line is
//! added at once, under a lock.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Names in a file at the same time.
const MAX_NAMES: usize = 500;

/// The longest file, in bytes: thousands of names that came and went.
const MAX_FILE: u64 = 1 << 20;

const MAX_NAME: usize = 60;

/// A problem with the keys of feeds, or with the accounts.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    #[error("invalid name `{0}`: expected up to {MAX_NAME} letters, digits, hyphens, dots and underscores")]
    Name(String),
    #[error("the {what} `{name}` is there already: remove it first, or choose another name")]
    Taken { what: &'static str, name: String },
    #[error("there is no {what} `{name}`")]
    Unknown { what: &'static str, name: String },
    #[error("there are {MAX_NAMES} of them already: remove one first")]
    TooMany,
    #[error("invalid password: expected {} to {} bytes", crate::accounts::PASSWORD.start(), crate::accounts::PASSWORD.end())]
    Password,
    #[error("line {line} of {} can't be read: delete the line, or put a copy of the file back", file.display())]
    Damaged { file: PathBuf, line: usize },
    #[error("the file {} is too long: keep the last line of each name alone", .0.display())]
    TooLong(PathBuf),
    #[error("the system has no random numbers")]
    NoRandomness,
    #[error("can't use the file {}", file.display())]
    File {
        file: PathBuf,
        #[source]
        source: io::Error,
    },
}

/// A line of a file.
pub(crate) trait Line: Serialize + DeserializeOwned {
    /// The file within the folder of a workspace.
    const FILE: &'static str;
    /// The noun of what is named.
    const WHAT: &'static str;

    fn name(&self) -> &str;
    /// Returns `true` if the name is there no more.
    fn is_end(&self) -> bool;
    /// Returns `true` if the values can be used.
    fn is_sound(&self) -> bool;
}

/// Returns the lines that count, the oldest first.
pub(crate) fn read<L: Line>(folder: &Path) -> Result<Vec<L>, LedgerError> {
    let path = folder.join(L::FILE);
    let mut file = match File::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed(&path)(error)),
    };
    file.lock_shared().map_err(failed(&path))?;
    Ok(lines(&mut file, &path)?.0)
}

/// Adds a line about a new name.
pub(crate) fn add<L: Line>(folder: &Path, line: &L) -> Result<(), LedgerError> {
    let name = line.name();
    check_name(name)?;
    change(folder, line, |known: &[L]| {
        if known.iter().any(|line| line.name() == name) {
            let (what, name) = (L::WHAT, name.to_owned());
            return Err(LedgerError::Taken { what, name });
        }
        match known.len() < MAX_NAMES {
            true => Ok(()),
            false => Err(LedgerError::TooMany),
        }
    })
}

/// Adds a line that ends a name.
pub(crate) fn end<L: Line>(folder: &Path, line: &L) -> Result<(), LedgerError> {
    change(folder, line, |known: &[L]| {
        match known.iter().any(|known| known.name() == line.name()) {
            true => Ok(()),
            false => Err(LedgerError::Unknown {
                what: L::WHAT,
                name: line.name().to_owned(),
            }),
        }
    })
}

pub(crate) fn check_name(name: &str) -> Result<(), LedgerError> {
    let is_of_name = |sign: char| sign.is_alphanumeric() || "-._".contains(sign);
    match !name.is_empty() && name.chars().count() <= MAX_NAME && name.chars().all(is_of_name) {
        true => Ok(()),
        false => Err(LedgerError::Name(name.chars().take(MAX_NAME).collect())),
    }
}

fn failed(path: &Path) -> impl Fn(io::Error) -> LedgerError {
    |source| LedgerError::File {
        file: path.to_owned(),
        source,
    }
}

fn change<L: Line>(
    folder: &Path,
    line: &L,
    check: impl FnOnce(&[L]) -> Result<(), LedgerError>,
) -> Result<(), LedgerError> {
    let path = folder.join(L::FILE);
    let failed = failed(&path);
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&path).map_err(&failed)?;
    file.lock().map_err(&failed)?;
    let (known, whole) = lines(&mut file, &path)?;
    check(&known)?;
    let line = serde_json::to_string(line).map_err(|error| failed(error.into()))?;
    file.set_len(whole).map_err(&failed)?;
    // The break before it ends a line that an editor left without one.
    file.write_all(format!("\n{line}\n").as_bytes())
        .map_err(&failed)?;
    file.sync_data().map_err(&failed)
}

/// Returns the lines that count, and the length of the file without a last line that was cut off
/// by a crash.
fn lines<L: Line>(file: &mut File, path: &Path) -> Result<(Vec<L>, u64), LedgerError> {
    let mut text = Vec::new();
    file.take(MAX_FILE + 1)
        .read_to_end(&mut text)
        .map_err(failed(path))?;
    if text.len() as u64 > MAX_FILE {
        return Err(LedgerError::TooLong(path.to_owned()));
    }
    let (mut known, mut length): (Vec<L>, usize) = (Vec::new(), 0);
    for (at, bytes) in text.split_inclusive(|byte| *byte == b'\n').enumerate() {
        if !bytes.trim_ascii().is_empty() {
            match serde_json::from_slice::<L>(bytes) {
                Ok(line) if line.is_sound() => {
                    known.retain(|known| known.name() != line.name());
                    known.extend(Some(line).filter(|line| !line.is_end()));
                }
                Err(error) if error.is_eof() && !bytes.ends_with(b"\n") => break,
                _ => {
                    return Err(LedgerError::Damaged {
                        file: path.to_owned(),
                        line: at + 1,
                    });
                }
            }
        }
        length += bytes.len();
    }
    Ok((known, length as u64))
}
