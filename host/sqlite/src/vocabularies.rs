//! The vocabularies of columns that keep words.

use magpie_model::{Alarm, FormPurpose, UrlReason, UrlRuleKind};
use magpie_rows::{
    AlertKind, ArgumentKind, ChangeKind, FormSource, HintSource, MatcherKind, ObjectState, PictureProblem,
    PrunedBy, RobotsEffect, RoundMethod, RoundState, RunKind, RunOutcome, SelectionStrategy,
    SubmissionOutcome, TemplateState, UrlSource, UrlState,
};

/// The words of a column, as the documentation names them.
pub(crate) struct Vocabulary {
    /// Heading on the page of codes, in lower case.
    pub(crate) noun: &'static str,
    /// The words, unless another crate defines them.
    pub(crate) words: &'static [&'static str],
}

/// Pairs each column that keeps words with its vocabulary.
pub(crate) const VOCABULARIES: [(&str, &str, Vocabulary); 29] = [
    (
        "alert",
        "kind",
        Vocabulary::of(AlertKind::NOUN, &AlertKind::WORDS),
    ),
    (
        "argument",
        "kind",
        Vocabulary::of(ArgumentKind::NOUN, &ArgumentKind::WORDS),
    ),
    (
        "change",
        "kind",
        Vocabulary::of(ChangeKind::NOUN, &ChangeKind::WORDS),
    ),
    (
        "extraction",
        "outcome",
        Vocabulary::elsewhere("fault of a plugin"),
    ),
    ("fetch", "problem", URL_REASONS),
    (
        "form",
        "purpose",
        Vocabulary::of(FormPurpose::NOUN, &FormPurpose::WORDS),
    ),
    (
        "form",
        "source",
        Vocabulary::of(FormSource::NOUN, &FormSource::WORDS),
    ),
    (
        "hint",
        "source",
        Vocabulary::of(HintSource::NOUN, &HintSource::WORDS),
    ),
    (
        "host",
        "robots_outcome",
        Vocabulary::of(RobotsEffect::NOUN, &RobotsEffect::WORDS),
    ),
    (
        "object",
        "state",
        Vocabulary::of(ObjectState::NOUN, &ObjectState::WORDS),
    ),
    ("page", "problem", URL_REASONS),
    ("pattern", "alarm", Vocabulary::of(Alarm::NOUN, &Alarm::WORDS)),
    (
        "picture",
        "problem",
        Vocabulary::of(PictureProblem::NOUN, &PictureProblem::WORDS),
    ),
    (
        "query_template",
        "state",
        Vocabulary::of(TemplateState::NOUN, &TemplateState::WORDS),
    ),
    (
        "round",
        "method",
        Vocabulary::of(RoundMethod::NOUN, &RoundMethod::WORDS),
    ),
    (
        "round",
        "state",
        Vocabulary::of(RoundState::NOUN, &RoundState::WORDS),
    ),
    ("run", "kind", Vocabulary::of(RunKind::NOUN, &RunKind::WORDS)),
    (
        "page",
        "pruned_by",
        Vocabulary::of(PrunedBy::NOUN, &PrunedBy::WORDS),
    ),
    (
        "run",
        "outcome",
        Vocabulary::of(RunOutcome::NOUN, &RunOutcome::WORDS),
    ),
    (
        "selection",
        "strategy",
        Vocabulary::of(SelectionStrategy::NOUN, &SelectionStrategy::WORDS),
    ),
    ("stage", "name", Vocabulary::elsewhere("stage of learning")),
    (
        "submission",
        "outcome",
        Vocabulary::of(SubmissionOutcome::NOUN, &SubmissionOutcome::WORDS),
    ),
    ("tally", "reason", URL_REASONS),
    ("tally", "state", URL_STATES),
    ("url", "reason", URL_REASONS),
    (
        "url",
        "source",
        Vocabulary::of(UrlSource::NOUN, &UrlSource::WORDS),
    ),
    ("url", "state", URL_STATES),
    (
        "url_rule",
        "rule",
        Vocabulary::of(UrlRuleKind::NOUN, &UrlRuleKind::WORDS),
    ),
    (
        "warehouse",
        "matcher",
        Vocabulary::of(MatcherKind::NOUN, &MatcherKind::WORDS),
    ),
];

const URL_REASONS: Vocabulary = Vocabulary::of(UrlReason::NOUN, UrlReason::WORDS);

const URL_STATES: Vocabulary = Vocabulary::of(UrlState::NOUN, &UrlState::WORDS);

impl Vocabulary {
    const fn of(noun: &'static str, words: &'static [&'static str]) -> Vocabulary {
        Vocabulary { noun, words }
    }

    const fn elsewhere(noun: &'static str) -> Vocabulary {
        Vocabulary { noun, words: &[] }
    }
}
