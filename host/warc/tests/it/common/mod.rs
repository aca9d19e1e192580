//! Builds archives byte by byte.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use magpie_warc::{ArchiveReader, RecordKind};

/// A response record of a page.
pub(crate) fn response(target: &str, body: &str) -> Vec<u8> {
    let message = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{body}");
    record("response", target, message.as_bytes())
}

/// A record of any type.
pub(crate) fn record(kind: &str, target: &str, block: &[u8]) -> Vec<u8> {
    let mut bytes = format!(
        "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {target}\r\nWARC-Date: 2020-05-06T07:08:09Z\r\n\
         Content-Length: {}\r\n\r\n",
        block.len()
    )
    .into_bytes();
    bytes.extend_from_slice(block);
    bytes.extend_from_slice(b"\r\n\r\n");
    bytes
}

/// One gzip member.
pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).expect("bytes are compressed");
    encoder.finish().expect("the member ends")
}

/// Outlines the output of a reader: the target of each record, with `!` if it has a problem, and
/// `?` for a problem without a record.
pub(crate) fn outline(bytes: &[u8]) -> Vec<String> {
    ArchiveReader::new(bytes)
        .map(|item| match item {
            Ok(record) if record.problem.is_some() => format!("{}!", record.target),
            Ok(record) => record.target,
            Err(_) => "?".to_owned(),
        })
        .collect()
}

/// Counts the records of each kind, and the problems, of records or beside them.
pub(crate) fn counts(
    reader: impl Iterator<Item = Result<magpie_warc::Record, magpie_warc::ArchiveProblem>>,
) -> [usize; 9] {
    let mut counts = [0; 9];
    for item in reader {
        let Ok(record) = item else {
            counts[8] += 1;
            continue;
        };
        counts[8] += usize::from(record.problem.is_some());
        counts[match record.kind {
            RecordKind::Info => 0,
            RecordKind::Response => 1,
            RecordKind::Request => 2,
            RecordKind::Metadata => 3,
            RecordKind::Resource => 4,
            RecordKind::Revisit => 5,
            RecordKind::Conversion => 6,
            RecordKind::Continuation | RecordKind::Other(_) => 7,
        }] += 1;
    }
    counts
}
