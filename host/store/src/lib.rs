//! Where pages rest: reading WARC and ARC archives.
//!
//! - [`ArchiveReader`] gives the records of an archive one by one, in bounded memory, whatever state the file is in.
//! - [`HttpResponse`] splits the HTTP message that a record holds and undoes its codings, within limits.
//! - [`Timestamp`] is how files of this project write a moment.
//!
//! Archives come from strangers: a broken record is a [`ArchiveProblem`] in its place, never a panic, and the
//! reader goes on with the next record it can find.

mod archive;
mod headers;
mod http;
mod timestamp;

pub use archive::{
    ArchiveLimits, ArchiveProblem, ArchiveReader, ProblemKind, Record, RecordKind, is_archive_name,
};
pub use headers::Headers;
pub use http::{Decoded, HttpHead, HttpLimits, HttpProblem, HttpResponse, decode_content};
pub use timestamp::Timestamp;
