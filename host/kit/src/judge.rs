//! `plugin test`: fixtures against the compiled component, one verdict per attribute.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use magpie_model::{Judgement, Object, Record, VerticalInfo};
use magpie_runtime::Plugin;
use magpie_values::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::causes::with_causes;
use crate::fixture::{
    self, AttributeVerdict, Case, ExpectedJudgement, FixtureProblem, ObjectReference, ObjectVerdict, Verdict,
};
use crate::groups::{Groups, compared, group};
use crate::run::{CallView, Failure, PageRun, run_page};

/// The results of all fixtures of a plugin.
#[derive(Debug)]
pub struct TestReport {
    pub fixtures: Vec<FixtureReport>,
    /// Sentences about unexpected clusters; `None` if there is no expectation.
    pub clusters: Option<Vec<String>>,
    /// Fixtures or clusters that can't be read.
    pub problems: Vec<String>,
    /// Number of fixtures among these; the others are clusters.
    pub broken: usize,
    /// The result of each template in each language of its table.
    pub templates: BTreeMap<String, BTreeMap<String, TemplateCell>>,
}

/// The result of a template in a language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum TemplateCell {
    /// As expected.
    Ok,
    /// Not as expected, or not readable.
    Failed,
    /// The table of words lacks a word.
    NoWord,
}

#[derive(Debug)]
pub struct FixtureReport {
    pub name: String,
    pub run: PageRun,
    /// A verdict for each object; `None` if the fixture does not state expected objects.
    pub objects: Option<Vec<ObjectVerdict>>,
    /// The judgement of the page beside the expected one.
    pub judgement: JudgementVerdict,
    /// True if a second run gave another result.
    pub fickle: bool,
    /// Sentences about what differs when the page is fetched a year later.
    pub by_clock: Vec<String>,
    /// Attributes that are expected, or to be ignored, and that the schema does not have.
    pub unknown_attributes: Vec<String>,
    /// Those of them that are to be ignored: a slip that would otherwise never show.
    pub unknown_ignored: Vec<String>,
}

/// The judgement of a page beside the expected one.
#[derive(Clone, Debug, PartialEq)]
pub enum JudgementVerdict {
    /// The plugin judges no pages, and none is to be judged.
    None,
    Ok,
    /// Another judgement than the expected one, or none.
    Wrong {
        expected: ExpectedJudgement,
        actual: Option<Judgement>,
    },
    /// The plugin judges pages, and the fixture has no expected judgement.
    Unstated,
}

impl JudgementVerdict {
    fn of(judges: bool, expected: Option<&ExpectedJudgement>, actual: Option<&Judgement>) -> Self {
        let is_met = |expected: &ExpectedJudgement, actual: &Judgement| {
            let is_reason = |reason: &String| *reason == actual.reason;
            expected.accepted == actual.accepted && expected.reason.as_ref().is_none_or(is_reason)
        };
        match (expected, actual) {
            (None, _) if judges => Self::Unstated,
            (None, _) => Self::None,
            (Some(expected), Some(actual)) if is_met(expected, actual) => Self::Ok,
            (Some(expected), actual) => Self::Wrong {
                expected: expected.clone(),
                actual: actual.cloned(),
            },
        }
    }

    pub fn is_ok(&self) -> bool {
        matches!(self, Self::None | Self::Ok)
    }

    fn view(&self) -> Option<JudgementVerdictView> {
        let verdict = |verdict, expected, actual| {
            Some(JudgementVerdictView {
                verdict,
                expected,
                actual,
            })
        };
        match self {
            Self::None => None,
            Self::Ok => verdict(VerdictWord::Ok, None, None),
            Self::Unstated => verdict(VerdictWord::Unstated, None, None),
            Self::Wrong { expected, actual } => {
                let expected = ExpectedJudgementView {
                    accepted: expected.accepted,
                    reason: expected.reason.clone(),
                };
                verdict(VerdictWord::Wrong, Some(expected), Some(actual.clone()))
            }
        }
    }
}

impl FixtureReport {
    /// Returns true if everything is as expected.
    pub fn passed(&self) -> bool {
        !self.fickle
            && self.by_clock.is_empty()
            && self.unknown_ignored.is_empty()
            && self.run.error.is_none()
            && self.judgement.is_ok()
            && self
                .objects
                .as_ref()
                .is_some_and(|objects| objects.iter().all(ObjectVerdict::is_ok))
    }

    /// Returns the number of good verdicts on attributes, and the number of all.
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

    fn view(&self) -> FixtureView {
        let objects = self.objects.as_ref();
        FixtureView {
            fixture: self.name.clone(),
            passed: self.passed(),
            objects: objects.map(|all| all.iter().map(ObjectVerdictView::from).collect()),
            judgement: self.judgement.view(),
            deterministic: !self.fickle,
            by_clock: self.by_clock.clone(),
            unknown_attributes: self.unknown_attributes.clone(),
            error: self.run.error.clone(),
            call: CallView::from(&self.run),
        }
    }
}

impl TestReport {
    fn add(&mut self, plugin: &Plugin, case: &Case, in_order: bool) {
        let outcome = case.load();
        let cell = match outcome {
            Ok(fixture) => {
                let report = test_fixture(plugin, fixture, in_order);
                let cell = match report.passed() {
                    true => TemplateCell::Ok,
                    false => TemplateCell::Failed,
                };
                self.fixtures.push(report);
                cell
            }
            Err(problem) => {
                self.add_problem(&problem);
                match problem.missing_word {
                    true => TemplateCell::NoWord,
                    false => TemplateCell::Failed,
                }
            }
        };
        if let Some((template, language)) = case.template() {
            let cells = self.templates.entry(template).or_default();
            cells.insert(language.to_owned(), cell);
        }
    }

    /// Adds a problem for each language that one template has and another has not.
    fn complete_languages(&mut self) {
        let all: BTreeSet<String> = self
            .templates
            .values()
            .flat_map(BTreeMap::keys)
            .cloned()
            .collect();
        for (template, cells) in &mut self.templates {
            for language in &all {
                cells.entry(language.clone()).or_insert_with(|| {
                    self.problems.push(format!(
                        "the words of the template `{template}` have no column for `{language}`, as \
                         others have"
                    ));
                    self.broken += 1;
                    TemplateCell::NoWord
                });
            }
        }
    }

    fn add_problem(&mut self, problem: &FixtureProblem) {
        self.problems.push(with_causes(problem));
        self.broken += 1;
    }

    /// Returns true if everything is as expected.
    pub fn passed(&self) -> bool {
        self.problems.is_empty()
            && self.fixtures.iter().all(FixtureReport::passed)
            && self.clusters.as_ref().is_none_or(Vec::is_empty)
    }

    /// Returns true if the expected clusters can't be read.
    pub fn clusters_broken(&self) -> bool {
        self.problems.len() > self.broken
    }

    pub fn count(&self) -> usize {
        self.fixtures.len() + self.broken
    }

    /// Number of failed fixtures, including broken ones.
    pub fn failed(&self) -> usize {
        self.fixtures.iter().filter(|one| !one.passed()).count() + self.broken
    }

    /// Returns the lines for programs: fixtures, then the clusters, then the whole.
    pub fn lines(&self) -> Vec<TestLine> {
        let fixtures = self.fixtures.iter();
        let mut lines: Vec<TestLine> = fixtures
            .map(|one| TestLine::Fixture(Box::new(one.view())))
            .collect();
        if let Some(clusters) = &self.clusters {
            lines.push(TestLine::Clusters(ClustersView {
                clusters: clusters.clone(),
                passed: clusters.is_empty(),
            }));
        }
        lines.push(TestLine::Summary(TestSummary {
            passed: self.passed(),
            fixtures: self.count(),
            failed: self.failed(),
            // Clusters that can't be read were expected, so they have failed and are not absent.
            clusters_passed: self
                .clusters
                .as_ref()
                .map(Vec::is_empty)
                .or(self.clusters_broken().then_some(false)),
            problems: self.problems.clone(),
            templates: self.templates.clone(),
        }));
        lines
    }
}

#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum TestLine {
    Fixture(Box<FixtureView>),
    Clusters(ClustersView),
    Summary(TestSummary),
}

/// A fixture.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Fixture")]
pub struct FixtureView {
    /// Name of the fixture.
    fixture: String,
    /// True if everything is as expected.
    passed: bool,
    /// Verdicts on expected and actual objects.
    objects: Option<Vec<ObjectVerdictView>>,
    /// Verdict on the judgement, or null.
    judgement: Option<JudgementVerdictView>,
    /// True if a second call had the same result.
    deterministic: bool,
    /// Sentences about what differs when the page is fetched a year later; empty if nothing does.
    by_clock: Vec<String>,
    /// Expected or ignored attributes that the schema does not have.
    unknown_attributes: Vec<String>,
    /// Reason why there is no result, or null.
    error: Option<Failure>,
    /// The call.
    #[serde(flatten)]
    call: CallView,
}

/// The clusters of the fixtures, if some are expected.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Clusters")]
pub struct ClustersView {
    /// Sentence for each difference.
    clusters: Vec<String>,
    /// True if the clusters are as expected.
    passed: bool,
}

/// The whole test, in the last line.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TestSummary {
    /// True if everything is as expected.
    passed: bool,
    /// Number of fixtures, including those that can't be read.
    fixtures: usize,
    /// Number of failed fixtures, including those that can't be read.
    failed: usize,
    /// True if the clusters are as expected; null if none are expected.
    clusters_passed: Option<bool>,
    /// Reasons why fixtures can't be read.
    problems: Vec<String>,
    /// Result of each template, by language.
    templates: BTreeMap<String, BTreeMap<String, TemplateCell>>,
}

/// The verdict on an object.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "ObjectVerdict")]
struct ObjectVerdictView {
    /// Index of the expected object, or null.
    expected: Option<usize>,
    /// Index of the actual object, or null.
    actual: Option<usize>,
    /// Verdict on each attribute.
    attributes: BTreeMap<String, AttributeVerdictView>,
}

/// The verdict on an attribute, with the values if it is not `ok`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "AttributeVerdict")]
struct AttributeVerdictView {
    /// The verdict.
    verdict: VerdictWord,
    /// Expected values.
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<Vec<String>>,
    /// Actual values.
    #[serde(skip_serializing_if = "Option::is_none")]
    actual: Option<Vec<String>>,
}

/// The verdict on a judgement, with the judgements if it is `wrong`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "JudgementVerdict")]
struct JudgementVerdictView {
    /// The verdict; `unstated` if the fixture expects no judgement of a plugin that judges.
    verdict: VerdictWord,
    /// Expected judgement.
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<ExpectedJudgementView>,
    /// Actual judgement.
    #[serde(skip_serializing_if = "Option::is_none")]
    actual: Option<Option<Judgement>>,
}

/// An expected judgement.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "ExpectedJudgement")]
struct ExpectedJudgementView {
    /// True if the page is to be accepted.
    accepted: bool,
    /// Expected reason, or null.
    reason: Option<String>,
}

/// A verdict.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum VerdictWord {
    /// As expected.
    Ok,
    /// Different.
    Wrong,
    /// Expected and not there.
    Missing,
    /// There and not expected.
    Extra,
    /// Nothing is expected.
    Unstated,
}

impl From<&ObjectVerdict> for ObjectVerdictView {
    fn from(object: &ObjectVerdict) -> ObjectVerdictView {
        let verdict = |one: &AttributeVerdict| {
            let (verdict, expected, actual) = match &one.verdict {
                Verdict::Ok => (VerdictWord::Ok, None, None),
                Verdict::Wrong { expected, actual } => (VerdictWord::Wrong, Some(expected), Some(actual)),
                Verdict::Missing { expected } => (VerdictWord::Missing, Some(expected), None),
                Verdict::Extra { actual } => (VerdictWord::Extra, None, Some(actual)),
            };
            let view = AttributeVerdictView {
                verdict,
                expected: expected.cloned(),
                actual: actual.cloned(),
            };
            (one.name.clone(), view)
        };
        ObjectVerdictView {
            expected: object.expected,
            actual: object.actual,
            attributes: object.attributes.iter().map(verdict).collect(),
        }
    }
}

/// Tests a plugin on all fixtures of a folder. `only` keeps those whose name contains it. The order
/// of the values of an attribute counts only with `in_order`.
pub fn test(
    plugin: &Plugin,
    fixtures: &Path,
    only: Option<&str>,
    in_order: bool,
) -> Result<TestReport, FixtureProblem> {
    let mut report = TestReport {
        fixtures: Vec::new(),
        clusters: None,
        problems: Vec::new(),
        broken: 0,
        templates: BTreeMap::new(),
    };
    let wanted = |name: &str| only.is_none_or(|only| name.contains(only));
    let mut alone = Vec::new();
    for folder in fixture::list(fixtures)? {
        match fixture::cases(&folder) {
            Ok(cases) => {
                for case in cases.into_iter().filter(|case| wanted(&case.name)) {
                    report.add(plugin, &case, in_order);
                    alone.extend(case.template().is_none().then_some(case.name));
                }
            }
            Err(problem) if wanted(&fixture::name_of(&folder)) => report.add_problem(&problem),
            Err(_) => {}
        }
    }
    // A filter leaves out languages, and fixtures that the clusters name.
    if only.is_none() {
        report.complete_languages();
        let fixtures_alone = report.fixtures.iter().filter(|one| alone.contains(&one.name));
        match judge_clusters(plugin, fixtures, &fixtures_alone.collect::<Vec<_>>()) {
            Ok(clusters) => report.clusters = clusters,
            Err(problem) => report.problems.push(problem),
        }
    }
    Ok(report)
}

/// Seconds between two fetches of a fixture.
const A_YEAR: i64 = 365 * 86_400;

/// Returns a sentence for each difference between a page and the same page fetched a year later.
/// The clock must not change what is read.
fn by_clock(run: &PageRun, later: &PageRun) -> Vec<String> {
    let mut found = differences(&run.records, &later.records);
    if run.judgement != later.judgement {
        found.push("the judgement differs a year later".to_owned());
    }
    found
}

fn differences(now: &[Record], later: &[Record]) -> Vec<String> {
    let mut found = Vec::new();
    if now.len() != later.len() {
        let (now, later) = (now.len(), later.len());
        found.push(format!("number of objects: {now}, and {later} a year later"));
    }
    for (place, (one, other)) in now.iter().zip(later).enumerate() {
        let attributes: BTreeSet<&str> = one.attributes().chain(other.attributes()).collect();
        for attribute in attributes {
            let text = |record: &Record| {
                let values: Vec<&str> = record.all(attribute).collect();
                match values.is_empty() {
                    true => "nothing".to_owned(),
                    false => values.join(", "),
                }
            };
            let (now, later) = (text(one), text(other));
            if now != later {
                found.push(format!(
                    "object {place}, {attribute}: {now}, and {later} a year later"
                ));
            }
        }
    }
    found
}

fn test_fixture(plugin: &Plugin, fixture: fixture::Fixture, in_order: bool) -> FixtureReport {
    // Each fixture is judged by itself: that others fail must not leave this one out.
    plugin.breaker().reset();
    let again = run_page(plugin, fixture.page.clone());
    let mut later = fixture.page.clone();
    later.fetched_at = Timestamp::from_seconds(later.fetched_at.as_seconds() + A_YEAR);
    let later = run_page(plugin, later);
    let run = run_page(plugin, fixture.page).of_fixture();
    let found: Vec<Value> = run.records.iter().map(Record::to_json).collect();
    let expected = fixture.expected.clone().unwrap_or_default();
    let unknown_ignored = unknown(&expected.ignore, plugin.info());
    let named = expected
        .objects
        .iter()
        .flat_map(|object| object.attributes.keys());
    let mut unknown_attributes = unknown(named, plugin.info());
    unknown_attributes.extend(unknown_ignored.iter().cloned());
    FixtureReport {
        name: fixture.name,
        by_clock: by_clock(&run, &later),
        fickle: again.records != run.records || again.judgement != run.judgement,
        judgement: JudgementVerdict::of(
            plugin.judges(),
            expected.judgement.as_ref(),
            run.judgement.as_ref(),
        ),
        unknown_attributes: unknown_attributes.into_iter().collect(),
        unknown_ignored: unknown_ignored.into_iter().collect(),
        objects: fixture
            .expected
            .map(|expected| fixture::compare(&expected, &found, in_order)),
        run,
    }
}

/// The names that the schema does not have.
fn unknown<'a>(names: impl IntoIterator<Item = &'a String>, info: &VerticalInfo) -> BTreeSet<String> {
    let known = |name: &String| name == "type" || info.attribute(name).is_some();
    names.into_iter().filter(|name| !known(name)).cloned().collect()
}

/// Returns the attribute that is meant by an unknown name: the same but for case and dashes, since
/// `submissionDeadline` and `submission_deadline` are `submission-deadline` here.
pub fn meant<'a>(name: &str, info: &'a VerticalInfo) -> Option<&'a str> {
    let letters = |name: &str| name.to_lowercase().replace(['-', '_'], "");
    let mut names = info.attributes.iter().map(|attribute| attribute.name.as_str());
    names.find(|known| letters(known) == letters(name))
}

/// Sentences about expected clusters that are not there, and about found ones that should not be.
fn judge_clusters(
    plugin: &Plugin,
    folder: &Path,
    fixtures: &[&FixtureReport],
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
    let expected =
        fixture::load_clusters(folder, expected_objects).map_err(|problem| with_causes(&problem))?;
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
        sentences.extend(apart(cluster, &together, |one, two| {
            compared(plugin, &[objects[one].clone(), objects[two].clone()])
        })?);
    }
    for (at, reference) in references.iter().enumerate() {
        sentences.extend(wrongly_joined(at, reference, &expected, &references, &groups));
    }
    Ok(Some(sentences))
}

/// The found objects that belong to expected ones, and what they are called.
fn expected_and_found(fixtures: &[&FixtureReport]) -> (Vec<ObjectReference>, Vec<Object>) {
    let mut references = Vec::new();
    let mut objects = Vec::new();
    for fixture in fixtures {
        for verdict in fixture.objects.iter().flatten() {
            // An object that was not found is in no group, and an unexpected one has no name.
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

/// Returns the members of an expected cluster that are separate from its first one, with their
/// similarity.
fn apart(
    cluster: &[ObjectReference],
    together: &BTreeMap<ObjectReference, (usize, usize)>,
    alike: impl Fn(usize, usize) -> Result<String, String>,
) -> Result<Vec<String>, String> {
    let lost = |reference: &ObjectReference| format!("{reference} was not found, so it is in no cluster");
    let Some((first, rest)) = cluster.split_first() else {
        return Ok(Vec::new());
    };
    let Some(&(home, first_place)) = together.get(first) else {
        return Ok(vec![lost(first)]);
    };
    let mut sentences = Vec::new();
    for other in rest {
        match together.get(other) {
            None => sentences.push(lost(other)),
            Some(&(group, place)) if group != home => sentences.push(format!(
                "{first} and {other} are one object, but were not merged ({})",
                alike(first_place, place)?
            )),
            Some(_) => {}
        }
    }
    Ok(sentences)
}

/// The first later object that shares a group with this one and should not.
fn wrongly_joined(
    at: usize,
    reference: &ObjectReference,
    expected: &[Vec<ObjectReference>],
    references: &[ObjectReference],
    groups: &Groups,
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
        // Each pair is judged once, at the one that comes first.
        .find(|&&other| other > at && !same(reference, &references[other]))?;
    Some(format!(
        "{reference} and {} are two objects, but were merged ({})",
        references[*other],
        groups.why(at, *other).unwrap_or_default()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_clock_changes_is_told() {
        let record = |start: &str| {
            let json = serde_json::json!({
                "type": "Event", "confidence": 0.9, "attributes": {"name": "Choir", "start": start},
            });
            Record::from_json(&json).expect("it is a record")
        };
        let (now, later) = (record("2026-05-03"), record("2027-05-03"));
        assert!(differences(std::slice::from_ref(&now), std::slice::from_ref(&now)).is_empty());
        assert_eq!(
            differences(std::slice::from_ref(&now), &[later]),
            ["object 0, start: 2026-05-03, and 2027-05-03 a year later"]
        );
        assert_eq!(
            differences(&[now], &[]),
            ["number of objects: 1, and 0 a year later"]
        );
    }

    #[test]
    fn a_judgement_is_as_expected_wrong_or_unstated() {
        let given = |accepted| Judgement::new(accepted, 0.9, "one rating");
        let expected = |accepted, reason: Option<&str>| ExpectedJudgement {
            accepted,
            reason: reason.map(str::to_owned),
        };
        let verdict = |expected: Option<ExpectedJudgement>, accepted| {
            JudgementVerdict::of(true, expected.as_ref(), given(accepted).as_ref())
        };
        assert_eq!(verdict(Some(expected(true, None)), true), JudgementVerdict::Ok);
        assert_eq!(
            verdict(Some(expected(false, Some("one rating"))), false),
            JudgementVerdict::Ok
        );
        assert_eq!(verdict(None, true), JudgementVerdict::Unstated);
        for wrong in [expected(false, None), expected(true, Some("two ratings"))] {
            assert!(!verdict(Some(wrong), true).is_ok());
        }
        // A failed call gave none; a plugin that judges nothing needs no expectation.
        assert!(!JudgementVerdict::of(true, Some(&expected(false, None)), None).is_ok());
        assert!(JudgementVerdict::of(false, None, None).is_ok());
        assert!(!JudgementVerdict::of(false, Some(&expected(true, None)), None).is_ok());
    }
}
