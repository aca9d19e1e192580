//! HTTP/2 by hand, for servers that do not keep to it (RFC 9113).

use std::io::Read as _;
use std::net::SocketAddr;
use std::sync::Arc;

use magpie_test_support::server::{Wire, wires};
use magpie_test_support::tls::accept;
use rustls::ServerConfig;

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

/// A field of 3 KB that is put into the table of the connection, and that each `0xbe` names.
pub(crate) fn tabled(name: &str) -> Vec<u8> {
    let mut field = vec![0x40, u8::try_from(name.len()).unwrap()];
    field.extend_from_slice(name.as_bytes());
    // 3,000 as a prefix of seven bits and the rest in two bytes: 127 + 57 + 22 * 128.
    field.extend([0x7f, 0x80 | 57, 22]);
    field.extend([b'x'; 3_000]);
    field
}

/// Serves each connection by a script that starts after the first request. The script gets the
/// stream's number. After it the connection stays, and what the client sends is ignored.
pub(crate) fn start(
    config: Arc<ServerConfig>,
    script: impl Fn(&mut Wire, u32) -> Option<()> + Send + Sync + 'static,
) -> SocketAddr {
    wires(accept(config), move |wire| {
        let number = first_request(wire)?;
        script(wire, number)?;
        std::io::copy(wire, &mut std::io::sink()).ok().map(|_| ())
    })
}

fn first_request(wire: &mut Wire) -> Option<u32> {
    let mut preface = [0; 24];
    wire.read_exact(&mut preface).ok()?;
    assert_eq!(&preface, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    wire.send(frame(SETTINGS, 0, 0, &[]))?;
    loop {
        let mut head = [0; 9];
        wire.read_exact(&mut head).ok()?;
        let [_, a, b, kind, flags, ..] = head;
        let length = usize::from(u16::from_be_bytes([a, b]));
        let mut payload = vec![0; length];
        wire.read_exact(&mut payload).ok()?;
        if kind == SETTINGS && flags & 1 == 0 {
            wire.send(frame(SETTINGS, 1, 0, &[]))?;
        }
        if kind == HEADERS {
            return Some(u32::from_be_bytes([head[5], head[6], head[7], head[8]]));
        }
    }
}
