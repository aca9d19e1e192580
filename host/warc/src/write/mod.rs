//! Writing WARC 1.1 files, one gzip member for each record.

mod file;
mod message;
mod pack;
mod record;
mod terms;

pub use file::{ArchiveWriter, cut, sync_folder};
pub use terms::{ArchiveSettings, Compression, Kept, Location, Original, PayloadDigest, Target};
