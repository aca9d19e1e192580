//! WARC and ARC files, read and written, plain or gzip.
//!
//! [`ArchiveWriter`] appends records to a file. [`ArchiveReader`] gives the records of a file one
//! by one, in bounded memory, whatever state the file is in: archives come from strangers, and a
//! broken record is an [`ArchiveProblem`] in its place. [`read_archived`] reads one record at a
//! known place.
//!
//! The reader has three layers: `raw` reads the file and can go back a little; `source` inflates
//! gzip members and finds the next one after a broken one; `reader` finds records in the bytes that
//! come out, by their first line. The reader does not trust that a gzip member is a record: files
//! exist with all records in one member and with one record in several.

mod arc;
mod error;
mod exchange;
mod problem;
mod raw;
mod reader;
mod record;
mod source;
mod write;

pub use error::{ArchiveError, StoreFault};
pub use exchange::{Exchange, Truncated};
pub use problem::{ArchiveProblem, ProblemKind};
pub use reader::{ArchiveLimits, ArchiveReader, read_archived, read_record};
pub use record::{Record, RecordKind};
pub use write::{
    ArchiveSettings, ArchiveWriter, Compression, Kept, Location, Original, PayloadDigest, Target, cut,
    sync_folder,
};

/// Returns `true` if a file's name says that it is an archive: `.warc`, `.arc`, `.wat` or `.wet`,
/// with or without `.gz`.
pub fn is_archive_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    [".warc", ".arc", ".wat", ".wet"]
        .iter()
        .any(|extension| name.ends_with(extension))
}
