//! URLs of all sites.

use magpie_rows::{FetchResult, Offer, Page, UrlFilter, UrlSource, UrlState};

use super::{fetch, fingerprint, lease, moment, take, with_each_counted};

#[test]
fn a_url_is_found_at_every_site_that_knows_it() {
    with_each_counted(|store| {
        let (one, other) = (
            lease(store, "https://one.test"),
            lease(store, "https://other.test"),
        );
        let shared = "https://one.test/shared";
        let later = Offer {
            site: Some(other.site),
            ..Offer::queued(shared, fingerprint(shared), 0, moment(9))
        };
        let offers = FetchResult {
            offers: vec![later],
            ..FetchResult::default()
        };
        store.commit(&one, offers).unwrap();
        let id = take(store, &one, shared);
        let page = Page {
            url: shared.to_owned(),
            fetched_at: moment(3),
            status: Some(200),
            ..Page::default()
        };
        fetch(store, &one, id, page);
        store.flush().unwrap();
        let found = store
            .find_urls(&[fingerprint(shared), fingerprint("unknown")])
            .unwrap();
        let found: Vec<_> = found
            .iter()
            .map(|url| (url.site, url.site_key.as_str(), url.is_fetched, url.fingerprint))
            .collect();
        let print = fingerprint(shared);
        let expected = [
            (one.site, "https://one.test", true, print),
            (other.site, "https://other.test", false, print),
        ];
        assert_eq!(found, expected, "who found it first comes first");
    });
}

#[test]
fn urls_are_listed_counted_and_explained() {
    with_each_counted(|store| {
        let lease = lease(store, "https://one.test");
        let seed = take(store, &lease, "https://one.test/");
        let offer = |url: &str, state| Offer {
            state,
            reason: (state == UrlState::Refused).then(|| "robots".into()),
            found_on: Some(seed),
            ..Offer::queued(url, fingerprint(url), 1, moment(6))
        };
        let named = Offer {
            source: UrlSource::Seed,
            ..offer("https://one.test/a", UrlState::Queued)
        };
        let result = FetchResult {
            offers: vec![named, offer("https://one.test/b", UrlState::Refused)],
            ..FetchResult::default()
        };
        store.commit(&lease, result).unwrap();
        for at in [7, 8] {
            let page = Page {
                url: "https://one.test/".to_owned(),
                fetched_at: moment(at),
                ..Page::default()
            };
            let result = FetchResult {
                page: Some(page),
                settled: (at == 8).then(|| magpie_rows::UrlOutcome::fetched(seed)),
                ..FetchResult::default()
            };
            store.commit(&lease, result).unwrap();
        }
        store.flush().unwrap();

        let first = UrlFilter {
            limit: 2,
            ..UrlFilter::default()
        };
        let page = store.urls(&first).unwrap();
        assert_eq!(page.urls.len(), 2);
        let rest = UrlFilter {
            after: page.next,
            ..first.clone()
        };
        let rest = store.urls(&rest).unwrap();
        assert_eq!((rest.urls.len(), rest.next), (1, None));
        let refused = UrlFilter {
            state: Some(UrlState::Refused),
            reason: Some("robots".to_owned()),
            site: Some("https://one.test".to_owned()),
            ..first.clone()
        };
        let refused = store.urls(&refused).unwrap().urls;
        assert_eq!(refused.len(), 1);
        assert_eq!(refused[0].url, "https://one.test/b");
        assert_eq!(
            store.url_of(refused[0].id).unwrap().as_deref(),
            Some("https://one.test/b")
        );
        let elsewhere = UrlFilter {
            site: Some("https://other.test".to_owned()),
            ..first
        };
        assert_eq!(store.urls(&elsewhere).unwrap().urls, []);

        assert_eq!(store.seeds().unwrap(), ["https://one.test/a"]);
        let counts = store.url_counts(Some(lease.site)).unwrap();
        assert_eq!(counts, store.url_counts(None).unwrap());
        assert_eq!(counts.0.values().sum::<u64>(), 3);
        let queued = store.queued_by_site().unwrap();
        assert_eq!(queued.into_iter().collect::<Vec<_>>(), [(lease.site, 1)]);
        assert_eq!(store.status().unwrap().urls, counts);

        let found = store.explain(fingerprint("https://one.test/b")).unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].reason, Some("robots".into()));
        assert_eq!(found[0].way.len(), 1);
        assert_eq!(found[0].way[0].url, "https://one.test/");
        let found = store.explain(fingerprint("https://one.test/")).unwrap();
        let times: Vec<_> = found[0].pages.iter().map(|page| page.fetched_at).collect();
        assert_eq!(times, [moment(8)]);
        assert_eq!(store.explain(fingerprint("unknown")).unwrap(), []);
    });
}
