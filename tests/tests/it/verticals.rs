//! The first-party verticals as compiled components, against their fixtures and under default
//! limits.

use std::path::Path;

use magpie_kit::fixture::Verdict;
use magpie_kit::judge::{JudgementVerdict, TestReport, test};
use magpie_runtime::{Plugin, Runtime, RuntimeSettings};
use magpie_tests::{polyglot, root, vertical};

/// Minimum number of fixtures of a vertical; fewer would not cover all kinds.
const FIXTURES: usize = 10;

fn load(component: &Path) -> Plugin {
    let runtime = Runtime::new(&RuntimeSettings {
        instances: 4,
        ..RuntimeSettings::default()
    })
    .expect("it starts");
    runtime
        .load(component)
        .unwrap_or_else(|error| panic!("{}: {error}", component.display()))
}

/// Everything in which the fixtures differ from what is expected of them.
fn complaints(report: &TestReport) -> Vec<String> {
    let mut complaints = report.problems.clone();
    for fixture in report.fixtures.iter().filter(|fixture| !fixture.passed()) {
        complaints.push(format!("{}: {:?}", fixture.name, fixture.run.error));
        for object in fixture.objects.iter().flatten() {
            let wrong = object.attributes.iter().filter(|one| one.verdict != Verdict::Ok);
            complaints.extend(
                wrong.map(|one| format!("  object {:?}: {} {:?}", object.expected, one.name, one.verdict)),
            );
        }
    }
    complaints.extend(report.clusters.iter().flatten().cloned());
    complaints
}

fn check(folder: &str, component: &Path) {
    let name = folder.rsplit('/').next().unwrap_or(folder);
    let plugin = load(component);
    assert!(
        plugin.extracts() && plugin.clusters() && plugin.queries_itself(),
        "{name} does all of it"
    );
    assert_eq!(plugin.problems(), [], "{name} describes itself without a flaw");
    let report = test(
        &plugin,
        &root().join("plugins").join(folder).join("fixtures"),
        None,
        false,
    )
    .expect("fixtures are there");
    let complaints = complaints(&report);
    assert!(complaints.is_empty(), "{name}:\n{}", complaints.join("\n"));
    assert!(
        report.fixtures.len() >= FIXTURES,
        "{name} has only {} fixtures",
        report.fixtures.len()
    );
    assert!(
        report.clusters.is_some(),
        "{name} expects something of its clusters"
    );
    let empty = report
        .fixtures
        .iter()
        .filter(|fixture| fixture.run.records.is_empty())
        .count();
    assert!(empty >= 2, "{name} is shown pages about something else");
    for fixture in &report.fixtures {
        for record in &fixture.run.records {
            let queries = plugin
                .queries(&record.to_object())
                .outcome
                .expect("queries are made");
            assert!(
                !queries.is_empty(),
                "{name}: no query for {:?}",
                record.values.first()
            );
        }
    }
}

#[test]
fn events_pass_their_fixtures() {
    check("events", &vertical!("events"));
}

#[test]
fn books_pass_their_fixtures() {
    check("books", &vertical!("books"));
}

#[test]
fn products_pass_their_fixtures() {
    check("products", &vertical!("products"));
}

#[test]
fn jobs_in_javascript_pass_their_fixtures() {
    if let Some(component) = polyglot("jobs") {
        check("polyglot/jobs", &component);
    }
}

#[test]
fn reviews_in_javascript_are_judged_as_expected() {
    let Some(component) = polyglot("reviews") else {
        return;
    };
    let plugin = load(&component);
    assert!(plugin.judges() && !plugin.extracts());
    assert_eq!(plugin.problems(), []);
    let fixtures = root().join("plugins/polyglot/reviews/fixtures");
    let report = test(&plugin, &fixtures, None, false).expect("fixtures are there");
    let judgements = report.fixtures.iter().map(|fixture| &fixture.judgement);
    assert!(
        judgements.clone().all(|one| *one == JudgementVerdict::Ok),
        "{:?}",
        judgements.collect::<Vec<_>>()
    );
    assert!(report.passed() && report.fixtures.len() >= 6);
    let accepted = report
        .fixtures
        .iter()
        .filter_map(|fixture| fixture.run.judgement.as_ref());
    assert_eq!(accepted.filter(|judgement| judgement.accepted).count(), 3);
}

#[test]
fn recipes_in_python_pass_their_fixtures() {
    if let Some(component) = polyglot("recipes") {
        check("polyglot/recipes", &component);
    }
}

#[test]
fn talks_in_c_pass_their_fixtures() {
    let Some(component) = polyglot("talks") else {
        return;
    };
    let report = test(
        &load(&component),
        &root().join("examples/c/fixtures"),
        None,
        false,
    )
    .expect("fixtures are there");
    let complaints = complaints(&report);
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    let records = report.fixtures.iter().map(|fixture| fixture.run.records.len());
    assert_eq!(records.collect::<Vec<_>>(), [0, 1], "the imprint, then the talk");
}
