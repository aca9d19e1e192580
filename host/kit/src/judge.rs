//! `plugin test`: fixtures against the compiled component, one verdict per attribute.

use std::collections::BTreeMap;
use std::path::Path;

use magpie_model::Object;
use magpie_runtime::Plugin;
use serde_json::{Value, json};

use crate::fixture::{self, AttributeVerdict, FixtureProblem, ObjectReference, ObjectVerdict, Verdict};
use crate::groups::group;
use crate::run::{PageRun, milliseconds, run_page};

/// What came of all fixtures of a plugin.
#[derive(Debug)]
pub struct TestReport {
    /// Each fixture.
    pub fixtures: Vec<FixtureReport>,
    /// Sentences about clusters that are not as expected; none when there is nothing expected of them.
    pub clusters: Option<Vec<String>>,
    /// Fixtures or clusters that can't be read.
    pub problems: Vec<String>,
}

/// What came of one fixture.
#[derive(Debug)]
pub struct FixtureReport {
    /// Its name.
    pub name: String,
    /// The run of its page.
    pub run: PageRun,
    /// A verdict for each object; none when the fixture says nothing of what is expected.
    pub objects: Option<Vec<ObjectVerdict>>,
    /// Whether a second run gave another result.
    pub fickle: bool,
}

impl FixtureReport {
    /// Whether everything is as expected.
    pub fn passed(&self) -> bool {
        !self.fickle
            && self.run.error.is_none()
            && self
                .objects
                .as_ref()
                .is_some_and(|objects| objects.iter().all(ObjectVerdict::is_ok))
    }

    /// How many verdicts on attributes are good, and how many there are.
    pub fn score(&self) -> (usize, usize) {
        let verdicts = self
            .objects
            .iter()
            .flatten()
            .flat_map(|object| &object.attributes);
        verdicts.fold((0, 0), |(good, all), one| {
            (good + usize::from(one.verdict == Verdict::Ok), all + 1)
        })
    }

    fn to_json(&self) -> Value {
        json!({
            "fixture": self.name,
            "passed": self.passed(),
            "objects": self.objects.as_ref().map(|all| all.iter().map(object_json).collect::<Vec<_>>()),
            "deterministic": !self.fickle,
            "error": self.run.error.as_ref().map(|e| json!({"code": e.code, "message": e.message, "hint": e.hint})),
            "cpu_ms": milliseconds(self.run.cpu),
            "peak_bytes": self.run.peak_bytes,
            "violations": self.run.violations.iter().map(ToString::to_string).collect::<Vec<_>>(),
        })
    }
}

impl TestReport {
    /// Whether everything is as expected.
    pub fn passed(&self) -> bool {
        self.problems.is_empty()
            && self.fixtures.iter().all(FixtureReport::passed)
            && self.clusters.as_ref().is_none_or(Vec::is_empty)
    }

    /// The stable JSON form, one line each: fixtures, then the clusters, then the whole.
    pub fn to_json(&self) -> Vec<Value> {
        let mut lines: Vec<Value> = self.fixtures.iter().map(FixtureReport::to_json).collect();
        if let Some(clusters) = &self.clusters {
            lines.push(json!({"clusters": clusters, "passed": clusters.is_empty()}));
        }
        lines.push(json!({
            "passed": self.passed(),
            "fixtures": self.fixtures.len(),
            "failed": self.fixtures.iter().filter(|one| !one.passed()).count(),
            "problems": self.problems,
        }));
        lines
    }
}

fn object_json(object: &ObjectVerdict) -> Value {
    let verdict = |one: &AttributeVerdict| {
        let told = match &one.verdict {
            Verdict::Ok => json!({"verdict": "ok"}),
            Verdict::Wrong { expected, actual } => {
                json!({"verdict": "wrong", "expected": expected, "actual": actual})
            }
            Verdict::Missing { expected } => json!({"verdict": "missing", "expected": expected}),
            Verdict::Extra { actual } => json!({"verdict": "extra", "actual": actual}),
        };
        (one.name.clone(), told)
    };
    json!({
        "expected": object.expected,
        "actual": object.actual,
        "attributes": object.attributes.iter().map(verdict).collect::<serde_json::Map<_, _>>(),
    })
}

/// Tests a plugin on all fixtures of a folder. `only` keeps those whose name contains it.
pub fn test(plugin: &Plugin, fixtures: &Path, only: Option<&str>) -> Result<TestReport, FixtureProblem> {
    let mut report = TestReport {
        fixtures: Vec::new(),
        clusters: None,
        problems: Vec::new(),
    };
    for folder in fixture::list(fixtures)? {
        match fixture::load(&folder) {
            Ok(fixture) if only.is_none_or(|only| fixture.name.contains(only)) => {
                report.fixtures.push(test_fixture(plugin, fixture));
            }
            Ok(_) => {}
            Err(problem) => report.problems.push(problem.to_string()),
        }
    }
    if only.is_none() {
        match judge_clusters(plugin, fixtures, &report.fixtures) {
            Ok(clusters) => report.clusters = clusters,
            Err(problem) => report.problems.push(problem),
        }
    }
    Ok(report)
}

fn test_fixture(plugin: &Plugin, fixture: fixture::Fixture) -> FixtureReport {
    let again = run_page(plugin, fixture.page.clone());
    let run = run_page(plugin, fixture.page);
    let found: Vec<Value> = run.records.iter().map(magpie_model::Record::to_json).collect();
    FixtureReport {
        name: fixture.name,
        fickle: again.records != run.records,
        objects: fixture
            .expected
            .map(|expected| fixture::compare(&expected, &found)),
        run,
    }
}

/// Sentences about expected clusters that are not there, and about found ones that should not be.
fn judge_clusters(
    plugin: &Plugin,
    folder: &Path,
    fixtures: &[FixtureReport],
) -> Result<Option<Vec<String>>, String> {
    let expected_objects = |name: &str| {
        let fixture = fixtures.iter().find(|one| one.name == name)?;
        Some(
            fixture
                .objects
                .iter()
                .flatten()
                .filter(|object| object.expected.is_some())
                .count(),
        )
    };
    let expected = fixture::load_clusters(folder, expected_objects).map_err(|problem| problem.to_string())?;
    let Some(expected) = expected else { return Ok(None) };
    let (references, objects) = expected_and_found(fixtures);
    let groups = group(plugin, &objects)?;
    let mut together = BTreeMap::new();
    for (number, group) in groups.groups.iter().enumerate() {
        together.extend(
            group
                .members
                .iter()
                .map(|&place| (references[place].clone(), (number, place))),
        );
    }
    let mut sentences = Vec::new();
    for cluster in &expected {
        sentences.extend(apart(cluster, &together));
    }
    for (at, reference) in references.iter().enumerate() {
        sentences.extend(wrongly_joined(at, reference, &expected, &references, &groups));
    }
    Ok(Some(sentences))
}

/// The found objects that belong to expected ones, and what they are called.
fn expected_and_found(fixtures: &[FixtureReport]) -> (Vec<ObjectReference>, Vec<Object>) {
    let mut references = Vec::new();
    let mut objects = Vec::new();
    for fixture in fixtures {
        for verdict in fixture.objects.iter().flatten() {
            if let (Some(expected), Some(actual)) = (verdict.expected, verdict.actual) {
                references.push(ObjectReference {
                    fixture: fixture.name.clone(),
                    object: expected,
                });
                objects.push(fixture.run.records[actual].to_object());
            }
        }
    }
    (references, objects)
}

/// Members of an expected cluster that ended up elsewhere than its first one.
fn apart(cluster: &[ObjectReference], together: &BTreeMap<ObjectReference, (usize, usize)>) -> Vec<String> {
    let Some((first, rest)) = cluster.split_first() else {
        return Vec::new();
    };
    let number = |reference: &ObjectReference| together.get(reference).map(|(number, _)| *number);
    let Some(home) = number(first) else {
        return vec![format!("{first} was not found, so it is in no cluster")];
    };
    rest.iter()
        .filter_map(|other| match number(other) {
            None => Some(format!("{other} was not found, so it is in no cluster")),
            Some(there) if there != home => {
                Some(format!("{first} and {other} are one thing, and were kept apart"))
            }
            Some(_) => None,
        })
        .collect()
}

/// The first later object that shares a group with this one and should not.
fn wrongly_joined(
    at: usize,
    reference: &ObjectReference,
    expected: &[Vec<ObjectReference>],
    references: &[ObjectReference],
    groups: &crate::groups::Groups,
) -> Option<String> {
    let same = |one: &ObjectReference, two: &ObjectReference| {
        expected
            .iter()
            .any(|cluster| cluster.contains(one) && cluster.contains(two))
    };
    let group = groups.groups.iter().find(|group| group.members.contains(&at))?;
    let other = group
        .members
        .iter()
        .find(|&&other| other > at && !same(reference, &references[other]))?;
    let steps = groups.why(at, *other).unwrap_or_default();
    let reasons: Vec<String> = steps.iter().flat_map(|step| step.reasons.clone()).collect();
    Some(format!(
        "{reference} and {} are two things, and were taken for one ({})",
        references[*other],
        if reasons.is_empty() {
            "no reason given".to_owned()
        } else {
            reasons.join(", ")
        }
    ))
}
