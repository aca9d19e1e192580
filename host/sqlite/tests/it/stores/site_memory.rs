//! Facts about a site besides its URLs.

use super::moment;
use std::sync::Arc;

use magpie_model::{Judgement, UrlReason};
use magpie_rows::{
    Component, Cookie, ExtractedRecord, Extraction, FetchResult, Host, KeptUrlRule, KnownSite, LastAnswer,
    Lease, Link, LinkList, Offer, Page, PageId, PageJudgement, PastFetch, Robots, RobotsEffect, UrlOutcome,
    UrlState,
};
use magpie_values::Timestamp;

use super::{Crawled, fetch, fingerprint, lease, record, take, with_each_crawled};

const SITE: &str = "https://a.test";

fn cookie(name: &str) -> Cookie {
    Cookie {
        domain: "a.test".to_owned(),
        path: "/".to_owned(),
        name: name.to_owned(),
        value: "1".to_owned(),
        host_only: true,
        secure: false,
        expires_at: Some(moment(99)),
    }
}

fn url_rule(key: &str, evidence: &str, learned_at: Timestamp) -> KeptUrlRule {
    KeptUrlRule {
        url_rule: "needless-key".to_owned(),
        key: key.to_owned(),
        evidence: evidence.to_owned(),
        learned_at,
    }
}

fn commit(store: &dyn Crawled, lease: &Lease, result: FetchResult) {
    store.commit(lease, result).unwrap();
}

#[test]
fn facts_are_kept_per_site() {
    with_each_crawled(|store| {
        let (site, other) = (lease(store, SITE), lease(store, "https://b.test"));
        assert_eq!(store.known_site(&site).unwrap(), KnownSite::default());
        let feeds = |feeds: &[&str]| FetchResult {
            feeds: feeds.iter().map(|feed| (*feed).to_owned()).collect(),
            ..FetchResult::default()
        };
        commit(
            store,
            &site,
            feeds(&["https://a.test/news", "https://a.test/atom"]),
        );
        commit(store, &site, feeds(&["https://a.test/news"]));
        store.keep_cookies(&site, vec![cookie("one")]).unwrap();
        store.keep_cookies(&site, vec![cookie("two")]).unwrap();
        store
            .keep_url_rules(&site, vec![url_rule("sid", "first", moment(7))])
            .unwrap();
        let url_rules = vec![
            url_rule("sid", "second", moment(9)),
            url_rule("page", "third", moment(3)),
        ];
        store.keep_url_rules(&site, url_rules).unwrap();
        store.flush().unwrap();
        let expected = KnownSite {
            feeds: vec!["https://a.test/atom".to_owned(), "https://a.test/news".to_owned()],
            cookies: vec![cookie("two")],
            url_rules: vec![
                url_rule("page", "third", moment(3)),
                url_rule("sid", "first", moment(7)),
            ],
        };
        assert_eq!(store.known_site(&site).unwrap(), expected);
        assert_eq!(store.known_site(&other).unwrap(), KnownSite::default());
        assert_eq!(store.url_rules(SITE).unwrap(), expected.url_rules);
        assert_eq!(store.url_rules("https://nowhere.test").unwrap(), []);
        assert_eq!(
            store.sites_with_url_rules().unwrap(),
            [(site.site, SITE.to_owned())]
        );
    });
}

#[test]
fn the_last_robots_file_of_an_origin_is_kept() {
    with_each_crawled(|store| {
        let site = lease(store, SITE);
        assert_eq!(store.robots(SITE).unwrap(), None);
        let read = |text: &str, fetched_at: Timestamp| Robots {
            fetched_at,
            status: Some(200),
            outcome: RobotsEffect::Rules,
            text: Some(text.to_owned()),
        };
        let host = |robots: Option<Robots>| FetchResult {
            hosts: vec![Host {
                origin: SITE.to_owned(),
                robots,
                ..Host::default()
            }],
            ..FetchResult::default()
        };
        commit(store, &site, host(Some(read("Disallow: /a", moment(1)))));
        commit(store, &site, host(Some(read("Disallow: /b", moment(2)))));
        // A host without a robots file keeps the recorded one.
        commit(store, &site, host(None));
        store.flush().unwrap();
        assert_eq!(store.robots(SITE).unwrap(), Some(read("Disallow: /b", moment(2))));
        assert_eq!(store.robots("https://b.test").unwrap(), None);
        let kept = store.host(SITE).unwrap().unwrap();
        assert_eq!(kept.robots, Some(read("Disallow: /b", moment(2))));
        assert_eq!(store.host("https://b.test").unwrap(), None);
    });
}

#[test]
fn urls_have_the_validators_of_their_last_good_response() {
    with_each_crawled(|store| {
        let site = lease(store, SITE);
        let url = take(store, &site, "https://a.test/page");
        let good = Page {
            url: "https://a.test/page".to_owned(),
            status: Some(200),
            etag: Some("\"1\"".to_owned()),
            last_modified: Some("yesterday".to_owned()),
            ..Page::default()
        };
        let again = |page: Page| FetchResult {
            settled: Some(UrlOutcome::again(url, moment(0), UrlReason::Status(500))),
            page: Some(page),
            ..FetchResult::default()
        };
        commit(store, &site, again(good));
        let failed = Page {
            url: "https://a.test/page".to_owned(),
            status: Some(500),
            etag: Some("\"error\"".to_owned()),
            ..Page::default()
        };
        let taken = store.take(&site, None, 9, moment(1)).unwrap();
        assert_eq!(taken.len(), 1);
        commit(store, &site, again(failed));
        // It applies from the next lease on, also in the process that has fetched it.
        store.release(site, moment(0)).unwrap();
        let site = lease(store, SITE);
        let taken = store.take(&site, None, 9, moment(1)).unwrap();
        let expected = LastAnswer {
            etag: Some("\"1\"".to_owned()),
            last_modified: Some("yesterday".to_owned()),
        };
        assert_eq!(taken[0].last_answer, Some(expected));
    });
}

#[test]
fn past_fetches_are_passed_with_their_records() {
    with_each_crawled(|store| {
        let site = lease(store, SITE);
        let component = Arc::new(Component {
            vertical: "things".to_owned(),
            ..Component::default()
        });
        let judging = Arc::new(Component {
            vertical: "things".to_owned(),
            version: "2".to_owned(),
            digest: "judge".to_owned(),
            ..Component::default()
        });
        let judgement = Judgement::new(false, 0.75, "a list").expect("a judgement");
        let root = take(store, &site, "https://a.test/");
        let form = 7;
        let found = |path: &str, state: UrlState| {
            let url = format!("https://a.test/{path}");
            Offer {
                form,
                state,
                found_on: Some(root),
                reason: (state == UrlState::Refused).then(|| "scope".into()),
                ..Offer::queued(url.as_str(), fingerprint(&url), 1, moment(5))
            }
        };
        let mut links = LinkList::new();
        for (href, path, rel) in [
            ("https://a.test/one", "html>body>a", ""),
            ("https://a.test/other", "", "nofollow"),
            ("https://b.test/", "html>body>p>a", ""),
            ("/without-origin", "html>body>p>a", ""),
        ] {
            let text = "a word";
            assert!(links.push(Link {
                href,
                text,
                path,
                rel
            }));
        }
        let page = |url: &str, media_type: &str| Page {
            url: url.to_owned(),
            status: Some(200),
            media_type: Some(media_type.to_owned()),
            links: match url.ends_with("one") {
                true => LinkList::new(),
                false => links.clone(),
            },
            ..Page::default()
        };
        let result = FetchResult {
            settled: Some(UrlOutcome::fetched(root)),
            page: Some(Page {
                simhash: Some(5),
                ..page("https://a.test/", "text/html")
            }),
            offers: vec![found("one", UrlState::Queued), found("other", UrlState::Refused)],
            extractions: vec![Extraction {
                component,
                records: vec![ExtractedRecord {
                    record: record(1),
                    expires_at: None,
                }],
                ..Extraction::default()
            }],
            judgements: vec![PageJudgement {
                component: judging,
                judgement,
            }],
            ..FetchResult::default()
        };
        commit(store, &site, result);
        let taken = store.take(&site, None, 9, moment(0)).unwrap();
        fetch(store, &site, taken[0].id, page("https://a.test/one", "image/png"));
        store.flush().unwrap();
        let mut past: Vec<PastFetch> = Vec::new();
        store.past(&site, &mut |fetch| past.push(fetch)).unwrap();
        let told: Vec<_> = past
            .iter()
            .map(|fetch| (fetch.url.as_str(), fetch.form, fetch.is_page, fetch.records.len()))
            .collect();
        assert_eq!(
            told,
            [
                ("https://a.test/", 0, true, 1),
                ("https://a.test/one", form, false, 0)
            ]
        );
        assert_eq!(past[0].led_to, [form], "what was refused led nowhere");
        assert_eq!(past[0].records[0].0, "things");
        assert_eq!((past[0].judgement, past[1].judgement), (Some(false), None));
        assert_eq!((past[0].has_failed, past[1].has_failed), (Some(false), None));
        assert_eq!((past[0].simhash, past[1].simhash), (Some(5), None));
        let pages: Vec<PageId> = past.iter().rev().map(|fetch| fetch.page).collect();
        let told = store.past_links(&site, &pages).unwrap();
        assert_eq!(told.len(), 1, "a page without links is left out");
        assert_eq!(told[0].page, past[0].page);
        let told: Vec<_> = told[0]
            .links
            .iter()
            .map(|link| (link.href, link.path, link.rel))
            .collect();
        assert_eq!(
            told,
            [
                ("https://a.test/one", "html>body>a", ""),
                ("https://a.test/other", "", "nofollow"),
                ("https://b.test/", "html>body>p>a", ""),
                ("https://a.test/without-origin", "html>body>p>a", ""),
            ]
        );
    });
}
