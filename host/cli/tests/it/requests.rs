//! A server of a workspace, and HTTP requests that are sent byte by byte as written.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;

use crate::context::{Running, TestContext};

/// A server of a workspace, until it is dropped.
pub(crate) struct Serving {
    _process: Running,
    pub(crate) address: String,
}

impl TestContext {
    /// Runs `magpie serve` with the words of a line, at a free port.
    pub(crate) fn serve(&self, line: &str) -> Serving {
        let mut command = self.command(&format!("{line} --listen 127.0.0.1:0"));
        command.stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = Running(command.spawn().expect("it starts"));
        let output = process.0.stdout.take().expect("it is piped");
        let mut line = String::new();
        let read = BufReader::new(output).read_line(&mut line);
        read.expect("it says its address");
        let address = line.trim().trim_start_matches("http://").trim_end_matches('/');
        assert!(!address.is_empty(), "the server did not start");
        Serving {
            address: address.to_owned(),
            _process: process,
        }
    }
}

impl Serving {
    pub(crate) fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    pub(crate) fn send(&self, request: &str, fields: &[&str], body: &str) -> Answer {
        send(&self.address, request, fields, body)
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.send(&format!("GET {path}"), &[], "")
    }
}

pub(crate) struct Answer {
    pub(crate) status: u16,
    head: String,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn field(&self, name: &str) -> &str {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(':'));
        let found = lines.find(|(field, _)| field.eq_ignore_ascii_case(name));
        found.map_or("", |(_, value)| value.trim())
    }

    /// Asserts the status.
    #[track_caller]
    pub(crate) fn has(self, status: u16) -> Answer {
        assert_eq!(self.status, status, "{}", self.body);
        self
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    #[track_caller]
    pub(crate) fn lines(&self) -> Vec<Value> {
        let lines = self.body.lines().map(serde_json::from_str);
        lines
            .collect::<Result<_, _>>()
            .unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }
}

/// Connects to a server, and sends a request that has no body. A read fails after a while.
pub(crate) fn asking(address: &str, request: &str, fields: &[&str]) -> TcpStream {
    let mut text = format!("{request} HTTP/1.1\r\nHost: {address}\r\n");
    for field in fields {
        text.push_str(&format!("{field}\r\n"));
    }
    // Browsers look such a name up as the system may not (RFC 6761, 6.3).
    let port = address.split_once(".localhost:").map(|(_, port)| port);
    let address = port.map_or_else(|| address.to_owned(), |port| format!("127.0.0.1:{port}"));
    let mut stream = TcpStream::connect(address).expect("it listens");
    let limit = Some(Duration::from_secs(120));
    stream.set_read_timeout(limit).expect("a socket");
    stream.write_all(format!("{text}\r\n").as_bytes()).expect("sent");
    stream
}

/// Sends a request and returns the whole answer.
pub(crate) fn send(address: &str, request: &str, fields: &[&str], body: &str) -> Answer {
    let length = format!("Content-Length: {}", body.len());
    let mut all = vec!["Connection: close"];
    all.extend(fields);
    if !body.is_empty() {
        all.push(&length);
    }
    let mut stream = asking(address, request, &all);
    stream.write_all(body.as_bytes()).expect("sent");
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
