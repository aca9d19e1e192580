//! HTTP requests that are sent byte by byte as written.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::context::program;

/// A server of a workspace, until it is dropped.
pub(crate) struct Serving {
    process: Child,
    pub(crate) address: String,
}

impl Drop for Serving {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Starts `magpie serve` with arguments in a folder, at a free port.
pub(crate) fn serving(folder: &Path, arguments: &[&str]) -> Serving {
    let mut command = program(folder);
    let mut process = command
        .args(arguments)
        .args(["--listen", "127.0.0.1:0"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let output = process.stdout.take().expect("it is piped");
    let mut line = String::new();
    let read = BufReader::new(output).read_line(&mut line);
    let address = line.trim().trim_start_matches("http://").trim_end_matches('/');
    let address = address.to_owned();
    let served = Serving { process, address };
    read.expect("it says its address");
    assert!(!served.address.is_empty(), "the server did not start");
    served
}

pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn field(&self, name: &str) -> &str {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(':'));
        let found = lines.find(|(field, _)| field.eq_ignore_ascii_case(name));
        found.map_or("", |(_, value)| value.trim())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }
}

/// Sends a request and returns the whole answer.
pub(crate) fn send(address: &str, request: &str, fields: &[&str], body: &str) -> Answer {
    let mut text = format!("{request} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n");
    for field in fields {
        text.push_str(&format!("{field}\r\n"));
    }
    if !body.is_empty() {
        text.push_str(&format!("Content-Length: {}\r\n", body.len()));
    }
    let mut stream = TcpStream::connect(address).expect("it listens");
    stream
        .set_read_timeout(Some(Duration::from_secs(120)))
        .expect("a socket");
    stream
        .write_all(format!("{text}\r\n{body}").as_bytes())
        .expect("sent");
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).expect("an answer");
    let text = String::from_utf8(bytes).expect("text");
    let (head, body) = text.split_once("\r\n\r\n").expect("a head");
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
    Answer {
        status: status.expect("a status"),
        head: head.to_owned(),
        body: body.to_owned(),
    }
}
