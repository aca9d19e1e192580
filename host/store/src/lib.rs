//! Where pages rest: the workspace, its archives, and what can be read out of both.
//!
//! - [`Workspace`] is a folder with a SQLite database and WARC archives. It is a [`Frontier`]: workers lease sites, take URLs and hand
//!   in what became of them; what is acknowledged survives a crash, and what is not leaves no trace.
//! - [`MemoryFrontier`] is the same without a disk.
//! - [`Reader`] looks into a workspace: why a URL was not fetched, what a page was, how much there is.
//! - [`ArchiveWriter`] writes WARC files; [`ArchiveReader`] gives the records of an archive one by one, in bounded memory, whatever
//!   state the file is in.
//! - [`export`](export()) writes pages, links and objects as JSONL, CSV or Parquet.
//! - [`HttpResponse`] splits the HTTP message that a record holds and undoes its codings, within limits.
//! - [`Timestamp`] is how files of this project write a moment.
//!
//! Nothing outside this crate names SQL. Archives come from strangers: a broken record is a [`ArchiveProblem`] in its place, never a
//! panic, and the reader goes on with the next record it can find.

mod archive;
mod error;
mod export;
mod frontier;
mod hand_in;
mod headers;
mod http;
mod read;
mod timestamp;
mod workspace;
mod writer;

pub use archive::{
    ArchiveLimits, ArchiveProblem, ArchiveReader, ArchiveSettings, ArchiveWriter, Compression, DocumentKind,
    Kept, Location, Original, PayloadDigest, ProblemKind, Record, RecordKind, Target, is_archive_name,
};
pub use error::StoreError;
pub use export::{Column, ColumnKind, ExportFormat, Exported, Table, columns, columns_page, export};
pub use frontier::{
    Counts, Frontier, KnownSet, LastAnswer, Lease, LeaseRequest, MemoryFrontier, Offer, Pending, Settled,
    Standing, UrlState,
};
pub use hand_in::{
    Component, Exchange, Extraction, FoundObject, HandIn, Hint, Host, Link, LinkList, Page, PageId, Receipt,
    Robots, RunId, SiteId, Truncated, UrlId,
};
pub use headers::Headers;
pub use http::{Decoded, HttpHead, HttpLimits, HttpProblem, HttpResponse, decode_content};
pub use read::{
    ComponentTotals, Explained, ExtractionRow, FoundOn, KeptAnswer, ObjectRow, PageRow, Reader, Replayed,
    RunRow, SiteRow, Status, read_archived,
};
pub use timestamp::Timestamp;
pub use workspace::{
    BatchLimits, Cookie, OnCommit, OnDamage, Recovery, Verified, Workspace, WorkspaceOptions, schema_page,
};
