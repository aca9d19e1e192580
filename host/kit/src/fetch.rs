//! Fetches one page, for the author of a plugin who types a URL. It is polite by doing so little:
//! one page at a time, under its own name, and a person waits for it.
//!
//! Private addresses are refused as in a crawl, also those that are typed: URLs come from lists and
//! scripts, too.

use std::convert::Infallible;
use std::time::{Duration, SystemTime};

use magpie_http::{Headers, HttpProblem};
use magpie_page::PageSource;
use magpie_web::{
    BadRedirect, Client, ClientSettings, Credentials, Exchange, FetchErrorKind, FollowError, Request,
    Truncation, follow,
};
use url::Url;

#[derive(Clone)]
pub struct FetchSettings {
    pub max_redirects: usize,
    /// Maximum size of a body, before and after decompression.
    pub body_bytes: usize,
    /// Maximum size of a response's head.
    pub head_bytes: usize,
    /// Timeout for everything together, including redirects.
    pub timeout: Duration,
    /// Allowed addresses, proxy, certificates, name resolution and user agent. The limits are those
    /// above.
    pub network: ClientSettings,
}

impl Default for FetchSettings {
    /// Browsers follow 20 redirects; real chains have under 5, and longer ones are loops. Pages
    /// have under 10 MB, heads under 64 KiB. A minute is what a person waits.
    fn default() -> Self {
        FetchSettings {
            max_redirects: 10,
            body_bytes: 32 * 1024 * 1024,
            head_bytes: 64 * 1024,
            timeout: Duration::from_secs(60),
            network: ClientSettings::default(),
        }
    }
}

/// Reason why a page could not be fetched. No message contains a password.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    #[error("{url} can't be fetched: expected an http or https URL; name a file by its path")]
    Scheme { url: Url },
    /// The redirects lead nowhere.
    #[error("{url} can't be fetched")]
    Redirects {
        url: Url,
        #[source]
        cause: Box<FollowError<Infallible>>,
    },
    #[error("{url} did not answer within {seconds} s; try again later")]
    Timeout { url: Url, seconds: u64 },
    #[error("{url} has more than {limit} bytes, the maximum for a page")]
    TooLarge { url: Url, limit: usize },
    /// The body is not whole.
    #[error("{url} could not be read to its end: {truncation}")]
    Cut {
        url: Url,
        /// The reason.
        truncation: Truncation,
    },
    /// The content coding can't be undone.
    #[error("{url} can't be decompressed")]
    Coding {
        url: Url,
        #[source]
        cause: HttpProblem,
    },
    /// There is no answer.
    #[error("{url}{} can't be fetched", .from.as_ref().map_or(String::new(), |from| format!(", to which {from} redirects,")))]
    Fetch {
        url: Url,
        /// The page whose redirects led to it.
        from: Option<Box<Url>>,
        #[source]
        cause: Box<magpie_web::FetchError>,
    },
    /// Nothing can be fetched on this machine.
    #[error("can't start fetching: {0}")]
    Start(String),
}

/// The URL without user name and password, fit to be printed.
pub(crate) fn without_credentials(url: &Url) -> Url {
    let mut url = url.clone();
    // Both fail only for URLs that can't have credentials.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url
}

/// Fetches a page. A status such as 404 is not an error: the page has it.
pub fn fetch(url: &Url, settings: &FetchSettings) -> Result<PageSource, FetchError> {
    let first = without_credentials(url);
    if !matches!(url.scheme(), "http" | "https") || url.host().is_none() {
        return Err(FetchError::Scheme { url: first });
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| FetchError::Start(error.to_string()))?;
    let walk = Walk {
        first,
        credentials: Credentials::from_url(url),
        settings,
    };
    let client = client(settings)?;
    runtime.block_on(async {
        // Each request has this limit too, but a chain of redirects must not take a multiple of it.
        let page = tokio::time::timeout(settings.timeout, walk.to_the_page(&client)).await;
        page.unwrap_or_else(|_| Err(walk.timeout(&walk.first)))
    })
}

fn client(settings: &FetchSettings) -> Result<Client, FetchError> {
    let mut client = settings.network.clone();
    client.timeouts.whole = settings.timeout;
    client.limits.head_bytes = settings.head_bytes;
    client.limits.body_bytes = settings.body_bytes;
    // A small body can decompress to any size.
    client.limits.decoded_bytes = settings.body_bytes;
    Client::new(client).map_err(|error| FetchError::Start(error.to_string()))
}

struct Walk<'a> {
    first: Url,
    credentials: Option<Credentials>,
    settings: &'a FetchSettings,
}

impl Walk<'_> {
    async fn to_the_page(&self, client: &Client) -> Result<PageSource, FetchError> {
        let mut request = Request::new(self.first.clone());
        request.credentials.clone_from(&self.credentials);
        let anywhere = async |_: &Url| Ok(());
        let followed = follow(client, request, self.settings.max_redirects, anywhere).await;
        match (followed.problem, followed.exchanges.last()) {
            // A redirect that names no target has a body like any other page.
            (None | Some(FollowError::BadRedirect(BadRedirect::NoLocation)), Some(exchange)) => {
                self.page(exchange)
            }
            (Some(FollowError::Fetch { url, cause }), _) => Err(self.error(url.reveal(), cause)),
            (Some(cause), _) => Err(FetchError::Redirects {
                url: self.first.clone(),
                cause: Box::new(cause),
            }),
            (None, None) => Err(self.timeout(&self.first)),
        }
    }

    fn page(&self, exchange: &Exchange) -> Result<PageSource, FetchError> {
        self.check_body(exchange)?;
        let headers: Headers = exchange
            .headers()
            .map(|(name, value)| (name.to_owned(), value.into_owned()))
            .collect();
        Ok(PageSource {
            url: exchange.url.clone(),
            status: exchange.status,
            headers: headers_of_decoded(headers),
            fetched_at: SystemTime::now().into(),
            body: exchange.shared_body(),
        })
    }

    fn check_body(&self, exchange: &Exchange) -> Result<(), FetchError> {
        let url = exchange.url.clone();
        let limit = self.settings.body_bytes;
        match &exchange.truncated {
            Some(Truncation::Length { .. }) => return Err(FetchError::TooLarge { url, limit }),
            Some(truncation) => {
                let truncation = truncation.clone();
                return Err(FetchError::Cut { url, truncation });
            }
            None => {}
        }
        match exchange.body_problem() {
            Some(HttpProblem::BodyTooLarge { .. }) => Err(FetchError::TooLarge { url, limit }),
            Some(cause) if cause.spoils_body() || matches!(cause, HttpProblem::BrokenCoding { .. }) => {
                let cause = cause.clone();
                Err(FetchError::Coding { url, cause })
            }
            _ => Ok(()),
        }
    }

    fn error(&self, url: &Url, cause: Box<magpie_web::FetchError>) -> FetchError {
        if cause.kind() == FetchErrorKind::Timeout {
            return self.timeout(url);
        }
        FetchError::Fetch {
            url: url.clone(),
            from: (*url != self.first).then(|| Box::new(self.first.clone())),
            cause,
        }
    }

    fn timeout(&self, url: &Url) -> FetchError {
        FetchError::Timeout {
            url: url.clone(),
            seconds: self.settings.timeout.as_secs(),
        }
    }
}

/// The fields that are true of a body whose codings were undone.
pub(crate) fn headers_of_decoded(headers: Headers) -> Vec<(String, String)> {
    let undone = ["content-encoding", "transfer-encoding", "content-length"];
    let mut pairs = headers.into_pairs();
    pairs.retain(|(name, _)| !undone.iter().any(|gone| name.eq_ignore_ascii_case(gone)));
    pairs
}

/// Parses an absolute URL. An error is a sentence with the remedy.
pub(crate) fn whole_url(text: &str) -> Result<Url, String> {
    Url::parse(text).map_err(|error| match error {
        url::ParseError::RelativeUrlWithoutBase => {
            "not a URL; write it in full, such as https://example.org/x".to_owned()
        }
        error => format!("not a URL ({error})"),
    })
}

#[cfg(test)]
pub(crate) mod tests;
