//! Searches of servers that were not written for Magpie. Their access logs show the requests.

use std::path::{Path, PathBuf};

use magpie_engine::crawl::Target;
use magpie_engine::surface::{SurfaceRequest, surface};
use magpie_engine::{CrawlRequest, Session};
use magpie_lab::{Size, Vertical, Web, WebSpec};
use magpie_model::CanonicalUrl;
use magpie_rows::{ObjectFilter, RunKind, SubmissionOutcome, SubmissionRow, TemplateState};
use magpie_test_servers::{Catalogue, Kind, Server};
use magpie_tests::TestWorkspace;

const OBJECTS: usize = 500;
const PAGES: u64 = 30;
const REQUESTS: u64 = 25;

/// The outcome of asking a search.
struct Asked {
    queries: Vec<SubmissionRow>,
    /// Submissions of filter forms, which have trials of their own.
    submissions: Vec<SubmissionRow>,
    /// The number of objects before and after.
    objects: (usize, usize),
}

fn objects(session: &Session) -> usize {
    session.objects(&ObjectFilter::default()).expect("objects").len()
}

/// Crawls a part of a server, then asks its searches. The forms that it sends by POST log in, fill
/// baskets or edit, so none is sent, though the setting permits searches. Returns `None` if the
/// server is missing here.
fn ask(kind: Kind, begin: &str, component: &Path) -> Option<Asked> {
    let web = Web::new(WebSpec::new(Vertical::Books, Size::Paper, 1));
    let server = Server::start_or_skip(kind, &Catalogue::from_records(web.seeds(OBJECTS)))?;
    let workspace = TestWorkspace::local(component, "surface.post = \"search\"\n");
    let session = workspace.open();
    let home = CanonicalUrl::trusted(server.url_of(begin).as_str()).expect("a URL");
    let run = session.begin_run(RunKind::Crawl).expect("a run");
    let mut crawl = CrawlRequest::new(run, vec![Target::From(home)]);
    crawl.max_pages = Some(PAGES);
    session.crawl(crawl, &mut ()).expect("it crawls");
    session.end_run(run.0).expect("it ends");
    session.cluster(&mut ()).expect("it clusters");
    let before = objects(&session);
    let request = SurfaceRequest {
        max_requests: REQUESTS,
        ..SurfaceRequest::default()
    };
    let outcome = surface(&session, &request, &mut ()).expect("it asks");
    let outcome = outcome.expect("it was not stopped");
    let rows = &outcome.templates;
    assert!(
        rows.iter().any(|row| row.state == TemplateState::Working),
        "{kind:?}: {rows:?}"
    );
    let acting = server.acting_requests();
    assert!(acting.is_empty(), "{kind:?}: {acting:?}");
    let (mut queries, mut submissions) = (Vec::new(), Vec::new());
    for site in session.store().sites_after(None, 10).expect("sites") {
        let asked = session.store().submissions(session.vertical(), site.id);
        for row in asked.expect("queries") {
            match row.template.contains("{query}") {
                true => queries.push(row),
                false => submissions.push(row),
            }
        }
    }
    queries.sort_by_key(|row| row.asked_at);
    Some(Asked {
        objects: (before, objects(&session)),
        queries,
        submissions,
    })
}

/// Checks what holds on every server: nonsense is empty, and one of the first queries has results.
fn check(asked: &Asked) {
    let words: Vec<(&str, &str, u64)> = asked
        .queries
        .iter()
        .map(|row| (row.query.as_str(), row.outcome.as_str(), row.objects))
        .collect();
    let (before, after) = asked.objects;
    assert!(after > before, "{before} objects, then {after}: {words:?}");
    let first = |outcome| {
        let mut outcomes = asked.queries.iter().map(|row| row.outcome);
        outcomes.position(|found| found == outcome)
    };
    assert!(
        first(SubmissionOutcome::Empty).is_some_and(|place| place < 3),
        "{words:?}"
    );
    let results = first(SubmissionOutcome::Results).or(first(SubmissionOutcome::Object));
    assert!(results.is_some_and(|place| place < 8), "{words:?}");
    let failed = |rows: &[SubmissionRow]| -> Vec<String> {
        let failed = rows.iter();
        let failed = failed.filter(|row| row.outcome == SubmissionOutcome::Failed);
        failed.map(|row| row.url.clone()).collect()
    };
    assert!(failed(&asked.queries).len() <= 2, "{words:?}");
    let failed = failed(&asked.submissions);
    assert!(failed.len() <= 2, "{failed:?} of {}", asked.submissions.len());
}

fn books() -> PathBuf {
    magpie_tests::vertical("books")
}

#[test]
fn datasette() {
    if let Some(asked) = ask(Kind::Datasette, "/books", &books()) {
        check(&asked);
    }
}

#[test]
fn oscar() {
    if let Some(asked) = ask(Kind::Oscar, "/", &books()) {
        check(&asked);
    }
}

#[test]
fn roundup() {
    if let Some(asked) = ask(Kind::Roundup, "/tracker/", &magpie_tests::guest("tracker")) {
        check(&asked);
    }
}

#[test]
fn mediawiki() {
    if let Some(asked) = ask(Kind::MediaWiki, "/", &books()) {
        check(&asked);
    }
}
