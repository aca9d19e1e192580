//! The bytes of an archive, inflated where the file is gzip.

use std::io::{self, BufRead, Read};

use flate2::bufread::GzDecoder;

use crate::ProblemKind;
use crate::raw::{Raw, find_gzip};

/// Number of bytes to inflate at once. The first line of a record must be in one piece, so this
/// also bounds that line.
const CHUNK: usize = 64 * 1024;

/// Range in which a gzip member is searched in a file that begins as neither gzip nor text. A usual
/// record is smaller.
const LOOKAHEAD: usize = 256 * 1024;

/// Maximum number of times that broken gzip data sends the reader back to look for a skipped
/// member. Each time may inflate the same bytes again, and a malicious file could cause that at
/// every byte; after this limit the reader only goes forward.
const MAX_REWINDS: u32 = 1000;

/// The result of [`Source::fill`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fill {
    /// [`Source::chunk`] is not empty.
    Data,
    /// Bytes are lost here. [`Source::take_problem`] returns the reason and lets the reader
    /// continue. The next bytes do not continue the ones before.
    Break,
    End,
}

pub(crate) struct Source<R> {
    state: State<R>,
    chunk: Vec<u8>,
    start: usize,
    /// The chunk begins with the first byte of a gzip member or of the file, and nothing of it was
    /// consumed.
    fresh: bool,
    /// Position in the file of the member that is being inflated.
    member: u64,
    rewinds: u32,
    /// Error of the decoder after the available bytes.
    failure: Option<io::Error>,
    problem: Option<ProblemKind>,
}

enum State<R> {
    Unopened(Raw<R>),
    Plain(Raw<R>),
    Gzip(Box<GzDecoder<Raw<R>>>),
    Ended,
}

impl<R: Read> Source<R> {
    pub(crate) fn new(inner: R) -> Source<R> {
        Source {
            state: State::Unopened(Raw::new(inner)),
            chunk: Vec::new(),
            start: 0,
            fresh: false,
            member: 0,
            rewinds: 0,
            failure: None,
            problem: None,
        }
    }

    /// Makes sure that there are bytes to take, if any are left.
    pub(crate) fn fill(&mut self) -> Fill {
        if self.start < self.chunk.len() {
            return Fill::Data;
        }
        self.open();
        if self.problem.is_some() {
            return Fill::Break;
        }
        self.start = 0;
        self.chunk.clear();
        match std::mem::replace(&mut self.state, State::Ended) {
            State::Plain(raw) => self.fill_plain(raw),
            State::Gzip(decoder) => self.fill_gzip(decoder),
            State::Unopened(_) | State::Ended => Fill::End,
        }
    }

    pub(crate) fn chunk(&self) -> &[u8] {
        &self.chunk[self.start..]
    }

    pub(crate) fn consume(&mut self, count: usize) {
        self.start = self.chunk.len().min(self.start + count);
        self.fresh &= count == 0;
    }

    /// Returns true if the chunk is the beginning of a gzip member.
    pub(crate) fn at_member_start(&self) -> bool {
        self.fresh && matches!(self.state, State::Gzip(_))
    }

    /// Position in the file of the current bytes, or of the gzip member that contains them.
    pub(crate) fn position(&self) -> u64 {
        match &self.state {
            State::Plain(raw) => raw.position() - self.chunk().len() as u64,
            _ => self.member,
        }
    }

    /// Returns the reason for lost bytes, once.
    pub(crate) fn take_problem(&mut self) -> Option<ProblemKind> {
        self.problem.take()
    }

    /// Decides what the file is. Gzip data whose very beginning is damaged is gzip nevertheless.
    fn open(&mut self) {
        if let State::Unopened(_) = self.state
            && let State::Unopened(mut raw) = std::mem::replace(&mut self.state, State::Ended)
        {
            self.fresh = true;
            self.state = if raw.peek(2) == [0x1f, 0x8b] {
                State::Gzip(Box::new(GzDecoder::new(raw)))
            } else if !begins_as_text(raw.peek(LOOKAHEAD))
                && let Some(at) = find_gzip(raw.peek(LOOKAHEAD))
            {
                self.problem = Some(ProblemKind::BrokenGzip {
                    detail: "bytes before its members".to_owned(),
                });
                raw.consume(at);
                self.member = raw.position();
                State::Gzip(Box::new(GzDecoder::new(raw)))
            } else {
                State::Plain(raw)
            };
        }
    }

    fn fill_plain(&mut self, mut raw: Raw<R>) -> Fill {
        self.chunk.resize(CHUNK, 0);
        // `Raw` keeps its errors to itself and reports the end of the file.
        let count = raw.read(&mut self.chunk).unwrap_or(0);
        self.chunk.truncate(count);
        if count == 0 {
            return self.end(raw);
        }
        self.state = State::Plain(raw);
        Fill::Data
    }

    fn fill_gzip(&mut self, mut decoder: Box<GzDecoder<Raw<R>>>) -> Fill {
        if let Some(error) = self.failure.take() {
            // Bytes before the error have been returned by the previous call. Only now are they
            // used up.
            return self.recover(decoder.into_inner(), &error.to_string());
        }
        loop {
            match self.inflate(&mut decoder) {
                Ok(()) if self.chunk.is_empty() => {}
                Ok(()) => {
                    self.state = State::Gzip(decoder);
                    return Fill::Data;
                }
                Err(error) => return self.recover(decoder.into_inner(), &error.to_string()),
            }
            // A decoder ends with its member, and the file may have any number of them.
            let mut raw = decoder.into_inner();
            match raw.peek(2) {
                [0x1f, 0x8b] => {
                    self.member = raw.position();
                    self.fresh = true;
                    decoder = Box::new(GzDecoder::new(raw));
                }
                [] => return self.end(raw),
                _ => return self.find_member(raw, "bytes between its members"),
            }
        }
    }

    /// Inflates the available data; at the beginning of a member at least the first line, which
    /// shows if a record begins. The file may have been read up to its middle.
    fn inflate(&mut self, decoder: &mut GzDecoder<Raw<R>>) -> io::Result<()> {
        self.chunk.resize(CHUNK, 0);
        let mut filled = 0;
        let outcome = loop {
            match decoder.read(&mut self.chunk[filled..]) {
                Ok(0) => break Ok(()),
                Ok(count) => filled += count,
                Err(error) if filled == 0 => break Err(error),
                Err(error) => {
                    self.failure = Some(error);
                    break Ok(());
                }
            }
            if !self.fresh || memchr::memchr(b'\n', &self.chunk[..filled]).is_some() {
                break Ok(());
            }
        };
        self.chunk.truncate(filled);
        outcome
    }

    /// Recovers from broken data: the next member may begin anywhere after the beginning of the
    /// broken one.
    fn recover(&mut self, mut raw: Raw<R>, detail: &str) -> Fill {
        if self.rewinds < MAX_REWINDS {
            self.rewinds += 1;
            raw.rewind(self.member + 1);
        }
        // Without a step forward the same broken member would be found again.
        if raw.position() == self.member {
            raw.consume(1);
        }
        self.find_member(raw, detail)
    }

    fn find_member(&mut self, mut raw: Raw<R>, detail: &str) -> Fill {
        self.problem = Some(ProblemKind::BrokenGzip {
            detail: detail.to_owned(),
        });
        if raw.seek_gzip() {
            self.member = raw.position();
            self.fresh = true;
            self.state = State::Gzip(Box::new(GzDecoder::new(raw)));
        } else {
            // A read error replaces the problem: the gzip data only ended because of it.
            self.end(raw);
        }
        Fill::Break
    }

    fn end(&mut self, mut raw: Raw<R>) -> Fill {
        match raw.take_failure() {
            Some(error) => {
                self.problem = Some(ProblemKind::Io(error));
                Fill::Break
            }
            None => Fill::End,
        }
    }
}

/// Returns true if the first line of a plain record is near, so that visible gzip data would belong
/// to a page.
fn begins_as_text(bytes: &[u8]) -> bool {
    memchr::memmem::find(bytes, b"WARC/").is_some() || memchr::memmem::find(bytes, b"filedesc:").is_some()
}
