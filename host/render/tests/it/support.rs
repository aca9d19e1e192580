//! Answers out of a function, and renderers for them.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use magpie_render::{
    Answering, Answers, Document, PageAnswer, PageRequest, RenderLimits, RenderSettings, Rendered, Renderer,
    RequestOutcome,
};
use magpie_test_support::has_program;
use tokio::runtime::Runtime;
use url::Url;

type Function = dyn Fn(&PageRequest) -> PageAnswer + Send + Sync;

/// Answers requests out of a function and remembers them.
struct Computed {
    function: Box<Function>,
    asked: Arc<Mutex<Vec<PageRequest>>>,
}

impl Answers for Computed {
    fn answer(&self, request: PageRequest) -> Answering<'_> {
        let answer = (self.function)(&request);
        self.asked.lock().expect("no panic under the lock").push(request);
        Box::pin(async move { answer })
    }
}

/// A browser for a test, and the runtime that it lives in.
pub(crate) struct Tester {
    runtime: Runtime,
    renderer: Renderer,
}

/// A rendered page and the requests that were handed in.
pub(crate) struct Outcome {
    pub(crate) rendered: Rendered,
    pub(crate) asked: Vec<PageRequest>,
}

impl Tester {
    /// Starts a browser. Skips the test and returns `None` where there is none.
    pub(crate) fn start(settings: RenderSettings) -> Option<Tester> {
        if !has_program("chromium") {
            return None;
        }
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build();
        let tester = Tester {
            runtime: runtime.expect("a runtime"),
            renderer: Renderer::new(settings),
        };
        let first = tester.render("http://begin.test/", |_| html("<p>begin"));
        first.rendered.document.expect("a document");
        Some(tester)
    }

    /// Renders a page whose requests are answered by a function.
    pub(crate) fn render(
        &self,
        url: &str,
        function: impl Fn(&PageRequest) -> PageAnswer + Send + Sync + 'static,
    ) -> Outcome {
        let asked = Arc::new(Mutex::new(Vec::new()));
        let answers = Arc::new(Computed {
            function: Box::new(function),
            asked: Arc::clone(&asked),
        });
        let url: Url = url.parse().expect("a URL");
        let rendered = self.runtime.block_on(self.renderer.render(&url, answers));
        let asked = asked.lock().expect("no panic under the lock").clone();
        Outcome { rendered, asked }
    }

    /// Renders a page whose requests are answered by the caller.
    pub(crate) fn render_with(&self, url: &str, answers: Arc<dyn Answers>) -> Rendered {
        let url: Url = url.parse().expect("a URL");
        self.runtime.block_on(self.renderer.render(&url, answers))
    }

    /// Renders one page; whatever else it asks for is missing.
    pub(crate) fn page(&self, body: &str) -> Outcome {
        let body = body.to_owned();
        self.render("http://site.test/page", move |request| match request.url.path() {
            "/page" => html(&body),
            _ => missing(),
        })
    }
}

impl Outcome {
    pub(crate) fn document(&self) -> &Document {
        self.rendered.document.as_ref().expect("a document")
    }

    /// The code of the reason why there is no document.
    pub(crate) fn code(&self) -> &'static str {
        match &self.rendered.document {
            Ok(document) => panic!("there is a document: {}", document.html),
            Err(error) => error.code(),
        }
    }

    /// The outcome of the request whose URL has this ending.
    pub(crate) fn outcome(&self, ending: &str) -> &RequestOutcome {
        let mut requests = self.rendered.requests.iter();
        let request = requests.find(|request| request.url.ends_with(ending));
        &request
            .unwrap_or_else(|| panic!("{ending} is not among {:?}", self.rendered.requests))
            .outcome
    }
}

/// Settings whose time does not end on a busy machine.
pub(crate) fn patient() -> RenderSettings {
    RenderSettings {
        limits: RenderLimits {
            time: Duration::from_secs(120),
            ..RenderLimits::default()
        },
        ..RenderSettings::default()
    }
}

pub(crate) fn html(body: &str) -> PageAnswer {
    response(200, &[("Content-Type", "text/html; charset=utf-8")], body)
}

/// Data that any origin may read.
pub(crate) fn json(body: &str) -> PageAnswer {
    let headers = [
        ("Content-Type", "application/json"),
        ("Access-Control-Allow-Origin", "*"),
    ];
    response(200, &headers, body)
}

pub(crate) fn missing() -> PageAnswer {
    response(404, &[("Content-Type", "text/plain")], "not here")
}

pub(crate) fn response(status: u16, headers: &[(&str, &str)], body: &str) -> PageAnswer {
    PageAnswer::Response {
        status,
        headers: headers
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect(),
        body: Bytes::copy_from_slice(body.as_bytes()),
    }
}
