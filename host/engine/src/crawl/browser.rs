//! Pages as a browser shows them, in a crawl.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use bytes::Bytes;
use magpie_http::HttpLimits;
use magpie_patterns::rendering::Mode;
use magpie_rows::{ProbedLink, Rendering};
use magpie_web::{Exchange, Kept};
use url::Url;

use super::host::Job;
use super::pace::Paces;
use super::rules::SiteRules;
use crate::settings::RenderedPages;

/// Header fields of a page that hold for its document in a browser, too.
const KEPT_HEADERS: [&str; 3] = ["link", "x-robots-tag", "refresh"];

/// A page that is being shown.
pub type Showing<'a> = Pin<Box<dyn Future<Output = Shown> + Send + 'a>>;

/// A request that is being made.
pub type Fetching<'a> = Pin<Box<dyn Future<Output = Option<Exchange>> + Send + 'a>>;

/// Shows pages as their readers see them, after their scripts have run. All requests of a page keep
/// the rules of a crawl.
pub trait Browser: Send + Sync {
    /// Shows a page that was fetched.
    fn show<'a>(&'a self, page: &'a Exchange) -> Showing<'a>;

    /// Fetches a URL that scripts of a page ask for, as a crawl would. `None` if that is forbidden
    /// or fails.
    fn fetch<'a>(&'a self, page: &'a Url, url: &'a Url) -> Fetching<'a>;

    /// The paces of the hosts that it asks.
    fn paces(&self) -> &Paces;
}

/// A page that was opened in a browser.
#[derive(Debug)]
pub struct Shown {
    /// The document, or the reason why there is none.
    pub document: Result<ShownDocument, NotShown>,
    /// The answers to the requests of its scripts, in the order in which they came.
    pub exchanges: Vec<Exchange>,
    /// CPU time of the browser.
    pub cpu: Duration,
    /// The time it took.
    pub took: Duration,
    /// Answered requests.
    pub requests: u64,
    /// Bytes of their answers.
    pub bytes: u64,
}

/// The document of a page after its scripts have run.
#[derive(Clone, Debug)]
pub struct ShownDocument {
    /// Its elements as HTML.
    pub html: Bytes,
    /// URLs that elements lead to by script.
    pub links: Vec<ProbedLink>,
}

/// Reason why a browser has no document of a page.
#[derive(Clone, Debug)]
pub struct NotShown {
    /// A word that stays the same, for statistics.
    pub code: &'static str,
    /// The reason for people.
    pub sentence: String,
}

impl fmt::Display for NotShown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence)
    }
}

impl Shown {
    /// Returns the URLs of JSON that scripts fetched.
    pub fn data(&self) -> impl Iterator<Item = &Url> {
        let answers = self.exchanges.iter().filter(|exchange| {
            let media_type = exchange.media_type();
            let is_json = media_type.is_some_and(|media_type| media_type.ends_with("json"));
            is_json && exchange.status == 200 && exchange.truncated.is_none()
        });
        answers.map(|exchange| &exchange.url)
    }

    /// Returns the record of it; `None` if there is no document.
    pub(super) fn rendering(&self) -> Option<Rendering> {
        let document = self.document.as_ref().ok()?;
        Some(Rendering {
            html: document.html.clone(),
            links: document.links.clone(),
            requests: self.requests,
            bytes: self.bytes,
            cpu: self.cpu,
        })
    }
}

/// Returns a document as the answer to the request for its page, so that it is read as the page is.
/// `None` if its headers can't be written down.
pub(crate) fn as_answer(page: &Exchange, html: &Bytes) -> Option<Exchange> {
    let mut head = format!(
        "HTTP/1.1 {} OK\r\nContent-Type: text/html; charset=utf-8\r\n",
        page.status
    );
    for name in KEPT_HEADERS {
        for value in page.header_all(name) {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
    }
    head.push_str("\r\n");
    let kept = Kept {
        url: page.url.clone(),
        at: page.started_at,
        head: head.into(),
        body: html.clone(),
        truncated: None,
    };
    Exchange::kept(kept, HttpLimits::default()).ok()
}

/// Returns `true` if an answer is a page that a browser can show.
pub(crate) fn is_html(exchange: &Exchange) -> bool {
    let media_type = exchange.media_type();
    matches!(media_type.as_deref(), Some("text/html" | "application/xhtml+xml"))
}

/// Returns `true` if a page is to be shown by a browser.
pub(super) fn is_wanted(rules: &SiteRules, job: &Job) -> bool {
    let Job::Page(page) = job else { return false };
    // A browser would ask for the action by GET, which is another page.
    if page.form.is_some() {
        return false;
    }
    match rules.settings.render.pages {
        RenderedPages::Never => false,
        RenderedPages::Needed => rules.reading.rendering.mode(&page.url) == Mode::Render,
        RenderedPages::All => true,
    }
}
