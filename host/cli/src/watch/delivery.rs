//! Delivery to webhooks, on a thread beside the cycles of a watch.

use std::thread::JoinHandle;

use magpie_engine::Session;
use magpie_serve::{BadWebhook, Deliverer};
use magpie_terminal::Failure;
use tokio::sync::watch::Sender;

/// A thread that delivers to webhooks. It ends when this is dropped; the next watch sends an
/// interrupted message again.
pub(super) struct Delivery {
    stop: Sender<bool>,
    thread: Option<JoinHandle<()>>,
}

impl Delivery {
    /// Starts the thread, if the settings have webhooks.
    pub(super) fn start(session: &Session) -> Result<Option<Delivery>, Failure> {
        if session.settings().webhooks().is_empty() {
            return Ok(None);
        }
        let deliverer = deliverer(session)?;
        let runtime = runtime()?;
        let (stop, receiver) = tokio::sync::watch::channel(false);
        let thread = std::thread::spawn(move || runtime.block_on(deliverer.run(receiver)));
        Ok(Some(Delivery {
            stop,
            thread: Some(thread),
        }))
    }

    /// Delivers all waiting messages, to each webhook up to its first failure.
    pub(super) fn once(session: &Session) -> Result<(), Failure> {
        if session.settings().webhooks().is_empty() {
            return Ok(());
        }
        runtime()?
            .block_on(deliverer(session)?.run_once())
            .map_err(failure)
    }
}

impl Drop for Delivery {
    fn drop(&mut self) {
        self.stop.send_replace(true);
        if let Some(thread) = self.thread.take() {
            // A panic of the thread has already been printed.
            let _ = thread.join();
        }
    }
}

fn deliverer(session: &Session) -> Result<Deliverer, Failure> {
    let store = session.shared_store();
    Deliverer::new(session.settings(), session.vertical(), &store, session.clock()).map_err(failure)
}

fn runtime() -> Result<tokio::runtime::Runtime, Failure> {
    let built = tokio::runtime::Builder::new_current_thread().enable_all().build();
    built.map_err(|error| Failure::input(format!("can't start a thread for webhooks: {error}")))
}

/// The failure of webhooks that can't be used.
pub(crate) fn failure(problem: BadWebhook) -> Failure {
    match problem {
        BadWebhook::Store(error) => error.into(),
        problem => Failure::usage(problem.to_string()),
    }
}
