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
use std::sync::atomic::{AtomicU64, Ordering};

use magpie_render::{BrowserChoice, ProbeLimits, RenderLimits, RenderSettings, Renderer};
use magpie_rows::{CrawlStore, ProbedLink};
use magpie_web::{Exchange, Request};
use url::Url;

pub(crate) use crate::crawl::is_html;
use crate::crawl::{Browser, Fetching, NotShown, Paces, Showing, Shown, ShownDocument, as_answer};
use crate::settings::{RenderedPages, Resolved, Settings};
use crate::{ClientError, Clients, Clock};
use answers::PageAnswers;
pub(crate) use hosts::{Hosts, NoAnswer};

/// Browsers and the paces of hosts, shared by the crawls of a session.
pub struct Browsers {
    renderer: Renderer,
    settings: RenderSettings,
    paces: Paces,
    pages: AtomicU64,
}

impl Browsers {
    /// Browsers as the settings want them. They are started when they are needed.
    pub fn new(settings: &Settings) -> Result<Browsers, ClientError> {
        let settings = render_settings(settings)?;
        Ok(Browsers {
            renderer: Renderer::new(settings.clone()),
            settings,
            paces: Paces::default(),
            pages: AtomicU64::new(0),
        })
    }

    /// Returns the browsers that crawls want by the settings, if they want any: those that there
    /// are, or others.
    pub(crate) fn wanted(
        resolved: &Resolved,
        known: Option<Arc<Browsers>>,
    ) -> Result<Option<Arc<Browsers>>, ClientError> {
        let of_sites = resolved.sites().map(|(_, settings)| settings);
        let mut all = of_sites.chain([&resolved.settings]);
        if all.all(|settings| settings.render.pages == RenderedPages::Never) {
            return Ok(None);
        }
        let wanted = render_settings(&resolved.settings)?;
        match known.filter(|known| known.settings == wanted) {
            Some(known) => Ok(Some(known)),
            None => Ok(Some(Arc::new(Browsers::new(&resolved.settings)?))),
        }
    }

    /// Returns the paces of the hosts that they ask.
    pub(crate) fn paces(&self) -> Paces {
        self.paces.clone()
    }

    /// Returns the number of pages that were opened in them.
    pub fn pages(&self) -> u64 {
        self.pages.load(Ordering::Relaxed)
    }
}

/// Renders pages with the clients and rules of a crawl.
pub struct PageRenderer {
    browsers: Arc<Browsers>,
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
        let browsers = Arc::new(Browsers::new(&settings.settings)?);
        PageRenderer::of_crawl(browsers, clients, settings, clock, None)
    }

    /// A renderer for a crawl, which knows the files of robots that the store does.
    pub(crate) fn of_crawl(
        browsers: Arc<Browsers>,
        clients: Arc<Clients>,
        settings: Arc<Resolved>,
        clock: Clock,
        store: Option<Arc<dyn CrawlStore>>,
    ) -> Result<PageRenderer, ClientError> {
        let paces = browsers.paces.clone();
        Ok(PageRenderer {
            hosts: Arc::new(Hosts::new(clients, settings, clock, paces, store)?),
            browsers,
        })
    }

    /// Opens a page in a browser, with the answer that it got before.
    pub async fn render(&self, page: &Exchange) -> RenderedPage {
        self.hosts.note_asked(&page.url, page.started_at.into());
        self.open(page).await
    }

    async fn open(&self, page: &Exchange) -> RenderedPage {
        self.browsers.pages.fetch_add(1, Ordering::Relaxed);
        let answers = Arc::new(PageAnswers::new(Arc::clone(&self.hosts), page));
        let renderer = &self.browsers.renderer;
        let rendered = renderer.render(&page.url, Arc::clone(&answers) as _).await;
        RenderedPage {
            rendered,
            exchanges: answers.exchanges(),
        }
    }

    /// Returns `true` if a browser was started without its sandbox.
    pub fn lacks_sandbox(&self) -> bool {
        self.browsers.renderer.lacks_sandbox()
    }
}

impl Browser for PageRenderer {
    fn show<'a>(&'a self, page: &'a Exchange) -> Showing<'a> {
        Box::pin(async move {
            let RenderedPage { rendered, exchanges } = self.open(page).await;
            let is_answered =
                |request: &&SentRequest| matches!(request.outcome, RequestOutcome::Answered { .. });
            Shown {
                exchanges,
                cpu: rendered.cpu,
                took: rendered.took,
                requests: rendered.requests.iter().filter(is_answered).count() as u64,
                bytes: rendered.bytes,
                document: match rendered.document {
                    Ok(document) => Ok(shown(document)),
                    Err(error) => Err(NotShown {
                        code: error.code(),
                        sentence: error.to_string(),
                    }),
                },
            }
        })
    }

    fn fetch<'a>(&'a self, page: &'a Url, url: &'a Url) -> Fetching<'a> {
        Box::pin(async move { self.hosts.fetch(page, &Request::new(url.clone())).await.ok() })
    }

    fn paces(&self) -> &Paces {
        &self.browsers.paces
    }
}

fn shown(document: Document) -> ShownDocument {
    let links = document.links.into_iter().map(|link| ProbedLink {
        url: link.url.into(),
        text: link.text,
        path: link.path,
    });
    ShownDocument {
        links: links.collect(),
        html: document.html.into(),
    }
}

/// Returns a rendered document as the answer to the request for the page, so that it is read as the
/// page is. `None` if its headers can't be written down.
pub(crate) fn as_exchange(page: &Exchange, document: &Document) -> Option<Exchange> {
    as_answer(page, &document.html.clone().into())
}

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
