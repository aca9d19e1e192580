//! One request over loopback, without redirects.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpStream};

#[derive(Clone, Debug)]
pub struct Page {
    pub status: u16,
    /// Target of a redirect, as the server wrote it.
    pub location: Option<String>,
    pub body: String,
}

/// Sends a request and reads the response to its end. HTTP/1.0 has no chunks.
pub(crate) fn send(port: u16, method: &str, target: &str, body: &str) -> io::Result<Page> {
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
    let mut head = format!("{method} {target} HTTP/1.0\r\nHost: 127.0.0.1:{port}\r\n");
    if !body.is_empty() {
        head.push_str("Content-Type: application/x-www-form-urlencoded\r\n");
        head.push_str(&format!("Content-Length: {}\r\n", body.len()));
    }
    stream.write_all(format!("{head}\r\n{body}").as_bytes())?;
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    parse(&text).ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "the response is not HTTP"))
}

fn parse(text: &str) -> Option<Page> {
    let (head, body) = text.split_once("\r\n\r\n")?;
    let status = head.split(' ').nth(1)?.parse().ok()?;
    let fields = head.lines().filter_map(|line| line.split_once(": "));
    let mut locations = fields.filter(|(name, _)| name.eq_ignore_ascii_case("location"));
    Some(Page {
        status,
        location: locations.next().map(|(_, value)| value.to_owned()),
        body: body.to_owned(),
    })
}
