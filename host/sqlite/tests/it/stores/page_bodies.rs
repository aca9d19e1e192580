//! Bodies of pages that are compared with those before.

use magpie_rows::{FetchRequest, FetchResult, Page, RobotsTags, UrlOutcome, UrlState};
use magpie_values::Timestamp;

use super::{Paged, exchange, lease, moment, take, with_each_paged};

fn page(url: &str, at: Timestamp) -> Page {
    Page {
        url: url.to_owned(),
        fetched_at: at,
        status: Some(200),
        bytes: 10,
        ..Page::default()
    }
}

/// A page with a body that is long enough to be compared with others.
fn with_body(url: &str, at: Timestamp, letter: &str) -> Page {
    Page {
        exchange: Some(exchange(letter.repeat(600))),
        ..page(url, at)
    }
}

#[test]
fn a_known_page_has_its_newest_responses() {
    with_each_paged(|store| {
        let lease = lease(store, "https://one.test");
        let url = "https://one.test/a";
        let id = take(store, &lease, url);
        let again = |page: Page, state: Option<&str>| {
            let settled = match state {
                Some(reason) => UrlOutcome::with(id, UrlState::Failed, Some(reason.into())),
                None => UrlOutcome::again(id, moment(0), "again".into()),
            };
            let result = FetchResult {
                settled: Some(settled),
                page: Some(page),
                ..FetchResult::default()
            };
            store.commit(&lease, result).unwrap();
            if state.is_none() {
                assert_eq!(store.take(&lease, None, 1, moment(1)).unwrap()[0].id, id);
            }
        };
        let tagged = |at, letter: &str| Page {
            etag: Some("tag".to_owned()),
            tags: RobotsTags {
                nofollow: letter == "b",
                noindex: letter == "a",
            },
            ..with_body(url, at, letter)
        };
        again(tagged(moment(10), "a"), None);
        again(tagged(moment(20), "a"), None);
        store.flush().unwrap();
        let known = |store: &dyn Paged| store.known_pages(lease.site).unwrap().pop().unwrap();
        let page = known(store);
        assert_eq!((page.unchanged, page.bodies, page.contradicted), (1, 2, false));
        assert_eq!((page.tags.nofollow, page.tags.noindex), (false, true));
        again(tagged(moment(30), "b"), None);
        store.flush().unwrap();
        let page = known(store);
        assert_eq!((page.unchanged, page.bodies, page.contradicted), (0, 3, true));
        let not_modified = Page {
            status: Some(304),
            exchange: Some(exchange("")),
            ..self::page(url, moment(40))
        };
        again(not_modified, None);
        let failed = Page {
            status: Some(503),
            problem: Some("server".into()),
            ..self::page(url, moment(50))
        };
        again(failed, Some("server"));
        store.flush().unwrap();
        let page = known(store);
        assert_eq!((page.id, page.url.as_str(), page.depth), (id, url, 1));
        assert_eq!(
            (page.page_at, page.fetched_at, page.status),
            (Some(moment(30)), Some(moment(50)), Some(503))
        );
        assert_eq!((page.unchanged, page.bodies, page.contradicted), (2, 3, true));
        assert_eq!((page.tags.nofollow, page.tags.noindex), (true, false));
        assert_eq!(
            (page.state, page.reason),
            (UrlState::Failed, Some("server".into()))
        );
        let rows = store.fetches(&FetchRequest::of(lease.site)).unwrap();
        assert_eq!(rows[1].same_as, Some(rows[0].id));
        assert_eq!(
            rows[3].same_as,
            Some(rows[2].id),
            "not modified since the last body"
        );
        assert_eq!(rows[3].body, rows[2].body);
        assert_eq!(page.page, Some(rows[2].id));
    });
}
