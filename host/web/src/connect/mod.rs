//! From a host to a connection: name, address, policy, proxy, TLS.

pub(crate) mod http1;
pub(crate) mod http2;
mod proxy;
mod tap;
mod tcp;
mod tls;
mod wire;

use std::future::Future;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::time::Instant;
use tokio_rustls::TlsConnector;
use url::{Host, Url};

pub use proxy::{BadProxy, Proxy, ProxyError};
pub use tcp::ConnectError;
pub use tls::{BadAuthorities, TlsError, TlsSettings};

pub(crate) use tap::{Excess, Flow, HeadTap};
pub(crate) use wire::Wire;

use crate::dns::Names;
use crate::{AddressPolicy, ClientSettings, FetchError, Phase, Timeouts, Timings};
use proxy::{DirectHosts, ProxyKind};

pub(crate) struct Connector {
    names: Names,
    policy: AddressPolicy,
    proxy: Option<Proxy>,
    direct: Vec<DirectHosts>,
    tls: Arc<ClientConfig>,
    /// For https proxies, which are not asked for HTTP/2.
    proxy_tls: Arc<ClientConfig>,
    timeouts: Timeouts,
}

pub(crate) struct Connected {
    pub(crate) wire: Wire,
    pub(crate) remote: SocketAddr,
    /// Both sides agreed on HTTP/2.
    pub(crate) http2: bool,
    /// The proxy wants the whole URL, not the path.
    pub(crate) forwards: bool,
}

struct Target<'a> {
    host: Host<&'a str>,
    port: u16,
    is_https: bool,
}

impl Connector {
    pub(crate) fn new(settings: &ClientSettings) -> Result<Connector, BadAuthorities> {
        Ok(Connector {
            names: Names::new(&settings.dns),
            policy: settings.addresses.clone(),
            proxy: settings.proxy.clone(),
            direct: settings
                .no_proxy
                .iter()
                .map(|text| DirectHosts::parse(text))
                .collect(),
            tls: Arc::new(tls::config(&settings.tls, settings.connections.http2)?),
            proxy_tls: Arc::new(tls::config(&settings.tls, false)?),
            timeouts: settings.timeouts.clone(),
        })
    }

    /// Returns the proxy for a URL; none if its host is reached directly.
    pub(crate) fn proxy_for(&self, url: &Url) -> Option<&Proxy> {
        let host = url.host()?;
        self.proxy
            .as_ref()
            .filter(|_| !self.direct.iter().any(|direct| direct.contains(&host)))
    }

    /// Makes a connection for a URL, each phase within its time and all within the whole fetch's.
    pub(crate) async fn connect(
        &self,
        url: &Url,
        until: Instant,
        timings: &mut Timings,
    ) -> Result<Connected, FetchError> {
        let unfit = || FetchError::UnfitUrl {
            url: url.clone().into(),
        };
        let target = Target {
            host: url.host().ok_or_else(unfit)?,
            port: url.port_or_known_default().ok_or_else(unfit)?,
            is_https: url.scheme() == "https",
        };
        let limited = Limited {
            timeouts: &self.timeouts,
            until,
        };
        let (wire, remote, forwards) = match self.proxy_for(url) {
            Some(proxy) => self.through(proxy, &target, &limited, timings).await?,
            None => {
                let (wire, remote) = self.directly(&target, &limited, timings).await?;
                (wire, remote, false)
            }
        };
        if !target.is_https {
            return Ok(Connected {
                wire,
                remote,
                http2: false,
                forwards,
            });
        }
        let (wire, http2) = self.encrypted(wire, &target, &limited, timings).await?;
        Ok(Connected {
            wire,
            remote,
            http2,
            forwards,
        })
    }

    async fn directly(
        &self,
        target: &Target<'_>,
        limited: &Limited<'_>,
        timings: &mut Timings,
    ) -> Result<(Wire, SocketAddr), FetchError> {
        let addresses = match self.literal(target)? {
            Some(address) => vec![address],
            None => {
                let host = target.host.to_string();
                let found = limited
                    .run(
                        Phase::Dns,
                        &mut timings.dns,
                        self.names.look_up(&host, target.port),
                    )
                    .await??;
                // The addresses themselves are judged, and the connection is made to these and no
                // others: a name that changes its address between two look-ups gains nothing.
                self.allowed(&target.host, found)?
            }
        };
        let connecting = tcp::connect(&target.host, &addresses);
        let (stream, remote) = limited
            .run(Phase::Connect, &mut timings.connect, connecting)
            .await??;
        Ok((Wire::Plain(stream), remote))
    }

    /// The address of a host that is one. It is judged whether or not there is a proxy.
    fn literal(&self, target: &Target<'_>) -> Result<Option<SocketAddr>, FetchError> {
        let address = match target.host {
            Host::Domain(_) => return Ok(None),
            Host::Ipv4(address) => IpAddr::V4(address),
            Host::Ipv6(address) => IpAddr::V6(address),
        };
        self.allowed(&target.host, vec![SocketAddr::new(address, target.port)])
            .map(|allowed| allowed.first().copied())
    }

    /// Returns the addresses of a host that the policy allows. If it allows none, the error has the
    /// refusal of the first.
    fn allowed(&self, host: &Host<&str>, found: Vec<SocketAddr>) -> Result<Vec<SocketAddr>, FetchError> {
        let mut first = None;
        let mut allowed = found;
        allowed.retain(|address| match self.policy.judge(address.ip()) {
            Ok(()) => true,
            Err(refusal) => {
                first.get_or_insert(refusal);
                false
            }
        });
        match first {
            Some(refusal) if allowed.is_empty() => Err(FetchError::RefusedAddress {
                host: host.to_string(),
                refusal,
            }),
            _ => Ok(allowed),
        }
    }

    async fn through(
        &self,
        proxy: &Proxy,
        target: &Target<'_>,
        limited: &Limited<'_>,
        timings: &mut Timings,
    ) -> Result<(Wire, SocketAddr, bool), FetchError> {
        // The proxy resolves names, so only a host that is an address can be judged. The proxy
        // itself comes from the settings and is not.
        self.literal(target)?;
        let failed = |cause| FetchError::Proxy {
            proxy: proxy.url(),
            cause,
        };
        let addresses = limited
            .run(
                Phase::Dns,
                &mut timings.dns,
                self.names.look_up(proxy.host(), proxy.port()),
            )
            .await?
            .map_err(|error| failed(std::io::Error::other(error).into()))?;
        let host = Host::Domain(proxy.host());
        let (stream, remote) = limited
            .run(
                Phase::Connect,
                &mut timings.connect,
                tcp::connect(&host, &addresses),
            )
            .await?
            .map_err(|error| failed(std::io::Error::other(error).into()))?;
        let mut wire = Wire::Plain(stream);
        if proxy.kind() == ProxyKind::Https {
            let name = server_name(&Host::parse(proxy.host()).map_err(|_| failed(ProxyError::BadAnswer))?);
            let connector = TlsConnector::from(Arc::clone(&self.proxy_tls));
            let handshake = handshake(&connector, wire, name);
            wire = limited
                .run(Phase::Tls, &mut timings.tls, handshake)
                .await?
                .map_err(|error| failed(std::io::Error::other(error).into()))?
                .0;
        }
        let forwards = !target.is_https && proxy.forwards_http();
        if !forwards {
            let tunnel = proxy.tunnel(&mut wire, &target.host, target.port);
            limited
                .run(Phase::Connect, &mut timings.connect, tunnel)
                .await?
                .map_err(failed)?;
        }
        Ok((wire, remote, forwards))
    }

    async fn encrypted(
        &self,
        wire: Wire,
        target: &Target<'_>,
        limited: &Limited<'_>,
        timings: &mut Timings,
    ) -> Result<(Wire, bool), FetchError> {
        let connector = TlsConnector::from(Arc::clone(&self.tls));
        let host = target.host.to_owned();
        let handshake = handshake(&connector, wire, server_name(&host));
        let outcome = limited.run(Phase::Tls, &mut timings.tls, handshake).await?;
        outcome.map_err(|cause| FetchError::Tls {
            host: host.to_string(),
            cause,
        })
    }
}

/// The name for the certificate: as in the URL, an address without its brackets.
fn server_name(host: &Host<String>) -> Result<ServerName<'static>, TlsError> {
    let bad = |error: rustls::pki_types::InvalidDnsNameError| TlsError::new(std::io::Error::other(error));
    Ok(match host {
        // The dot that ends a name is not part of certificates.
        Host::Domain(name) => ServerName::try_from(name.trim_end_matches('.').to_owned()).map_err(bad)?,
        Host::Ipv4(address) => ServerName::from(IpAddr::V4(*address)),
        Host::Ipv6(address) => ServerName::from(IpAddr::V6(*address)),
    })
}

async fn handshake(
    connector: &TlsConnector,
    wire: Wire,
    name: Result<ServerName<'static>, TlsError>,
) -> Result<(Wire, bool), TlsError> {
    let name = name?;
    Ok(match wire {
        Wire::Plain(stream) => {
            let stream = connector.connect(name, stream).await.map_err(TlsError::new)?;
            let http2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
            (Wire::Tls(Box::new(stream)), http2)
        }
        outer => {
            let stream = Box::pin(connector.connect(name, outer))
                .await
                .map_err(TlsError::new)?;
            let http2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
            (Wire::Nested(Box::new(stream)), http2)
        }
    })
}

/// Runs phases within their times and within that of the whole fetch.
struct Limited<'a> {
    timeouts: &'a Timeouts,
    until: Instant,
}

impl Limited<'_> {
    async fn run<Output>(
        &self,
        phase: Phase,
        took: &mut Duration,
        work: impl Future<Output = Output>,
    ) -> Result<Output, FetchError> {
        let own = match phase {
            Phase::Dns => self.timeouts.dns,
            Phase::Connect => self.timeouts.connect,
            Phase::Tls => self.timeouts.tls,
            Phase::FirstByte => self.timeouts.first_byte,
            Phase::Idle => self.timeouts.idle,
            Phase::Whole => self.timeouts.whole,
        };
        let started = Instant::now();
        let left = self.until.saturating_duration_since(started);
        // The error names the limit that was shorter, since that is the one to raise.
        let (phase, limit) = if own <= left {
            (phase, own)
        } else {
            (Phase::Whole, self.timeouts.whole)
        };
        let outcome = tokio::time::timeout(own.min(left), work).await;
        *took += started.elapsed();
        outcome.map_err(|_| FetchError::Timeout { phase, limit })
    }
}
