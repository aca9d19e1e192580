//! A page as a browser shows it, beside the plain page.

use magpie_engine::browser::{Rendered, RequestOutcome, SentRequest};
use magpie_engine::{Inspection, RenderedInspection};
use magpie_terminal::{Failure, Printer, Table, Tone, format};
use magpie_web::Exchange;

use super::{Examined, tell_examined};

/// A page in a browser, and what the verticals find on it.
pub(super) struct InBrowser {
    pub(super) inspection: RenderedInspection,
    pub(super) examined: Vec<Examined>,
    pub(super) lacks_sandbox: bool,
}

impl InBrowser {
    pub(super) fn rendered(&self) -> &Rendered {
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
    printer.heading("In a browser")?;
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
        table.row((one.plugin.clone(), objects(one), objects(other)));
    }
    let in_browser = page.inspection.summary.as_ref();
    table.row(("links", links(plain.summary.as_ref()), links(in_browser)));
    let size = |exchanges: &[Exchange]| -> u64 {
        let sizes = exchanges.iter().map(|exchange| exchange.raw_body.len() as u64);
        sizes.sum()
    };
    let further = &page.inspection.page.exchanges;
    let (received, more) = (size(&plain.exchanges), size(further));
    let requests = plain.exchanges.len() as u64;
    table.row((
        "requests",
        format::thousands(requests),
        format::thousands(requests + further.len() as u64),
    ));
    table.row((
        "received",
        format::bytes(received),
        format::bytes(received + more),
    ));
    table.row(("CPU of the browser", "-", format::time(rendered.cpu)));
    printer.table(&table)
}
