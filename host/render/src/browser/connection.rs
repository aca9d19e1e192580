//! Calls and events of the DevTools protocol over a stream of messages.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};

/// Events that wait to be read. A page that makes more at a time floods us.
const MAX_EVENTS: usize = 20_000;

/// Bytes of one message of the browser.
pub(super) const MAX_MESSAGE: usize = 256 << 20;

/// An event of the browser or of a session.
#[derive(Debug)]
pub(crate) struct Event {
    /// The session; empty for the browser.
    pub(crate) session: String,
    /// Its name, such as `Fetch.requestPaused`.
    pub(crate) method: String,
    pub(crate) parameters: Value,
}

/// Reason why a call has no result.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum CallError {
    #[error("the browser ended")]
    Closed,
    #[error("{method}: {message}")]
    Refused { method: String, message: String },
}

type Waiting = HashMap<u64, (String, oneshot::Sender<Result<Value, CallError>>)>;

/// A connection to a browser. Copies speak to the same browser.
#[derive(Clone)]
pub(crate) struct Connection {
    shared: Arc<Shared>,
    outgoing: mpsc::UnboundedSender<String>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    last: u64,
    waiting: Waiting,
    events: Option<mpsc::Sender<Event>>,
    is_closed: bool,
}

/// The end of a connection that the transport holds, to hand in the messages of the browser.
pub(crate) struct Incoming(Arc<Shared>);

impl Connection {
    /// Makes a connection. The transport sends what comes through the channel and hands in what it
    /// reads.
    pub(crate) fn new() -> (Connection, Incoming, mpsc::UnboundedReceiver<String>) {
        let shared = Arc::new(Shared::default());
        let (outgoing, to_send) = mpsc::unbounded_channel();
        let incoming = Incoming(Arc::clone(&shared));
        (Connection { shared, outgoing }, incoming, to_send)
    }

    /// Calls a method and waits for its result.
    pub(crate) async fn call(
        &self,
        session: Option<&str>,
        method: &str,
        parameters: Value,
    ) -> Result<Value, CallError> {
        let (sender, receiver) = oneshot::channel();
        self.send(session, method, parameters, Some(sender))?;
        receiver.await.unwrap_or(Err(CallError::Closed))
    }

    /// Calls a method whose result does not matter.
    pub(crate) fn post(&self, session: Option<&str>, method: &str, parameters: Value) {
        // A browser that has ended is noticed by those who wait for it.
        let _ = self.send(session, method, parameters, None);
    }

    /// Receives the events from now on, instead of whoever received them before.
    pub(crate) fn events(&self) -> mpsc::Receiver<Event> {
        let (sender, receiver) = mpsc::channel(MAX_EVENTS);
        let mut state = self.shared.lock();
        state.events = (!state.is_closed).then_some(sender);
        receiver
    }

    fn send(
        &self,
        session: Option<&str>,
        method: &str,
        parameters: Value,
        reply: Option<oneshot::Sender<Result<Value, CallError>>>,
    ) -> Result<(), CallError> {
        let id = {
            let mut state = self.shared.lock();
            // Checked under the lock under which the end clears `waiting`: a reply that was added
            // later would wait for ever.
            if state.is_closed {
                return Err(CallError::Closed);
            }
            state.last += 1;
            let id = state.last;
            if let Some(reply) = reply {
                state.waiting.insert(id, (method.to_owned(), reply));
            }
            id
        };
        let mut message = json!({ "id": id, "method": method });
        message["params"] = parameters;
        if let Some(session) = session {
            message["sessionId"] = json!(session);
        }
        self.outgoing
            .send(message.to_string())
            .map_err(|_| CallError::Closed)
    }
}

impl Incoming {
    /// Takes in a message. Returns `false` if the browser can't be listened to any longer.
    pub(super) fn take(&self, message: &[u8]) -> bool {
        let message = serde_json::from_slice::<Value>(message).ok();
        let Some(mut message) = message.filter(Value::is_object) else {
            return false;
        };
        let mut state = self.0.lock();
        if let Some(id) = message["id"].as_u64() {
            if let Some((method, reply)) = state.waiting.remove(&id) {
                let result = match message["error"]["message"].as_str() {
                    Some(text) => Err(CallError::Refused {
                        method,
                        message: text.to_owned(),
                    }),
                    None => Ok(message["result"].take()),
                };
                // Whoever asked may have given up.
                let _ = reply.send(result);
            }
            return true;
        }
        let Some(events) = &state.events else { return true };
        let event = Event {
            session: message["sessionId"].as_str().unwrap_or_default().to_owned(),
            method: message["method"].as_str().unwrap_or_default().to_owned(),
            parameters: message["params"].take(),
        };
        match events.try_send(event) {
            Ok(()) => true,
            Err(mpsc::error::TrySendError::Closed(_)) => {
                state.events = None;
                true
            }
            // Waiting for room would stop replies too, and a dropped event may be a request that is
            // never answered. So the browser is given up.
            Err(mpsc::error::TrySendError::Full(_)) => false,
        }
    }
}

impl Drop for Incoming {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.is_closed = true;
        state.events = None;
        // Dropped senders wake those who wait.
        state.waiting.clear();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
