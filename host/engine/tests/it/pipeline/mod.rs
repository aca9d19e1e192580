//! Learning, recrawls and watches through the public API, without a process.

mod ceiling;
mod coverage;
mod filters;
mod focus;
mod hostile_searches;
#[path = "../../../examples/learn_and_recrawl.rs"]
mod learn_and_recrawl;
mod missing_lists;
mod outdated;
mod pair;
mod post_searches;
mod reading;
mod redirected_searches;
mod rendering;
mod repairs;
mod servers;
mod shops;
mod sites;
mod surface;
mod trips;
mod undo;
mod walkable;
mod watching;

use std::collections::BTreeSet;

use crate::bench::Bench;
use magpie_engine::crawl::Progress;
use magpie_engine::learn::{LearnRequest, Stage, StageOutcome, learn};
use magpie_engine::recrawl::Method;
use magpie_engine::recrawl::{Account, recrawl};
use magpie_engine::settings::{Budget, Raw, Value};
use magpie_engine::watch::{cycle, metrics};
use magpie_engine::{Event, Metrics, Observer, PipelineError};
use magpie_values::Timestamp;

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
    let bench = Bench::new(3, "");
    let session = bench.session();
    let mut stages = Stages::default();
    let learned = learn(session, &bench.all_sites(), &mut stages).expect("it learns");
    let learned = learned.expect("it was not stopped");
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
    for row in session.store().stages("events").expect("stages") {
        let kept = StageOutcome::of_row(&row).expect("an outcome");
        assert_eq!(kept.stage().as_str(), row.name);
    }

    bench.pass_weeks(1);
    let recrawled = recrawl(session, Method::Selective, &mut ()).expect("it recrawls");
    let recrawled = recrawled.expect("it was not stopped");
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
    let reader = session.store();
    let account = Account::read(reader, "events", recrawled.run).expect("an account");
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

    let served = Metrics::default();
    served.update(&Progress::default());
    served.append(metrics(session, &watched, 0, watched.next_due).expect("metrics"));
    let page = served.page();
    assert!(
        page.contains("magpie_known_objects{vertical=\"events\",state=\"current\"} "),
        "{page}"
    );
    assert!(page.contains("state=\"done\"} 1\n"), "{page}");
    for file in ["alerts.yml", "grafana.json"] {
        let named = named_metrics(&packaged(file));
        assert!(!named.is_empty());
        let missing = named
            .iter()
            .filter(|name| !page.contains(&format!("# TYPE {name} ")));
        assert_eq!(missing.collect::<Vec<_>>(), [""; 0], "{file}: {page}");
    }
}

/// Reads a file that is shipped with the program.
fn packaged(file: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../packaging");
    std::fs::read_to_string(std::path::Path::new(folder).join(file)).expect("a file")
}

/// Returns the metrics that a text names, without the ends of the parts of histograms.
fn named_metrics(text: &str) -> BTreeSet<String> {
    let words = text.split(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_'));
    let names = words.filter(|word| word.starts_with("magpie_"));
    names
        .map(|name| name.trim_end_matches("_bucket").to_owned())
        .collect()
}

#[test]
fn shipped_dashboards_and_rules_can_be_read() {
    let dashboard: serde_json::Value = serde_json::from_str(&packaged("grafana.json")).expect("JSON");
    let panels = dashboard["panels"].as_array().expect("panels");
    assert!(panels.iter().all(|panel| panel["targets"][0]["expr"].is_string()));
    let rules = packaged("alerts.yml");
    let count = |key: &str| {
        rules
            .lines()
            .filter(|line| line.trim_start().starts_with(key))
            .count()
    };
    let alerts = count("- alert: ");
    assert!(alerts >= 5, "{rules}");
    for key in ["expr: ", "severity: ", "summary: ", "description: "] {
        assert_eq!(count(key), alerts, "{key}");
    }
}

#[test]
fn a_stopped_session_does_no_stage_and_goes_on_later() {
    let bench = Bench::new(3, "");
    assert!(bench.stop.ask());
    assert!(!bench.stop.ask());
    let outcome = learn(bench.session(), &bench.all_sites(), &mut ()).expect("it ends");
    assert!(outcome.is_none());
    let reader = bench.session().store();
    assert!(reader.stages("events").expect("stages").is_empty());
}

#[test]
fn what_was_not_learned_can_not_be_recrawled() {
    let bench = Bench::new(3, "");
    let outcome = recrawl(bench.session(), Method::Selective, &mut ());
    assert!(matches!(outcome, Err(PipelineError::NothingLearned { .. })));
    let outcome = learn(bench.session(), &LearnRequest::default(), &mut ());
    assert!(matches!(outcome, Err(PipelineError::NothingToBeginWith)));
}

#[test]
fn a_round_before_the_last_run_is_refused() {
    let bench = Bench::new(3, "");
    learn(bench.session(), &bench.all_sites(), &mut ()).expect("it learns");
    let runs = bench.session().store().runs().expect("runs").len();
    bench
        .session()
        .clock()
        .set(Timestamp::from_seconds(1_577_836_800));
    let error = recrawl(bench.session(), Method::Selective, &mut ()).expect_err("it is too early");
    assert!(matches!(error, PipelineError::BeforeLastRun { .. }), "{error}");
    let left = bench.session().store().runs().expect("runs").len();
    assert_eq!(left, runs, "no run is begun");
}
