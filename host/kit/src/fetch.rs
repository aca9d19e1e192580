//! Fetches one page, for the author of a plugin who types a URL. It is polite by doing so little:
//! one page at a time, under its own name, and a person waits for it.
//!
//! Redirects are followed here, hop by hop, so that each hop can be judged: a person may name a
//! private address (their own development server), but a page out on the web may not send us into
//! the private network. From the first hop that a public address answered, the client is the one
//! that a crawl has, which refuses private addresses.

use std::time::{Duration, SystemTime};

use magpie_http::{Headers, HttpProblem};
use magpie_page::PageSource;
use magpie_web::{
    AddressPolicy, BadRedirect, Client, ClientSettings, Credentials, Exchange, FetchErrorKind, Refusal,
    Request, Truncation,
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
    /// Proxy, certificates, name resolution and user agent. Addresses and limits are those above.
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
    #[error("{url} can't be fetched")]
    BadRedirect {
        /// The page that redirects.
        url: Url,
        #[source]
        cause: BadRedirect,
    },
    #[error("{url} redirects more than {limit} times; try the URL it should end at ({last})")]
    TooManyRedirects {
        url: Url,
        limit: usize,
        /// Target of the last followed redirect.
        last: Box<Url>,
    },
    /// A public page that leads into a private network.
    #[error(
        "{from} redirects to {url}, which is the private address {address} ({}); a public page may not lead into \
         your network. If you trust it, fetch {url} itself",
        .refusal.range.name,
        address = .refusal.address
    )]
    RedirectToPrivate {
        /// The page that redirects.
        from: Box<Url>,
        url: Url,
        refusal: Box<Refusal>,
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
    #[error("{url} can't be fetched")]
    Fetch {
        url: Url,
        #[source]
        cause: Box<magpie_web::FetchError>,
    },
    /// Nothing can be fetched on this machine.
    #[error("can't start fetching: {0}")]
    Start(String),
}

/// Fetches a page. A status such as 404 is not an error: the page has it.
pub fn fetch(url: &Url, settings: &FetchSettings) -> Result<PageSource, FetchError> {
    fetch_judging(url, settings, AddressPolicy::default())
}

/// The URL without user name and password, fit to be printed.
pub(crate) fn without_credentials(url: &Url) -> Url {
    let mut url = url.clone();
    // Both fail only for URLs that can't have credentials.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url
}

fn fetch_judging(
    url: &Url,
    settings: &FetchSettings,
    public: AddressPolicy,
) -> Result<PageSource, FetchError> {
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
        anywhere: client(settings, AddressPolicy::anywhere())?,
        public: client(settings, public)?,
    };
    runtime.block_on(async {
        // Each request has this limit too, but a chain of redirects must not take a multiple of it.
        let page = tokio::time::timeout(settings.timeout, walk.to_the_page()).await;
        page.unwrap_or_else(|_| Err(walk.timeout(&walk.first)))
    })
}

fn client(settings: &FetchSettings, addresses: AddressPolicy) -> Result<Client, FetchError> {
    let mut client = ClientSettings {
        addresses,
        ..settings.network.clone()
    };
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
    /// For what a person named, and where their own servers lead.
    anywhere: Client,
    /// The client after a hop to a public address: it refuses private ones.
    public: Client,
}

impl Walk<'_> {
    async fn to_the_page(&self) -> Result<PageSource, FetchError> {
        let mut client = &self.anywhere;
        let mut from = self.first.clone();
        let mut at = self.first.clone();
        for _ in 0..=self.settings.max_redirects {
            let mut request = Request::new(at.clone());
            // A password was given for this origin, not for the targets of its redirects.
            if at.origin() == self.first.origin() {
                request.credentials.clone_from(&self.credentials);
            }
            let exchange = client.fetch(&request).await;
            let exchange = exchange.map_err(|error| self.error(error, &from, &at))?;
            match exchange.redirect_target() {
                // A redirect that names no target has a body like any other page.
                None | Some(Err(BadRedirect::NoLocation)) => return self.page(&exchange),
                Some(Err(cause)) => return Err(FetchError::BadRedirect { url: at, cause }),
                Some(Ok(next)) => from = std::mem::replace(&mut at, next),
            }
            // From here on, someone else's page leads the way. No later hop returns to the client
            // that may reach private addresses.
            let policy = &self.public.settings().addresses;
            if policy.judge(exchange.remote.ip()).is_ok() {
                client = &self.public;
            }
        }
        Err(FetchError::TooManyRedirects {
            url: self.first.clone(),
            limit: self.settings.max_redirects,
            last: Box::new(at),
        })
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

    fn error(&self, error: magpie_web::FetchError, from: &Url, at: &Url) -> FetchError {
        let url = at.clone();
        match error {
            // The first client refuses no address, so only the target of a redirect can be refused.
            magpie_web::FetchError::RefusedAddress { refusal, .. } => FetchError::RedirectToPrivate {
                from: Box::new(from.clone()),
                url,
                refusal: Box::new(refusal),
            },
            error if error.kind() == FetchErrorKind::Timeout => self.timeout(at),
            cause => FetchError::Fetch {
                url,
                cause: Box::new(cause),
            },
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
mod tests;
