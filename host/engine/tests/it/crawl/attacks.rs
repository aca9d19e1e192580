//! Attacks by servers that want to get passwords, memory or time, or more than they allow by their
//! robots.txt.

use std::io::Write;
use std::sync::Arc;

use flate2::Compression;
use flate2::write::GzEncoder;
use magpie_engine::crawl::Extractor;
use magpie_page::Page;
use magpie_rows::{CrawlStore, Extraction, UrlState};
use magpie_test_support::server::{Reply, Site, links};

use super::common::{config, crawl, crawl_with, in_a_folder, memory, settings};

const PASSWORD: &str = "[site.\"127.0.0.1\".access]\nuser = \"ann\"\npassword = \"secret\"\n";

/// Paths of the requests that came with credentials.
fn with_credentials(site: &Site) -> Vec<String> {
    let mut log = site.log();
    log.retain(|asked| asked.field("authorization").is_some());
    log.into_iter().map(|asked| asked.path).collect()
}

#[test]
fn credentials_go_to_the_own_origin_alone() {
    let other = Site::always(Reply::text("User-agent: *\nAllow: /\n"));
    let elsewhere = other.url("/robots.txt");
    let site = Site::start(move |path| match path {
        "/robots.txt" => Reply::redirect(&elsewhere),
        "/" => links("Home", &["/a"]),
        "/a" => links("A page that only friends may read", &[]),
        _ => Reply::status(404),
    });
    let crawled = crawl(memory(), &settings(PASSWORD), &[site.url("/")], None);
    assert_eq!(crawled.pages.len(), 2);
    assert_eq!(other.requests(), ["/robots.txt"]);
    assert_eq!(with_credentials(&other), [""; 0]);
    let noted = with_credentials(&site);
    for path in ["/robots.txt", "/sitemap.xml", "/", "/a"] {
        assert!(noted.iter().any(|noted| noted == path), "{path} of {noted:?}");
    }
}

fn index(entries: impl Iterator<Item = String>) -> Reply {
    let entries: String = entries
        .map(|entry| format!("<sitemap><loc>{entry}</loc></sitemap>"))
        .collect();
    Reply::text(format!("<sitemapindex>{entries}</sitemapindex>"))
}

/// Returns how many requests for a sitemap there were.
fn sitemaps(site: &Site) -> usize {
    let requests = site.requests();
    requests.iter().filter(|path| path.ends_with(".xml")).count()
}

#[test]
fn a_tree_of_sitemaps_is_capped_and_a_file_that_names_itself_is_read_once() {
    let itself = Site::start(|path| match path {
        "/sitemap.xml" => index((0..50_000).map(|_| "/sitemap.xml".to_owned())),
        "/" => links("Home", &[]),
        _ => Reply::status(404),
    });
    let tree = Site::start(|path| match path {
        "/sitemap.xml" => index((0..1_500).map(|number| format!("/{number}.xml"))),
        "/" => links("Home", &[]),
        path => match path.trim_matches('/').trim_end_matches(".xml").parse::<u32>() {
            Ok(number) => index((0..50).map(|below| format!("/{number}-{below}.xml"))),
            Err(_) => Reply::status(404),
        },
    });
    let seeds = [itself.url("/"), tree.url("/")];
    crawl(memory(), &settings(""), &seeds, None);
    assert_eq!(sitemaps(&itself), 1);
    assert_eq!(sitemaps(&tree), 1_000);
}

#[test]
fn pages_do_not_wait_for_sitemaps() {
    let site = Site::start(|path| match path {
        "/sitemap.xml" => index((0..900).map(|number| format!("/{number}.xml"))),
        "/" => links("Home", &["/a", "/b", "/c"]),
        "/a" => links("A is for apple", &[]),
        "/b" => links("B is for bear and for bees", &[]),
        "/c" => links("C is for nothing at all", &[]),
        _ => Reply::status(404),
    });
    let limited = settings("[scope]\npages = 3\n[politeness]\nrequests = 1\n");
    let crawled = crawl(memory(), &limited, &[site.url("/")], None);
    assert_eq!(crawled.pages.len(), 3);
    assert!(sitemaps(&site) < 10, "{} sitemaps", sitemaps(&site));
}

#[test]
fn bytes_of_sitemaps_count_against_the_budget_of_the_site() {
    let site = Site::start(|path| match path {
        "/sitemap.xml" => index((0..900).map(|number| format!("/{number}.xml"))),
        "/" => links("Home", &[]),
        path if path.ends_with(".xml") => Reply::text(" ".repeat(10_000)),
        _ => Reply::status(404),
    });
    let limited = settings("[scope]\nbytes = \"100 KiB\"\n");
    let crawled = crawl(memory(), &limited, &[site.url("/")], None);
    assert!(sitemaps(&site) < 20, "{} sitemaps", sitemaps(&site));
    let is_told = |text: &String| text.contains("the maximum of `scope.bytes`");
    assert!(crawled.notices.iter().any(is_told), "{:?}", crawled.notices);
}

/// Verticals of an empty folder.
struct NoVerticals;

impl Extractor for NoVerticals {
    fn extract(&self, _: &Arc<Page>) -> Vec<Extraction> {
        Vec::new()
    }

    fn notices(&self) -> Vec<String> {
        Vec::new()
    }
}

#[test]
fn pages_that_no_vertical_was_shown_to_are_not_barren() {
    const PAGES: usize = 620;
    let site = Site::start(|path| {
        let number = match path {
            "/" => 0,
            path => path.trim_start_matches("/page/").parse().unwrap_or(PAGES),
        };
        if number >= PAGES {
            return Reply::status(404);
        }
        let title: String = format!("{number:03}")
            .bytes()
            .map(|digit| {
                [
                    "oak", "ash", "elm", "fir", "yew", "bay", "box", "fig", "nut", "plum",
                ][usize::from(digit - b'0')]
            })
            .collect::<Vec<_>>()
            .join(" ");
        let next = number + 1;
        links(&title, &[format!("/page/{next}").as_str()])
    });
    let mut own = config(memory(), &settings("[scope]\ndepth = 10000\nsitemaps = false\n"));
    own.extractor = Some(Arc::new(NoVerticals));
    let crawled = crawl_with(own, &[site.url("/")], None);
    let good = crawled.pages.values().filter(|(status, _)| *status == Some(200));
    assert_eq!(good.count(), PAGES);
}

/// A body with a length that may be another one, after which the connection ends.
fn answer(fields: &str, length: usize, body: &[u8]) -> Reply {
    let head = format!("HTTP/1.1 200 OK\r\nConnection: close\r\n{fields}Content-Length: {length}\r\n\r\n");
    Reply::bytes([head.as_bytes(), body].concat()).and_close()
}

/// Crawls a server whose robots.txt is this answer. Returns the pages that were answered.
fn pages_under(robots: Reply) -> Vec<String> {
    let site = Site::start(move |path| match path {
        "/robots.txt" => robots.clone(),
        "/" => Reply::html("<title>Home</title><a href=/private>private</a>"),
        _ => Reply::html(""),
    });
    let quick = "[fetch]\nretries = 1\n[politeness]\nrobots_wait = \"50ms\"\n[traps]\nsoft_404 = false\n[scope]\nsitemaps = false\n";
    let crawled = crawl(memory(), &settings(quick), &[site.url("/")], None);
    let answered = crawled.pages.iter().filter(|(_, (status, _))| status.is_some());
    answered
        .map(|(url, _)| url.trim_start_matches(&site.url("")).to_owned())
        .collect()
}

#[test]
fn a_robots_txt_that_is_not_whole_allows_nothing() {
    let rules = b"User-agent: *\nAllow: /public\n";
    assert_eq!(pages_under(answer("", rules.len(), rules)), ["/", "/private"]);
    // The connection ends before the lines that matter.
    assert_eq!(pages_under(answer("", 5_000, rules)), [""; 0]);
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    let long = "User-agent: *\nDisallow: /private\n".repeat(100);
    encoder.write_all(long.as_bytes()).expect("into memory");
    let coded = encoder.finish().expect("into memory");
    let field = "Content-Encoding: gzip\r\n";
    assert_eq!(pages_under(answer(field, coded.len(), &coded)), ["/"]);
    let half = &coded[..coded.len() / 2];
    assert_eq!(pages_under(answer(field, half.len(), half)), [""; 0]);
    let unknown = "Content-Encoding: own\r\n";
    assert_eq!(pages_under(answer(unknown, rules.len(), rules)), [""; 0]);
    // One that is longer than the limit is parsed up to there (RFC 9309, 2.5).
    let mut long = b"User-agent: *\nDisallow: /private\n".to_vec();
    long.resize(700_000, b'\n');
    assert_eq!(pages_under(answer("", long.len(), &long)), ["/"]);
}

#[test]
fn a_site_that_asks_for_a_long_wait_before_its_pages_is_left() {
    for asked in ["/robots.txt", "/sitemap.xml"] {
        let site = Site::start(move |path| match path {
            path if path == asked => Reply::status(503).with("Retry-After", "3600"),
            "/" => links("Home", &[]),
            _ => Reply::status(404),
        });
        let impatient = settings("[politeness]\nmax_wait = \"10s\"\n");
        let frontier = memory();
        let crawled = crawl(Arc::clone(&frontier), &impatient, &[site.url("/")], None);
        let is_told = |text: &String| text.contains("`politeness.max_wait`");
        assert!(
            crawled.notices.iter().any(is_told),
            "{asked}: {:?}",
            crawled.notices
        );
        let counts = frontier.counts(None).expect("counts");
        assert_eq!(counts.of(UrlState::Queued), 1, "{asked}");
    }
}

const DEEDS: [&str; 7] = [
    "/node/5/delete",
    "/logout.php",
    "/index.php?route=account/logout",
    "/x?op=delete",
    "/x?delete=5",
    "/abmelden",
    "/redirects-to-a-deed",
];

/// Crawls a site with links that act and others; returns the paths that were requested.
fn asked_of_deeds(more: &str) -> Vec<String> {
    let site = Site::start(|path| match path {
        "/" => {
            let others = [
                "/posts/delete-your-account-guide",
                "/the-cart-of-apollo",
                "/item/5/zap",
                "/x?act=show",
            ];
            links("Home", &[&DEEDS[..], &others].concat())
        }
        "/redirects-to-a-deed" => Reply::redirect("/unsubscribe?u=7"),
        path => links(path, &[]),
    });
    let settings = settings(&format!("[scope]\nsitemaps = false\n{more}"));
    crawl(memory(), &settings, &[site.url("/")], None);
    let mut asked = site.requests();
    asked.retain(|path| !["/", "/robots.txt", "/redirects-to-a-deed"].contains(&path.as_str()));
    // The page that cannot exist shows how the site answers for what is not there.
    asked.retain(|path| {
        DEEDS.contains(&path.as_str()) || path.contains(['-', '?']) || path.starts_with("/item")
    });
    asked.sort();
    asked
}

#[test]
fn urls_that_were_queued_are_judged_by_new_words() {
    let paths: Vec<String> = (0..40).map(|number| format!("/item/{number}/zap")).collect();
    let site = Site::start(move |path| match path {
        "/" => links("Home", &paths.iter().map(String::as_str).collect::<Vec<_>>()),
        path => links(path, &[]),
    });
    let (_folder, _, workspace) = in_a_folder();
    let mut asked = Vec::new();
    for (words, stop) in [("", Some(5)), ("acts = [\"zap\"]\n", None)] {
        let settings = settings(&format!(
            "[scope]\nsitemaps = false\n[traps]\nsoft_404 = false\n{words}"
        ));
        let store: Arc<dyn CrawlStore> = Arc::clone(&workspace) as _;
        let _ = crawl(store, &settings, &[site.url("/")], stop);
        asked.push(
            site.requests()
                .iter()
                .filter(|path| path.ends_with("/zap"))
                .count(),
        );
    }
    assert!(asked[0] > 0 && asked[0] < 40, "{asked:?}");
    assert_eq!(asked[0], asked[1], "none was requested after the word was added");
}

#[test]
fn links_that_act_are_not_followed() {
    let off = "[traps]\nsoft_404 = false\n";
    let harmless = [
        "/item/5/zap",
        "/posts/delete-your-account-guide",
        "/the-cart-of-apollo",
        "/x?act=show",
    ];
    assert_eq!(asked_of_deeds(off), harmless);
    let without_traps = format!("{off}enabled = false\n");
    assert_eq!(asked_of_deeds(&without_traps), harmless, "they are no mere traps");
    let with_words = format!("{off}acts = [\"zap\"]\n");
    assert_eq!(asked_of_deeds(&with_words), harmless[1..]);
    let known = ["/item/5/zap", "/x?act=show"];
    let with_access = format!("{off}{PASSWORD}");
    assert_eq!(asked_of_deeds(&with_access), known, "the site knows the visitor");
    let with_cookie = format!("{off}[fetch]\nheaders = {{ Cookie = \"session=1\" }}\n");
    assert_eq!(asked_of_deeds(&with_cookie), known, "the site knows the visitor");
}
