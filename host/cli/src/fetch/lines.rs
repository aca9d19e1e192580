//! The JSON line of `magpie fetch`.

use std::collections::BTreeMap;

use magpie_engine::browser::{RequestOutcome, SentRequest};
use magpie_engine::{Inspection, JudgedLink, PageSummary};
use magpie_model::json::{Address, CodeAndMessage, RecordView};
use magpie_model::{Record, grouped};
use magpie_web::Exchange;
use schemars::JsonSchema;
use serde::Serialize;

use super::Examined;
use super::rendered::InBrowser;

/// A URL, fetched as a crawl would.
#[derive(Serialize, JsonSchema)]
pub(crate) struct FetchLine {
    /// Canonical URL.
    canonical: Address,
    /// Differences between the URL as it was written and the canonical URL, in words.
    changes: Vec<String>,
    /// Decisions of robots.txt, for each origin.
    robots: Vec<RobotsView>,
    /// Requests and responses, with redirects.
    exchanges: Vec<ExchangeView>,
    /// The page; null if a crawl would not read the response as a page.
    page: Option<PageView>,
    /// Results of the verticals of the workspace.
    verticals: Vec<ExaminedView>,
    /// Reason why there is no page, or null.
    problem: Option<String>,
    /// The page in a browser, with `--render`; missing if the response is not an HTML page.
    #[serde(skip_serializing_if = "Option::is_none")]
    rendered: Option<RenderedView>,
}

/// A decision of robots.txt.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "RobotsDecision")]
struct RobotsView {
    /// Origin of the file.
    origin: String,
    /// True if the URL may be fetched.
    allowed: bool,
    /// Reason, in words.
    why: String,
    /// Requested delay between requests in seconds, or null.
    crawl_delay: Option<f64>,
}

/// A request and its response.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Exchange")]
struct ExchangeView {
    /// URL of the request.
    url: Address,
    /// Status of the response.
    status: u16,
    /// Address of the server.
    remote: Option<String>,
    /// Protocol.
    protocol: String,
    /// Duration of the exchange.
    seconds: f64,
    /// Media type of the response.
    media_type: Option<String>,
    /// Size of the body as it was received.
    received_bytes: usize,
    /// Size of the decoded body.
    bytes: usize,
    /// Reason why the body is incomplete, or null.
    truncated: Option<String>,
    /// Header fields as pairs of name and value.
    headers: Vec<[String; 2]>,
}

/// A parsed page.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Page")]
struct PageView {
    /// Title of the page.
    title: Option<String>,
    /// Character encoding.
    charset: String,
    /// Canonical URL that the page declares.
    canonical: Option<Address>,
    /// True if the page is searched for objects.
    index: bool,
    /// True if its links are followed.
    follow: bool,
    /// Its links.
    links: Vec<JudgedLink>,
}

/// The result of a vertical on the page.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Examined")]
struct ExaminedView {
    /// Name and version of the vertical.
    plugin: String,
    /// Reason why the page was not shown to the vertical, or null.
    left_out: Option<String>,
    /// Failure of the vertical, or null.
    error: Option<CodeAndMessage>,
    /// Records.
    records: Vec<RecordView>,
    /// Sentence for each value that was dropped or corrected.
    violations: Vec<String>,
}

/// The page in a browser.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "RenderedPage")]
struct RenderedView {
    /// URL of the page in the end, null if there is none.
    url: Option<Address>,
    /// True if the page came to rest in time.
    settled: Option<bool>,
    /// Size of the HTML.
    bytes: Option<usize>,
    /// Reason why there is no page, or null.
    problem: Option<CodeAndMessage>,
    /// False if the browser runs without its sandbox.
    sandbox: bool,
    /// Requests of the page.
    requests: Vec<RequestView>,
    /// Actions that are no requests and were refused, by reason.
    refused: BTreeMap<String, u64>,
    /// Bytes received.
    received_bytes: u64,
    /// Time that the page took.
    seconds: f64,
    /// CPU time of the browser.
    cpu_seconds: f64,
    /// Links of the page.
    links: Vec<JudgedLink>,
    /// Results of the verticals on the page.
    verticals: Vec<RenderedExaminedView>,
}

/// A request of a page in a browser.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Request")]
struct RequestView {
    /// URL of the request.
    url: String,
    /// Method of the request.
    method: String,
    /// Kind of resource.
    resource: String,
    /// Outcome: `answered`, `refused` (of no use, or a limit), `forbidden` (by a rule of the
    /// crawl), `failed` or `abandoned`.
    outcome: String,
    /// Status of the response, null without one.
    status: Option<u16>,
    /// Reason of the outcome, or null.
    detail: Option<String>,
}

/// The result of a vertical on the page in a browser.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "RenderedExamined")]
struct RenderedExaminedView {
    /// Name and version of the vertical.
    plugin: String,
    /// Records.
    records: Vec<RecordView>,
    /// Sentence for each value that was dropped or corrected.
    violations: Vec<String>,
}

impl FetchLine {
    pub(super) fn new(
        inspection: &Inspection,
        examined: &[Examined],
        in_browser: Option<&InBrowser>,
    ) -> FetchLine {
        let robots = inspection.robots.iter().map(|(origin, verdict)| RobotsView {
            origin: origin.to_string(),
            allowed: verdict.allowed,
            why: verdict.sentence.to_string(),
            crawl_delay: verdict.crawl_delay.map(|delay| delay.as_secs_f64()),
        });
        FetchLine {
            canonical: Address::new(&inspection.canonical),
            changes: inspection.changes.iter().map(ToString::to_string).collect(),
            robots: robots.collect(),
            exchanges: inspection.exchanges.iter().map(ExchangeView::from).collect(),
            page: inspection.summary.as_ref().map(PageView::from),
            verticals: examined.iter().map(ExaminedView::from).collect(),
            problem: inspection.problem.clone(),
            rendered: in_browser.map(RenderedView::from),
        }
    }
}

impl From<&Exchange> for ExchangeView {
    fn from(exchange: &Exchange) -> ExchangeView {
        let headers = exchange.headers();
        ExchangeView {
            url: Address::new(&exchange.url.as_str()),
            status: exchange.status,
            remote: Some(exchange.remote.to_string()),
            protocol: exchange.protocol.name().to_owned(),
            seconds: exchange.timings.total().as_secs_f64(),
            media_type: exchange.media_type(),
            received_bytes: exchange.raw_body.len(),
            bytes: exchange.body().len(),
            truncated: exchange.truncated.as_ref().map(ToString::to_string),
            headers: headers
                .map(|(name, value)| [name.to_string(), value.into_owned()])
                .collect(),
        }
    }
}

impl From<&PageSummary> for PageView {
    fn from(summary: &PageSummary) -> PageView {
        PageView {
            title: summary.title.clone(),
            charset: summary.charset.clone(),
            canonical: summary.canonical.as_ref().map(Address::new),
            index: summary.index,
            follow: summary.follow,
            links: summary.links.clone(),
        }
    }
}

impl From<&Examined> for ExaminedView {
    fn from(Examined { plugin, examination }: &Examined) -> ExaminedView {
        let error = examination.error.as_ref();
        ExaminedView {
            plugin: plugin.clone(),
            left_out: examination.left_out.clone(),
            error: error.map(|error| CodeAndMessage {
                code: error.fault.code().to_owned(),
                message: error.to_string(),
            }),
            records: examination.records.iter().map(Record::view).collect(),
            violations: grouped(&examination.violations),
        }
    }
}

impl From<&InBrowser> for RenderedView {
    fn from(page: &InBrowser) -> RenderedView {
        let rendered = page.rendered();
        let document = rendered.document.as_ref();
        let mut refused: BTreeMap<String, u64> = BTreeMap::new();
        for action in &rendered.refused {
            *refused.entry(action.reason.word().to_owned()).or_default() += action.times;
        }
        let exchanges = page.inspection.page.exchanges.iter();
        let verticals = page
            .examined
            .iter()
            .map(|Examined { plugin, examination }| RenderedExaminedView {
                plugin: plugin.clone(),
                records: examination.records.iter().map(Record::view).collect(),
                violations: grouped(&examination.violations),
            });
        RenderedView {
            url: document.ok().map(|document| Address::new(&document.url.as_str())),
            settled: document.ok().map(|document| document.is_settled),
            bytes: document.ok().map(|document| document.html.len()),
            problem: document.err().map(|error| CodeAndMessage {
                code: error.code().to_owned(),
                message: error.to_string(),
            }),
            sandbox: !page.lacks_sandbox,
            requests: rendered.requests.iter().map(RequestView::from).collect(),
            refused,
            received_bytes: exchanges.map(|exchange| exchange.raw_body.len() as u64).sum(),
            seconds: rendered.took.as_secs_f64(),
            cpu_seconds: rendered.cpu.as_secs_f64(),
            links: page
                .inspection
                .summary
                .as_ref()
                .map(|summary| summary.links.clone())
                .unwrap_or_default(),
            verticals: verticals.collect(),
        }
    }
}

impl From<&SentRequest> for RequestView {
    fn from(request: &SentRequest) -> RequestView {
        let (word, status, detail) = match &request.outcome {
            RequestOutcome::Answered { status, .. } => ("answered", Some(*status), None),
            RequestOutcome::Refused(refusal) => ("refused", None, Some(refusal.word())),
            RequestOutcome::Forbidden(reason) => ("forbidden", None, Some(reason.as_str())),
            RequestOutcome::Failed(reason) => ("failed", None, Some(reason.as_str())),
            RequestOutcome::Abandoned => ("abandoned", None, None),
        };
        RequestView {
            url: request.url.to_string(),
            method: request.method.to_string(),
            resource: request.resource.word().to_owned(),
            outcome: word.to_owned(),
            status,
            detail: detail.map(str::to_owned),
        }
    }
}
