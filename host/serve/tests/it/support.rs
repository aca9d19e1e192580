//! A workspace and a server for tests, and a client that sends exactly what it is told.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use magpie_engine::settings::{Layer, Origin, Resolved};
use magpie_engine::{Clock, Stop};
use magpie_serve::{Server, ServerOptions};
use magpie_store::{Workspace, WorkspaceOptions};
use tokio::runtime::Runtime;

/// A server that runs until it is dropped.
pub(crate) struct Served {
    pub(crate) address: SocketAddr,
    stop: Stop,
    _runtime: Runtime,
}

/// An answer, decoded.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    /// The value of a header field, or nothing.
    pub(crate) fn field(&self, name: &str) -> &str {
        let mut lines = self.head.lines();
        let found = lines.find_map(|line| {
            let (field, value) = line.split_once(':')?;
            field.eq_ignore_ascii_case(name).then(|| value.trim())
        });
        found.unwrap_or_default()
    }
}

/// Settings with these lines in the file of the workspace.
pub(crate) fn settings(toml: &str) -> Resolved {
    let layer = Layer::file(&Origin::Workspace("magpie.toml".into()), toml).unwrap();
    Resolved::new(&[layer]).unwrap()
}

/// An empty workspace.
pub(crate) fn empty_workspace(folder: &Path) {
    Workspace::create(folder, &WorkspaceOptions::default())
        .unwrap()
        .close()
        .unwrap();
}

impl Served {
    pub(crate) fn new(folder: &Path, toml: &str) -> Served {
        Served::with(ServerOptions {
            folder: folder.to_owned(),
            settings: Arc::new(settings(toml)),
            listen: Some("127.0.0.1:0".to_owned()),
            clock: Clock::default(),
            actions: None,
        })
    }

    pub(crate) fn with(options: ServerOptions) -> Served {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .unwrap();
        let server = runtime.block_on(Server::bind(options)).unwrap();
        let stop = Stop::default();
        let address = server.addresses()[0];
        runtime.spawn(server.run(stop.receiver()));
        Served {
            address,
            stop,
            _runtime: runtime,
        }
    }

    /// Sends a request of these lines, with the usual `Host` unless they have one.
    pub(crate) fn send(&self, first: &str, fields: &[&str], body: &str) -> Answer {
        let mut request = format!("{first} HTTP/1.1\r\nConnection: close\r\n");
        if !fields.iter().any(|field| field.starts_with("Host:")) {
            request.push_str(&format!("Host: {}\r\n", self.address));
        }
        for field in fields {
            request.push_str(&format!("{field}\r\n"));
        }
        if !body.is_empty() {
            request.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        request.push_str(&format!("\r\n{body}"));
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut bytes = Vec::new();
        let _closed_early_after_a_refusal = stream.read_to_end(&mut bytes);
        let text = String::from_utf8_lossy(&bytes);
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        Answer {
            status: status.unwrap_or_default(),
            head: head.to_owned(),
            body: body.to_owned(),
        }
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.send(&format!("GET {path}"), &[], "")
    }

    /// Sends a form as our own page does.
    pub(crate) fn post(&self, path: &str, fields: &[&str], body: &str) -> Answer {
        let mut all = vec!["Content-Type: application/x-www-form-urlencoded"];
        all.extend(fields);
        self.send(&format!("POST {path}"), &all, body)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.stop.ask();
    }
}
