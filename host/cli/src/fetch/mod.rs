//! `magpie fetch`.

mod lines;
mod rendered;

use magpie_engine::{Clients, Inspection, PageSummary, inspect, inspect_rendered, open_reader};
use std::sync::Arc;

use std::io::{IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

use magpie_engine::browser::PageRenderer;
use magpie_engine::crawl::site_key;
use magpie_engine::settings::Resolved;
use magpie_engine::site::with_scheme;
use magpie_model::{CanonicalUrl, grouped};
use magpie_rows::KeptUrlRule;
use magpie_runtime::Examination;
use magpie_terminal::workspace::open_verticals;
use magpie_terminal::{Failure, Printer, Table, Tone, for_terminal, format, process, settings};
use magpie_web::{Exchange, masked};

use crate::args::FetchArgs;
pub(crate) use lines::FetchLine;
use magpie_terminal::process::found;
use rendered::InBrowser;

pub(crate) fn run(arguments: &FetchArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let workspace = settings::workspace(&arguments.settings.any.place)?;
    let resolved = arguments.settings.resolve(workspace.as_deref())?;
    let text = with_scheme(&arguments.url).map_err(Failure::usage)?;
    let url = url::Url::parse(&text)
        .map_err(|problem| Failure::usage(format!("`{}` is not a URL: {problem}", masked(&arguments.url))))?;
    let clients = Arc::new(Clients::new(&resolved)?);
    let resolved = Arc::new(resolved);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::input(format!("can't start a thread: {error}")))?;
    let url_rules = url_rules(workspace.as_deref(), &resolved, &url)?;
    let inspection = runtime.block_on(inspect(&clients, &resolved, &url_rules, process::clock(), &url));
    let in_browser = match arguments.render {
        true => {
            let renderer = PageRenderer::new(clients, Arc::clone(&resolved), process::clock().clone())?;
            let rendered = inspect_rendered(&renderer, &resolved, &url_rules, process::clock(), &inspection);
            runtime
                .block_on(rendered)
                .map(|page| (page, renderer.lacks_sandbox()))
        }
        false => None,
    };
    let examined = examine(workspace.as_deref(), &resolved, inspection.summary.as_ref())?;
    let in_browser = match in_browser {
        Some((page, lacks_sandbox)) => Some(InBrowser {
            examined: examine(workspace.as_deref(), &resolved, page.summary.as_ref())?,
            inspection: page,
            lacks_sandbox,
        }),
        None => None,
    };
    if arguments.json {
        printer.json(&FetchLine::new(&inspection, &examined, in_browser.as_ref()))?;
    } else if arguments.body {
        body(&inspection, in_browser.as_ref())?;
    } else {
        tell(&inspection, &examined, printer)?;
        if let Some(page) = &in_browser {
            rendered::tell(&inspection, &examined, page, printer)?;
        }
    }
    let is_rendered = in_browser
        .as_ref()
        .is_none_or(|page| page.inspection.page.rendered.document.is_ok());
    let good = is_rendered
        && inspection.problem.is_none()
        && inspection.exchanges.last().is_some_and(|page| page.status < 400);
    if let (Some(problem), true) = (&inspection.problem, arguments.body) {
        return Err(Failure::input(problem.clone()));
    }
    Ok(found(good))
}

/// Returns what the workspace has learned of how the page's site names its pages.
fn url_rules(
    workspace: Option<&Path>,
    resolved: &Resolved,
    url: &url::Url,
) -> Result<Vec<KeptUrlRule>, Failure> {
    let page = CanonicalUrl::trusted(url.as_str());
    let (Some(folder), Some(page)) = (workspace, page) else {
        return Ok(Vec::new());
    };
    let site = site_key(resolved.for_host(page.host()), &page);
    Ok(open_reader(folder)?.url_rules(&site)?)
}

/// Writes the page itself, codings undone, for other programs: as the browser shows it where it was
/// rendered. A terminal gets it without control characters.
fn body(inspection: &Inspection, in_browser: Option<&InBrowser>) -> Result<(), Failure> {
    let rendered = in_browser.map(|page| &page.inspection.page.rendered.document);
    let bytes = match (rendered, inspection.exchanges.last()) {
        (Some(document), _) => document
            .as_ref()
            .map_err(|error| Failure::input(error.to_string()))?
            .html
            .as_bytes(),
        (None, Some(page)) => page.body(),
        (None, None) => return Ok(()),
    };
    let mut stdout = std::io::stdout();
    match stdout.is_terminal() {
        true => Ok(stdout.write_all(for_terminal(bytes).as_bytes())?),
        false => Ok(stdout.write_all(bytes)?),
    }
}

fn tell(inspection: &Inspection, examined: &[Examined], printer: &mut Printer) -> Result<(), Failure> {
    for change in &inspection.changes {
        printer.line(&format!(
            "its canonical URL is {}: {change}",
            inspection.canonical
        ))?;
    }
    for (origin, verdict) in &inspection.robots {
        let tone = if verdict.allowed { Tone::Good } else { Tone::Bad };
        let word = printer.paint(tone, if verdict.allowed { "allowed" } else { "refused" });
        printer.line(&format!("{word} by robots.txt of {origin}: {}", verdict.sentence))?;
        if let Some(delay) = verdict.crawl_delay.filter(|delay| !delay.is_zero()) {
            printer.line(&format!(
                "  it asks for a delay of {} between requests",
                format::time(delay)
            ))?;
        }
    }
    inspection
        .exchanges
        .iter()
        .try_for_each(|exchange| tell_exchange(exchange, printer))?;
    if let Some(summary) = &inspection.summary {
        tell_page(summary, printer)?;
    }
    examined.iter().try_for_each(|one| tell_examined(one, printer))?;
    match &inspection.problem {
        Some(problem) => printer.line(&format!("{} {problem}", printer.paint(Tone::Bad, "no page:"))),
        None => Ok(()),
    }
}

/// Prints the summary of a page and the decisions on its links.
fn tell_page(summary: &PageSummary, printer: &mut Printer) -> Result<(), Failure> {
    printer.heading("The page")?;
    let mut table = Table::indented(2).cut(1);
    if let Some(title) = &summary.title {
        table.row(("title", title.clone()));
    }
    table.row(("read as", summary.charset.clone()));
    if let Some(canonical) = &summary.canonical {
        table.row(("canonical", canonical.to_string()));
    }
    if !summary.index {
        table.row(("robots", "not searched for objects (noindex)"));
    }
    for (index, (refused, count)) in summary.counts().into_iter().enumerate() {
        let head = if index == 0 { "links" } else { "" };
        let fate = refused.map_or("to be fetched".to_owned(), |code| format!("not followed: {code}"));
        table.row((
            head.to_owned(),
            format!("{} {fate}", format::thousands(count as u64)),
        ));
    }
    printer.table(&table)
}

/// The result of one vertical on the page.
struct Examined {
    plugin: String,
    examination: Examination,
}

/// Shows the page to the verticals of the workspace, if there is one.
fn examine(
    workspace: Option<&Path>,
    resolved: &Resolved,
    summary: Option<&PageSummary>,
) -> Result<Vec<Examined>, Failure> {
    let (Some(folder), Some(summary)) = (workspace, summary) else {
        return Ok(Vec::new());
    };
    let Some(verticals) = open_verticals(folder, resolved)? else {
        return Ok(Vec::new());
    };
    let plugins = verticals.plugins();
    let extracting = plugins.iter().filter(|plugin| plugin.extracts());
    let examined = extracting.map(|plugin| Examined {
        plugin: plugin.id().to_string(),
        examination: plugin.examine(&summary.page),
    });
    Ok(examined.collect())
}

fn tell_examined(examined: &Examined, printer: &mut Printer) -> Result<(), Failure> {
    let Examined { plugin, examination } = examined;
    let found = match (&examination.left_out, &examination.error) {
        (Some(reason), _) => format!("does not receive the page: {reason}"),
        (None, Some(error)) => format!("fails: {}", error.fault),
        (None, None) => format!("finds {}", format::objects(examination.records.len())),
    };
    printer.line(&format!("{} {found}", printer.paint(Tone::Strong, plugin)))?;
    for record in &examination.records {
        let values = record
            .values
            .iter()
            .map(|value| format!("{}: {}", value.attribute, value.value));
        let text = values.collect::<Vec<_>>().join("; ");
        let text = format::shortened(&text, printer.room(4));
        printer.line(&format!("  - {text}"))?;
    }
    for sentence in grouped(&examination.violations) {
        printer.line(&format!("  {sentence}"))?;
    }
    Ok(())
}

fn tell_exchange(exchange: &Exchange, printer: &mut Printer) -> Result<(), Failure> {
    let tone = if exchange.status < 400 {
        Tone::Good
    } else {
        Tone::Bad
    };
    printer.line(&format!(
        "{} {}",
        printer.paint(tone, &exchange.status.to_string()),
        printer.paint(Tone::Strong, exchange.url.as_str()),
    ))?;
    let mut table = Table::indented(2).cut(1);
    table.row((
        "from",
        format!("{} by {}", exchange.remote, exchange.protocol.name()),
    ));
    let timings = &exchange.timings;
    let phases = [
        ("dns", timings.dns),
        ("connect", timings.connect),
        ("tls", timings.tls),
        ("first byte", timings.first_byte),
        ("body", timings.body),
    ];
    let phases = phases.iter().filter(|(_, time)| !time.is_zero());
    let phases: Vec<_> = phases
        .map(|(name, time)| format!("{name} {}", format::time(*time)))
        .collect();
    table.row((
        "took",
        format!("{}: {}", format::time(timings.total()), phases.join(", ")),
    ));
    let kind = exchange
        .media_type()
        .unwrap_or_else(|| "no media type".to_owned());
    table.row((
        "body",
        format!(
            "{kind}, {} as received, {} as read",
            format::bytes(exchange.raw_body.len() as u64),
            format::bytes(exchange.body().len() as u64)
        ),
    ));
    if let Some(truncation) = &exchange.truncated {
        table.row(("cut", truncation.to_string()));
    }
    if let Some(problem) = exchange.body_problem() {
        table.row(("coding", problem.to_string()));
    }
    for (name, value) in exchange.headers() {
        table.row((format!("  {name}"), value.into_owned()));
    }
    printer.table(&table)
}
