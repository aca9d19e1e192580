//! Taking in a body, within limits.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::{Bytes, BytesMut};
use hyper::body::{Body, Incoming};
use tokio::time::Instant;

use super::watch::{Slow, Watch};
use crate::{Cause, Truncation};

pub(crate) enum Failure {
    Slow(Slow),
    Hyper(hyper::Error),
}

/// The memory that is asked for on the strength of a `Content-Length` alone.
const MAX_ON_CREDIT: u64 = 256 * 1024;

/// Reads a body to its end or to a limit. Polls the connection whenever no data is available.
pub(super) async fn receive(
    mut body: Incoming,
    watch: &mut Watch<'_>,
    limit: usize,
    mut drive: impl FnMut(&mut Context<'_>),
    mut on_piece: impl FnMut(usize),
) -> (Bytes, Option<Truncation>) {
    let mut received = Received {
        first: None,
        rest: BytesMut::new(),
        limit,
    };
    loop {
        let next = std::future::poll_fn(|context| {
            let mut poll_body = |context: &mut Context<'_>| Pin::new(&mut body).poll_frame(context).map(Ok);
            // Twice: a piece that is there already needs no poll of the connection, and that poll
            // may bring the next one.
            if let Poll::Ready(piece) = poll_body(context) {
                return Poll::Ready(piece);
            }
            drive(context);
            if let Poll::Ready(piece) = poll_body(context) {
                return Poll::Ready(piece);
            }
            watch.poll(context).map(Err)
        });
        let truncated = match next.await {
            Ok(None) => None,
            Ok(Some(Ok(frame))) => {
                // Trailers have nothing that a crawler needs.
                let Ok(piece) = frame.into_data() else {
                    continue;
                };
                let now = Instant::now();
                on_piece(piece.len());
                watch.received(piece.len(), now);
                let expected = body.size_hint().exact();
                match received
                    .take(piece, expected)
                    .or_else(|| watch.slow(now).map(Truncation::from))
                {
                    None => continue,
                    truncated => truncated,
                }
            }
            Ok(Some(Err(error))) => Some(Truncation::Disconnected {
                reason: Cause::from(error).to_string(),
            }),
            Err(slow) => Some(slow.into()),
        };
        return (received.whole(), truncated);
    }
}

/// The pieces of a body. One that comes in a single piece is not copied.
struct Received {
    first: Option<Bytes>,
    rest: BytesMut,
    limit: usize,
}

impl Received {
    /// Takes a piece; `expected` is how much comes after it.
    fn take(&mut self, mut piece: Bytes, expected: Option<u64>) -> Option<Truncation> {
        let room = self.limit - self.len();
        let is_too_long = piece.len() > room;
        piece.truncate(room);
        match (&self.first, self.rest.is_empty()) {
            (None, true) => self.first = Some(piece),
            (Some(first), true) => {
                let on_credit = usize::try_from(expected.unwrap_or(0).min(MAX_ON_CREDIT)).unwrap_or(0);
                self.rest
                    .reserve((first.len() + piece.len() + on_credit).min(self.limit));
                self.rest.extend_from_slice(first);
                self.rest.extend_from_slice(&piece);
            }
            (_, false) => self.rest.extend_from_slice(&piece),
        }
        is_too_long.then_some(Truncation::Length { limit: self.limit })
    }

    fn len(&self) -> usize {
        if self.rest.is_empty() {
            self.first.as_ref().map_or(0, Bytes::len)
        } else {
            self.rest.len()
        }
    }

    fn whole(self) -> Bytes {
        if self.rest.is_empty() {
            self.first.unwrap_or_default()
        } else {
            self.rest.freeze()
        }
    }
}
