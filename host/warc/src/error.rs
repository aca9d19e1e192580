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
    /// An object store could not be used.
    #[error("{}", .fault.sentence(.url, .detail))]
    Store {
        fault: StoreFault,
        /// The address, without credentials.
        url: String,
        /// The answer of the store, or the reason why there is none.
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

/// Reason why an object store could not be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreFault {
    /// It can't be reached, or it answers that it is overloaded or failing.
    Unavailable,
    /// It refuses the credentials, or there are none.
    Refused,
    /// There is no such bucket or folder.
    NoBucket,
    /// Other bytes have the name.
    Occupied,
    /// The address or the configuration can't be used.
    Address,
}

impl StoreFault {
    /// Says the problem and its cause.
    pub fn sentence(self, url: &str, detail: &str) -> String {
        match self {
            StoreFault::Unavailable => {
                format!("{url}: the object store does not answer as it should: {detail}")
            }
            StoreFault::Refused => format!("{url}: the object store refuses the credentials: {detail}"),
            StoreFault::NoBucket => format!("{url}: there is no such bucket or folder"),
            StoreFault::Occupied => {
                format!("{url} is there already, with other bytes: another program writes to the same place")
            }
            StoreFault::Address => format!("{url}: {detail}"),
        }
    }
}

impl ArchiveError {
    pub fn file(doing: &'static str, file: &Path, source: io::Error) -> ArchiveError {
        let file = file.to_owned();
        ArchiveError::File { doing, file, source }
    }
}
