//! The words of the database: an enum each, and its SQL type.

use crate::{ChangeKind, ObjectState};
use magpie_model::{Alarm, FormPurpose, UrlReason, UrlRuleKind, words};
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};

words! {
    /// The state of a URL. Every URL known is in exactly one.
    pub enum UrlState as "state of a URL" {
        /// To be fetched.
        Queued = "queued",
        /// An answer is recorded; the page tells if it was a good one.
        Fetched = "fetched",
        /// Given up after attempts, for a reason.
        Failed = "failed",
        /// Never to be fetched under the rules of this crawl, for a reason.
        Refused = "refused",
        /// Worth fetching, but beyond a budget: it is queued when the budget grows.
        Held = "held",
    }
}

words! {
    /// The source of a date of change. Sources are kept apart: a feed often tells when a page
    /// appeared, and is right in that, where a sitemap has the date of the day.
    pub enum HintSource as "source of a date" {
        /// A sitemap.
        Sitemap = "sitemap",
        /// A feed.
        Feed = "feed",
    }
}

words! {
    /// The way in which a URL was found.
    pub enum UrlSource as "source of a URL" {
        /// A crawl was begun with it.
        Seed = "seed",
        /// A page links to it.
        Link = "link",
        /// A sitemap names it.
        Sitemap = "sitemap",
        /// A feed names it.
        Feed = "feed",
        /// A page redirects to it.
        Redirect = "redirect",
        /// A page names it as its canonical URL.
        Canonical = "canonical",
        /// An object on a page names it.
        Object = "object",
    }
}

words! {
    /// A condition that the operator should know of.
    pub enum AlertKind as "alert" {
        /// A site refuses its pages.
        SiteBlocked = "site.blocked",
        /// The learned ways through a site lead nowhere.
        SiteBroken = "site.broken",
        /// A site does not answer any more.
        SiteGone = "site.gone",
        /// An attribute is filled less often than it was.
        QualityFell = "quality.fell",
        /// The budget has no room for pages that are due.
        BudgetSpent = "budget.spent",
        /// Pages of a site wait for longer than `watch.max_gap`.
        RoundsOverdue = "rounds.overdue",
        /// A run came to its end. It is no condition that lasts.
        RunEnded = "run.ended",
    }
}

impl From<HintSource> for UrlSource {
    fn from(source: HintSource) -> UrlSource {
        match source {
            HintSource::Sitemap => UrlSource::Sitemap,
            HintSource::Feed => UrlSource::Feed,
        }
    }
}

words! {
    /// The kind of place that a template for queries comes from.
    pub enum FormSource as "source of a form" {
        /// A form on a page.
        Form = "form",
        /// A search description, which pages link to.
        OpenSearch = "opensearch",
        /// A search action in the structured data of a page.
        SearchAction = "search-action",
    }
}

words! {
    /// The state of a template that queries are asked of.
    pub enum TemplateState as "state of a template" {
        /// It is being tried.
        Trial = "trial",
        /// It answers different queries with different objects.
        Working = "working",
        /// It answers everything with the same.
        Inert = "inert",
        /// It answers, and no answer has objects of the vertical.
        Fruitless = "fruitless",
        /// It does not answer, or with errors alone.
        Failing = "failing",
        /// The robots.txt forbids it.
        Forbidden = "forbidden",
    }
}

words! {
    /// The kind of an argument in URLs of result pages.
    pub enum ArgumentKind as "kind of an argument" {
        /// It has the query.
        Query = "query",
        /// It changes which objects are shown.
        Selection = "selection",
        /// It changes their order or their form.
        Presentation = "presentation",
        /// It chooses a page of the results.
        Paging = "paging",
        /// It changes nothing.
        Irrelevant = "irrelevant",
    }
}

words! {
    /// The outcome of a query.
    pub enum SubmissionOutcome as "outcome of a query" {
        /// Its result page has objects.
        Results = "results",
        /// Its result page shows that there is nothing.
        Empty = "empty",
        /// It leads to the page of one object.
        Object = "object",
        /// It was not answered, or with an error.
        Failed = "failed",
        /// It was not asked, for a rule of the site or of the crawl.
        Refused = "refused",
    }
}

words! {
    /// The outcome of a round at a site.
    pub enum RoundState as "state of a round" {
        /// Nothing has to be repaired.
        Done = "done",
        /// Nothing answered.
        Blocked = "blocked",
        /// The robots.txt forbids what was to be asked for.
        Forbidden = "forbidden",
        /// Pages no longer bring what they did.
        Broken = "broken",
        /// Most list pages are not there any more, or they lead to nothing.
        Gone = "gone",
    }
}

impl RoundState {
    /// Returns `true` if the site answered, so that there is something to learn from.
    pub fn has_answered(self) -> bool {
        match self {
            RoundState::Done | RoundState::Broken | RoundState::Gone => true,
            RoundState::Blocked | RoundState::Forbidden => false,
        }
    }
}

words! {
    /// The method of a round.
    pub enum RoundMethod as "method of a round" {
        /// List pages, and pages of chosen patterns that are new or due.
        Selective = "selective",
        /// The same for all patterns, chosen or not, due or not.
        AllPatterns = "all-patterns",
        /// Everything that is known and all that is linked.
        Full = "full",
        /// A cycle of a watch: the pages that are worth most to its budget.
        Watch = "watch",
    }
}

words! {
    /// The strategy of a selection.
    pub enum SelectionStrategy as "strategy of a selection" {
        /// Most new objects for all costs.
        CostAware = "cost-aware",
        /// Most new objects per page.
        Ratio = "ratio",
        /// Most new objects.
        Count = "count",
    }
}

words! {
    /// The code that decides which records are one object.
    pub enum MatcherKind as "matcher" {
        /// The vertical's own comparison.
        Plugin = "plugin",
        /// A comparison by the schema of the vertical.
        Schema = "schema",
    }
}

words! {
    /// The effect of a robots file on its host.
    pub enum RobotsEffect as "effect of a robots file" {
        /// Its rules hold.
        Rules = "rules",
        /// The file is missing or empty: everything is allowed.
        AllAllowed = "all-allowed",
        /// It can't be had: nothing is allowed until it can.
        AllRefused = "all-refused",
        /// It can't be had, and the settings say not to obey it.
        Ignored = "ignored",
    }
}

words! {
    /// The kind of a run.
    pub enum RunKind as "kind of a run" {
        /// A crawl of whole sites.
        Crawl = "crawl",
        /// The first crawl of learning, which finds the sites that are worth more.
        Sample = "sample",
        /// The crawl of learning.
        Learn = "learn",
        /// A recrawl.
        Recrawl = "recrawl",
        /// A day of a watch.
        Watch = "watch",
        /// Queries asked of the forms of sites.
        Surface = "surface",
    }
}

words! {
    /// The outcome of a run.
    pub enum RunOutcome as "outcome of a run" {
        /// It came to its end.
        Finished = "finished",
    }
}

/// The words of a column, as the documentation names them.
pub(crate) struct Vocabulary {
    /// Heading on the page of codes, in lower case.
    pub(crate) noun: &'static str,
    /// The words, unless another crate defines them.
    pub(crate) words: &'static [&'static str],
}

/// Pairs each column that keeps words with its vocabulary.
pub(crate) const VOCABULARIES: [(&str, &str, Vocabulary); 27] = [
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

/// Keeps words as text. Reading an unknown one fails.
macro_rules! sql_words {
    ($($name:ty),+) => {$(
        impl ToSql for $name {
            fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
                Ok(self.as_str().into())
            }
        }

        impl FromSql for $name {
            fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
                value.as_str()?.parse().map_err(FromSqlError::other)
            }
        }
    )+};
}

sql_words!(
    AlertKind,
    ChangeKind,
    ObjectState,
    UrlState,
    UrlSource,
    HintSource,
    RoundState,
    RoundMethod,
    SelectionStrategy,
    MatcherKind,
    RobotsEffect,
    RunKind,
    RunOutcome,
    FormSource,
    TemplateState,
    SubmissionOutcome,
    ArgumentKind
);
