//! The addresses that a server may listen at.

use std::io;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use tokio::net::{TcpListener, TcpSocket};

use crate::ledger::LedgerError;

/// Connections that may wait until they are accepted. The usual 128 overflow in a burst, and a
/// client whose connection does not fit tries again only after a second.
const BACKLOG: u32 = 1_024;

/// Reason why a server does not start.
#[derive(Debug, thiserror::Error)]
pub enum BindError {
    /// The address makes no sense.
    #[error("invalid value `{0}` for `serve.listen`: expected an address and a port such as 127.0.0.1:8747")]
    Address(String),
    /// Other machines can reach the address, and the workspace has no account.
    #[error("{0} can be reached by other machines, and the workspace has no account to log in with")]
    Open(SocketAddr),
    /// The header of the proxy is no name of a header, or one that every client sends.
    #[error(
        "invalid value `{0}` for `serve.trusted_header`: expected a header of the proxy's own such as X-Forwarded-User"
    )]
    Header(String),
    /// The address of the proxy is no address.
    #[error("invalid value `{0}` for `serve.trusted_proxies`: expected an IP address such as 10.0.0.2")]
    Proxy(String),
    /// Anybody could send the header.
    #[error("`serve.trusted_header` is {0}, and `serve.trusted_proxies` names no proxy that may send it")]
    HeaderWithoutProxy(String),
    /// The accounts can't be read.
    #[error("{0}")]
    Accounts(#[from] LedgerError),
    /// The system refuses the address.
    #[error("can't listen at {address}")]
    Listen {
        address: SocketAddr,
        #[source]
        source: io::Error,
    },
}

pub(crate) fn address(text: &str) -> Result<SocketAddr, BindError> {
    let text = text.trim();
    let named = text
        .strip_prefix("localhost:")
        .map(|port| format!("127.0.0.1:{port}"));
    let address = named.as_deref().unwrap_or(text).parse();
    address.map_err(|_| BindError::Address(text.to_owned()))
}

/// Listens at an address. At 127.0.0.1 it listens at `[::1]` as well, where the system has it and
/// the port is free.
pub(crate) fn listen(address: SocketAddr, may_be_reached: bool) -> Result<Vec<TcpListener>, BindError> {
    if !address.ip().is_loopback() && !may_be_reached {
        return Err(BindError::Open(address));
    }
    let failed = |source| BindError::Listen { address, source };
    let first = listener(address).map_err(failed)?;
    let port = first.local_addr().map_err(failed)?.port();
    let mut listeners = vec![first];
    if address.ip() == IpAddr::from([127, 0, 0, 1]) {
        let twin = SocketAddr::from((Ipv6Addr::LOCALHOST, port));
        listeners.extend(listener(twin).ok());
    }
    Ok(listeners)
}

fn listener(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    // A server that starts again may listen while connections of the one before are closing.
    socket.set_reuseaddr(cfg!(unix))?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}
