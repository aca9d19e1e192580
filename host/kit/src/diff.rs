//! `plugin diff`: objects that only one of two versions of a plugin finds, and pages that they
//! judge differently.

use std::collections::BTreeMap;

use magpie_model::json::{CodeAndMessage, OldAndNew, RecordView};
use magpie_model::{Judgement, Record};
use magpie_page::PageSource;
use magpie_runtime::Plugin;
use schemars::JsonSchema;
use serde::Serialize;

use crate::fixture::{AttributeVerdict, Expected, ObjectVerdict, Verdict, compare, expectation};
use crate::run::{Failure, PageRun, run_page};

/// The difference between two versions of a plugin on a page.
#[derive(Debug)]
pub struct PageDiff {
    pub url: String,
    /// Objects that both found and that differ, and objects that one alone found.
    pub objects: Vec<ObjectDiff>,
    /// Failures, old and new, where one of them failed or both failed differently.
    pub failures: Option<(Option<Failure>, Option<Failure>)>,
    /// Judgements, old and new, where they differ.
    pub judgements: Option<(Option<Judgement>, Option<Judgement>)>,
    /// Number of objects that are the same in both.
    pub unchanged: usize,
}

#[derive(Debug)]
pub struct ObjectDiff {
    /// The object as the old version found it.
    pub old: Option<Record>,
    /// The object as the new version found it.
    pub new: Option<Record>,
    /// The attributes that differ: name, old values, new values.
    pub attributes: Vec<(String, Vec<String>, Vec<String>)>,
}

impl PageDiff {
    /// Returns true if both versions agree.
    pub fn is_empty(&self) -> bool {
        self.objects.is_empty() && self.failures.is_none() && self.judgements.is_none()
    }

    pub fn view(&self) -> PageDiffView {
        let object = |one: &ObjectDiff| {
            let attributes = one.attributes.iter().map(|(name, old, new)| {
                let (old, new) = (old.clone(), new.clone());
                (name.clone(), OldAndNew { old, new })
            });
            ObjectDiffView {
                change: match (&one.old, &one.new) {
                    (None, _) => ChangeWord::Added,
                    (_, None) => ChangeWord::Removed,
                    _ => ChangeWord::Changed,
                },
                old: one.old.as_ref().map(Record::view),
                new: one.new.as_ref().map(Record::view),
                attributes: attributes.collect(),
            }
        };
        let failure = |failure: &Failure| CodeAndMessage {
            code: failure.code.clone(),
            message: failure.message.clone(),
        };
        PageDiffView {
            url: self.url.clone(),
            unchanged: self.unchanged,
            objects: self.objects.iter().map(object).collect(),
            judgements: self
                .judgements
                .clone()
                .map(|(old, new)| JudgementsView { old, new }),
            failures: self.failures.as_ref().map(|(old, new)| FailuresView {
                old: old.as_ref().map(failure),
                new: new.as_ref().map(failure),
            }),
        }
    }
}

/// A page on which two versions differ.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "PageDiff")]
pub struct PageDiffView {
    /// URL of the page.
    url: String,
    /// Number of objects that are the same in both versions.
    unchanged: usize,
    /// Objects that differ.
    objects: Vec<ObjectDiffView>,
    /// Judgements where they differ, else null.
    judgements: Option<JudgementsView>,
    /// Failures where they differ, else null.
    failures: Option<FailuresView>,
}

/// An object that differs between two versions.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "ObjectDiff")]
struct ObjectDiffView {
    /// Kind of difference.
    change: ChangeWord,
    /// The object as the old version found it.
    old: Option<RecordView>,
    /// The object as the new version found it.
    new: Option<RecordView>,
    /// Attributes that differ, with their values.
    attributes: BTreeMap<String, OldAndNew>,
}

/// A kind of difference.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum ChangeWord {
    /// Only the new version found the object.
    Added,
    /// Only the old version found it.
    Removed,
    /// Both found it.
    Changed,
}

/// The judgements of two versions.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct JudgementsView {
    /// Judgement of the old version.
    old: Option<Judgement>,
    /// Judgement of the new version.
    new: Option<Judgement>,
}

/// The failures of two versions.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct FailuresView {
    /// Failure of the old version.
    old: Option<CodeAndMessage>,
    /// Failure of the new version.
    new: Option<CodeAndMessage>,
}

/// Compares two versions on a page. The order of the values of an attribute counts only with
/// `in_order`.
pub fn diff_page(old: &Plugin, new: &Plugin, source: PageSource, in_order: bool) -> PageDiff {
    let before = run_page(old, source.clone());
    let after = run_page(new, source);
    let found = |run: &PageRun| run.records.iter().map(Record::to_json).collect::<Vec<_>>();
    // The objects of the old version serve as the expectation, so both commands pair objects alike.
    let expected: Expected = expectation(&found(&before), None);
    let verdicts = compare(&expected, &found(&after), in_order);
    let changed = |verdict: &&ObjectVerdict| !verdict.is_ok();
    let objects: Vec<ObjectDiff> = verdicts
        .iter()
        .filter(changed)
        .map(|verdict| object_diff(verdict, &before, &after))
        .collect();
    let code = |run: &PageRun| run.error.as_ref().map(|error| error.code.clone());
    let judgements = (before.judgement.clone(), after.judgement.clone());
    // A version that failed has not judged the page.
    let is_judged = before.error.is_none() && after.error.is_none();
    PageDiff {
        judgements: (is_judged && judgements.0 != judgements.1).then_some(judgements),
        unchanged: verdicts.len() - objects.len(),
        failures: (code(&before) != code(&after)).then(|| (before.error.clone(), after.error.clone())),
        url: after.url,
        objects,
    }
}

fn object_diff(verdict: &ObjectVerdict, before: &PageRun, after: &PageRun) -> ObjectDiff {
    let difference = |one: &AttributeVerdict| match &one.verdict {
        Verdict::Ok => None,
        Verdict::Wrong { expected, actual } => Some((one.name.clone(), expected.clone(), actual.clone())),
        Verdict::Missing { expected } => Some((one.name.clone(), expected.clone(), Vec::new())),
        Verdict::Extra { actual } => Some((one.name.clone(), Vec::new(), actual.clone())),
    };
    ObjectDiff {
        old: verdict
            .expected
            .and_then(|place| before.records.get(place).cloned()),
        new: verdict.actual.and_then(|place| after.records.get(place).cloned()),
        attributes: verdict.attributes.iter().filter_map(difference).collect(),
    }
}
