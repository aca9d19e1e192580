//! The numbers of a crawl for Prometheus, in its text format.

use std::fmt::Write;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use crate::crawl::Progress;

/// Upper limit for sites with metrics of their own, since each is a time series.
const SITES: usize = 200;

/// The format, as Prometheus asks for it.
const FORMAT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Connections that are served at once; others wait.
const CONNECTIONS: usize = 16;

/// A connection has so long to ask and to take the answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// The wait after a connection that could not be accepted.
const BACK_OFF: Duration = Duration::from_millis(200);

/// The page that is served, as it is now.
#[derive(Clone, Debug, Default)]
pub struct Metrics(Arc<Mutex<Page>>);

#[derive(Debug, Default)]
struct Page {
    /// The numbers of the crawl.
    crawl: String,
    /// Further figures, behind them.
    more: String,
}

impl Metrics {
    /// Takes the numbers of a moment.
    pub fn update(&self, progress: &Progress) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).crawl = page(progress);
    }

    /// Takes numbers that stand behind those of the crawl, written as Prometheus reads them.
    pub fn append(&self, more: String) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).more = more;
    }

    /// Gives the page out at an address, to a few connections at a time, until the runtime ends.
    /// Returns the address it got, which has a port even if none was named.
    pub async fn serve(&self, address: SocketAddr) -> std::io::Result<SocketAddr> {
        let listener = TcpListener::bind(address).await?;
        let bound = listener.local_addr()?;
        let metrics = self.clone();
        tokio::spawn(async move {
            let places = Arc::new(Semaphore::new(CONNECTIONS));
            // The semaphore is never closed.
            while let Ok(place) = Arc::clone(&places).acquire_owned().await {
                let Ok((stream, _)) = listener.accept().await else {
                    // One client's that went away before it was greeted, or there are no file
                    // descriptors left, which takes time to pass.
                    tokio::time::sleep(BACK_OFF).await;
                    continue;
                };
                let metrics = metrics.clone();
                tokio::spawn(async move {
                    let _place = place;
                    let answer = service_fn(move |request| {
                        let answer = metrics.answer(&request, bound);
                        async { Ok::<_, std::convert::Infallible>(answer) }
                    });
                    let connection = hyper::server::conn::http1::Builder::new()
                        .keep_alive(false)
                        .serve_connection(TokioIo::new(stream), answer);
                    let _ = tokio::time::timeout(PATIENCE, connection).await;
                });
            }
        });
        Ok(bound)
    }

    fn answer<Body>(&self, request: &Request<Body>, bound: SocketAddr) -> Response<Full<Bytes>> {
        let host = request.headers().get(hyper::header::HOST);
        let host = host.map(|host| String::from_utf8_lossy(host.as_bytes()));
        let is_meant = !bound.ip().is_loopback() || host.is_none_or(|host| is_local(&host));
        let (status, body) = match (request.method(), request.uri().path()) {
            _ if !is_meant => (
                StatusCode::MISDIRECTED_REQUEST,
                Bytes::from_static(b"use the IP address or localhost as host\n"),
            ),
            (&Method::GET, "/metrics") => {
                let page = self.0.lock().unwrap_or_else(PoisonError::into_inner);
                (
                    StatusCode::OK,
                    Bytes::from(format!("{}{}", page.crawl, page.more)),
                )
            }
            _ => (
                StatusCode::NOT_FOUND,
                Bytes::from_static(b"metrics are at /metrics\n"),
            ),
        };
        let mut response = Response::new(Full::new(body));
        *response.status_mut() = status;
        let format = hyper::header::HeaderValue::from_static(FORMAT);
        response.headers_mut().insert(hyper::header::CONTENT_TYPE, format);
        response
    }
}

/// Returns `true` if a `Host` field names this machine. A page of the web may point a name of its
/// own to 127.0.0.1 and have the browser of a reader ask here; the field then has that name.
fn is_local(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if !port.contains(']') => name,
        _ => host,
    };
    let address = name.trim_start_matches('[').trim_end_matches(']');
    name.eq_ignore_ascii_case("localhost") || address.parse::<IpAddr>().is_ok()
}

/// The page with all numbers.
fn page(progress: &Progress) -> String {
    let mut page = String::new();
    let counters = [
        ("pages", "Pages that were answered.", progress.pages),
        (
            "requests",
            "Requests, including robots.txt and sitemaps.",
            progress.requests,
        ),
        ("received_bytes", "Bytes of bodies as received.", progress.bytes),
        ("objects", "Objects found.", progress.objects),
        ("sites_finished", "Finished sites.", progress.sites_finished),
    ];
    for (name, about, value) in counters {
        head(&mut page, &format!("{name}_total"), about, "counter");
        let _ = writeln!(page, "magpie_{name}_total {value}");
    }
    let gauges = [
        (
            "known_urls",
            "Known URLs of the sites of this run.",
            progress.known,
        ),
        ("queued_urls", "Queued URLs.", progress.queued),
        ("requests_in_flight", "Requests in flight.", progress.in_flight),
        (
            "sites_waiting",
            "Sites that wait to be crawled.",
            progress.sites_waiting,
        ),
    ];
    for (name, about, value) in gauges {
        head(&mut page, name, about, "gauge");
        let _ = writeln!(page, "magpie_{name} {value}");
    }
    head(
        &mut page,
        "run_seconds",
        "Seconds since the run was started or resumed.",
        "gauge",
    );
    let _ = writeln!(page, "magpie_run_seconds {:.3}", progress.elapsed.as_secs_f64());
    let statuses = progress
        .statuses
        .iter()
        .map(|(class, count)| (format!("{class}xx"), *count));
    labelled(
        &mut page,
        "responses_total",
        "Responses by class of status code.",
        "class",
        statuses,
    );
    let problems = progress
        .problems
        .iter()
        .map(|(code, count)| (code.clone(), *count));
    labelled(
        &mut page,
        "problems_total",
        "Pages with a problem, by code.",
        "code",
        problems,
    );
    let refused = progress
        .refused
        .iter()
        .map(|(code, count)| (code.clone(), *count));
    labelled(
        &mut page,
        "not_fetched_total",
        "URLs that are not fetched, by reason.",
        "reason",
        refused,
    );
    let failures = progress
        .failures
        .iter()
        .map(|(what, count)| (what.clone(), *count));
    labelled(
        &mut page,
        "vertical_failures_total",
        "Pages on which a vertical failed.",
        "failure",
        failures,
    );
    let sites = || progress.sites.iter().take(SITES);
    let pages = sites().map(|site| (site.site.clone(), site.pages));
    labelled(
        &mut page,
        "site_pages_total",
        "Pages fetched from a site.",
        "site",
        pages,
    );
    let queued = sites().map(|site| (site.site.clone(), site.queued));
    labelled(
        &mut page,
        "site_queued_urls",
        "Queued URLs of a site.",
        "site",
        queued,
    );
    page
}

fn head(page: &mut String, name: &str, about: &str, kind: &str) {
    let _ = writeln!(page, "# HELP magpie_{name} {about}\n# TYPE magpie_{name} {kind}");
}

fn labelled(
    page: &mut String,
    name: &str,
    about: &str,
    label: &str,
    values: impl Iterator<Item = (String, u64)>,
) {
    let kind = if name.ends_with("_total") {
        "counter"
    } else {
        "gauge"
    };
    head(page, name, about, kind);
    for (text, value) in values {
        let text = text
            .replace('\\', "\\\\")
            .replace('"', "\\\"")
            .replace('\n', "\\n");
        let _ = writeln!(page, "magpie_{name}{{{label}=\"{text}\"}} {value}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_name_for_this_machine_gets_no_numbers() {
        let status = |bound: &str, host: Option<&str>| {
            let mut request = Request::builder().uri("/metrics");
            if let Some(host) = host {
                request = request.header("host", host);
            }
            let request = request.body(()).unwrap();
            Metrics::default()
                .answer(&request, bound.parse().unwrap())
                .status()
        };
        for host in [
            "localhost:9090",
            "127.0.0.1:9090",
            "[::1]:9090",
            "[::1]",
            "LOCALHOST",
        ] {
            assert_eq!(status("127.0.0.1:9090", Some(host)), StatusCode::OK, "{host}");
        }
        assert_eq!(status("[::1]:9090", None), StatusCode::OK);
        for host in ["evil.example", "evil.example:9090", "localhost.evil.example", ""] {
            let refused = status("127.0.0.1:9090", Some(host));
            assert_eq!(refused, StatusCode::MISDIRECTED_REQUEST, "{host}");
        }
        assert_eq!(status("192.0.2.1:9090", Some("crawler:9090")), StatusCode::OK);
    }

    #[test]
    fn connections_are_few_and_end() {
        use std::io::{Read, Write};
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
            .unwrap();
        let any = "127.0.0.1:0".parse().unwrap();
        let address = runtime.block_on(Metrics::default().serve(any)).unwrap();
        let connect = || std::net::TcpStream::connect(address).unwrap();
        let silent: Vec<_> = (0..CONNECTIONS).map(|_| connect()).collect();
        let mut asking = connect();
        asking
            .write_all(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
            .unwrap();
        let short = Duration::from_millis(500);
        asking.set_read_timeout(Some(short)).unwrap();
        assert!(
            asking.read(&mut [0; 16]).is_err(),
            "one connection too many is served"
        );
        asking.set_read_timeout(Some(PATIENCE * 2)).unwrap();
        let mut answer = [0; 12];
        asking.read_exact(&mut answer).unwrap();
        assert_eq!(&answer, b"HTTP/1.1 200");
        drop(silent);
    }

    #[test]
    fn labels_are_escaped_and_every_number_has_its_head() {
        let mut progress = Progress {
            pages: 7,
            ..Progress::default()
        };
        progress.problems.insert("odd \"one\"\\".to_owned(), 2);
        let page = page(&progress);
        assert!(
            page.contains("# TYPE magpie_pages_total counter\nmagpie_pages_total 7\n"),
            "{page}"
        );
        assert!(
            page.contains(r#"magpie_problems_total{code="odd \"one\"\\"} 2"#),
            "{page}"
        );
        for line in page.lines().filter(|line| !line.starts_with('#')) {
            let name = line.split(['{', ' ']).next().unwrap();
            assert!(page.contains(&format!("# TYPE {name} ")), "{name} has no head");
        }
    }
}
