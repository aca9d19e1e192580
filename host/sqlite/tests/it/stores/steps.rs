//! Steps that the suites share.

use magpie_model::{Record, RecordValue};
use magpie_rows::{
    ArchiveStore, Archived, Catalogue, CoverageStore, CrawlStore, Exchange, Exports, FetchResult, Frontier,
    HiddenStore, History, LearnedStore, Lease, LeaseRequest, Offer, Page, Pages, PictureStore, Readings,
    Receipt, Requeue, RunStore, Search, SiteFacts, Statistics, UrlId, UrlOutcome, Urls, Warehouse,
    WebhookStore,
};
use magpie_values::Timestamp;

/// Traits that the suites need which every store passes.
pub(crate) trait Crawled: CoverageStore + CrawlStore + HiddenStore + Requeue + SiteFacts {}

impl<T: CoverageStore + CrawlStore + HiddenStore + Requeue + SiteFacts> Crawled for T {}

/// Traits of what is learned, logged and kept besides a crawl.
pub(crate) trait Learning: Crawled + LearnedStore + PictureStore + RunStore + WebhookStore {}

impl<T: Crawled + LearnedStore + PictureStore + RunStore + WebhookStore> Learning for T {}

/// Traits of clustering, and of what comes of it.
pub(crate) trait Clustered: Catalogue + Learning + History + Readings + Urls + Warehouse {}

impl<T: Catalogue + Learning + History + Readings + Urls + Warehouse> Clustered for T {}

/// Traits of search.
pub(crate) trait Searched: Clustered + Search {}

impl<T: Clustered + Search> Searched for T {}

/// Traits of what is exported.
pub(crate) trait Exported: Clustered + Exports {}

impl<T: Clustered + Exports> Exported for T {}

/// Traits of pages that are read, and of runs that fetch them.
pub(crate) trait Paged: Crawled + Pages + RunStore {}

impl<T: Crawled + Pages + RunStore> Paged for T {}

/// Traits of pages with their bodies.
pub(crate) trait Archiving: Archived + ArchiveStore + Paged + Statistics + Urls {}

impl<T: Archived + ArchiveStore + Paged + Statistics + Urls> Archiving for T {}

/// Traits of sums over a workspace, and of its URLs.
pub(crate) trait Counted: Crawled + Readings + Statistics + Urls {}

impl<T: Crawled + Readings + Statistics + Urls> Counted for T {}

/// Returns the time this many milliseconds after the beginning of 1970.
pub(crate) const fn moment(milliseconds: i64) -> Timestamp {
    Timestamp::from_millis(milliseconds)
}

pub(crate) fn lease(store: &dyn Frontier, key: &str) -> Lease {
    let request = LeaseRequest {
        worker: "test",
        site: Some(store.site(key).unwrap()),
        now: moment(0),
        until: Timestamp::MAX,
    };
    store.lease(&request).unwrap().unwrap()
}

/// Offers a URL of a leased site and takes it.
pub(crate) fn take(store: &dyn Frontier, lease: &Lease, url: &str) -> UrlId {
    let offer = Offer {
        taken: true,
        ..Offer::queued(url, fingerprint(url), 1, moment(5))
    };
    let offers = FetchResult {
        offers: vec![offer],
        ..FetchResult::default()
    };
    store.commit(lease, offers).unwrap().accepted[0].unwrap()
}

/// Commits a page and settles its URL.
pub(crate) fn fetch(store: &dyn Frontier, lease: &Lease, url: UrlId, page: Page) -> Receipt {
    let result = FetchResult {
        settled: Some(UrlOutcome::fetched(url)),
        page: Some(page),
        ..FetchResult::default()
    };
    store.commit(lease, result).unwrap()
}

/// A request and an answer with a body.
pub(crate) fn exchange(body: impl Into<Vec<u8>>) -> Exchange {
    Exchange {
        remote: Some([192, 0, 2, 7].into()),
        request: b"GET / HTTP/1.1\r\nHost: a.test\r\n\r\n".as_slice().into(),
        response_head: b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
            .as_slice()
            .into(),
        body: body.into().into(),
        truncated: None,
    }
}

/// Fingerprint of a URL, computed as the crawler does.
pub(crate) fn fingerprint(url: &str) -> u64 {
    xxhash_rust::xxh3::xxh3_64(url.as_bytes())
}

/// Record of a page, which contains its number.
pub(crate) fn record(number: u64) -> Record {
    Record {
        object_type: "Thing".to_owned(),
        confidence: 0.5,
        values: vec![RecordValue {
            attribute: "number".to_owned(),
            value: number.to_string(),
            raw: None,
            node: None,
            repeated: false,
        }],
    }
}
