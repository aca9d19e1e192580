//! `magpie status`.

use std::process::ExitCode;

use magpie_report::sentences::watch as sentences;
use magpie_store::{ComponentTotals, Coverage as _, CoverageRow, Filled, Learned as _, Pages as _, Reader, RunKind, Runs as _, UrlState};
use magpie_terminal::{Cell, Failure, Printer, Table, Tone, format, settings};
use serde_json::{Value, json};

use magpie_model::UrlReason;

use crate::args::StatusArgs;
use crate::render::filled_json;

/// Sites that are listed; the ones with the longest queues first.
const SITES: usize = 20;

/// Sites looked through for these.
const LOOKED_THROUGH: usize = 100_000;

/// Runs that are listed, the newest.
const RUNS: usize = 5;

pub(crate) fn run(arguments: &StatusArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let folder = settings::required_workspace(&arguments.workspace)?;
    let reader = Reader::open(&folder)?;
    let status = reader.status()?;
    let runs = reader.runs()?;
    let components = reader.component_totals()?;
    let mut sites = reader.sites_after(None, LOOKED_THROUGH)?;
    sites.sort_by_key(|site| std::cmp::Reverse(site.queued));
    let fallen = fallen(&reader)?;
    if arguments.json {
        printer.json(&json!({
            "workspace": folder,
            "urls": UrlState::ALL.map(|state| (state.as_str(), status.urls.of(state))).into_iter().collect::<std::collections::BTreeMap<_, _>>(),
            "reasons": status.urls.0.iter().filter_map(|((state, reason), count)| {
                Some(json!({"state": state.as_str(), "reason": reason.as_ref()?, "urls": count}))
            }).collect::<Vec<_>>(),
            "pages": status.pages,
            "records": status.records,
            "verticals": components.iter().map(vertical_json).collect::<Vec<_>>(),
            "archives": status.archives,
            "archive_bytes": status.archive_bytes,
            "sites": sites.iter().map(|site| json!({"site": site.key, "queued": site.queued})).collect::<Vec<_>>(),
            "fell": fallen.iter().map(|(vertical, site, row)| json!({
                "vertical": vertical, "site": site, "attribute": row.attribute,
                "learned": filled_json(row.learned), "last": filled_json(row.last),
                "fell_at": row.fell_at.map(|at| at.to_string()),
            })).collect::<Vec<_>>(),
            "watch": magpie_engine::watch::read_health(&folder),
            "runs": runs.iter().map(|run| json!({
                "run": run.id.0, "kind": run.kind, "started_at": run.started_at.to_string(),
                "ended_at": run.ended_at.map(|at| at.to_string()), "outcome": run.outcome,
            })).collect::<Vec<_>>(),
        }))?;
        return Ok(ExitCode::SUCCESS);
    }
    printer.line(&printer.paint(Tone::Strong, &folder.display().to_string()))?;
    let mut table = Table::indented(2).right(&[1]);
    for state in UrlState::ALL {
        let count = status.urls.of(state);
        if count > 0 || matches!(state, UrlState::Queued | UrlState::Fetched) {
            table.row([format!("URLs {}", state.as_str()), format::thousands(count)]);
        }
    }
    table.row(["pages".to_owned(), format::thousands(status.pages)]);
    table.row(["records".to_owned(), format::thousands(status.records)]);
    table.row(["archive".to_owned(), format::bytes(status.archive_bytes)]);
    printer.table(&table)?;
    if let Some(health) = magpie_engine::watch::read_health(&folder) {
        printer.line(&sentences::health(&health))?;
    }
    let reasons: Vec<_> = status
        .urls
        .0
        .iter()
        .filter(|((_, reason), _)| reason.is_some())
        .collect();
    if !reasons.is_empty() {
        printer.line("")?;
        printer.line(&printer.paint(Tone::Strong, "Why URLs are not fetched"))?;
        let mut table = Table::indented(2).right(&[1]);
        for ((state, reason), count) in reasons {
            table.row([
                format!(
                    "{} {}",
                    state.as_str(),
                    reason.as_ref().map(UrlReason::as_str).unwrap_or_default()
                ),
                format::thousands(*count),
            ]);
        }
        printer.table(&table)?;
    }
    list_fallen(&fallen, printer)?;
    list_verticals(&components, printer)?;
    list_sites(&sites, printer)?;
    list_runs(&runs, printer)?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the attributes of which sites have fewer values than when they were learned: the vertical,
/// the key of the site, and the coverage.
fn fallen(reader: &Reader) -> Result<Vec<(String, String, CoverageRow)>, Failure> {
    let mut fallen = Vec::new();
    for vertical in reader.learned_verticals()? {
        let sites = reader.learned_sites(&vertical)?;
        for row in reader.field_coverage(&vertical, None)? {
            let site = sites.iter().find(|site| site.site == row.site);
            if let Some(site) = site.filter(|_| row.fell_at.is_some()) {
                fallen.push((vertical.clone(), site.key.clone(), row));
            }
        }
    }
    Ok(fallen)
}

fn list_fallen(fallen: &[(String, String, CoverageRow)], printer: &mut Printer) -> Result<(), Failure> {
    if fallen.is_empty() {
        return Ok(());
    }
    printer.line("")?;
    printer.line(&printer.paint(Tone::Strong, "Attributes with fewer values than learned"))?;
    let mut table = Table::indented(2);
    for (_, site, row) in fallen {
        let percent = |filled: Filled| format!("{:.0} %", 100.0 * filled.share());
        let change = format!("{} after {}", percent(row.last), percent(row.learned));
        let since = row.fell_at.map(|at| at.to_string()).unwrap_or_default();
        table.row([
            Cell::from(site.as_str()),
            Cell::toned(Tone::Bad, row.attribute.as_str()),
            Cell::from(change),
            Cell::toned(Tone::Quiet, format!("since {since}")),
        ]);
    }
    printer.table(&table)
}

fn vertical_json(totals: &ComponentTotals) -> Value {
    json!({
        "vertical": totals.component.vertical,
        "version": totals.component.version,
        "digest": format!("blake3:{}", totals.component.digest),
        "pages": totals.pages,
        "hits": totals.hits,
        "records": totals.records,
        "violations": totals.violations,
        "problems": totals.problems,
    })
}

fn list_verticals(all: &[ComponentTotals], printer: &mut Printer) -> Result<(), Failure> {
    if all.is_empty() {
        return Ok(());
    }
    printer.line("")?;
    printer.line(&printer.paint(Tone::Strong, "Verticals"))?;
    let mut table = Table::indented(2).right(&[1, 2]);
    for totals in all {
        let problems = totals.problems.iter();
        let problems: Vec<_> = problems
            .map(|(code, pages)| format!("{} {code}", format::thousands(*pages)))
            .collect();
        table.row([
            Cell::from(format!(
                "{} {}",
                totals.component.vertical, totals.component.version
            )),
            Cell::from(format::many(totals.records, "record")),
            Cell::from(format!(
                "on {} of {}",
                format::thousands(totals.hits),
                format::many(totals.pages, "page")
            )),
            match problems.is_empty() {
                true => Cell::from(""),
                false => Cell::toned(Tone::Odd, format!("failed: {}", problems.join(", "))),
            },
        ]);
    }
    printer.table(&table)
}

fn list_sites(sites: &[magpie_store::SiteRow], printer: &mut Printer) -> Result<(), Failure> {
    if sites.is_empty() {
        return Ok(());
    }
    printer.line("")?;
    printer.line(&printer.paint(Tone::Strong, "Sites"))?;
    let mut table = Table::indented(2).right(&[1]);
    for site in sites.iter().take(SITES) {
        let queued = match site.queued {
            0 => Cell::toned(Tone::Quiet, "done"),
            queued => Cell::from(format!("{} queued", format::thousands(queued))),
        };
        table.row([Cell::from(site.key.clone()), queued]);
    }
    printer.table(&table)?;
    if sites.len() > SITES {
        printer.line(&format!(
            "  and {} more",
            format::count(sites.len() - SITES, "site")
        ))?;
    }
    Ok(())
}

fn list_runs(runs: &[magpie_store::RunRow], printer: &mut Printer) -> Result<(), Failure> {
    if runs.is_empty() {
        return Ok(());
    }
    printer.line("")?;
    printer.line(&printer.paint(Tone::Strong, "Runs"))?;
    let mut table = Table::indented(2);
    for run in runs.iter().rev().take(RUNS) {
        let outcome = match (&run.outcome, run.ended_at) {
            (Some(outcome), Some(ended)) => format!("{outcome} {ended}"),
            // Its rounds of one day are one run.
            _ if run.kind == RunKind::Watch => "the latest day; `magpie watch` continues it".to_owned(),
            _ => format!("not finished; `magpie {}` continues it", command_of(run.kind)),
        };
        table.row([
            format!("{} {}", run.kind, run.id.0),
            run.started_at.to_string(),
            outcome,
        ]);
    }
    printer.table(&table)
}

/// The command that goes on with a run of a kind.
fn command_of(kind: RunKind) -> &'static str {
    match kind {
        RunKind::Crawl => "crawl",
        // The first sites are sampled by `learn` as well.
        RunKind::Sample | RunKind::Learn => "learn",
        RunKind::Recrawl => "recrawl",
        RunKind::Watch => "watch",
        RunKind::Surface => "surface",
    }
}
