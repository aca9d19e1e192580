//! The addresses that a server may listen at.

use std::io;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};

use tokio::net::TcpListener;

/// The shortest token of a file.
const MIN_TOKEN: usize = 16;

/// The longest token file.
const MAX_TOKEN_FILE: u64 = 4_096;

/// Reason why a server does not start.
#[derive(Debug, thiserror::Error)]
pub enum BindError {
    /// The address makes no sense.
    #[error("invalid value `{0}` for `serve.listen`: expected an address and a port such as 127.0.0.1:8747")]
    Address(String),
    /// Other machines can reach the address, and no setting restricts who may read.
    #[error(
        "{0} can be reached by other machines, and neither `serve.token_file` nor `serve.trusted_header` is set"
    )]
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
    /// A proxy is named, but nothing by which it would vouch.
    #[error(
        "`serve.trusted_proxies` names proxies, and `serve.trusted_header` does not say how they name readers"
    )]
    ProxyWithoutHeader,
    #[error("can't read the token file {file}")]
    TokenFile {
        file: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("the token file {0} can be read by others: its mode must be 0600")]
    TokenFileIsOpen(PathBuf),
    /// The token file has no usable token.
    #[error("the token file {0} must have one line of at least {MIN_TOKEN} characters")]
    Token(PathBuf),
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

/// Reads the token that opens the server for those who know it.
pub(crate) fn read_token(file: &Path) -> Result<String, BindError> {
    let failed = |source| BindError::TokenFile {
        file: file.to_owned(),
        source,
    };
    let metadata = file.metadata().map_err(failed)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        if metadata.permissions().mode() & 0o077 != 0 {
            return Err(BindError::TokenFileIsOpen(file.to_owned()));
        }
    }
    if metadata.len() > MAX_TOKEN_FILE {
        return Err(BindError::Token(file.to_owned()));
    }
    let text = std::fs::read_to_string(file).map_err(failed)?;
    let token = text.trim();
    match token.len() >= MIN_TOKEN && token.lines().count() == 1 {
        true => Ok(token.to_owned()),
        false => Err(BindError::Token(file.to_owned())),
    }
}

/// Listens at an address. At 127.0.0.1 it listens at `[::1]` as well, where the system has it and
/// the port is free.
pub(crate) async fn listen(address: SocketAddr, knows_readers: bool) -> Result<Vec<TcpListener>, BindError> {
    if !address.ip().is_loopback() && !knows_readers {
        return Err(BindError::Open(address));
    }
    let failed = |source| BindError::Listen { address, source };
    let first = TcpListener::bind(address).await.map_err(failed)?;
    let port = first.local_addr().map_err(failed)?.port();
    let mut listeners = vec![first];
    if address.ip() == IpAddr::from([127, 0, 0, 1]) {
        let twin = SocketAddr::from((Ipv6Addr::LOCALHOST, port));
        listeners.extend(TcpListener::bind(twin).await.ok());
    }
    Ok(listeners)
}
