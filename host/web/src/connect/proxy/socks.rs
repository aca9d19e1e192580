//! SOCKS 5 (RFC 1928), with name and password (RFC 1929).

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use url::Host;

use super::ProxyError;
use crate::Credentials;

const VERSION: u8 = 5;
const NO_AUTHENTICATION: u8 = 0;
const NAME_AND_PASSWORD: u8 = 2;
const CONNECT: u8 = 1;
const IPV4: u8 = 1;
const NAME: u8 = 3;
const IPV6: u8 = 4;

pub(super) async fn tunnel(
    stream: &mut (impl AsyncRead + AsyncWrite + Unpin),
    host: &Host<&str>,
    port: u16,
    credentials: Option<&Credentials>,
) -> Result<(), ProxyError> {
    let greeting: &[u8] = match credentials {
        Some(_) => &[VERSION, 2, NO_AUTHENTICATION, NAME_AND_PASSWORD],
        None => &[VERSION, 1, NO_AUTHENTICATION],
    };
    send(stream, greeting).await?;
    match (receive(stream).await?, credentials) {
        ([VERSION, NO_AUTHENTICATION], _) => {}
        ([VERSION, NAME_AND_PASSWORD], Some(credentials)) => authenticate(stream, credentials).await?,
        ([VERSION, _], _) => return Err(ProxyError::Authentication),
        _ => return Err(ProxyError::BadAnswer),
    }
    send(stream, &request(host, port)?).await?;
    let [version, code, _, address_kind] = receive(stream).await?;
    if version != VERSION {
        return Err(ProxyError::BadAnswer);
    }
    if code != 0 {
        return Err(ProxyError::Socks { code });
    }
    // The address that the proxy uses and its port, which are of no interest.
    let length = match address_kind {
        IPV4 => 4,
        IPV6 => 16,
        NAME => usize::from(receive::<1>(stream).await?[0]),
        _ => return Err(ProxyError::BadAnswer),
    };
    let mut rest = [0; 255 + 2];
    stream.read_exact(&mut rest[..length + 2]).await?;
    Ok(())
}

async fn authenticate(
    stream: &mut (impl AsyncRead + AsyncWrite + Unpin),
    credentials: &Credentials,
) -> Result<(), ProxyError> {
    let mut message = vec![1];
    for text in [credentials.username(), credentials.password()] {
        message.push(u8::try_from(text.len()).map_err(|_| ProxyError::TooLong)?);
        message.extend_from_slice(text.as_bytes());
    }
    send(stream, &message).await?;
    match receive(stream).await? {
        [_, 0] => Ok(()),
        [_, _] => Err(ProxyError::Authentication),
    }
}

fn request(host: &Host<&str>, port: u16) -> Result<Vec<u8>, ProxyError> {
    let mut message = vec![VERSION, CONNECT, 0];
    match host {
        Host::Domain(name) => {
            message.extend([NAME, u8::try_from(name.len()).map_err(|_| ProxyError::TooLong)?]);
            message.extend_from_slice(name.as_bytes());
        }
        Host::Ipv4(address) => {
            message.push(IPV4);
            message.extend(address.octets());
        }
        Host::Ipv6(address) => {
            message.push(IPV6);
            message.extend(address.octets());
        }
    }
    message.extend(port.to_be_bytes());
    Ok(message)
}

async fn send(stream: &mut (impl AsyncWrite + Unpin), bytes: &[u8]) -> Result<(), ProxyError> {
    stream.write_all(bytes).await?;
    Ok(stream.flush().await?)
}

async fn receive<const LENGTH: usize>(
    stream: &mut (impl AsyncRead + Unpin),
) -> Result<[u8; LENGTH], ProxyError> {
    let mut bytes = [0; LENGTH];
    stream.read_exact(&mut bytes).await?;
    Ok(bytes)
}

/// Describes a reply code.
pub(super) fn meaning(code: u8) -> String {
    let known = match code {
        1 => "it failed",
        2 => "its rules do not allow it",
        3 => "the network can't be reached",
        4 => "the host can't be reached, or its name is not known",
        5 => "the connection was refused",
        6 => "the connection took too long",
        7 => "it does not make connections",
        8 => "it does not know this kind of address",
        other => return format!("code {other}"),
    };
    known.to_owned()
}
