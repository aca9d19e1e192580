//! Sites that misbehave, one way each, beside a good site: each ends in a recorded outcome with a
//! plain reason, within bounded time and memory, and the good site is finished.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use flate2::Compression;
use flate2::write::GzEncoder;

use super::common::{crawl, settings};
use magpie_engine::crawl::Activity;
use magpie_rows::{CrawlStore, Frontier, MemoryFrontier, UrlState};
use magpie_test_support::server::{Reply, Site, tree, unused_address, wires};

/// Pages of the good site.
const GOOD: usize = 60;

/// Tight limits, so that the test is quick: what they are does not change what happens.
const LIMITS: &str = "[fetch]\nretries = 1\nfirst_byte_timeout = \"400ms\"\nidle_timeout = \"400ms\"\ntotal_timeout = \"2s\"\n\
    body_bytes = \"16 MiB\"\nhead_bytes = \"64 KiB\"\nhead_fields = 100\nconnect_timeout = \"1s\"\ndns_timeout = \"1s\"\n\
    [politeness]\nrobots_wait = \"100ms\"\n[scope]\npages = 400\nlinks = 2000\n";

/// A site that misbehaves: its name, the expected problem of its first page, the most pages that
/// may be fetched of it, and its answers by path. What no answer is for is not there.
type Case = (
    &'static str,
    Option<&'static str>,
    usize,
    fn(&str) -> Option<Reply>,
);

const CASES: [Case; 25] = [
    ("never-ending body", Some("cut-length"), 1, |path| {
        at_root(path, || {
            Reply::script(|wire| {
                wire.send("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n")?;
                wire.repeat([b'x'; 8192], Duration::ZERO)
            })
        })
    }),
    ("a byte now and then", Some("cut-time"), 1, |path| {
        at_root(path, || {
            Reply::script(|wire| {
                wire.send("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 1000\r\n\r\n")?;
                wire.repeat("x", Duration::from_millis(300))
            })
        })
    }),
    ("head without end", Some("too-large"), 0, |path| {
        at_root(path, || {
            Reply::script(|wire| {
                wire.send("HTTP/1.1 200 OK\r\nX: ")?;
                wire.repeat([b'x'; 4096], Duration::ZERO)
            })
        })
    }),
    ("10,000 header fields", Some("too-large"), 0, |path| {
        at_root(path, || {
            let fields: String = (0..10_000).map(|n| format!("X{n}: 1\r\n")).collect();
            Reply::bytes(format!("HTTP/1.1 200 OK\r\n{fields}Content-Length: 0\r\n\r\n"))
        })
    }),
    ("gzip bomb", Some("coding"), 1, |path| {
        at_root(path, || {
            Reply::html(gzip(&vec![b' '; 20 << 20])).with("Content-Encoding", "gzip")
        })
    }),
    ("gzip bomb in gzip", Some("coding"), 1, |path| {
        at_root(path, || {
            Reply::html(gzip(&gzip(&vec![b' '; 20 << 20]))).with("Content-Encoding", "gzip, gzip")
        })
    }),
    ("less than Content-Length", Some("cut-disconnect"), 1, |path| {
        let short = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5000\r\n\r\n<p>short";
        at_root(path, || Reply::bytes(short).and_close())
    }),
    ("broken chunks", Some("cut-disconnect"), 1, |path| {
        at_root(path, || {
            Reply::bytes("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n10\r\n<p>half").and_close()
        })
    }),
    ("no HTTP", Some("robots-unreachable"), 0, no_http),
    ("redirect loop", None, 3, |path| match path {
        "/" => Some(Reply::redirect("/a")),
        "/a" => Some(Reply::redirect("/b")),
        "/b" => Some(Reply::redirect("/")),
        _ => None,
    }),
    ("redirects without end", None, 12, |path| {
        let is_page = !["/robots.txt", "/sitemap.xml"].contains(&path) && path.len() < 60;
        let number: u64 = path.trim_start_matches("/hop").parse().unwrap_or(0);
        is_page.then(|| Reply::redirect(&format!("/hop{}", number + 1)))
    }),
    ("redirect to a private address", None, 1, |path| {
        at_root(path, || {
            Reply::redirect("http://169.254.169.254/latest/meta-data/")
        })
    }),
    ("80 long cookies", None, 1, |path| {
        at_root(path, || {
            (0..80).fold(Reply::html("<title>Cookies</title>"), |page, n| {
                page.with(
                    "Set-Cookie",
                    &format!("c{n}={}; Max-Age=9999999", "v".repeat(500)),
                )
            })
        })
    }),
    ("robots.txt of 1 GB", None, 1, |path| match path {
        "/robots.txt" => Some(Reply::script(|wire| {
            wire.send("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 1073741824\r\n\r\n")?;
            wire.repeat(b"User-agent: somebody\nDisallow: /\n".repeat(256), Duration::ZERO)
        })),
        _ => home(path),
    }),
    ("robots.txt of junk", None, 1, |path| match path {
        "/robots.txt" => {
            let junk = (0..60_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8);
            Some(Reply::text(junk.collect::<Vec<u8>>()))
        }
        _ => home(path),
    }),
    ("robots.txt in a loop", None, 1, |path| match path {
        "/robots.txt" => Some(Reply::redirect("/robots.txt")),
        _ => home(path),
    }),
    ("entities in a sitemap", None, 2, |path| match path {
        "/robots.txt" => Some(Reply::text("Sitemap: /sitemap.xml\n")),
        "/sitemap.xml" => {
            let lol = |n: u32| format!("<!ENTITY l{} \"{}\">", n + 1, format!("&l{n};").repeat(10));
            let entities: String = (0..9).map(lol).collect();
            let body = format!(
                "<?xml version=\"1.0\"?><!DOCTYPE urlset [<!ENTITY l0 \"lol\">{entities}]><urlset><url><loc>/&l9;</loc></url></urlset>"
            );
            Some(Reply::of("application/xml", body))
        }
        _ => home(path),
    }),
    ("sitemaps in a circle", None, 1, |path| match path {
        "/sitemap.xml" | "/one.xml" | "/two.xml" => Some(Reply::of(
            "application/xml",
            "<sitemapindex><sitemap><loc>/one.xml</loc></sitemap><sitemap><loc>/two.xml</loc></sitemap></sitemapindex>",
        )),
        _ => home(path),
    }),
    ("calendar without end", None, 60, endless_calendar),
    ("path without end", None, 100, |path| {
        let own = |segment: &str| ["", "shop", "about"].contains(&segment);
        path.split('/').all(own).then(|| {
            Reply::html(
                "<title>Deeper</title><p>And on.<a href=\"shop/\">shop</a><a href=\"about/\">about</a>",
            )
        })
    }),
    ("a session in every link", None, 11, session_ids),
    ("combinations of keys", None, 400, key_explosion),
    ("a million links", None, 400, |path| {
        at_root(path, || {
            Reply::html(
                (0..1_000_000)
                    .map(|n| format!("<a href=/{n}>"))
                    .collect::<String>(),
            )
        })
    }),
    ("50 MB", Some("cut-length"), 1, |path| {
        at_root(path, || Reply::html(vec![b'x'; 50 << 20]))
    }),
    ("lies about the charset", None, 4, charset_lies),
];

/// Sites that are not reached: their names, the first pages, and the expected problems.
fn unreached() -> [(&'static str, String, &'static str); 2] {
    // It speaks first, as the greeting of a client that wants TLS has no end of a head.
    let plain = wires(
        |stream| Some(Box::new(stream)),
        |wire| {
            wire.send("220 mail.example ESMTP\r\n")?;
            None
        },
    );
    [
        (
            "an unknown name",
            "http://no-such-host.invalid/".to_owned(),
            "dns",
        ),
        ("invalid TLS", format!("https://{plain}/"), "tls"),
    ]
}

fn at_root(path: &str, reply: impl FnOnce() -> Reply) -> Option<Reply> {
    (path == "/").then(reply)
}

fn home(path: &str) -> Option<Reply> {
    at_root(path, || Reply::html("<title>Home</title>"))
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).expect("into memory");
    encoder.finish().expect("into memory")
}

fn no_http(_: &str) -> Option<Reply> {
    Some(Reply::bytes("SSH-2.0-OpenSSH_9.9\r\n").and_close())
}

fn endless_calendar(path: &str) -> Option<Reply> {
    let month = path.strip_prefix("/calendar/").and_then(|rest| {
        let (year, month) = rest.split_once('/')?;
        Some(year.parse::<u32>().ok()? * 12 + month.parse::<u32>().ok()?)
    });
    if path != "/" && !path.starts_with("/calendar/") {
        return None;
    }
    let next = month.unwrap_or(2026 * 12 + 10) + 1;
    let (year, month) = ((next - 1) / 12, (next - 1) % 12 + 1);
    Some(Reply::html(format!(
        "<title>Calendar</title><p>No events this month.<a href=\"/calendar/{year}/{month:02}\">next</a>"
    )))
}

/// Every answer has a session of its own in all of its links.
fn session_ids(path: &str) -> Option<Reply> {
    if path != "/" && !path.starts_with("/item") {
        return None;
    }
    let session = SystemTime::UNIX_EPOCH
        .elapsed()
        .map_or(0, |since| since.as_nanos());
    let links: String = (0..10)
        .map(|n| format!("<a href=\"/item{n}?PHPSESSID={session:032x}\">item {n}</a>"))
        .collect();
    let name = path.split('?').next().unwrap_or(path);
    Some(Reply::html(format!(
        "<title>{name}</title><h1>All about {name}</h1>{links}"
    )))
}

fn key_explosion(path: &str) -> Option<Reply> {
    let (base, query) = path.split_once('?').unwrap_or((path, ""));
    let mut page = "<title>Filters</title>".to_owned();
    for key in [
        "colour", "size", "brand", "price", "order", "view", "stock", "rating",
    ] {
        for value in 0..6 {
            let join = if query.is_empty() { "" } else { "&" };
            let _ = write!(page, "<a href=\"/?{query}{join}{key}={value}\">{key} {value}</a>");
        }
    }
    at_root(base, || Reply::html(page))
}

fn charset_lies(path: &str) -> Option<Reply> {
    let (field, meta) = match path {
        "/" => ("utf-16", "iso-8859-1"),
        "/1" => ("no-such-charset", "utf-7"),
        "/2" => ("iso-2022-jp", "gb18030"),
        "/3" => ("x-user-defined", "utf-16le"),
        _ => return None,
    };
    let mut body = format!(
        "<meta charset={meta}><title>Lies {path}</title><a href=/1>1</a><a href=/2>2</a><a href=/3>3</a>"
    )
    .into_bytes();
    body.extend([0xff, 0xfe, 0x00, 0x80, 0x1b, b'$', b'B', 0xed, 0xa0, 0x80]);
    Some(Reply::of(&format!("text/html; charset={field}"), body))
}

/// The most memory this process had, in MiB.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let kib = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
    kib.unwrap_or(0) / 1_024
}

#[test]
fn every_misbehaviour_ends_in_an_outcome_and_the_good_site_is_finished() {
    let good = Site::start(tree(GOOD));
    let mut cases: Vec<_> = CASES
        .iter()
        .map(|(name, problem, pages, answers)| {
            let site = Site::start(|path| answers(path).unwrap_or_else(|| Reply::status(404)));
            (*name, site.url("/"), *problem, *pages)
        })
        .collect();
    cases.extend(unreached().map(|(name, seed, problem)| (name, seed, Some(problem), 0)));
    let mut all: Vec<String> = cases.iter().map(|case| case.1.clone()).collect();
    all.push(format!("http://{}/", unused_address()));
    all.push(good.url("/"));
    let frontier = Arc::new(MemoryFrontier::new());
    let crawled = crawl(
        Arc::clone(&frontier) as Arc<dyn CrawlStore>,
        &settings(LIMITS),
        &all,
        None,
    );

    let of_site = |seed: &str| -> BTreeMap<&String, &(Option<u16>, Option<String>)> {
        let origin = seed.split('/').take(3).collect::<Vec<_>>().join("/") + "/";
        crawled
            .pages
            .iter()
            .filter(|(url, _)| url.starts_with(&origin))
            .collect()
    };
    let mut table = String::new();
    let mut wrong = Vec::new();
    for (name, seed, expected, most) in &cases {
        let pages = of_site(seed);
        let answered = pages.values().filter(|(status, _)| status.is_some()).count();
        let key = seed.split('/').nth(2).expect("a host");
        let site = frontier.site(key).expect("a site");
        let counts = frontier.counts(Some(site)).expect("counts");
        let of_first = pages.get(seed).and_then(|(_, problem)| problem.clone());
        let reasons: Vec<_> = counts
            .0
            .iter()
            .map(|((state, reason), count)| {
                format!(
                    "{} {}{count}",
                    state.as_str(),
                    reason
                        .as_ref()
                        .map_or(String::new(), |reason| format!("{reason} "))
                )
            })
            .collect();
        let _ = writeln!(
            table,
            "{:<30} {answered:>4} pages  {:<20} {}",
            name,
            of_first.as_deref().unwrap_or("-"),
            reasons.join(", ")
        );
        let recorded = of_first.or_else(|| {
            let mut reasons = counts.0.keys().filter(|(state, _)| *state == UrlState::Failed);
            reasons
                .next()
                .and_then(|(_, reason)| Some(reason.as_ref()?.to_string()))
        });
        if recorded.as_deref() != *expected && (expected.is_some() || answered == 0) {
            wrong.push(format!("{name}: {recorded:?} instead of {expected:?}"));
        }
        if answered > *most {
            wrong.push(format!("{name}: {answered} pages, more than {most}"));
        }
    }
    println!("{table}\nmost memory: {} MiB", peak_memory());
    assert!(wrong.is_empty(), "{table}\n{}", wrong.join("\n"));
    assert_eq!(of_site(&good.url("/")).len(), GOOD);
    assert_eq!(
        crawled.progress.queued as usize,
        queued_of_closed(&crawled),
        "only a budget leaves URLs in the queue\n{table}"
    );
    // The servers are in this process too, and one of them has 50 MB in its hands.
    assert!(peak_memory() < 400, "{} MiB", peak_memory());
}

/// Returns the number of URLs queued at sites that were closed because their budget was used up.
fn queued_of_closed(crawled: &super::common::Crawled) -> usize {
    let closed = crawled
        .progress
        .sites
        .iter()
        .filter(|site| matches!(site.activity, Activity::Closed(_)));
    closed
        .map(|site| usize::try_from(site.queued).unwrap_or(usize::MAX))
        .sum()
}
