//! Benchmarks the store: `cargo run --release -p magpie-sqlite --example store_speed [FOLDER]
//! [URLS]`.
//!
//! CPU time is that of the whole process (the caller and the writer). On one core this is the cost
//! of a page.

#![expect(clippy::print_stdout, reason = "printing is what it is for")]

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bytes::Bytes;
use magpie_archive::StoreUrl;
use magpie_rows::Statistics as _;
use magpie_rows::Urls as _;
use magpie_rows::{
    FetchResult, Frontier, KnownSet, Lease, LeaseRequest, Link, LinkList, MemoryFrontier, Offer, Page, UrlId,
    UrlOutcome,
};
use magpie_sqlite::{BatchLimits, StoreOptions, Workspace, WorkspaceOptions};
use magpie_values::Timestamp;
use magpie_warc::{ArchiveSettings, ArchiveWriter, Compression, Exchange, Kept, PayloadDigest, Target};

type Outcome<T> = Result<T, Box<dyn Error>>;

const LINKS: usize = 50;

/// Number of pages per measurement.
const PAGES: usize = 20_000;

fn main() -> Outcome<()> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments
        .next()
        .map_or_else(|| std::env::temp_dir().join("magpie-store-speed"), PathBuf::from);
    let urls: u64 = arguments.next().map_or(Ok(1_000_000), |count| count.parse())?;
    fs::create_dir_all(&folder)?;
    known_set(urls);
    memory_frontier(urls)?;
    archive(&folder)?;
    let offered = folder.join("offers");
    let urls = offers(&offered, urls)?;
    restart(&offered, urls)?;
    pages(&folder.join("pages"), "an empty workspace", 0, None)?;
    let store = folder.join("store");
    fs::create_dir_all(&store)?;
    let store = StoreOptions {
        url: StoreUrl::parse(&format!("file://{}", fs::canonicalize(&store)?.display()))?,
        patience: Duration::from_secs(1),
    };
    pages(
        &folder.join("segments"),
        "segments in another folder",
        0,
        Some(&store),
    )?;
    pages(&offered, "a workspace with these URLs", urls, None)?;
    explain(&offered, urls)?;
    fs::remove_dir_all(&folder)?;
    Ok(())
}

/// Well spread numbers.
fn fingerprint(number: u64) -> u64 {
    let mut mixed = number
        .wrapping_add(0x9e37_79b9_7f4a_7c15)
        .wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed ^= mixed >> 29;
    mixed = mixed.wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 32
}

fn url(number: u64) -> String {
    format!(
        "https://shop.example.org/catalogue/section-{}/product-{number}.html",
        number % 100
    )
}

fn known_set(urls: u64) {
    let clock = Clock::start();
    let mut known = KnownSet::new();
    for number in 0..urls {
        known.insert(fingerprint(number));
    }
    clock.tell("known set: inserting", urls, "URL");
    let clock = Clock::start();
    let found = (0..2 * urls)
        .filter(|&number| known.contains(fingerprint(number)))
        .count();
    clock.tell("known set: looking up", 2 * urls, "URL");
    println!(
        "known set: {:.1} bytes for each of {found} URLs",
        known.memory() as f64 / found as f64
    );
}

fn memory_frontier(urls: u64) -> Outcome<()> {
    let frontier = MemoryFrontier::new();
    let lease = lease(&frontier)?;
    let clock = Clock::start();
    for start in (0..urls).step_by(LINKS) {
        frontier.commit(
            &lease,
            FetchResult {
                offers: queued(start..(start + LINKS as u64).min(urls)),
                ..FetchResult::default()
            },
        )?;
    }
    clock.tell("memory frontier: offering", urls, "URL");
    println!(
        "memory frontier: {:.1} bytes for each of {urls} queued URLs",
        frontier.memory() as f64 / urls as f64
    );
    Ok(())
}

/// A page of 31 KB: a list of different items in the same markup, with words between. It compresses
/// about as well as real pages, whose mean is 24 %.
fn html(number: u64) -> String {
    let mut page =
        format!("<!doctype html><html><head><title>Products {number}</title></head><body><ul class=\"nav\">");
    for entry in 0..LINKS as u64 {
        let id = fingerprint(number * 50 + entry);
        page.push_str(&format!(
            "\n      <li class=\"product product-{entry}\">\n        <div class=\"product-frame\"><img class=\"thumbnail\" \
             src=\"/media/cache/{:x}/thumbnail.jpg\" alt=\"\"></div>\n        <h3 class=\"product-title\"><a \
             href=\"/catalogue/section-{}/product-{}.html\">{}</a></h3>\n        <p class=\"product-price\"><span \
             class=\"price\">{}.{:02}</span> <span class=\"availability in-stock\">In stock</span></p>\n        <p \
             class=\"description\">",
            id % 0x100_0000,
            id % 100,
            id % 1_000_000,
            words(id, 3),
            id % 90,
            id % 77,
        ));
        page.push_str(&words(id ^ 1, 22));
        page.push_str("</p>\n      </li>");
    }
    page.push_str("\n    </ul></body></html>");
    page
}

fn words(seed: u64, count: u64) -> String {
    const SYLLABLES: [&str; 32] = [
        "ba", "con", "di", "e", "fer", "gra", "hol", "in", "ju", "ka", "lo", "ment", "na", "or", "per",
        "qui", "ra", "sten", "ti", "u", "ver", "wa", "xi", "y", "zo", "ther", "ing", "an", "de", "the", "of",
        "and",
    ];
    let mut text = String::new();
    for word in 0..count {
        let mut number = fingerprint(seed.wrapping_mul(1000).wrapping_add(word));
        for _ in 0..=number % 3 {
            number >>= 5;
            text.push_str(SYLLABLES[(number % 32) as usize]);
        }
        text.push(' ');
    }
    text
}

fn exchange(number: u64) -> Exchange {
    let body = Bytes::from(html(number));
    Exchange {
        remote: Some([192, 0, 2, 1].into()),
        request: Bytes::from_static(
            b"GET / HTTP/1.1\r\nHost: shop.example.org\r\nUser-Agent: magpie\r\nAccept: text/html\r\n\r\n",
        ),
        response_head: Bytes::from(format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\nServer: test\r\n\r\n",
            body.len()
        )),
        body,
        truncated: None,
    }
}

fn archive(folder: &Path) -> Outcome<()> {
    let exchanges: Vec<Exchange> = (0..200).map(exchange).collect();
    let bytes: usize = exchanges.iter().map(|exchange| exchange.body.len()).sum();
    println!("archive: pages of {} bytes", bytes / exchanges.len());
    let digests: Vec<PayloadDigest> = exchanges
        .iter()
        .map(|exchange| PayloadDigest::of(&exchange.body))
        .collect();
    for compression in [Compression::Stored, Compression::Fast, Compression::Small] {
        let settings = ArchiveSettings {
            compression,
            ..ArchiveSettings::default()
        };
        let mut writer = ArchiveWriter::create(folder, &format!("{compression:?}.warc.gz"), &settings, 1)?;
        let clock = Clock::start();
        let rounds = 10;
        for _ in 0..rounds {
            for (exchange, digest) in exchanges.iter().zip(&digests) {
                let target = Target {
                    url: "https://shop.example.org/",
                    date: Timestamp::from_millis(1_700_000_000_000),
                };
                writer.append(target, exchange, digest, Kept::Whole)?;
            }
        }
        writer.sync()?;
        clock.tell(
            &format!("archive: appending, {compression:?}"),
            rounds * 200,
            "page",
        );
        println!(
            "archive: {:.0} % of the bytes are left",
            writer.bytes() as f64 * 100.0 / (bytes * rounds as usize) as f64
        );
    }
    let clock = Clock::start();
    for exchange in exchanges.iter().cycle().take(2000) {
        std::hint::black_box(PayloadDigest::of(&exchange.body));
    }
    clock.tell("archive: digest of the payload", 2000, "page");
    Ok(())
}

fn lease(frontier: &dyn Frontier) -> Outcome<Lease> {
    let site = frontier.site("https://shop.example.org")?;
    let request = LeaseRequest {
        worker: "speed",
        site: Some(site),
        now: Timestamp::from_millis(0),
        until: Timestamp::MAX,
    };
    Ok(frontier.lease(&request)?.ok_or("the site is not free")?)
}

fn queued(numbers: std::ops::Range<u64>) -> Vec<Offer> {
    numbers
        .map(|number| Offer::queued(url(number), fingerprint(number), 1, Timestamp::from_millis(0)))
        .collect()
}

/// Measures offers in large batches, 30 % of them known. Each batch waits for the disk. Returns the
/// number of new ones, which may be one more than `urls`.
fn offers(path: &Path, urls: u64) -> Outcome<u64> {
    const BATCH: u64 = 20_000;
    let workspace = Workspace::create(path, &WorkspaceOptions::default())?;
    let lease = lease(&workspace)?;
    let total = urls * 10 / 7;
    let clock = Clock::start();
    let mut fresh = 0;
    let mut offered = 0;
    while offered < total {
        let mut batch = Vec::with_capacity(BATCH as usize);
        for number in offered..(offered + BATCH).min(total) {
            if number % 10 < 7 {
                batch.push(Offer::queued(
                    url(fresh),
                    fingerprint(fresh),
                    1,
                    Timestamp::from_millis(0),
                ));
                fresh += 1;
            } else {
                let known = fingerprint(number ^ 7) % fresh;
                batch.push(Offer::queued(
                    url(known),
                    fingerprint(known),
                    1,
                    Timestamp::from_millis(0),
                ));
            }
        }
        offered += BATCH;
        workspace.commit(
            &lease,
            FetchResult {
                offers: batch,
                ..FetchResult::default()
            },
        )?;
        workspace.flush()?;
    }
    clock.tell("offers, durable after each 20,000", total, "URL");
    println!("offers: {} of {} are new", workspace.counts(None)?.total(), total);
    // Don't close the workspace: the restart is one after a crash.
    std::mem::forget(workspace);
    let size = fs::metadata(path.join("magpie.db"))?.len();
    println!("offers: the database has {} MB", size / 1_000_000);
    fs::remove_file(path.join("magpie.lock"))?;
    Ok(fresh)
}

fn restart(path: &Path, urls: u64) -> Outcome<()> {
    let before = resident();
    let clock = Clock::start();
    let workspace = Workspace::open(path, &WorkspaceOptions::default())?;
    let lease = lease(&workspace)?;
    let first = workspace.take(&lease, None, 100, Timestamp::from_millis(0))?;
    clock.tell("restart: open, lease and take", 1, "restart");
    println!(
        "restart: {} URLs known, {} MB more in memory",
        workspace.standing(&lease)?.known,
        resident().saturating_sub(before) / 1_000_000
    );
    assert!(
        first.len() == 100 && workspace.standing(&lease)?.known == urls,
        "the restart lost URLs"
    );
    workspace.release(lease, Timestamp::from_millis(0))?;
    workspace.close()?;
    Ok(())
}

/// Measures pages with their links, one new URL on each.
fn pages(path: &Path, where_: &str, known: u64, store: Option<&StoreOptions>) -> Outcome<()> {
    for archived in [false, true] {
        let options = WorkspaceOptions {
            batch: match store {
                None => BatchLimits::default(),
                Some(_) => BatchLimits::default().for_segments(),
            },
            store: store.cloned(),
            ..WorkspaceOptions::default()
        };
        let workspace = if path.exists() {
            Workspace::open(path, &options)?
        } else {
            Workspace::create(path, &options)?
        };
        let lease = lease(&workspace)?;
        let before = workspace.standing(&lease)?.known.max(known) + 10_000_000;
        workspace.commit(
            &lease,
            FetchResult {
                offers: queued(before..before + 100),
                ..FetchResult::default()
            },
        )?;
        let exchanges: Vec<Exchange> = (0..500).map(|number| exchange(number + before)).collect();
        let mut pending: Vec<UrlId> = Vec::new();
        let links: Vec<LinkList> = (0..500).map(|page| links_of(page + before)).collect();
        workspace.flush()?;
        let clock = Clock::start();
        for number in 0..PAGES as u64 {
            if pending.is_empty() {
                pending = workspace
                    .take(&lease, None, 64, Timestamp::from_millis(0))?
                    .into_iter()
                    .map(|pending| pending.id)
                    .rev()
                    .collect();
            }
            let id = pending.pop().ok_or("nothing is queued")?;
            let fresh = before + 100 + number;
            let mut exchange = archived.then(|| exchanges[(number % 500) as usize].clone());
            if let Some(exchange) = &mut exchange {
                // Change the body each time, so that no page is a revisit.
                let mut body = exchange.body.to_vec();
                body.extend_from_slice(format!("<!-- {fresh} -->").as_bytes());
                exchange.body = Bytes::from(body);
            }
            let page = Page {
                url: url(number),
                fetched_at: Timestamp::from_millis(1_700_000_000_000),
                status: Some(200),
                media_type: Some("text/html".to_owned()),
                charset: Some("utf-8".to_owned()),
                title: Some("Products of the catalogue".to_owned()),
                bytes: 31_000,
                simhash: Some(fresh),
                exchange,
                links: links[(number % 500) as usize].clone(),
                ..Page::default()
            };
            workspace.commit(
                &lease,
                FetchResult {
                    settled: Some(UrlOutcome::fetched(id)),
                    page: Some(page),
                    offers: queued(fresh..fresh + 1),
                    ..FetchResult::default()
                },
            )?;
        }
        workspace.flush()?;
        let what = if archived { "archived" } else { "without archive" };
        clock.tell(
            &format!("pages with {LINKS} links, {what}, {where_}"),
            PAGES as u64,
            "page",
        );
        println!("pages: {} MB resident", resident() / 1_000_000);
        workspace.release(lease, Timestamp::from_millis(0))?;
        workspace.close()?;
    }
    Ok(())
}

fn links_of(page: u64) -> LinkList {
    let mut links = LinkList::new();
    for entry in 0..LINKS as u64 {
        let id = fingerprint(page * 50 + entry);
        links.push(Link {
            href: &url(id % 1_000_000),
            text: words(id, 3).trim_end(),
            path: &format!("html>body>ul.nav>li[{entry}]>h3>a"),
            rel: if entry % 10 == 0 { "nofollow" } else { "" },
        });
    }
    links
}

fn explain(path: &Path, urls: u64) -> Outcome<()> {
    let workspace = Workspace::open(path, &WorkspaceOptions::default())?;
    let reader = workspace.reader()?;
    let clock = Clock::start();
    for number in (0..urls).step_by((urls / 1000).max(1) as usize) {
        assert!(
            reader.explain(fingerprint(number))?.len() == 1,
            "a URL is not known"
        );
    }
    clock.tell("explain", 1000, "URL");
    let clock = Clock::start();
    reader.status()?;
    clock.tell("status", 1, "call");
    drop(reader);
    workspace.close()?;
    Ok(())
}

/// Wall-clock and CPU time since a start.
struct Clock {
    wall: Instant,
    processor: f64,
}

impl Clock {
    fn start() -> Clock {
        Clock {
            wall: Instant::now(),
            processor: processor_seconds(),
        }
    }

    fn tell(&self, what: &str, count: u64, unit: &str) {
        let wall = self.wall.elapsed().as_secs_f64();
        let processor = processor_seconds() - self.processor;
        println!(
            "{what}: {:.2} µs/{unit} of processor, {:.0} {unit}s/s of it, {:.0} {unit}s/s by the clock",
            processor * 1e6 / count as f64,
            count as f64 / processor.max(1e-9),
            count as f64 / wall
        );
    }
}

/// User and system time of this process, from `/proc`; zero on systems without it.
fn processor_seconds() -> f64 {
    /// Clock ticks of `/proc` are hundredths of a second on every Linux.
    const TICKS: f64 = 100.0;
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(") ").next().unwrap_or_default();
    let fields = after_name.split(' ').skip(11).take(2);
    fields.filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / TICKS
}

/// Resident memory in bytes.
fn resident() -> u64 {
    /// Memory pages have 4 KiB on the machines that this runs on.
    const PAGE: u64 = 4096;
    let statm = fs::read_to_string("/proc/self/statm").unwrap_or_default();
    statm
        .split(' ')
        .nth(1)
        .and_then(|pages| pages.parse::<u64>().ok())
        .unwrap_or(0)
        * PAGE
}
