//! One page in a browser.

mod heard;
mod intercept;
mod state;

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout, timeout_at};
use url::Url;

use crate::browser::{Browser, CallError};
use crate::outcome::{Document, Rendered};
use crate::{Answers, RenderError, RenderLimits, RenderSettings, probe};
pub use heard::{Heard, hear};
pub(crate) use intercept::Interceptor;
pub(crate) use state::PageState;

/// Name under which our scripts report what a page tries. A page that finds it could only send
/// false reports about itself.
pub(crate) const BINDING: &str = "__magpieTell";

/// Name of the world of our scripts.
const WORLD: &str = "magpie";

/// Longest wait for an answer of the browser itself, which a page can't delay.
const MAX_CALL: Duration = Duration::from_secs(20);

/// Longest wait for a page that is asked for its document when its time is over.
const MAX_READ: Duration = Duration::from_secs(3);

/// Times that a page is scrolled to its end. A feed without end is as long as its reader's
/// patience.
const MAX_SCROLLS: usize = 20;

/// Time in which a page takes note that it was scrolled.
const FRAME: Duration = Duration::from_millis(100);

/// Number of elements of a page.
const SIZE: &str = "document.getElementsByTagName('*').length";

/// Time between two looks at a page.
const LOOK: Duration = Duration::from_millis(50);

/// Time between two looks at the processes of a browser.
const WATCH: Duration = Duration::from_millis(250);

/// A page that is open.
pub(crate) struct Page<'b> {
    browser: &'b Browser,
    context: String,
    pub(crate) session: String,
    target: String,
    pub(crate) state: Arc<PageState>,
    pub(crate) answers: Arc<dyn Answers>,
    tasks: [JoinHandle<()>; 2],
}

/// Opens a page, waits until it is at rest, and reads it. Returns `false` if the browser is not fit
/// for another page.
pub(crate) async fn render(
    browser: &Browser,
    url: &Url,
    answers: Arc<dyn Answers>,
    settings: &RenderSettings,
) -> (Rendered, bool) {
    let started = Instant::now();
    let state = Arc::new(PageState::new(settings));
    // Taken before the page is opened: what the processes have used by now belongs to earlier
    // pages.
    state.note_processes(&browser.processes().await, true);
    let opened = Page::open(browser, &state, answers).await;
    let (document, is_fit) = match opened {
        Ok(page) => {
            let document = page.load_and_read(url, settings).await;
            (document, page.close().await)
        }
        Err(error) => (Err(error), false),
    };
    let is_fit = is_fit && !matches!(&document, Err(error) if spoils(error));
    if is_fit {
        state.note_processes(&browser.processes().await, false);
    }
    let (requests, refused, bytes, cpu) = state.finish();
    let rendered = Rendered {
        document,
        requests,
        refused,
        cpu,
        bytes,
        took: started.elapsed(),
    };
    (rendered, is_fit)
}

/// Returns `true` if a browser is replaced after an error.
fn spoils(error: &RenderError) -> bool {
    match error {
        RenderError::NotOpened(_) | RenderError::Navigations { .. } | RenderError::TooLarge { .. } => false,
        RenderError::Browser(_)
        | RenderError::Unresponsive { .. }
        | RenderError::Memory { .. }
        | RenderError::Crashed
        | RenderError::Protocol(_) => true,
    }
}

impl<'b> Page<'b> {
    /// Opens an empty page in a context of its own.
    async fn open(
        browser: &'b Browser,
        state: &Arc<PageState>,
        answers: Arc<dyn Answers>,
    ) -> Result<Page<'b>, RenderError> {
        let events = browser.connection.events();
        // A browser that was not started here has a network, which the context must not use.
        let context = json!({
            "disposeOnDetach": true,
            "proxyServer": "socks5://magpie.invalid:1",
            "proxyBypassList": "<-loopback>",
        });
        let context = ask(browser, None, "Target.createBrowserContext", context).await?;
        let context = text(&context, "browserContextId")?;
        let deny = json!({ "behavior": "deny", "browserContextId": context, "eventsEnabled": true });
        ask(browser, None, "Browser.setDownloadBehavior", deny).await?;
        ask(
            browser,
            None,
            "Target.setDiscoverTargets",
            json!({ "discover": true }),
        )
        .await?;
        let target = json!({ "url": "about:blank", "browserContextId": context });
        let target = text(
            &ask(browser, None, "Target.createTarget", target).await?,
            "targetId",
        )?;
        let attach = json!({ "targetId": target, "flatten": true });
        let session = text(
            &ask(browser, None, "Target.attachToTarget", attach).await?,
            "sessionId",
        )?;
        let own = Some(session.as_str());
        let interceptor = Interceptor {
            connection: browser.connection.clone(),
            answers: Arc::clone(&answers),
            state: Arc::clone(state),
            session: session.clone(),
            context: context.clone(),
            target: target.clone(),
        };
        let refuse = include_str!("refuse.js").replace("BINDING", BINDING);
        // Workers and frames of other processes wait for a debugger that never lets them run, so
        // they can't make requests before they are closed.
        let attach = json!({ "autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true });
        let calls = [
            ("Page.enable", json!({})),
            ("Log.enable", json!({})),
            ("Inspector.enable", json!({})),
            ("Runtime.enable", json!({})),
            ("Runtime.addBinding", json!({ "name": BINDING })),
            ("Target.setAutoAttach", attach),
            ("Network.setBypassServiceWorker", json!({ "bypass": true })),
            // Before anything is loaded, so that no request escapes. The page is still
            // `about:blank`.
            ("Fetch.enable", json!({ "patterns": [{ "urlPattern": "*" }] })),
            (
                "Page.addScriptToEvaluateOnNewDocument",
                json!({ "source": refuse }),
            ),
            (
                "Page.addScriptToEvaluateOnNewDocument",
                json!({ "source": include_str!("world.js"), "worldName": WORLD }),
            ),
        ];
        for (method, parameters) in calls {
            ask(browser, own, method, parameters).await?;
        }
        let watcher = watch(browser, state);
        Ok(Page {
            browser,
            context,
            session,
            target,
            state: Arc::clone(state),
            answers,
            tasks: [tokio::spawn(interceptor.run(events)), watcher],
        })
    }

    async fn load_and_read(&self, url: &Url, settings: &RenderSettings) -> Result<Document, RenderError> {
        let failure = self.state.failed();
        tokio::select! {
            // A page that has failed has no document, even if one could be read at the same moment.
            biased;
            error = failure => Err(error),
            document = self.load(url, settings) => document,
        }
    }

    async fn load(&self, url: &Url, settings: &RenderSettings) -> Result<Document, RenderError> {
        let limits = &settings.limits;
        let deadline = Instant::now() + limits.time;
        self.navigate(url, deadline, limits).await?;
        let is_settled = self.settle(deadline, limits).await? && self.scroll(deadline, limits).await?;
        let mut document = self.read(is_settled, limits).await?;
        if let Some(probe) = &settings.probe {
            document.links = probe::probe(self, url, &document, probe, limits).await;
        }
        Ok(document)
    }

    pub(crate) async fn navigate(
        &self,
        url: &Url,
        deadline: Instant,
        limits: &RenderLimits,
    ) -> Result<(), RenderError> {
        let call = self.call("Page.navigate", json!({ "url": url.as_str() }));
        let unresponsive = RenderError::Unresponsive { limit: limits.time };
        let answer = timeout_at(deadline, call).await.map_err(|_| unresponsive)?;
        let answer = answer.map_err(|error| protocol(&error))?;
        match answer["errorText"].as_str() {
            Some(error) => Err(RenderError::NotOpened(
                self.state.document_problem().unwrap_or_else(|| error.to_owned()),
            )),
            None => Ok(()),
        }
    }

    /// Waits until the page is at rest. Returns `false` if the time is over before.
    pub(crate) async fn settle(&self, deadline: Instant, limits: &RenderLimits) -> Result<bool, RenderError> {
        loop {
            if Instant::now() >= deadline {
                return Ok(false);
            }
            sleep(LOOK).await;
            if !self.state.is_quiet(limits.rest) {
                continue;
            }
            let rest = self.evaluate("magpie.rest()");
            // An endless script keeps the browser from evaluating anything, so the wait for this
            // answer has an end too.
            let rest = timeout_at(deadline + MAX_READ, rest).await;
            let rest = rest.map_err(|_| RenderError::Unresponsive { limit: limits.time })?;
            // The document may be replaced at this moment.
            let Some(rest) = rest else { continue };
            let age = rest[1].as_f64().unwrap_or_default();
            let age = Duration::try_from_secs_f64(age / 1_000.0).unwrap_or_default();
            if rest[0] == true && age >= limits.rest {
                return Ok(true);
            }
        }
    }

    /// Scrolls to the end of the page as long as that brings more. Returns `false` if the time is
    /// over before.
    async fn scroll(&self, deadline: Instant, limits: &RenderLimits) -> Result<bool, RenderError> {
        let mut size = self.evaluate(SIZE).await;
        for _ in 0..MAX_SCROLLS {
            if self.evaluate("magpie.scroll()").await.is_none() {
                break;
            }
            // Intersection observers are notified with the next frame.
            sleep(FRAME).await;
            if !self.settle(deadline, limits).await? {
                return Ok(false);
            }
            let scrolled = self.evaluate(SIZE).await;
            if scrolled == size {
                break;
            }
            size = scrolled;
        }
        Ok(true)
    }

    async fn read(&self, is_settled: bool, limits: &RenderLimits) -> Result<Document, RenderError> {
        let read = format!("magpie.read({})", limits.bytes);
        let read = timeout(MAX_READ, self.evaluate_soon(&read)).await;
        let read = read.map_err(|_| RenderError::Unresponsive { limit: limits.time })?;
        let url = read[0].as_str().and_then(|url| Url::parse(url).ok());
        let url = url.ok_or_else(|| RenderError::Protocol("the document has no URL".to_owned()))?;
        // The script counts UTF-16 units and returns null above the limit. In UTF-8 the text may be
        // longer.
        let html = read[1].as_str().filter(|html| html.len() as u64 <= limits.bytes);
        let html = html.ok_or(RenderError::TooLarge { limit: limits.bytes })?;
        Ok(Document {
            url,
            status: self.state.status(),
            html: html.to_owned(),
            is_settled,
            links: Vec::new(),
        })
    }

    /// Evaluates an expression in the world of our scripts. Returns `None` if the document is being
    /// replaced.
    pub(crate) async fn evaluate(&self, expression: &str) -> Option<Value> {
        let world = self.world().await?;
        let parameters = json!({ "expression": expression, "contextId": world, "returnByValue": true });
        let answer = self.call("Runtime.evaluate", parameters).await.ok()?;
        // The context of a document that is being replaced ends, and with it the evaluation.
        let is_error = answer.get("exceptionDetails").is_some();
        (!is_error).then(|| answer["result"]["value"].clone())
    }

    /// Evaluates an expression as soon as there is a document.
    async fn evaluate_soon(&self, expression: &str) -> Value {
        loop {
            match self.evaluate(expression).await {
                Some(value) => return value,
                None => sleep(LOOK).await,
            }
        }
    }

    /// Returns the number of the context of our scripts in the document.
    pub(crate) async fn world(&self) -> Option<u64> {
        let parameters = json!({ "frameId": self.target, "worldName": WORLD });
        let world = self.call("Page.createIsolatedWorld", parameters).await.ok()?;
        world["executionContextId"].as_u64()
    }

    pub(crate) async fn call(&self, method: &str, parameters: Value) -> Result<Value, CallError> {
        self.browser.call(Some(&self.session), method, parameters).await
    }

    /// Closes the page and all that it has left. Returns `false` if the browser does not do so.
    async fn close(self) -> bool {
        let context = json!({ "browserContextId": self.context });
        let closed = ask(self.browser, None, "Target.disposeBrowserContext", context).await;
        closed.is_ok()
    }
}

impl Drop for Page<'_> {
    fn drop(&mut self) {
        for task in &self.tasks {
            task.abort();
        }
    }
}

/// Watches the memory of the processes of a page and counts their CPU time.
fn watch(browser: &Browser, state: &Arc<PageState>) -> JoinHandle<()> {
    let (connection, state) = (browser.connection.clone(), Arc::clone(state));
    tokio::spawn(async move {
        loop {
            sleep(WATCH).await;
            let processes = crate::browser::processes(&connection).await;
            state.note_processes(&processes, false);
        }
    })
}

/// Calls a method that the browser answers at once.
async fn ask(
    browser: &Browser,
    session: Option<&str>,
    method: &str,
    parameters: Value,
) -> Result<Value, RenderError> {
    match timeout(MAX_CALL, browser.call(session, method, parameters)).await {
        Ok(answer) => answer.map_err(|error| protocol(&error)),
        Err(_) => Err(RenderError::Protocol(format!(
            "{method} was not answered within {} s",
            MAX_CALL.as_secs()
        ))),
    }
}

fn protocol(error: &CallError) -> RenderError {
    match error {
        CallError::Closed => RenderError::Crashed,
        CallError::Refused { .. } => RenderError::Protocol(error.to_string()),
    }
}

fn text(answer: &Value, name: &str) -> Result<String, RenderError> {
    let text = answer[name].as_str().map(str::to_owned);
    text.ok_or_else(|| RenderError::Protocol(format!("an answer has no `{name}`")))
}
