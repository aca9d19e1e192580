//! Errors of requests without a response.

use std::time::Duration;

use crate::{ConnectError, ProxyError, Refusal, ResolveError, SafeUrl, TlsError};

/// An error of hyper. It hides its own causes, so they are printed together.
#[derive(Debug)]
pub struct Cause(hyper::Error);

impl From<hyper::Error> for Cause {
    fn from(error: hyper::Error) -> Cause {
        Cause(error)
    }
}

impl std::fmt::Display for Cause {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match std::error::Error::source(&self.0) {
            Some(reason) => write!(formatter, "{}: {reason}", self.0),
            None => write!(formatter, "{}", self.0),
        }
    }
}

/// Reason why a request got no response, in one sentence with its cause. A body that breaks off is
/// not an error but a [`Truncation`](crate::Truncation).
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// The URL is not one that is fetched over the web.
    #[error("{url} can't be fetched: expected an http or https URL with a host and less than 64 KiB")]
    UnfitUrl { url: SafeUrl },
    /// A field that was asked to be sent is no header field.
    #[error(
        "the header field {name:?} can't be sent: its name or value has characters that are not allowed there"
    )]
    BadField {
        /// The name. The value may be secret.
        name: String,
    },
    /// The name has no address that is known.
    #[error(transparent)]
    Dns(#[from] ResolveError),
    /// No address of the host may be connected to.
    #[error("{host} is refused: {refusal}")]
    RefusedAddress { host: String, refusal: Refusal },
    /// No connection to the host.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// The proxy did not make a connection.
    #[error("the proxy {proxy}: {cause}")]
    Proxy { proxy: SafeUrl, cause: ProxyError },
    /// The server can't prove who it is, or does not speak TLS.
    #[error("can't establish a secure connection to {host}: {cause}")]
    Tls { host: String, cause: TlsError },
    #[error("{phase} took longer than {}", seconds(*limit))]
    Timeout { phase: Phase, limit: Duration },
    /// The head of the response is too large.
    #[error("the head of the response has more than {limit} bytes")]
    HeadTooLarge { limit: usize },
    /// The head of the response has too many fields.
    #[error("the head of the response has more than {limit} fields")]
    TooManyFields { limit: usize },
    /// Interim responses (1xx) without end.
    #[error("more than {limit} interim responses (1xx) came before the response")]
    TooManyInterim { limit: usize },
    /// The server closed the connection before it answered.
    #[error("the server closed the connection without a response")]
    Closed,
    /// The connection broke before the head of the response was complete.
    #[error("the connection broke before the head of the response was complete: {cause}")]
    Broken { cause: Cause },
    #[error("the response is not HTTP: {cause}")]
    NotHttp { cause: Cause },
    /// The server ended the HTTP/2 stream or connection.
    #[error("the server aborted the HTTP/2 stream: {cause}")]
    Http2 { cause: Cause },
    /// An archive was asked instead of the server, and has no answer.
    #[error("the archive has no response for {url}{}", .why.as_ref().map_or(String::new(), |why| format!(": {why}")))]
    NotKept {
        url: SafeUrl,
        /// Reason why a recorded answer can't be read.
        why: Option<String>,
    },
    /// The server sends control frames instead of content.
    #[error("the server sent more than {limit} bytes of HTTP/2 frames that are not content")]
    Flood { limit: u64 },
}

/// A part of a fetch with its own time limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    Dns,
    Connect,
    Tls,
    /// Waiting for the head of the response.
    FirstByte,
    /// Waiting for the next piece of the body.
    Idle,
    /// Everything together.
    Whole,
}

impl std::fmt::Display for Phase {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Phase::Dns => "looking the name up",
            Phase::Connect => "connecting",
            Phase::Tls => "the TLS handshake",
            Phase::FirstByte => "waiting for the answer",
            Phase::Idle => "waiting for more of the body",
            Phase::Whole => "the whole fetch",
        })
    }
}

/// The kind of an error, for counting and decisions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FetchErrorKind {
    Request,
    /// The name has no address, or resolving failed.
    Dns,
    /// The address may not be connected to.
    RefusedAddress,
    Connect,
    Proxy,
    Tls,
    Timeout,
    /// The connection ended too early.
    Disconnected,
    /// The server does not keep to HTTP.
    Protocol,
    /// The server sends too much.
    TooLarge,
    /// The archive that was asked instead of the server has no answer.
    NotKept,
}

impl FetchErrorKind {
    /// A short word that stays the same, for records and statistics.
    pub fn code(self) -> &'static str {
        match self {
            FetchErrorKind::Request => "request",
            FetchErrorKind::Dns => "dns",
            FetchErrorKind::RefusedAddress => "refused-address",
            FetchErrorKind::Connect => "connect",
            FetchErrorKind::Proxy => "proxy",
            FetchErrorKind::Tls => "tls",
            FetchErrorKind::Timeout => "timeout",
            FetchErrorKind::Disconnected => "disconnected",
            FetchErrorKind::Protocol => "protocol",
            FetchErrorKind::TooLarge => "too-large",
            FetchErrorKind::NotKept => "not-archived",
        }
    }
}

impl FetchError {
    pub fn kind(&self) -> FetchErrorKind {
        match self {
            FetchError::UnfitUrl { .. } | FetchError::BadField { .. } => FetchErrorKind::Request,
            FetchError::Dns(_) => FetchErrorKind::Dns,
            FetchError::RefusedAddress { .. } => FetchErrorKind::RefusedAddress,
            FetchError::Connect(_) => FetchErrorKind::Connect,
            FetchError::Proxy { .. } => FetchErrorKind::Proxy,
            FetchError::Tls { .. } => FetchErrorKind::Tls,
            FetchError::NotKept { .. } => FetchErrorKind::NotKept,
            FetchError::Timeout { .. } => FetchErrorKind::Timeout,
            FetchError::Closed | FetchError::Broken { .. } | FetchError::Http2 { .. } => {
                FetchErrorKind::Disconnected
            }
            FetchError::NotHttp { .. } => FetchErrorKind::Protocol,
            FetchError::HeadTooLarge { .. }
            | FetchError::TooManyFields { .. }
            | FetchError::TooManyInterim { .. }
            | FetchError::Flood { .. } => FetchErrorKind::TooLarge,
        }
    }

    /// Returns true if the same request may succeed later. Deliberate answers (too large, not HTTP,
    /// a wrong certificate) will not change.
    pub fn is_retryable(&self) -> bool {
        match self {
            FetchError::Dns(error) => error.is_temporary(),
            FetchError::Proxy { cause, .. } => cause.is_temporary(),
            FetchError::Tls { cause, .. } => cause.is_temporary(),
            _ => matches!(
                self.kind(),
                FetchErrorKind::Connect | FetchErrorKind::Timeout | FetchErrorKind::Disconnected
            ),
        }
    }
}

/// Formats a duration for people.
pub(crate) fn seconds(duration: Duration) -> String {
    if duration >= Duration::from_secs(1) {
        format!("{} s", duration.as_secs_f64())
    } else {
        format!("{} ms", duration.as_millis())
    }
}
