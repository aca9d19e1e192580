//! Pages out of the archive.

use std::time::Duration;

use magpie_http::HttpLimits;
use magpie_rows::{
    Exchange, FetchResult, Lease, Page, PageId, ProbedLink, Rendering, RunId, RunKind, Truncated, UrlId,
    UrlOutcome, UrlState,
};

use super::{Archiving, exchange, fetch, fingerprint, lease, moment, take, with_each_archiving};

const URL: &str = "https://one.test/a";

/// A page with a body that is long enough to be compared with others.
fn page(url: &str, at: i64, letter: &str) -> Page {
    Page {
        url: url.to_owned(),
        fetched_at: moment(at),
        status: Some(200),
        bytes: 600,
        exchange: Some(exchange(letter.repeat(600))),
        ..Page::default()
    }
}

/// Commits a page of a URL that is fetched again afterwards.
fn again(store: &dyn Archiving, lease: &Lease, url: UrlId, page: Page) -> PageId {
    let result = FetchResult {
        settled: Some(UrlOutcome::again(url, moment(0), "again".into())),
        page: Some(page),
        ..FetchResult::default()
    };
    let page = store.commit(lease, result).unwrap().page.unwrap();
    assert_eq!(store.take(lease, None, 1, moment(1)).unwrap()[0].id, url);
    page
}

fn body(store: &dyn Archiving, page: PageId) -> (u16, String) {
    let replayed = store.replay(page, &HttpLimits::default()).unwrap().unwrap();
    let response = replayed.response.unwrap();
    (response.status, String::from_utf8(response.body).unwrap())
}

fn same_as(store: &dyn Archiving, page: PageId) -> Option<PageId> {
    store.page(page).unwrap().unwrap().same_as
}

#[test]
fn a_page_is_read_with_its_body() {
    with_each_archiving(|store| {
        let run = store
            .begin_run(RunKind::Crawl, "test/1", "{}", moment(1))
            .unwrap();
        let lease = lease(store, "https://one.test");
        let url = take(store, &lease, URL);
        let fetched = Page {
            run: Some(run),
            exchange: Some(Exchange {
                truncated: Some(Truncated::Length),
                ..exchange("a".repeat(600))
            }),
            ..page(URL, 10, "a")
        };
        let fetched = fetch(store, &lease, url, fetched).page.unwrap();
        let robots = FetchResult {
            page: Some(page("https://one.test/robots.txt", 20, "b")),
            ..FetchResult::default()
        };
        let robots = store.commit(&lease, robots).unwrap().page.unwrap();
        store.flush().unwrap();
        assert_eq!(body(store, fetched), (200, "a".repeat(600)));
        assert_eq!(body(store, robots), (200, "b".repeat(600)));
        let archived = store.archived(fetched).unwrap().unwrap();
        assert_eq!(archived.head.as_ref(), exchange("").response_head.as_ref());
        assert_eq!(
            (archived.body.len(), archived.truncated),
            (600, Some(Truncated::Length))
        );
        let latest = |url: &str, run| {
            let page = store.latest_response(fingerprint(url), url, run).unwrap();
            page.map(|page| page.id)
        };
        assert_eq!(latest(URL, None), Some(fetched));
        assert_eq!(latest(URL, Some(run)), Some(fetched));
        assert_eq!(latest(URL, Some(RunId(77))), None);
        assert_eq!(latest("https://one.test/robots.txt", None), Some(robots));
        let status = store.status().unwrap();
        assert_eq!((status.pages, status.sites), (2, 1));
        assert!(status.archives > 0 && status.archive_bytes > 100, "{status:?}");
        assert_eq!(status.urls.of(UrlState::Fetched), 1);
        let verified = store.verify().unwrap();
        assert_eq!((verified.pages, verified.records), (2, 2));
        assert_eq!(store.orphans(None).unwrap().len(), 0);
    });
}

#[test]
fn the_same_body_is_kept_once() {
    with_each_archiving(|store| {
        let lease = lease(store, "https://one.test");
        let url = take(store, &lease, URL);
        let first = again(store, &lease, url, page(URL, 10, "a"));
        // In the same batch, and in later ones.
        let second = again(store, &lease, url, page(URL, 20, "a"));
        let other = take(store, &lease, "https://one.test/b");
        let other = fetch(store, &lease, other, page("https://one.test/b", 30, "a"));
        let other = other.page.unwrap();
        store.flush().unwrap();
        let third = again(store, &lease, url, page(URL, 40, "a"));
        let changed = again(store, &lease, url, page(URL, 50, "b"));
        let not_modified = Page {
            status: Some(304),
            exchange: Some(Exchange {
                response_head: b"HTTP/1.1 304 Not Modified\r\n\r\n".as_slice().into(),
                ..exchange("")
            }),
            ..page(URL, 60, "")
        };
        let not_modified = again(store, &lease, url, not_modified);
        store.flush().unwrap();
        for (page, original) in [
            (first, None),
            (second, Some(first)),
            (other, Some(first)),
            (third, Some(first)),
            (changed, None),
            (not_modified, Some(changed)),
        ] {
            assert_eq!(same_as(store, page), original, "{page:?}");
        }
        assert_eq!(body(store, other), (200, "a".repeat(600)));
        assert_eq!(body(store, third), (200, "a".repeat(600)));
        assert_eq!(body(store, not_modified), (200, "b".repeat(600)));
        let archived = store.archived(not_modified).unwrap().unwrap();
        assert!(archived.head.starts_with(b"HTTP/1.1 200"), "{archived:?}");
        let mut order = Vec::new();
        let mut each = |page, _| order.push(page);
        let wanted = [third, first, PageId(third.0 + 9_000_000), other];
        store.replays(&wanted, &HttpLimits::default(), &mut each).unwrap();
        assert_eq!(order, [third, first, other]);
        assert_eq!(store.verify().unwrap().pages, 6);
    });
}

#[test]
fn a_page_is_read_as_a_browser_showed_it() {
    with_each_archiving(|store| {
        let lease = lease(store, "https://one.test");
        let url = take(store, &lease, URL);
        let rendering = Rendering {
            html: b"<p>shown".as_slice().into(),
            links: vec![ProbedLink {
                url: "https://one.test/b".to_owned(),
                text: "more".to_owned(),
                path: "html>body".to_owned(),
            }],
            requests: 3,
            bytes: 900,
            cpu: Duration::from_micros(1_500),
        };
        let shown = Page {
            rendering: Some(rendering.clone()),
            ..page(URL, 10, "a")
        };
        let first = again(store, &lease, url, shown);
        let shown = Page {
            rendering: Some(rendering.clone()),
            ..page(URL, 20, "a")
        };
        let second = again(store, &lease, url, shown);
        let plain = again(store, &lease, url, page(URL, 30, "b"));
        store.flush().unwrap();
        assert_eq!(store.rendering(first).unwrap(), Some(rendering));
        assert_eq!(store.rendering(plain).unwrap(), None);
        assert_eq!(body(store, first), (200, "<p>shown".to_owned()));
        assert_eq!(body(store, second), (200, "<p>shown".to_owned()));
        assert_eq!(store.archived(second).unwrap().unwrap().body.len(), 600);
        let verified = store.verify().unwrap();
        assert_eq!((verified.pages, verified.records), (3, 3));
    });
}

#[test]
fn the_answer_to_a_form_is_read_and_checked() {
    const ADDRESS: &str = "https://one.test/find?__wb_method=POST&q=big+dogs";
    with_each_archiving(|store| {
        let lease = lease(store, "https://one.test");
        let url = take(store, &lease, ADDRESS);
        let first = again(store, &lease, url, page(ADDRESS, 10, "a"));
        let second = again(store, &lease, url, page(ADDRESS, 20, "a"));
        store.flush().unwrap();
        assert_eq!(same_as(store, second), Some(first));
        assert_eq!(body(store, second), (200, "a".repeat(600)));
        assert_eq!(store.page(first).unwrap().unwrap().url, ADDRESS);
    });
}
