//! A tap on a connection.
//!
//! hyper returns heads as parsed fields, in lower case and without their order between names, and
//! skips interim responses without counting them. An archive needs the bytes, and limits must hold
//! for everything that is sent. So the tap reads the bytes of the connection, up to the end of each
//! head and no further.

use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::wire::Wire;
use crate::Limits;

/// A connection with a tap.
pub(crate) struct Tapped {
    wire: Wire,
    tap: Tap,
}

enum Tap {
    Heads(Arc<HeadTap>),
    Flow(Arc<Flow>),
}

impl Tapped {
    /// For HTTP/1: hears the heads.
    pub(crate) fn heads(wire: Wire, tap: Arc<HeadTap>) -> Tapped {
        Tapped {
            wire,
            tap: Tap::Heads(tap),
        }
    }

    /// For HTTP/2: counts the bytes.
    pub(crate) fn flow(wire: Wire, flow: Arc<Flow>) -> Tapped {
        Tapped {
            wire,
            tap: Tap::Flow(flow),
        }
    }
}

impl AsyncRead for Tapped {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buffer.filled().len();
        ready!(Pin::new(&mut this.wire).poll_read(context, buffer))?;
        let read = &buffer.filled()[before..];
        Poll::Ready(match &this.tap {
            Tap::Heads(tap) => tap.hear(read),
            Tap::Flow(flow) => flow.count(read.len()),
        })
    }
}

impl AsyncWrite for Tapped {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = ready!(Pin::new(&mut this.wire).poll_write(context, bytes))?;
        if let Tap::Heads(tap) = &this.tap {
            tap.lock().request.extend_from_slice(&bytes[..written]);
        }
        Poll::Ready(Ok(written))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = ready!(Pin::new(&mut this.wire).poll_write_vectored(context, slices))?;
        if let Tap::Heads(tap) = &this.tap {
            let mut heard = tap.lock();
            let mut left = written;
            for slice in slices {
                let part = &slice[..slice.len().min(left)];
                heard.request.extend_from_slice(part);
                left -= part.len();
            }
        }
        Poll::Ready(Ok(written))
    }

    fn is_write_vectored(&self) -> bool {
        self.wire.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().wire).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().wire).poll_shutdown(context)
    }
}

/// The recorded heads of one exchange. The connection writes them, the fetch that uses the
/// connection reads them.
pub(crate) struct HeadTap {
    heard: Mutex<Heard>,
    head_bytes: usize,
    head_fields: usize,
    interim_responses: usize,
}

#[derive(Default)]
struct Heard {
    request: Vec<u8>,
    /// The head that is coming in.
    response: Vec<u8>,
    /// The head of the response proper is complete.
    complete: bool,
    /// Bytes of the heads so far, interim ones too.
    bytes: usize,
    interim: usize,
    excess: Option<Excess>,
}

/// A limit of a head that was passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Excess {
    Bytes,
    Fields,
    Interim,
}

impl HeadTap {
    pub(crate) fn new(limits: &Limits) -> HeadTap {
        HeadTap {
            heard: Mutex::default(),
            head_bytes: limits.head_bytes,
            head_fields: limits.head_fields,
            interim_responses: limits.interim_responses,
        }
    }

    pub(crate) fn begin(&self) {
        *self.lock() = Heard::default();
    }

    /// The heads of the request and of the response.
    pub(crate) fn take(&self) -> (Bytes, Bytes) {
        let mut heard = self.lock();
        (
            std::mem::take(&mut heard.request).into(),
            std::mem::take(&mut heard.response).into(),
        )
    }

    /// Returns true if the server has sent anything.
    pub(crate) fn has_answer(&self) -> bool {
        self.lock().bytes > 0
    }

    /// The limit that was passed, if one was.
    pub(crate) fn excess(&self) -> Option<Excess> {
        let heard = self.lock();
        // hyper may stop at the number of fields before the head is complete.
        heard
            .excess
            .or_else(|| (heard.lines() > self.head_fields).then_some(Excess::Fields))
    }

    fn lock(&self) -> MutexGuard<'_, Heard> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes bytes that came in, and fails when they pass a limit, which ends the connection.
    fn hear(&self, mut read: &[u8]) -> io::Result<()> {
        let mut heard = self.lock();
        while !heard.complete && !read.is_empty() {
            let taken = heard.take_head(read, self.head_bytes);
            read = &read[taken..];
            // An error of the read ends the connection, whatever hyper would make of the bytes. The
            // limits also hold for interim heads, which hyper skips without counting.
            if let Some(excess) = heard.passed(self) {
                heard.excess = Some(excess);
                return Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    "the head of the response is too large",
                ));
            }
        }
        Ok(())
    }
}

impl Heard {
    /// Takes the bytes that belong to the head and returns their number.
    fn take_head(&mut self, read: &[u8], limit: usize) -> usize {
        // Only the bytes within the limit, and one more, which suffices to detect the excess.
        let room = &read[..read.len().min(limit.saturating_sub(self.bytes) + 1)];
        let known = self.response.len();
        let (taken, ends) = if known == 0 {
            // The common case: a whole head in one read, copied once.
            let end = head_end(room, 0);
            let taken = end.unwrap_or(room.len());
            self.response.extend_from_slice(&room[..taken]);
            (taken, end.is_some())
        } else {
            self.response.extend_from_slice(room);
            // The end may have begun in what came before: "\r\n\r" at most.
            match head_end(&self.response, known.saturating_sub(3)) {
                Some(end) => {
                    self.response.truncate(end);
                    (end - known, true)
                }
                None => (room.len(), false),
            }
        };
        self.bytes += taken;
        if ends {
            self.end_head();
        }
        taken
    }

    /// Drops an interim head and keeps any other.
    fn end_head(&mut self) {
        let status = self
            .response
            .split(|byte| *byte == b' ')
            .nth(1)
            .unwrap_or_default();
        // 101 is not interim: after it the connection is no longer HTTP.
        if status.starts_with(b"1") && !status.starts_with(b"101") {
            self.interim += 1;
            self.response.clear();
        } else {
            self.complete = true;
        }
    }

    fn passed(&self, limits: &HeadTap) -> Option<Excess> {
        if self.bytes > limits.head_bytes {
            return Some(Excess::Bytes);
        }
        if self.interim > limits.interim_responses {
            return Some(Excess::Interim);
        }
        // Every field takes at least "a:" and a line end, so short heads, which are nearly all,
        // need no counting.
        let may_have_many = self.complete && self.response.len() > MIN_FIELD_LEN * limits.head_fields;
        // The status line and the empty line are no fields.
        (may_have_many && self.lines() > limits.head_fields + 2).then_some(Excess::Fields)
    }

    fn lines(&self) -> usize {
        memchr::memchr_iter(b'\n', &self.response).count()
    }
}

const MIN_FIELD_LEN: usize = 3;

/// Returns the end of a head: its first empty line. Lines end as in hyper's parser, with or without
/// a carriage return.
fn head_end(bytes: &[u8], from: usize) -> Option<usize> {
    // hyper skips empty lines before the status line, so the first one is not the end of the head.
    let begins = bytes.iter().position(|byte| !matches!(byte, b'\r' | b'\n'))?;
    let from = from.max(begins);
    for line_end in memchr::memchr_iter(b'\n', &bytes[from..]) {
        match &bytes[from + line_end + 1..] {
            [b'\n', ..] => return Some(from + line_end + 2),
            [b'\r', b'\n', ..] => return Some(from + line_end + 3),
            _ => {}
        }
    }
    None
}

/// The share of content in the data of an HTTP/2 connection. Frames that are not content may exceed
/// content by a fixed amount.
#[derive(Debug, Default)]
pub(crate) struct Flow {
    received: AtomicU64,
    expected: AtomicU64,
    flooded: AtomicBool,
}

impl Flow {
    /// Content that was sent but not read yet (the connection's window), and as much again for
    /// other frames and their heads.
    pub(crate) const SLACK: u64 = 2 * super::http2::CONNECTION_WINDOW as u64;

    /// Overhead per frame of content: its head, some padding, and its share of other frames of a
    /// normal server.
    pub(crate) const PER_FRAME: usize = 64;

    /// Content came, or may come.
    pub(crate) fn expect(&self, bytes: usize) {
        self.expected.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    pub(crate) fn is_flooded(&self) -> bool {
        self.flooded.load(Ordering::Relaxed)
    }

    fn count(&self, bytes: usize) -> io::Result<()> {
        let received = self.received.fetch_add(bytes as u64, Ordering::Relaxed) + bytes as u64;
        // A server can keep a client busy with settings, pings and resets that cost it nothing and
        // are never content.
        if received > self.expected.load(Ordering::Relaxed) + Flow::SLACK {
            self.flooded.store(true, Ordering::Relaxed);
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "more frames than content",
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn limits() -> Limits {
        Limits {
            head_bytes: 200,
            head_fields: 5,
            interim_responses: 2,
            ..Limits::default()
        }
    }

    /// Returns the kept head of a response that arrives in pieces.
    fn heard(pieces: &[&[u8]]) -> Result<String, Excess> {
        let tap = HeadTap::new(&limits());
        tap.begin();
        for piece in pieces {
            if tap.hear(piece).is_err() {
                return Err(tap.excess().unwrap());
            }
        }
        Ok(String::from_utf8(tap.take().1.to_vec()).unwrap())
    }

    const HEAD: &str = "HTTP/1.1 200 OK\r\nA: b\r\n\r\n";

    #[test]
    fn the_body_is_not_kept() {
        assert_eq!(
            heard(&[format!("{HEAD}body\r\n\r\nmore").as_bytes(), b"\r\n\r\n"]).unwrap(),
            HEAD
        );
        assert_eq!(
            heard(&[b"HTTP/1.1 200 OK\nA: b\n\nbody"]).unwrap(),
            "HTTP/1.1 200 OK\nA: b\n\n"
        );
        assert_eq!(heard(&[b"\r\n", HEAD.as_bytes()]).unwrap(), format!("\r\n{HEAD}"));
    }

    #[test]
    fn interim_heads_are_let_go_and_counted() {
        let interim = "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n";
        assert_eq!(
            heard(&[format!("{interim}{interim}{HEAD}body").as_bytes()]).unwrap(),
            HEAD
        );
        assert_eq!(heard(&[interim.repeat(3).as_bytes()]), Err(Excess::Interim));
    }

    #[test]
    fn limits_hold() {
        let long = format!("HTTP/1.1 200 OK\r\nA: {}", "b".repeat(300));
        assert_eq!(heard(&[long.as_bytes()]), Err(Excess::Bytes));
        let drip: Vec<&[u8]> = long.as_bytes().chunks(1).collect();
        assert_eq!(heard(&drip), Err(Excess::Bytes));
        let fields = |count| format!("HTTP/1.1 200 OK\r\n{}\r\n", "A: b\r\n".repeat(count));
        assert_eq!(heard(&[fields(5).as_bytes()]).unwrap(), fields(5));
        assert_eq!(heard(&[fields(6).as_bytes()]), Err(Excess::Fields));
    }

    proptest! {
        #[test]
        fn pieces_make_no_difference(
            text in "(\r\n)?(HTTP/1.1 1[01]3 X\r?\n(A: b\r?\n){0,2}\r?\n){0,3}(HTTP/1.1 200 OK\r?\n([A-C]: b\r?\n){0,7}\r?\n)?[\r\na-c]{0,9}",
            cuts in prop::collection::vec(1..40usize, 1..40),
        ) {
            let mut pieces = Vec::new();
            let mut rest = text.as_bytes();
            for cut in cuts {
                let (piece, after) = rest.split_at(cut.min(rest.len()));
                pieces.push(piece);
                rest = after;
            }
            pieces.push(rest);
            prop_assert_eq!(heard(&pieces), heard(&[text.as_bytes()]));
        }
    }
}
