//! The file, read in pieces, with a buffer of the last piece so that the reader can go back a
//! little.

use std::io::{self, BufRead, Read};

/// Number of bytes to read at once.
const CHUNK: usize = 64 * 1024;

/// Number of bytes that the reader can go back. A decoder notices broken data late, when it has
/// already consumed the beginning of the next member; a usual record is smaller than this.
const HISTORY: usize = 256 * 1024;

/// Minimum size of a gzip header.
const GZIP_HEADER: usize = 10;

pub(crate) struct Raw<R> {
    inner: R,
    buffer: Vec<u8>,
    /// The next byte to give, in the buffer.
    start: usize,
    /// Position of the buffer in the file.
    base: u64,
    ended: bool,
    /// Error that ended the file early. Kept here because a decoder in between would lose it.
    failure: Option<io::Error>,
}

impl<R: Read> Raw<R> {
    pub(crate) fn new(inner: R) -> Raw<R> {
        Raw {
            inner,
            buffer: Vec::new(),
            start: 0,
            base: 0,
            ended: false,
            failure: None,
        }
    }

    /// Position of the next byte in the file.
    pub(crate) fn position(&self) -> u64 {
        self.base + self.start as u64
    }

    /// Goes back to a place, or as near to it as the memory reaches; never forward.
    pub(crate) fn rewind(&mut self, position: u64) {
        let start = usize::try_from(position.saturating_sub(self.base)).unwrap_or(usize::MAX);
        self.start = self.start.min(start);
    }

    /// The next bytes: as many as asked for, fewer only at the end of the file.
    pub(crate) fn peek(&mut self, count: usize) -> &[u8] {
        // The file may deliver fewer bytes than asked for at a time.
        while self.buffer.len() - self.start < count && self.read_more() {}
        let end = self.buffer.len().min(self.start + count);
        &self.buffer[self.start..end]
    }

    /// Skips to the next bytes that look like the beginning of a gzip member. Returns false at the
    /// end of the file.
    pub(crate) fn seek_gzip(&mut self) -> bool {
        loop {
            match memchr::memmem::find(&self.buffer[self.start..], &[0x1f, 0x8b, 8]) {
                Some(at) => {
                    self.start += at;
                    if is_gzip_header(self.peek(GZIP_HEADER)) {
                        return true;
                    }
                    // One byte, since the real header may begin within this false one.
                    self.start += 1;
                }
                None => {
                    // The mark may begin in the last two bytes.
                    self.start = self.start.max(self.buffer.len().saturating_sub(2));
                    if !self.read_more() {
                        self.start = self.buffer.len();
                        return false;
                    }
                }
            }
        }
    }

    /// The error that ended the reading, once.
    pub(crate) fn take_failure(&mut self) -> Option<io::Error> {
        self.failure.take()
    }

    /// Appends to the buffer, forgetting what lies too far back. False at the end.
    fn read_more(&mut self) -> bool {
        if self.ended {
            return false;
        }
        let forget = self.start.saturating_sub(HISTORY);
        // Moving the memory costs; it is done once for several pieces.
        if forget >= HISTORY {
            self.buffer.drain(..forget);
            self.base += forget as u64;
            self.start -= forget;
        }
        let filled = self.buffer.len();
        self.buffer.resize(filled + CHUNK, 0);
        let count = loop {
            match self.inner.read(&mut self.buffer[filled..]) {
                Ok(count) => break count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // Reported as the end of the file, so that the records before the error are still
                // returned.
                Err(error) => {
                    self.failure = Some(error);
                    break 0;
                }
            }
        };
        self.buffer.truncate(filled + count);
        self.ended = count == 0;
        !self.ended
    }
}

impl<R: Read> Read for Raw<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let available = self.fill_buf()?;
        let count = available.len().min(into.len());
        into[..count].copy_from_slice(&available[..count]);
        self.consume(count);
        Ok(count)
    }
}

impl<R: Read> BufRead for Raw<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.start == self.buffer.len() {
            self.read_more();
        }
        Ok(&self.buffer[self.start..])
    }

    fn consume(&mut self, count: usize) {
        self.start = self.buffer.len().min(self.start + count);
    }
}

/// Returns the position of the first gzip member in some bytes.
pub(super) fn find_gzip(bytes: &[u8]) -> Option<usize> {
    let marks = memchr::memmem::find_iter(bytes, &[0x1f, 0x8b, 8]);
    marks
        .into_iter()
        .find(|&at| bytes.get(at..at + GZIP_HEADER).is_some_and(is_gzip_header))
}

/// Checks the fixed parts of a gzip header (RFC 1952) beyond the first three bytes: reserved flags
/// are zero, the two bytes after the time have few values.
fn is_gzip_header(bytes: &[u8]) -> bool {
    bytes.len() == GZIP_HEADER
        && bytes[3] & 0xe0 == 0
        && matches!(bytes[8], 0 | 2 | 4)
        && matches!(bytes[9], 0..=13 | 255)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_found_across_pieces() {
        for before in [0, 1, CHUNK - 2, CHUNK - 1, CHUNK, 3 * HISTORY] {
            let mut bytes = vec![b'x'; before];
            bytes.extend([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]);
            let mut raw = Raw::new(bytes.as_slice());
            assert!(raw.seek_gzip());
            assert_eq!(raw.position(), before as u64);
        }
    }

    #[test]
    fn what_only_begins_like_a_mark_is_passed() {
        let mut raw = Raw::new(&[0x1f, 0x8b, 8, 0xff, 0, 0, 0, 0, 0, 3, 0x1f, 0x8b][..]);
        assert!(!raw.seek_gzip());
        assert_eq!(raw.position(), 12);
    }

    #[test]
    fn going_back_reaches_as_far_as_the_memory() {
        let bytes: Vec<u8> = (0..8 * HISTORY).map(|at| (at % 251) as u8).collect();
        let mut raw = Raw::new(bytes.as_slice());
        io::copy(&mut raw, &mut io::sink()).unwrap();
        assert!(raw.buffer.capacity() < 6 * HISTORY);
        raw.rewind(0);
        let position = usize::try_from(raw.position()).unwrap();
        assert!(position > 0 && bytes.len() - position >= HISTORY);
        assert_eq!(raw.peek(100), &bytes[position..position + 100]);
    }
}
