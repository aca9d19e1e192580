//! Fetched pages and their outcomes.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use magpie_engine::crawl::{CrawlConfig, Ending, Extractor, Target, crawl as run_crawl};
use magpie_model::CanonicalUrl;
use magpie_page::Page;
use magpie_rows::{CrawlStore, Extraction, UrlState};
use magpie_sqlite::{Workspace, WorkspaceOptions};
use magpie_test_support::server::{Reply, Site, links, tree};
use tokio::sync::watch;

use super::common::{config, crawl, crawl_with, memory, settings};

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
    let workspace: Arc<dyn CrawlStore> = Arc::new(workspace);
    let settings = settings("[scope]\nsitemaps = false\n[traps]\nsoft_404 = false\n");
    let mut fetched = BTreeSet::new();
    for _ in 0..4 {
        let own = CrawlConfig {
            max_pages: Some(20),
            ..config(Arc::clone(&workspace), &settings)
        };
        let crawled = crawl_with(own, &[site.url("/")], None);
        assert_eq!(crawled.ending, Ending::Finished);
        fetched.extend(crawled.pages.into_keys());
        assert!(site.requests().len() <= fetched.len() + 1, "none more than once");
    }
    assert_eq!(fetched.len(), 60);
    assert_eq!(site.counts()["/robots.txt"], 1);
}

#[test]
fn a_varied_crawl_that_ends_early_has_seen_some_of_each_kind() {
    // The home page links to many things before it links to anything else.
    let site = Site::start(|path| {
        let things = (0..100).map(|number| format!("/thing/{number}"));
        let hrefs: Vec<String> = match path {
            "/" => things.chain(["/list".to_owned(), "/team/a".to_owned()]).collect(),
            "/list" => (2..5).map(|page| format!("/list?page={page}")).collect(),
            _ => Vec::new(),
        };
        links(path, &hrefs.iter().map(String::as_str).collect::<Vec<_>>())
    });
    let settings = settings("[scope]\nsitemaps = false\n[traps]\nsoft_404 = false\n");
    let seen = |is_varied| {
        let own = CrawlConfig {
            is_varied,
            max_pages: Some(30),
            ..config(memory(), &settings)
        };
        let pages = crawl_with(own, &[site.url("/")], None).pages;
        assert_eq!(pages.len(), 30);
        let things = pages.keys().filter(|url| url.contains("/thing/")).count();
        things + 1
    };
    // Home, list and its three pages, a person; and all else are things.
    assert_eq!(seen(true), 30 - 5);
    assert_eq!(seen(false), 30);
}

#[test]
fn a_page_to_begin_with_that_is_gone_leads_on_by_its_error_page() {
    let site = Site::start(|path| match path {
        "/new/" => links("Home", &["/new/page", "/old"]),
        "/new/page" => links("Page", &[]),
        _ => links("Not found", &["/new/", "/elsewhere"]).with_status(404),
    });
    let crawled = crawl(memory(), &settings(""), &[site.url("/old/home")], None);
    let status = |path: &str| crawled.pages.get(&site.url(path)).map(|(status, _)| *status);
    assert_eq!(status("/old/home"), Some(Some(404)));
    assert_eq!(status("/new/page"), Some(Some(200)));
    // Other error pages lead nowhere: they would all lead to the same.
    assert_eq!(status("/elsewhere"), Some(Some(404)));
    assert_eq!(crawled.pages.len(), 5, "{:?}", crawled.pages);
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
        crawled.notices[0].contains("--set network.allow_addresses=127.0.0.0/8"),
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
    let settings = settings("[politeness]\nrequests = 2\ndelay = \"5ms\"\n");
    let open = |create: bool| -> Arc<dyn CrawlStore> {
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
    let reader = magpie_engine::open_reader(&path).expect("a reader");
    assert_eq!(
        reader.url_counts(None).expect("counts").of(UrlState::Fetched),
        150
    );
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
        let own = CrawlConfig {
            extractor: Some(Arc::clone(&extractor) as Arc<dyn Extractor>),
            ..config(memory(), &settings)
        };
        let crawled = crawl_with(own, &[site.url("/")], None);
        assert_eq!(crawled.pages.len(), 60);
        let most = extractor.most.load(Ordering::SeqCst);
        assert!((1..=threads).contains(&most), "{most} at once, {threads} threads");
    }
}

#[test]
fn a_crawl_ends_when_the_one_who_watches_it_panics() {
    const PAGES: usize = 20_000;
    let site = Site::start(tree(PAGES));
    let config = config(memory(), &settings(""));
    let target = Target::From(CanonicalUrl::trusted(site.url("/")).expect("a URL"));
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let (_stop, stopped) = watch::channel(false);
    let crawl = || {
        run_crawl(config, &[target], &runtime, stopped, &mut |_| {
            panic!("it watches no more")
        })
    };
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(crawl));
    assert!(outcome.is_err());
    let asked = site.requests().len();
    assert!(asked < PAGES / 2, "{asked}");
}

#[test]
fn headers_frames_and_forms_without_text_lead_to_pages() {
    let site = Site::start(|path| {
        match path {
        "/" => Reply::html(
            "<title>Home</title><iframe srcdoc=\"<a href='framed'>A &quot;page&quot;</a>\" src=/covered></iframe>\
             <form action=/more><button>More shows</button></form>\
             <form action=/list><select name=month><option value=1>May<option value=2>June</select>\
             <button>Go</button></form>\
             <form action=/list><select name=sort><option>price<option>date</select><button>Go</button></form>\
             <form action=/find><input name=q><button>Search</button></form>\
             <form action=/two><select name=a><option>1<option>2</select><select name=b><option>1<option>2</select>\
             <button>Go</button></form>\
             <form action=/logout><button>Log out</button></form>\
             <form action=/item/remove><select name=id><option>1<option>2</select><button>Remove</button></form>\
             <form action=/order method=post><button>More</button></form>",
        )
        .with("Refresh", "600; url=/refreshed")
        .with("Link", "</page/2>; rel=\"next\", </style.css>; rel=preload, </api>; rel=alternate; type=application/json"),
        "/framed" | "/refreshed" | "/page/2" => links("Page", &[]),
        path if path.starts_with("/more") || path.starts_with("/list") => links("Page", &[]),
        _ => Reply::status(404),
    }
    });
    let settings = settings("[scope]\nsitemaps = false\n[traps]\nsoft_404 = false\n");
    crawl(memory(), &settings, &[site.url("/")], None);
    let asked: BTreeSet<String> = site.requests().into_iter().collect();
    let expected = [
        "/",
        "/framed",
        "/list?month=1",
        "/list?month=2",
        "/more",
        "/page/2",
        "/refreshed",
        "/robots.txt",
    ];
    assert_eq!(asked, expected.map(str::to_owned).into());
}
