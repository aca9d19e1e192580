//! Reading of existing archives.

use std::io::Read;

use magpie_http::HttpLimits;
use magpie_warc::{ArchiveLimits, ArchiveProblem, ArchiveReader, Record};

const LIMITS: ArchiveLimits = ArchiveLimits {
    block_bytes: 16 * 1024,
    header_bytes: 2 * 1024,
    header_fields: 30,
};

/// Maximum number of records to which a fuzzer's few kilobytes may inflate.
const MAX_RECORDS: usize = 1_000_000;

/// Checks that records stay within the limits, and that neither read sizes nor compression change
/// them.
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
    // For a broken stream, the result depends on how much was decompressed before the error.
    let breaks = |items: &[String]| items.iter().any(|item| item.contains("BrokenGzip"));
    if breaks(&described) || breaks(&in_pieces) {
        return;
    }
    assert_eq!(described, in_pieces);
    if !data.starts_with(&crate::GZIP_MAGIC) {
        let packed = read(&crate::gzip(data)[..]);
        assert_eq!(
            packed.iter().map(describe).collect::<Vec<_>>(),
            whole.iter().map(describe).collect::<Vec<_>>()
        );
    }
}

fn read(bytes: impl Read) -> Vec<Result<Record, ArchiveProblem>> {
    let records: Vec<_> = ArchiveReader::with_limits(bytes, LIMITS)
        .take(MAX_RECORDS)
        .collect();
    assert!(records.len() < MAX_RECORDS, "reading comes to an end");
    records
}

/// Describes a record without its position in the file.
fn describe(item: &Result<Record, ArchiveProblem>) -> String {
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

/// A reader that returns a few bytes at a time.
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
