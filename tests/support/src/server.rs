//! A scripted HTTP server on loopback: pages out of a function, raw bytes, delays, broken answers.

use std::collections::BTreeMap;
use std::io::{self, BufRead as _, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Address of a server that takes any free port.
const ANY_PORT: &str = "127.0.0.1:0";

/// A connection, encrypted or not.
pub trait Stream: Read + Write + Send {}
impl<Any: Read + Write + Send> Stream for Any {}

/// A connection of a client as a script sees it.
pub struct Wire(BufReader<Box<dyn Stream>>);

impl Wire {
    /// Writes bytes. Returns `None` if the client has left.
    pub fn send(&mut self, bytes: impl AsRef<[u8]>) -> Option<()> {
        self.write_all(bytes.as_ref()).ok()?;
        self.flush().ok()
    }

    /// Writes the same bytes until the client leaves, with a pause after each time.
    pub fn repeat(&mut self, bytes: impl AsRef<[u8]>, pause: Duration) -> Option<()> {
        loop {
            self.send(bytes.as_ref())?;
            std::thread::sleep(pause);
        }
    }

    /// Reads a head up to its empty line. Returns `None` at the end of the connection.
    pub fn read_head(&mut self) -> Option<String> {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let length = self.0.read_until(b'\n', &mut head).ok()?;
            if length == 0 {
                return None;
            }
        }
        Some(String::from_utf8_lossy(&head).into_owned())
    }
}

impl Read for Wire {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

impl Write for Wire {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.get_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.get_mut().flush()
    }
}

/// Writes an answer. `None` ends the connection.
type Script = dyn Fn(&mut Wire) -> Option<()> + Send + Sync;

#[derive(Clone)]
pub struct Reply {
    /// Status code, unless a script writes the answer.
    pub status: u16,
    headers: Vec<(&'static str, String)>,
    /// Body of an HTML page, which some tests extend.
    pub body: Vec<u8>,
    script: Option<Arc<Script>>,
    ends: bool,
}

impl Reply {
    /// A body of a media type.
    pub fn of(media_type: &str, body: impl Into<Vec<u8>>) -> Reply {
        Reply {
            status: 200,
            headers: vec![("Content-Type", media_type.to_owned())],
            body: body.into(),
            script: None,
            ends: false,
        }
    }

    pub fn html(body: impl Into<Vec<u8>>) -> Reply {
        Reply::of("text/html; charset=utf-8", body)
    }

    /// Plain text of no named charset.
    pub fn text(body: impl Into<Vec<u8>>) -> Reply {
        Reply::of("text/plain", body)
    }

    pub fn json(body: impl Into<Vec<u8>>) -> Reply {
        Reply::of("application/json", body)
    }

    /// A page with only a status code.
    pub fn status(status: u16) -> Reply {
        Reply::of("text/html", format!("<title>{status}</title>")).with_status(status)
    }

    /// A temporary redirect.
    pub fn redirect(to: &str) -> Reply {
        Reply::status(302).with("Location", to)
    }

    /// Writes the answer by a script, which ends the connection if it returns `None`.
    pub fn script(script: impl Fn(&mut Wire) -> Option<()> + Send + Sync + 'static) -> Reply {
        Reply {
            script: Some(Arc::new(script)),
            ..Reply::status(200)
        }
    }

    /// Writes these bytes without a check, and keeps the connection.
    pub fn bytes(bytes: impl Into<Vec<u8>>) -> Reply {
        let bytes = bytes.into();
        Reply::script(move |wire| wire.send(&bytes))
    }

    /// Writes nothing, and keeps the connection until the client leaves.
    pub fn silence() -> Reply {
        Reply::script(|wire| io::copy(wire, &mut io::sink()).ok().map(|_| ()))
    }

    /// Ends the connection without a word.
    pub fn close() -> Reply {
        Reply::script(|_| None)
    }

    #[must_use]
    pub fn with(mut self, name: &'static str, value: &str) -> Reply {
        self.headers.push((name, value.to_owned()));
        self
    }

    /// Answers with another status code.
    #[must_use]
    pub fn with_status(self, status: u16) -> Reply {
        Reply { status, ..self }
    }

    /// Ends the connection after the answer.
    #[must_use]
    pub fn and_close(self) -> Reply {
        Reply { ends: true, ..self }
    }

    /// Writes the answer to a client. Returns `None` if the connection ends.
    pub fn write(&self, wire: &mut Wire) -> Option<()> {
        match &self.script {
            Some(script) => script(wire)?,
            None => {
                let mut head = format!(
                    "HTTP/1.1 {} Test\r\nContent-Length: {}\r\n",
                    self.status,
                    self.body.len()
                );
                for (name, value) in &self.headers {
                    head.push_str(&format!("{name}: {value}\r\n"));
                }
                head.push_str("\r\n");
                wire.send([head.as_bytes(), &self.body].concat())?;
            }
        }
        (!self.ends).then_some(())
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

#[derive(Clone, Debug)]
pub struct Asked {
    /// Index of its connection.
    pub connection: usize,
    pub method: String,
    /// Path and query.
    pub path: String,
    /// Body as text, with replacements for what is not UTF-8.
    pub body: String,
    /// Request line and header fields as they came, with the empty line.
    pub head: String,
    /// Time of its arrival.
    pub at: Instant,
}

impl Asked {
    fn read(wire: &mut Wire, connection: usize) -> Option<Asked> {
        let head = wire.read_head()?;
        let at = Instant::now();
        let mut words = head.split(' ').map(str::to_owned);
        let mut asked = Asked {
            connection,
            method: words.next()?,
            path: words.next()?,
            body: String::new(),
            head,
            at,
        };
        let length = asked.field("content-length").map(str::parse);
        let mut body = vec![0; length.and_then(Result::ok).unwrap_or_default()];
        wire.read_exact(&mut body).ok()?;
        asked.body = String::from_utf8_lossy(&body).into_owned();
        Some(asked)
    }

    /// Value of a header field.
    pub fn field(&self, name: &str) -> Option<&str> {
        let mut fields = self.head.lines().filter_map(|line| line.split_once(':'));
        let found = fields.find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.trim())
    }
}

/// A server that runs until the process ends.
#[derive(Clone)]
pub struct Site {
    /// Address with its port on loopback.
    pub address: SocketAddr,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Site {
    /// Starts a server that answers by path and query.
    pub fn start(answers: impl Fn(&str) -> Reply + Send + Sync + 'static) -> Site {
        Site::asked(move |asked| answers(&asked.path))
    }

    /// Starts a server that answers by the whole request.
    pub fn asked(answers: impl Fn(&Asked) -> Reply + Send + Sync + 'static) -> Site {
        Site::over(|stream| Some(Box::new(stream)), answers)
    }

    /// Starts a server that gives the same answer to all requests.
    pub fn always(reply: Reply) -> Site {
        Site::start(move |_| reply.clone())
    }

    /// Starts a server that gives its answers one after the other, and the last one again and
    /// again.
    pub fn in_turn(replies: impl Into<Vec<Reply>>) -> Site {
        let replies = Mutex::new((0, replies.into()));
        Site::start(move |_| {
            let (turn, replies) = &mut *lock(&replies);
            *turn += 1;
            replies[(*turn - 1).min(replies.len() - 1)].clone()
        })
    }

    /// Starts a server over what is made of each connection, such as TLS.
    pub fn over(
        wrap: impl Fn(TcpStream) -> Option<Box<dyn Stream>> + Send + Sync + 'static,
        answers: impl Fn(&Asked) -> Reply + Send + Sync + 'static,
    ) -> Site {
        Site::listen(ANY_PORT, wrap, answers)
    }

    /// Starts a server at an address and port.
    pub fn at(address: &str, answers: impl Fn(&Asked) -> Reply + Send + Sync + 'static) -> Site {
        Site::listen(address, |stream| Some(Box::new(stream)), answers)
    }

    fn listen(
        address: &str,
        wrap: impl Fn(TcpStream) -> Option<Box<dyn Stream>> + Send + Sync + 'static,
        answers: impl Fn(&Asked) -> Reply + Send + Sync + 'static,
    ) -> Site {
        let asked = Arc::<Mutex<Vec<Asked>>>::default();
        let log = Arc::clone(&asked);
        let address = listen(address, wrap, move |wire, connection| {
            loop {
                let request = Asked::read(wire, connection)?;
                lock(&log).push(request.clone());
                answers(&request).write(wire)?;
            }
        });
        Site { address, asked }
    }

    /// URL of a path on this server.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Requests so far, in order.
    pub fn log(&self) -> Vec<Asked> {
        lock(&self.asked).clone()
    }

    /// Requested paths, in order. Methods other than GET come before the path, and bodies after it.
    pub fn requests(&self) -> Vec<String> {
        let asked = lock(&self.asked);
        let words = asked.iter().map(|asked| match asked.method.as_str() {
            "GET" => asked.path.clone(),
            method => format!("{method} {} {}", asked.path, asked.body),
        });
        words.collect()
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

fn lock<Content>(mutex: &Mutex<Content>) -> MutexGuard<'_, Content> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts a server that handles connections by a function. Returns its address.
pub fn wires(
    wrap: impl Fn(TcpStream) -> Option<Box<dyn Stream>> + Send + Sync + 'static,
    handle: impl Fn(&mut Wire) -> Option<()> + Send + Sync + 'static,
) -> SocketAddr {
    listen(ANY_PORT, wrap, move |wire, _| handle(wire))
}

/// Handles each connection by a function, with the index of the connection. Connections that `wrap`
/// makes nothing of are dropped.
fn listen(
    address: &str,
    wrap: impl Fn(TcpStream) -> Option<Box<dyn Stream>> + Send + Sync + 'static,
    handle: impl Fn(&mut Wire, usize) -> Option<()> + Send + Sync + 'static,
) -> SocketAddr {
    let listener = TcpListener::bind(address).expect("a free port");
    let address = listener.local_addr().expect("an address");
    let shared = Arc::new((wrap, handle));
    std::thread::spawn(move || {
        for (connection, stream) in listener.incoming().flatten().enumerate() {
            let shared = Arc::clone(&shared);
            std::thread::spawn(move || {
                let (wrap, handle) = &*shared;
                stream.set_nodelay(true).ok()?;
                handle(&mut Wire(BufReader::new(wrap(stream)?)), connection)
            });
        }
    });
    address
}

/// An address where nothing listens.
pub fn unused_address() -> SocketAddr {
    let listener = TcpListener::bind(ANY_PORT).expect("a free port");
    listener.local_addr().expect("an address")
}

/// An address that must not be connected to.
pub struct Tripwire(TcpListener);

impl Tripwire {
    /// Listens at an address; port 0 takes any free one.
    pub fn at(address: &str) -> Tripwire {
        Tripwire(TcpListener::bind(address).expect("a free port"))
    }

    /// Address with the port that was taken.
    pub fn address(&self) -> SocketAddr {
        self.0.local_addr().expect("an address")
    }

    /// # Panics
    /// Panics if a client has connected.
    #[track_caller]
    pub fn assert_untouched(&self) {
        self.0.set_nonblocking(true).expect("a socket");
        let reached = self.0.accept();
        assert!(reached.is_err(), "somebody has connected to {}", self.address());
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
