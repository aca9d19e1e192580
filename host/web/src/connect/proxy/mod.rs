//! Connections through a proxy.
//!
//! A proxy resolves names itself, so the [`AddressPolicy`](crate::AddressPolicy) can't see the
//! final address. It only judges hosts that are IP addresses. The proxy itself comes from the
//! settings and is not judged.

mod direct;
mod http;
mod socks;

use std::fmt;
use std::io;
use std::str::FromStr;

use tokio::io::{AsyncRead, AsyncWrite};
use url::{Host, Url};

pub(crate) use direct::DirectHosts;

use crate::{Credentials, SafeUrl};

/// A proxy: `http://`, `https://` or `socks5://`, with user name and password if it needs them.
/// Plain http requests through an http(s) proxy go to the proxy itself, which may cache; https goes
/// through a tunnel (`CONNECT`).
#[derive(Clone, PartialEq, Eq)]
pub struct Proxy {
    kind: ProxyKind,
    url: Url,
    credentials: Option<Credentials>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProxyKind {
    Http,
    Https,
    Socks5,
}

/// Text that names no proxy. It is not repeated, since it may hold a password.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadProxy {
    #[error(
        "invalid proxy URL ({0}): expected a URL such as http://127.0.0.1:3128 or socks5://127.0.0.1:1080"
    )]
    Unreadable(url::ParseError),
    #[error("invalid proxy scheme `{scheme}`: expected http, https or socks5")]
    UnknownKind { scheme: String },
    #[error("the proxy URL has no host")]
    NoHost,
}

/// Reason why a proxy made no connection.
#[derive(Debug, thiserror::Error)]
pub enum ProxyError {
    /// It can't be reached, or the connection broke.
    #[error("the connection broke: {0}")]
    Io(io::Error),
    /// It wants another name or password.
    #[error("it requires a user name and password, or rejected the given ones")]
    Authentication,
    #[error("it answered the CONNECT request with status {status}")]
    Refused { status: u16 },
    #[error("it can't connect: {}", socks::meaning(*code))]
    Socks {
        /// The code of RFC 1928, 6.
        code: u8,
    },
    /// The answer is neither HTTP nor SOCKS.
    #[error("its response is neither HTTP nor SOCKS")]
    BadAnswer,
    /// SOCKS names hosts, users and passwords with 1 to 255 bytes.
    #[error("SOCKS requires 1 to 255 bytes each for the host, user name and password")]
    BadLength,
}

impl From<io::Error> for ProxyError {
    fn from(error: io::Error) -> ProxyError {
        ProxyError::Io(error)
    }
}

impl ProxyError {
    /// Returns true if the proxy may succeed later.
    pub(crate) fn is_temporary(&self) -> bool {
        match self {
            ProxyError::Io(_) => true,
            ProxyError::Refused { status } => matches!(status, 429 | 500 | 502 | 503 | 504),
            // A general failure, and nets and hosts that can't be reached.
            ProxyError::Socks { code } => matches!(code, 1 | 3..=6),
            ProxyError::Authentication | ProxyError::BadAnswer | ProxyError::BadLength => false,
        }
    }
}

impl FromStr for Proxy {
    type Err = BadProxy;

    fn from_str(text: &str) -> Result<Proxy, BadProxy> {
        let url = Url::parse(text.trim()).map_err(BadProxy::Unreadable)?;
        let kind = match url.scheme() {
            "http" => ProxyKind::Http,
            "https" => ProxyKind::Https,
            // curl's name for SOCKS where the proxy resolves names, which is always the case here.
            "socks5" | "socks5h" => ProxyKind::Socks5,
            other => {
                return Err(BadProxy::UnknownKind {
                    scheme: other.to_owned(),
                });
            }
        };
        if url.host_str().is_none_or(str::is_empty) {
            return Err(BadProxy::NoHost);
        }
        let credentials = Credentials::from_url(&url);
        Ok(Proxy {
            kind,
            url,
            credentials,
        })
    }
}

impl Proxy {
    /// The proxy as it may be shown.
    pub fn url(&self) -> SafeUrl {
        SafeUrl::new(self.url.clone())
    }

    pub(crate) fn kind(&self) -> ProxyKind {
        self.kind
    }

    pub(crate) fn host(&self) -> &str {
        self.url.host_str().unwrap_or_default()
    }

    /// 1080 is what RFC 1928 names for SOCKS.
    pub(crate) fn port(&self) -> u16 {
        self.url.port_or_known_default().unwrap_or(1080)
    }

    /// Returns true if plain http requests go to the proxy with the whole URL.
    pub(crate) fn forwards_http(&self) -> bool {
        matches!(self.kind, ProxyKind::Http | ProxyKind::Https)
    }

    pub(crate) fn authorization(&self) -> Option<::http::HeaderValue> {
        self.credentials.as_ref().map(Credentials::basic)
    }

    /// Has a tunnel made through a connection to the proxy.
    pub(crate) async fn tunnel(
        &self,
        stream: &mut (impl AsyncRead + AsyncWrite + Unpin),
        host: &Host<&str>,
        port: u16,
    ) -> Result<(), ProxyError> {
        match self.kind {
            ProxyKind::Http | ProxyKind::Https => {
                http::tunnel(stream, host, port, self.authorization()).await
            }
            ProxyKind::Socks5 => socks::tunnel(stream, host, port, self.credentials.as_ref()).await,
        }
    }
}

impl fmt::Debug for Proxy {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Proxy({})", self.url())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proxies_are_named_by_url() {
        let proxy: Proxy = "socks5h://ann:secret@127.0.0.1".parse().unwrap();
        assert_eq!(
            (proxy.kind(), proxy.host(), proxy.port()),
            (ProxyKind::Socks5, "127.0.0.1", 1080)
        );
        assert_eq!(format!("{proxy:?}"), "Proxy(socks5h://***@127.0.0.1)");
        let proxy: Proxy = "https://proxy.example".parse().unwrap();
        assert_eq!((proxy.kind(), proxy.port()), (ProxyKind::Https, 443));
    }

    #[test]
    fn other_text_is_refused() {
        for text in [
            "",
            "127.0.0.1:3128",
            "ftp://a",
            "socks4://a",
            "socks5://",
            "http://",
        ] {
            assert!(text.parse::<Proxy>().is_err(), "{text}");
        }
    }
}
