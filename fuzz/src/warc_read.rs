//! Archives as they are found.

use std::io::Read;

use magpie_http::HttpLimits;
use magpie_warc::{ArchiveLimits, ArchiveProblem, ArchiveReader, Record};

const LIMITS: ArchiveLimits = ArchiveLimits {
    block_bytes: 16 * 1024,
    header_bytes: 2 * 1024,
    header_fields: 30,
};

/// What a fuzzer's few kilobytes may inflate to.
const MOST_RECORDS: usize = 1_000_000;

/// Records stay within the limits, and are the same however the bytes arrive and whether they are compressed.
pub fn check(data: &[u8]) {
    let whole = read(data);
    for record in whole.iter().flatten() {
        assert!(record.block.len() as u64 <= LIMITS.block_bytes);
        assert!(record.headers.len() <= LIMITS.header_fields);
        let limits = HttpLimits {
            body_bytes: 64 * 1024,
            ..HttpLimits::default()
        };
        if let Ok(response) = record.http_response(&limits) {
            assert!(response.body.len() <= limits.body_bytes);
        }
    }
    let described: Vec<String> = whole.iter().map(|item| format!("{item:?}")).collect();
    let in_pieces = read(Pieces {
        rest: data,
        length: data.len() % 7 + 1,
    });
    let in_pieces: Vec<String> = in_pieces.iter().map(|item| format!("{item:?}")).collect();
    // Of a stream that breaks, so much is had as was unpacked when that was noticed.
    let breaks = |items: &[String]| items.iter().any(|item| item.contains("BrokenGzip"));
    if breaks(&described) || breaks(&in_pieces) {
        return;
    }
    assert_eq!(described, in_pieces);
    if !data.starts_with(&crate::GZIP_MAGIC) {
        let packed = read(&crate::gzip(data)[..]);
        assert_eq!(
            packed.iter().map(said).collect::<Vec<_>>(),
            whole.iter().map(said).collect::<Vec<_>>()
        );
    }
}

fn read(bytes: impl Read) -> Vec<Result<Record, ArchiveProblem>> {
    let records: Vec<_> = ArchiveReader::with_limits(bytes, LIMITS)
        .take(MOST_RECORDS)
        .collect();
    assert!(records.len() < MOST_RECORDS, "reading comes to an end");
    records
}

/// All of a record but where it stands.
fn said(item: &Result<Record, ArchiveProblem>) -> String {
    let record = match item {
        Ok(record) => record,
        Err(problem) => return format!("{:?}", problem.kind),
    };
    let Record {
        kind,
        target,
        date,
        headers,
        block,
        problem,
        ..
    } = record;
    format!("{kind:?} {target:?} {date:?} {headers:?} {block:?} {problem:?}")
}

/// A file that gives a few bytes at a time.
struct Pieces<'d> {
    rest: &'d [u8],
    length: usize,
}

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let length = self.length.min(buffer.len());
        let (now, mut later) = self.rest.split_at(length.min(self.rest.len()));
        let read = (&mut &*now).read(buffer)?;
        std::mem::swap(&mut self.rest, &mut later);
        Ok(read)
    }
}
