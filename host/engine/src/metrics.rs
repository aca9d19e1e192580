//! The numbers of a crawl for Prometheus, in its text format.

use std::collections::BTreeMap;
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

use crate::crawl::{PageEvent, Progress, RenderedFigures};

/// Upper limit for sites with metrics of their own, since each is a time series.
pub(crate) const MAX_SITES: usize = 200;

/// The format, as Prometheus asks for it.
const FORMAT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Connections that are served at once; others wait.
const CONNECTIONS: usize = 16;

/// Maximum time of a connection for the request and the response.
const PATIENCE: Duration = Duration::from_secs(10);

/// The wait after a connection that could not be accepted.
const BACK_OFF: Duration = Duration::from_millis(200);

/// The page that is served, as it is now.
#[derive(Clone, Debug, Default)]
pub struct Metrics(Arc<Mutex<Page>>);

/// Upper bounds of the buckets of durations, in seconds.
const SECONDS: &[f64] = &[
    0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0,
];

/// Upper bounds of the buckets of sizes, in bytes.
const BYTES: &[f64] = &[1e3, 4e3, 16e3, 64e3, 256e3, 1_024e3, 4_096e3, 16_384e3];

/// Upper bounds of the buckets of CPU times of verticals, in seconds.
const CPU_SECONDS: &[f64] = &[0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0];

#[derive(Debug, Default)]
struct Page {
    crawl: String,
    pages: Distributions,
    /// Further figures, behind them.
    more: String,
}

impl Metrics {
    /// Takes the numbers of a moment.
    pub fn update(&self, progress: &Progress) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).crawl = page(progress);
    }

    /// Counts a page in the distributions.
    pub fn observe(&self, page: &PageEvent) {
        let mut now = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        now.pages.observe(page);
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

    /// Returns the page as it is now.
    pub fn page(&self) -> String {
        let now = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (pages, more) = (now.pages.write(), &now.more);
        format!("{}{}{pages}{more}", build_info(), now.crawl)
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
            (&Method::GET, "/metrics") => (StatusCode::OK, Bytes::from(self.page())),
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

/// Returns `true` if a `Host` field names this machine.
fn is_local(host: &str) -> bool {
    // A page of the web may point a name of its own to 127.0.0.1 and have the browser of a reader
    // ask here; the field then has that name.
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
        .map(|(what, failures)| (what.clone(), failures.pages));
    labelled(
        &mut page,
        "vertical_failures_total",
        "Pages on which a vertical failed.",
        "failure",
        failures,
    );
    rendered(&mut page, &progress.rendered);
    let sites = || progress.sites.iter().take(MAX_SITES);
    let pages = sites().map(|site| (site.site.clone(), site.pages));
    labelled(
        &mut page,
        "site_pages_total",
        "Pages fetched from a site.",
        "site",
        pages,
    );
    let shown = sites().filter(|site| site.rendered > 0);
    let shown = shown.map(|site| (site.site.clone(), site.rendered));
    labelled(
        &mut page,
        "site_rendered_pages_total",
        "Pages of a site that a browser showed.",
        "site",
        shown,
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

/// Writes the figures of pages that a browser was asked to show.
fn rendered(page: &mut String, figures: &RenderedFigures) {
    let counters = [
        (
            "rendered_pages",
            "Pages that a browser showed.",
            figures.pages as f64,
        ),
        (
            "rendered_requests",
            "Answered requests of scripts of pages in a browser.",
            figures.requests as f64,
        ),
        (
            "rendered_seconds",
            "Time that pages took in a browser.",
            figures.took.as_secs_f64(),
        ),
        (
            "rendered_cpu_seconds",
            "CPU time of the browser.",
            figures.cpu.as_secs_f64(),
        ),
    ];
    for (name, about, value) in counters {
        head(page, &format!("{name}_total"), about, "counter");
        let _ = writeln!(page, "magpie_{name}_total {value}");
    }
    let failures = figures.failures.iter();
    let failures = failures.map(|(code, count)| ((*code).to_owned(), *count));
    labelled(
        page,
        "rendered_failures_total",
        "Pages that a browser could not show, by reason.",
        "reason",
        failures,
    );
}

/// The distributions of what was measured of pages.
#[derive(Debug)]
struct Distributions {
    durations: Histogram,
    sizes: Histogram,
    extractions: BTreeMap<String, Histogram>,
}

impl Default for Distributions {
    fn default() -> Distributions {
        Distributions {
            durations: Histogram::new(SECONDS),
            sizes: Histogram::new(BYTES),
            extractions: BTreeMap::new(),
        }
    }
}

impl Distributions {
    fn observe(&mut self, page: &PageEvent) {
        self.durations.add(page.took.as_secs_f64());
        if page.status.is_some() {
            self.sizes.add(page.bytes as f64);
        }
        for (vertical, cpu) in &page.extractions {
            let times = self.extractions.entry(vertical.clone());
            times
                .or_insert_with(|| Histogram::new(CPU_SECONDS))
                .add(cpu.as_secs_f64());
        }
    }

    fn write(&self) -> String {
        let mut page = String::new();
        head(
            &mut page,
            "request_duration_seconds",
            "Time from the request for a page to the end of its answer.",
            "histogram",
        );
        self.durations.write(&mut page, "request_duration_seconds", "");
        head(
            &mut page,
            "response_bytes",
            "Bytes of the body of a page.",
            "histogram",
        );
        self.sizes.write(&mut page, "response_bytes", "");
        head(
            &mut page,
            "extraction_seconds",
            "CPU time of a vertical on a page.",
            "histogram",
        );
        for (vertical, times) in &self.extractions {
            let label = format!("vertical=\"{}\"", escaped(vertical));
            times.write(&mut page, "extraction_seconds", &label);
        }
        page
    }
}

/// The distribution of a quantity, in buckets.
#[derive(Debug)]
struct Histogram {
    /// Upper bounds of the buckets.
    bounds: &'static [f64],
    /// Values in each bucket; the last one has no bound.
    counts: Vec<u64>,
    sum: f64,
}

impl Histogram {
    fn new(bounds: &'static [f64]) -> Histogram {
        Histogram {
            bounds,
            counts: vec![0; bounds.len() + 1],
            sum: 0.0,
        }
    }

    fn add(&mut self, value: f64) {
        let bucket = self.bounds.partition_point(|bound| *bound < value);
        self.counts[bucket] += 1;
        self.sum += value;
    }

    /// Writes the buckets, each with all values up to its bound, and the sum and number of values.
    fn write(&self, page: &mut String, name: &str, label: &str) {
        let comma = if label.is_empty() { "" } else { "," };
        let bounds = self.bounds.iter().map(f64::to_string);
        let bounds = bounds.chain(["+Inf".to_owned()]);
        let mut count = 0;
        for (bound, own) in bounds.zip(&self.counts) {
            count += own;
            let _ = writeln!(
                page,
                "magpie_{name}_bucket{{{label}{comma}le=\"{bound}\"}} {count}"
            );
        }
        let label = match label {
            "" => String::new(),
            label => format!("{{{label}}}"),
        };
        let _ = writeln!(page, "magpie_{name}_sum{label} {}", self.sum);
        let _ = writeln!(page, "magpie_{name}_count{label} {count}");
    }
}

/// The version of the program, as a label of a constant.
fn build_info() -> String {
    let mut page = String::new();
    let version = [(env!("CARGO_PKG_VERSION").to_owned(), 1)];
    labelled(
        &mut page,
        "build_info",
        "The version that runs.",
        "version",
        version.into_iter(),
    );
    page
}

pub(crate) fn head(page: &mut String, name: &str, about: &str, kind: &str) {
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
        let _ = writeln!(page, "magpie_{name}{{{label}=\"{}\"}} {value}", escaped(&text));
    }
}

/// Escapes the value of a label.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
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

    #[test]
    fn buckets_count_all_values_up_to_their_bound() {
        let mut pages = Distributions::default();
        for (took, bytes) in [(10, 1_000), (11, 1_001), (60_000, 20_000_000)] {
            pages.observe(&PageEvent {
                url: String::new(),
                status: Some(200),
                bytes,
                took: Duration::from_millis(took),
                found: 0,
                objects: 0,
                extractions: vec![("odd \"one\"".to_owned(), Duration::from_millis(3))],
                failures: Vec::new(),
                problem: None,
                rendered: None,
            });
        }
        let page = pages.write();
        for line in [
            "magpie_request_duration_seconds_bucket{le=\"0.005\"} 0",
            "magpie_request_duration_seconds_bucket{le=\"0.01\"} 1",
            "magpie_request_duration_seconds_bucket{le=\"0.025\"} 2",
            "magpie_request_duration_seconds_bucket{le=\"30\"} 2",
            "magpie_request_duration_seconds_bucket{le=\"+Inf\"} 3",
            "magpie_request_duration_seconds_count 3",
            "magpie_response_bytes_bucket{le=\"1000\"} 1",
            "magpie_response_bytes_sum 20002001",
            r#"magpie_extraction_seconds_bucket{vertical="odd \"one\"",le="0.0025"} 0"#,
            r#"magpie_extraction_seconds_bucket{vertical="odd \"one\"",le="0.005"} 3"#,
            r#"magpie_extraction_seconds_count{vertical="odd \"one\""} 3"#,
        ] {
            assert!(page.lines().any(|found| found == line), "{line}: {page}");
        }
    }
}
