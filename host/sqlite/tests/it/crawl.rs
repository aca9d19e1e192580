//! A small crawl for tests: the content of a page follows from its number.

use std::sync::Arc;
use std::time::Duration;

use magpie_rows::{
    Component, ExtractedRecord, Extraction, FetchResult, Frontier, Host, Lease, LeaseRequest, Link, LinkList,
    Offer, Page, RunId, UrlId, UrlOutcome,
};
use magpie_values::Timestamp;

use crate::stores::{exchange, record};

pub(crate) const SITE: &str = "https://a.test";

/// Returns a fingerprint: different for different texts.
pub(crate) fn fingerprint(url: &str) -> u64 {
    url.bytes().fold(17, |hash: u64, byte| {
        hash.wrapping_mul(1_000_003) ^ u64::from(byte)
    })
}

pub(crate) fn url(number: u64) -> String {
    format!("{SITE}/page/{number}")
}

pub(crate) fn offer(number: u64) -> Offer {
    Offer::queued(
        url(number),
        fingerprint(&url(number)),
        1,
        Timestamp::from_millis(5),
    )
}

pub(crate) fn lease(frontier: &dyn Frontier) -> Lease {
    let request = LeaseRequest {
        worker: "test",
        site: Some(frontier.site(SITE).expect("a site")),
        now: Timestamp::default(),
        until: Timestamp::MAX,
    };
    frontier.lease(&request).expect("a request").expect("a lease")
}

/// Body of a page: some kilobytes that are hardly compressible, and differ from those of other
/// pages.
pub(crate) fn body(number: u64) -> String {
    let mut state = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut body = format!("<html><title>Page {number}</title>");
    for _ in 0..200 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        body.push_str(&format!("<p>{state:x}</p>"));
    }
    body
}

pub(crate) fn page(number: u64, run: Option<RunId>) -> Page {
    let mut links = LinkList::new();
    for target in [number + 1, number + 2] {
        links.push(Link {
            href: &url(target),
            text: "more \"of it\"",
            path: "html>body>a",
            rel: "",
        });
    }
    Page {
        url: url(number),
        run,
        fetched_at: Timestamp::from_seconds(1_600_000_000 + number as i64),
        status: Some(200),
        media_type: Some("text/html".to_owned()),
        bytes: body(number).len() as u64,
        exchange: Some(exchange(body(number))),
        links,
        ..Page::default()
    }
}

pub(crate) fn result(id: UrlId, number: u64, run: Option<RunId>) -> FetchResult {
    FetchResult {
        settled: Some(UrlOutcome::fetched(id)),
        page: Some(page(number, run)),
        offers: vec![offer(number + 1), offer(number + 2)],
        hosts: vec![Host {
            origin: SITE.to_owned(),
            next_ok_at: Timestamp::from_millis(number as i64),
            delay: Duration::from_millis(10),
            failures: 0,
            robots: None,
        }],
        hints: Vec::new(),
        feeds: Vec::new(),
        judgements: Vec::new(),
        extractions: vec![Extraction {
            component: Arc::new(Component {
                vertical: "things".to_owned(),
                ..Component::default()
            }),
            records: vec![ExtractedRecord {
                record: record(number),
                expires_at: None,
            }],
            ..Extraction::default()
        }],
    }
}
