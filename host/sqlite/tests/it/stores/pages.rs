//! Pages, links, records and runs.

use super::moment;
use std::sync::Arc;

use magpie_model::Record;
use magpie_rows::{
    Component, ExtractedRecord, Extraction, FetchRequest, FetchResult, Hint, HintSource, Link, LinkList,
    Offer, Page, PageId, RobotsTags, RunId, RunKind, SiteId, Store, UrlId, UrlOutcome, UrlSource, UrlState,
};
use magpie_values::Timestamp;

use super::{fetch, fingerprint, lease, take, with_each};
use crate::crawl::exchange;

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

fn numbers(store: &dyn Store, request: FetchRequest) -> Vec<(u64, i64)> {
    let rows = store.fetches(&request).unwrap();
    rows.iter()
        .map(|row| (row.number, row.fetched_at.as_millis()))
        .collect()
}

#[test]
fn pages_are_numbered_site_by_site_and_read_after_a_number() {
    with_each(|store| {
        let (one, other) = (
            lease(store, "https://one.test"),
            lease(store, "https://other.test"),
        );
        let run = store.begin_run(RunKind::Crawl, "test", "{}", moment(0)).unwrap();
        for at in 1..=4 {
            let (here, there) = (
                format!("https://one.test/{at}"),
                format!("https://other.test/{at}"),
            );
            let of_run = Page {
                run: (at > 2).then_some(run),
                ..page(&here, moment(at))
            };
            fetch(store, &one, take(store, &one, &here), of_run);
            fetch(
                store,
                &other,
                take(store, &other, &there),
                page(&there, moment(10 * at)),
            );
        }
        store.flush().unwrap();
        let all = FetchRequest::of(one.site);
        assert_eq!(numbers(store, all), [(1, 1), (2, 2), (3, 3), (4, 4)]);
        let of_other = FetchRequest::of(other.site);
        assert_eq!(numbers(store, of_other), [(1, 10), (2, 20), (3, 30), (4, 40)]);
        assert_eq!(
            numbers(
                store,
                FetchRequest {
                    after: 1,
                    limit: 2,
                    ..all
                }
            ),
            [(2, 2), (3, 3)]
        );
        let of_run = FetchRequest {
            run: Some(run),
            ..all
        };
        assert_eq!(numbers(store, of_run), [(3, 3), (4, 4)]);
        assert_eq!(
            numbers(
                store,
                FetchRequest {
                    since: moment(4),
                    ..all
                }
            ),
            [(4, 4)]
        );
        assert_eq!(numbers(store, FetchRequest { after: 4, ..all }), []);
        assert_eq!(numbers(store, FetchRequest::of(SiteId(99))), []);
        let rows = store.fetches(&all).unwrap();
        assert!(rows.is_sorted_by_key(|row| row.id), "names grow within a site");
        assert!(rows.iter().all(|row| row.site == one.site));
        let all = store.all_fetches(Some(run)).unwrap();
        let seen: Vec<&str> = all.iter().map(|row| row.url.as_str()).collect();
        assert_eq!(seen, ["https://one.test/3", "https://one.test/4"]);
    });
}

#[test]
fn ids_continue_after_a_release() {
    with_each(|store| {
        for at in 1..=3 {
            let url = format!("https://one.test/{at}");
            let lease = lease(store, "https://one.test");
            fetch(store, &lease, take(store, &lease, &url), page(&url, moment(at)));
            store.release(lease, moment(0)).unwrap();
        }
        store.flush().unwrap();
        let site = store.site("https://one.test").unwrap();
        assert_eq!(numbers(store, FetchRequest::of(site)), [(1, 1), (2, 2), (3, 3)]);
    });
}

#[test]
fn a_file_without_a_url_belongs_to_the_leased_site() {
    with_each(|store| {
        let lease = lease(store, "https://one.test");
        let robots = FetchResult {
            page: Some(page("https://one.test/robots.txt", moment(3))),
            ..FetchResult::default()
        };
        store.commit(&lease, robots).unwrap();
        store.flush().unwrap();
        let rows = store.fetches(&FetchRequest::of(lease.site)).unwrap();
        assert_eq!(rows.len(), 1);
        assert_eq!((rows[0].url_id, rows[0].number), (None, 1));
        assert_eq!(rows[0].url, "https://one.test/robots.txt");
    });
}

#[test]
fn a_known_page_has_its_newest_responses() {
    with_each(|store| {
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
        let known = |store: &dyn Store| store.known_pages(lease.site).unwrap().pop().unwrap();
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

#[test]
fn known_pages_are_ordered_and_have_hints() {
    with_each(|store| {
        let lease = lease(store, "https://one.test");
        let offer = |name: &str, source, state| Offer {
            source,
            state,
            reason: (state != UrlState::Queued).then(|| "why".into()),
            found_on: (source == UrlSource::Link).then_some(UrlId(1)),
            ..Offer::queued(name, fingerprint(name), 2, moment(70))
        };
        let hint = |name: &str, source, modified_at, seen_at| Hint {
            fingerprint: fingerprint(name),
            source,
            modified_at: moment(modified_at),
            seen_at: moment(seen_at),
        };
        let result = FetchResult {
            offers: vec![
                offer("seed", UrlSource::Seed, UrlState::Queued),
                offer("mapped", UrlSource::Sitemap, UrlState::Held),
                offer("refused", UrlSource::Link, UrlState::Refused),
                offer("linked", UrlSource::Link, UrlState::Queued),
            ],
            hints: vec![
                hint("linked", HintSource::Feed, 30, 90),
                hint("linked", HintSource::Feed, 40, 90),
                hint("linked", HintSource::Sitemap, 50, 80),
                hint("linked", HintSource::Sitemap, 20, 81),
            ],
            ..FetchResult::default()
        };
        store.commit(&lease, result).unwrap();
        store.flush().unwrap();
        let known = store.known_pages(lease.site).unwrap();
        let names: Vec<_> = known.iter().map(|page| (page.url.as_str(), page.state)).collect();
        let expected = [
            ("seed", UrlState::Queued),
            ("mapped", UrlState::Held),
            ("linked", UrlState::Queued),
        ];
        assert_eq!(names, expected);
        let named: Vec<_> = known.iter().map(|page| page.named_at).collect();
        assert_eq!(named, [None, Some(moment(70)), Some(moment(90))]);
        let linked = &known[2];
        let hints = [linked.sitemap, linked.feed].map(|hint| hint.map(|hint| hint.modified_at));
        assert_eq!(
            hints,
            [Some(moment(20)), Some(moment(40))],
            "the later look counts; of one look the later date"
        );
        let paged = store.known_pages_after(lease.site, Some(known[0].id), 1).unwrap();
        assert_eq!(paged, known[1..2]);
        let found = store.found_by_links_after(lease.site, None, 9).unwrap();
        let found: Vec<_> = found
            .iter()
            .map(|link| (link.url.as_str(), link.found_on, link.found_at))
            .collect();
        assert_eq!(found, [("linked", UrlId(1), moment(70))]);
        assert_eq!(
            store
                .found_by_links_after(lease.site, Some(linked.id), 9)
                .unwrap(),
            []
        );
    });
}

#[test]
fn links_and_records_follow_the_requested_pages() {
    with_each(|store| {
        let lease = lease(store, "https://one.test");
        let mut pages = Vec::new();
        for number in 1..=3_i64 {
            let url = format!("https://one.test/{number}");
            let id = take(store, &lease, &url);
            let mut links = LinkList::new();
            for (href, path, rel) in [
                ("https://one.test/a?x=\"1\"", "html>body>a", "ugc \"x\""),
                ("https://elsewhere.test/", "html>body>a", ""),
                ("/b", "", "nofollow"),
                ("mailto:a@one.test", "html>body>a", ""),
            ] {
                links.push(Link {
                    href,
                    text: "a",
                    path,
                    rel,
                });
            }
            let extraction = |vertical: &str, records: &[&str]| Extraction {
                component: Arc::new(Component {
                    vertical: vertical.to_owned(),
                    digest: vertical.to_owned(),
                    ..Component::default()
                }),
                records: records
                    .iter()
                    .map(|record| ExtractedRecord {
                        record: Record {
                            object_type: format!("{record}{number}"),
                            ..super::record(number.unsigned_abs())
                        },
                        expires_at: Some(Timestamp::from_seconds(7)),
                    })
                    .collect(),
                ..Extraction::default()
            };
            let result = FetchResult {
                settled: Some(UrlOutcome::fetched(id)),
                page: Some(Page {
                    links: if number == 2 { LinkList::new() } else { links },
                    ..page(&url, moment(number))
                }),
                extractions: vec![extraction("things", &["a", "b"]), extraction("others", &["c"])],
                ..FetchResult::default()
            };
            pages.extend(store.commit(&lease, result).unwrap().page);
        }
        store.flush().unwrap();
        let asked = [pages[2], pages[1], pages[0], PageId(99)];
        let links = store.page_links(&asked).unwrap();
        assert_eq!(
            links.iter().map(|links| links.page).collect::<Vec<_>>(),
            [pages[2], pages[0]]
        );
        let expected = [
            ("https://one.test/a?x=\"1\"", "ugc \"x\""),
            ("https://elsewhere.test/", ""),
            ("https://one.test/b", "nofollow"),
            ("mailto:a@one.test", ""),
        ];
        let found = links[0].links.iter();
        let found: Vec<_> = found
            .map(|link| (link.href.as_str(), link.rel.as_str()))
            .collect();
        assert_eq!(found, expected);
        let records = store.records_of("things", &asked).unwrap();
        let texts: Vec<_> = records
            .iter()
            .map(|row| row.record.object_type.as_str())
            .collect();
        assert_eq!(texts, ["a3", "b3", "a2", "b2", "a1", "b1"]);
        assert_eq!(records[0].url, "https://one.test/3");
        assert_eq!(store.records_of("others", &pages).unwrap().len(), 3);
        assert_eq!(store.records_of("none", &pages).unwrap(), []);
        let ids: Vec<i64> = records.iter().map(|row| row.id).collect();
        assert_eq!(
            store.records(&ids[..2]).unwrap()[0].expires_at,
            Some(Timestamp::from_seconds(7))
        );
    });
}

#[test]
fn judgements_follow_the_requested_pages() {
    with_each(|store| {
        let site = lease(store, "https://a.test");
        let judgement = magpie_model::Judgement::new(false, 0.75, "a list").unwrap();
        let judged = |digest: &str| FetchResult {
            page: Some(page("https://a.test/", moment(1))),
            judgements: vec![magpie_rows::PageJudgement {
                component: Arc::new(Component {
                    digest: digest.to_owned(),
                    version: digest.to_owned(),
                    ..Component::default()
                }),
                judgement: judgement.clone(),
            }],
            ..FetchResult::default()
        };
        let pages = ["1", "2"].map(|digest| store.commit(&site, judged(digest)).unwrap().page.unwrap());
        store.flush().unwrap();
        let rows = store.judgements_of(&[pages[1], pages[0]]).unwrap();
        let rows: Vec<_> = rows
            .iter()
            .map(|row| (row.page, row.version.as_str(), &row.judgement))
            .collect();
        assert_eq!(rows, [(pages[1], "2", &judgement), (pages[0], "1", &judgement)]);
    });
}

#[test]
fn a_url_is_found_at_every_site_that_knows_it() {
    with_each(|store| {
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
        fetch(store, &one, id, page(shared, moment(3)));
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
        let sites = store.sites_after(None, 9).unwrap();
        let keys: Vec<_> = sites
            .iter()
            .map(|site| (site.key.as_str(), site.queued))
            .collect();
        assert_eq!(keys, [("https://one.test", 0), ("https://other.test", 1)]);
        assert_eq!(store.sites_after(Some(one.site), 9).unwrap().len(), 1);
    });
}

#[test]
fn spent_requests_are_read_by_kind_and_time() {
    with_each(|store| {
        let (one, other) = (
            lease(store, "https://one.test"),
            lease(store, "https://other.test"),
        );
        let watch = store.begin_run(RunKind::Watch, "test", "{}", moment(0)).unwrap();
        let crawl = store.begin_run(RunKind::Crawl, "test", "{}", moment(0)).unwrap();
        let visits = [
            (&one, watch, 100),
            (&other, watch, 90),
            (&one, crawl, 110),
            (&other, watch, 120),
        ];
        for (number, (lease, run, at)) in visits.into_iter().enumerate() {
            let url = format!("{}/{number}", lease.key);
            let page = Page {
                run: Some(run),
                ..page(&url, moment(at))
            };
            fetch(store, lease, take(store, lease, &url), page);
        }
        store.flush().unwrap();
        let spent = store.spent(RunKind::Watch, moment(95)).unwrap();
        let spent: Vec<_> = spent
            .iter()
            .map(|spent| (spent.at, spent.bytes, spent.site))
            .collect();
        assert_eq!(
            spent,
            [
                (moment(120), 10, Some(other.site)),
                (moment(100), 10, Some(one.site))
            ]
        );
        assert_eq!(store.spent(RunKind::Recrawl, moment(0)).unwrap(), []);
        let totals = store
            .run_totals("things", &[watch], (moment(0), moment(1_000)))
            .unwrap();
        assert_eq!((totals.pages, totals.bytes, totals.records), (3, 30, 0));
    });
}

#[test]
fn the_last_run_of_a_kind_is_resumed_until_it_is_ended() {
    with_each(|store| {
        assert_eq!(store.resume_run(RunKind::Crawl, moment(1)).unwrap(), None);
        let first = store
            .begin_run(RunKind::Crawl, "test 1", "{\"a\":1}", moment(2))
            .unwrap();
        let recrawl = store
            .begin_run(RunKind::Recrawl, "test 1", "{}", moment(3))
            .unwrap();
        assert_ne!(first, recrawl);
        assert_eq!(store.resume_run(RunKind::Crawl, moment(4)).unwrap(), Some(first));
        store.end_run(first, moment(5)).unwrap();
        store.end_run(RunId(99), moment(5)).unwrap();
        assert_eq!(store.resume_run(RunKind::Crawl, moment(6)).unwrap(), None);
        let runs = store.runs().unwrap();
        let run = &runs[0];
        assert_eq!((runs.len(), run.id, run.kind), (2, first, RunKind::Crawl));
        assert_eq!(
            (run.started_at, run.resumed_at, run.ended_at),
            (moment(2), Some(moment(4)), Some(moment(5)))
        );
        assert_eq!(
            (run.outcome.as_deref(), run.settings.as_str()),
            (Some("finished"), "{\"a\":1}")
        );
    });
}
