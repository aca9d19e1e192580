//! Crawls that look for objects follow what pays.

use std::sync::Arc;

use magpie_engine::crawl::{ByConfidence, CrawlConfig, Extractor, Guide, GuideOrder, SeenObjects};
use magpie_focus::strategy::WalkSettings;
use magpie_model::{Record, UrlReason};
use magpie_page::Page;
use magpie_rows::{Component, CrawlStore, ExtractedRecord, Extraction, Frontier, Requeue as _, UrlState};
use magpie_sqlite::{Workspace, WorkspaceOptions};
use magpie_test_support::server::{Reply, Site, links, tree};
use serde_json::json;

use super::common::{config, crawl_with, memory, settings};

/// Finds a talk on each page `/meeting-a/talk-7`, with the URL of another page about it.
struct Talks(Arc<Component>);

impl Talks {
    fn extractor() -> Arc<dyn Extractor> {
        Arc::new(Talks(Arc::new(Component {
            vertical: "talks".to_owned(),
            ..Component::default()
        })))
    }
}

impl Extractor for Talks {
    fn extract(&self, page: &Arc<Page>) -> Vec<Extraction> {
        let url = page.url();
        let Some((_, number)) = url.path().split_once("/talk-") else {
            return Vec::new();
        };
        let named = format!("{}/told/{number}", url.origin().ascii_serialization());
        let attributes = json!({"name": number, "url": named, "image": format!("{named}.jpg")});
        let record = json!({"type": "Talk", "confidence": 1.0, "attributes": attributes});
        vec![Extraction {
            component: Arc::clone(&self.0),
            records: vec![ExtractedRecord {
                record: Record::from_json(&record).expect("a record"),
                expires_at: None,
            }],
            ..Extraction::default()
        }]
    }

    fn notices(&self) -> Vec<String> {
        Vec::new()
    }
}

fn linking(title: &str, hrefs: impl IntoIterator<Item = String>) -> Reply {
    let hrefs: Vec<String> = hrefs.into_iter().collect();
    links(title, &hrefs.iter().map(String::as_str).collect::<Vec<_>>())
}

fn talk(number: usize) -> String {
    format!(
        "/meeting-{}/talk-{number}",
        char::from(b'a' + (number % 10) as u8)
    )
}

/// Four hundred tags come first on the first page, and a few talks last; each talk leads to two
/// more.
fn conferences(path: &str) -> Reply {
    let tag = |number: usize| format!("/tag/t{number}");
    let number = |text: &str| text.parse::<usize>().ok();
    if path == "/" {
        let picture = std::iter::once("/poster.jpg".to_owned());
        return linking("Home", picture.chain((0..400).map(tag)).chain((0..5).map(talk)));
    }
    if let Some(own) = path.strip_prefix("/tag/t").and_then(number) {
        return linking(path, [tag(own * 2 % 400), tag((own * 2 + 1) % 400)]);
    }
    if let Some(own) = path.split_once("/talk-").and_then(|(_, text)| number(text)) {
        let next = [own * 2 + 5, own * 2 + 6].into_iter().filter(|next| *next < 200);
        return linking(path, next.map(talk).chain([tag(own)]));
    }
    match path.starts_with("/told/") {
        true => linking(path, []),
        false => Reply::status(404),
    }
}

const QUICK: &str = "[scope]\nsitemaps = false\n[traps]\nsoft_404 = false\nnear_duplicates = false\n";

fn budget(frontier: Arc<dyn CrawlStore>, pages: u64) -> CrawlConfig {
    let settings = settings(QUICK);
    CrawlConfig {
        extractor: Some(Talks::extractor()),
        max_pages: Some(pages),
        ..config(frontier, &settings)
    }
}

fn many(pages: impl IntoIterator<Item = String>, part: &str) -> usize {
    pages.into_iter().filter(|url| url.contains(part)).count()
}

#[test]
fn what_can_be_no_page_is_tried_a_few_times_for_each_site() {
    let numbers = || 0..40;
    let site = Site::start(move |path| match path {
        "/" | "/second" => {
            let name = if path == "/" { "first" } else { "second" };
            let folder = |number: u8| char::from(b'a' + number % 5);
            let pictures = numbers().map(|number| format!("/{name}/{}/{number}.jpg", folder(number)));
            let papers = numbers().map(|number| format!("/{name}/get?paper={number}"));
            let dead = numbers().map(|number| format!("/old/{name}-{number}"));
            let pages = numbers().map(|number| format!("/wiki/{name}-{number}.png"));
            linking("Home", pictures.chain(papers).chain(dead).chain(pages))
        }
        path if path.starts_with("/wiki/") => linking(path, []),
        path if path.ends_with(".jpg") => Reply::of("image/jpeg", "a picture"),
        path if path.contains("/get?") => Reply::of("application/pdf", "a paper"),
        _ => Reply::status(404),
    });
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("workspace");
    let workspace = Workspace::create(&path, &WorkspaceOptions::default()).expect("a workspace");
    let slow = settings(&format!("{QUICK}[politeness]\nrequests = 1\n"));
    let visit = |first: &str| {
        let crawl = CrawlConfig {
            extractor: Some(Talks::extractor()),
            ..config(Arc::new(workspace.clone()), &slow)
        };
        let before = site.requests().len();
        crawl_with(crawl, &[site.url(first)], None);
        let asked = site.requests().split_off(before);
        ["jpg", "get?", "/old/", "/wiki/"].map(|part| many(asked.clone(), part))
    };
    assert_eq!(visit("/"), [2, 8, 8, 40]);
    // What was learned is known in the next run.
    assert_eq!(visit("/second"), [0, 8, 0, 40]);
    let refused = workspace.counts(None).expect("counts").0;
    let of = |reason| refused[&(UrlState::Refused, Some(reason))];
    assert_eq!(of(UrlReason::File), 38 + 40);
    assert_eq!(of(UrlReason::NoPages), 32 + 40 + 2 * 32);
}

#[test]
fn pages_like_those_that_paid_come_first() {
    let site = Site::start(conferences);
    let pages = crawl_with(budget(memory(), 150), &[site.url("/")], None).pages;
    assert_eq!(pages.len(), 150);
    let talks = many(pages.into_keys(), "/talk-");
    // Breadth first finds none among the first 150.
    assert!(talks >= 60, "{talks} talks");
}

#[test]
fn a_new_process_goes_on_with_what_paid() {
    let site = Site::start(conferences);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("workspace");
    let workspace = Workspace::create(&path, &WorkspaceOptions::default()).expect("a workspace");
    let of = |workspace: &Workspace| {
        let frontier = Arc::new(workspace.clone());
        crawl_with(budget(frontier, 60), &[site.url("/")], None).pages
    };
    let first = of(&workspace);
    // URLs that a recrawl puts aside return to the queue when it releases them.
    let id = workspace
        .site(site.url("/").trim_end_matches('/'))
        .expect("a site");
    workspace.hold_queue(id, &UrlReason::NotPlanned).expect("held");
    workspace.queue_again(id, UrlState::Held, None).expect("released");
    workspace.close().expect("closed");
    let workspace = Workspace::open(&path, &WorkspaceOptions::default()).expect("opened");
    let second = of(&workspace);
    assert!(first.keys().all(|url| !second.contains_key(url)));
    let talks = many(second.into_keys(), "/talk-");
    assert!(talks >= 30, "{talks} talks");
    workspace.close().expect("closed");
}

#[test]
fn what_objects_name_is_followed_within_robots() {
    let site = Site::start(|path| match path {
        "/robots.txt" => Reply::text("User-agent: *\nDisallow: /told/3"),
        path => conferences(path),
    });
    let folder = tempfile::tempdir().expect("a folder");
    let workspace = Workspace::create(folder.path(), &WorkspaceOptions::default()).expect("a workspace");
    let frontier = Arc::new(workspace.clone());
    let pages = crawl_with(budget(frontier, 200), &[site.url("/")], None).pages;
    assert!(many(pages.keys().cloned(), "/told/") > 20);
    assert_eq!(many(pages.keys().cloned(), "/told/3"), 0);
    // Pictures wait for all else, and what objects show of themselves is no page.
    assert_eq!(many(pages.into_keys(), ".jpg"), 0);
    workspace.close().expect("closed");
    let reader = magpie_engine::open_reader(folder.path()).expect("a reader");
    let counts = reader.url_counts(None).expect("counts");
    assert!(counts.of(UrlState::Refused) >= 1);
}

#[test]
fn a_crawl_that_goes_on_fetches_all_that_is_left_however_much_was_fetched_before() {
    let site = Site::start(tree(120));
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("ws");
    let options = WorkspaceOptions::default();
    // More was fetched than is left, all of one form.
    let made = Workspace::create(&path, &options).expect("a workspace");
    let first = crawl_with(budget(Arc::new(made), 80), &[site.url("/")], None);
    assert_eq!(first.pages.len(), 80);
    let opened = Workspace::open(&path, &options).expect("the workspace");
    let second = crawl_with(budget(Arc::new(opened), 1_000), &[site.url("/")], None);
    assert_eq!(second.pages.len(), 40);
}

#[test]
fn a_site_is_left_when_most_of_its_objects_are_found() {
    let site = Site::start(conferences);
    let folder = tempfile::tempdir().expect("a folder");
    let workspace = Workspace::create(folder.path(), &WorkspaceOptions::default()).expect("a workspace");
    let crawl = |until| {
        let config = CrawlConfig {
            until,
            ..budget(Arc::new(workspace.clone()), 2_000)
        };
        crawl_with(config, &[site.url("/")], None)
    };
    let first = crawl(Some(0.95));
    let key = site.url("/").replace("http://", "").replace('/', "");
    let found = first
        .progress
        .found
        .get(&key)
        .copied()
        .expect("the site was left");
    assert!(found.share() >= 0.95, "{found:?}");
    assert!(
        first
            .notices
            .iter()
            .any(|notice| notice.contains("`learn.until`")),
        "{:?}",
        first.notices
    );
    let (pages, talks) = (first.pages.len(), many(first.pages.into_keys(), "/talk-"));
    // There are two hundred talks, four hundred tags, and a page about each talk.
    assert!((180..=200).contains(&talks), "{talks} talks");
    // Pages that were under way came in afterwards.
    assert!(
        (talks - 8..=talks).contains(&(found.objects as usize)),
        "{found:?}"
    );
    assert!(pages < 500, "{pages} pages");
    // The next process knows what was found. It makes the estimate again after a few pages.
    let second = crawl(Some(0.95));
    assert!(second.pages.len() <= 40, "{} pages", second.pages.len());
    assert!(second.progress.found.contains_key(&key));
    // Without the share all is fetched, with the first page and its picture.
    let rest = crawl(None);
    assert_eq!(pages + second.pages.len() + rest.pages.len(), 2 + 400 + 200 + 200);
    assert!(rest.progress.found.is_empty());
    workspace.close().expect("closed");
}

fn guided(frontier: Arc<dyn CrawlStore>, pages: u64, order: &GuideOrder, until: f64) -> CrawlConfig {
    let guide = Guide {
        order: order.clone(),
        validator: Arc::new(ByConfidence(0.5)),
        seen: SeenObjects::default(),
    };
    CrawlConfig {
        guide: Some(guide),
        until: Some(until).filter(|until| *until < 1.0),
        ..budget(frontier, pages)
    }
}

#[test]
fn a_guide_chooses_the_pages_that_lead_to_objects() {
    let site = Site::start(conferences);
    for order in [GuideOrder::Expected, GuideOrder::Walk(WalkSettings::default())] {
        let config = guided(memory(), 150, &order, 1.0);
        let pages = crawl_with(config, &[site.url("/")], None).pages;
        assert_eq!(pages.len(), 150, "{order:?}");
        if let GuideOrder::Expected = order {
            let talks = many(pages.into_keys(), "/talk-");
            assert!(talks >= 60, "{talks} talks");
        }
    }
}

#[test]
fn a_guided_crawl_that_goes_on_fetches_no_page_twice_and_leaves_none() {
    let site = Site::start(tree(120));
    for order in [GuideOrder::Expected, GuideOrder::Walk(WalkSettings::default())] {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("ws");
        let options = WorkspaceOptions::default();
        let made = Workspace::create(&path, &options).expect("a workspace");
        let first = crawl_with(guided(Arc::new(made), 50, &order, 1.0), &[site.url("/")], None);
        assert_eq!(first.pages.len(), 50, "{order:?}");
        let opened = Workspace::open(&path, &options).expect("the workspace");
        let second = crawl_with(
            guided(Arc::new(opened), 1_000, &order, 1.0),
            &[site.url("/")],
            None,
        );
        assert_eq!(second.pages.len(), 70, "{order:?}");
        assert!(second.pages.keys().all(|url| !first.pages.contains_key(url)));
    }
}

/// Beside fifty talks the site has a tree of pages without end, of which none is about a talk.
#[test]
fn a_guided_crawl_ends_when_enough_is_found() {
    let site = Site::start(|path| {
        let number = |text: &str| text.parse::<usize>().ok();
        if path == "/" {
            return linking("Home", (0..50).map(talk).chain(["/blog/1".to_owned()]));
        }
        if let Some(own) = path.strip_prefix("/blog/").and_then(number) {
            return linking(path, (2..4).map(|next| format!("/blog/{}", own * 2 + next)));
        }
        linking(path, [])
    });
    let config = guided(memory(), 2_000, &GuideOrder::Expected, 0.95);
    let crawled = crawl_with(config, &[site.url("/")], None);
    let talks = many(crawled.pages.keys().cloned(), "/talk-");
    assert_eq!(talks, 50);
    assert!(crawled.pages.len() < 500, "{} pages", crawled.pages.len());
    assert!(
        crawled
            .notices
            .iter()
            .any(|notice| notice.contains("of its objects are found")),
        "{:?}",
        crawled.notices
    );
}
