//! One record of an archive.

use crate::ProblemKind;
use magpie_http::{Headers, HttpLimits, HttpProblem, HttpResponse};
use magpie_values::Timestamp;

#[derive(Debug)]
pub struct Record {
    pub kind: RecordKind,
    /// Target URI as in the archive, without the angle brackets of some writers. Empty if there is
    /// none.
    pub target: String,
    /// When it was made, in unix seconds.
    pub date: Option<Timestamp>,
    /// The header of the record. For ARC, the fields of its line under the names WARC has for them.
    pub headers: Headers,
    /// The part after the header: for a response, an HTTP message.
    pub block: Vec<u8>,
    /// Position of the record in the file, or of the gzip member that contains it.
    pub offset: u64,
    /// The problem of a record that is readable nevertheless.
    pub problem: Option<ProblemKind>,
}

impl Record {
    /// The HTTP response in the block, its codings undone.
    pub fn http_response(&self, limits: &HttpLimits) -> Result<HttpResponse, HttpProblem> {
        HttpResponse::parse(&self.block, limits)
    }

    /// The media type the record's header states for the block.
    pub fn content_type(&self) -> Option<&str> {
        self.headers.get("Content-Type")
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordKind {
    /// About the archive itself; the first line of an ARC file too.
    Info,
    /// The answer of a server, with its HTTP head.
    Response,
    /// Something that was not got by HTTP, or whose HTTP head was not kept.
    Resource,
    Request,
    /// About another record.
    Metadata,
    /// Says that a response is as it was; the body is elsewhere or nowhere.
    Revisit,
    /// Made from another record.
    Conversion,
    /// A further part of a record that was cut into parts. Parts are not put together.
    Continuation,
    /// A kind of a later standard.
    Other(String),
}

impl RecordKind {
    pub(crate) fn parse(text: &str) -> RecordKind {
        match text.trim().to_ascii_lowercase().as_str() {
            "warcinfo" => RecordKind::Info,
            "response" => RecordKind::Response,
            "resource" => RecordKind::Resource,
            "request" => RecordKind::Request,
            "metadata" => RecordKind::Metadata,
            "revisit" => RecordKind::Revisit,
            "conversion" => RecordKind::Conversion,
            "continuation" => RecordKind::Continuation,
            other => RecordKind::Other(other.to_owned()),
        }
    }
}
