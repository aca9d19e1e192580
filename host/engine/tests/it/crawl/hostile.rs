//! Sites that misbehave, one way each, beside a good site: each ends in a recorded outcome with a
//! plain reason, within bounded time and memory, and the good site is finished.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::common::{crawl, settings};
use magpie_engine::crawl::Activity;
use magpie_rows::{CrawlStore, Frontier, MemoryFrontier, UrlState};
use magpie_test_support::server::{Site, tree};

/// Pages of the good site.
const GOOD: usize = 60;

/// Tight limits, so that the test is quick: what they are does not change what happens.
const LIMITS: &str = "[fetch]\nretries = 1\nfirst_byte_timeout = \"400ms\"\nidle_timeout = \"400ms\"\ntotal_timeout = \"2s\"\n\
    body_bytes = \"16 MiB\"\nhead_bytes = \"64 KiB\"\nhead_fields = 100\nconnect_timeout = \"1s\"\ndns_timeout = \"1s\"\n\
    [politeness]\nrobots_wait = \"100ms\"\n[scope]\npages = 400\nlinks = 2000\n";

/// The reaction of a server to a path. `None` from a write ends the connection.
type Misbehave = fn(&str, &mut TcpStream) -> Option<()>;

struct Case {
    name: &'static str,
    /// Path of the first page.
    path: &'static str,
    misbehave: Misbehave,
    /// Code of the expected problem of the first page, or `None`.
    problem: Option<&'static str>,
    /// The most pages that may be fetched of the site.
    pages: usize,
}

fn send(stream: &mut TcpStream, bytes: &[u8]) -> Option<()> {
    stream.write_all(bytes).ok()
}

fn answer(stream: &mut TcpStream, fields: &str, body: &[u8]) -> Option<()> {
    let head = format!(
        "HTTP/1.1 200 OK\r\n{fields}Content-Length: {}\r\n\r\n",
        body.len()
    );
    send(stream, head.as_bytes())?;
    send(stream, body)
}

fn html(stream: &mut TcpStream, body: &str) -> Option<()> {
    answer(
        stream,
        "Content-Type: text/html; charset=utf-8\r\n",
        body.as_bytes(),
    )
}

fn missing(stream: &mut TcpStream) -> Option<()> {
    send(stream, b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
}

fn redirect(stream: &mut TcpStream, to: &str) -> Option<()> {
    let head = format!("HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n");
    send(stream, head.as_bytes())
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).expect("into memory");
    encoder.finish().expect("into memory")
}

/// A path of the site itself; what every site is asked beside its pages is not there.
fn is_page(path: &str) -> bool {
    !["/robots.txt", "/sitemap.xml"].contains(&path) && path.len() < 60
}

fn never_ending_body(path: &str, stream: &mut TcpStream) -> Option<()> {
    if path != "/" {
        return missing(stream);
    }
    send(
        stream,
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n",
    )?;
    loop {
        send(stream, &[b'x'; 8192])?;
    }
}

fn one_byte_a_second(path: &str, stream: &mut TcpStream) -> Option<()> {
    if path != "/" {
        return missing(stream);
    }
    send(
        stream,
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 1000\r\n\r\n",
    )?;
    loop {
        std::thread::sleep(Duration::from_millis(300));
        send(stream, b"x")?;
    }
}

fn endless_head(path: &str, stream: &mut TcpStream) -> Option<()> {
    if path != "/" {
        return missing(stream);
    }
    send(stream, b"HTTP/1.1 200 OK\r\nX: ")?;
    loop {
        send(stream, &[b'x'; 4096])?;
    }
}

fn many_fields(path: &str, stream: &mut TcpStream) -> Option<()> {
    if path != "/" {
        return missing(stream);
    }
    let fields: String = (0..10_000).map(|n| format!("X{n}: 1\r\n")).collect();
    answer(stream, &fields, b"")
}

fn gzip_bomb(path: &str, stream: &mut TcpStream) -> Option<()> {
    if path != "/" {
        return missing(stream);
    }
    let body = gzip(&vec![b' '; 20 << 20]);
    answer(
        stream,
        "Content-Type: text/html\r\nContent-Encoding: gzip\r\n",
        &body,
    )
}

fn nested_bomb(path: &str, stream: &mut TcpStream) -> Option<()> {
    if path != "/" {
        return missing(stream);
    }
    let body = gzip(&gzip(&vec![b' '; 20 << 20]));
    answer(
        stream,
        "Content-Type: text/html\r\nContent-Encoding: gzip, gzip\r\n",
        &body,
    )
}

fn less_than_promised(path: &str, stream: &mut TcpStream) -> Option<()> {
    if path != "/" {
        return missing(stream);
    }
    send(
        stream,
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5000\r\n\r\n<p>short",
    )?;
    None
}

fn broken_chunks(path: &str, stream: &mut TcpStream) -> Option<()> {
    if path != "/" {
        return missing(stream);
    }
    send(
        stream,
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n10\r\n<p>half",
    )?;
    None
}

fn no_http(_: &str, stream: &mut TcpStream) -> Option<()> {
    send(stream, b"SSH-2.0-OpenSSH_9.9\r\n")?;
    None
}

fn redirect_loop(path: &str, stream: &mut TcpStream) -> Option<()> {
    match path {
        "/" => redirect(stream, "/a"),
        "/a" => redirect(stream, "/b"),
        "/b" => redirect(stream, "/"),
        _ => missing(stream),
    }
}

fn endless_redirects(path: &str, stream: &mut TcpStream) -> Option<()> {
    if !is_page(path) {
        return missing(stream);
    }
    let number: u64 = path.trim_start_matches("/hop").parse().unwrap_or(0);
    redirect(stream, &format!("/hop{}", number + 1))
}

fn to_metadata(path: &str, stream: &mut TcpStream) -> Option<()> {
    match path {
        "/" => redirect(stream, "http://169.254.169.254/latest/meta-data/"),
        _ => missing(stream),
    }
}

fn endless_cookies(path: &str, stream: &mut TcpStream) -> Option<()> {
    if path != "/" {
        return missing(stream);
    }
    let fields: String = (0..80)
        .map(|n| format!("Set-Cookie: c{n}={}; Max-Age=9999999\r\n", "v".repeat(500)))
        .collect();
    answer(
        stream,
        &(fields + "Content-Type: text/html\r\n"),
        b"<title>Cookies</title>",
    )
}

fn huge_robots(path: &str, stream: &mut TcpStream) -> Option<()> {
    if path != "/robots.txt" {
        return if path == "/" {
            html(stream, "<title>Home</title>")
        } else {
            missing(stream)
        };
    }
    send(
        stream,
        b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 1073741824\r\n\r\n",
    )?;
    let line = b"User-agent: somebody\nDisallow: /\n".repeat(256);
    loop {
        send(stream, &line)?;
    }
}

fn binary_robots(path: &str, stream: &mut TcpStream) -> Option<()> {
    match path {
        "/robots.txt" => {
            let junk: Vec<u8> = (0..60_000u32)
                .map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8)
                .collect();
            answer(stream, "Content-Type: text/plain\r\n", &junk)
        }
        "/" => html(stream, "<title>Home</title>"),
        _ => missing(stream),
    }
}

fn robots_loop(path: &str, stream: &mut TcpStream) -> Option<()> {
    match path {
        "/robots.txt" => redirect(stream, "/robots.txt"),
        "/" => html(stream, "<title>Home</title>"),
        _ => missing(stream),
    }
}

fn sitemap_bomb(path: &str, stream: &mut TcpStream) -> Option<()> {
    let lol = |n: u32| format!("<!ENTITY l{} \"{}\">", n + 1, format!("&l{n};").repeat(10));
    match path {
        "/robots.txt" => answer(stream, "", b"Sitemap: /sitemap.xml\n"),
        "/sitemap.xml" => {
            let entities: String = (0..9).map(lol).collect();
            let body = format!(
                "<?xml version=\"1.0\"?><!DOCTYPE urlset [<!ENTITY l0 \"lol\">{entities}]><urlset><url><loc>/&l9;</loc></url></urlset>"
            );
            answer(stream, "Content-Type: application/xml\r\n", body.as_bytes())
        }
        "/" => html(stream, "<title>Home</title>"),
        _ => missing(stream),
    }
}

fn sitemap_cycle(path: &str, stream: &mut TcpStream) -> Option<()> {
    let index = "<sitemapindex><sitemap><loc>/one.xml</loc></sitemap><sitemap><loc>/two.xml</loc></sitemap></sitemapindex>";
    match path {
        "/sitemap.xml" | "/one.xml" | "/two.xml" => {
            answer(stream, "Content-Type: application/xml\r\n", index.as_bytes())
        }
        "/" => html(stream, "<title>Home</title>"),
        _ => missing(stream),
    }
}

fn endless_calendar(path: &str, stream: &mut TcpStream) -> Option<()> {
    if path != "/" && !path.starts_with("/calendar/") {
        return missing(stream);
    }
    let month = path.strip_prefix("/calendar/").and_then(|rest| {
        let (year, month) = rest.split_once('/')?;
        Some(year.parse::<u32>().ok()? * 12 + month.parse::<u32>().ok()?)
    });
    let next = month.unwrap_or(2026 * 12 + 10) + 1;
    let (year, month) = ((next - 1) / 12, (next - 1) % 12 + 1);
    html(
        stream,
        &format!(
            "<title>Calendar</title><p>No events this month.<a href=\"/calendar/{year}/{month:02}\">next</a>"
        ),
    )
}

fn endless_path(path: &str, stream: &mut TcpStream) -> Option<()> {
    let own = |segment: &str| ["", "shop", "about"].contains(&segment);
    if !path.split('/').all(own) {
        return missing(stream);
    }
    html(
        stream,
        "<title>Deeper</title><p>And on.<a href=\"shop/\">shop</a><a href=\"about/\">about</a>",
    )
}

fn session_ids(path: &str, stream: &mut TcpStream) -> Option<()> {
    if path != "/" && !path.starts_with("/item") {
        return missing(stream);
    }
    // Every answer has a session of its own in all of its links.
    let session = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |since| since.as_nanos());
    let links: String = (0..10)
        .map(|n| format!("<a href=\"/item{n}?PHPSESSID={session:032x}\">item {n}</a>"))
        .collect();
    let name = path.split('?').next().unwrap_or(path);
    html(
        stream,
        &format!("<title>{name}</title><h1>All about {name}</h1>{links}"),
    )
}

fn key_explosion(path: &str, stream: &mut TcpStream) -> Option<()> {
    let (base, query) = path.split_once('?').unwrap_or((path, ""));
    if base != "/" {
        return missing(stream);
    }
    let mut page = "<title>Filters</title>".to_owned();
    for key in [
        "colour", "size", "brand", "price", "order", "view", "stock", "rating",
    ] {
        for value in 0..6 {
            let join = if query.is_empty() {
                String::new()
            } else {
                format!("{query}&")
            };
            let _ = write!(page, "<a href=\"/?{join}{key}={value}\">{key} {value}</a>");
        }
    }
    html(stream, &page)
}

fn million_links(path: &str, stream: &mut TcpStream) -> Option<()> {
    if path != "/" {
        return missing(stream);
    }
    let links: String = (0..1_000_000).map(|n| format!("<a href=/{n}>")).collect();
    html(stream, &links)
}

fn fifty_megabytes(path: &str, stream: &mut TcpStream) -> Option<()> {
    if path != "/" {
        return missing(stream);
    }
    answer(stream, "Content-Type: text/html\r\n", &vec![b'x'; 50 << 20])
}

fn charset_lies(path: &str, stream: &mut TcpStream) -> Option<()> {
    let (field, meta) = match path {
        "/" => ("utf-16", "iso-8859-1"),
        "/1" => ("no-such-charset", "utf-7"),
        "/2" => ("iso-2022-jp", "gb18030"),
        "/3" => ("x-user-defined", "utf-16le"),
        _ => return missing(stream),
    };
    let mut body = format!(
        "<meta charset={meta}><title>Lies {path}</title><a href=/1>1</a><a href=/2>2</a><a href=/3>3</a>"
    )
    .into_bytes();
    body.extend([0xff, 0xfe, 0x00, 0x80, 0x1b, b'$', b'B', 0xed, 0xa0, 0x80]);
    answer(
        stream,
        &format!("Content-Type: text/html; charset={field}\r\n"),
        &body,
    )
}

const CASES: [Case; 27] = [
    Case {
        name: "never-ending body",
        path: "/",
        misbehave: never_ending_body,
        problem: Some("cut-length"),
        pages: 1,
    },
    Case {
        name: "a byte now and then",
        path: "/",
        misbehave: one_byte_a_second,
        problem: Some("cut-time"),
        pages: 1,
    },
    Case {
        name: "head without end",
        path: "/",
        misbehave: endless_head,
        problem: Some("too-large"),
        pages: 0,
    },
    Case {
        name: "10,000 header fields",
        path: "/",
        misbehave: many_fields,
        problem: Some("too-large"),
        pages: 0,
    },
    Case {
        name: "gzip bomb",
        path: "/",
        misbehave: gzip_bomb,
        problem: Some("coding"),
        pages: 1,
    },
    Case {
        name: "gzip bomb in gzip",
        path: "/",
        misbehave: nested_bomb,
        problem: Some("coding"),
        pages: 1,
    },
    Case {
        name: "less than Content-Length",
        path: "/",
        misbehave: less_than_promised,
        problem: Some("cut-disconnect"),
        pages: 1,
    },
    Case {
        name: "broken chunks",
        path: "/",
        misbehave: broken_chunks,
        problem: Some("cut-disconnect"),
        pages: 1,
    },
    Case {
        name: "no HTTP",
        path: "/",
        misbehave: no_http,
        problem: Some("robots-unreachable"),
        pages: 0,
    },
    Case {
        name: "redirect loop",
        path: "/",
        misbehave: redirect_loop,
        problem: None,
        pages: 3,
    },
    Case {
        name: "redirects without end",
        path: "/",
        misbehave: endless_redirects,
        problem: None,
        pages: 12,
    },
    Case {
        name: "redirect to a private address",
        path: "/",
        misbehave: to_metadata,
        problem: None,
        pages: 1,
    },
    Case {
        name: "80 long cookies",
        path: "/",
        misbehave: endless_cookies,
        problem: None,
        pages: 1,
    },
    Case {
        name: "robots.txt of 1 GB",
        path: "/",
        misbehave: huge_robots,
        problem: None,
        pages: 1,
    },
    Case {
        name: "robots.txt of junk",
        path: "/",
        misbehave: binary_robots,
        problem: None,
        pages: 1,
    },
    Case {
        name: "robots.txt in a loop",
        path: "/",
        misbehave: robots_loop,
        problem: None,
        pages: 1,
    },
    Case {
        name: "entities in a sitemap",
        path: "/",
        misbehave: sitemap_bomb,
        problem: None,
        pages: 2,
    },
    Case {
        name: "sitemaps in a circle",
        path: "/",
        misbehave: sitemap_cycle,
        problem: None,
        pages: 1,
    },
    Case {
        name: "calendar without end",
        path: "/",
        misbehave: endless_calendar,
        problem: None,
        pages: 60,
    },
    Case {
        name: "path without end",
        path: "/",
        misbehave: endless_path,
        problem: None,
        pages: 100,
    },
    Case {
        name: "a session in every link",
        path: "/",
        misbehave: session_ids,
        problem: None,
        pages: 11,
    },
    Case {
        name: "combinations of keys",
        path: "/",
        misbehave: key_explosion,
        problem: None,
        pages: 400,
    },
    Case {
        name: "a million links",
        path: "/",
        misbehave: million_links,
        problem: None,
        pages: 400,
    },
    Case {
        name: "50 MB",
        path: "/",
        misbehave: fifty_megabytes,
        problem: Some("cut-length"),
        pages: 1,
    },
    Case {
        name: "lies about the charset",
        path: "/",
        misbehave: charset_lies,
        problem: None,
        pages: 4,
    },
    Case {
        name: "an unknown name",
        path: "http://no-such-host.invalid/",
        misbehave: no_http,
        problem: Some("dns"),
        pages: 0,
    },
    Case {
        name: "invalid TLS",
        path: "https",
        misbehave: no_http,
        problem: Some("tls"),
        pages: 0,
    },
];

fn serve(misbehave: Misbehave) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || talk(stream, misbehave));
        }
    });
    address
}

fn talk(mut stream: TcpStream, misbehave: Misbehave) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|&bytes| bytes > 0)?;
        let path = line.split(' ').nth(1).unwrap_or("/").to_owned();
        let mut field = String::new();
        while field.trim() != "" || field.is_empty() {
            field.clear();
            reader.read_line(&mut field).ok().filter(|&bytes| bytes > 0)?;
        }
        misbehave(&path, &mut stream)?;
    }
}

/// The most memory this process had, in MiB.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let kib = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
    kib.unwrap_or(0) / 1_024
}

fn seed(case: &Case) -> String {
    match case.path {
        path if path.starts_with("http://") => path.to_owned(),
        "https" => format!("https://{}/", serve(case.misbehave)),
        path => format!("http://{}{path}", serve(case.misbehave)),
    }
}

#[test]
fn every_misbehaviour_ends_in_an_outcome_and_the_good_site_is_finished() {
    let good = Site::start(tree(GOOD));
    let seeds: Vec<_> = CASES.iter().map(seed).collect();
    let closed = TcpListener::bind("127.0.0.1:0")
        .expect("a free port")
        .local_addr()
        .expect("an address");
    let mut all = seeds.clone();
    all.push(format!("http://{closed}/"));
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
    for (case, seed) in CASES.iter().zip(&seeds) {
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
            case.name,
            of_first.as_deref().unwrap_or("-"),
            reasons.join(", ")
        );
        let recorded = of_first.or_else(|| {
            let mut reasons = counts.0.keys().filter(|(state, _)| *state == UrlState::Failed);
            reasons
                .next()
                .and_then(|(_, reason)| Some(reason.as_ref()?.to_string()))
        });
        if recorded.as_deref() != case.problem && (case.problem.is_some() || answered == 0) {
            wrong.push(format!(
                "{}: {recorded:?} instead of {:?}",
                case.name, case.problem
            ));
        }
        if answered > case.pages {
            wrong.push(format!(
                "{}: {answered} pages, more than {}",
                case.name, case.pages
            ));
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
