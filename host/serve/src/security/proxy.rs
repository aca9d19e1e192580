//! Readers for whom a proxy in front of the server vouches.

use std::net::{IpAddr, SocketAddr};

use axum::extract::Request;
use axum::http::HeaderName;

use super::bind::BindError;
use super::check::one;

/// The address that a connection comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer(pub(crate) SocketAddr);

/// Header fields that every client sends, so that they prove nothing.
const ORDINARY: [&str; 8] = [
    "accept",
    "connection",
    "content-length",
    "content-type",
    "cookie",
    "host",
    "origin",
    "user-agent",
];

/// A header field that names the reader, and the addresses of the proxies that are believed.
#[derive(Clone, Debug)]
pub(crate) struct TrustedProxy {
    field: HeaderName,
    addresses: Vec<IpAddr>,
}

impl TrustedProxy {
    /// Reads the settings. Without a name of a field there is no such proxy.
    pub(crate) fn new(field: &str, addresses: &[String]) -> Result<Option<TrustedProxy>, BindError> {
        match (field, addresses) {
            ("", []) => return Ok(None),
            ("", _) => return Err(BindError::ProxyWithoutHeader),
            (field, []) => return Err(BindError::HeaderWithoutProxy(field.to_owned())),
            _ => {}
        }
        let name = field
            .parse::<HeaderName>()
            .ok()
            .filter(|name| !ORDINARY.contains(&name.as_str()));
        let name = name.ok_or_else(|| BindError::Header(field.to_owned()))?;
        let address = |text: &String| {
            let address = text.trim().parse::<IpAddr>();
            address.map_err(|_| BindError::Proxy(text.clone()))
        };
        Ok(Some(TrustedProxy {
            field: name,
            addresses: addresses.iter().map(address).collect::<Result<_, _>>()?,
        }))
    }

    /// Returns `true` if a trusted proxy names the reader. From any other address the field is
    /// ignored, since anybody can send it; one that comes twice was not written by the proxy alone.
    pub(super) fn vouches(&self, request: &Request) -> bool {
        let peer = request.extensions().get::<Peer>();
        let is_known = peer.is_some_and(|peer| self.addresses.contains(&peer.0.ip().to_canonical()));
        let named = one(request.headers(), &self.field);
        is_known && named.is_some_and(|name| !name.trim().is_empty())
    }
}
