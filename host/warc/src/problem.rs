//! Problems of an archive.

use std::io;

/// Something wrong with an archive, and where.
#[derive(Debug, thiserror::Error)]
#[error("at byte {offset}: {kind}")]
pub struct ArchiveProblem {
    /// Position in the file: of the record, or of the gzip member that contains it.
    pub offset: u64,
    #[source]
    pub kind: ProblemKind,
}

/// The problem of a part of an archive or of a record.
#[derive(Debug, thiserror::Error)]
pub enum ProblemKind {
    /// No record in the whole file.
    #[error("not a WARC or ARC file: it has no records")]
    NotAnArchive,
    /// Bytes that belong to no record.
    #[error("skipped {bytes} bytes that are not a record")]
    Skipped { bytes: u64 },
    /// A gzip member that can't be inflated.
    #[error("the gzip data is corrupt ({detail}); reading continues after it")]
    BrokenGzip {
        /// The message of the decoder.
        detail: String,
    },
    /// The header block of a record is larger than the limit.
    #[error("a record's header is longer than {limit} bytes")]
    HeaderTooLong { limit: usize },
    /// The header block of a record has more fields than the limit.
    #[error("a record's header has more than {limit} fields")]
    TooManyFields { limit: usize },
    /// The file or the gzip member ends inside a header block.
    #[error("a record's header is truncated")]
    HeaderCutOff,
    /// A record that does not say how long it is.
    #[error("a record has no usable Content-Length ({found:?})")]
    BadLength { found: String },
    /// The file or gzip member ends inside a record.
    #[error("the record is truncated: it has {found} of its {expected} bytes")]
    CutOff { expected: u64, found: u64 },
    /// A record larger than the limit: only its beginning was kept.
    #[error("the record has {expected} bytes, {limit} were kept")]
    TooLarge { expected: u64, limit: u64 },
    /// The file could not be read further.
    #[error("the file can't be read further")]
    Io(#[source] io::Error),
}
