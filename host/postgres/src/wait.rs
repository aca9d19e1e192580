//! Waiting for the client's futures in the thread of the caller.
//!
//! These futures only exchange messages with the task of a connection, so they need no runtime
//! around them and may borrow from the caller. A thread that already runs in some runtime can wait
//! here too.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{Thread, current, park_timeout};
use std::time::{Duration, Instant};

pub(crate) type Pending<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

struct Parked(Thread);

impl Wake for Parked {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Waits for all futures at once. They begin in their order: requests are on the way together.
/// Returns `None` if one of them took too long.
pub(crate) fn wait_for_all<T>(mut futures: Vec<Pending<'_, T>>, limit: Duration) -> Option<Vec<T>> {
    let waker = Waker::from(Arc::new(Parked(current())));
    let mut context = Context::from_waker(&waker);
    let begin = Instant::now();
    let mut done: Vec<Option<T>> = futures.iter().map(|_| None).collect();
    loop {
        for (future, done) in futures.iter_mut().zip(&mut done) {
            if done.is_none()
                && let Poll::Ready(value) = future.as_mut().poll(&mut context)
            {
                *done = Some(value);
            }
        }
        if done.iter().all(Option::is_some) {
            return Some(done.into_iter().flatten().collect());
        }
        park_timeout(limit.checked_sub(begin.elapsed())?);
    }
}
