//! The numbers of a crawl for Prometheus, in its text format.

use std::fmt::Write;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use magpie_engine::crawl::Progress;
use tokio::net::TcpListener;

/// Sites that have numbers of their own: each is a time series, and thousands of them are nobody's friend.
const SITES: usize = 200;

/// The format, as Prometheus asks for it.
const FORMAT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// The page that is given out, as it stands now.
#[derive(Clone, Default)]
pub(crate) struct Metrics(Arc<Mutex<Page>>);

#[derive(Default)]
struct Page {
    /// The numbers of the crawl.
    crawl: String,
    /// What stands behind them.
    more: String,
}

impl Metrics {
    /// Takes the numbers of a moment.
    pub(crate) fn update(&self, progress: &Progress) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).crawl = page(progress);
    }

    /// Takes numbers that stand behind those of the crawl, written as Prometheus reads them.
    pub(crate) fn append(&self, more: String) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).more = more;
    }

    /// Gives the page out at an address, until the runtime ends. The address it got, which has a port even if none was named.
    pub(crate) async fn serve(&self, address: SocketAddr) -> std::io::Result<SocketAddr> {
        let listener = TcpListener::bind(address).await?;
        let bound = listener.local_addr()?;
        let metrics = self.clone();
        tokio::spawn(async move {
            // An error is one client's that went away before it was greeted.
            loop {
                let Ok((stream, _)) = listener.accept().await else {
                    tokio::task::yield_now().await;
                    continue;
                };
                let metrics = metrics.clone();
                tokio::spawn(async move {
                    let answer = service_fn(move |request| {
                        let answer = metrics.answer(&request);
                        async { Ok::<_, std::convert::Infallible>(answer) }
                    });
                    let connection = hyper::server::conn::http1::Builder::new()
                        .keep_alive(false)
                        .serve_connection(TokioIo::new(stream), answer);
                    let _ = connection.await;
                });
            }
        });
        Ok(bound)
    }

    fn answer(&self, request: &Request<Incoming>) -> Response<Full<Bytes>> {
        let (status, body) = match (request.method(), request.uri().path()) {
            (&Method::GET, "/metrics") => {
                let page = self.0.lock().unwrap_or_else(PoisonError::into_inner);
                (
                    StatusCode::OK,
                    Bytes::from(format!("{}{}", page.crawl, page.more)),
                )
            }
            _ => (
                StatusCode::NOT_FOUND,
                Bytes::from_static(b"the numbers are at /metrics\n"),
            ),
        };
        let mut response = Response::new(Full::new(body));
        *response.status_mut() = status;
        let format = hyper::header::HeaderValue::from_static(FORMAT);
        response.headers_mut().insert(hyper::header::CONTENT_TYPE, format);
        response
    }
}

/// The page with all numbers.
fn page(progress: &Progress) -> String {
    let mut page = String::new();
    let counters = [
        ("pages", "Pages with an answer.", progress.pages),
        ("requests", "Requests of all kinds.", progress.requests),
        ("received_bytes", "Bytes of bodies as they came.", progress.bytes),
        ("objects", "Objects found.", progress.objects),
        (
            "sites_finished",
            "Sites that are through.",
            progress.sites_finished,
        ),
    ];
    for (name, about, value) in counters {
        head(&mut page, &format!("{name}_total"), about, "counter");
        let _ = writeln!(page, "magpie_{name}_total {value}");
    }
    let gauges = [
        (
            "known_urls",
            "URLs known of the sites of this run.",
            progress.known,
        ),
        ("queued_urls", "URLs that wait.", progress.queued),
        ("requests_in_flight", "Requests under way.", progress.in_flight),
        (
            "sites_waiting",
            "Sites that wait for their turn.",
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
        "Seconds since the run was begun or resumed.",
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
        "Answers by class of status.",
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
        "Pages with a problem.",
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
        "URLs that are not fetched.",
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
        "Pages a vertical failed on.",
        "failure",
        failures,
    );
    let sites = || progress.sites.iter().take(SITES);
    let pages = sites().map(|site| (site.site.clone(), site.pages));
    labelled(&mut page, "site_pages_total", "Pages of a site.", "site", pages);
    let queued = sites().map(|site| (site.site.clone(), site.queued));
    labelled(
        &mut page,
        "site_queued_urls",
        "URLs of a site that wait.",
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
