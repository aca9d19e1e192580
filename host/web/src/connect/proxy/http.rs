//! Tunnels through HTTP proxies (RFC 9110, 9.3.6).

use http::HeaderValue;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use url::Host;

use super::ProxyError;

/// The answer's head. Proxies send a few lines.
const MAX_HEAD_LEN: usize = 16 * 1024;

pub(super) async fn tunnel(
    stream: &mut (impl AsyncRead + AsyncWrite + Unpin),
    host: &Host<&str>,
    port: u16,
    authorization: Option<HeaderValue>,
) -> Result<(), ProxyError> {
    let mut request = format!("CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}:{port}\r\n").into_bytes();
    if let Some(authorization) = authorization {
        request.extend_from_slice(b"Proxy-Authorization: ");
        request.extend_from_slice(authorization.as_bytes());
        request.extend_from_slice(b"\r\n");
    }
    request.extend_from_slice(b"\r\n");
    stream.write_all(&request).await?;
    stream.flush().await?;
    match status(&read_head(stream).await?) {
        Some(200..=299) => Ok(()),
        Some(407) => Err(ProxyError::Authentication),
        Some(status) => Err(ProxyError::Refused { status }),
        None => Err(ProxyError::BadAnswer),
    }
}

/// Reads up to the empty line.
async fn read_head(stream: &mut (impl AsyncRead + Unpin)) -> Result<Vec<u8>, ProxyError> {
    let mut head = Vec::with_capacity(512);
    while memchr::memmem::find(&head, b"\r\n\r\n").is_none() {
        // The server behind the tunnel waits for the client to speak first, so no bytes of it can
        // be read here by mistake.
        if head.len() >= MAX_HEAD_LEN || stream.read_buf(&mut head).await? == 0 {
            return Err(ProxyError::BadAnswer);
        }
    }
    Ok(head)
}

fn status(head: &[u8]) -> Option<u16> {
    let line = head.split(|byte| *byte == b'\r').next()?;
    let line = str::from_utf8(line).ok()?.strip_prefix("HTTP/1.")?;
    let status = line.split(' ').nth(1)?.parse().ok()?;
    // A success ends at the empty line; whatever follows a refusal is not read.
    let is_whole = || head.ends_with(b"\r\n\r\n");
    (!(200..300).contains(&status) || is_whole()).then_some(status)
}
