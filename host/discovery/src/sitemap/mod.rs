//! Sitemaps and feeds: URLs that a site names itself, with hints about changes.
//!
//! XML sitemaps and their indexes, plain text lists, RSS, Atom and JSON Feed, each optionally
//! compressed with gzip. Problems of a file are recorded, and the readable part counts.

mod inflate;
mod json;
mod text;
mod walk;
mod xml;

use magpie_values::Timestamp;
use std::borrow::Cow;

pub use walk::{SitemapRefusal, SitemapWalk, WalkLimits};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SitemapLimits {
    /// Bytes after inflation.
    pub max_bytes: usize,
    /// Maximum number of entries that are returned.
    pub max_entries: usize,
}

impl Default for SitemapLimits {
    /// The limits of the sitemap protocol.
    fn default() -> Self {
        SitemapLimits {
            max_bytes: 50 * 1024 * 1024,
            max_entries: 50_000,
        }
    }
}

/// Bytes of one URL that are read. Scope is stricter; this one bounds memory.
const MAX_LOCATION_LEN: usize = 8 * 1024;

/// The media types of feeds.
const FEEDS: [&str; 4] = [
    "application/rss+xml",
    "application/atom+xml",
    "application/feed+json",
    "application/rdf+xml",
];

/// Problems of one file that are recorded; a broken generator repeats itself.
const MAX_PROBLEMS: usize = 20;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SitemapKind {
    /// A list of pages.
    UrlSet,
    /// A list of sitemaps.
    Index,
    /// RSS of any version.
    Rss,
    Atom,
    /// A feed in the format JSON Feed.
    JsonFeed,
    /// One URL per line.
    Text,
    /// Nothing we know.
    #[default]
    Unknown,
}

impl SitemapKind {
    /// Returns true for a feed: it lists new pages, with the time when they appeared rather than
    /// changed.
    pub fn is_feed(self) -> bool {
        matches!(self, SitemapKind::Rss | SitemapKind::Atom | SitemapKind::JsonFeed)
    }
}

/// Returns true if a media type is that of a feed, regardless of parameters. Feeds also come as
/// `application/xml` and `application/json`, like many other files.
pub fn is_feed(media_type: &str) -> bool {
    let essence = media_type.split(';').next().unwrap_or_default().trim();
    FEEDS.iter().any(|feed| essence.eq_ignore_ascii_case(feed))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChangeFrequency {
    Always,
    Hourly,
    Daily,
    Weekly,
    Monthly,
    Yearly,
    Never,
}

/// One URL that a sitemap names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SitemapEntry {
    /// The URL as written, without surrounding white space. Not yet resolved, judged or canonical.
    pub location: String,
    /// When it changed last, in seconds since 1970, if that is stated and can be read.
    pub last_modified: Option<Timestamp>,
    pub change_frequency: Option<ChangeFrequency>,
    /// The stated importance, from 0 to 1.
    pub priority: Option<f32>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sitemap {
    pub kind: SitemapKind,
    /// The URLs it names, in order.
    pub entries: Vec<SitemapEntry>,
    pub problems: Vec<SitemapProblem>,
}

/// Something that is wrong with a sitemap.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SitemapProblem {
    /// Compressed data that ends too early or is broken.
    #[error("the compressed data is corrupt after {0} bytes of text")]
    BrokenGzip(usize),
    #[error("the sitemap has more than {0} bytes; the rest was not read")]
    TooLong(usize),
    #[error("the sitemap has more than {0} entries; the rest was not read")]
    TooManyEntries(usize),
    /// Neither XML that we know nor a list of URLs.
    #[error("not a sitemap: {0}")]
    NotASitemap(&'static str),
    /// XML that cannot be read further.
    #[error("invalid XML at byte {at}: {reason}")]
    BrokenXml {
        /// The position in the decoded text, in bytes.
        at: u64,
        reason: String,
    },
    #[error("invalid JSON: {0}")]
    BrokenJson(String),
    /// An entity that XML does not define by itself. None is ever expanded.
    #[error("the entity {0} was dropped; only the predefined entities of XML are supported")]
    Entity(String),
    /// An entry without a URL.
    #[error("entry {0} has no URL")]
    NoLocation(usize),
    /// A URL that is too long to be one.
    #[error("the URL of entry {0} is too long")]
    LongLocation(usize),
    /// A date that cannot be read.
    #[error("entry {entry} has the invalid date {written:?}")]
    BadDate {
        /// The number of the entry, counted from 1.
        entry: usize,
        /// The value as written.
        written: String,
    },
    /// A line that is not a URL.
    #[error("line {0} is not a URL")]
    BadLine(usize),
}

impl Sitemap {
    fn problem(&mut self, problem: SitemapProblem) {
        if self.problems.len() < MAX_PROBLEMS && !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }
}

/// Reads a sitemap or feed. Never fails.
pub fn read(bytes: &[u8], limits: &SitemapLimits) -> Sitemap {
    let mut sitemap = Sitemap::default();
    let bytes = inflate::inflate(bytes, limits.max_bytes, &mut sitemap);
    let bytes = match bytes.len() > limits.max_bytes {
        true => {
            sitemap.problem(SitemapProblem::TooLong(limits.max_bytes));
            &bytes[..limits.max_bytes]
        }
        false => &bytes[..],
    };
    let text = decode(bytes);
    let start = text.trim_start();
    if start.starts_with('<') {
        xml::read(start, limits, &mut sitemap);
    } else if start.starts_with('{') {
        json::read(start, limits, &mut sitemap);
    } else {
        text::read(&text, limits, &mut sitemap);
    }
    sitemap
}

/// Bytes at the start in which XML declares its encoding.
const DECLARATION: usize = 256;

/// Decodes text by its byte order mark or its XML declaration; as UTF-8 if it has neither.
fn decode(bytes: &[u8]) -> Cow<'_, str> {
    if let Some((encoding, length)) = encoding_rs::Encoding::for_bom(bytes) {
        return encoding.decode_without_bom_handling(&bytes[length..]).0;
    }
    let encoding = declared_encoding(bytes).unwrap_or(encoding_rs::UTF_8);
    encoding.decode_without_bom_handling(bytes).0
}

fn declared_encoding(bytes: &[u8]) -> Option<&'static encoding_rs::Encoding> {
    let start = &bytes[..bytes.len().min(DECLARATION)];
    // Every second byte is zero in UTF-16 without a mark.
    match start {
        [b'<', 0, ..] => return Some(encoding_rs::UTF_16LE),
        [0, b'<', ..] => return Some(encoding_rs::UTF_16BE),
        _ => {}
    }
    let declaration = start.trim_ascii_start().strip_prefix(b"<?xml")?;
    let declaration = &declaration[..memchr::memchr(b'>', declaration)?];
    let after = &declaration[memchr::memmem::find(declaration, b"encoding")? + "encoding".len()..];
    let quoted = after.trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    let (quote, rest) = quoted.split_first()?;
    let label = &rest[..memchr::memchr(*quote, rest)?];
    let encoding = encoding_rs::Encoding::for_label(label)?;
    // A declaration that could be read byte by byte is not in UTF-16, even if it claims so.
    Some(if encoding.is_ascii_compatible() {
        encoding
    } else {
        encoding_rs::UTF_8
    })
}
