//! Finds the records in an archive.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use magpie_http::{Headers, text, without_line_end};
use magpie_values::Timestamp;

use crate::arc::ArcLine;
use crate::source::{Fill, Source};
use crate::{ArchiveError, ArchiveProblem, Location, ProblemKind, Record, RecordKind};

/// Limits for one record.
#[derive(Clone, Copy, Debug)]
pub struct ArchiveLimits {
    /// The bytes of a block that are kept. More are passed over and the record says so.
    pub block_bytes: u64,
    /// The bytes of a record's header.
    pub header_bytes: usize,
    /// The fields of a record's header.
    pub header_fields: usize,
}

impl Default for ArchiveLimits {
    /// A web page is far smaller than the block; the largest blocks are films. Headers of real
    /// records have under 2 KB and 20 fields, but a target may be a long `data:` URL.
    fn default() -> Self {
        ArchiveLimits {
            block_bytes: 64 * 1024 * 1024,
            header_bytes: 256 * 1024,
            header_fields: 500,
        }
    }
}

/// Returns the records of an archive in order, with problems in their places. After a problem it
/// continues with the next record it can find; it ends at the end of the file.
pub struct ArchiveReader<R> {
    source: Source<R>,
    limits: ArchiveLimits,
    /// Format of the first record; lines of the other format are then data.
    format: Option<Format>,
    /// A record whose first line was found while bytes before it had to be reported.
    found: Option<Start>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Warc,
    Arc,
}

/// The first line of a record.
struct Start {
    offset: u64,
    line: StartLine,
}

enum StartLine {
    Warc,
    Arc(ArcLine),
}

/// The end of reading a line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LineEnd {
    Whole,
    TooLong,
    Break,
    End,
}

/// A header block, before its record's block was read.
struct Head {
    kind: RecordKind,
    target: String,
    date: Option<Timestamp>,
    headers: Headers,
}

impl ArchiveReader<File> {
    pub fn open(path: &Path) -> std::io::Result<ArchiveReader<File>> {
        Ok(ArchiveReader::new(File::open(path)?))
    }
}

impl<R: Read> ArchiveReader<R> {
    /// Reads from anything; whether it is gzip shows in its first bytes.
    pub fn new(inner: R) -> ArchiveReader<R> {
        ArchiveReader::with_limits(inner, ArchiveLimits::default())
    }

    /// The same with other limits.
    pub fn with_limits(inner: R, limits: ArchiveLimits) -> ArchiveReader<R> {
        ArchiveReader {
            source: Source::new(inner),
            limits,
            format: None,
            found: None,
        }
    }

    fn problem(&self, offset: u64, kind: ProblemKind) -> ArchiveProblem {
        ArchiveProblem { offset, kind }
    }

    /// The problem of a [`Fill::Break`].
    fn break_problem(&mut self) -> Option<ArchiveProblem> {
        let kind = self.source.take_problem()?;
        Some(self.problem(self.source.position(), kind))
    }

    /// Finds the next first line of a record. Other bytes before it are a problem of their own.
    fn find_start(&mut self) -> Option<Result<Start, ArchiveProblem>> {
        if let Some(start) = self.found.take() {
            return Some(Ok(start));
        }
        let mut skipped = 0u64;
        let mut skipped_from = 0;
        let mut at_line_start = true;
        let mut line = Vec::new();
        loop {
            // Asked before the position is read, because a fill may move to another gzip member.
            if self.source.fill() == Fill::Break {
                return self.break_problem().map(Err);
            }
            let offset = self.source.position();
            let end = self.read_line(&mut line);
            if at_line_start && let Some(start) = self.start_line(&line) {
                let start = Start { offset, line: start };
                if skipped == 0 {
                    return Some(Ok(start));
                }
                self.found = Some(start);
                return Some(Err(
                    self.problem(skipped_from, ProblemKind::Skipped { bytes: skipped })
                ));
            }
            // Records are separated by empty lines, which are no loss.
            if !line.trim_ascii().is_empty() {
                if skipped == 0 {
                    skipped_from = offset;
                }
                skipped += line.len() as u64;
            }
            // The rest of a line that is too long begins no record, even if it looks like one.
            at_line_start = end != LineEnd::TooLong;
            if end == LineEnd::End {
                return self.nothing_more(skipped_from, skipped).map(Err);
            }
        }
    }

    fn nothing_more(&mut self, skipped_from: u64, skipped: u64) -> Option<ArchiveProblem> {
        if self.format.is_none() {
            // Said once: afterwards the reader only ends.
            self.format = Some(Format::Warc);
            return Some(self.problem(0, ProblemKind::NotAnArchive));
        }
        (skipped > 0).then(|| self.problem(skipped_from, ProblemKind::Skipped { bytes: skipped }))
    }

    /// Returns the kind of record that a line begins, if any.
    fn start_line(&mut self, line: &[u8]) -> Option<StartLine> {
        if self.format != Some(Format::Arc) && is_warc_version(line) {
            self.format = Some(Format::Warc);
            return Some(StartLine::Warc);
        }
        if self.format != Some(Format::Warc)
            && let Some(arc) = ArcLine::parse(without_line_end(line))
        {
            self.format = Some(Format::Arc);
            return Some(StartLine::Arc(arc));
        }
        None
    }

    /// Reads up to the end of the line, the limit, or a break; a break is reported by the next
    /// fill.
    fn read_line(&mut self, line: &mut Vec<u8>) -> LineEnd {
        line.clear();
        loop {
            match self.source.fill() {
                Fill::Data => {}
                Fill::Break => return LineEnd::Break,
                Fill::End => return LineEnd::End,
            }
            let chunk = self.source.chunk();
            // A file without line ends would otherwise be collected as one line.
            let room = self.limits.header_bytes.saturating_sub(line.len());
            let upto = memchr::memchr(b'\n', chunk).map_or(chunk.len(), |at| at + 1);
            line.extend_from_slice(&chunk[..upto.min(room)]);
            self.source.consume(upto.min(room));
            if line.last() == Some(&b'\n') {
                return LineEnd::Whole;
            }
            if line.len() >= self.limits.header_bytes {
                return LineEnd::TooLong;
            }
        }
    }

    fn read_warc_head(&mut self) -> Result<Headers, ProblemKind> {
        let mut headers = Headers::default();
        let mut bytes = 0;
        let mut line = Vec::new();
        loop {
            match self.read_line(&mut line) {
                LineEnd::Whole => {}
                LineEnd::TooLong => {
                    return Err(ProblemKind::HeaderTooLong {
                        limit: self.limits.header_bytes,
                    });
                }
                LineEnd::Break => {
                    return Err(self.source.take_problem().unwrap_or(ProblemKind::HeaderCutOff));
                }
                LineEnd::End => return Err(ProblemKind::HeaderCutOff),
            }
            bytes += line.len();
            let content = without_line_end(&line);
            if content.is_empty() {
                return Ok(headers);
            }
            headers.push_line(content);
            // Each line is limited by itself already. This bounds their sum.
            if bytes > self.limits.header_bytes {
                return Err(ProblemKind::HeaderTooLong {
                    limit: self.limits.header_bytes,
                });
            }
            if headers.len() > self.limits.header_fields {
                return Err(ProblemKind::TooManyFields {
                    limit: self.limits.header_fields,
                });
            }
        }
    }

    fn read_record(&mut self, start: Start) -> Result<Record, ArchiveProblem> {
        let offset = start.offset;
        match start.line {
            StartLine::Warc => {
                let headers = self.read_warc_head().map_err(|kind| self.problem(offset, kind))?;
                let length = content_length(headers.get("Content-Length"));
                let length = length.map_err(|kind| self.problem(offset, kind))?;
                let (block, problem) = self.read_block(length);
                Ok(warc_head(headers).into_record(block, offset, problem))
            }
            StartLine::Arc(line) => {
                // An ARC line says enough to be worth a record without its block.
                let (length, unknown) = match content_length(Some(&line.length)) {
                    Ok(length) => (length, None),
                    Err(problem) => (0, Some(problem)),
                };
                let (block, problem) = self.read_block(length);
                let head = Head {
                    kind: line.kind(&block),
                    target: line.target,
                    date: line.date,
                    headers: line.headers,
                };
                Ok(head.into_record(block, offset, unknown.or(problem)))
            }
        }
    }

    /// Reads a block of a stated length, as far as it is there. No memory is reserved for bytes
    /// that have not arrived.
    fn read_block(&mut self, length: u64) -> (Vec<u8>, Option<ProblemKind>) {
        let mut block = Vec::new();
        let mut found = 0;
        while found < length {
            // A length that is too large would otherwise swallow the records that follow.
            if self.source.fill() != Fill::Data || self.next_record_begins() {
                let cause = self
                    .source
                    .take_problem()
                    .filter(|cause| matches!(cause, ProblemKind::Io(_)));
                let cut_off = ProblemKind::CutOff {
                    expected: length,
                    found,
                };
                return (block, Some(cause.unwrap_or(cut_off)));
            }
            let chunk = self.source.chunk();
            let take = (chunk.len() as u64).min(length - found);
            // Bytes beyond the limit are read but not kept, so that the next record is found.
            let keep = take.min(self.limits.block_bytes.saturating_sub(found));
            block.extend_from_slice(&chunk[..as_index(keep)]);
            self.source.consume(as_index(take));
            found += take;
        }
        let limit = self.limits.block_bytes;
        (
            block,
            (length > limit).then_some(ProblemKind::TooLarge {
                expected: length,
                limit,
            }),
        )
    }

    /// Returns true if another record begins inside a block, in a new gzip member, so that the
    /// block is cut off. A member that continues the block begins differently.
    fn next_record_begins(&mut self) -> bool {
        if !self.source.at_member_start() {
            return false;
        }
        let chunk = self.source.chunk();
        let upto = memchr::memchr(b'\n', chunk).unwrap_or(chunk.len());
        let line = &chunk[..upto];
        match self.format {
            Some(Format::Arc) => ArcLine::parse(line).is_some(),
            _ => is_warc_version(line),
        }
    }
}

impl<R: Read> Iterator for ArchiveReader<R> {
    type Item = Result<Record, ArchiveProblem>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.find_start()? {
            Ok(start) => Some(self.read_record(start)),
            Err(problem) => Some(Err(problem)),
        }
    }
}

impl Head {
    fn into_record(self, block: Vec<u8>, offset: u64, problem: Option<ProblemKind>) -> Record {
        let Head {
            kind,
            target,
            date,
            headers,
        } = self;
        Record {
            kind,
            target,
            date,
            headers,
            block,
            offset,
            problem,
        }
    }
}

fn warc_head(headers: Headers) -> Head {
    let target = headers.get("WARC-Target-URI").unwrap_or_default();
    // Some writers took the angle brackets of the standard's grammar for part of the URI.
    let bare = target
        .strip_prefix('<')
        .and_then(|rest| rest.strip_suffix('>'))
        .unwrap_or(target);
    Head {
        kind: RecordKind::parse(headers.get("WARC-Type").unwrap_or_default()),
        target: bare.to_owned(),
        date: headers.get("WARC-Date").and_then(Timestamp::parse),
        headers,
    }
}

/// `WARC/1.0` and its like, with nothing else in the line.
fn is_warc_version(line: &[u8]) -> bool {
    let Some(version) = line.strip_prefix(b"WARC/") else {
        return false;
    };
    let version = version.trim_ascii_end();
    version.contains(&b'.')
        && version.len() <= MAX_VERSION_LEN
        && version.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.')
}

/// `0.17` and `1.1` are known; a little room for what comes.
const MAX_VERSION_LEN: usize = 8;

fn content_length(value: Option<&str>) -> Result<u64, ProblemKind> {
    let value = value.unwrap_or_default().trim();
    // The parser of numbers would also accept a plus sign.
    let plain = value.bytes().all(|byte| byte.is_ascii_digit());
    let length = if plain { value.parse().ok() } else { None };
    length.ok_or_else(|| ProblemKind::BadLength {
        found: shortened(value),
    })
}

/// A stranger's text, short enough for a sentence.
fn shortened(value: &str) -> String {
    const LONGEST: usize = 40;
    text(&value.as_bytes()[..value.floor_char_boundary(LONGEST)])
}

/// For counts that were taken from the length of a slice.
fn as_index(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

/// Reads the record at a place of an archive, and nothing else of the file.
pub fn read_archived(path: &Path, location: Location) -> Result<Record, ArchiveError> {
    let failed = |error| ArchiveError::file("can't read", path, error);
    let mut file = File::open(path).map_err(failed)?;
    file.seek(SeekFrom::Start(location.offset)).map_err(failed)?;
    read_record(file.take(location.length), path, location)
}

/// Reads the record in the bytes of a location. The path is for errors.
pub fn read_record(bytes: impl Read, path: &Path, location: Location) -> Result<Record, ArchiveError> {
    let bad = |detail: String| ArchiveError::BadRecord {
        file: path.to_owned(),
        offset: location.offset,
        detail,
    };
    let mut records = ArchiveReader::new(bytes);
    let mut record = match records.next() {
        None => return Err(bad("nothing is there".to_owned())),
        Some(Err(problem)) => return Err(bad(problem.kind.to_string())),
        Some(Ok(record)) => record,
    };
    // A damaged record at a recorded place is an error: the file is no longer as it was written.
    if let Some(problem) = &record.problem {
        return Err(bad(problem.to_string()));
    }
    if !matches!(
        record.kind,
        RecordKind::Response
            | RecordKind::Revisit
            | RecordKind::Resource
            | RecordKind::Metadata
            | RecordKind::Conversion
    ) {
        return Err(bad(format!("a record of the kind {:?} is there", record.kind)));
    }
    // The reader counts from the place at which it began.
    record.offset += location.offset;
    Ok(record)
}
