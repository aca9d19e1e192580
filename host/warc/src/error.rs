//! Errors of reading and writing an archive of one's own.

use std::io;
use std::path::{Path, PathBuf};

/// An archive that could not be written, or not read at a known place.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// The archive is shorter than expected.
    #[error("{file} has {found} bytes instead of {expected}")]
    Cut {
        file: PathBuf,
        expected: u64,
        found: u64,
    },
    #[error("{file} is missing")]
    Missing { file: PathBuf, expected: u64 },
    /// There is no such record at the place.
    #[error("{file} has no readable record at byte {offset}: {detail}")]
    BadRecord {
        file: PathBuf,
        offset: u64,
        /// The content that is there instead.
        detail: String,
    },
    /// The file could not be read or written.
    #[error("{doing} {file}")]
    File {
        /// The attempt that failed: `can't read`.
        doing: &'static str,
        file: PathBuf,
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
