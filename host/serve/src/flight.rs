//! Answers on their way: the memory that they may take together.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody as _, to_bytes};
use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use hyper::body::{Frame, SizeHint};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::Error;

/// Bytes of larger answers at the same time.
const MAX_BYTES: usize = 64 << 20;

/// Answers up to this size need no room: the number of connections bounds them.
const SMALL: usize = 256 << 10;

/// Bytes that are handed to a connection at a time.
const PART: usize = 64 << 10;

/// The room for answers whose clients have not taken them yet.
pub(crate) struct Flight(Arc<Semaphore>);

impl Default for Flight {
    fn default() -> Flight {
        Flight(Arc::new(Semaphore::new(MAX_BYTES)))
    }
}

impl Flight {
    /// Returns a response that gives its room back when it has been sent. Without room it is a
    /// refusal.
    pub(crate) async fn carry(&self, response: Response) -> Response {
        let length = response.body().size_hint().exact().unwrap_or_default();
        if length <= SMALL as u64 {
            return response;
        }
        let (mut head, body) = response.into_parts();
        let room = u32::try_from(length).ok();
        let room = room.and_then(|length| Arc::clone(&self.0).try_acquire_many_owned(length).ok());
        let (Some(room), Ok(left)) = (room, to_bytes(body, MAX_BYTES).await) else {
            return (
                Error::Full.into_response().into_parts().0,
                Error::Full.to_string(),
            )
                .into_response();
        };
        head.headers.insert(header::CONTENT_LENGTH, left.len().into());
        Response::from_parts(head, Body::new(Carried { left, _room: room }))
    }
}

/// A body in parts. The room is given back with the last of them.
struct Carried {
    left: Bytes,
    _room: OwnedSemaphorePermit,
}

impl hyper::body::Body for Carried {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let length = self.left.len().min(PART);
        let part = self.left.split_to(length);
        Poll::Ready((!part.is_empty()).then(|| Ok(Frame::data(part))))
    }

    fn is_end_stream(&self) -> bool {
        self.left.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left.len() as u64)
    }
}
