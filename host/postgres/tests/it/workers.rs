//! Several workers on one workspace.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{scope, sleep};
use std::time::{Duration, Instant};

use magpie_postgres::{Address, Layout, LeaseTimes, Membership, Server, ServerOptions, Store, StoreOptions};
use magpie_rows::{
    ArchiveStore as _, Cookie, Crew as _, Exchange, FetchResult, Frontier, KeptUrlRule, Lease, LeaseRequest,
    Link, LinkList, Offer, Page, PageId, SiteId, SiteMemory, StoreError, UrlOutcome, UrlState,
};
use magpie_test_servers::{Postgres, Release};

use crate::stores::{exchange, fingerprint, lease, moment};
use crate::{archiving_to, each_workspace};

/// Leases that end soon.
const TIMES: LeaseTimes = LeaseTimes {
    length: Duration::from_millis(1_500),
    reserve: Duration::from_millis(200),
    quiet: Duration::from_millis(50),
};

fn worker(server: &Arc<Server>, name: &str) -> Store {
    let options = StoreOptions {
        times: TIMES,
        ..StoreOptions::default()
    };
    Store::open(Arc::clone(server), name, options).unwrap()
}

fn offer(url: &str, site: Option<SiteId>) -> Offer {
    Offer {
        site,
        ..Offer::queued(url, fingerprint(url), 1, moment(5))
    }
}

fn offers(urls: impl IntoIterator<Item = String>, site: Option<SiteId>) -> FetchResult {
    FetchResult {
        offers: urls.into_iter().map(|url| offer(&url, site)).collect(),
        ..FetchResult::default()
    }
}

/// Fetches URLs of a leased site, and returns their pages.
fn fetch(store: &Store, lease: &Lease, limit: usize) -> Vec<PageId> {
    fetch_with(store, lease, limit, |_| None)
}

/// Does the same with the answers to requests for URLs.
fn fetch_with(
    store: &Store,
    lease: &Lease,
    limit: usize,
    answer: impl Fn(&str) -> Option<Exchange>,
) -> Vec<PageId> {
    let taken = store.take(lease, None, limit, moment(9)).unwrap();
    // The numbers of a site's URLs lie together, and begin with that of the site.
    assert!(taken.iter().all(|url| url.id.0 >> 41 == lease.site.0 >> 10));
    let pages = taken.into_iter().map(|pending| {
        let result = FetchResult {
            settled: Some(UrlOutcome::fetched(pending.id)),
            page: Some(Page {
                exchange: answer(&pending.url),
                url: pending.url,
                title: Some("a\0b".to_owned()),
                ..Page::default()
            }),
            ..FetchResult::default()
        };
        store.commit(lease, result).unwrap().page.unwrap()
    });
    pages.collect()
}

/// Waits until workers have these numbers of buckets.
fn wait_for_shares(workers: &[&Store], shares: &[usize]) {
    let begin = Instant::now();
    loop {
        let held: Vec<usize> = workers
            .iter()
            .map(|worker| worker.buckets().all().len())
            .collect();
        if held == shares {
            return;
        }
        assert!(
            begin.elapsed() < Duration::from_secs(60),
            "{held:?}, not {shares:?}"
        );
        sleep(Duration::from_millis(50));
    }
}

#[test]
fn workers_share_the_buckets_as_they_join_and_leave() {
    each_workspace(|server| {
        let first = Arc::new(worker(server, "first"));
        let membership = Membership::join(&first, "1.0").unwrap();
        wait_for_shares(&[&first], &[3]);
        // The bucket of a leased site stays, so another is given up.
        let site = lease(&*first, "https://a.test");
        let busy = (site.site.0 & 1_023) as i16;
        let second = Arc::new(worker(server, "second"));
        let other = Membership::join(&second, "1.0").unwrap();
        wait_for_shares(&[&first, &second], &[2, 1]);
        assert!(first.buckets().all().contains(&busy));
        let third = Arc::new(worker(server, "third"));
        let last = Membership::join(&third, "1.0").unwrap();
        wait_for_shares(&[&first, &second, &third], &[1, 1, 1]);
        assert_eq!(first.buckets().all(), [busy]);
        let names = |store: &Store| {
            let workers = store.workers().unwrap().into_iter();
            workers.map(|row| (row.worker, row.buckets)).collect::<Vec<_>>()
        };
        assert_eq!(names(&third).len(), 3);
        first
            .commit(&site, offers(["https://a.test/1".to_owned()], None))
            .unwrap();
        // What it made is committed before its buckets are given back.
        membership.leave().unwrap();
        assert!(first.buckets().all().is_empty());
        other.leave().unwrap();
        wait_for_shares(&[&third], &[3]);
        assert_eq!(fetch(&third, &lease(&*third, "https://a.test"), 9).len(), 1);
        last.check().unwrap();
        drop(last);
        assert_eq!(names(&third), []);
    });
}

#[test]
fn a_worker_that_dies_is_replaced_by_the_others() {
    each_workspace(|server| {
        let first = worker(server, "first");
        assert_eq!(first.buckets().claim(9).unwrap().len(), 3);
        let second = Arc::new(worker(server, "second"));
        let membership = Membership::join(&second, "1.0").unwrap();
        assert!(second.buckets().all().is_empty());
        // The first renews nothing, so its leases run out.
        wait_for_shares(&[&second], &[3]);
        membership.leave().unwrap();
    });
}

#[test]
fn a_driver_closes_the_work_of_one_that_was_killed() {
    each_workspace(|server| {
        let first = Arc::new(worker(server, "first"));
        first.drive("1.0").unwrap();
        first.open_job("", &[]).unwrap();
        drop(first);
        let second = Arc::new(worker(server, "second"));
        assert!(second.open_now().unwrap().is_some());
        second.drive("1.0").unwrap();
        assert!(second.open_now().unwrap().is_none());
    });
}

#[test]
fn a_successor_goes_on_where_the_last_worker_was() {
    each_workspace(|server| {
        let first = worker(server, "first");
        assert_eq!(first.buckets().claim(9).unwrap().len(), 3);
        let site = lease(&first, "https://a.test");
        let urls = (0..30).map(|number| format!("https://a.test/{number}"));
        first.commit(&site, offers(urls, None)).unwrap();
        let mut pages: BTreeSet<PageId> = fetch(&first, &site, 10).into_iter().collect();
        first.flush().unwrap();
        let acknowledged = pages.len();
        // It stands still until another has its buckets. What it made since is refused.
        fetch(&first, &site, 5);
        let second = worker(server, "second");
        let begin = Instant::now();
        let mut claimed = 0;
        while claimed < 3 {
            assert!(begin.elapsed() < Duration::from_secs(20));
            claimed += second.buckets().claim(9).unwrap().len();
        }
        let found_late = offers(["https://a.test/late".to_owned()], None);
        match first.commit(&site, found_late) {
            // It has not noticed yet, and does when it hands in.
            Ok(_) => first.flush().unwrap(),
            Err(error) => assert!(matches!(error, StoreError::LeaseOver { .. })),
        }
        let late = first.take(&site, None, 1, moment(9));
        assert!(matches!(late, Err(StoreError::LeaseOver { .. })));
        let site = lease(&second, "https://a.test");
        let left = second.counts(Some(site.site)).unwrap();
        let fetched = left.of(UrlState::Fetched);
        // The five may have been handed in before the takeover; then they count.
        assert!(fetched == 10 || fetched == 15, "{fetched}");
        assert_eq!(left.total(), 30);
        pages.extend(fetch(&second, &site, 99));
        second.flush().unwrap();
        assert_eq!(second.counts(Some(site.site)).unwrap().of(UrlState::Fetched), 30);
        assert!(pages.len() >= acknowledged + 15);
        assert_eq!(second.verify().unwrap().problems, Vec::<String>::new());
    });
}

#[test]
fn urls_reach_sites_of_other_workers_once() {
    each_workspace(|server| {
        let (one, two) = (worker(server, "one"), worker(server, "two"));
        let mine = one.buckets().claim(1).unwrap();
        assert_eq!(two.buckets().claim(9).unwrap().len(), 2);
        // Keys until each worker has a site.
        let request = |store: &Store, key: &str| {
            let site = store.site(key).unwrap();
            let request = LeaseRequest {
                worker: "test",
                site: Some(site),
                now: moment(0),
                until: moment(1_000),
            };
            store.lease(&request).unwrap()
        };
        let keys: Vec<String> = (0..40).map(|number| format!("https://s{number}.test")).collect();
        let own = keys.iter().find_map(|key| request(&one, key)).unwrap();
        let others = keys.iter().find(|key| request(&two, key).is_some()).unwrap();
        let theirs = two.site(others).unwrap();
        assert_eq!(mine.len(), 1);
        let links = || (0..5).map(|number| format!("{others}/{number}"));
        for _ in 0..2 {
            let receipt = one.commit(&own, offers(links(), Some(theirs))).unwrap();
            assert_eq!(receipt.accepted, [None; 5]);
            one.flush().unwrap();
        }
        // A site with mail is ready, although nothing is queued there yet.
        let next = LeaseRequest {
            worker: "test",
            site: None,
            now: moment(2_000),
            until: moment(3_000),
        };
        let leased = two.lease(&next).unwrap().unwrap();
        assert_eq!(leased.site, theirs);
        let known = offers(links().take(2), None);
        assert_eq!(two.commit(&leased, known).unwrap().accepted, [None; 2]);
        assert_eq!(fetch(&two, &leased, 9).len(), 5);
        one.commit(&own, offers(links(), Some(theirs))).unwrap();
        one.flush().unwrap();
        two.release(leased, moment(0)).unwrap();
        let leased = lease(&two, others);
        assert_eq!(two.standing(&leased).unwrap().queued, 0);
        assert_eq!(two.counts(Some(theirs)).unwrap().of(UrlState::Fetched), 5);
        assert_eq!(two.verify().unwrap().problems, Vec::<String>::new());
    });
}

/// Text that sites may send: longer than an index takes, not to be compressed, with a zero.
fn strange(length: usize) -> String {
    let mut state = 1u64;
    let letters = (0..length).map(|_| {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        char::from(b'!' + (state >> 40) as u8 % 90)
    });
    letters.chain(['\0', '\u{1f426}']).collect()
}

#[test]
fn long_and_strange_texts_are_kept() {
    each_workspace(|server| {
        let store = worker(server, "one");
        assert_eq!(store.buckets().claim(9).unwrap().len(), 3);
        let site = lease(&store, "https://a.test");
        let text = strange(9_000);
        let kept = text.replace('\0', "\u{fffd}");
        let cookie = Cookie {
            domain: "a.test".to_owned(),
            path: text.clone(),
            name: text.clone(),
            value: text.clone(),
            host_only: true,
            secure: false,
            expires_at: None,
        };
        store.keep_cookies(&site, vec![cookie.clone(), cookie]).unwrap();
        let rule = KeptUrlRule {
            url_rule: "needless-key".to_owned(),
            key: text.clone(),
            evidence: text.clone(),
            learned_at: moment(1),
        };
        store.keep_url_rules(&site, vec![rule]).unwrap();
        let mut links = LinkList::new();
        links.push(Link {
            href: &text,
            text: &text,
            path: &text,
            rel: &text,
        });
        let result = FetchResult {
            offers: vec![offer(&text, None)],
            feeds: vec![text.clone(), text.clone()],
            page: Some(Page {
                url: text.clone(),
                title: Some(text.clone()),
                etag: Some(text.clone()),
                links,
                ..Page::default()
            }),
            ..FetchResult::default()
        };
        let page = store.commit(&site, result).unwrap().page.unwrap();
        store.flush().unwrap();
        let known = store.known_site(&site).unwrap();
        assert_eq!(known.feeds, [kept.as_str()]);
        assert_eq!(known.cookies.len(), 1);
        assert_eq!(known.cookies[0].name, kept);
        assert_eq!(known.url_rules[0].key, kept);
        // Links are kept as they are: JSON has an escape for zero.
        let links = store.past_links(&site, &[page]).unwrap();
        assert_eq!(links[0].links.iter().next().unwrap().href, text);
        let taken = store.take(&site, None, 1, moment(9)).unwrap();
        assert_eq!(taken[0].url, kept);
    });
}

#[test]
fn a_crawl_outlives_a_server_that_is_killed() {
    for release in Release::ALL {
        let Some(mut postgres) = Postgres::start_or_skip(release) else {
            continue;
        };
        let address = Address::parse(&postgres.url("postgres"), None).unwrap();
        let layout = Layout {
            buckets: 3,
            partitions: 2,
        };
        let server = Server::create(address, ServerOptions::default(), layout).unwrap();
        let times = LeaseTimes {
            // They are not renewed, however slow the machine is.
            length: Duration::from_secs(600),
            ..LeaseTimes::default()
        };
        let folder = tempfile::tempdir().unwrap();
        let options = StoreOptions {
            times,
            ..archiving_to(folder.path())
        };
        let store = Store::open(server, "one", options).unwrap();
        assert_eq!(store.buckets().claim(9).unwrap().len(), 3);
        let (fetched, is_over) = (AtomicU64::new(0), AtomicBool::new(false));
        scope(|scope| {
            let crawl = scope.spawn(|| {
                let mut found = 0;
                while !is_over.load(Ordering::SeqCst) {
                    // Another site each time: leases, counts and queues are read as well.
                    let site = lease(&store, &format!("https://s{found}.test"));
                    let urls = (0..10).map(|number| format!("https://s{found}.test/{number}"));
                    store.commit(&site, offers(urls, None)).unwrap();
                    found += 1;
                    store.flush().unwrap();
                    let answer = |url: &str| Some(exchange(url));
                    let pages = fetch_with(&store, &site, 99, answer).len() as u64;
                    store.flush().unwrap();
                    store.release(site, moment(0)).unwrap();
                    fetched.fetch_add(pages, Ordering::SeqCst);
                }
            });
            for _ in 0..3 {
                let before = fetched.load(Ordering::SeqCst);
                while fetched.load(Ordering::SeqCst) < before + 30 {
                    assert!(!crawl.is_finished(), "it goes on");
                    sleep(Duration::from_millis(5));
                }
                postgres.kill();
                postgres.restart();
            }
            is_over.store(true, Ordering::SeqCst);
        });
        let counts = store.counts(None).unwrap();
        assert_eq!(counts.of(UrlState::Fetched), fetched.load(Ordering::SeqCst));
        assert_eq!(counts.total(), fetched.load(Ordering::SeqCst));
        let verified = store.verify().unwrap();
        assert_eq!(verified.problems, Vec::<String>::new());
        assert_eq!(verified.pages, fetched.load(Ordering::SeqCst));
        assert_eq!(store.orphans(None).unwrap().len(), 0);
    }
}
