//! An HTTP/2 connection: many exchanges at a time.

use std::future::Future;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::task::Poll;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Empty;
use hyper::body::Incoming;
use hyper::client::conn::http2::{Builder, SendRequest};
use hyper::rt::Executor;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::task::JoinSet;

use super::tap::{Flow, Tapped};
use super::wire::Wire;
use crate::Limits;
use crate::client::{Failure, Watch};

/// What a server may send ahead in all.
pub(super) const CONNECTION_WINDOW: u32 = 2 * 1024 * 1024;

/// Streams that a side may have reset and that are remembered. A polite client resets a stream now and then.
const RESET_STREAMS: usize = 32;

/// A connection; clones share it. It is closed when the last clone is gone, whatever the server does.
#[derive(Clone)]
pub(crate) struct Http2 {
    sender: SendRequest<Empty<Bytes>>,
    pub(crate) flow: Arc<Flow>,
    /// Held for its end alone.
    _tasks: Arc<Tasks>,
}

impl Http2 {
    /// What a server may send ahead on one stream: a large page at once, and 10 MB/s over a way of 100 ms.
    pub(crate) const STREAM_WINDOW: u32 = 1024 * 1024;

    pub(crate) async fn start(wire: Wire, limits: &Limits) -> Result<Http2, hyper::Error> {
        let flow = Arc::new(Flow::default());
        let tasks = Arc::new(Tasks::default());
        let io = TokioIo::new(Tapped::flow(wire, Arc::clone(&flow)));
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
            // What went wrong comes out where the response or its body is awaited.
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
        request: Request<Empty<Bytes>>,
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

/// The tasks of a connection. hyper lets go of them only when the server agrees to close, which a hostile one does not.
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
