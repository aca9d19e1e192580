//! The words in which archives are written about.

use ring::digest::{SHA256, digest};

use crate::Truncated;
use magpie_values::Timestamp;

#[derive(Clone, Debug)]
pub struct ArchiveSettings {
    /// Size at which the next record begins another file. The guidelines of archives recommend 1
    /// GB.
    pub file_bytes: u64,
    pub compression: Compression,
    /// Adds a digest of the whole block to responses, beside that of their payload. Gzip has a
    /// checksum of its own and a second digest costs 25 µs for a page of 31 KB, so it is off; small
    /// records always have it.
    pub block_digests: bool,
    /// The program, for the record at the beginning of every file: `magpie/0.1.0`.
    pub software: String,
    /// Description of the crawl for the `warcinfo` record, as `name: value` pairs: `operator`,
    /// `http-header-user-agent`, `isPartOf`.
    pub description: Vec<(String, String)>,
}

impl Default for ArchiveSettings {
    fn default() -> Self {
        ArchiveSettings {
            file_bytes: 1_000_000_000,
            compression: Compression::Fast,
            block_digests: false,
            software: format!("magpie/{}", env!("CARGO_PKG_VERSION")),
            description: Vec::new(),
        }
    }
}

/// Compression of records. A compressed body is never compressed again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// Gzip members without compression: three times the room.
    Stored,
    /// libdeflate at level 1.
    Fast,
    /// libdeflate at level 6: a twentieth smaller, for more than twice the time.
    Small,
}

/// Location of a record in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location {
    /// Start of its gzip member.
    pub offset: u64,
    /// Length of that member in bytes.
    pub length: u64,
}

/// The SHA-256 of a payload: a body as it came, content coding and all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PayloadDigest(pub [u8; 32]);

impl PayloadDigest {
    pub fn of(payload: &[u8]) -> PayloadDigest {
        let mut bytes = [0; 32];
        bytes.copy_from_slice(digest(&SHA256, payload).as_ref());
        PayloadDigest(bytes)
    }
}

/// The kept part of a response.
#[derive(Clone, Copy, Debug)]
pub enum Kept<'a> {
    Whole,
    /// Its head; the body is the same as that of an older record.
    SameBody(Original<'a>),
    /// Its head; the server said that nothing has changed since an older record.
    NotModified(Original<'a>),
}

/// The older record that has the body.
#[derive(Clone, Copy, Debug)]
pub struct Original<'a> {
    pub url: &'a str,
    /// Its date, in milliseconds since 1970.
    pub date: Timestamp,
    /// The digest of its payload, where it is known.
    pub digest: Option<PayloadDigest>,
}

#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// The URL asked for, without credentials.
    pub url: &'a str,
    pub date: Timestamp,
}

impl Truncated {
    /// Parses the word in a record.
    pub fn of(word: &str) -> Truncated {
        let all = [Truncated::Length, Truncated::Time, Truncated::Disconnect];
        let known = all.into_iter().find(|truncated| truncated.word() == word);
        known.unwrap_or(Truncated::Unspecified)
    }

    /// The word that records have for it.
    pub fn word(self) -> &'static str {
        match self {
            Truncated::Length => "length",
            Truncated::Time => "time",
            Truncated::Disconnect => "disconnect",
            Truncated::Unspecified => "unspecified",
        }
    }
}
