//! Errors of reading and writing an archive of one's own.

use std::io;
use std::path::{Path, PathBuf};

/// An archive that could not be written, or not read at a known place.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// The archive is shorter than expected.
    #[error("{file} has {found} bytes instead of {expected}")]
    Cut {
        /// The file.
        file: PathBuf,
        /// The expected length.
        expected: u64,
        /// The length it has.
        found: u64,
    },
    /// The archive is not there.
    #[error("{file} is missing")]
    Missing {
        /// The file.
        file: PathBuf,
        /// The expected length.
        expected: u64,
    },
    /// There is no such record at the place.
    #[error("{file} has no readable record at byte {offset}: {detail}")]
    BadRecord {
        /// The file.
        file: PathBuf,
        /// The place.
        offset: u64,
        /// The content that is there instead.
        detail: String,
    },
    /// The file could not be read or written.
    #[error("{doing} {file}")]
    File {
        /// The attempt that failed: `can't read`.
        doing: &'static str,
        /// The file.
        file: PathBuf,
        /// The error of the system.
        #[source]
        source: io::Error,
    },
}

impl ArchiveError {
    pub(crate) fn file(doing: &'static str, file: &Path, source: io::Error) -> ArchiveError {
        let file = file.to_owned();
        ArchiveError::File { doing, file, source }
    }
}
