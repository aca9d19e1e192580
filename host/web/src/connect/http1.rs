//! An HTTP/1 connection: one exchange at a time.
//!
//! hyper splits a connection in two: a handle that requests are given to, and a future that does the reading and
//! writing. Usually the future is spawned; here both are held together, and whoever waits for a response drives the connection in
//! the same task. That spares two wake-ups between tasks per page, and a connection that nobody uses costs nothing.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Empty;
use hyper::body::Incoming;
use hyper::client::conn::http1::{Builder, Connection, SendRequest};
use hyper_util::rt::TokioIo;

use super::tap::{HeadTap, Tapped};
use super::wire::Wire;
use crate::Limits;
use crate::client::{Failure, Timer, Watch};

/// hyper takes no smaller buffer.
const SMALLEST_BUFFER: usize = 8 * 1024;

/// The most that is read at once, when the head's limit does not ask for more.
const BUFFER: usize = 128 * 1024;

/// What hyper parses without asking for memory. More is asked for only when the limit says so.
const FIELDS_FOR_NOTHING: usize = 100;

pub(crate) struct Http1 {
    sender: SendRequest<Empty<Bytes>>,
    /// `None` once it has ended.
    connection: Option<Connection<TokioIo<Tapped>, Empty<Bytes>>>,
    pub(crate) tap: Arc<HeadTap>,
    /// Stays with the connection for the next fetch.
    pub(crate) timer: Option<Timer>,
}

impl Http1 {
    pub(crate) async fn start(wire: Wire, limits: &Limits) -> Result<Http1, hyper::Error> {
        let tap = Arc::new(HeadTap::new(limits));
        let mut builder = Builder::new();
        builder
            // The bytes before the limit is seen to be passed are the tap's to count.
            .max_buf_size(
                limits
                    .head_bytes
                    .saturating_mul(2)
                    .clamp(SMALLEST_BUFFER, usize::MAX / 2)
                    .max(BUFFER),
            )
            // As browsers do: a field that can't be read is no reason to lose the page. That goes for the second line of a
            // folded field too, which hyper could join, at a price for every page; archives have it as it was sent.
            .ignore_invalid_headers_in_responses(true)
            .allow_spaces_after_header_name_in_responses(true);
        if limits.head_fields > FIELDS_FOR_NOTHING {
            builder.max_headers(limits.head_fields);
        }
        let io = TokioIo::new(Tapped::heads(wire, Arc::clone(&tap)));
        let (sender, connection) = builder.handshake(io).await?;
        Ok(Http1 {
            sender,
            connection: Some(connection),
            tap,
            timer: None,
        })
    }

    /// Reads and writes what can be read and written.
    pub(crate) fn drive(&mut self, context: &mut Context<'_>) {
        if let Some(connection) = &mut self.connection
            && Pin::new(connection).poll(context).is_ready()
        {
            // What went wrong comes out where the response or its body is awaited.
            self.connection = None;
        }
    }

    /// Whether it has not ended, as far as that was noticed.
    pub(crate) fn is_open(&self) -> bool {
        self.connection.is_some() && !self.sender.is_closed()
    }

    /// Whether a connection that was idle takes a request. The server may have closed it all the same, or have sent what nobody asked
    /// for; that comes out when the request is about to be sent.
    pub(crate) async fn is_ready(&mut self) -> bool {
        std::future::poll_fn(|context| {
            if self.is_open() && self.sender.poll_ready(context).is_pending() {
                self.drive(context);
            }
            let is_ready = self.is_open() && matches!(self.sender.poll_ready(context), Poll::Ready(Ok(())));
            Poll::Ready(is_ready)
        })
        .await
    }

    /// Sends a request and waits for the head of the response.
    pub(crate) async fn head(
        &mut self,
        request: Request<Empty<Bytes>>,
        watch: &mut Watch<'_>,
    ) -> Result<Response<Incoming>, Failure> {
        self.tap.begin();
        let mut response = pin!(self.sender.send_request(request));
        std::future::poll_fn(|context| {
            self.drive(context);
            match response.as_mut().poll(context) {
                Poll::Ready(outcome) => Poll::Ready(outcome.map_err(Failure::Hyper)),
                Poll::Pending => watch.poll(context).map(|slow| Err(Failure::Slow(slow))),
            }
        })
        .await
    }
}
