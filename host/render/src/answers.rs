//! The requests of a page, and who answers them.

use std::future::Future;
use std::pin::Pin;

use bytes::Bytes;
use magpie_web::{Client, Exchange, Request};
use url::Url;

pub trait Answers: Send + Sync {
    /// Answers one request. Redirects are answers: the browser asks for their target.
    fn answer(&self, request: PageRequest) -> Answering<'_>;

    /// Returns `true` if an element may be clicked, by its names and its text.
    fn may_click(&self, said: &str) -> bool {
        let _ = said;
        true
    }
}

pub type Answering<'a> = Pin<Box<dyn Future<Output = PageAnswer> + Send + 'a>>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageRequest {
    pub url: Url,
    pub resource: Resource,
    /// The header fields that scripts have set and those that depend on the page, such as `Accept`
    /// and `X-Requested-With`.
    pub headers: Vec<(String, String)>,
    /// The cookies that answers to this page and its scripts have set, as in `Cookie`.
    pub cookie: Option<String>,
}

/// The answer to a request of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PageAnswer {
    Response {
        status: u16,
        headers: Vec<(String, String)>,
        /// Its body, content codings undone.
        body: Bytes,
    },
    /// A rule forbids the request.
    Refused {
        /// A sentence for people.
        reason: String,
    },
    Failed {
        reason: String,
    },
}

impl From<&Exchange> for PageAnswer {
    /// Returns the response as a browser takes it. One that was cut off has failed.
    fn from(exchange: &Exchange) -> PageAnswer {
        if let Some(truncation) = &exchange.truncated {
            return PageAnswer::Failed {
                reason: truncation.to_string(),
            };
        }
        PageAnswer::Response {
            status: exchange.status,
            headers: exchange
                .headers()
                .map(|(name, value)| (name.to_owned(), value.into_owned()))
                .collect(),
            body: exchange.shared_body(),
        }
    }
}

/// Asks a client for everything that a page asks for, by no rules but those of the client.
#[derive(Debug)]
pub struct AskedOfClient(pub Client);

impl Answers for AskedOfClient {
    fn answer(&self, asked: PageRequest) -> Answering<'_> {
        Box::pin(async move {
            let mut request = Request::new(asked.url);
            request.headers = asked.headers;
            match self.0.fetch(&request).await {
                Ok(exchange) => PageAnswer::from(&exchange),
                Err(error) => PageAnswer::Failed {
                    reason: error.to_string(),
                },
            }
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Resource {
    /// The page itself, or a page that a script leads to.
    Document,
    Script,
    /// Data that a script asks for.
    Data,
    Stylesheet,
    Image,
    Font,
    /// Sound, video, subtitles.
    Media,
    /// A page inside the page.
    Frame,
    /// Anything else: beacons, manifests, streams of events.
    Other,
}

impl Resource {
    /// Reads the name that the DevTools protocol has for a purpose.
    pub(crate) fn parse(name: &str) -> Resource {
        match name {
            "Document" => Resource::Document,
            "Script" => Resource::Script,
            "XHR" | "Fetch" => Resource::Data,
            "Stylesheet" => Resource::Stylesheet,
            "Image" => Resource::Image,
            "Font" => Resource::Font,
            "Media" | "TextTrack" => Resource::Media,
            _ => Resource::Other,
        }
    }

    /// A word that stays the same, for records.
    pub fn word(self) -> &'static str {
        match self {
            Resource::Document => "document",
            Resource::Script => "script",
            Resource::Data => "data",
            Resource::Stylesheet => "stylesheet",
            Resource::Image => "image",
            Resource::Font => "font",
            Resource::Media => "media",
            Resource::Frame => "frame",
            Resource::Other => "other",
        }
    }
}
