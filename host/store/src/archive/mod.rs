//! Reading WARC and ARC files, plain or gzip.
//!
//! Three layers: `raw` reads the file and can go back a little; `source` inflates gzip members and finds the next
//! one after a broken one; `reader` finds records in the bytes that come out, by their first line. The reader does not
//! trust that a gzip member is a record: files exist with all records in one member and with one record in several.

mod arc;
mod problem;
mod raw;
mod reader;
mod record;
mod source;
mod write;

pub use problem::{ArchiveProblem, ProblemKind};
pub use reader::{ArchiveLimits, ArchiveReader};
pub use record::{Record, RecordKind};
pub use write::{
    ArchiveSettings, ArchiveWriter, Compression, DocumentKind, Kept, Location, Original, PayloadDigest,
    Target,
};
pub(crate) use write::{Milliseconds, cut};

/// Whether a file's name says that it is an archive: `.warc`, `.arc`, `.wat` or `.wet`, with or without `.gz`.
pub fn is_archive_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    [".warc", ".arc", ".wat", ".wet"]
        .iter()
        .any(|extension| name.ends_with(extension))
}
