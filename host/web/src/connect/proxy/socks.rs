//! SOCKS 5 (RFC 1928), with name and password (RFC 1929).

use tokio::io::{AsyncRead, AsyncWrite};
use tokio_socks::tcp::Socks5Stream;
use tokio_socks::{Error, IntoTargetAddr, TargetAddr};
use url::Host;

use super::ProxyError;
use crate::Credentials;

pub(super) async fn tunnel(
    stream: &mut (impl AsyncRead + AsyncWrite + Unpin),
    host: &Host<&str>,
    port: u16,
    credentials: Option<&Credentials>,
) -> Result<(), ProxyError> {
    let target = match *host {
        // This conversion checks the length; `TargetAddr::Domain` does not.
        Host::Domain(name) => (name, port).into_target_addr()?,
        Host::Ipv4(address) => TargetAddr::Ip((address, port).into()),
        Host::Ipv6(address) => TargetAddr::Ip((address, port).into()),
    };
    match credentials {
        Some(credentials) => {
            let (name, password) = (credentials.username(), credentials.password());
            Socks5Stream::connect_with_password_and_socket(stream, target, name, password).await?;
        }
        None => {
            Socks5Stream::connect_with_socket(stream, target).await?;
        }
    }
    Ok(())
}

impl From<Error> for ProxyError {
    fn from(error: Error) -> ProxyError {
        let code = match error {
            Error::Io(error) => return ProxyError::Io(error),
            Error::NoAcceptableAuthMethods | Error::AuthorizationRequired | Error::PasswordAuthFailure(_) => {
                return ProxyError::Authentication;
            }
            Error::InvalidTargetAddress(_) | Error::InvalidAuthValues(_) => return ProxyError::BadLength,
            Error::GeneralSocksServerFailure => 1,
            Error::ConnectionNotAllowedByRuleset => 2,
            Error::NetworkUnreachable => 3,
            Error::HostUnreachable => 4,
            Error::ConnectionRefused => 5,
            Error::TtlExpired => 6,
            Error::CommandNotSupported => 7,
            Error::AddressTypeNotSupported => 8,
            // The crate returns `UnknownAuthMethod` for an unknown reply code as well.
            _ => return ProxyError::BadAnswer,
        };
        ProxyError::Socks { code }
    }
}

pub(super) fn meaning(code: u8) -> String {
    let known = match code {
        1 => "it failed",
        2 => "its rules forbid it",
        3 => "the network can't be reached",
        4 => "the host can't be reached, or its name is unknown",
        5 => "the connection was refused",
        6 => "the connection took too long",
        7 => "it does not support connections",
        8 => "it does not support this kind of address",
        other => return format!("code {other}"),
    };
    known.to_owned()
}
