//! `magpie fetch`.

use std::io::Write;
use std::process::ExitCode;

use magpie_engine::{Clients, Look, look};
use magpie_web::Exchange;
use serde_json::{Value, json};

use crate::args::FetchArgs;
use crate::crawl::with_scheme;
use crate::failure::{Failure, Kind};
use crate::plugin::found;
use crate::printer::{Printer, Tone};
use crate::table::Table;
use crate::{settings, show};

pub(crate) fn run(arguments: &FetchArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let workspace = settings::workspace(&arguments.settings);
    let resolved = settings::resolve(&arguments.settings, &arguments.short, workspace.as_deref())?;
    let text = with_scheme(&arguments.url);
    let url = url::Url::parse(&text)
        .map_err(|problem| Failure::usage(format!("`{}` is no URL: {problem}", arguments.url)))?;
    let clients = Clients::new(&resolved)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime =
        runtime.map_err(|error| Failure::new(Kind::Input, format!("can't start a thread: {error}")))?;
    let look = runtime.block_on(look(&clients, &resolved, &url));
    if arguments.json {
        printer.json(&as_json(&look))?;
    } else if arguments.body {
        body(&look)?;
    } else {
        tell(&look, printer)?;
    }
    let good = look.problem.is_none() && look.exchanges.last().is_some_and(|page| page.status < 400);
    if let (Some(problem), true) = (&look.problem, arguments.body) {
        return Err(Failure::new(Kind::Input, problem.clone()));
    }
    Ok(found(good))
}

/// The page itself, codings undone, for other programs.
fn body(look: &Look) -> Result<(), Failure> {
    match look.exchanges.last() {
        Some(page) => Ok(std::io::stdout().write_all(page.body())?),
        None => Ok(()),
    }
}

fn tell(look: &Look, printer: &mut Printer) -> Result<(), Failure> {
    for change in &look.changes {
        printer.line(&format!("its one name is {}: {change}", look.canonical))?;
    }
    for (origin, verdict) in &look.robots {
        let tone = if verdict.allowed { Tone::Good } else { Tone::Bad };
        let word = printer.paint(tone, if verdict.allowed { "allowed" } else { "refused" });
        printer.line(&format!("{word} by robots.txt of {origin}: {}", verdict.sentence))?;
        if let Some(delay) = verdict.crawl_delay.filter(|delay| !delay.is_zero()) {
            printer.line(&format!(
                "  it asks for {} between two requests",
                show::time(delay)
            ))?;
        }
    }
    look.exchanges
        .iter()
        .try_for_each(|exchange| tell_exchange(exchange, printer))?;
    match &look.problem {
        Some(problem) => printer.line(&format!("{} {problem}", printer.paint(Tone::Bad, "no page:"))),
        None => Ok(()),
    }
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
    table.row([
        "from".to_owned(),
        format!("{} by {}", exchange.remote, exchange.protocol.name()),
    ]);
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
        .map(|(name, time)| format!("{name} {}", show::time(*time)))
        .collect();
    table.row([
        "took".to_owned(),
        format!("{}: {}", show::time(timings.total()), phases.join(", ")),
    ]);
    let kind = exchange
        .media_type()
        .unwrap_or_else(|| "no media type".to_owned());
    table.row([
        "body".to_owned(),
        format!(
            "{kind}, {} as received, {} as read",
            show::bytes(exchange.raw_body.len() as u64),
            show::bytes(exchange.body().len() as u64)
        ),
    ]);
    if let Some(truncation) = &exchange.truncated {
        table.row(["cut".to_owned(), truncation.to_string()]);
    }
    if let Some(problem) = exchange.body_problem() {
        table.row(["coding".to_owned(), problem.to_string()]);
    }
    for (name, value) in exchange.headers() {
        table.row([format!("  {name}"), value.into_owned()]);
    }
    printer.table(&table)
}

fn as_json(look: &Look) -> Value {
    json!({
        "canonical": look.canonical,
        "changes": look.changes.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "robots": look.robots.iter().map(|(origin, verdict)| json!({
            "origin": origin,
            "allowed": verdict.allowed,
            "why": verdict.sentence,
            "crawl_delay": verdict.crawl_delay.map(|delay| delay.as_secs_f64()),
        })).collect::<Vec<_>>(),
        "exchanges": look.exchanges.iter().map(|exchange| json!({
            "url": exchange.url.as_str(),
            "status": exchange.status,
            "remote": exchange.remote.to_string(),
            "protocol": exchange.protocol.name(),
            "seconds": exchange.timings.total().as_secs_f64(),
            "media_type": exchange.media_type(),
            "received_bytes": exchange.raw_body.len(),
            "bytes": exchange.body().len(),
            "truncated": exchange.truncated.as_ref().map(ToString::to_string),
            "headers": exchange.headers().map(|(name, value)| json!([name, value])).collect::<Vec<_>>(),
        })).collect::<Vec<_>>(),
        "problem": look.problem,
    })
}
