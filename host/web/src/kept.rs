//! Answers out of an archive, as if they had come just now.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::OnceLock;
use std::time::SystemTime;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue};
use magpie_http::{HttpHead, HttpLimits, HttpProblem};
use url::Url;

use crate::exchange::{Exchange, Protocol, Timings, Truncation};
use crate::heads::Heads;

/// An answer as an archive has it.
#[derive(Clone, Debug)]
pub struct Kept {
    pub url: Url,
    pub at: SystemTime,
    /// The head of the response, as received.
    pub head: Bytes,
    /// The body: its transfer coding undone, its content coding not.
    pub body: Bytes,
    /// Reason why the body is incomplete.
    pub truncated: Option<Truncation>,
}

impl Exchange {
    /// Returns the exchange of a kept answer. Its timings are zero, and its peer is unknown.
    pub fn kept(kept: Kept, limits: HttpLimits) -> Result<Exchange, HttpProblem> {
        let head = HttpHead::parse(&kept.head, &limits)?;
        let mut headers = HeaderMap::new();
        for (name, value) in head.headers.iter() {
            let name = HeaderName::from_bytes(name.as_bytes());
            // Invalid fields are skipped as in a live response.
            if let (Ok(name), Ok(value)) = (name, HeaderValue::from_bytes(value.as_bytes())) {
                headers.append(name, value);
            }
        }
        Ok(Exchange {
            url: kept.url,
            started_at: kept.at,
            remote: SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0)),
            reused: true,
            protocol: Protocol::Http11,
            status: head.status,
            raw_body: kept.body,
            truncated: kept.truncated,
            timings: Timings::default(),
            headers,
            heads: Heads::Seen {
                request: Bytes::new(),
                response: kept.head,
            },
            decode_limits: limits,
            decoded: OnceLock::new(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(head: &'static str) -> Result<Exchange, HttpProblem> {
        let kept = Kept {
            url: "https://a.test/".parse().unwrap(),
            at: SystemTime::UNIX_EPOCH,
            head: Bytes::from_static(head.as_bytes()),
            body: Bytes::from_static(b"text"),
            truncated: None,
        };
        Exchange::kept(kept, HttpLimits::default())
    }

    #[test]
    fn what_was_kept_reads_as_what_came() {
        let exchange =
            kept("HTTP/1.1 404 Gone fishing\r\nContent-Type: text/html\r\nEtag: \"1\"\r\n\r\n").unwrap();
        assert_eq!((exchange.status, exchange.body()), (404, b"text".as_slice()));
        assert_eq!(exchange.media_type().as_deref(), Some("text/html"));
        assert_eq!(exchange.validators().etag.as_deref(), Some("\"1\""));
    }

    #[test]
    fn what_is_no_answer_is_told() {
        assert_eq!(kept("GIF89a").unwrap_err(), HttpProblem::NoStatusLine);
    }
}
