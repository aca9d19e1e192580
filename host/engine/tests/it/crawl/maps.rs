//! Sitemaps and feeds, and what they lead to.

use std::sync::Arc;

use magpie_rows::SiteFacts as _;
use magpie_rows::{Frontier, Pages as _, UrlState};
use magpie_sqlite::{Workspace, WorkspaceOptions};
use magpie_test_support::server::{Reply, Site, links};
use magpie_values::Timestamp;

use super::common::{crawl, memory, settings};

#[test]
fn sitemaps_lead_to_pages_that_nothing_links_to() {
    let site = Site::start(|path| match path {
        "/robots.txt" => Reply::text("Sitemap: /maps.xml\n"),
        "/maps.xml" => Reply::text("<sitemapindex><sitemap><loc>/map.xml</loc></sitemap></sitemapindex>"),
        "/map.xml" => Reply::text(
            "<urlset><url><loc>/hidden</loc></url><url><loc>http://elsewhere.example/</loc></url></urlset>",
        ),
        "/" => links("Home", &[]),
        "/hidden" => links("Hidden", &[]),
        _ => Reply::status(404),
    });
    let crawled = crawl(memory(), &settings(""), &[site.url("/")], None);
    assert_eq!(crawled.pages.len(), 2);
    assert_eq!(crawled.pages[&site.url("/hidden")].0, Some(200));
}

#[test]
fn a_long_sitemap_is_known_to_its_last_entry() {
    const ENTRIES: usize = 4_321;
    let site = Site::start(|path| match path {
        "/sitemap.xml" => {
            let entry = |number| format!("<url><loc>/page/{number}</loc></url>");
            let entries: String = (0..ENTRIES).map(entry).collect();
            Reply::text(format!("<urlset>{entries}</urlset>"))
        }
        "/" => links("Home", &[]),
        _ => Reply::status(404),
    });
    let frontier = memory();
    let limited = settings("[scope]\npages = 10\n");
    crawl(frontier.clone(), &limited, &[site.url("/")], None);
    let known: u64 = UrlState::ALL
        .into_iter()
        .map(|state| frontier.counts(None).expect("counts").of(state))
        .sum();
    assert_eq!(known, ENTRIES as u64 + 1);
}

#[test]
fn no_more_sitemaps_are_read_than_the_budget_has_pages() {
    const SITEMAPS: usize = 200;
    let site = Site::start(|path| match path {
        "/sitemap.xml" => {
            let entry = |number| format!("<sitemap><loc>/map-{number}.xml</loc></sitemap>");
            let entries: String = (0..SITEMAPS).map(entry).collect();
            Reply::text(format!("<sitemapindex>{entries}</sitemapindex>"))
        }
        path if path.starts_with("/map-") => Reply::text("<urlset></urlset>"),
        "/" => links("Home", &[]),
        _ => Reply::status(404),
    });
    let limited = settings("[scope]\npages = 10\n");
    let crawled = crawl(memory(), &limited, &[site.url("/")], None);
    assert_eq!(crawled.pages.len(), 1);
    let requests = site.requests();
    let sitemaps = requests.iter().filter(|path| path.ends_with(".xml"));
    assert_eq!(sitemaps.count(), 10);
}

fn rss(urls: &[&str]) -> Reply {
    let item = |url: &&str| {
        format!("<item><link>{url}</link><pubDate>Wed, 01 May 2024 00:00:00 GMT</pubDate></item>")
    };
    let items: String = urls.iter().map(item).collect();
    Reply::of(
        "application/rss+xml",
        format!("<rss version='2.0'><channel>{items}</channel></rss>"),
    )
}

fn naming(feeds: &[&str], hrefs: &[&str]) -> Reply {
    let named = feeds
        .iter()
        .map(|feed| format!("<link rel=alternate type=application/rss+xml href=\"{feed}\">"));
    let named: String = named.collect();
    let mut page = links(&format!("A page with {feeds:?} and {hrefs:?}"), hrefs);
    page.body.splice(0..0, named.into_bytes());
    page
}

#[test]
fn feeds_lead_to_pages_that_nothing_links_to() {
    let site = Site::start(|path| match path {
        "/robots.txt" => Reply::text("User-agent: *\nDisallow: /private\n"),
        "/" => naming(
            &[
                "/news.xml",
                "/private/news.xml",
                "http://elsewhere.example/news.xml",
            ],
            &["/post", "/linked.xml"],
        ),
        "/news.xml" => rss(&["/new", "http://elsewhere.example/"]),
        "/linked.xml" => rss(&["/other"]),
        // The feed of its own comments: a site may have as many such feeds as posts.
        "/post" => naming(&["/post/comments.xml"], &[]),
        "/new" => links("New", &[]),
        "/other" => links("Another one", &[]),
        _ => Reply::status(404),
    });
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("workspace");
    let workspace = Workspace::create(&path, &WorkspaceOptions::default()).expect("a workspace");
    let crawled = crawl(Arc::new(workspace.clone()), &settings(""), &[site.url("/")], None);
    for page in ["/new", "/other"] {
        assert_eq!(crawled.pages[&site.url(page)].0, Some(200), "{page}");
    }
    let counts = site.counts();
    assert_eq!((counts["/news.xml"], counts["/linked.xml"]), (1, 1));
    assert!(!counts.contains_key("/private/news.xml") && !counts.contains_key("/post/comments.xml"));
    let reader = workspace.reader().expect("a reader");
    let id = workspace.site(&site.address.to_string()).expect("a site");
    let feeds = ["/linked.xml", "/news.xml", "/private/news.xml"];
    assert_eq!(reader.feeds(id).expect("feeds"), feeds.map(|feed| site.url(feed)));
    let hinted = reader.known_pages(id).expect("pages");
    let hinted = hinted
        .iter()
        .find(|page| page.url == site.url("/new"))
        .expect("known");
    assert_eq!(
        hinted.feed.map(|hint| hint.modified_at),
        Some(Timestamp::from_millis(1_714_521_600_000))
    );
    assert_eq!(hinted.sitemap, None);
}

#[test]
fn a_page_can_name_so_many_feeds_and_none_where_they_are_not_wanted() {
    let site = Site::start(|path| match path {
        "/" => {
            let feeds: Vec<String> = (0..100).map(|number| format!("/feed/{number}.xml")).collect();
            naming(&feeds.iter().map(String::as_str).collect::<Vec<_>>(), &[])
        }
        path if path.starts_with("/feed/") => rss(&["/new"]),
        "/new" => links("New", &[]),
        _ => Reply::status(404),
    });
    let feeds = || {
        site.counts()
            .keys()
            .filter(|path| path.starts_with("/feed/"))
            .count()
    };
    let without = crawl(
        memory(),
        &settings("[scope]\nsitemaps = false\n"),
        &[site.url("/")],
        None,
    );
    assert_eq!((feeds(), without.pages.len()), (0, 1));
    let with = crawl(memory(), &settings(""), &[site.url("/")], None);
    assert_eq!((feeds(), with.pages.len()), (16, 2));
}
