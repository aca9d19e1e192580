//! `magpie status`.

use magpie_engine::workspace_name;
use magpie_model::UrlReason;
use magpie_report::sentences::{self, watch};
use magpie_report::views::sites::SiteHealth;
use magpie_report::views::status::{Fallen, Overview};
use magpie_rows::{CarefulBucket, ComponentTotals, CrewState, FailedPage, Filled, RunKind, UrlState};
use magpie_terminal::process::now;
use magpie_terminal::workspace::Opened;
use magpie_terminal::{Cell, Failure, Printer, Table, Tone, format};

use crate::args::StatusArgs;

/// Sites that are listed; the ones with the longest queues first.
const SITES: usize = 20;

const RUNS: usize = 5;

pub(crate) fn run(arguments: &StatusArgs, printer: &mut Printer) -> Result<(), Failure> {
    let opened = Opened::by(&(&arguments.workspace).into())?;
    let folder = &opened.folder;
    let overview = Overview::read(&*opened.reader, folder, &opened.settings, now())?;
    if arguments.json {
        return printer.json(&overview.view(folder));
    }
    let status = &overview.status;
    printer.heading(&workspace_name(folder))?;
    let mut table = Table::indented(2).right(&[1]);
    for state in UrlState::ALL {
        let count = status.urls.of(state);
        if count > 0 || matches!(state, UrlState::Queued | UrlState::Fetched) {
            table.row((format!("URLs {}", state.as_str()), format::thousands(count)));
        }
    }
    table.row(("pages", format::thousands(status.pages)));
    table.row(("records", format::thousands(status.records)));
    let of_quota = overview
        .archive_quota
        .map(|quota| format!(" of {}", format::bytes(quota)));
    let archive = format::bytes(status.archive_bytes) + &of_quota.unwrap_or_default();
    table.row(("archive", archive));
    if let Some(pictures) = overview.pictures() {
        table.row(("pictures", sentences::pictures(&pictures)));
    }
    printer.table(&table)?;
    if let Some(health) = &overview.watch {
        printer.line(&watch::health(health))?;
    }
    if let Some(crew) = &overview.crew {
        list_workers(crew, printer)?;
        list_careful(&crew.careful, printer)?;
    }
    list_killers(&overview.killers, printer)?;
    let reasons: Vec<_> = status
        .urls
        .0
        .iter()
        .filter(|((_, reason), _)| reason.is_some())
        .collect();
    if !reasons.is_empty() {
        printer.section("URLs by reason")?;
        let mut table = Table::indented(2).right(&[1]);
        for ((state, reason), count) in reasons {
            table.row((
                format!(
                    "{} {}",
                    state.as_str(),
                    reason.as_ref().map(UrlReason::as_str).unwrap_or_default()
                ),
                format::thousands(*count),
            ));
        }
        printer.table(&table)?;
    }
    list_states("Sites with trouble", Tone::Bad, overview.trouble(), printer)?;
    list_states("Sites learned again", Tone::Odd, overview.repaired(), printer)?;
    list_fallen(&overview.fallen, printer)?;
    list_verticals(&overview.components, printer)?;
    list_failed(&overview.failed, printer)?;
    list_sites(&overview.sites, printer)?;
    list_runs(&overview.runs, printer)
}

fn list_workers(crew: &CrewState, printer: &mut Printer) -> Result<(), Failure> {
    if crew.workers.is_empty() {
        return Ok(());
    }
    let mut table = Table::indented(2).right(&[2]);
    for row in &crew.workers {
        let state = sentences::worker(row);
        let state = match row.is_live {
            true => Cell::from(state),
            false => Cell::toned(Tone::Bad, state),
        };
        let buckets = format::counted(row.buckets, "bucket", "buckets");
        let version = Cell::toned(Tone::Quiet, format!("version {}", row.version));
        table.row((row.worker.as_str(), state, buckets, version));
    }
    printer.section("Workers")?;
    printer.table(&table)?;
    match crew.tasks_left {
        Some(left) => printer.line(&format!("  the crawl has {} left", format::many(left, "site"))),
        None => Ok(()),
    }
}

fn list_careful(buckets: &[CarefulBucket], printer: &mut Printer) -> Result<(), Failure> {
    if buckets.is_empty() {
        return Ok(());
    }
    printer.section("Buckets whose pages are worked on one at a time")?;
    let mut table = Table::indented(2).right(&[0]);
    for careful in buckets.iter().take(SITES) {
        let killed = format::counted(careful.killed, "owner was killed", "owners were killed");
        table.row((
            careful.bucket.to_string(),
            Cell::toned(Tone::Odd, killed),
            careful.worker.as_str(),
            careful.url.as_deref().unwrap_or_default(),
        ));
    }
    printer.table(&table)?;
    match buckets.len().saturating_sub(SITES) {
        0 => Ok(()),
        more => printer.line(&format!("  and {} more", format::count(more, "bucket"))),
    }
}

fn list_killers(urls: &[String], printer: &mut Printer) -> Result<(), Failure> {
    if urls.is_empty() {
        return Ok(());
    }
    printer.section("Pages that killed workers and are not fetched")?;
    for url in urls {
        printer.line(&format!("  {url}"))?;
    }
    Ok(())
}

fn list_states<'a>(
    title: &str,
    tone: Tone,
    sites: impl Iterator<Item = &'a SiteHealth>,
    printer: &mut Printer,
) -> Result<(), Failure> {
    let mut sites = sites.peekable();
    if sites.peek().is_none() {
        return Ok(());
    }
    let mut table = Table::indented(2);
    for health in sites {
        let state = Cell::toned(tone, health.state.sentence());
        table.row((health.site.key.as_str(), state));
    }
    printer.section(title)?;
    printer.table(&table)
}

fn list_fallen(fallen: &[Fallen], printer: &mut Printer) -> Result<(), Failure> {
    if fallen.is_empty() {
        return Ok(());
    }
    printer.section("Attributes with fewer values than learned")?;
    let mut table = Table::indented(2);
    for Fallen { site, row, .. } in fallen {
        let percent = |filled: Filled| format!("{:.0} %", 100.0 * filled.share());
        let change = format!("{} after {}", percent(row.last), percent(row.learned));
        let since = row.fell_at.map(|at| at.to_string()).unwrap_or_default();
        table.row((
            site.as_str(),
            Cell::toned(Tone::Bad, row.attribute.as_str()),
            change,
            Cell::toned(Tone::Quiet, format!("since {since}")),
        ));
    }
    printer.table(&table)
}

fn list_verticals(all: &[ComponentTotals], printer: &mut Printer) -> Result<(), Failure> {
    if all.is_empty() {
        return Ok(());
    }
    printer.section("Verticals")?;
    let mut table = Table::indented(2).right(&[1, 2]);
    for totals in all {
        let problems = totals.problems.iter();
        let problems: Vec<_> = problems
            .map(|(code, pages)| format!("{} {code}", format::thousands(*pages)))
            .collect();
        table.row((
            format!("{} {}", totals.component.vertical, totals.component.version),
            format::many(totals.records, "record"),
            format!(
                "on {} of {}",
                format::thousands(totals.hits),
                format::many(totals.pages, "page")
            ),
            match problems.is_empty() {
                true => Cell::from(""),
                false => Cell::toned(Tone::Odd, format!("failed: {}", problems.join(", "))),
            },
        ));
    }
    printer.table(&table)
}

/// Lists the pages on which a vertical failed. Without `--verbose` the counts above are enough.
fn list_failed(failed: &[FailedPage], printer: &mut Printer) -> Result<(), Failure> {
    if failed.is_empty() {
        return Ok(());
    }
    if !printer.verbose {
        printer.hint("`--verbose` lists the newest pages on which a vertical failed");
        return Ok(());
    }
    printer.section("Newest pages on which a vertical failed")?;
    let mut table = Table::indented(2);
    for page in failed {
        table.row((
            Cell::toned(
                Tone::Odd,
                format!("{}: {}", page.component.vertical, page.problem),
            ),
            page.url.as_str(),
            page.detail.as_deref().unwrap_or_default(),
        ));
    }
    printer.table(&table)?;
    printer.hint("`magpie explain URL` shows one of them");
    Ok(())
}

fn list_sites(sites: &[magpie_rows::SiteRow], printer: &mut Printer) -> Result<(), Failure> {
    if sites.is_empty() {
        return Ok(());
    }
    printer.section("Sites")?;
    let mut table = Table::indented(2).right(&[1]);
    for site in sites.iter().take(SITES) {
        let queued = match site.queued {
            0 => Cell::toned(Tone::Quiet, "done"),
            queued => Cell::from(format!("{} queued", format::thousands(queued))),
        };
        table.row((site.key.clone(), queued));
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

fn list_runs(runs: &[magpie_rows::RunRow], printer: &mut Printer) -> Result<(), Failure> {
    if runs.is_empty() {
        return Ok(());
    }
    printer.section("Runs")?;
    let mut table = Table::indented(2);
    for run in runs.iter().rev().take(RUNS) {
        let outcome = match (&run.outcome, run.ended_at) {
            (Some(outcome), Some(ended)) => format!("{outcome} {ended}"),
            // Its rounds of one day are one run.
            _ if run.kind == RunKind::Watch => "the latest day; `magpie watch` continues it".to_owned(),
            _ => format!("not finished; `magpie {}` continues it", command_of(run.kind)),
        };
        table.row((
            format!("{} {}", run.kind, run.id.0),
            run.started_at.to_string(),
            outcome,
        ));
    }
    printer.table(&table)
}

/// Returns the command that continues a run of a kind.
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
