//! A page as a browser shows it, beside the plain page.

use std::collections::BTreeMap;

use magpie_engine::browser::{RenderError, Rendered, RequestOutcome, SentRequest};
use magpie_engine::{Inspection, RenderedInspection};
use magpie_model::{Record, grouped};
use magpie_terminal::{Failure, Printer, Table, Tone, format};
use serde_json::{Value, json};

use super::{Examined, tell_examined};

/// A page in a browser, and what the verticals find on it.
pub(super) struct InBrowser {
    pub(super) inspection: RenderedInspection,
    pub(super) examined: Vec<Examined>,
    pub(super) lacks_sandbox: bool,
}

impl InBrowser {
    fn rendered(&self) -> &Rendered {
        &self.inspection.page.rendered
    }
}

/// Prints the page in a browser and both pages side by side.
pub(super) fn tell(
    plain: &Inspection,
    examined: &[Examined],
    page: &InBrowser,
    printer: &mut Printer,
) -> Result<(), Failure> {
    let rendered = page.rendered();
    printer.line(&printer.paint(Tone::Strong, "In a browser"))?;
    if page.lacks_sandbox {
        printer
            .line("  Chromium runs without its sandbox: it has none for root, or the system forbids it")?;
    }
    for request in &rendered.requests {
        printer.line(&format!("  {}", request_line(request)))?;
    }
    for refused in &rendered.refused {
        let times = match refused.times {
            1 => String::new(),
            times => format!(", {} times", format::thousands(times)),
        };
        printer.line(&format!(
            "  refused: {}{times}: {}",
            refused.reason.word(),
            refused.detail
        ))?;
    }
    match &rendered.document {
        Ok(document) if !document.is_settled => {
            printer.line("  the page did not come to rest in time and was taken as it was")?;
        }
        Ok(_) => {}
        Err(error) => {
            printer.line(&format!("{} {error}", printer.paint(Tone::Bad, "not rendered:")))?;
        }
    }
    page.examined
        .iter()
        .try_for_each(|one| tell_examined(one, printer))?;
    compare(plain, examined, page, printer)
}

fn request_line(request: &SentRequest) -> String {
    let SentRequest {
        url,
        method,
        resource,
        outcome,
    } = request;
    let outcome = match outcome {
        RequestOutcome::Answered { status, bytes } => format!("{status}, {}", format::bytes(*bytes)),
        RequestOutcome::Refused(refusal) => format!("refused: {}", refusal.word()),
        RequestOutcome::Forbidden(reason) => format!("forbidden: {reason}"),
        RequestOutcome::Failed(reason) => format!("failed: {reason}"),
        RequestOutcome::Abandoned => "abandoned".to_owned(),
    };
    format!("{method} {} {url}: {outcome}", resource.word())
}

/// Prints both pages side by side: what they have, and what they cost.
fn compare(
    plain: &Inspection,
    examined: &[Examined],
    page: &InBrowser,
    printer: &mut Printer,
) -> Result<(), Failure> {
    let rendered = page.rendered();
    let links = |inspection: Option<&magpie_engine::PageSummary>| {
        inspection.map_or("-".to_owned(), |summary| {
            format::thousands(summary.links.len() as u64)
        })
    };
    let mut table = Table::indented(2).right(&[1, 2]);
    table.row(["", "plain", "rendered"].map(str::to_owned));
    for (one, other) in examined.iter().zip(&page.examined) {
        let objects = |one: &Examined| format::thousands(one.examination.records.len() as u64);
        table.row([one.plugin.clone(), objects(one), objects(other)]);
    }
    let in_browser = page.inspection.summary.as_ref();
    table.row([
        "links".to_owned(),
        links(plain.summary.as_ref()),
        links(in_browser),
    ]);
    let received: u64 = plain
        .exchanges
        .iter()
        .map(|exchange| exchange.raw_body.len() as u64)
        .sum();
    let further = &page.inspection.page.exchanges;
    let more: u64 = further
        .iter()
        .map(|exchange| exchange.raw_body.len() as u64)
        .sum();
    let requests = plain.exchanges.len() as u64;
    table.row([
        "requests".to_owned(),
        format::thousands(requests),
        format::thousands(requests + further.len() as u64),
    ]);
    table.row([
        "received".to_owned(),
        format::bytes(received),
        format::bytes(received + more),
    ]);
    table.row([
        "CPU of the browser".to_owned(),
        "-".to_owned(),
        format::time(rendered.cpu),
    ]);
    printer.table(&table)
}

/// Returns the page in a browser as JSON.
pub(super) fn as_json(page: &InBrowser) -> Value {
    let rendered = page.rendered();
    let document = rendered.document.as_ref();
    let mut refused: BTreeMap<&str, u64> = BTreeMap::new();
    for action in &rendered.refused {
        *refused.entry(action.reason.word()).or_default() += action.times;
    }
    json!({
        "url": document.ok().map(|document| document.url.as_str()),
        "settled": document.ok().map(|document| document.is_settled),
        "bytes": document.ok().map(|document| document.html.len()),
        "problem": document.err().map(|error: &RenderError| json!({
            "code": error.code(), "message": error.to_string(),
        })),
        "sandbox": !page.lacks_sandbox,
        "requests": rendered.requests.iter().map(request_json).collect::<Vec<_>>(),
        "refused": refused,
        "received_bytes": page.inspection.page.exchanges.iter()
            .map(|exchange| exchange.raw_body.len() as u64).sum::<u64>(),
        "seconds": rendered.took.as_secs_f64(),
        "cpu_seconds": rendered.cpu.as_secs_f64(),
        "links": page.inspection.summary.iter().flat_map(|summary| &summary.links).map(|link| json!({
            "url": link.url, "text": link.text, "path": link.path, "refused": link.refused,
        })).collect::<Vec<_>>(),
        "verticals": page.examined.iter().map(|Examined { plugin, examination }| json!({
            "plugin": plugin,
            "records": examination.records.iter().map(Record::to_json).collect::<Vec<_>>(),
            "violations": grouped(&examination.violations),
        })).collect::<Vec<_>>(),
    })
}

fn request_json(request: &SentRequest) -> Value {
    let (word, status, detail) = match &request.outcome {
        RequestOutcome::Answered { status, .. } => ("answered", Some(*status), None),
        RequestOutcome::Refused(refusal) => ("refused", None, Some(refusal.word())),
        RequestOutcome::Forbidden(reason) => ("forbidden", None, Some(reason.as_str())),
        RequestOutcome::Failed(reason) => ("failed", None, Some(reason.as_str())),
        RequestOutcome::Abandoned => ("abandoned", None, None),
    };
    json!({
        "url": request.url,
        "method": request.method,
        "resource": request.resource.word(),
        "outcome": word,
        "status": status,
        "detail": detail,
    })
}
