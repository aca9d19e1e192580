//! HTTP/2 by hand, for servers that do not keep to it (RFC 9113).

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use super::{Handling, Stream};

pub(crate) const DATA: u8 = 0;
pub(crate) const HEADERS: u8 = 1;
pub(crate) const RESET: u8 = 3;
pub(crate) const SETTINGS: u8 = 4;
pub(crate) const PUSH_PROMISE: u8 = 5;
pub(crate) const PING: u8 = 6;
pub(crate) const GO_AWAY: u8 = 7;
pub(crate) const CONTINUATION: u8 = 9;

pub(crate) const END_STREAM: u8 = 1;
pub(crate) const END_HEADERS: u8 = 4;

/// `:status: 200`, from the fixed table of RFC 7541.
pub(crate) const STATUS_200: &[u8] = &[0x88];

pub(crate) fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let mut frame = u32::try_from(payload.len()).unwrap().to_be_bytes()[1..].to_vec();
    frame.extend([kind, flags]);
    frame.extend(stream.to_be_bytes());
    frame.extend_from_slice(payload);
    frame
}

/// A field that is in no table: name and value as they are.
pub(crate) fn literal(name: &str, value: &str) -> Vec<u8> {
    let mut field = vec![0];
    for text in [name, value] {
        assert!(text.len() < 127, "longer ones take more than a byte");
        field.push(u8::try_from(text.len()).unwrap());
        field.extend_from_slice(text.as_bytes());
    }
    field
}

/// Serves each connection by a script that starts after the first request. The script gets the
/// stream's number.
pub(crate) async fn start(
    acceptor: TlsAcceptor,
    script: impl for<'a> Fn(&'a mut dyn Stream, u32) -> Handling<'a> + Send + Sync + 'static,
) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let script = std::sync::Arc::new(script);
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            let (acceptor, script) = (acceptor.clone(), std::sync::Arc::clone(&script));
            tokio::spawn(async move {
                let mut stream = acceptor.accept(stream).await.ok()?;
                let number = first_request(&mut stream).await.ok()?;
                let stays = script(&mut stream, number).await.ok()?;
                // What the client says is read and thrown away until it goes.
                let mut buffer = [0; 4096];
                while stays && stream.read(&mut buffer).await.ok()? > 0 {}
                stream.shutdown().await.ok()
            });
        }
    });
    address
}

async fn first_request(stream: &mut (impl Stream + ?Sized)) -> std::io::Result<u32> {
    let mut preface = [0; 24];
    stream.read_exact(&mut preface).await?;
    assert_eq!(&preface, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    stream.write_all(&frame(SETTINGS, 0, 0, &[])).await?;
    stream.flush().await?;
    loop {
        let mut head = [0; 9];
        stream.read_exact(&mut head).await?;
        let [_, a, b, kind, flags, ..] = head;
        let length = usize::from(u16::from_be_bytes([a, b]));
        let mut payload = vec![0; length];
        stream.read_exact(&mut payload).await?;
        if kind == SETTINGS && flags & 1 == 0 {
            stream.write_all(&frame(SETTINGS, 1, 0, &[])).await?;
            stream.flush().await?;
        }
        if kind == HEADERS {
            return Ok(u32::from_be_bytes([head[5], head[6], head[7], head[8]]));
        }
    }
}
