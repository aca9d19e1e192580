//! The pages in a WARC or ARC file.

use std::fs::File;
use std::io;
use std::path::Path;

use magpie_http::HttpLimits;
use magpie_page::PageSource;
use magpie_warc::{ArchiveReader, Record, RecordKind};
use url::Url;

use crate::causes::with_causes;
use crate::fetch::headers_of_decoded;

use super::{Named, What};

/// Number of bytes of a body that are checked to distinguish text from other data.
const SNIFFED: usize = 512;

pub(super) struct Archive {
    name: String,
    reader: ArchiveReader<File>,
}

impl Archive {
    pub(super) fn open(name: &str) -> io::Result<Archive> {
        Ok(Archive {
            name: name.to_owned(),
            reader: ArchiveReader::open(Path::new(name))?,
        })
    }

    /// Returns the next record whose head is that of a page.
    pub(super) fn next(&mut self) -> Option<Named> {
        loop {
            match self.reader.next()? {
                Ok(record) if is_page(&record) => {
                    return Some((record.target.clone(), What::Record(Box::new(record))));
                }
                Ok(_) => {}
                Err(problem) => return Some((self.name.clone(), What::Problem(with_causes(&problem)))),
            }
        }
    }
}

/// Makes a page of a record: undoes the codings of its response.
pub(super) fn load(record: Record) -> Result<PageSource, String> {
    let url =
        Url::parse(&record.target).map_err(|error| format!("the record's target is not a URL ({error})"))?;
    let fetched_at = record.date.ok_or("the record has no date")?;
    // A resource was stored without a response, so the archive has no status for it.
    if record.kind != RecordKind::Response {
        let content_type = record
            .content_type()
            .map(|value| ("content-type".to_owned(), value.to_owned()));
        let headers = content_type.into_iter().collect();
        return Ok(PageSource {
            url,
            status: 200,
            headers,
            fetched_at,
            body: record.block.into(),
        });
    }
    let response = record
        .http_response(&HttpLimits::default())
        .map_err(|problem| with_causes(&problem))?;
    if let Some(problem) = response.problem.filter(magpie_http::HttpProblem::spoils_body) {
        return Err(with_causes(&problem));
    }
    let headers = headers_of_decoded(response.headers);
    Ok(PageSource {
        url,
        status: response.status,
        headers,
        fetched_at,
        body: response.body.into(),
    })
}

/// Returns true if a record is a page: a successful response, or a resource, of the web, with text
/// in it.
fn is_page(record: &Record) -> bool {
    let scheme = record
        .target
        .split(':')
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    if scheme != "http" && scheme != "https" {
        return false;
    }
    match record.kind {
        RecordKind::Response => is_good_text_response(&record.block),
        RecordKind::Resource => is_text(record.content_type(), &record.block),
        _ => false,
    }
}

/// Looks at the head alone: the one who pulls is not to inflate bodies.
fn is_good_text_response(block: &[u8]) -> bool {
    let limits = HttpLimits {
        body_bytes: 0,
        ..HttpLimits::default()
    };
    let Ok(head) = magpie_http::HttpHead::parse(block, &limits) else {
        return false;
    };
    // Compressed bytes contain zeros even if the text does not, so they can't decide.
    let coded = head.headers.get("content-encoding").is_some();
    let body = &block[head.length..];
    (200..300).contains(&head.status)
        && !body.is_empty()
        && is_text(head.headers.get("content-type"), if coded { b"" } else { body })
}

/// Returns true for text, by its media type, or without one by its first bytes. Style sheets and
/// scripts are not pages.
fn is_text(content_type: Option<&str>, body: &[u8]) -> bool {
    let kind = content_type
        .unwrap_or_default()
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase();
    if kind.is_empty() {
        return !body[..body.len().min(SNIFFED)].contains(&0);
    }
    let script = kind.contains("javascript") || kind.contains("ecmascript") || kind == "text/css";
    let text = kind.starts_with("text/")
        || matches!(
            kind.as_str(),
            "application/json" | "application/xml" | "application/xhtml+xml"
        )
        || kind.ends_with("+json")
        // `image/svg+xml` is XML, but an image.
        || (kind.ends_with("+xml") && !kind.starts_with("image/"));
    text && !script
}
