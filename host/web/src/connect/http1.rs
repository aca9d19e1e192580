//! An HTTP/1 connection: one exchange at a time.
//!
//! hyper splits a connection in two: a handle that takes requests, and a future that reads and
//! writes. Usually the future is spawned. Here both are kept together, and the task that waits for
//! a response polls the connection. This saves two wake-ups between tasks per page, and an idle
//! connection costs nothing.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::client::conn::http1::{Builder, Connection, SendRequest};
use hyper_util::rt::TokioIo;

use super::tap::{HeadTap, Tapped};
use super::wire::Wire;
use crate::Limits;
use crate::client::{Failure, Timer, Watch};

/// hyper takes no smaller buffer.
const MIN_BUFFER_BYTES: usize = 8 * 1024;

/// The most that is read at once, when the head's limit does not ask for more.
const BUFFER: usize = 128 * 1024;

/// Number of fields that hyper parses without allocating. Its own limit is raised only if the
/// settings allow more fields.
const FIELDS_FOR_NOTHING: usize = 100;

pub(crate) struct Http1 {
    sender: SendRequest<Full<Bytes>>,
    /// `None` once it has ended.
    connection: Option<Connection<TokioIo<Tapped>, Full<Bytes>>>,
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
                    .clamp(MIN_BUFFER_BYTES, usize::MAX / 2)
                    .max(BUFFER),
            )
            // Browsers ignore invalid fields too, so the page is not lost. This also drops the
            // second line of a folded field, which hyper could join at a cost for every page.
            // Archives keep the head as it was sent.
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
            // The error is returned where the response or its body is awaited.
            self.connection = None;
        }
    }

    /// Returns true if the connection is not known to be closed.
    pub(crate) fn is_open(&self) -> bool {
        self.connection.is_some() && !self.sender.is_closed()
    }

    /// Returns true if an idle connection takes a request. The server may still have closed it, or
    /// have sent unexpected data, which shows when the request is sent.
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
        request: Request<Full<Bytes>>,
        watch: &mut Watch<'_>,
    ) -> Result<Response<Incoming>, Failure> {
        self.tap.begin();
        let mut response = pin!(self.sender.send_request(request));
        std::future::poll_fn(|context| {
            // No task polls the connection, so the wait for the head does. That saves two wake-ups
            // between tasks per page.
            self.drive(context);
            match response.as_mut().poll(context) {
                Poll::Ready(outcome) => Poll::Ready(outcome.map_err(Failure::Hyper)),
                Poll::Pending => watch.poll(context).map(|slow| Err(Failure::Slow(slow))),
            }
        })
        .await
    }
}
