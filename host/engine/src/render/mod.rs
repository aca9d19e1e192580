//! Pages in a browser, under the rules of a crawl.
//!
//! The page itself was fetched before. What its scripts ask for goes through the clients of the
//! source: the guard of addresses, robots.txt, politeness, cookies and limits hold as for pages.
//! `docs/decisions/034-rendering.md` has the reasons.

mod answers;
mod hosts;

pub use magpie_render::{Document, Refusal, RenderError, Rendered, RequestOutcome, SentRequest};

use std::path::PathBuf;
use std::sync::Arc;

use magpie_http::HttpLimits;
use magpie_render::{BrowserChoice, ProbeLimits, RenderLimits, RenderSettings, Renderer};
use magpie_web::{Exchange, Kept};

use crate::settings::{Resolved, Settings};
use crate::{ClientError, Clients, Clock};
use answers::PageAnswers;
use hosts::Hosts;

/// Renders pages with the clients and rules of a crawl.
pub struct PageRenderer {
    renderer: Renderer,
    hosts: Arc<Hosts>,
}

/// A page that was opened in a browser.
#[derive(Debug)]
pub struct RenderedPage {
    /// The document, or the reason why there is none, and the cost.
    pub rendered: Rendered,
    /// The answers to the requests of its scripts, in the order in which they came. The page itself
    /// is not among them, and neither are scripts that an earlier page has asked for.
    pub exchanges: Vec<Exchange>,
}

impl PageRenderer {
    /// A renderer as the settings want it. Browsers are started when they are needed.
    pub fn new(
        clients: Arc<Clients>,
        settings: Arc<Resolved>,
        clock: Clock,
    ) -> Result<PageRenderer, ClientError> {
        Ok(PageRenderer {
            renderer: Renderer::new(render_settings(&settings.settings)?),
            hosts: Arc::new(Hosts::new(clients, settings, clock)?),
        })
    }

    /// Opens a page in a browser, with the answer that it got before.
    pub async fn render(&self, page: &Exchange) -> RenderedPage {
        self.hosts.note_fetched(page).await;
        let answers = Arc::new(PageAnswers::new(Arc::clone(&self.hosts), page));
        let rendered = self.renderer.render(&page.url, Arc::clone(&answers) as _).await;
        RenderedPage {
            rendered,
            exchanges: answers.exchanges(),
        }
    }

    /// Returns `true` if a browser was started without its sandbox.
    pub fn lacks_sandbox(&self) -> bool {
        self.renderer.lacks_sandbox()
    }
}

/// Returns `true` if an answer is a page that a browser can show.
pub fn is_html(exchange: &Exchange) -> bool {
    let media_type = exchange.media_type();
    matches!(media_type.as_deref(), Some("text/html" | "application/xhtml+xml"))
}

/// Returns a rendered document as the answer to the request for the page, so that it is read as the
/// page is. `None` if its headers can't be written down.
pub fn as_exchange(page: &Exchange, document: &Document) -> Option<Exchange> {
    let mut head = format!(
        "HTTP/1.1 {} OK\r\nContent-Type: text/html; charset=utf-8\r\n",
        page.status
    );
    // What the page says of itself outside of its elements holds for the document too.
    for name in ["link", "x-robots-tag", "refresh"] {
        for value in page.header_all(name) {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
    }
    head.push_str("\r\n");
    let kept = Kept {
        url: page.url.clone(),
        at: page.started_at,
        head: head.into(),
        body: document.html.clone().into(),
        truncated: None,
    };
    Exchange::kept(kept, HttpLimits::default()).ok()
}

/// Returns the settings of a renderer.
fn render_settings(settings: &Settings) -> Result<RenderSettings, ClientError> {
    let render = &settings.render;
    let number = |value: u64| u32::try_from(value).unwrap_or(u32::MAX);
    let browser = match (render.cdp.as_str(), render.browser.as_str()) {
        ("", "") => BrowserChoice::Found,
        ("", program) => BrowserChoice::Program(PathBuf::from(program)),
        (endpoint, _) => BrowserChoice::Endpoint(endpoint.parse().map_err(ClientError::Endpoint)?),
    };
    Ok(RenderSettings {
        browser,
        browsers: usize::try_from(render.browsers).unwrap_or(usize::MAX),
        limits: RenderLimits {
            time: render.time,
            memory: render.memory.0,
            requests: number(render.requests),
            bytes: render.bytes.0,
            ..RenderLimits::default()
        },
        probe: (render.clicks > 0).then(|| ProbeLimits {
            clicks: number(render.clicks),
            ..ProbeLimits::default()
        }),
    })
}
