//! A browser: started or spoken to, watched, ended.

mod connection;
mod launch;
mod process;
mod profile;
mod websocket;

use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};

use crate::{BrowserChoice, RenderSettings};
pub(crate) use connection::{CallError, Connection, Event};
use launch::Launched;
pub(crate) use process::Process;
pub(crate) use websocket::listen;

/// Longest wait for a browser that was started, or that runs.
const MAX_START: Duration = Duration::from_secs(30);

#[derive(Clone, Debug, thiserror::Error)]
pub enum BrowserError {
    /// No browser is installed.
    #[error("no browser found: install Chromium, or set `render.browser` to its file")]
    Missing,
    /// The program can't be started.
    #[error("can't start {}: {reason}", .program.display())]
    NotStarted { program: PathBuf, reason: String },
    /// The browser that runs can't be spoken to.
    #[error("{url} is not the DevTools endpoint of a browser: {reason}")]
    BadEndpoint { url: String, reason: String },
}

/// A browser that can be spoken to.
pub(crate) struct Browser {
    pub(crate) connection: Connection,
    /// The process and its profile, if it was started here.
    launched: Option<Launched>,
}

impl Browser {
    /// Starts a browser, or connects to one that runs.
    pub(crate) async fn open(settings: &RenderSettings) -> Result<Browser, BrowserError> {
        let browser = match &settings.browser {
            BrowserChoice::Endpoint(url) => {
                let bad = |reason: String| BrowserError::BadEndpoint {
                    url: url.to_string(),
                    reason,
                };
                let connecting = tokio::time::timeout(MAX_START, websocket::connect(url));
                let connection = connecting
                    .await
                    .unwrap_or_else(|_| Err(format!("no answer within {} s", MAX_START.as_secs())))
                    .map_err(bad)?;
                Browser {
                    connection,
                    launched: None,
                }
            }
            BrowserChoice::Found => Browser::start(&launch::find()?, settings).await?,
            BrowserChoice::Program(program) => Browser::start(program, settings).await?,
        };
        Ok(browser)
    }

    /// Starts a program. One that ends at once is started again, since a busy machine may fail
    /// once.
    async fn start(program: &std::path::Path, settings: &RenderSettings) -> Result<Browser, BrowserError> {
        let mut has_sandbox = launch::may_have_sandbox();
        let mut last = String::new();
        for _ in 0..3 {
            let (launched, connection) =
                launch::start(program, settings, has_sandbox).map_err(|error| BrowserError::NotStarted {
                    program: program.to_owned(),
                    reason: error.to_string(),
                })?;
            let browser = Browser {
                connection,
                launched: Some(launched),
            };
            let version = browser.call(None, "Browser.getVersion", json!({}));
            match tokio::time::timeout(MAX_START, version).await {
                Ok(Ok(_)) => return Ok(browser),
                Ok(Err(error)) => last = error.to_string(),
                Err(_) => last = format!("no answer within {} s", MAX_START.as_secs()),
            }
            if let Some(launched) = browser.launched {
                let said = launched.end();
                // A system that does not allow the sandbox ends the browser with a message that
                // names it. After any other failure the sandbox is tried again.
                has_sandbox &= !said.contains("sandbox");
                if let Some(line) = said.lines().rfind(|line| !line.trim().is_empty()) {
                    last = format!("{last}; it said: {line}");
                }
            }
        }
        Err(BrowserError::NotStarted {
            program: program.to_owned(),
            reason: last,
        })
    }

    /// Calls a method of the browser or of a session.
    pub(crate) async fn call(
        &self,
        session: Option<&str>,
        method: &str,
        parameters: Value,
    ) -> Result<Value, CallError> {
        self.connection.call(session, method, parameters).await
    }

    /// `false` if the browser was started without a sandbox.
    pub(crate) fn has_sandbox(&self) -> bool {
        self.launched.as_ref().is_none_or(Launched::has_sandbox)
    }

    pub(crate) async fn processes(&self) -> Vec<Process> {
        processes(&self.connection).await
    }

    /// Returns `true` if the browser answers.
    pub(crate) async fn is_alive(&self) -> bool {
        let version = self.call(None, "Browser.getVersion", json!({}));
        matches!(tokio::time::timeout(MAX_START, version).await, Ok(Ok(_)))
    }
}

/// Returns the processes of a browser; none if it does not answer.
pub(crate) async fn processes(connection: &Connection) -> Vec<Process> {
    let answer = connection.call(None, "SystemInfo.getProcessInfo", json!({}));
    match tokio::time::timeout(MAX_START, answer).await {
        Ok(Ok(answer)) => process::read(&answer),
        _ => Vec::new(),
    }
}
