//! A server on loopback whose pages are computed by a function.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// Response of a server to a path with its query.
pub struct Reply {
    /// Status code.
    pub status: u16,
    /// Header fields, except the length.
    pub headers: Vec<(&'static str, String)>,
    /// Body.
    pub body: Vec<u8>,
}

impl Reply {
    /// An HTML page.
    pub fn html(body: impl Into<Vec<u8>>) -> Reply {
        Reply {
            status: 200,
            headers: vec![("Content-Type", "text/html; charset=utf-8".to_owned())],
            body: body.into(),
        }
    }

    /// Plain text.
    pub fn text(body: &str) -> Reply {
        Reply {
            status: 200,
            headers: vec![("Content-Type", "text/plain".to_owned())],
            body: body.into(),
        }
    }

    /// A page with only a status code.
    pub fn status(status: u16) -> Reply {
        Reply {
            status,
            headers: vec![("Content-Type", "text/html".to_owned())],
            body: format!("<title>{status}</title>").into(),
        }
    }

    /// A temporary redirect.
    pub fn redirect(to: &str) -> Reply {
        Reply {
            headers: vec![("Location", to.to_owned())],
            ..Reply::status(302)
        }
    }

    /// Adds a header field.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: &str) -> Reply {
        self.headers.push((name, value.to_owned()));
        self
    }
}

/// A page that links to these URLs.
pub fn links(title: &str, hrefs: &[&str]) -> Reply {
    let anchors = hrefs
        .iter()
        .map(|href| format!("<li><a href=\"{href}\">{href}</a></li>"));
    let list: String = anchors.collect();
    Reply::html(format!(
        "<!doctype html><title>{title}</title><h1>{title}</h1><ul>{list}</ul>"
    ))
}

/// Request of a client.
pub struct Asked {
    /// Method.
    pub method: String,
    /// Path and query.
    pub path: String,
    /// Body.
    pub body: String,
    /// Header fields, with names in lower case.
    pub fields: BTreeMap<String, String>,
}

impl Asked {
    /// Value of a header field, by its name in lower case.
    pub fn field(&self, name: &str) -> Option<&str> {
        self.fields.get(name).map(String::as_str)
    }
}

type Answers = dyn Fn(&Asked) -> Reply + Send + Sync;

/// A server that runs until the process ends.
pub struct Site {
    /// Address of the server.
    pub address: SocketAddr,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Site {
    /// Starts a server that answers by path and query.
    pub fn start(answers: impl Fn(&str) -> Reply + Send + Sync + 'static) -> Site {
        Site::asked(move |asked| answers(&asked.path))
    }

    /// Starts a server that answers by path, query and header fields.
    pub fn asked(answers: impl Fn(&Asked) -> Reply + Send + Sync + 'static) -> Site {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (log, answers): (_, Arc<Answers>) = (Arc::clone(&requests), Arc::new(answers));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (log, answers) = (Arc::clone(&log), Arc::clone(&answers));
                std::thread::spawn(move || serve(stream, &log, &*answers));
            }
        });
        Site { address, requests }
    }

    /// URL of a path on this server.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Requested paths, in order. Methods other than GET come before the path, and bodies after it.
    pub fn requests(&self) -> Vec<String> {
        self.requests.lock().expect("no panic under the lock").clone()
    }

    /// Number of requests for each path.
    pub fn counts(&self) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        for path in self.requests() {
            *counts.entry(path).or_default() += 1;
        }
        counts
    }
}

fn serve(stream: TcpStream, log: &Mutex<Vec<String>>, answers: &Answers) -> Option<()> {
    stream.set_nodelay(true).ok()?;
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut writer = stream;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|&bytes| bytes > 0)?;
        let mut parts = line.split(' ').map(str::to_owned);
        let (method, path) = (parts.next()?, parts.next()?);
        let mut fields = BTreeMap::new();
        loop {
            let mut header = String::new();
            reader.read_line(&mut header).ok().filter(|&bytes| bytes > 0)?;
            match header.split_once(':') {
                Some((name, value)) => fields.insert(name.to_ascii_lowercase(), value.trim().to_owned()),
                None => break,
            };
        }
        let length = fields
            .get("content-length")
            .and_then(|length| length.parse().ok());
        let mut body = vec![0; length.unwrap_or_default()];
        reader.read_exact(&mut body).ok()?;
        let body = String::from_utf8_lossy(&body).into_owned();
        log.lock().ok()?.push(match method.as_str() {
            "GET" => path.clone(),
            _ => format!("{method} {path} {body}"),
        });
        let reply = answers(&Asked {
            method,
            path,
            body,
            fields,
        });
        let mut head = format!(
            "HTTP/1.1 {} Test\r\nContent-Length: {}\r\n",
            reply.status,
            reply.body.len()
        );
        for (name, value) in &reply.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str("\r\n");
        writer.write_all(head.as_bytes()).ok()?;
        writer.write_all(&reply.body).ok()?;
    }
}

/// Returns a distinct title for each number. Titles that differ only in digits would count as
/// equal.
fn words(number: usize) -> String {
    let word = |index: usize| {
        [
            "oak", "ash", "elm", "fir", "yew", "bay", "box", "fig", "nut", "plum",
        ][index % 10]
    };
    format!(
        "{} {} {}",
        word(number),
        word(number / 10 + 3).repeat(2),
        word(number / 100 + 7).repeat(3)
    )
}

/// A tree of pages: page n links to 3n+1, 3n+2 and 3n+3, below a limit.
pub fn tree(count: usize) -> impl Fn(&str) -> Reply + Send + Sync {
    move |path| {
        let number = match path {
            "/" => Some(0),
            path => path
                .strip_prefix("/page/")
                .and_then(|number| number.parse::<usize>().ok()),
        };
        match number.filter(|&number| number < count) {
            Some(number) => {
                let children = (3 * number + 1..=3 * number + 3).filter(|&child| child < count);
                let hrefs: Vec<_> = children.map(|child| format!("/page/{child}")).collect();
                let hrefs: Vec<_> = hrefs.iter().map(String::as_str).collect();
                links(&words(number), &hrefs)
            }
            None => Reply::status(404),
        }
    }
}
