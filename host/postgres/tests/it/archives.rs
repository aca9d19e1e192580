//! Bodies in an object store that several workers write to.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

use magpie_archive::{StoreUrl, use_variables};
use magpie_http::HttpLimits;
use magpie_postgres::{BatchLimits, LeaseTimes, Server, Store, StoreOptions};
use magpie_rows::{
    ArchiveStore as _, Archived as _, Frontier as _, Lease, Page, PageId, ReplayedPage, Statistics as _,
    StoreError,
};
use magpie_test_servers::ObjectStore;
use magpie_values::Timestamp;
use magpie_warc::ArchiveSettings;

use crate::stores::{exchange, fetch, lease, moment, take};
use crate::{archiving_to, each_workspace};

/// Leases that end soon, and batches that wait for a caller.
fn options(folder: &Path) -> StoreOptions {
    StoreOptions {
        times: LeaseTimes {
            length: Duration::from_millis(1_500),
            reserve: Duration::from_millis(200),
            quiet: Duration::from_millis(50),
        },
        batch: BatchLimits {
            age: Duration::from_secs(600),
            ..BatchLimits::default()
        },
        ..archiving_to(folder)
    }
}

/// Opens the workspace with leases that last.
fn open(server: &Arc<Server>, folder: &Path) -> Store {
    let options = StoreOptions {
        times: LeaseTimes::default(),
        ..options(folder)
    };
    Store::open(Arc::clone(server), "one", options).unwrap()
}

/// Waits until a worker has all buckets.
fn claim_all(store: &Store) {
    let begin = Instant::now();
    while store.buckets().all().len() < 3 {
        assert!(begin.elapsed() < Duration::from_secs(20));
        store.buckets().claim(9).unwrap();
        sleep(Duration::from_millis(20));
    }
}

/// The body of a page, which its URL determines.
fn body(url: &str) -> String {
    url.repeat(900)
}

fn crawl(store: &Store, site: &Lease, url: &str) -> PageId {
    let id = take(store, site, url);
    let page = Page {
        url: url.to_owned(),
        status: Some(200),
        fetched_at: moment(7_000),
        exchange: Some(exchange(body(url))),
        ..Page::default()
    };
    fetch(store, site, id, page).page.unwrap()
}

fn check(store: &Store, page: PageId, url: &str) {
    let replayed = store.replay(page, &HttpLimits::default()).unwrap().unwrap();
    assert_eq!(replayed.response.unwrap().body, body(url).into_bytes());
}

#[test]
fn a_page_with_a_body_needs_a_place_for_it() {
    each_workspace(|server| {
        let store = Store::open(Arc::clone(server), "one", StoreOptions::default()).unwrap();
        claim_all(&store);
        let site = lease(&store, "https://a.test");
        let id = take(&store, &site, "https://a.test/1");
        let page = |exchange| Page {
            url: "https://a.test/1".to_owned(),
            exchange,
            ..Page::default()
        };
        let result = magpie_rows::FetchResult {
            page: Some(page(Some(exchange("a")))),
            ..magpie_rows::FetchResult::default()
        };
        let error = store.commit(&site, result).unwrap_err().to_string();
        assert!(error.contains("set `archive.store` to"), "{error}");
        fetch(&store, &site, id, page(None));
        store.flush().unwrap();
        assert_eq!(store.status().unwrap().archives, 0);
        let missing = archiving_to(Path::new("/no/such/folder"));
        assert!(matches!(
            Store::open(Arc::clone(server), "one", missing).err().unwrap(),
            StoreError::ObjectStore { .. }
        ));
    });
}

#[test]
fn a_lease_that_is_lost_after_the_put_leaves_an_orphan_and_no_rows() {
    each_workspace(|server| {
        let folder = tempfile::tempdir().unwrap();
        let first = Store::open(Arc::clone(server), "first", options(folder.path())).unwrap();
        claim_all(&first);
        let site = lease(&first, "https://a.test");
        let kept = crawl(&first, &site, "https://a.test/1");
        first.flush().unwrap();
        crawl(&first, &site, "https://a.test/2");
        let second = open(server, folder.path());
        claim_all(&second);
        // It has not noticed yet, so the bodies are put, and their rows refused.
        first.flush().unwrap();
        check(&second, kept, "https://a.test/1");
        let verified = second.verify().unwrap();
        assert_eq!((verified.pages, verified.problems), (1, Vec::new()));
        let orphans = second.orphans(None).unwrap();
        assert_eq!(orphans.len(), 1, "{orphans:?}");
        let modified = orphans[0].modified;
        assert!(!second.orphans(Some(modified)).unwrap()[0].is_removed);
        // The page is fetched again.
        let site = lease(&second, "https://a.test");
        let pending = second.take(&site, None, 9, moment(9)).unwrap();
        assert_eq!(pending.len(), 0, "it was offered with its page");
        let again = crawl(&second, &site, "https://a.test/2");
        second.flush().unwrap();
        check(&second, again, "https://a.test/2");
        let later = Timestamp::from_millis(modified.as_millis() + 1);
        assert!(second.orphans(Some(later)).unwrap()[0].is_removed);
        assert_eq!(second.orphans(None).unwrap().len(), 0);
        assert_eq!(second.verify().unwrap().pages, 2);
    });
}

#[test]
fn a_put_that_fails_is_reported_and_loses_nothing_acknowledged() {
    each_workspace(|server| {
        let folder = tempfile::tempdir().unwrap();
        let store = open(server, folder.path());
        claim_all(&store);
        let site = lease(&store, "https://a.test");
        let kept = crawl(&store, &site, "https://a.test/1");
        store.flush().unwrap();
        let (there, away) = (folder.path().join("there"), folder.path().join("away"));
        let below = fs::read_dir(folder.path())
            .unwrap()
            .next()
            .unwrap()
            .unwrap()
            .path();
        fs::rename(&below, &away).unwrap();
        fs::write(&below, "no folder").unwrap();
        crawl(&store, &site, "https://a.test/2");
        let error = store.flush().unwrap_err();
        assert!(matches!(error, StoreError::File { .. }), "{error}");
        assert!(matches!(store.flush(), Err(StoreError::Stopped { .. })));
        store.buckets().give_back_all().unwrap();
        drop(store);
        fs::rename(&below, &there).unwrap();
        fs::rename(&away, &below).unwrap();
        let store = open(server, folder.path());
        claim_all(&store);
        check(&store, kept, "https://a.test/1");
        let verified = store.verify().unwrap();
        assert_eq!((verified.pages, verified.problems), (1, Vec::new()));
        let site = lease(&store, "https://a.test");
        crawl(&store, &site, "https://a.test/2");
        assert_eq!(store.verify().unwrap().pages, 2);
    });
}

#[test]
fn files_of_many_buckets_are_joined_and_damage_is_found() {
    each_workspace(|server| {
        let folder = tempfile::tempdir().unwrap();
        let options = StoreOptions {
            times: LeaseTimes::default(),
            archive: ArchiveSettings {
                file_bytes: 20_000,
                ..ArchiveSettings::default()
            },
            ..options(folder.path())
        };
        let store = Store::open(Arc::clone(server), "one", options).unwrap();
        claim_all(&store);
        let keys: Vec<String> = (0..8).map(|number| format!("https://s{number}.test")).collect();
        let sites: Vec<Lease> = keys.iter().map(|key| lease(&store, key)).collect();
        let mut pages = Vec::new();
        for batch in 0..6 {
            for (key, site) in keys.iter().zip(&sites) {
                let url = format!("{key}/{batch}");
                pages.push((crawl(&store, site, &url), url));
            }
            store.flush().unwrap();
        }
        let names = || {
            let rows = pages.iter().map(|(page, _)| store.page(*page).unwrap().unwrap());
            let names = rows.map(|row| row.archived.unwrap().0);
            names.collect::<std::collections::BTreeSet<String>>()
        };
        let before = names();
        assert_eq!(before.len(), 6, "a file for each batch");
        assert_eq!(store.status().unwrap().archives, 6);
        let verified = store.verify().unwrap();
        assert_eq!((verified.pages, verified.problems), (48, Vec::new()));
        // A file with more bytes than its rows know of is left alone: a worker may be writing them.
        let first = before.first().unwrap().strip_prefix("file://").unwrap();
        let whole = fs::read(first).unwrap();
        fs::write(first, [&whole[..], b"more"].concat()).unwrap();
        let compacted = store.compact().unwrap();
        assert_eq!(compacted.joined, 5, "{compacted:?}");
        fs::write(first, &whole).unwrap();
        let after = names();
        assert_eq!(after.len() as u64, compacted.into + 1);
        assert!(after.len() > 2, "files of at most 20,000 bytes: {after:?}");
        assert_eq!(before.intersection(&after).count(), 1);
        assert_eq!(store.orphans(None).unwrap().len(), 0);
        let verified = store.verify().unwrap();
        assert_eq!((verified.pages, verified.problems), (48, Vec::new()));
        for (page, url) in &pages {
            check(&store, *page, url);
        }
        let mut damaged = whole;
        let middle = damaged.len() / 2;
        damaged[middle] ^= 0xff;
        fs::write(first, damaged).unwrap();
        let problems = store.verify().unwrap().problems;
        assert!(
            problems.iter().any(|problem| problem.contains(first)),
            "{problems:?}"
        );
        fs::remove_file(first).unwrap();
        let problems = store.verify().unwrap().problems;
        assert!(
            problems[0].contains("is missing, with the bodies of"),
            "{problems:?}"
        );
    });
}

#[test]
fn a_store_with_the_protocol_of_s3_has_the_same() {
    let Some(moto) = ObjectStore::start_or_skip() else {
        return;
    };
    use_variables(ObjectStore::variables(moto.port()));
    each_workspace(|server| {
        let with = |url: &str| StoreOptions {
            times: LeaseTimes::default(),
            store: Some(magpie_archive::StoreOptions {
                url: StoreUrl::parse(url).unwrap(),
                patience: Duration::from_secs(2),
            }),
            ..options(Path::new("/"))
        };
        let missing = Store::open(Arc::clone(server), "one", with("s3://no-such-bucket/a"));
        assert!(matches!(missing, Err(StoreError::ObjectStore { .. })));
        let store = Store::open(Arc::clone(server), "one", with("s3://bucket/a")).unwrap();
        claim_all(&store);
        let mut pages = Vec::new();
        for number in 0..3 {
            let site = lease(&store, &format!("https://s{number}.test"));
            let url = format!("https://s{number}.test/a");
            pages.push((crawl(&store, &site, &url), url));
            store.flush().unwrap();
        }
        let mut joined = 0;
        let numbers: Vec<PageId> = pages.iter().map(|(page, _)| *page).collect();
        let mut each = |_, replayed: Result<ReplayedPage, StoreError>| {
            // The rows of the others were read before.
            joined += store.compact().unwrap().joined;
            assert!(replayed.unwrap().response.is_some());
        };
        store
            .replays(&numbers, &HttpLimits::default(), &mut each)
            .unwrap();
        assert_eq!(joined, 3);
        for (page, url) in &pages {
            check(&store, *page, url);
        }
        let verified = store.verify().unwrap();
        assert_eq!((verified.pages, verified.problems), (3, Vec::new()));
        assert_eq!(store.orphans(None).unwrap().len(), 0);
        assert_eq!(store.status().unwrap().archives, 1);
    });
}
