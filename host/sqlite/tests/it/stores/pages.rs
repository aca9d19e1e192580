//! Pages, links, records and runs.

use super::moment;
use std::sync::Arc;

use magpie_model::Record;
use magpie_rows::{
    Component, ExtractedRecord, Extraction, FetchRequest, FetchResult, Hint, HintSource, Link, LinkList,
    Offer, Page, PageId, RobotsTags, RunKind, SiteId, UrlOutcome, UrlSource, UrlState,
};
use magpie_values::Timestamp;

use super::{Paged, exchange, fetch, fingerprint, lease, take, with_each_paged};

fn page(url: &str, at: Timestamp) -> Page {
    Page {
        url: url.to_owned(),
        fetched_at: at,
        status: Some(200),
        bytes: 10,
        ..Page::default()
    }
}

fn numbers(store: &dyn Paged, request: FetchRequest) -> Vec<(u64, i64)> {
    let rows = store.fetches(&request).unwrap();
    rows.iter()
        .map(|row| (row.number, row.fetched_at.as_millis()))
        .collect()
}

#[test]
fn pages_are_numbered_site_by_site_and_read_after_a_number() {
    with_each_paged(|store| {
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
    with_each_paged(|store| {
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
    with_each_paged(|store| {
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
fn a_known_page_has_its_last_answer_and_its_last_good_one() {
    with_each_paged(|store| {
        let lease = lease(store, "https://one.test");
        let url = "https://one.test/a";
        let id = take(store, &lease, url);
        let good = Page {
            exchange: Some(exchange("a")),
            tags: RobotsTags {
                nofollow: true,
                noindex: false,
            },
            ..page(url, moment(10))
        };
        let good = FetchResult {
            settled: Some(UrlOutcome::again(id, moment(0), "again".into())),
            page: Some(good),
            ..FetchResult::default()
        };
        let good = store.commit(&lease, good).unwrap().page;
        assert_eq!(store.take(&lease, None, 1, moment(1)).unwrap()[0].id, id);
        let failed = FetchResult {
            settled: Some(UrlOutcome::with(id, UrlState::Failed, Some("server".into()))),
            page: Some(Page {
                status: Some(503),
                problem: Some("server".into()),
                ..page(url, moment(50))
            }),
            ..FetchResult::default()
        };
        store.commit(&lease, failed).unwrap();
        store.flush().unwrap();
        let known = store.known_pages(lease.site).unwrap().pop().unwrap();
        assert_eq!((known.id, known.url.as_str(), known.depth), (id, url, 1));
        assert_eq!((known.page, known.page_at), (good, Some(moment(10))));
        assert_eq!(
            (known.fetched_at, known.status, known.problem),
            (Some(moment(50)), Some(503), Some("server".into()))
        );
        assert_eq!((known.unchanged, known.bodies, known.contradicted), (1, 1, false));
        assert_eq!((known.tags.nofollow, known.tags.noindex), (true, false));
        assert_eq!(
            (known.state, known.reason),
            (UrlState::Failed, Some("server".into()))
        );
    });
}

#[test]
fn known_pages_are_ordered_and_have_hints() {
    with_each_paged(|store| {
        let lease = lease(store, "https://one.test");
        let seeded = FetchResult {
            offers: vec![Offer::queued("seed", fingerprint("seed"), 2, moment(70))],
            ..FetchResult::default()
        };
        let seed = store.commit(&lease, seeded).unwrap().accepted[0].unwrap();
        let offer = |name: &str, source, state| Offer {
            source,
            state,
            reason: (state != UrlState::Queued).then(|| "why".into()),
            found_on: (source == UrlSource::Link).then_some(seed),
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
        assert_eq!(found, [("linked", seed, moment(70))]);
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
    with_each_paged(|store| {
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
        assert_eq!(records[0].expires_at, Some(Timestamp::from_seconds(7)));
    });
}

#[test]
fn judgements_follow_the_requested_pages() {
    with_each_paged(|store| {
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
fn sites_are_read_one_after_the_other() {
    with_each_paged(|store| {
        let one = lease(store, "https://one.test");
        lease(store, "https://other.test");
        let linked = "https://other.test/";
        let offers = FetchResult {
            offers: vec![Offer {
                site: Some(store.site("https://other.test").unwrap()),
                ..Offer::queued(linked, fingerprint(linked), 0, moment(9))
            }],
            ..FetchResult::default()
        };
        store.commit(&one, offers).unwrap();
        store.flush().unwrap();
        let sites = store.sites_after(None, 9).unwrap();
        let mut keys: Vec<_> = sites
            .iter()
            .map(|site| (site.key.as_str(), site.queued))
            .collect();
        keys.sort_unstable();
        assert_eq!(keys, [("https://one.test", 0), ("https://other.test", 1)]);
        assert!(sites.iter().all(|site| site.owner.as_deref() == Some("test")));
        assert_eq!(store.sites_after(None, 1).unwrap(), sites[..1]);
        assert_eq!(store.sites_after(Some(sites[0].id), 9).unwrap(), sites[1..]);
        assert_eq!(store.sites_after(Some(sites[1].id), 9).unwrap(), []);
    });
}
