//! Focused crawls of the lab's web, and of a site whose pages a vertical only judges.

use magpie_engine::learn::{LearnRequest, StageOutcome, learn};
use magpie_engine::recrawl::Method;
use magpie_engine::recrawl::recrawl;
use magpie_engine::{Event, Observer, Session, Stop};
use magpie_model::CanonicalUrl;
use magpie_rows::ObjectFilter;
use magpie_test_support::server::{Reply, Site};
use magpie_tests::{LOOPBACK, TestWorkspace};

use crate::bench::Bench;

struct StopAfter {
    pages: u64,
    stop: Stop,
}

impl Observer for StopAfter {
    fn observe(&mut self, event: Event<'_>) {
        if let Event::Crawl(magpie_engine::crawl::Event::Page(_)) = event {
            self.pages = self.pages.saturating_sub(1);
            if self.pages == 0 {
                self.stop.ask();
            }
        }
    }
}

fn focused(request: LearnRequest) -> LearnRequest {
    LearnRequest {
        is_focused: true,
        ..request
    }
}

fn crawled(outcomes: &[StageOutcome]) -> (u64, u64) {
    let crawled = outcomes.iter().find_map(|stage| match stage {
        StageOutcome::Crawl(crawled) => Some((crawled.pages, crawled.records)),
        _ => None,
    });
    crawled.expect("a crawl")
}

fn objects(session: &Session) -> usize {
    session.objects(&ObjectFilter::default()).expect("objects").len()
}

/// A focused crawl fetches fewer pages than learning and finds most of the objects, and rounds
/// along its navigation find what is new.
#[test]
fn a_focused_crawl_is_followed_by_recrawls() {
    let bench = Bench::new(3, "focus.until = 0.9");
    let full = Bench::new(3, "");
    let learned = learn(full.session(), &full.all_sites(), &mut ()).expect("it learns");
    let (all_pages, _) = crawled(&learned.expect("it was not stopped").stages);
    let outcome = learn(bench.session(), &focused(bench.all_sites()), &mut ()).expect("it learns");
    let stages = outcome.expect("it was not stopped").stages;
    let (pages, records) = crawled(&stages);
    let (found, all) = (objects(bench.session()), objects(full.session()));
    println!("{pages} of {all_pages} pages, {records} records, {found} of {all} objects");
    assert!(pages < all_pages, "{pages} of {all_pages} pages");
    assert!(found * 10 >= all * 8, "{found} of {all} objects");
    let Some(StageOutcome::Navigate(navigations)) = stages.last() else {
        panic!("the last stage is another: {:?}", stages.last());
    };
    assert!(navigations.sites > 0);
    bench.pass_weeks(1);
    let recrawled = recrawl(bench.session(), Method::Selective, &mut ()).expect("it recrawls");
    let sites = recrawled.expect("it was not stopped").recorded.sites;
    assert!(sites.iter().any(|site| site.round.new_objects > 0));
}

/// Stopped in the middle and opened again, it continues without fetching a page twice.
#[test]
fn a_focused_crawl_goes_on_in_another_process() {
    for strategy in ["walk", "expected"] {
        let mut bench = Bench::new(3, &format!("focus.strategy = \"{strategy}\""));
        let mut stopping = StopAfter {
            pages: 40,
            stop: bench.stop.clone(),
        };
        let request = focused(bench.all_sites());
        assert!(
            learn(bench.session(), &request, &mut stopping)
                .expect("it ends")
                .is_none()
        );
        bench.stop = Stop::default();
        bench.reopen();
        let outcome = learn(bench.session(), &request, &mut ()).expect("it learns");
        let (pages, records) = crawled(&outcome.expect("it was not stopped").stages);
        assert!(
            pages > 40 && records > 0,
            "{strategy}: {pages} pages, {records} records"
        );
        let rows = bench.session().store().all_fetches(None).expect("rows");
        let mut urls: Vec<String> = rows
            .into_iter()
            .filter(|row| row.url_id.is_some() && row.status == Some(200))
            .map(|row| row.url)
            .collect();
        let all = urls.len();
        urls.sort();
        urls.dedup();
        assert_eq!(urls.len(), all, "{strategy}: a page was fetched twice");
    }
}

/// Learning may choose each page by itself, too.
#[test]
fn learning_by_each_order_finds_the_same_when_it_reads_all() {
    let counts = ["yield", "expected", "walk"].map(|order| {
        let bench = Bench::new(3, &format!("learn.order = \"{order}\""));
        learn(bench.session(), &bench.all_sites(), &mut ()).expect("it learns");
        objects(bench.session())
    });
    assert!(
        counts[0] > 0 && counts.iter().all(|count| *count == counts[0]),
        "{counts:?}"
    );
}

/// A shop of fifty pages to judge behind two lists, and three hundred others.
fn site() -> Site {
    let link = |(href, text): (String, String)| format!("<li><a href=\"{href}\">{text}</a></li>");
    Site::start(move |path| {
        let list = |links: Vec<(String, String)>| {
            Reply::html(format!(
                "<!doctype html><title>List</title><ul>{}</ul>",
                links.into_iter().map(link).collect::<String>()
            ))
        };
        let named = |folder: &'static str, numbers: std::ops::Range<u32>| {
            let link = move |number| (format!("/{folder}/{number}"), format!("{folder} {number}"));
            numbers.map(link).collect::<Vec<_>>()
        };
        match path {
            "/" => list(vec![
                ("/reviews?page=1".to_owned(), "Reviews".to_owned()),
                ("/reviews?page=2".to_owned(), "More reviews".to_owned()),
                ("/news".to_owned(), "News".to_owned()),
            ]),
            "/reviews?page=1" => list(named("review", 0..25)),
            "/reviews?page=2" => list(named("review", 25..50)),
            "/news" => list(named("news", 0..300)),
            _ if path.starts_with("/review/") => {
                let title = format!("A relevant page: {path}");
                Reply::html(format!("<!doctype html><title>{title}</title><p>Good."))
            }
            _ if path.starts_with("/news/") => Reply::html(format!(
                "<!doctype html><title>{path}</title><p>Something happened."
            )),
            _ => Reply::status(404),
        }
    })
}

/// The pages that a validator accepts are the objects of its vertical.
#[test]
fn a_vertical_that_only_judges_has_pages_for_objects() {
    let site = site();
    let workspace = TestWorkspace::local(&magpie_tests::guest("only-judges"), "");
    let session = workspace.open();
    let request = LearnRequest::sites([site.url("/")]).expect("a site");
    let outcome = learn(&session, &focused(request), &mut ()).expect("it learns");
    let stages = outcome.expect("it was not stopped").stages;
    let (pages, records) = crawled(&stages);
    assert_eq!(records, 50);
    assert!(pages < 200, "{pages} pages");
    let all = session.objects(&ObjectFilter::default()).expect("objects");
    assert_eq!(all.len(), 50);
    let is_page = |url: &str| url.contains("/review/");
    assert!(
        all.iter()
            .all(|object| object.record.get("page").is_some_and(is_page)),
        "{all:?}"
    );
    assert!(matches!(stages.last(), Some(StageOutcome::Navigate(made)) if made.sites == 1));
    let recrawled = recrawl(&session, Method::Selective, &mut ()).expect("it recrawls");
    assert!(recrawled.is_some());
}

/// Stopped half-way and opened again, a walk finds about as much with about as many pages as one
/// that was not.
#[test]
fn a_walk_that_was_stopped_finds_as_much_as_one_that_was_not() {
    let (mut objects_of, mut pages_of) = ([0, 0], [0, 0]);
    for seed in [3, 4, 5] {
        for (place, stops) in [false, true].into_iter().enumerate() {
            let mut bench = Bench::new(seed, "focus.strategy = \"walk\"\nfocus.iterations = 10");
            let request = focused(bench.all_sites());
            if stops {
                let mut stopping = StopAfter {
                    pages: 150,
                    stop: bench.stop.clone(),
                };
                let outcome = learn(bench.session(), &request, &mut stopping).expect("it ends");
                assert!(outcome.is_none(), "it was over before it was stopped");
                bench.stop = Stop::default();
                bench.reopen();
            }
            let outcome = learn(bench.session(), &request, &mut ()).expect("it learns");
            let (pages, _) = crawled(&outcome.expect("it was not stopped").stages);
            pages_of[place] += pages;
            objects_of[place] += objects(bench.session()) as u64;
        }
    }
    println!("objects {objects_of:?}, pages {pages_of:?}");
    assert!(objects_of[1] * 20 >= objects_of[0] * 19, "{objects_of:?} objects");
    assert!(pages_of[1] * 5 <= pages_of[0] * 6, "{pages_of:?} pages");
}

/// The judgements of a vertical that finds objects, too, are stored, and count where a crawl goes
/// on.
#[test]
fn judgements_of_a_vertical_with_objects_are_stored() {
    let site = site();
    let components = ["ordinary", "only-judges"].map(magpie_tests::guest);
    let workspace = TestWorkspace::new(&components, LOOPBACK);
    let session = workspace.open();
    let request = focused(LearnRequest::sites([site.url("/")]).expect("a site"));
    learn(&session, &request, &mut ()).expect("it learns");
    let store = session.store();
    let rows = store.all_fetches(None).expect("rows");
    let good: Vec<_> = rows
        .iter()
        .filter(|row| row.url_id.is_some() && row.status == Some(200))
        .collect();
    let numbers: Vec<_> = good.iter().map(|row| row.id).collect();
    let judged = store.judgements_of(&numbers).expect("judgements");
    assert_eq!(judged.len(), good.len(), "each page is judged once");
    for (row, judged) in good.iter().zip(&judged) {
        assert_eq!(judged.page, row.id);
        assert_eq!(
            judged.judgement.accepted,
            row.url.contains("/review/"),
            "{}",
            row.url
        );
        assert_eq!(
            (judged.judgement.confidence, judged.version.as_str()),
            (0.75, "1.2.3")
        );
        assert_eq!(judged.judgement.reason, "the title says so");
    }
    let site_of = site.url("/");
    let page = CanonicalUrl::trusted(site_of).expect("a URL");
    let reader = magpie_engine::open_reader(&workspace.path()).expect("a reader");
    let number = reader
        .site_named(&session.site_key(&page))
        .expect("readable")
        .expect("a site");
    for fetch in reader.past_fetches(number).expect("fetches") {
        assert_eq!(
            fetch.judgement,
            Some(fetch.url.contains("/review/")),
            "{}",
            fetch.url
        );
    }
}
