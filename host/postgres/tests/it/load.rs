//! Rates of hand-ins, for people: nothing here can fail but the store.
//!
//! `MAGPIE_LOAD_SECONDS=20 cargo nextest run -p magpie-postgres --run-ignored only -E 'test(load)'
//! --no-capture` prints them.

use std::process::Child;
use std::sync::Arc;
use std::thread::scope;
use std::time::{Duration, Instant};

use magpie_postgres::{Address, BatchLimits, Layout, Server, ServerOptions, Store, StoreOptions};
use magpie_rows::{
    Component, ExtractedRecord, Extraction, FetchResult, Frontier as _, Host, LeaseRequest, Link, LinkList,
    Offer, Page, Pending, UrlOutcome, UrlState,
};
use magpie_test_servers::{Postgres, Release};
use magpie_values::Timestamp;

use crate::archiving_to;
use crate::stores::{exchange, fingerprint, moment, record};

/// Turns of each kind. Kinds take turns, so that all meet the same disturbances.
const TURNS: u32 = 3;

/// Sites that a worker crawls at a time, in as many buckets.
const SITES: i16 = 32;

/// New URLs and links of a page, and bytes of its body.
const URLS: usize = 8;
const LINKS: usize = 20;
const BODY: usize = 4_096;

#[test]
#[ignore = "it prints rates, and takes minutes"]
fn rates_of_hand_ins() {
    let seconds = std::env::var("MAGPIE_LOAD_SECONDS");
    let time = Duration::from_secs(seconds.map_or(20, |seconds| seconds.parse().unwrap()));
    let Some(postgres) = Postgres::start_or_skip(Release::V15) else {
        return;
    };
    let kinds = [(1, false), (1, true), (2, false), (2, true)];
    let mut rates = kinds.map(|_| Vec::new());
    for turn in 0..TURNS {
        for (kind, rates) in kinds.iter().zip(&mut rates) {
            let (workers, holds) = *kind;
            let url = format!("{}?schema=turn{turn}_{workers}_{holds}", postgres.url("postgres"));
            let address = Address::parse(&url, None).unwrap();
            let layout = Layout {
                buckets: SITES * 2,
                ..Layout::default()
            };
            let server = Server::create(address.clone(), ServerOptions::default(), layout).unwrap();
            let snapshot = holds.then(|| Held::begin(&postgres));
            let folder = tempfile::tempdir().unwrap();
            let stores: Vec<Store> = (0..workers)
                .map(|number| {
                    let options = StoreOptions {
                        batch: BatchLimits::default().for_segments(),
                        ..archiving_to(folder.path())
                    };
                    let store = Store::open(Arc::clone(&server), &number.to_string(), options).unwrap();
                    store.buckets().claim(SITES as usize).unwrap();
                    store
                })
                .collect();
            let begin = (Instant::now(), processor_time(&postgres));
            let pages: u64 = scope(|scope| {
                let crawls: Vec<_> = stores
                    .iter()
                    .map(|store| scope.spawn(|| crawl(store, time)))
                    .collect();
                crawls.into_iter().map(|crawl| crawl.join().unwrap()).sum()
            });
            let rate = pages as f64 / begin.0.elapsed().as_secs_f64();
            rates.push((rate, (processor_time(&postgres) - begin.1) / pages as f64));
            assert_eq!(stores[0].counts(None).unwrap().of(UrlState::Fetched), pages);
            drop(snapshot);
        }
    }
    println!("{TURNS} turns, pages with {URLS} new URLs, {LINKS} links, a record and {BODY} bytes");
    for ((workers, holds), rates) in kinds.into_iter().zip(rates) {
        let (rates, costs): (Vec<f64>, Vec<f64>) = rates.into_iter().unzip();
        println!(
            "workers: {workers}, snapshot held: {holds}, pages a second: {}, milliseconds of the server's processors a \
             page: {}",
            spread(rates),
            spread(costs)
        );
    }
}

/// The median, and the least and the most.
fn spread(mut values: Vec<f64>) -> String {
    values.sort_by(f64::total_cmp);
    let (first, last) = (values[0], values[values.len() - 1]);
    format!("{:.2} ({first:.2} to {last:.2})", values[values.len() / 2])
}

/// Milliseconds that the processes of a server have used, those of its connections too.
fn processor_time(postgres: &Postgres) -> f64 {
    let processes = postgres.client().query("SELECT pid FROM pg_stat_activity");
    let ticks = processes.unwrap().into_iter().map(|row| {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", row[0])).unwrap_or_default();
        // User and system time are the 12th and 13th field after the name of the program.
        let fields = stat
            .rsplit(") ")
            .next()
            .unwrap_or_default()
            .split(' ')
            .skip(11)
            .take(2);
        fields.filter_map(|field| field.parse::<f64>().ok()).sum::<f64>()
    });
    // A tick is a hundredth of a second.
    ticks.sum::<f64>() * 10.0
}

/// A transaction that keeps the server from removing old rows.
struct Held(Child);

impl Held {
    fn begin(postgres: &Postgres) -> Held {
        let sql = "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM pg_class;";
        let held = Held(postgres.client().hold(sql));
        let is_there =
            "SELECT 1 FROM pg_stat_activity WHERE backend_xmin IS NOT NULL AND state = 'idle in transaction'";
        while postgres
            .client()
            .query(is_there)
            .is_none_or(|rows| rows.is_empty())
        {
            std::thread::sleep(Duration::from_millis(20));
        }
        held
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

/// Crawls sites for a time. Returns the number of pages, all of them handed in.
fn crawl(store: &Store, time: Duration) -> u64 {
    let own = store.buckets().all();
    let keys = (0..).map(|number| format!("https://s{number}.test"));
    let sites = keys.filter_map(|key| {
        let site = store.site(&key).unwrap();
        let is_own = own.contains(&((site.0 & 1_023) as i16));
        is_own.then_some((key, site))
    });
    let mut sites: Vec<_> = sites
        .take(SITES as usize)
        .map(|(key, site)| {
            let request = LeaseRequest {
                worker: "load",
                site: Some(site),
                now: moment(0),
                until: Timestamp::MAX,
            };
            let lease = store.lease(&request).unwrap().unwrap();
            let seed = FetchResult {
                offers: vec![offer(format!("{key}/"))],
                ..FetchResult::default()
            };
            store.commit(&lease, seed).unwrap();
            (key, lease, 0_u64)
        })
        .collect();
    let begin = Instant::now();
    let mut pages = 0;
    while begin.elapsed() < time {
        for (key, lease, number) in &mut sites {
            for pending in store.take(lease, None, 8, moment(9)).unwrap() {
                store.commit(lease, result(key, number, &pending)).unwrap();
                pages += 1;
            }
        }
    }
    store.flush().unwrap();
    pages
}

fn offer(url: String) -> Offer {
    let fingerprint = fingerprint(&url);
    Offer::queued(url, fingerprint, 1, moment(5))
}

fn result(key: &str, number: &mut u64, pending: &Pending) -> FetchResult {
    let url = |number: u64| format!("{key}/section-{}/page-{number}.html", number % 97);
    let mut links = LinkList::new();
    for place in 0..LINKS as u64 {
        let href = url(*number + place);
        links.push(Link {
            href: &href,
            text: "A page of the section",
            path: "html/body/main/ul/li/a",
            rel: "",
        });
    }
    let offers = (0..URLS).map(|_| {
        *number += 1;
        offer(url(*number))
    });
    let offers = offers.collect();
    let body: String = (0..BODY / 32)
        .map(|line| format!("{:032x}", fingerprint(&pending.url) ^ line as u64))
        .collect();
    FetchResult {
        settled: Some(UrlOutcome::fetched(pending.id)),
        page: Some(Page {
            url: pending.url.to_string(),
            status: Some(200),
            media_type: Some("text/html".to_owned()),
            title: Some(format!("Page {number}")),
            bytes: body.len() as u64,
            exchange: Some(exchange(body)),
            links,
            ..Page::default()
        }),
        offers,
        hosts: vec![Host {
            origin: key.to_owned(),
            next_ok_at: moment(*number as i64),
            ..Host::default()
        }],
        extractions: vec![Extraction {
            component: Arc::new(Component {
                vertical: "things".to_owned(),
                ..Component::default()
            }),
            records: vec![ExtractedRecord {
                record: record(*number),
                ..ExtractedRecord::default()
            }],
            ..Extraction::default()
        }],
        ..FetchResult::default()
    }
}
