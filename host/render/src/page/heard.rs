//! The messages of a browser without one, for fuzzing and for tests of hostile ones.

use std::sync::Arc;

use tokio::sync::mpsc;
use url::Url;

use super::{Interceptor, PageState};
use crate::browser::{Connection, listen, processes};
use crate::{Answers, Refused, RenderSettings, SentRequest};

/// Requests and refusals that a page has recorded after the messages of its browser.
pub struct Heard {
    pub requests: Vec<SentRequest>,
    pub refused: Vec<Refused>,
    pub captured: Vec<Url>,
    /// Messages to the browser.
    pub sent: Vec<String>,
}

/// Reads the frames of a WebSocket as if they came from a browser that shows the page `target` of
/// `context` in `session`. The first call that the frames may answer asks for the processes.
pub async fn hear(
    mut frames: &[u8],
    is_probing: bool,
    settings: &RenderSettings,
    answers: Arc<dyn Answers>,
) -> Heard {
    let (connection, incoming, mut to_send) = Connection::new();
    let state = Arc::new(PageState::new(settings));
    if is_probing {
        state.capture();
    }
    let interceptor = Interceptor {
        connection: connection.clone(),
        answers,
        state: Arc::clone(&state),
        session: "session".to_owned(),
        context: "context".to_owned(),
        target: "target".to_owned(),
    };
    let events = connection.events();
    let (pongs, _) = mpsc::channel(1);
    let listening = async move { listen(&mut frames, &incoming, &pongs).await };
    let (processes, (), ()) = tokio::join!(processes(&connection), interceptor.run(events), listening);
    state.note_processes(&processes, true);
    drop(connection);
    let mut sent = Vec::new();
    while let Some(message) = to_send.recv().await {
        sent.push(message);
    }
    let captured = state.take_captured();
    let (requests, refused, ..) = state.finish();
    Heard {
        requests,
        refused,
        captured,
        sent,
    }
}
