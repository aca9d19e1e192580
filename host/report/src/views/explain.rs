//! The facts about a URL, and the reasons why records are one object or not, for programs.

use magpie_engine::crawl::{Explanation, PageWeights};
use magpie_engine::focus::PageInFocus;
use magpie_engine::warehouse::Compared;
use magpie_model::Judgement;
use magpie_model::json::{Address, Time};
use magpie_patterns::rendering::RenderingRule;
use magpie_rows::ReadStore;
use magpie_rows::{
    ExtractionRow, JudgementRow, KeptUrlRule, MatcherKind, PageRow, StoreError, SubmissionOutcome,
    UrlExplanation, UrlState, WarehouseLink, WeakestLink,
};
use schemars::JsonSchema;
use serde::Serialize;

use super::url::{PageAsList, PageRendering, Query};

/// All facts about a URL.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ExplainView {
    /// Canonical URL.
    pub(super) url: Address,
    /// Differences between the URL as it was written and the canonical URL, in words.
    pub(super) changes: Vec<String>,
    /// Learned rules on which the canonical URL rests.
    pub(super) learned: Vec<UrlRuleView>,
    /// State of the URL in the frontier of each site.
    pub(super) known: Vec<KnownView>,
    /// Queries of searches whose results are at the URL.
    pub(super) queries: Vec<QueryView>,
    /// Part of the page in [focused crawls](concepts/focus.md).
    pub(super) focus: Vec<FocusView>,
    /// Rule about [pages made by scripts](concepts/rendering.md) of each vertical that has one for
    /// the URL.
    pub(super) rendering: Vec<PageRenderingView>,
    /// Part of the page in the [rounds](concepts/navigation.md#cost-of-a-round) of each vertical
    /// that may read it for its links.
    pub(super) lists: Vec<PageAsList>,
    /// Last request for the robots.txt of the host, or null.
    pub(super) robots: Option<RobotsView>,
}

/// A learned rule about the URLs of a site.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "UrlRule")]
pub struct UrlRuleView {
    /// Kind of rule: `needless-key` for a key or host that changes nothing, `own-order` if the
    /// server has its own order of keys.
    rule: String,
    /// Name of the key or host.
    key: String,
    /// Evidence for the rule, in words.
    evidence: String,
}

impl From<&KeptUrlRule> for UrlRuleView {
    fn from(kept: &KeptUrlRule) -> UrlRuleView {
        UrlRuleView {
            rule: kept.url_rule.clone(),
            key: kept.key.clone(),
            evidence: kept.evidence.clone(),
        }
    }
}

/// The state of a URL in the frontier of a site.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "KnownUrl")]
pub struct KnownView {
    /// Key of the site.
    site: String,
    /// State of the URL.
    state: UrlState,
    /// Reason of the state, or null.
    reason: Option<String>,
    /// Sentence about the reason.
    detail: Option<String>,
    /// Number of links from a seed.
    depth: u32,
    /// Number of failed attempts.
    attempts: u32,
    /// Time when it is due, or null.
    due_at: Option<Time>,
    /// Time of its last change according to a sitemap, or null.
    modified_at: Option<Time>,
    /// Source of the URL.
    source: String,
    /// Time when it was found.
    found_at: Time,
    /// URLs from a seed to the page.
    way: Vec<Address>,
    /// Fetches, the newest first.
    fetches: Vec<FetchView>,
}

impl KnownView {
    pub(super) fn read(reader: &dyn ReadStore, explained: &UrlExplanation) -> Result<KnownView, StoreError> {
        let fetches = explained.pages.iter().map(|page| FetchView::read(reader, page));
        Ok(KnownView {
            site: explained.site_key.clone(),
            state: explained.state,
            reason: explained.reason.as_ref().map(ToString::to_string),
            detail: explained.detail.clone(),
            depth: explained.depth,
            attempts: explained.attempts,
            due_at: explained.due_at.map(Time::from),
            modified_at: explained.modified_at.map(Time::from),
            source: explained.source.to_string(),
            found_at: explained.found_at.into(),
            way: explained.way.iter().map(|step| Address::new(&step.url)).collect(),
            fetches: fetches.collect::<Result<_, _>>()?,
        })
    }
}

/// A fetch of a URL.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Fetch")]
pub struct FetchView {
    /// Time of the fetch.
    fetched_at: Time,
    /// Status of the response, null without one.
    status: Option<u16>,
    /// Media type of the response.
    media_type: Option<String>,
    /// Size of the body.
    bytes: u64,
    /// Target of the redirect, or null.
    redirect: Option<Address>,
    /// Code of the problem, or null.
    problem: Option<String>,
    /// Sentence about the problem.
    detail: Option<String>,
    /// Place in a WARC file, null if the response was not archived.
    archived: Option<ArchivedView>,
    /// Calls of verticals.
    extractions: Vec<ExtractionView>,
    /// Judgements of verticals.
    judgements: Vec<PageJudgement>,
}

impl FetchView {
    fn read(reader: &dyn ReadStore, page: &PageRow) -> Result<FetchView, StoreError> {
        let archived = page.archived.as_ref();
        Ok(FetchView {
            fetched_at: page.fetched_at.into(),
            status: page.status,
            media_type: page.media_type.clone(),
            bytes: page.bytes,
            redirect: page.redirect.as_ref().map(Address::new),
            problem: page.problem.as_ref().map(ToString::to_string),
            detail: page.detail.clone(),
            archived: archived.map(|(file, offset, length)| ArchivedView {
                file: file.clone(),
                offset: *offset,
                length: *length,
            }),
            extractions: reader
                .extractions(page.id)?
                .iter()
                .map(ExtractionView::from)
                .collect(),
            judgements: reader
                .judgements_of(&[page.id])?
                .iter()
                .map(PageJudgement::from)
                .collect(),
        })
    }
}

/// A place in a WARC file.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Archived")]
pub struct ArchivedView {
    /// Name of the file.
    file: String,
    /// Offset of the record.
    offset: u64,
    /// Length of the record.
    length: u64,
}

/// A call of a vertical on a page.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Extraction")]
pub struct ExtractionView {
    /// Name of the vertical.
    vertical: String,
    /// Version of the component.
    version: String,
    /// Digest of the component.
    digest: String,
    /// Number of records.
    records: u64,
    /// Number of values that were dropped or corrected.
    violations: u64,
    /// Code of the failure, or null.
    problem: Option<String>,
    /// Sentence about the failure.
    detail: Option<String>,
    /// CPU time of the call.
    cpu_ms: f64,
}

impl From<&ExtractionRow> for ExtractionView {
    fn from(row: &ExtractionRow) -> ExtractionView {
        ExtractionView {
            vertical: row.component.vertical.clone(),
            version: row.component.version.clone(),
            digest: row.component.digest.clone(),
            records: row.records,
            violations: row.violations,
            problem: row.problem.clone(),
            detail: row.detail.clone(),
            cpu_ms: row.cpu.as_secs_f64() * 1e3,
        }
    }
}

/// The judgement of a page, with the vertical that made it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PageJudgement {
    /// Name of the vertical.
    vertical: String,
    /// Version of the component.
    version: String,
    /// The judgement.
    #[serde(flatten)]
    judgement: Judgement,
}

impl From<&JudgementRow> for PageJudgement {
    fn from(row: &JudgementRow) -> PageJudgement {
        PageJudgement {
            vertical: row.vertical.clone(),
            version: row.version.clone(),
            judgement: row.judgement.clone(),
        }
    }
}

/// A query whose results are at a URL.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Query")]
pub struct QueryView {
    /// Name of the vertical.
    vertical: String,
    /// URL template of the search form.
    template: String,
    /// The query.
    query: String,
    /// Time when it was asked.
    asked_at: Time,
    /// Outcome; see [codes](reference/codes.md).
    outcome: SubmissionOutcome,
    /// Number of objects on the results.
    objects: u64,
    /// Number of them that were new.
    new_objects: u64,
    /// True if recrawls ask it in every round.
    each_round: bool,
}

impl From<&Query> for QueryView {
    fn from(query: &Query) -> QueryView {
        QueryView {
            vertical: query.row.vertical.clone(),
            template: query.row.template.clone(),
            query: query.row.query.clone(),
            asked_at: query.row.asked_at.into(),
            outcome: query.row.outcome,
            objects: query.row.objects,
            new_objects: query.row.new_objects,
            each_round: query.is_of_rounds,
        }
    }
}

/// The part of a page in a focused crawl.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "PageInFocus")]
pub struct FocusView {
    /// Name of the vertical.
    vertical: String,
    /// Strategy of the crawl.
    strategy: String,
    /// Position of its fetch among the `fetches` of the site, null if it was not fetched.
    place: Option<usize>,
    /// Number of fetches of the site.
    fetches: usize,
    /// Weights by which the page was chosen, or those it has now if it was not fetched.
    weights: Option<WeightsView>,
    /// Number of new objects on it.
    new_objects: u64,
    /// Number of objects of the site at that moment.
    found: u64,
    /// Estimated number of objects of the site at that moment.
    expected: u64,
}

/// Weights of a page in a focused crawl.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "PageWeights")]
pub enum WeightsView {
    /// Weights of the strategy `expected`.
    Expected {
        /// Expected new objects per fetch.
        rate: f64,
        /// Expected new objects on the page itself.
        own: f64,
        /// Expected new objects on the pages that it leads to.
        led_to: f64,
        /// Expected number of these pages.
        pages: f64,
    },
    /// Weights of the strategy `walk`.
    Walk {
        /// Weight as a hub.
        hub: f64,
        /// PageRank.
        rank: f64,
    },
}

impl From<&PageInFocus> for FocusView {
    fn from(part: &PageInFocus) -> FocusView {
        let Explanation {
            place,
            weights,
            new_objects,
            found,
            fetches,
        } = &part.explanation;
        let weights = weights.map(|weights| match weights {
            PageWeights::Expected(expected) => WeightsView::Expected {
                rate: expected.rate(),
                own: expected.own,
                led_to: expected.led,
                pages: expected.fetches,
            },
            PageWeights::Walk { hub, rank } => WeightsView::Walk { hub, rank },
        });
        FocusView {
            vertical: part.vertical.clone(),
            strategy: part.strategy.to_string(),
            place: *place,
            fetches: *fetches,
            weights,
            new_objects: *new_objects,
            found: found.objects,
            expected: found.expected,
        }
    }
}

/// The rule about pages made by scripts that holds for a URL.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "PageRendering")]
pub struct PageRenderingView {
    /// Name of the vertical.
    vertical: String,
    /// The rule, as in the navigation file.
    rule: RenderingRule,
    /// URL of the page's data, if its objects come from there.
    data: Option<Address>,
    /// True if a person wrote the rule.
    is_written: bool,
}

impl From<&PageRendering> for PageRenderingView {
    fn from(rendering: &PageRendering) -> PageRenderingView {
        PageRenderingView {
            vertical: rendering.vertical.clone(),
            rule: rendering.rule.clone(),
            data: rendering.data.as_ref().map(Address::new),
            is_written: rendering.is_written,
        }
    }
}

/// The last request for a robots.txt.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Robots")]
pub struct RobotsView {
    /// Outcome; see [codes](reference/codes.md).
    pub(super) outcome: String,
    /// Status of the response, null without one.
    pub(super) status: Option<u16>,
}

/// The reasons why records are one object.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ObjectLinks {
    /// Number of the object.
    pub object: i64,
    /// Label of the object.
    pub label: String,
    /// Numbers of its records.
    pub records: Vec<i64>,
    /// Links between the records.
    pub links: Vec<LinkView>,
    /// Numbers of the records without a link.
    pub without_link: Vec<i64>,
}

/// The reasons why two names mean one object.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SameObject {
    /// True.
    #[schemars(extend("const" = true))]
    pub same: bool,
    /// Number of the object.
    pub object: i64,
    /// Label of the object.
    pub label: String,
    /// Links from one record to the other, if two records were named.
    pub way: Option<Vec<LinkView>>,
}

/// The reasons why two objects are not one.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DifferentObjects {
    /// False.
    #[schemars(extend("const" = false))]
    pub same: bool,
    /// Numbers of the objects.
    pub objects: [i64; 2],
    /// Reasons, in words.
    pub why: Vec<String>,
    /// Comparison of their most similar records; null if none can be compared.
    pub compared: Option<ComparedView>,
}

/// A link between two records of an object.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "RecordLink")]
pub struct LinkView {
    /// Number of a record.
    one: i64,
    /// Number of the other record.
    other: i64,
    /// Probability that both are one object.
    probability: f64,
    /// Keys that they share.
    scheme: String,
    /// Reasons of the component.
    reasons: Vec<String>,
}

impl From<&WarehouseLink> for LinkView {
    fn from(link: &WarehouseLink) -> LinkView {
        LinkView {
            one: link.one,
            other: link.other,
            probability: link.probability,
            scheme: link.scheme.clone(),
            reasons: link.reasons.clone(),
        }
    }
}

/// The comparison of two records.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Comparison")]
pub struct ComparedView {
    /// Number of a record.
    one: i64,
    /// Number of the other record.
    other: i64,
    /// Probability that both are one object; null if the component gave no verdict.
    probability: Option<f64>,
    /// Reasons of the component.
    reasons: Option<Vec<String>>,
    /// Keys that they share.
    shared_keys: Vec<String>,
    /// True if the objects were split with `magpie objects split`.
    by_hand: bool,
    /// True if they have different pages of one site, or are rows of one list.
    by_site: bool,
}

impl From<&Compared> for ComparedView {
    fn from(compared: &Compared) -> ComparedView {
        let verdict = compared.verdict.as_ref();
        ComparedView {
            one: compared.pair.0,
            other: compared.pair.1,
            probability: verdict.map(|verdict| verdict.probability),
            reasons: verdict.map(|verdict| verdict.reasons.clone()),
            shared_keys: compared.shared.clone(),
            by_hand: compared.by_hand,
            by_site: compared.by_site,
        }
    }
}

/// The weakest link that holds an object together.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Doubt")]
pub struct DoubtView {
    /// Number of the object.
    object: i64,
    /// Name of the vertical.
    vertical: String,
    /// Label of the object.
    label: String,
    /// Probability that the two records are one object.
    probability: f64,
    /// Number of a record.
    one: i64,
    /// Number of the other record.
    other: i64,
    /// URLs on which the two were found.
    urls: [Address; 2],
    /// Kind of key by which they were found.
    scheme: String,
    /// Reasons of the component.
    reasons: Vec<String>,
}

impl DoubtView {
    pub fn new(vertical: &str, weakest: &WeakestLink) -> DoubtView {
        let WeakestLink {
            object,
            label,
            link,
            urls,
        } = weakest;
        DoubtView {
            object: object.0,
            vertical: vertical.to_owned(),
            label: label.clone(),
            probability: link.probability,
            one: link.one,
            other: link.other,
            urls: urls.each_ref().map(Address::new),
            scheme: link.scheme.clone(),
            reasons: link.reasons.clone(),
        }
    }
}

/// The result of a clustering.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ClusterLine {
    /// Name of the vertical.
    vertical: String,
    /// Matcher that compared the records.
    matcher: Option<MatcherKind>,
    /// Number of pages with records to cluster.
    pages: u64,
    /// Number of their records.
    records: u64,
    /// Number of records that their page had not before.
    new_records: u64,
    /// Number of times that records were found.
    sightings: u64,
    /// Number of new objects.
    new_objects: u64,
    /// Number of objects that were merged into others.
    merged: u64,
    /// Number of all objects.
    objects: u64,
    /// True if all records were clustered again.
    reclustered: bool,
    /// Notices for the operator.
    notices: Vec<String>,
}

impl From<&magpie_engine::warehouse::Report> for ClusterLine {
    fn from(report: &magpie_engine::warehouse::Report) -> ClusterLine {
        ClusterLine {
            vertical: report.vertical.clone(),
            matcher: report.matcher,
            pages: report.pages,
            records: report.records,
            new_records: report.new_members,
            sightings: report.sightings,
            new_objects: report.new_objects,
            merged: report.merged,
            objects: report.objects,
            reclustered: report.reclustered,
            notices: report.notices.clone(),
        }
    }
}

/// The result of a split.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SplitLine {
    /// Name of the vertical.
    pub vertical: String,
    /// Number of the object.
    pub object: i64,
    /// Number of the other object.
    pub other: i64,
    /// Numbers of the records that went into the new object `other`; empty if the two were separate
    /// objects.
    pub moved: Vec<i64>,
}
