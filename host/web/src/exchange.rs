//! Responses.

use std::borrow::Cow;
use std::net::SocketAddr;
use std::sync::OnceLock;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, header};
use magpie_http::{Headers, HttpLimits, HttpProblem, decode_content};
use url::Url;

use crate::error::seconds;
use crate::heads::{Heads, text};
use crate::{Phase, Validators};

/// A response with all that is worth recording about how it came.
#[derive(Debug)]
pub struct Exchange {
    /// Requested URL, without user name and password.
    pub url: Url,
    pub started_at: SystemTime,
    /// The other end of the connection: the server, or the proxy.
    pub remote: SocketAddr,
    /// True if the connection had been used before; then the connect times are zero.
    pub reused: bool,
    pub protocol: Protocol,
    pub status: u16,
    /// The body as received: the transfer coding undone, the content coding not.
    pub raw_body: Bytes,
    /// Reason why the body is incomplete.
    pub truncated: Option<Truncation>,
    pub timings: Timings,
    pub(crate) headers: HeaderMap,
    pub(crate) heads: Heads,
    pub(crate) decode_limits: HttpLimits,
    pub(crate) decoded: OnceLock<Option<DecodedBody>>,
}

/// A body without its content codings.
#[derive(Debug)]
pub(crate) struct DecodedBody {
    body: Bytes,
    problem: Option<HttpProblem>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Protocol {
    Http10,
    Http11,
    Http2,
}

impl Protocol {
    /// As status lines and records write it.
    pub fn name(self) -> &'static str {
        match self {
            Protocol::Http10 => "HTTP/1.0",
            Protocol::Http11 => "HTTP/1.1",
            Protocol::Http2 => "HTTP/2",
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timings {
    pub dns: Duration,
    pub connect: Duration,
    pub tls: Duration,
    /// From the request to the head of the response: what a throttle calls latency.
    pub first_byte: Duration,
    /// From there to the end of the body.
    pub body: Duration,
}

impl Timings {
    pub fn total(&self) -> Duration {
        self.dns + self.connect + self.tls + self.first_byte + self.body
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Truncation {
    /// It is longer than allowed.
    Length { limit: usize },
    /// It took too long.
    Time { phase: Phase, limit: Duration },
    /// It came too slowly.
    Rate {
        /// The slowest allowed, in bytes per second.
        limit: u64,
    },
    /// The connection ended before the body did, or its framing is broken.
    Disconnected { reason: String },
    /// It is of a kind that was not asked for, and was not read.
    NotWanted {
        /// The kind.
        media_type: String,
    },
    /// The server sends control frames instead of content.
    Flood { limit: u64 },
    /// It was not whole when it was archived.
    Kept {
        /// The word that the archive has for the reason.
        word: &'static str,
    },
}

impl Truncation {
    /// Returns true if the body may be complete at the next try.
    pub fn is_retryable(&self) -> bool {
        matches!(
            self,
            Truncation::Time { .. } | Truncation::Rate { .. } | Truncation::Disconnected { .. }
        )
    }

    /// The word that WARC 1.1 has for it in `WARC-Truncated`.
    pub fn warc_token(&self) -> &'static str {
        match self {
            Truncation::Length { .. } => "length",
            Truncation::Time { .. } | Truncation::Rate { .. } => "time",
            Truncation::Disconnected { .. } => "disconnect",
            Truncation::NotWanted { .. } | Truncation::Flood { .. } => "unspecified",
            Truncation::Kept { word } => word,
        }
    }
}

impl std::fmt::Display for Truncation {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Truncation::Length { limit } => write!(formatter, "the body has more than {limit} bytes"),
            Truncation::Time { phase, limit } => {
                write!(formatter, "{phase} took longer than {}", seconds(*limit))
            }
            Truncation::Rate { limit } => {
                write!(
                    formatter,
                    "the body arrived at less than {limit} bytes per second"
                )
            }
            Truncation::Disconnected { reason } => {
                write!(formatter, "the body broke off: {reason}")
            }
            Truncation::NotWanted { media_type } => {
                write!(
                    formatter,
                    "the body is {media_type}, which is not in `fetch.media_types`"
                )
            }
            Truncation::Kept { word } => {
                write!(formatter, "the body was incomplete when it was archived ({word})")
            }
            Truncation::Flood { limit } => {
                write!(
                    formatter,
                    "more than {limit} bytes of HTTP/2 frames that are not content came with the body"
                )
            }
        }
    }
}

impl Exchange {
    /// Returns the first value of a field, regardless of the case of its name. Bytes that are not
    /// UTF-8 are read as Latin-1.
    pub fn header(&self, name: &str) -> Option<Cow<'_, str>> {
        self.headers.get(name).map(|value| text(value.as_bytes()))
    }

    pub fn header_all(&self, name: &str) -> impl Iterator<Item = Cow<'_, str>> {
        self.headers
            .get_all(name)
            .iter()
            .map(|value| text(value.as_bytes()))
    }

    /// Returns all fields, with names in lower case and fields of the same name together.
    /// [`Exchange::response_head`] has them as sent.
    pub fn headers(&self) -> impl Iterator<Item = (&str, Cow<'_, str>)> {
        self.headers
            .iter()
            .map(|(name, value)| (name.as_str(), text(value.as_bytes())))
    }

    /// Returns the media type, in lower case and without parameters.
    pub fn media_type(&self) -> Option<String> {
        let content_type = self.header("content-type")?;
        let essence = crate::accept::essence(&content_type).to_ascii_lowercase();
        (!essence.is_empty()).then_some(essence)
    }

    /// Returns the validators with which a later request may get a 304 instead of the same body.
    pub fn validators(&self) -> Validators {
        Validators {
            etag: self.header("etag").map(Cow::into_owned),
            last_modified: self.header("last-modified").map(Cow::into_owned),
        }
    }

    /// Returns the pause that the server asks for.
    pub fn retry_after(&self) -> Option<Duration> {
        let received_at = self.started_at + self.timings.total();
        crate::retry_after(&self.header("retry-after")?, received_at)
    }

    /// Returns the request as it was sent: its head with the empty line, and the body of a form.
    /// The values of fields with names of secrets are left out, since it is meant for archives.
    pub fn request(&self) -> Cow<'_, [u8]> {
        self.heads.request()
    }

    /// Returns the head of the response as received, with its empty line. HTTP/2 has no such text,
    /// so its head is written as HTTP/1.1, which readers of archives know.
    pub fn response_head(&self) -> Cow<'_, [u8]> {
        self.heads.response(self.status, &self.headers)
    }

    /// Returns the body without content codings, as far as they can be decoded within the limits.
    pub fn body(&self) -> &[u8] {
        self.whole_body()
    }

    /// The same for who keeps it: it is not copied.
    pub fn shared_body(&self) -> Bytes {
        self.whole_body().clone()
    }

    fn whole_body(&self) -> &Bytes {
        match self.decoded() {
            Some(decoded) => &decoded.body,
            None => &self.raw_body,
        }
    }

    /// Returns the problem with the content codings.
    pub fn body_problem(&self) -> Option<&HttpProblem> {
        self.decoded().and_then(|decoded| decoded.problem.as_ref())
    }

    fn decoded(&self) -> Option<&DecodedBody> {
        // At the first call and not at the fetch: large bodies take milliseconds, which would block
        // the task of the network.
        let decoded = self.decoded.get_or_init(|| {
            self.headers.get(header::CONTENT_ENCODING)?;
            let codings = self.headers.get_all(header::CONTENT_ENCODING).iter();
            let field =
                |value: &HeaderValue| ("Content-Encoding".to_owned(), text(value.as_bytes()).into_owned());
            let headers: Headers = codings.map(field).collect();
            let decoded = decode_content(self.raw_body.to_vec(), &headers, &self.decode_limits);
            Some(DecodedBody {
                body: decoded.body.into(),
                problem: decoded.problem,
            })
        });
        decoded.as_ref()
    }
}
