//! Crawls whose pages a real browser shows. Skipped with a line where Chromium is missing.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use magpie_engine::crawl::{Event, Progress};
use magpie_engine::settings::{Layer, Origin, Resolved};
use magpie_engine::{Metrics, Replay, SessionOptions, SiteCrawl, SiteCrawlRequest};
use magpie_sqlite::{Workspace, WorkspaceOptions};
use magpie_test_support::has_program;
use magpie_test_support::server::{Reply, Site, Tripwire};
use tempfile::TempDir;

/// Settings for servers on this machine.
const NEAR: &str = "[politeness]\ndelay = \"0s\"\nautothrottle = false\n[fetch]\nretry_wait = \"10ms\"\n\
                    [network]\nallow_addresses = [\"127.0.0.1/32\"]\n[crawl]\nlog = \"nothing\"\n";

/// Settings of a crawl whose pages a browser shows.
const RENDERED: &str = "[render]\npages = \"all\"\ntime = \"60s\"\n";

/// A crawl into a workspace of its own.
struct Crawled {
    folder: PathBuf,
    progress: Progress,
    /// By path: the status and the problem of its last fetch, and `true` if a browser was asked.
    pages: BTreeMap<String, (Option<u16>, Option<String>, bool)>,
    metrics: String,
    _folder: TempDir,
}

impl Crawled {
    fn reader(&self) -> Box<dyn magpie_rows::ReadStore + Send> {
        magpie_engine::open_reader(&self.folder).expect("a reader")
    }

    fn problem(&self, path: &str) -> Option<&str> {
        self.pages[path].1.as_deref()
    }
}

fn crawl(sites: &[String], settings: &str, replayed: Option<&Path>) -> Crawled {
    let layers = [NEAR, settings].map(|text| Layer::file(&Origin::Default, text).expect("settings"));
    let own = tempfile::tempdir().expect("a folder");
    let folder = own.path().join("workspace");
    Workspace::create(&folder, &WorkspaceOptions::default())
        .and_then(|workspace| workspace.close())
        .expect("a workspace");
    let request = SiteCrawlRequest {
        folder: Some(folder.clone()),
        sites: sites.to_vec(),
        again: false,
        replay: replayed.map(|from| Replay {
            folder: from.to_owned(),
            run: None,
        }),
        options: SessionOptions::new(Resolved::new(&layers).expect("settings")),
    };
    let (mut pages, metrics) = (BTreeMap::new(), Metrics::default());
    let crawl = SiteCrawl::prepare(request).expect("a crawl");
    let crawled = crawl
        .run(&mut |event| {
            if let Event::Page(page) = event {
                let url: url::Url = page.url.parse().expect("a URL");
                let problem = page.problem.map(|(reason, _)| reason.to_string());
                let path = url[url::Position::BeforePath..].to_owned();
                pages.insert(path, (page.status, problem, page.rendered.is_some()));
            }
        })
        .expect("it ends");
    metrics.update(&crawled.progress);
    Crawled {
        folder,
        progress: crawled.progress,
        pages,
        metrics: metrics.page(),
        _folder: own,
    }
}

/// Returns all records of the archive of a workspace, as text.
fn archive(folder: &Path) -> Vec<String> {
    let mut records = Vec::new();
    for file in std::fs::read_dir(folder.join("archive")).expect("a folder") {
        let file = std::fs::File::open(file.expect("an entry").path()).expect("a file");
        let mut text = Vec::new();
        flate2::read::MultiGzDecoder::new(file)
            .read_to_end(&mut text)
            .expect("gzip");
        let text = String::from_utf8_lossy(&text).into_owned();
        records.extend(text.split("WARC/1.1\r\n").skip(1).map(str::to_owned));
    }
    records
}

fn field<'r>(record: &'r str, name: &str) -> &'r str {
    let line = record.lines().find_map(|line| line.strip_prefix(name));
    line.map_or("", |value| value.trim_start_matches(':').trim())
}

/// A site whose first page has its links only in a browser, from JSON.
fn scripted() -> Site {
    Site::start(|path| {
        match path {
        "/" => Reply::html(
            "<title>List</title><ul id=list></ul><script>fetch('/data.json').then(a => a.json()).then(all => {
             for (const one of all) list.innerHTML += `<li><a href=${one}>${one}</a>`; })</script>",
        ),
        "/data.json" => Reply::text(r#"["/one", "/two"]"#).with("Content-Type", "application/json"),
        "/one" | "/two" => Reply::html(format!("<title>{path}</title><p>page")),
        _ => Reply::status(404),
    }
    })
}

#[test]
fn what_a_browser_showed_is_archived_and_replayed_without_one() {
    if !has_program("chromium") {
        return;
    }
    let site = scripted();
    let plain = crawl(&[site.url("/")], "", None);
    assert!(!plain.pages.contains_key("/one"), "{:?}", plain.pages);
    assert!(plain.metrics.contains("magpie_rendered_pages_total 0\n"));
    assert!(plain.pages.values().all(|(_, _, is_rendered)| !is_rendered));

    let first = crawl(&[site.url("/")], RENDERED, None);
    for path in ["/one", "/two"] {
        assert_eq!(first.pages[path], (Some(200), None, true), "{:?}", first.pages);
    }
    assert_eq!(first.progress.rendered.pages, 3);
    assert!(first.progress.rendered.cpu > Duration::ZERO);
    assert!(
        first.metrics.contains("magpie_rendered_pages_total 3\n"),
        "{}",
        first.metrics
    );
    assert!(first.metrics.contains("magpie_site_rendered_pages_total{site="));

    // The document refers to the response, and the answer to the script is a response.
    let records = archive(&first.folder);
    let of = |kind: &str, path: &str| {
        let url = site.url(path);
        let mut own = records
            .iter()
            .filter(|record| field(record, "WARC-Type") == kind && field(record, "WARC-Target-URI") == url);
        own.next().unwrap_or_else(|| panic!("no {kind} of {path}"))
    };
    let document = of("conversion", "/");
    assert_eq!(
        field(document, "WARC-Refers-To"),
        field(of("response", "/"), "WARC-Record-ID")
    );
    assert_eq!(field(document, "WARC-Concurrent-To"), "");
    assert_eq!(field(document, "Content-Type"), "text/html; charset=utf-8");
    assert!(document.contains("<a href=\"/one\">"), "{document}");
    assert!(of("response", "/data.json").contains(r#"["/one", "/two"]"#));
    assert!(of("request", "/data.json").contains("GET /data.json"));

    // The archive shows people the page that was read.
    let reader = first.reader();
    let fetches = reader.all_fetches(None).expect("pages");
    let home = fetches
        .iter()
        .find(|page| page.url == site.url("/"))
        .expect("a page");
    let shown = reader.replay(home.id, &Default::default()).expect("it is read");
    let shown = shown.and_then(|page| page.response).expect("a response");
    assert!(String::from_utf8_lossy(&shown.body).contains("<a href=\"/two\">"));

    let before = site.requests().len();
    let without = "[render]\npages = \"never\"\nbrowser = \"/no/such/browser\"\n";
    let again = crawl(&[], without, Some(&first.folder));
    assert_eq!(site.requests().len(), before, "a replay asks nobody");
    let read = |crawled: &Crawled| {
        let pages = crawled.pages.iter();
        pages
            .map(|(path, (status, problem, _))| (path.clone(), *status, problem.clone()))
            .collect::<Vec<_>>()
    };
    assert_eq!(read(&again), read(&first));
    assert_eq!(again.progress.rendered.pages, 0);
    // The copy is as good as the first.
    let third = crawl(&[], without, Some(&again.folder));
    assert_eq!(read(&third), read(&first));
}

#[test]
fn a_browser_that_is_killed_costs_one_page_of_a_crawl() {
    if !has_program("chromium") {
        return;
    }
    let site = Site::start(|path| match path {
        "/" => Reply::html("<a href=/a>a</a> <a href=/kill>kill</a> <a href=/z>z</a>"),
        "/kill" => Reply::html("<p>plain <a href=/hidden>hidden</a><script src=/kill.js></script>"),
        "/kill.js" => {
            // The test runs in a process of its own, whose only children are its browsers.
            let own = std::process::id().to_string();
            let killed = Command::new("pkill").args(["-KILL", "-P", &own]).status();
            assert!(killed.expect("pkill").success());
            Reply::text("1")
        }
        "/a" | "/z" => Reply::html(
            "<p id=p></p><script>p.innerHTML = '<a href=/of' + location.pathname.slice(1) + '>x</a>'</script>",
        ),
        "/ofa" | "/ofz" => Reply::html("<p>found"),
        _ => Reply::status(404),
    });
    let crawled = crawl(&[site.url("/")], RENDERED, None);
    assert_eq!(
        crawled.problem("/kill"),
        Some("not-rendered"),
        "{:?}",
        crawled.pages
    );
    for path in ["/", "/a", "/z", "/ofa", "/ofz"] {
        assert_eq!(
            crawled.pages[path],
            (Some(200), None, true),
            "{path}: {:?}",
            crawled.pages
        );
    }
    assert_eq!(
        crawled.progress.rendered.failures,
        BTreeMap::from([("crashed", 1)])
    );
    let reason = "magpie_rendered_failures_total{reason=\"crashed\"} 1\n";
    assert!(crawled.metrics.contains(reason), "{}", crawled.metrics);
    let fetches = crawled.reader().all_fetches(None).expect("pages");
    let failed = fetches
        .iter()
        .find(|page| page.url == site.url("/kill"))
        .expect("a page");
    let detail = failed.detail.as_deref().unwrap_or_default();
    assert!(
        detail.contains("the browser ended while it showed the page"),
        "{detail}"
    );
}

#[test]
fn hostile_pages_leave_the_others_of_a_crawl_unharmed() {
    if !has_program("chromium") {
        return;
    }
    let guarded = Tripwire::at("127.0.0.2:0");
    let port = guarded.address().port();
    let site = Site::start(move |path| match path {
        "/" => Reply::html(
            "<a href=/quiet>never quiet</a> <a href=/loop>loop</a> <a href=/windows>windows</a>
             <a href=/private>private</a> <a href=/good>good</a>",
        ),
        "/quiet" => Reply::html(
            "<p id=p>x<script>setInterval(() => { p.textContent += 'x'; fetch('/beat' + Math.random()); }, 50)</script>",
        ),
        "/loop" => Reply::html("<p>loop<script>for (;;);</script>"),
        "/windows" => Reply::html(
            "<p id=p></p><script>for (let i = 0; i < 1000; i++) window.open('/window' + i);
             p.innerHTML = '<a href=/after>after</a>'</script>",
        ),
        "/private" => Reply::html(format!(
            "<p id=p></p><script>fetch('http://127.0.0.2:{port}/x').catch(() => 0).then(() => {{
             p.innerHTML = '<a href=/calm>calm</a>' }});
             try {{ new WebSocket('ws://127.0.0.2:{port}/') }} catch (e) {{}}
             document.head.innerHTML += '<link rel=preconnect href=http://127.0.0.2:{port}>'</script>"
        )),
        "/good" => Reply::html("<p id=p></p><script>p.innerHTML = '<a href=/better>better</a>'</script>"),
        "/after" | "/calm" | "/better" => Reply::html("<p>found"),
        path if path.starts_with("/beat") => Reply::text("beat"),
        _ => Reply::status(404),
    });
    let settings = "[render]\npages = \"all\"\ntime = \"4s\"\nrequests = 20\n";
    let crawled = crawl(&[site.url("/")], settings, None);
    for path in [
        "/", "/quiet", "/windows", "/private", "/good", "/after", "/calm", "/better",
    ] {
        assert_eq!(
            crawled.pages[path],
            (Some(200), None, true),
            "{path}: {:?}",
            crawled.pages
        );
    }
    assert_eq!(
        crawled.problem("/loop"),
        Some("not-rendered"),
        "{:?}",
        crawled.pages
    );
    let counts = site.counts();
    let beats = counts.keys().filter(|path| path.starts_with("/beat")).count();
    assert!((1..=20).contains(&beats), "{beats} requests of one page");
    assert!(
        !counts
            .keys()
            .any(|path| path.starts_with("/window") && path != "/windows")
    );
    guarded.assert_untouched();
    // Bytes and requests of scripts count as those of the crawl.
    assert!(crawled.progress.requests >= crawled.progress.pages + beats as u64);
}

#[test]
fn pages_and_their_scripts_share_the_delay_and_the_robots_txt_of_their_host() {
    if !has_program("chromium") {
        return;
    }
    const DELAY: Duration = Duration::from_millis(150);
    let site = Site::start(|path| {
        match path {
        "/robots.txt" => Reply::text("User-agent: *\nDisallow: /secret"),
        "/" => Reply::html("<a href=/a>a</a> <a href=/b>b</a> <a href=/c>c</a> <a href=/d>d</a>"),
        "/secret" => Reply::text("secret"),
        path if path.starts_with("/data") => Reply::text("data"),
        _ => Reply::html(
            "<p>page<script>for (const i of [1, 2, 3]) fetch('/data' + location.pathname + i); fetch('/secret')
             </script>",
        ),
    }
    });
    let settings = "[politeness]\ndelay = \"150ms\"\nrequests = 4\n[render]\npages = \"all\"\nbrowsers = 2\n";
    let crawled = crawl(&[site.url("/")], settings, None);
    assert_eq!(crawled.progress.rendered.pages, 5, "{:?}", crawled.pages);
    let arrivals = site.log();
    let counts = site.counts();
    assert_eq!(counts.get("/robots.txt"), Some(&1), "{counts:?}");
    assert_eq!(counts.get("/secret"), None, "{counts:?}");
    assert!(counts.len() > 15, "{counts:?}");
    // A request is logged when it arrives, which may be some time after it was sent.
    let first = arrivals.first().expect("a request").at;
    let last = arrivals.last().expect("a request").at;
    let least = DELAY * (arrivals.len() as u32 - 1);
    assert!(
        last - first >= least.mul_f64(0.9),
        "{:?} for {arrivals:?}",
        last - first
    );
}

#[test]
fn the_bytes_of_scripts_count_for_the_budget_of_a_site() {
    if !has_program("chromium") {
        return;
    }
    let site = Site::start(|path| match path {
        "/robots.txt" => Reply::status(404),
        path if path.starts_with("/data") => Reply::text("x".repeat(300_000)),
        path => {
            let next: u32 = path.trim_start_matches("/p").parse().unwrap_or(0) + 1;
            Reply::html(format!(
                "<a href=/p{next}>next</a><script>fetch('/data{next}')</script>"
            ))
        }
    });
    let settings = "[scope]\nbytes = \"1 MB\"\n[render]\npages = \"all\"\n";
    let crawled = crawl(&[site.url("/")], settings, None);
    let pages = crawled.progress.pages;
    assert!(
        (2..=6).contains(&pages),
        "{pages} pages with 300 kB of scripts each"
    );
}
