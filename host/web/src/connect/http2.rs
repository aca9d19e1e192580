//! An HTTP/2 connection: many exchanges at a time.

use std::future::Future;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::task::Poll;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::client::conn::http2::{Builder, SendRequest};
use hyper::rt::Executor;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::task::JoinSet;

use super::tap::{Flow, Tapped};
use super::wire::Wire;
use crate::Limits;
use crate::client::{Failure, Watch};

/// Receive window of the connection.
pub(super) const CONNECTION_WINDOW: u32 = 2 * 1024 * 1024;

/// Maximum number of reset streams that are remembered. A normal client resets a stream now and
/// then.
const RESET_STREAMS: usize = 32;

/// A connection, shared by clones. It is closed when the last clone is dropped, whatever the server
/// does.
#[derive(Clone)]
pub(crate) struct Http2 {
    sender: SendRequest<Full<Bytes>>,
    pub(crate) flow: Arc<Flow>,
    /// Never read: dropping the last clone ends the tasks.
    _tasks: Arc<Tasks>,
}

impl Http2 {
    /// Receive window of a stream: enough for a large page at once, and for 10 MB/s at a round trip
    /// of 100 ms.
    pub(crate) const STREAM_WINDOW: u32 = 1024 * 1024;

    pub(crate) async fn start(wire: Wire, limits: &Limits) -> Result<Http2, hyper::Error> {
        let flow = Arc::new(Flow::default());
        let tasks = Arc::new(Tasks::default());
        let io = TokioIo::new(Tapped::flow(wire, Arc::clone(&flow)));
        // hyper ends its tasks only when the server agrees to close, which a hostile server does
        // not. So they end with the last clone.
        let spawner = Spawner(Arc::downgrade(&tasks));
        let (sender, connection) = Builder::new(spawner.clone())
            .timer(TokioTimer::new())
            .initial_stream_window_size(Http2::STREAM_WINDOW)
            .initial_connection_window_size(CONNECTION_WINDOW)
            .max_header_list_size(u32::try_from(limits.head_bytes).unwrap_or(u32::MAX))
            .max_concurrent_reset_streams(RESET_STREAMS)
            .max_local_error_reset_streams(RESET_STREAMS)
            .handshake(io)
            .await?;
        spawner.execute(async move {
            // The error is returned where the response or its body is awaited.
            let _ = connection.await;
        });
        Ok(Http2 {
            sender,
            flow,
            _tasks: tasks,
        })
    }

    pub(crate) fn is_open(&self) -> bool {
        !self.sender.is_closed() && !self.flow.is_flooded()
    }

    pub(crate) async fn head(
        &mut self,
        request: Request<Full<Bytes>>,
        watch: &mut Watch<'_>,
    ) -> Result<Response<Incoming>, Failure> {
        std::future::poll_fn(|context| match self.sender.poll_ready(context) {
            Poll::Ready(outcome) => Poll::Ready(outcome.map_err(Failure::Hyper)),
            Poll::Pending => watch.poll(context).map(|slow| Err(Failure::Slow(slow))),
        })
        .await?;
        let mut response = pin!(self.sender.send_request(request));
        std::future::poll_fn(|context| match response.as_mut().poll(context) {
            Poll::Ready(outcome) => Poll::Ready(outcome.map_err(Failure::Hyper)),
            Poll::Pending => watch.poll(context).map(|slow| Err(Failure::Slow(slow))),
        })
        .await
    }
}

/// The tasks of a connection.
#[derive(Default)]
struct Tasks(Mutex<JoinSet<()>>);

/// Spawns the tasks of a connection. They hold this, so it must not hold them.
#[derive(Clone)]
struct Spawner(Weak<Tasks>);

impl<Task: Future<Output: Send + 'static> + Send + 'static> Executor<Task> for Spawner {
    fn execute(&self, task: Task) {
        let Some(tasks) = self.0.upgrade() else {
            return;
        };
        let mut tasks = tasks.0.lock().unwrap_or_else(PoisonError::into_inner);
        // There is one task per request; those that have ended are let go.
        while tasks.try_join_next().is_some() {}
        tasks.spawn(async move {
            task.await;
        });
    }
}
