//! What is fetched, and what becomes of it.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::common::{crawl, crawl_with, means, settings};
use magpie_engine::crawl::{Ending, Extractor, Guide, Guides, Means};
use magpie_engine::settings::Settings;
use magpie_engine::{canonicaliser_knowing, proof_of_order};
use magpie_model::CanonicalUrl;
use magpie_page::Page;
use magpie_store::{Extraction, Frontier, MemoryFrontier, Reader, UrlState, Workspace, WorkspaceOptions};
use magpie_test_support::server::{Asked, Reply, Site, links, tree};
use tempfile::TempDir;

fn memory() -> Arc<dyn Frontier> {
    Arc::new(MemoryFrontier::new())
}

/// A workspace, its path, and the folder that goes with it.
fn in_a_folder() -> (TempDir, PathBuf, Arc<Workspace>) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("workspace");
    let workspace = Workspace::create(&path, &WorkspaceOptions::default()).expect("a workspace");
    (folder, path, Arc::new(workspace))
}

#[test]
fn every_page_is_fetched_once() {
    let site = Site::start(tree(200));
    let crawled = crawl(memory(), &settings(""), &[site.url("/")], None);
    assert_eq!(crawled.ending, Ending::Finished);
    assert_eq!(crawled.pages.len(), 200);
    assert_eq!(crawled.progress.queued, 0);
    let counts = site.counts();
    let pages = counts
        .iter()
        .filter(|(path, _)| *path == "/" || path.starts_with("/page/"));
    assert!(pages.clone().all(|(_, &count)| count == 1), "{counts:?}");
    assert_eq!(pages.count(), 200);
}

#[test]
fn robots_txt_is_asked_first_and_obeyed() {
    let site = Site::start(|path| match path {
        "/robots.txt" => Reply::text("User-agent: *\nDisallow: /private\n"),
        "/" => links("Home", &["/private/a", "/public"]),
        "/public" => links("Public", &["/private/b"]),
        "/private/a" | "/private/b" => links("Private", &[]),
        _ => Reply::status(404),
    });
    let frontier = memory();
    let crawled = crawl(Arc::clone(&frontier), &settings(""), &[site.url("/")], None);
    assert_eq!(site.requests()[0], "/robots.txt");
    assert!(!site.requests().iter().any(|path| path.starts_with("/private")));
    assert_eq!(crawled.pages.len(), 2);
    assert_eq!(crawled.progress.refused["robots"], 2);
    assert_eq!(frontier.counts(None).expect("counts").of(UrlState::Refused), 2);

    let own = crawl(
        memory(),
        &settings("[politeness]\nrobots = \"ignore\"\n"),
        &[site.url("/")],
        None,
    );
    assert_eq!(own.pages.len(), 4);
}

#[test]
fn a_host_without_a_readable_robots_txt_is_left_alone() {
    let site = Site::start(|path| match path {
        "/robots.txt" => Reply::status(503),
        _ => links("Home", &[]),
    });
    let frontier = memory();
    let quick = settings("[fetch]\nretries = 0\n");
    let crawled = crawl(Arc::clone(&frontier), &quick, &[site.url("/")], None);
    assert_eq!(site.counts().get("/"), None);
    assert_eq!(frontier.counts(None).expect("counts").of(UrlState::Failed), 1);
    assert_eq!(crawled.progress.refused["robots-unreachable"], 1);
    assert!(crawled.notices[0].contains("robots.txt"), "{:?}", crawled.notices);
}

#[test]
fn redirects_are_pages_of_their_own_and_end() {
    let site = Site::start(|path| match path {
        "/" => links("Home", &["/old", "/loop/1", "/chain/0", "/away"]),
        "/old" => Reply::redirect("/new"),
        "/new" => links("New", &[]),
        "/loop/1" => Reply::redirect("/loop/2"),
        "/loop/2" => Reply::redirect("/loop/1"),
        "/away" => Reply::redirect("http://elsewhere.example/"),
        path => match path
            .strip_prefix("/chain/")
            .and_then(|number| number.parse::<usize>().ok())
        {
            Some(number) => Reply::redirect(&format!("/chain/{}", number + 1)),
            None => Reply::status(404),
        },
    });
    let settings = settings("[fetch]\nredirects = 5\n[scope]\nsitemaps = false\n[traps]\nsoft_404 = false\n");
    let crawled = crawl(memory(), &settings, &[site.url("/")], None);
    assert_eq!(crawled.ending, Ending::Finished);
    assert_eq!(crawled.pages[&site.url("/new")].0, Some(200));
    let counts = site.counts();
    assert_eq!((counts["/loop/1"], counts["/loop/2"]), (1, 1));
    let chain = counts.keys().filter(|path| path.starts_with("/chain/")).count();
    assert_eq!(chain, 6, "the first and five redirects");
    let last = &crawled.pages[&site.url("/chain/5")];
    assert_eq!(last.1.as_deref(), Some("too-many-redirects"));
}

#[test]
fn what_may_pass_is_tried_again_and_what_stays_is_given_up() {
    let seen = AtomicUsize::new(0);
    let site = Site::start(move |path| match path {
        "/" => links("Home", &["/sometimes", "/never", "/gone"]),
        "/sometimes" if seen.fetch_add(1, Ordering::SeqCst) == 0 => Reply::status(500),
        "/sometimes" => links("At last", &[]),
        "/never" => Reply::status(502),
        _ => Reply::status(404),
    });
    let frontier = memory();
    let crawled = crawl(
        Arc::clone(&frontier),
        &settings("[fetch]\nretries = 2\n"),
        &[site.url("/")],
        None,
    );
    assert_eq!(crawled.pages[&site.url("/sometimes")], (Some(200), None));
    assert_eq!(
        crawled.pages[&site.url("/never")],
        (Some(502), Some("status-502".to_owned()))
    );
    assert_eq!(
        crawled.pages[&site.url("/gone")],
        (Some(404), Some("status-404".to_owned()))
    );
    let counts = site.counts();
    assert_eq!(
        (counts["/sometimes"], counts["/never"], counts["/gone"]),
        (2, 3, 1)
    );
    assert_eq!(frontier.counts(None).expect("counts").of(UrlState::Failed), 1);
}

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
            Reply::text(&format!("<urlset>{entries}</urlset>"))
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

fn rss(urls: &[&str]) -> Reply {
    let item = |url: &&str| {
        format!("<item><link>{url}</link><pubDate>Wed, 01 May 2024 00:00:00 GMT</pubDate></item>")
    };
    let items: String = urls.iter().map(item).collect();
    Reply {
        headers: vec![("Content-Type", "application/rss+xml".to_owned())],
        ..Reply::text(&format!("<rss version='2.0'><channel>{items}</channel></rss>"))
    }
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
        // Of its own comments: there may be as many as posts.
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
    assert_eq!(hinted.feed.map(|hint| hint.modified_at), Some(1_714_521_600_000));
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

#[test]
fn budgets_close_a_site_and_keep_its_queue() {
    let site = Site::start(tree(200));
    let frontier = memory();
    let settings = settings("[scope]\npages = 20\n[politeness]\nrequests = 1\n");
    let crawled = crawl(Arc::clone(&frontier), &settings, &[site.url("/")], None);
    assert_eq!(crawled.pages.len(), 20);
    assert!(crawled.progress.queued > 0);
    assert!(
        crawled
            .notices
            .iter()
            .any(|notice| notice.contains("scope.pages")),
        "{:?}",
        crawled.notices
    );
}

#[test]
fn a_crawl_asks_for_so_many_pages_and_robots_files_are_believed_for_a_day() {
    let site = Site::start(tree(60));
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("workspace");
    let workspace = Workspace::create(&path, &WorkspaceOptions::default()).expect("a workspace");
    let workspace: Arc<dyn Frontier> = Arc::new(workspace);
    let settings = settings("[scope]\nsitemaps = false\n[traps]\nsoft_404 = false\n");
    let mut fetched = BTreeSet::new();
    for _ in 0..4 {
        let means = Means {
            most: Some(20),
            ..means(Arc::clone(&workspace), &settings)
        };
        let crawled = crawl_with(means, &[site.url("/")], None);
        assert_eq!(crawled.ending, Ending::Finished);
        fetched.extend(crawled.pages.into_keys());
        assert!(site.requests().len() <= fetched.len() + 1, "none more than once");
    }
    assert_eq!(fetched.len(), 60);
    assert_eq!(site.counts()["/robots.txt"], 1);
}

#[test]
fn pages_ask_not_to_be_followed() {
    let site = Site::start(|path| match path {
        "/" => links("Home", &["/tagged", "/headed"]),
        "/tagged" => Reply::html("<meta name=robots content=nofollow><a href=/a>a</a>"),
        "/headed" => links("Headed", &["/b"]).with("X-Robots-Tag", "nofollow"),
        "/a" | "/b" => links("Followed", &[]),
        _ => Reply::status(404),
    });
    let obeying = crawl(memory(), &settings(""), &[site.url("/")], None);
    assert_eq!(obeying.pages.len(), 3);
    let own = crawl(
        memory(),
        &settings("[politeness]\nrobots_tags = false\n"),
        &[site.url("/")],
        None,
    );
    assert_eq!(own.pages.len(), 5);
}

#[test]
fn private_addresses_are_refused_unless_allowed() {
    let site = Site::start(tree(3));
    let layer = magpie_engine::settings::Layer::default();
    let strict = Arc::new(magpie_engine::settings::Resolved::new(&[layer]).expect("settings"));
    let crawled = crawl(memory(), &strict, &[site.url("/")], None);
    assert_eq!(site.requests(), Vec::<String>::new());
    assert!(
        crawled.notices[0].contains("--allow-address 127.0.0.0/8"),
        "{:?}",
        crawled.notices
    );
    assert_eq!(crawled.progress.refused["refused-address"], 1);
}

#[test]
fn error_pages_that_say_200_are_known() {
    let site = Site::start(|path| match path {
        "/robots.txt" | "/sitemap.xml" => Reply::status(404),
        "/" => links("Home of many good things to read", &["/good", "/broken"]),
        "/good" => links("A good page about something in particular", &[]),
        _ => links(
            "Oops, we looked everywhere and could not find this page for you",
            &["/"],
        ),
    });
    let crawled = crawl(memory(), &settings(""), &[site.url("/")], None);
    assert_eq!(crawled.pages[&site.url("/good")], (Some(200), None));
    assert_eq!(
        crawled.pages[&site.url("/broken")],
        (Some(200), Some("soft-404".to_owned()))
    );
}

#[test]
fn where_a_site_does_not_say_what_it_answers_to_nonsense_titles_tell() {
    let site = Site::start(|path| match path {
        "/robots.txt" | "/sitemap.xml" => Reply::status(404),
        "/" => links("Home", &["/good", "/gone"]),
        "/good" => links("A good page", &[]),
        "/gone" => links("Page not found", &["/"]),
        _ => Reply::status(403),
    });
    let crawled = crawl(memory(), &settings(""), &[site.url("/")], None);
    assert_eq!(crawled.pages[&site.url("/good")], (Some(200), None));
    assert_eq!(
        crawled.pages[&site.url("/gone")],
        (Some(200), Some("soft-404".to_owned()))
    );
}

#[test]
fn a_stopped_crawl_goes_on_where_it_was() {
    let site = Site::start(tree(150));
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("workspace");
    let settings = settings("[politeness]\nrequests = 2\n");
    let open = |create: bool| -> Arc<dyn Frontier> {
        let options = WorkspaceOptions::default();
        let workspace = match create {
            true => Workspace::create(&path, &options),
            false => Workspace::open(&path, &options),
        };
        Arc::new(workspace.expect("a workspace"))
    };
    let first = crawl(open(true), &settings, &[site.url("/")], Some(40));
    assert_eq!(first.ending, Ending::Stopped);
    assert!(first.pages.len() < 150);
    let second = crawl(open(false), &settings, &[site.url("/")], None);
    assert_eq!(second.ending, Ending::Finished);

    let all: BTreeSet<_> = first.pages.keys().chain(second.pages.keys()).collect();
    assert_eq!(all.len(), 150);
    assert_eq!(
        first.pages.len() + second.pages.len(),
        150,
        "nothing is fetched twice"
    );
    let reader = Reader::open(&path).expect("a reader");
    assert_eq!(reader.counts(None).expect("counts").of(UrlState::Fetched), 150);
}

/// Ten items, each linked from all pages; every answer has links with a session of its own, under a name that no list knows.
fn in_sessions(link: fn(usize, usize) -> String) -> impl Fn(&str) -> Reply + Send + Sync {
    let answers = AtomicUsize::new(0);
    move |path: &str| {
        let name = path.split(['?', ';']).next().unwrap_or(path).to_owned();
        if name != "/" && !name.starts_with("/item") {
            return Reply::status(404);
        }
        let session = answers.fetch_add(1, Ordering::Relaxed);
        let links: String = (0..10)
            .map(|item| format!("<a href=\"{}\">item {item}</a> ", link(item, session)))
            .collect();
        Reply::html(format!(
            "<!doctype html><title>{name}</title><h1>All about {name}</h1>{links}"
        ))
    }
}

#[test]
fn sessions_of_any_name_are_found_out_and_known_in_later_runs() {
    let in_query: fn(usize, usize) -> String = |item, session| format!("/item{item}?bin={session}&x=1");
    let in_path: fn(usize, usize) -> String = |item, session| format!("/item{item};bin={session}");
    for (link, key) in [(in_query, "bin"), (in_path, ";bin")] {
        let site = Site::start(in_sessions(link));
        let (_folder, path, workspace) = in_a_folder();
        let first = crawl(Arc::clone(&workspace) as _, &settings(""), &[site.url("/")], None);
        assert_eq!(first.ending, Ending::Finished, "{key}");
        let told = format!("`{key}` in its URLs makes no difference, and is dropped from now on");
        assert_eq!(first.notices, [told]);
        // Until it was proven the pages led to others without end.
        let needed = first.pages.len();
        assert!((11..200).contains(&needed), "{key}: {needed}");
        let plain = first.pages.keys().filter(|url| !url.contains("bin="));
        assert_eq!(plain.count(), 11, "{key}");

        workspace.flush().expect("written");
        let reader = Reader::open(&path).expect("a reader");
        let lessons = reader.lessons(&site.address.to_string()).expect("lessons");
        let lessons: Vec<_> = lessons.iter().map(|kept| (&*kept.lesson, &*kept.key)).collect();
        assert_eq!(lessons, [("needless-key", key)]);

        let of = workspace.site(&site.address.to_string()).expect("a site");
        let known = reader.known_pages(of).expect("pages");
        let plain = known.iter().filter(|page| !page.url.contains("bin="));
        let queued = workspace.queue_urls(of, plain.map(|page| page.id).collect());
        assert_eq!(queued.expect("queued"), 11);
        let second = crawl(Arc::clone(&workspace) as _, &settings(""), &[site.url("/")], None);
        assert_eq!(second.pages.len(), 11, "{key}: {:?}", second.pages);
        assert!(second.pages.keys().all(|url| !url.contains("bin=")), "{key}");
    }
}

/// What a host answers under its name with `www.`, all of whose pages lead to themselves under both names.
#[derive(Clone, Copy, Debug)]
enum Twin {
    Same,
    /// But for an advertisement, which is another at each visit.
    SameTitles,
    Redirects,
    Differs,
}

#[test]
fn a_host_with_the_same_pages_under_two_names_is_crawled_under_one() {
    const ITEMS: usize = 40;
    let crawled = |twin: Twin| {
        let port = Arc::new(AtomicUsize::new(0));
        let known = Arc::clone(&port);
        let visits = AtomicUsize::new(0);
        let site = Site::asked(move |asked: &Asked| {
            let path = asked.path.as_str();
            if path != "/" && !path.starts_with("/item") {
                return Reply::status(404);
            }
            let bare = format!("twin.test:{}", known.load(Ordering::Relaxed));
            let host = asked.field("host").unwrap_or_default();
            let name = match twin {
                Twin::Redirects if host != bare => return Reply::redirect(&format!("http://{bare}{path}")),
                Twin::SameTitles => {
                    let visit = visits.fetch_add(1, Ordering::Relaxed);
                    &"and our shop ".repeat(1 + visit % 7)
                }
                Twin::Differs => host,
                Twin::Same | Twin::Redirects => "",
            };
            let items = (0..ITEMS).map(|item| format!("<a href=\"/item{item}\">{item}</a> "));
            let names = ["", "www."].map(|www| format!("<a href=\"http://{www}{bare}{path}\">this</a> "));
            let links: String = items.chain(names).collect();
            let title = match twin {
                Twin::SameTitles => format!("<title>{path}</title>"),
                _ => String::new(),
            };
            Reply::html(format!(
                "<!doctype html>{title}<h1>About {path} {name}</h1>{links}"
            ))
        });
        let at = site.address;
        port.store(usize::from(at.port()), Ordering::Relaxed);
        let resolve = ["", "www."].map(|www| format!("\"{www}twin.test:*:{}\"", at.ip()));
        let settings = settings(&format!(
            "[network]\nresolve = [{}]\n[traps]\nnear_duplicates = false\n",
            resolve.join(", ")
        ));
        let start = format!("http://twin.test:{}/", at.port());
        let crawled = crawl(memory(), &settings, &[start], None);
        let www = crawled.pages.keys().filter(|url| url.contains("www.")).count();
        let asked = format!(" and http://twin.test:{} is asked from now on", at.port());
        let told = crawled.notices.iter().filter(|notice| notice.ends_with(&asked));
        (www, crawled.pages.len() - www, told.count())
    };
    for twin in [Twin::Same, Twin::SameTitles, Twin::Redirects] {
        let (www, bare, told) = crawled(twin);
        assert_eq!((bare, told), (ITEMS + 1, 1), "{twin:?}");
        assert!((4..ITEMS / 2).contains(&www), "{www}");
    }
    assert_eq!(crawled(Twin::Differs), (ITEMS + 1, ITEMS + 1, 0));
}

/// Wants one page, from wherever a link leads to it, and nothing else.
struct WantsOne(&'static str);

impl Guide for WantsOne {
    fn wants(&mut self, _: &CanonicalUrl, link: &CanonicalUrl, _: bool) -> bool {
        link.path_and_query() == self.0
    }

    fn reads_sitemaps(&self) -> bool {
        false
    }

    fn wants_named(&mut self, _: &CanonicalUrl) -> bool {
        false
    }

    fn is_list(&self, _: &CanonicalUrl) -> bool {
        false
    }

    fn wants_whole(&self, _: &CanonicalUrl) -> bool {
        false
    }

    fn fetched(&mut self, _: &CanonicalUrl, _: u64, _: u64) {}
}

impl Guides for WantsOne {
    fn guide(&self, _: &str) -> Option<Box<dyn Guide>> {
        Some(Box::new(WantsOne(self.0)))
    }
}

#[test]
fn guided_crawls_find_sessions_out_too() {
    // Values as machines make them, the same few letters never twice.
    let link: fn(usize, usize) -> String = |item, session| {
        let session = (session as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        format!("/item{item}?bin={session:016x}")
    };
    let site = Site::start(in_sessions(link));
    let means = Means {
        guides: Some(Arc::new(WantsOne("/item9"))),
        ..means(memory(), &settings(""))
    };
    let planned: Vec<String> = (0..8).map(|item| site.url(&format!("/item{item}"))).collect();
    let crawled = crawl_with(means, &planned, None);
    let wanted = site.url("/item9");
    assert!(crawled.pages.contains_key(&wanted), "{:?}", crawled.pages);
    assert_eq!(crawled.pages.len(), 9);
}

/// Five pages of one script, which redirects to its own order of keys from any other.
fn with_an_order(path: &str) -> Reply {
    let address = |number: usize| format!("/index.php?page=thing&id={number}");
    let all: Vec<String> = (1..=5).map(address).collect();
    let id = path.strip_prefix("/index.php?").and_then(|query| {
        let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        pairs.find(|(key, _)| *key == "id").map(|(_, id)| id)
    });
    match (path, id.and_then(|id| id.parse().ok())) {
        ("/", _) => links("Home", &all.iter().map(String::as_str).collect::<Vec<_>>()),
        (_, Some(number)) if path == address(number) => links(&format!("Thing {number}"), &[]),
        (_, Some(number)) => Reply::redirect(&address(number)),
        _ => Reply::status(404),
    }
}

#[test]
fn the_order_of_keys_that_a_server_insists_on_is_kept() {
    let site = Site::start(with_an_order);
    let (_folder, path, workspace) = in_a_folder();
    let first = crawl(Arc::clone(&workspace) as _, &settings(""), &[site.url("/")], None);
    assert_eq!(first.ending, Ending::Finished);
    assert_eq!(
        first.notices,
        ["its server has its own order of the keys in URLs, which is kept from now on"]
    );
    let things = |pages: &std::collections::BTreeMap<String, (Option<u16>, Option<String>)>| {
        let good = pages
            .iter()
            .filter(|(url, (status, _))| url.contains("page=thing&id=") && *status == Some(200));
        good.count()
    };
    assert_eq!(things(&first.pages), 5, "{:?}", first.pages);

    // Later runs know it, also where nothing may be found out.
    workspace.flush().expect("written");
    let site_id = workspace.site(&site.address.to_string()).expect("a site");
    let known = Reader::open(&path)
        .expect("a reader")
        .known_pages(site_id)
        .expect("pages");
    let lessons = Reader::open(&path).expect("a reader");
    let lessons = lessons.lessons(&site.address.to_string()).expect("lessons");
    let canonicaliser = canonicaliser_knowing(&Settings::default(), &lessons);
    let name = |path: &str| {
        let canonical = canonicaliser.canonicalise_text(&site.url(path), None);
        canonical.expect("a URL")
    };
    let thing = name("/index.php?page=thing&id=3");
    assert_eq!(thing.url.as_str(), site.url("/index.php?page=thing&id=3"));
    let proof = proof_of_order(&thing, &lessons).map(|kept| kept.evidence.contains("in another order"));
    assert_eq!((proof, proof_of_order(&name("/"), &lessons)), (Some(true), None));

    let home = known.iter().filter(|page| page.url == site.url("/"));
    workspace
        .queue_urls(site_id, home.map(|page| page.id).collect())
        .expect("queued");
    let second = crawl(
        Arc::clone(&workspace) as _,
        &settings("[urls]\nlearn_keys = false\n"),
        &[site.url("/")],
        None,
    );
    assert_eq!(second.notices, [""; 0]);
    assert_eq!(second.pages.len(), 1, "{:?}", second.pages);
}

/// Pages of which the server wants another spelling than their names, or a cookie, before it shows them.
fn insisting(asked: &Asked) -> Reply {
    let has_cookie = asked
        .field("cookie")
        .is_some_and(|cookies| cookies.contains("seen=1"));
    match asked.path.as_str() {
        "/robots.txt" => Reply::text("User-agent: *\nDisallow: /*utm_medium\n"),
        "/" => links(
            "Home",
            &["/item?id=1", "/item?id=2", "/walled", "/round", "/shut?id=1"],
        ),
        "/item?id=1&utm_source=own" | "/item?id=2&utm_source=own" => links("An item", &["/below"]),
        "/item?id=1" | "/item?id=2" => Reply::redirect(&format!("{}&utm_source=own", asked.path)),
        "/walled" if has_cookie => links("Behind the wall", &[]),
        "/walled" => Reply::redirect("/walled").with("set-cookie", "seen=1"),
        "/round" => Reply::redirect("/round").with("set-cookie", "again=1"),
        "/shut?id=1" => Reply::redirect("/shut?id=1&utm_medium=own"),
        "/below" => links("Below", &[]),
        _ => Reply::status(404),
    }
}

#[test]
fn pages_are_asked_for_as_their_server_insists() {
    let site = Site::asked(insisting);
    let (_folder, path, workspace) = in_a_folder();
    let crawled = crawl(Arc::clone(&workspace) as _, &settings(""), &[site.url("/")], None);
    assert_eq!(crawled.ending, Ending::Finished);
    for page in ["/item?id=1", "/item?id=2", "/walled", "/below"] {
        assert_eq!(crawled.pages[&site.url(page)], (Some(200), None), "{page}");
    }
    assert_eq!(
        crawled.notices,
        [
            "its server insists on `utm_source` in URLs, which no page is named by: such a page takes two requests"
        ]
    );
    let round = &crawled.pages[&site.url("/round")];
    assert_eq!(round.1.as_deref(), Some("redirect-circle"));
    let counts = site.counts();
    assert_eq!(
        (counts["/walled"], counts["/round"], counts["/item?id=1"]),
        (2, 2, 1)
    );
    assert!(!counts.contains_key("/shut?id=1&utm_medium=own"), "{counts:?}");
    assert_eq!(crawled.progress.refused["robots"], 1);
    // The names are the pages', and the archive has both answers of each.
    workspace.flush().expect("written");
    let reader = Reader::open(&path).expect("a reader");
    let named = |path: &str| {
        let url = CanonicalUrl::trusted(site.url(path)).expect("a URL");
        reader.explain(url.fingerprint().0).expect("known").len()
    };
    assert_eq!((named("/item?id=1"), named("/item?id=1&utm_source=own")), (1, 0));
    drop(workspace);
    let verified = Workspace::open(&path, &WorkspaceOptions::default())
        .and_then(|workspace| workspace.verify())
        .expect("verified");
    assert!(verified.problems.is_empty(), "{:?}", verified.problems);
}

/// Counts how many pages it is shown at the same time.
#[derive(Default)]
struct AtOnce {
    now: AtomicUsize,
    most: AtomicUsize,
}

impl Extractor for AtOnce {
    fn extract(&self, _: &Arc<Page>) -> Vec<Extraction> {
        let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(now, Ordering::SeqCst);
        // Long enough for the next answer to arrive meanwhile.
        std::thread::sleep(Duration::from_millis(5));
        self.now.fetch_sub(1, Ordering::SeqCst);
        Vec::new()
    }

    fn notices(&self) -> Vec<String> {
        Vec::new()
    }
}

#[test]
fn verticals_read_as_many_pages_at_once_as_there_are_threads() {
    let site = Site::start(tree(60));
    for threads in [1, 2] {
        let extractor = Arc::new(AtOnce::default());
        let settings = settings(&format!("[crawl]\nthreads = {threads}\n"));
        let means = Means {
            extractor: Some(Arc::clone(&extractor) as Arc<dyn Extractor>),
            ..means(memory(), &settings)
        };
        let crawled = crawl_with(means, &[site.url("/")], None);
        assert_eq!(crawled.pages.len(), 60);
        let most = extractor.most.load(Ordering::SeqCst);
        assert!((1..=threads).contains(&most), "{most} at once, {threads} threads");
    }
}
