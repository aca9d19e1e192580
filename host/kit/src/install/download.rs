//! Downloads, limited in size and time.

use std::time::Duration;

use magpie_http::HttpProblem;
use magpie_runtime::MAX_COMPONENT_BYTES;
use magpie_web::{
    Client, ClientSettings, Exchange, FetchError, FetchErrorKind, FollowError, MAX_REDIRECTS, Request,
    Truncation, follow,
};
use url::Url;

use super::source::is_loopback;

/// Time for a component with all its requests: the largest allowed at 450 KB/s.
pub(super) const MAX_TIME: Duration = Duration::from_secs(300);

/// Maximum number of characters of a server's words in a message.
const MAX_SHOWN: usize = 80;

#[derive(Debug, thiserror::Error)]
pub enum DownloadError {
    /// There is no answer.
    #[error("{url} can't be fetched: {cause}")]
    Fetch {
        url: Box<Url>,
        #[source]
        cause: Box<FetchError>,
    },
    /// A redirect can't be followed.
    #[error("{0}")]
    Redirect(String),
    /// A redirect leads to a URL whose content anyone on the way can change.
    #[error("it leads to {0}, which is not encrypted")]
    Insecure(Box<Url>),
    #[error("{url} answered with status {status}")]
    Status { url: Box<Url>, status: u16 },
    #[error("{url} has more than {limit} bytes")]
    TooLarge { url: Box<Url>, limit: usize },
    /// The body is not whole.
    #[error("{url} could not be read to its end: {truncation}")]
    Cut {
        url: Box<Url>,
        /// The reason.
        truncation: Truncation,
    },
    /// The content coding can't be undone.
    #[error("{url} can't be decompressed: {cause}")]
    Coding { url: Box<Url>, cause: HttpProblem },
}

impl DownloadError {
    /// Advice on how to resolve the error.
    pub(super) fn hint(&self) -> String {
        let hint = match self {
            Self::Fetch { cause, .. } if cause.kind() == FetchErrorKind::RefusedAddress => {
                "if you trust that network, allow the address with `--set network.allow_addresses=RANGE`"
            }
            Self::Fetch { .. } => {
                "check the URL, the network, and the groups `network` and `fetch` of the settings"
            }
            Self::Redirect(_) | Self::Insecure(_) => "pass the URL to which it redirects",
            Self::Status {
                status: 401 | 403, ..
            } => "only public files can be fetched; download it and add it by its path",
            Self::Status { status: 429, .. } => "wait before the next attempt",
            Self::Status { status: 500.., .. } | Self::Cut { .. } | Self::Coding { .. } => "try again later",
            Self::Status { .. } => "check the URL",
            Self::TooLarge { .. } => "check whether the URL is that of a component",
        };
        hint.to_owned()
    }
}

pub(super) struct Downloads {
    client: Client,
}

/// Addresses to which a download may lead.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Security {
    Any,
    /// To encrypted URLs.
    Encrypted,
    /// To encrypted URLs and this machine.
    Local,
}

impl Security {
    fn allows(self, url: &Url) -> bool {
        match self {
            Security::Any => true,
            Security::Encrypted => url.scheme() == "https",
            Security::Local => url.scheme() == "https" || is_loopback(url),
        }
    }
}

impl Downloads {
    /// A client with the user's network settings, and limits for components instead of those for
    /// pages.
    pub(super) fn new(network: &ClientSettings) -> Result<Downloads, String> {
        let mut settings = network.clone();
        settings.timeouts.whole = MAX_TIME;
        settings.limits.body_bytes = usize::try_from(MAX_COMPONENT_BYTES).unwrap_or(usize::MAX);
        settings.limits.decoded_bytes = settings.limits.body_bytes;
        settings.cookies = None;
        let client = Client::new(settings).map_err(|error| error.to_string())?;
        Ok(Downloads { client })
    }

    /// Downloads a file. The limit is for its body, before and after decompression.
    pub(super) async fn file(&self, url: &Url, limit: usize) -> Result<Exchange, DownloadError> {
        // A user who types `http` accepts an open connection. An encrypted URL must not lead to
        // one.
        let security = match url.scheme() {
            "http" => Security::Any,
            _ => Security::Encrypted,
        };
        let exchange = self.get(Request::new(url.clone()), limit, security).await?;
        match exchange.status {
            200 => Ok(exchange),
            status => Err(DownloadError::Status {
                url: Box::new(exchange.url),
                status,
            }),
        }
    }

    /// Makes a request and follows its redirects. The answer may have any status, and is whole.
    pub(super) async fn get(
        &self,
        mut request: Request,
        limit: usize,
        security: Security,
    ) -> Result<Exchange, DownloadError> {
        request.body_bytes = Some(limit);
        if request.accept.is_none() {
            request.accept = Some("application/wasm, */*;q=0.5".to_owned());
        }
        let judge = async |url: &Url| {
            if security.allows(url) {
                Ok(())
            } else {
                Err(DownloadError::Insecure(Box::new(url.clone())))
            }
        };
        let mut followed = follow(&self.client, request, MAX_REDIRECTS, judge).await;
        if let Some(problem) = followed.problem {
            return Err(match problem {
                FollowError::Fetch { url, cause } => DownloadError::Fetch {
                    url: Box::new(url.reveal().clone()),
                    cause,
                },
                FollowError::Refused { reason, .. } => reason,
                other => DownloadError::Redirect(other.to_string()),
            });
        }
        let Some(exchange) = followed.exchanges.pop() else {
            return Err(DownloadError::Redirect("there is no response".to_owned()));
        };
        check_body(&exchange, limit)?;
        Ok(exchange)
    }
}

fn check_body(exchange: &Exchange, limit: usize) -> Result<(), DownloadError> {
    let url = || Box::new(exchange.url.clone());
    match &exchange.truncated {
        Some(Truncation::Length { .. }) => return Err(DownloadError::TooLarge { url: url(), limit }),
        Some(truncation) => {
            return Err(DownloadError::Cut {
                url: url(),
                truncation: truncation.clone(),
            });
        }
        None => {}
    }
    match exchange.body_problem() {
        Some(HttpProblem::BodyTooLarge { .. }) => Err(DownloadError::TooLarge { url: url(), limit }),
        Some(cause) => Err(DownloadError::Coding {
            url: url(),
            cause: cause.clone(),
        }),
        // `body_bytes` limits the body as it is sent. Decompressed, it can be larger.
        None if exchange.body().len() > limit => Err(DownloadError::TooLarge { url: url(), limit }),
        None => Ok(()),
    }
}

/// Prepares a server's words for a message: short, and without control characters.
pub(super) fn shown(text: &str) -> String {
    let mut shown: String = text
        .chars()
        // A server must not be able to control the terminal.
        .filter(|char| !char.is_control())
        .take(MAX_SHOWN)
        .collect();
    if text.chars().nth(MAX_SHOWN).is_some() {
        shown.push('…');
    }
    shown
}
