//! The outcome of rendering a page.

use std::time::Duration;

use url::Url;

use crate::{BrowserError, Resource};

/// A page that was opened in a browser: its document, or the reason why there is none, and its
/// cost.
#[derive(Debug)]
pub struct Rendered {
    /// The document after its scripts have run.
    pub document: Result<Document, RenderError>,
    /// The requests of the page, in the order in which they were made. Those beyond the number that
    /// is allowed, and those that are refused for their purpose after that, are left out.
    pub requests: Vec<SentRequest>,
    /// Other actions of the page that were refused.
    pub refused: Vec<Refused>,
    /// CPU time of all processes of the browser.
    pub cpu: Duration,
    /// Bytes of the answers, as the page received them.
    pub bytes: u64,
    pub took: Duration,
}

/// A document after its scripts have run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// Its URL, after redirects and scripts.
    pub url: Url,
    pub status: u16,
    /// Its elements as HTML.
    pub html: String,
    /// `true` if the page came to rest before the time was over.
    pub is_settled: bool,
    /// Links that hovering and clicking led to and that no element names.
    pub links: Vec<ProbedLink>,
}

/// A URL that an element leads to by script.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProbedLink {
    pub url: Url,
    pub text: String,
    /// The place of the element in the document: tag names and positions, from the root.
    pub path: String,
}

/// A request of a page, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentRequest {
    pub url: String,
    pub method: String,
    pub resource: Resource,
    pub outcome: RequestOutcome,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequestOutcome {
    Answered {
        status: u16,
        /// Bytes of the body.
        bytes: u64,
    },
    /// It was not made, because it is of no use or a limit is reached.
    Refused(Refusal),
    Forbidden(String),
    Failed(String),
    /// The page was left before the answer came.
    Abandoned,
}

/// Something other than a request that a page tried and that was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    pub reason: Refusal,
    /// A URL, the text of a dialog, or the name of a permission. Shortened.
    pub detail: String,
    /// The number of times. Details of repetitions are not kept.
    pub times: u64,
}

/// Reasons why an action of a page is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Refusal {
    /// The purpose of the request is of no use to a crawler: images, fonts, media, frames, styles.
    Resource,
    Tracker,
    /// The method is not GET.
    Method,
    /// The URL is not of `http` or `https`.
    Scheme,
    /// The page has made as many requests as are allowed.
    RequestLimit,
    /// The page has received as many bytes as are allowed.
    ByteLimit,
    Download,
    Dialog,
    Window,
    /// A worker, shared worker or service worker.
    Worker,
    /// A WebSocket, a WebTransport session or a peer-to-peer connection.
    Socket,
    /// A permission: the position, notifications, the camera.
    Permission,
}

impl Refusal {
    /// A word that stays the same, for records and statistics.
    pub fn word(self) -> &'static str {
        match self {
            Refusal::Resource => "resource",
            Refusal::Tracker => "tracker",
            Refusal::Method => "method",
            Refusal::Scheme => "scheme",
            Refusal::RequestLimit => "request-limit",
            Refusal::ByteLimit => "byte-limit",
            Refusal::Download => "download",
            Refusal::Dialog => "dialog",
            Refusal::Window => "window",
            Refusal::Worker => "worker",
            Refusal::Socket => "socket",
            Refusal::Permission => "permission",
        }
    }
}

/// Reason why a page has no rendered document.
#[derive(Debug, thiserror::Error)]
pub enum RenderError {
    /// No browser can be started or spoken to.
    #[error(transparent)]
    Browser(#[from] BrowserError),
    /// The page itself was refused or could not be fetched.
    #[error("the page was not opened: {0}")]
    NotOpened(String),
    /// The page did not react within the time.
    #[error("the page did not react within {} s", .limit.as_secs_f64())]
    Unresponsive { limit: Duration },
    /// The page took more memory than it may.
    #[error("the page took more than {} MiB of memory", .limit >> 20)]
    Memory { limit: u64 },
    #[error("the browser ended while it showed the page")]
    Crashed,
    /// Scripts lead from page to page.
    #[error("scripts led to more than {limit} pages")]
    Navigations { limit: u32 },
    /// The document is too large.
    #[error("the rendered page has more than {limit} bytes")]
    TooLarge { limit: u64 },
    /// The browser does not keep to the protocol.
    #[error("the browser answered unexpectedly: {0}")]
    Protocol(String),
}

impl RenderError {
    /// A word that stays the same, for records and statistics.
    pub fn code(&self) -> &'static str {
        match self {
            RenderError::Browser(_) => "no-browser",
            RenderError::NotOpened(_) => "not-opened",
            RenderError::Unresponsive { .. } => "unresponsive",
            RenderError::Memory { .. } => "memory",
            RenderError::Crashed => "crashed",
            RenderError::Navigations { .. } => "navigations",
            RenderError::TooLarge { .. } => "too-large",
            RenderError::Protocol(_) => "protocol",
        }
    }
}
