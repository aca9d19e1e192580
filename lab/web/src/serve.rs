//! HTTP server for a web: all sites on one port, selected by `Host`, in a week that can be changed
//! while it runs.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::request::Parts;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use crate::address::Act;
use crate::respond::{Request, Response};
use crate::web::Web;

/// The week that servers show. Clones share the week.
#[derive(Clone, Debug, Default)]
pub struct WeekHandle(Arc<AtomicU32>);

impl WeekHandle {
    pub fn new(week: u32) -> Self {
        Self(Arc::new(AtomicU32::new(week)))
    }

    pub fn get(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }

    /// Changes the week of all servers with this handle.
    pub fn set(&self, week: u32) {
        self.0.store(week, Ordering::Relaxed);
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HostTraffic {
    /// Requests, on all hosts of the site.
    pub requests: u64,
    pub bytes: u64,
    /// Searches of a deep site, refused ones included.
    pub searches: u64,
    pub posts: u64,
    /// Requests that do something beside reading a page, such as filling a basket.
    pub acts: u64,
}

#[derive(Debug, Default)]
struct Counter {
    requests: AtomicU64,
    bytes: AtomicU64,
    searches: AtomicU64,
    posts: AtomicU64,
    acts: AtomicU64,
}

#[derive(Debug)]
struct Shared {
    web: Arc<Web>,
    week: WeekHandle,
    /// Number of fetches, which seeds the parts that differ between fetches.
    fetches: AtomicU64,
    /// One for each site, and a last one for the search engine and unknown hosts.
    counters: Vec<Counter>,
    /// The first requests that did something.
    acts: Mutex<Vec<ActLine>>,
    /// Requests since they were taken last, if they are kept.
    arrivals: Mutex<Option<Vec<Arrival>>>,
}

/// A request that came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrival {
    pub host: String,
    /// The `User-Agent` of the client.
    pub agent: String,
    pub at: Instant,
}

/// A line of the log of requests that do something beside reading a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActLine {
    pub host: String,
    /// Path and query of the request.
    pub path: String,
    pub act: Act,
}

/// Maximum length of the log of acts; later ones are only counted.
const MAX_ACT_LINES: usize = 10_000;
/// Maximum length of the body of a form in bytes. A longer one is answered with status 413.
const MAX_FORM: usize = 64 * 1024;

impl Shared {
    fn note_arrival(&self, parts: &Parts) {
        let at = Instant::now();
        let mut arrivals = self.arrivals.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(arrivals) = &mut *arrivals {
            arrivals.push(Arrival {
                host: host_of(parts).unwrap_or_default().to_owned(),
                agent: text(&parts.headers, header::USER_AGENT)
                    .unwrap_or_default()
                    .to_owned(),
                at,
            });
        }
    }

    fn note(&self, request: &Request<'_>, act: Act) {
        let mut lines = self.acts.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() < MAX_ACT_LINES {
            lines.push(ActLine {
                host: request.host.to_owned(),
                path: request.path_and_query.to_owned(),
                act,
            });
        }
    }
}

/// A running server. It stops when the handle is dropped.
#[derive(Debug)]
pub struct ServerHandle {
    address: SocketAddr,
    shared: Arc<Shared>,
    /// The accepting task and every connection have a receiver.
    stop: watch::Sender<bool>,
}

impl ServerHandle {
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    pub fn requests(&self) -> u64 {
        self.shared
            .counters
            .iter()
            .map(|counter| counter.requests.load(Ordering::Relaxed))
            .sum()
    }

    /// Returns the traffic of each site so far, by its main host, and that of the search engine by
    /// its own host.
    pub fn traffic(&self) -> BTreeMap<String, HostTraffic> {
        let hosts = self
            .shared
            .web
            .all_sites()
            .iter()
            .map(|site| site.hosts.main.as_str());
        let hosts = hosts.chain(std::iter::once(self.shared.web.search_host()));
        let read = |counter: &Counter| HostTraffic {
            requests: counter.requests.load(Ordering::Relaxed),
            bytes: counter.bytes.load(Ordering::Relaxed),
            searches: counter.searches.load(Ordering::Relaxed),
            posts: counter.posts.load(Ordering::Relaxed),
            acts: counter.acts.load(Ordering::Relaxed),
        };
        hosts
            .zip(&self.shared.counters)
            .map(|(host, counter)| (host.to_owned(), read(counter)))
            .collect()
    }

    /// Returns the requests that did something beside reading a page: the first ten thousand.
    pub fn acts(&self) -> Vec<ActLine> {
        let lines = self.shared.acts.lock().unwrap_or_else(PoisonError::into_inner);
        lines.clone()
    }

    /// Returns the requests that came since the last call. They are kept from the first call on.
    pub fn take_arrivals(&self) -> Vec<Arrival> {
        let arrivals = self.shared.arrivals.lock();
        let mut arrivals = arrivals.unwrap_or_else(PoisonError::into_inner);
        arrivals.replace(Vec::new()).unwrap_or_default()
    }

    /// Stops accepting and closes all connections.
    pub async fn shutdown(self) {
        self.stop.send_replace(true);
        self.stop.closed().await;
    }
}

/// Serves a web on a local address. With port 0 the system chooses a free port.
///
/// # Errors
/// If the address can't be bound.
pub async fn serve(web: Arc<Web>, week: WeekHandle, address: SocketAddr) -> std::io::Result<ServerHandle> {
    let listener = TcpListener::bind(address).await?;
    let address = listener.local_addr()?;
    let counters = (0..=web.all_sites().len()).map(|_| Counter::default()).collect();
    let shared = Arc::new(Shared {
        web,
        week,
        fetches: AtomicU64::new(0),
        counters,
        acts: Mutex::default(),
        arrivals: Mutex::default(),
    });
    let (stop, stopped) = watch::channel(false);
    tokio::spawn(accept(listener, Arc::clone(&shared), stopped));
    Ok(ServerHandle {
        address,
        shared,
        stop,
    })
}

/// Delay before another attempt to accept, when the system has no resources for another connection.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(10);

async fn accept(listener: TcpListener, shared: Arc<Shared>, mut stopped: watch::Receiver<bool>) {
    let stops = stopped.clone();
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                // A lack of file descriptors is temporary; the client sees a delay.
                let Ok((stream, _)) = accepted else { tokio::time::sleep(ACCEPT_RETRY_DELAY).await; continue };
                tokio::spawn(connection(stream, Arc::clone(&shared), stops.clone()));
            }
            _ = stopped.changed() => return,
        }
    }
}

async fn connection(stream: TcpStream, shared: Arc<Shared>, mut stopped: watch::Receiver<bool>) {
    // Small responses must not wait for each other.
    let _ = stream.set_nodelay(true);
    let service = service_fn(|request| handle(Arc::clone(&shared), request));
    let serving = http1::Builder::new()
        .timer(TokioTimer::new())
        .pipeline_flush(true)
        .serve_connection(TokioIo::new(stream), service);
    tokio::select! {
        // A client that disconnects early is not an error.
        _ = serving => {}
        _ = stopped.changed() => {}
    }
}

async fn handle(
    shared: Arc<Shared>,
    request: hyper::Request<Incoming>,
) -> Result<hyper::Response<Full<Bytes>>, Infallible> {
    let (parts, body) = request.into_parts();
    shared.note_arrival(&parts);
    let is_head = parts.method == hyper::Method::HEAD;
    let form = if parts.method == hyper::Method::POST {
        match read_form(body).await {
            Some(form) => Some(form),
            None => return Ok(to_http(Response::new(413, "text/plain", "too long\n"), false)),
        }
    } else {
        None
    };
    let response = if host_of(&parts).is_some_and(|host| shared.web.is_search(host)) {
        // The first query indexes the whole web, which would block this thread.
        let answered = tokio::task::spawn_blocking(move || answer(&shared, &parts, None)).await;
        answered.unwrap_or_else(|_| Response::new(500, "text/plain", "the search engine failed\n"))
    } else {
        answer(&shared, &parts, form.as_deref())
    };
    if !response.delay.is_zero() {
        tokio::time::sleep(response.delay).await;
    }
    Ok(to_http(response, is_head))
}

/// Returns the requested host. A request to a proxy has it in the request line, which takes
/// precedence over the header.
fn host_of(parts: &Parts) -> Option<&str> {
    let named = parts.uri.authority().map(|authority| authority.as_str());
    named.or_else(|| text(&parts.headers, header::HOST))
}

/// Reads the body of a form. Returns `None` if it is too long or breaks off.
async fn read_form(body: Incoming) -> Option<String> {
    let body = Limited::new(body, MAX_FORM).collect().await.ok()?;
    Some(String::from_utf8_lossy(&body.to_bytes()).into_owned())
}

fn answer(shared: &Shared, parts: &Parts, form: Option<&str>) -> Response {
    let host = host_of(parts).unwrap_or_default();
    let others = shared.counters.len() - 1;
    let index = shared
        .web
        .site_of(host)
        .map_or(others, |(site, _)| site.index as usize);
    let counter = &shared.counters[index];
    let mut asked = Request {
        host,
        path_and_query: parts.uri.path_and_query().map_or("/", |path| path.as_str()),
        if_none_match: text(&parts.headers, header::IF_NONE_MATCH),
        if_modified_since: text(&parts.headers, header::IF_MODIFIED_SINCE),
        form,
        is_scripted: parts.headers.contains_key("x-requested-with"),
        searches: 0,
    };
    let week = shared.week.get();
    let (is_search, act) = shared.web.classify(&asked, week);
    if is_search {
        asked.searches = u32::try_from(counter.searches.fetch_add(1, Ordering::Relaxed)).unwrap_or(u32::MAX);
    }
    if let Some(act) = act {
        shared.note(&asked, act);
        counter.acts.fetch_add(1, Ordering::Relaxed);
    }
    counter
        .posts
        .fetch_add(u64::from(form.is_some()), Ordering::Relaxed);
    let nonce = shared.fetches.fetch_add(1, Ordering::Relaxed);
    let response = shared.web.respond(&asked, week, nonce);
    counter.requests.fetch_add(1, Ordering::Relaxed);
    counter
        .bytes
        .fetch_add(response.body.len() as u64, Ordering::Relaxed);
    response
}

fn text(headers: &HeaderMap, name: header::HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()
}

fn to_http(response: Response, is_head: bool) -> hyper::Response<Full<Bytes>> {
    let length = response.body.len();
    let mut out = hyper::Response::new(Full::new(if is_head { Bytes::new() } else { response.body }));
    *out.status_mut() = StatusCode::from_u16(response.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = out.headers_mut();
    if response.status != 304 {
        headers.insert(
            header::CONTENT_TYPE,
            HeaderValue::from_static(response.content_type),
        );
    }
    if is_head {
        headers.insert(header::CONTENT_LENGTH, HeaderValue::from(length));
    }
    let fields = [
        (header::ETAG, response.etag),
        (header::LAST_MODIFIED, response.last_modified),
        (header::LOCATION, response.location),
    ];
    for (name, value) in fields {
        if let Some(value) = value.and_then(|value| HeaderValue::from_str(&value).ok()) {
            headers.insert(name, value);
        }
    }
    out
}
