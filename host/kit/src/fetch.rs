//! Fetches one page, for the author of a plugin who types a URL. It is polite by doing so little: one page at a time,
//! under its own name, and a person waits for it.
//!
//! Redirects are followed here, hop by hop, so that each hop can be judged: a person may name a private address (their own
//! development server), but a page out on the web may not send us into the private network.

mod address;
mod guard;

use std::io::{self, Read};
use std::net::IpAddr;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use base64::Engine;
use magpie_page::PageSource;
use magpie_store::{Headers, HttpLimits, HttpProblem, decode_content};
use ureq::http::{self, Response, header};
use ureq::unversioned::transport::DefaultConnector;
use ureq::{Agent, Body};
use url::Url;

use address::is_private;
use guard::{Guard, PrivateAddress};

/// Says who asks and where to complain.
pub const USER_AGENT: &str = concat!(
    "magpie/",
    env!("CARGO_PKG_VERSION"),
    " (+",
    env!("CARGO_PKG_REPOSITORY"),
    ")"
);

/// What a fetch may take.
#[derive(Clone, Debug)]
pub struct FetchSettings {
    /// What to send as the user agent.
    pub user_agent: String,
    /// How many redirects to follow.
    pub max_redirects: usize,
    /// How many bytes a body may have, before and after decompression.
    pub body_bytes: usize,
    /// How many bytes a response's head may have.
    pub head_bytes: usize,
    /// How long everything together may take, redirects included.
    pub timeout: Duration,
}

impl Default for FetchSettings {
    /// Browsers follow 20 redirects; real chains have under 5, and longer ones are loops. Pages have under 10 MB, heads under 64 KiB.
    /// A minute is what a person waits.
    fn default() -> Self {
        FetchSettings {
            user_agent: USER_AGENT.to_owned(),
            max_redirects: 10,
            body_bytes: 32 * 1024 * 1024,
            head_bytes: 64 * 1024,
            timeout: Duration::from_secs(60),
        }
    }
}

/// Why a page could not be fetched. No message holds a URL's password.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// Not a scheme one can fetch.
    #[error("{url} can't be fetched: only http and https URLs can; name a file by its path")]
    Scheme {
        /// The URL.
        url: Url,
    },
    /// A redirect to something that is no http or https URL.
    #[error("{url} redirects to {target:?}, which is no http or https URL")]
    BadRedirect {
        /// The page that redirects.
        url: Url,
        /// Where to, as written.
        target: String,
    },
    /// More redirects than allowed.
    #[error("{url} redirects more than {limit} times; try the URL it should end at ({last})")]
    TooManyRedirects {
        /// The URL asked for.
        url: Url,
        /// The limit.
        limit: usize,
        /// Where the last redirect that was followed led.
        last: Box<Url>,
    },
    /// A public page that leads into a private network.
    #[error(
        "{from} redirects to {url}, which is the private address {address}; a public page may not lead into \
         your network. If you trust it, fetch {url} itself"
    )]
    RedirectToPrivate {
        /// The page that redirects.
        from: Box<Url>,
        /// Where to.
        url: Url,
        /// The address.
        address: IpAddr,
    },
    /// The name has no address.
    #[error("there is no host {host:?}; check the spelling and the connection")]
    HostNotFound {
        /// The name.
        host: String,
        /// What the system says, where it says more.
        #[source]
        cause: Option<io::Error>,
    },
    /// It took too long.
    #[error("{url} did not answer within {seconds} s; try again later")]
    Timeout {
        /// The URL.
        url: Url,
        /// The time allowed.
        seconds: u64,
    },
    /// No connection, or it broke.
    #[error("{url} could not be read; is the server running?")]
    Connection {
        /// The URL.
        url: Url,
        /// Why.
        #[source]
        cause: io::Error,
    },
    /// The server does not speak HTTP or TLS as it should.
    #[error("{url} answers with something that is no HTTP response, or the secure connection failed")]
    Protocol {
        /// The URL.
        url: Url,
        /// What is wrong.
        #[source]
        cause: Box<ureq::Error>,
    },
    /// The body is larger than allowed.
    #[error("{url} has more than {limit} bytes, which is no page")]
    TooLarge {
        /// The URL.
        url: Url,
        /// The limit.
        limit: usize,
    },
    /// The content coding can't be undone.
    #[error("{url} can't be decompressed")]
    Coding {
        /// The URL.
        url: Url,
        /// Why.
        #[source]
        cause: HttpProblem,
    },
}

/// Fetches a page. A status like 404 is no error: the page says so.
pub fn fetch(url: &Url, settings: &FetchSettings) -> Result<PageSource, FetchError> {
    fetch_judging(url, settings, is_private)
}

/// The URL without user name and password, fit to be printed.
pub fn without_credentials(url: &Url) -> Url {
    let mut url = url.clone();
    // Both fail only for URLs that can't have credentials.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url
}

fn fetch_judging(
    url: &Url,
    settings: &FetchSettings,
    is_private: fn(IpAddr) -> bool,
) -> Result<PageSource, FetchError> {
    let first = without_credentials(url);
    if !is_http(&first) {
        return Err(FetchError::Scheme { url: first });
    }
    let deadline = Instant::now() + settings.timeout;
    let guard = Guard::new(is_private);
    let mut from = first.clone();
    let mut at = first.clone();
    for _ in 0..=settings.max_redirects {
        let hop = Hop {
            settings,
            deadline,
            guard: &guard,
            from: &from,
            at: &at,
        };
        // Who asked with a password gave it for this origin, not for wherever it leads.
        let authorization = if at.origin() == first.origin() {
            authorization(url)
        } else {
            None
        };
        let response = hop.request(authorization.as_deref())?;
        match hop.redirect(&response)? {
            Some(next) => from = std::mem::replace(&mut at, next),
            None => return hop.page(response),
        }
        guard.redirected();
    }
    Err(FetchError::TooManyRedirects {
        url: first,
        limit: settings.max_redirects,
        last: Box::new(at),
    })
}

fn is_http(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https") && url.host().is_some()
}

/// The header for a URL's user name and password.
fn authorization(url: &Url) -> Option<String> {
    let password = url.password().unwrap_or_default();
    if url.username().is_empty() && password.is_empty() {
        return None;
    }
    let mut credentials: Vec<u8> = percent_encoding::percent_decode_str(url.username()).collect();
    credentials.push(b':');
    credentials.extend(percent_encoding::percent_decode_str(password));
    Some(format!(
        "Basic {}",
        base64::engine::general_purpose::STANDARD.encode(credentials)
    ))
}

/// One request of a chain of redirects.
struct Hop<'a> {
    settings: &'a FetchSettings,
    deadline: Instant,
    guard: &'a Guard,
    from: &'a Url,
    at: &'a Url,
}

impl Hop<'_> {
    fn request(&self, authorization: Option<&str>) -> Result<Response<Body>, FetchError> {
        let remaining = self.deadline.saturating_duration_since(Instant::now());
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            // Through a proxy the addresses would be the proxy's, and the guard blind.
            .proxy(None)
            .max_response_header_size(self.settings.head_bytes)
            .timeout_global(Some(remaining))
            .user_agent(&self.settings.user_agent)
            .accept("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8")
            .accept_encoding("gzip, deflate, br, zstd")
            .build();
        let agent = Agent::with_parts(config, DefaultConnector::new(), self.guard.clone());
        let mut request = agent.get(self.at.as_str());
        if let Some(authorization) = authorization {
            request = request.header(header::AUTHORIZATION, authorization);
        }
        request.call().map_err(|error| self.error(error))
    }

    /// Where a response redirects to, if it does.
    fn redirect(&self, response: &Response<Body>) -> Result<Option<Url>, FetchError> {
        if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
            return Ok(None);
        }
        let Some(location) = response.headers().get(header::LOCATION) else {
            return Ok(None);
        };
        let target = String::from_utf8_lossy(location.as_bytes());
        let next = self.at.join(&target).ok().filter(is_http);
        match next {
            Some(mut next) => {
                next = without_credentials(&next);
                // A redirect that names no fragment keeps the one before (RFC 9110, 10.2.2).
                if next.fragment().is_none() {
                    next.set_fragment(self.at.fragment());
                }
                Ok(Some(next))
            }
            None => Err(FetchError::BadRedirect {
                url: self.at.clone(),
                target: target.chars().take(200).collect(),
            }),
        }
    }

    fn page(&self, response: Response<Body>) -> Result<PageSource, FetchError> {
        let (parts, body) = response.into_parts();
        let headers = headers(&parts.headers);
        let body = self.body(body, &headers)?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Ok(PageSource {
            url: self.at.clone(),
            status: parts.status.as_u16(),
            headers: headers_of_decoded(headers),
            fetched_at: i64::try_from(now.as_secs()).unwrap_or(i64::MAX),
            body: body.into(),
        })
    }

    fn body(&self, body: Body, headers: &Headers) -> Result<Vec<u8>, FetchError> {
        let limit = self.settings.body_bytes;
        let too_large = || FetchError::TooLarge {
            url: self.at.clone(),
            limit,
        };
        let mut packed = Vec::new();
        let mut reader = body.into_reader().take(limit as u64 + 1);
        reader
            .read_to_end(&mut packed)
            .map_err(|error| self.error(ureq::Error::from(error)))?;
        if packed.len() > limit {
            return Err(too_large());
        }
        let limits = HttpLimits {
            body_bytes: limit,
            ..HttpLimits::default()
        };
        let decoded = decode_content(packed, headers, &limits);
        match decoded.problem {
            Some(HttpProblem::BodyTooLarge { .. }) => Err(too_large()),
            Some(cause) if cause.spoils_body() || matches!(cause, HttpProblem::BrokenCoding { .. }) => {
                Err(FetchError::Coding {
                    url: self.at.clone(),
                    cause,
                })
            }
            _ => Ok(decoded.body),
        }
    }

    fn error(&self, error: ureq::Error) -> FetchError {
        let url = self.at.clone();
        match error {
            ureq::Error::Timeout(_) => FetchError::Timeout {
                url,
                seconds: self.settings.timeout.as_secs(),
            },
            ureq::Error::HostNotFound => self.host_not_found(None),
            // The system reports an unknown name as an error without a kind of its own.
            ureq::Error::Io(cause) if self.guard.is_resolving() => self.host_not_found(Some(cause)),
            ureq::Error::Io(cause) => FetchError::Connection { url, cause },
            ureq::Error::Other(cause) => match cause.downcast::<PrivateAddress>() {
                Ok(private) => FetchError::RedirectToPrivate {
                    from: Box::new(self.from.clone()),
                    url,
                    address: private.address,
                },
                Err(cause) => FetchError::Protocol {
                    url,
                    cause: Box::new(ureq::Error::Other(cause)),
                },
            },
            error => FetchError::Protocol {
                url,
                cause: Box::new(error),
            },
        }
    }

    fn host_not_found(&self, cause: Option<io::Error>) -> FetchError {
        FetchError::HostNotFound {
            host: self.at.host_str().unwrap_or_default().to_owned(),
            cause,
        }
    }
}

fn headers(map: &http::HeaderMap) -> Headers {
    let text = |value: &http::HeaderValue| match str::from_utf8(value.as_bytes()) {
        Ok(text) => text.to_owned(),
        Err(_) => value.as_bytes().iter().map(|&byte| char::from(byte)).collect(),
    };
    map.iter()
        .map(|(name, value)| (name.as_str().to_owned(), text(value)))
        .collect()
}

/// The fields that are true of a body whose codings were undone.
pub(crate) fn headers_of_decoded(headers: Headers) -> Vec<(String, String)> {
    let undone = ["content-encoding", "transfer-encoding", "content-length"];
    let mut pairs = headers.into_pairs();
    pairs.retain(|(name, _)| !undone.iter().any(|gone| name.eq_ignore_ascii_case(gone)));
    pairs
}

#[cfg(test)]
mod tests;
