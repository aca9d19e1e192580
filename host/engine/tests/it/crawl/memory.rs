//! Memory of earlier runs, and replays of an archive.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex};

use super::common::{Crawled, config, crawl, crawl_with, in_a_folder, settings};
use magpie_discovery::TextPrint;
use magpie_engine::crawl::{CrawlConfig, Ending, Extractor};
use magpie_engine::{Archive, Source, for_archive};
use magpie_model::{CanonicalUrl, Record};
use magpie_page::Page;
use magpie_rows::Archived as _;
use magpie_rows::{
    Component, CrawlStore, ExtractedRecord, Extraction, FetchRequest, Frontier, MemoryFrontier, Pages as _,
    Requeue as _, UrlState, VisitRow,
};
use magpie_sqlite::{Workspace, WorkspaceOptions};
use magpie_test_support::server::{Asked, Reply, Site, links, tree};
use magpie_values::Timestamp;
use serde_json::json;

fn workspace(folder: &Path) -> Workspace {
    Workspace::create(folder, &WorkspaceOptions::default()).expect("a workspace")
}

fn reopened(folder: &Path) -> Workspace {
    Workspace::open(folder, &WorkspaceOptions::default()).expect("the workspace")
}

/// Crawls, and closes the workspace.
fn crawled(workspace: Workspace, seed: &str) -> Crawled {
    let crawled = crawl(
        Arc::new(workspace.clone()),
        &settings("[traps]\nsoft_404 = false\n[scope]\nsitemaps = false\n"),
        &[seed.to_owned()],
        None,
    );
    workspace.close().expect("closed");
    crawled
}

#[test]
fn what_has_not_changed_is_not_sent_again() {
    let site = Site::asked(
        |asked| match (asked.path.as_str(), asked.field("if-none-match")) {
            ("/", Some("\"1\"")) => Reply::text("").with_status(304),
            ("/", _) => links("Home", &["/b"]).with("ETag", "\"1\""),
            ("/b", _) => links("Another page, without a version", &["/"]),
            _ => Reply::status(404),
        },
    );
    let folder = tempfile::tempdir().expect("a folder");
    crawled(workspace(folder.path()), &site.url("/"));

    let again = reopened(folder.path());
    let key = format!("{}", site.address);
    let id = again.site(&key).expect("the site");
    assert_eq!(again.queue_again(id, UrlState::Fetched, None).expect("queued"), 2);
    let second = crawled(again, &site.url("/"));
    assert_eq!(second.pages[&site.url("/")].0, Some(304));
    assert_eq!(second.pages[&site.url("/b")].0, Some(200));
    let mut of_home = site.log();
    of_home.retain(|asked| asked.path == "/");
    let conditions: Vec<_> = of_home.iter().map(|asked| asked.field("if-none-match")).collect();
    assert_eq!(conditions, [None, Some("\"1\"")]);

    let workspace = reopened(folder.path());
    assert_eq!(workspace.verify().expect("read").problems, Vec::<String>::new());
    let reader = workspace.reader().expect("a reader");
    let pages = reader.all_fetches(None).expect("pages");
    let unchanged = pages
        .iter()
        .find(|page| page.status == Some(304))
        .expect("the 304");
    let kept = reader.archived(unchanged.id).expect("read").expect("kept");
    assert!(String::from_utf8_lossy(&kept.body).contains("Home"));
    assert!(kept.head.starts_with(b"HTTP/1.1 200"));
}

/// A text, and the same with another word in one place, whose simhashes are equal.
fn texts_of_one_simhash() -> [String; 2] {
    let mut random = 1_u64;
    let mut word = || {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        format!("w{:x}", random >> 44)
    };
    let words: Vec<String> = (0..2_000).map(|_| word()).collect();
    let before = words.join(" ");
    let print = TextPrint::of(&before);
    let after = (0..words.len()).find_map(|place| {
        let mut words = words.clone();
        "other".clone_into(&mut words[place]);
        let text = words.join(" ");
        (TextPrint::of(&text).simhash == print.simhash).then_some(text)
    });
    [before, after.expect("a change that the simhash does not show")]
}

#[test]
fn one_changed_word_changes_the_text_of_a_visit() {
    let texts = texts_of_one_simhash();
    let visits = Arc::new(Mutex::new(0));
    let site = Site::start(move |path| {
        let mut visits = visits.lock().expect("no panic");
        *visits += usize::from(path == "/");
        // The second visit differs in invisible parts, the third in one word.
        let text = &texts[usize::from(*visits > 2)];
        Reply::html(format!(
            "<html><!-- {visits} --><body><p>{text}</p></body></html>"
        ))
    });
    let more = "[watch]\nchange = \"text\"\n[traps]\nsoft_404 = false\n[scope]\nsitemaps = false\n\
                [politeness]\nrobots = \"ignore\"\n";
    let folder = tempfile::tempdir().expect("a folder");
    for number in 0..3 {
        let workspace = match number {
            0 => workspace(folder.path()),
            _ => reopened(folder.path()),
        };
        if number > 0 {
            let id = workspace.site(&site.address.to_string()).expect("the site");
            workspace
                .queue_again(id, UrlState::Fetched, None)
                .expect("queued");
        }
        crawl(
            Arc::new(workspace.clone()),
            &settings(more),
            &[site.url("/")],
            None,
        );
        workspace.close().expect("closed");
    }
    let reader = magpie_engine::open_reader(folder.path()).expect("a reader");
    let site = reader.sites_after(None, 1).expect("sites").remove(0).id;
    let visits = reader.fetches(&FetchRequest::of(site)).expect("fetches");
    let visits = visits.iter().filter_map(VisitRow::of);
    let seen: Vec<_> = visits
        .map(|visit| (visit.body.expect("a body"), visit.text.expect("a text")))
        .collect();
    let [first, second, third] = seen[..] else {
        panic!("three visits, not {}", seen.len());
    };
    assert!(first.0 != second.0 && first.1 == second.1, "the same text");
    assert_ne!(second.1, third.1, "one word is another");
}

#[test]
fn cookies_are_given_set_and_kept_for_the_next_run() {
    let sent = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&sent);
    let site = Site::asked(move |asked: &Asked| {
        let cookies = asked.field("cookie").unwrap_or_default().to_owned();
        seen.lock().expect("no panic").push((asked.path.clone(), cookies));
        match asked.path.as_str() {
            "/" => links("Home", &["/b"]).with("Set-Cookie", "visit=7; Max-Age=86400"),
            "/b" => links("Another page", &[]),
            _ => Reply::status(404),
        }
    });
    let own = "[site.\"127.0.0.1\".access]\ncookies = { consent = \"yes\" }\n\
               [scope]\nsitemaps = false\n[traps]\nsoft_404 = false\n[politeness]\nrobots = \"ignore\"\n";
    let folder = tempfile::tempdir().expect("a folder");
    let first = workspace(folder.path());
    crawl(Arc::new(first.clone()), &settings(own), &[site.url("/")], None);
    first.close().expect("closed");
    let of = |path: &str| {
        let sent = sent.lock().expect("no panic").clone();
        sent.into_iter()
            .filter(|(asked, _)| asked == path)
            .map(|(_, cookies)| cookies)
            .collect::<Vec<_>>()
    };
    assert_eq!(of("/"), ["consent=yes"]);
    let both = of("/b").remove(0);
    let both: BTreeSet<_> = both.split("; ").collect();
    assert_eq!(both, BTreeSet::from(["consent=yes", "visit=7"]));

    let second = reopened(folder.path());
    let id = second.site(&site.address.to_string()).expect("the site");
    second.queue_again(id, UrlState::Fetched, None).expect("queued");
    crawl(Arc::new(second.clone()), &settings(""), &[site.url("/")], None);
    second.close().expect("closed");
    assert_eq!(of("/")[1], "visit=7");
}

#[test]
fn what_a_sitemap_says_of_pages_is_written_down() {
    let site = Site::start(|path| match path {
        "/sitemap.xml" => Reply::text(
            "<urlset><url><loc>/b</loc><lastmod>2026-05-03T00:00:00Z</lastmod></url><url><loc>/</loc></url></urlset>",
        ),
        "/" => links("Home", &["/b"]),
        "/b" => links("Another page", &[]),
        _ => Reply::status(404),
    });
    let folder = tempfile::tempdir().expect("a folder");
    let workspace = workspace(folder.path());
    crawl(Arc::new(workspace.clone()), &settings(""), &[site.url("/")], None);
    workspace.close().expect("closed");
    let reader = magpie_engine::open_reader(folder.path()).expect("a reader");
    let modified = |path: &str| {
        let url = CanonicalUrl::trusted(site.url(path)).expect("a canonical URL");
        reader.explain(url.fingerprint().0).expect("read")[0].modified_at
    };
    // 2026-05-03 is day 20,576 since 1970.
    assert_eq!(
        (modified("/b"), modified("/")),
        (Some(Timestamp::from_seconds(20_576 * 86_400)), None)
    );
}

/// Finds one object on each page with a number in its address, and fails on every seventh.
struct Numbers(Arc<Component>);

impl Extractor for Numbers {
    fn extract(&self, page: &Arc<Page>) -> Vec<Extraction> {
        let number = page
            .url()
            .path()
            .strip_prefix("/page/")
            .and_then(|text| text.parse::<u64>().ok());
        let Some(number) = number else {
            return vec![Extraction {
                component: Arc::clone(&self.0),
                ..Extraction::default()
            }];
        };
        let problem = (number % 7 == 0).then(|| "panic".to_owned());
        let record = json!({
            "type": "Thing", "confidence": 1.0, "attributes": {"number": number.to_string()},
        });
        let found = ExtractedRecord {
            record: Record::from_json(&record).expect("a record"),
            expires_at: None,
        };
        vec![Extraction {
            component: Arc::clone(&self.0),
            records: if problem.is_none() {
                vec![found]
            } else {
                Vec::new()
            },
            problem,
            ..Extraction::default()
        }]
    }

    fn notices(&self) -> Vec<String> {
        Vec::new()
    }
}

fn with_numbers(config: CrawlConfig) -> CrawlConfig {
    let component = Arc::new(Component {
        vertical: "numbers".to_owned(),
        ..Component::default()
    });
    CrawlConfig {
        extractor: Some(Arc::new(Numbers(component))),
        ..config
    }
}

fn linking(title: &str, hrefs: &[String]) -> Reply {
    links(title, &hrefs.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Forty numbered pages, and a series in which each page leads to three more, all different.
fn beside_a_series(path: &str) -> Reply {
    let series = |number: u64| -> Vec<String> {
        (1..4)
            .map(|step| format!("/more/{}", 3 * number + step))
            .collect()
    };
    if path == "/" {
        let pages = (1..=40).map(|number| format!("/page/{number}"));
        return linking("Home", &pages.chain(series(0)).collect::<Vec<_>>());
    }
    match path.strip_prefix("/more/").and_then(|number| number.parse().ok()) {
        Some(number) => linking(&format!("More about {number}"), &series(number)),
        None if path.starts_with("/page/") => links(path, &[]),
        None => Reply::status(404),
    }
}

#[test]
fn crawls_for_objects_leave_endless_series_that_have_none() {
    let site = Site::start(beside_a_series);
    let own = with_numbers(config(Arc::new(MemoryFrontier::new()), &settings("")));
    let crawled = crawl_with(own, &[site.url("/")], None);
    assert_eq!(crawled.ending, Ending::Finished);
    let count = |part: &str| crawled.pages.keys().filter(|url| url.contains(part)).count();
    assert_eq!(count("/page/"), 40);
    // Five hundred proved it; what was asked for by then came as well.
    assert!((500..600).contains(&count("/more/")), "{}", count("/more/"));
    assert!(
        crawled.progress.refused["barren"] > 500,
        "{:?}",
        crawled.progress.refused
    );

    // A crawl without verticals keeps all pages.
    let all = crawl(
        Arc::new(MemoryFrontier::new()),
        &settings(""),
        &[site.url("/")],
        Some(1_000),
    );
    assert_eq!(all.ending, Ending::Stopped);
}

/// A list whose pages all say the same, and lead to the next.
fn empty_list(path: &str) -> Reply {
    let page = match path {
        "/" => 0,
        path => match path.strip_prefix("/list?page=").map(str::parse::<u32>) {
            Some(Ok(page)) => page,
            _ => return Reply::status(404),
        },
    };
    links(
        "There are no further entries in this list",
        &[&format!("/list?page={}", page + 1)],
    )
}

/// A crawl learns again from the workspace which URLs are traps, so stops cost few pages.
#[test]
fn interrupted_crawls_leave_traps_where_others_do() {
    let site = Site::start(empty_list);
    let (_folder, _, workspace) = in_a_folder();
    let settings = settings("[scope]\ndepth = 10000\nsitemaps = false\n");
    for stop in [Some(30), Some(30), None] {
        let store: Arc<dyn CrawlStore> = Arc::clone(&workspace) as _;
        let _ = crawl_with(with_numbers(config(store, &settings)), &[site.url("/")], stop);
    }
    let requests: BTreeSet<String> = site.requests().into_iter().collect();
    let pages = requests
        .iter()
        .filter(|path| path.starts_with("/list?page="))
        .count();
    // A kind is judged after 64 pages, and some were asked for by then.
    assert!((64..80).contains(&pages), "{pages}");
}

/// A page's URL, status and problem, its bytes, when it was fetched, and how many objects it has.
type Said = (String, Option<u16>, Option<String>, u64, Timestamp, u64);

/// All that a workspace records of its pages, without the times of the records.
fn said(folder: &Path) -> Vec<Said> {
    let reader = magpie_engine::open_reader(folder).expect("a reader");
    let pages = reader.all_fetches(None).expect("pages");
    let mut said: Vec<_> = pages
        .into_iter()
        .map(|page| {
            let objects = reader.extractions(page.id).expect("extractions");
            let objects = objects.iter().map(|extraction| extraction.records).sum();
            (
                page.url,
                page.status,
                page.problem.map(|reason| reason.to_string()),
                page.bytes,
                page.fetched_at,
                objects,
            )
        })
        .collect();
    said.sort();
    said
}

#[test]
fn a_run_is_replayed_from_its_archive_with_nobody_asked() {
    let own = tree(120);
    let site = Site::start(move |path| match path {
        "/robots.txt" => Reply::text("User-agent: *\nDisallow: /page/9\nCrawl-delay: 0\n"),
        "/page/5" => Reply::redirect("/page/4"),
        "/page/6" => Reply::status(410),
        "/page/8" => Reply::of("image/png", "no picture"),
        path => own(path),
    });
    let folder = tempfile::tempdir().expect("a folder");
    let (first, second) = (folder.path().join("first"), folder.path().join("second"));
    let live = workspace(&first);
    let settings = settings("[politeness]\nrequests = 1\n");
    let original = crawl_with(
        with_numbers(config(Arc::new(live.clone()), &settings)),
        &[site.url("/")],
        None,
    );
    live.close().expect("closed");
    assert!(original.progress.objects > 30, "{:?}", original.progress);
    let failures = original.progress.failures.clone();
    assert!(failures["numbers: panic"].pages > 3, "{failures:?}");

    let asked = site.requests().len();
    let mut resolved = settings.as_ref().clone();
    for_archive(&mut resolved);
    let resolved = Arc::new(resolved);
    let into = workspace(&second);
    let replayed = crawl_with(
        with_numbers(CrawlConfig {
            source: Arc::new(Source::Archive(Box::new(Archive::new(
                magpie_engine::open_reader(&first).expect("a reader"),
                None,
            )))),
            ..config(Arc::new(into.clone()), &resolved)
        }),
        &[site.url("/")],
        None,
    );
    into.close().expect("closed");
    assert_eq!(site.requests().len(), asked, "the site was asked");
    assert_eq!(replayed.pages, original.pages);
    assert_eq!(replayed.progress.objects, original.progress.objects);
    assert_eq!(replayed.progress.failures, failures);
    assert_eq!(said(&second), said(&first));

    // A URL that was never fetched is reported as missing without a request.
    let elsewhere = crawl_with(
        CrawlConfig {
            source: Arc::new(Source::Archive(Box::new(Archive::new(
                magpie_engine::open_reader(&first).expect("a reader"),
                None,
            )))),
            ..config(Arc::new(MemoryFrontier::new()), &resolved)
        },
        &[site.url("/never")],
        None,
    );
    assert_eq!(
        elsewhere.pages[&site.url("/never")].1.as_deref(),
        Some("not-archived")
    );
    assert_eq!(site.requests().len(), asked);
}

#[test]
fn sites_have_their_turn_one_after_the_other_also_in_another_run() {
    let sites: Vec<_> = (0..4).map(|_| Site::start(tree(30))).collect();
    let seeds: Vec<_> = sites.iter().map(|site| site.url("/")).collect();
    // Each has a port of its own, and so is a site of its own.
    let one_by_one = settings("[crawl]\nsites = 1\n[politeness]\nrequests = 1\n");
    // Events are heard some milliseconds late. The delay keeps the crawl from finishing the second
    // site meanwhile.
    let slow = settings("[crawl]\nsites = 1\n[politeness]\nrequests = 1\ndelay = \"25ms\"\n");
    let folder = tempfile::tempdir().expect("a folder");
    let first = workspace(folder.path());
    let stopped = crawl(Arc::new(first.clone()), &slow, &seeds, Some(35));
    first.close().expect("closed");
    let pages = |site: &Site| {
        site.requests()
            .iter()
            .filter(|path| *path == "/" || path.starts_with("/page"))
            .count()
    };
    assert_eq!(pages(&sites[0]), 30);
    assert!((5..30).contains(&pages(&sites[1])), "{}", pages(&sites[1]));
    assert_eq!((pages(&sites[2]), pages(&sites[3])), (0, 0));
    assert_eq!(
        (stopped.progress.sites_finished, stopped.progress.sites_waiting),
        (2, 2),
        "one is through, one was given back"
    );

    // The waiting results are written before the store closes.
    let second = reopened(folder.path());
    let known = second
        .reader()
        .expect("a reader")
        .sites_after(None, 10)
        .expect("sites");
    let queued: Vec<_> = known
        .iter()
        .filter(|site| site.queued > 0)
        .map(|site| site.key.clone())
        .collect();
    assert_eq!(queued.len(), 3, "{known:?}");
    let rest = crawl(Arc::new(second.clone()), &one_by_one, &seeds, None);
    second.close().expect("closed");
    assert_eq!(rest.progress.sites_finished, 4);
    assert_eq!(rest.progress.queued, 0);
    assert!(sites.iter().all(|site| pages(site) == 30));
}
