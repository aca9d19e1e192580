//! Sources of answers: the web, or an archive.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use magpie_http::HttpLimits;
use magpie_model::{CanonicalUrl, PostedForm};
use magpie_rows::ReadStore;
use magpie_rows::{ArchivedResponse, Rendering, RunId, StoreError, Truncated};
use magpie_web::{Client, Exchange, FetchError, Kept, Request, SafeUrl, Truncation};
use url::Url;

use crate::client::{ClientError, client};
use crate::settings::{Resolved, Settings};

/// A source of answers.
pub enum Source {
    /// Requests over the network.
    Web(Arc<Clients>),
    /// An archive; nothing goes over the network.
    Archive(Box<Archive>),
}

impl Source {
    /// The web, as the settings want it.
    pub fn web(resolved: &Resolved) -> Result<Source, ClientError> {
        Ok(Source::Web(Arc::new(Clients::new(resolved)?)))
    }

    /// One exchange.
    pub async fn fetch(&self, request: &Request) -> Result<Exchange, FetchError> {
        match self {
            Source::Web(clients) => {
                let host = request.url.host_str().unwrap_or_default();
                clients.for_host(host).fetch(request).await
            }
            Source::Archive(archive) => archive.answer(request),
        }
    }
}

/// The HTTP clients: one for all sites, and one for each site whose client settings differ.
pub struct Clients {
    usual: Client,
    own: BTreeMap<String, Client>,
}

impl Clients {
    /// The clients that the settings want.
    pub fn new(resolved: &Resolved) -> Result<Clients, ClientError> {
        let mut own = BTreeMap::new();
        for (site, settings) in resolved.sites() {
            if settings.fetch != resolved.settings.fetch {
                own.insert(site.to_owned(), client(settings)?);
            }
        }
        Ok(Clients {
            usual: client(&resolved.settings)?,
            own,
        })
    }

    /// The client that speaks to a host.
    pub fn for_host(&self, host: &str) -> &Client {
        let mut name = host;
        loop {
            if let Some(client) = self.own.get(name) {
                return client;
            }
            match name.split_once('.') {
                Some((_, domain)) if !self.own.is_empty() => name = domain,
                _ => return &self.usual,
            }
        }
    }
}

/// An archive as a source: each URL gets its last recorded answer, and each form that is sent by
/// POST the last one to the same form.
pub struct Archive {
    reader: Mutex<Box<dyn ReadStore + Send>>,
    run: Option<RunId>,
}

impl Archive {
    /// The archive of a workspace: of one of its runs, or of all.
    pub fn new(reader: Box<dyn ReadStore + Send>, run: Option<RunId>) -> Archive {
        Archive {
            reader: Mutex::new(reader),
            run,
        }
    }

    fn answer(&self, request: &Request) -> Result<Exchange, FetchError> {
        let not_kept = |why: Option<String>| FetchError::NotKept {
            url: SafeUrl::new(request.url.clone()),
            why,
        };
        let url = address(request);
        let answer = self
            .find(&url)
            .map_err(|error| not_kept(Some(error.to_string())))?;
        let answer = answer.ok_or_else(|| not_kept(None))?;
        let at = answer.page.fetched_at.into();
        let kept = Kept {
            url,
            at,
            truncated: answer
                .truncated
                .map(|truncated| truncation(truncated, &answer, request)),
            head: answer.head,
            body: answer.body,
        };
        Exchange::kept(kept, HttpLimits::default()).map_err(|problem| not_kept(Some(problem.to_string())))
    }

    /// Returns the page of a request as a browser showed it. `None` if none did, or if the archive
    /// lacks it.
    pub(crate) fn rendering(&self, request: &Request) -> Option<Rendering> {
        let page = self.find(&address(request)).ok()??.page;
        let reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        reader.rendering(page.id).ok()?
    }

    fn find(&self, url: &Url) -> Result<Option<ArchivedResponse>, StoreError> {
        let url = url.as_str();
        let fingerprint = CanonicalUrl::trusted(url).map_or(0, |url| url.fingerprint().0);
        let reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        match reader.latest_response(fingerprint, url, self.run)? {
            Some(page) => reader.archived(page.id),
            None => Ok(None),
        }
    }
}

/// Returns the URL by which the answer to a request is known.
fn address(request: &Request) -> Url {
    let posted = request.form.as_ref().map(|body| PostedForm {
        action: request.url.as_str().to_owned(),
        body: body.clone(),
    });
    let address = posted.and_then(|form| form.address().parse().ok());
    address.unwrap_or_else(|| request.url.clone())
}

/// Returns the reason why an archived body is incomplete.
fn truncation(truncated: Truncated, answer: &ArchivedResponse, request: &Request) -> Truncation {
    // A part that was not wanted then may be wanted now, but it was not kept.
    let media_type = answer.page.media_type.clone().unwrap_or_default();
    let wanted = request
        .media_types
        .as_ref()
        .is_none_or(|types| types.accepts(&media_type));
    if wanted {
        Truncation::Kept {
            word: truncated.word(),
        }
    } else {
        Truncation::NotWanted { media_type }
    }
}

/// Adapts settings for a replay: no politeness is needed, and recorded failures are repeated.
pub fn for_archive(resolved: &mut Resolved) {
    resolved.change_all(|settings: &mut Settings| {
        settings.politeness.delay = Duration::ZERO;
        settings.politeness.autothrottle = false;
        settings.politeness.max_crawl_delay = Duration::ZERO;
        settings.fetch.retries = 0;
    });
}
