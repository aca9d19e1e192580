//! Readers for whom a proxy in front of the server vouches.

use std::net::{IpAddr, SocketAddr};

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, header};

use super::bind::BindError;

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

/// The addresses of the proxies that are believed, and the header field that names the reader.
#[derive(Clone, Debug)]
pub(crate) struct TrustedProxy {
    field: Option<HeaderName>,
    addresses: Vec<IpAddr>,
}

impl TrustedProxy {
    /// Reads the settings. Without an address there is no such proxy.
    pub(crate) fn new(field: &str, addresses: &[String]) -> Result<Option<TrustedProxy>, BindError> {
        match (field, addresses) {
            ("", []) => return Ok(None),
            (field, []) => return Err(BindError::HeaderWithoutProxy(field.to_owned())),
            _ => {}
        }
        let name = |field: &str| {
            let name = field.parse::<HeaderName>().ok();
            let name = name.filter(|name| !ORDINARY.contains(&name.as_str()));
            name.ok_or_else(|| BindError::Header(field.to_owned()))
        };
        let address = |text: &String| {
            let address = text.trim().parse::<IpAddr>();
            address.map_err(|_| BindError::Proxy(text.clone()))
        };
        Ok(Some(TrustedProxy {
            field: Some(field)
                .filter(|field| !field.is_empty())
                .map(name)
                .transpose()?,
            addresses: addresses.iter().map(address).collect::<Result<_, _>>()?,
        }))
    }

    pub(super) fn addresses(&self) -> &[IpAddr] {
        &self.addresses
    }

    /// Returns `true` if proxies name readers.
    pub(crate) fn names_readers(&self) -> bool {
        self.field.is_some()
    }

    /// Returns the reader whom a trusted proxy names. From any other address the field is ignored,
    /// since anybody can send it; one that comes twice was not written by the proxy alone.
    pub(super) fn reader<'r>(&self, request: &'r Request) -> Option<&'r str> {
        let name = one(request.headers(), self.field.as_ref()?)?.trim();
        (self.is_from(request) && !name.is_empty()).then_some(name)
    }

    /// Returns the address for which trusted proxies forwarded a request: the last one that is not
    /// theirs. What stands before it, anybody can write.
    fn forwarded_for(&self, request: &Request) -> Option<IpAddr> {
        if !self.is_from(request) {
            return None;
        }
        let fields = request.headers().get_all("x-forwarded-for").iter();
        let hops: Vec<&str> = fields
            .flat_map(|field| field.to_str().unwrap_or_default().split(','))
            .collect();
        let addresses = hops
            .iter()
            .rev()
            .map_while(|hop| hop.trim().parse::<IpAddr>().ok());
        let mut addresses = addresses.map(|address| address.to_canonical());
        addresses.find(|address| !self.addresses.contains(address))
    }

    fn is_from(&self, request: &Request) -> bool {
        self.addresses.contains(&peer(request))
    }
}

/// Returns the address of the client.
pub(super) fn client(proxy: Option<&TrustedProxy>, request: &Request) -> IpAddr {
    let forwarded = proxy.and_then(|proxy| proxy.forwarded_for(request));
    forwarded.unwrap_or_else(|| peer(request))
}

/// Returns `true` if the browser speaks to the proxy in front of the server over https. It says so
/// itself with each form, and where it does not, a trusted proxy may.
pub(super) fn is_https(proxy: Option<&TrustedProxy>, request: &Request) -> bool {
    let origin = one(request.headers(), header::ORIGIN).unwrap_or_default();
    let scheme = one(request.headers(), "x-forwarded-proto").unwrap_or_default();
    let is_told = scheme.eq_ignore_ascii_case("https") && proxy.is_some_and(|proxy| proxy.is_from(request));
    is_told || origin.starts_with("https://")
}

fn peer(request: &Request) -> IpAddr {
    let peer = request.extensions().get::<Peer>();
    peer.map_or(IpAddr::from([0, 0, 0, 0]), |peer| peer.0.ip().to_canonical())
}

/// The value of a header field. One that comes twice or is not text is empty, which no check lets
/// pass.
pub(super) fn one(headers: &HeaderMap, name: impl header::AsHeaderName) -> Option<&str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?;
    Some(match values.next() {
        Some(_) => "",
        None => value.to_str().unwrap_or_default(),
    })
}
