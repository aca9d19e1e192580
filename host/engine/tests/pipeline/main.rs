//! Learning, recrawls and watches through the public API, without a process.

#[path = "../../examples/learn_and_recrawl.rs"]
mod learn_and_recrawl;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use magpie_engine::collect::Method;
use magpie_engine::learn::{Beginning, LearnRequest, NamedSite, Stage, StageOutcome, learn};
use magpie_engine::recrawl::{Account, recrawl, recrawl_settings};
use magpie_engine::settings::{Budget, Layer, Origin, Raw, Resolved, Value};
use magpie_engine::watch::cycle;
use magpie_engine::{Clock, Event, Observer, PipelineError, Session, SessionOptions, Stop, VERTICALS};
use magpie_lab::{ServerHandle, Size, Vertical, Web, WebSpec, WeekHandle, serve};
use magpie_model::CanonicalUrl;
use magpie_store::{Workspace, WorkspaceOptions};
use tempfile::TempDir;
use tokio::runtime::Runtime;

const DAY: u64 = 86_400;

/// A small web of the lab, and a session of a workspace that reaches it.
struct Bench {
    web: Arc<Web>,
    week: WeekHandle,
    session: Session,
    stop: Stop,
    _server: ServerHandle,
    _runtime: Runtime,
    _folder: TempDir,
}

impl Bench {
    fn new() -> Bench {
        let runtime = Runtime::new().expect("a runtime");
        let web = Arc::new(Web::new(WebSpec::new(Vertical::Events, Size::Small, 3)));
        let week = WeekHandle::new(0);
        let address = ([127, 0, 0, 1], 0).into();
        let server = runtime
            .block_on(serve(Arc::clone(&web), week.clone(), address))
            .expect("it is served");
        let folder = tempfile::tempdir().expect("a folder");
        let stop = Stop::default();
        let session = open(&folder.path().join("workspace"), &server, &web, stop.clone());
        Bench {
            web,
            week,
            session,
            stop,
            _server: server,
            _runtime: runtime,
            _folder: folder,
        }
    }

    fn sites(&self) -> LearnRequest {
        let named = |url: String| NamedSite {
            home: CanonicalUrl::trusted(url.as_str()).expect("a URL"),
            text: url,
        };
        LearnRequest {
            beginning: Some(Beginning::Sites(
                self.web.sites().map(|site| named(site.home)).collect(),
            )),
            from: None,
        }
    }

    fn pass_weeks(&self, weeks: u32) {
        self.week.set(self.week.get() + weeks);
        let time = Duration::from_secs(u64::from(weeks) * 7 * DAY);
        self.session.clock().advance(time);
    }
}

fn open(folder: &Path, server: &ServerHandle, web: &Web, stop: Stop) -> Session {
    let workspace = Workspace::create(folder, &WorkspaceOptions::default());
    workspace.expect("a workspace").close().expect("closed");
    std::fs::create_dir_all(folder.join(VERTICALS)).expect("a folder");
    let component = folder.join(VERTICALS).join("events.wasm");
    std::fs::copy(magpie_tests::vertical("events"), component).expect("copied");
    let text = format!(
        "network.proxy = \"http://{}\"\npoliteness.delay = \"0s\"\npoliteness.autothrottle = false",
        server.address()
    );
    let layer = Layer::file(&Origin::Default, &text).expect("settings");
    let settings = Resolved::new(&[layer]).expect("settings");
    let clock = Clock::default();
    clock.set(web.spec().monday(0) * 1_000 * DAY as i64);
    let options = SessionOptions {
        settings: recrawl_settings(settings),
        vertical: None,
        cache: None,
        program: "test".to_owned(),
        clock,
        stop,
    };
    Session::open(folder, options).expect("a session")
}

/// Keeps the names of the stages that ended.
#[derive(Default)]
struct Stages(Vec<&'static str>);

impl Observer for Stages {
    fn observe(&mut self, event: Event<'_>) {
        if let Event::StageEnded(outcome, _) = event {
            self.0.push(outcome.stage().as_str());
        }
    }
}

#[test]
fn the_example_finds_new_objects() {
    let folder = tempfile::tempdir().expect("a folder");
    let component = magpie_tests::vertical("events");
    let new = learn_and_recrawl::run(&component, &folder.path().join("workspace")).expect("it runs");
    assert!(!new.is_empty());
    assert!(new.iter().all(|label| !label.is_empty()), "{new:?}");
}

#[test]
fn learning_is_followed_by_recrawls_and_cycles() {
    let bench = Bench::new();
    let session = &bench.session;
    let mut stages = Stages::default();
    let learned = learn(session, &bench.sites(), &mut stages).expect("it learns");
    let learned = learned.expect("nobody stopped it");
    assert_eq!(stages.0, Stage::ALL.map(Stage::as_str));
    let Some(StageOutcome::Navigate(navigations)) = learned.stages.last() else {
        panic!("the last stage is another: {:?}", learned.stages.last());
    };
    assert!(navigations.sites > 0 && navigations.reached == navigations.reachable);

    // A site is read once, though three stages and two forecasts need it.
    let sites = learned.stages.iter().find_map(|stage| match stage {
        StageOutcome::Crawl(crawled) => Some(crawled.sites as u64),
        _ => None,
    });
    assert_eq!(Some(learned.site_reads), sites);

    // Each stage is kept so that it can be read again.
    for row in session
        .reader()
        .expect("a reader")
        .stages("events")
        .expect("stages")
    {
        let kept = StageOutcome::of_row(&row).expect("an outcome");
        assert_eq!(kept.stage().as_str(), row.name);
    }

    bench.pass_weeks(1);
    let recrawled = recrawl(session, Method::Selective, &mut ()).expect("it recrawls");
    let recrawled = recrawled.expect("nobody stopped it");
    let new: u64 = recrawled
        .recorded
        .sites
        .iter()
        .map(|site| site.round.new_objects)
        .sum();
    assert!(new > 0);
    // Once after the crawl, and once more where new kinds of pages were looked at.
    let rounds = 1 + u64::from(recrawled.explored > 0 || !recrawled.repaired.is_empty());
    assert!(
        recrawled.site_reads <= rounds * sites.unwrap_or(0),
        "{recrawled:?}"
    );
    let reader = session.reader().expect("a reader");
    let account = Account::read(&reader, "events", recrawled.run).expect("an account");
    assert_eq!(account.fetched, recrawled.fetched);
    assert_eq!(account.steps[0].name, "plan");

    bench.pass_weeks(1);
    let budget = Budget::read(&Raw::Text("1000/day".to_owned())).expect("a budget");
    let watched = cycle(session, budget, &mut ()).expect("a cycle");
    assert!(watched.picked.all() > 0, "{watched:?}");
    assert!(watched.new_objects > 0, "{watched:?}");
    assert!(
        watched.next_due.is_some_and(|due| due > watched.at),
        "{watched:?}"
    );
}

#[test]
fn a_stopped_session_does_no_stage_and_goes_on_later() {
    let bench = Bench::new();
    assert!(bench.stop.ask());
    assert!(!bench.stop.ask());
    let outcome = learn(&bench.session, &bench.sites(), &mut ()).expect("it ends");
    assert!(outcome.is_none());
    let reader = bench.session.reader().expect("a reader");
    assert!(reader.stages("events").expect("stages").is_empty());
}

#[test]
fn what_was_not_learned_can_not_be_recrawled() {
    let bench = Bench::new();
    let outcome = recrawl(&bench.session, Method::Selective, &mut ());
    assert!(matches!(outcome, Err(PipelineError::NothingLearned { .. })));
    let outcome = learn(&bench.session, &LearnRequest::default(), &mut ());
    assert!(matches!(outcome, Err(PipelineError::NothingToBeginWith)));
}
