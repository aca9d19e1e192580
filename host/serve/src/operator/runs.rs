//! Runs and their reports.

use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use magpie_engine::recrawl::Account;
use magpie_report::build::{Built, Place, Reportable, Subject, build, reportable};
use magpie_report::views::status::RunView;
use magpie_rows::ReadStore;
use magpie_rows::{RunId, RunRow};
use serde_json::json;

use super::home::run_state;
use crate::answer::{self, List};
use crate::asked::Asked;
use crate::blocks::{Block, Cell, Table};
use crate::format::Named;
use crate::frame::Page;
use crate::href::Href;
use crate::{App, Error, Format, html};

/// Runs that the page lists, the newest.
const MAX_RUNS: usize = 500;

/// The policy of reports, which have their style within them.
const REPORT_POLICY: &str = "sandbox; default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

/// The cells of a run: number, kind, beginning, end, state.
pub(super) fn cells(run: &RunRow) -> [Cell; 5] {
    [
        Cell::link(Href::to(&["run", &run.id.0.to_string()]), run.id.0.to_string()),
        Cell::from(run.kind.as_str()),
        Cell::Time(run.started_at),
        Cell::time(run.ended_at),
        run_state(run.kind, run.ended_at.is_some(), run.outcome.as_deref()),
    ]
}

pub(super) async fn all(State(app): State<App>, asked: Asked) -> Result<Response, Error> {
    let runs = app.read(|reader| Ok(reader.runs()?)).await?;
    if !asked.format.is_page() {
        return List::new("runs", runs.iter().map(RunView::from)).answer(&asked);
    }
    let mut table = Table::new(
        "Runs, the newest first",
        &["Run", "Kind", "Started", "Ended", "State"],
    )
    .or("Nothing has run yet.");
    for run in runs.iter().rev().take(MAX_RUNS) {
        table.row(cells(run));
    }
    if runs.len() > MAX_RUNS {
        table.leaves_out(format!("{} older runs are left out.", runs.len() - MAX_RUNS));
    }
    html(&Page {
        frame: asked.list_frame("Runs", "/runs"),
        blocks: vec![Block::Table(table), Block::command("magpie status")],
    })
}

pub(super) async fn one(
    State(app): State<App>,
    Path(text): Path<String>,
    asked: Asked,
) -> Result<Response, Error> {
    let id = number(&text)?;
    let shared = app.clone();
    let is_page = asked.format.is_page();
    let read = move |reader: &dyn ReadStore| {
        let runs = reader.runs()?;
        let run = runs
            .iter()
            .find(|run| run.id == id)
            .cloned()
            .ok_or_else(|| unknown(id))?;
        let targets = targets(reader, id)?;
        let mut reports = Vec::new();
        for target in targets.iter().filter(|_| !is_page) {
            let built = built(reader, &shared, target)?;
            reports.push(json!({
                "vertical": target.vertical, "figures": built.figures, "notices": built.report.notices,
            }));
        }
        Ok((run, !targets.is_empty(), reports))
    };
    let (run, has_report, reports) = match is_page {
        true => app.read(read).await?,
        false => app.read_dear(read).await?,
    };
    if asked.format == Format::Json {
        let mut body = json!(RunView::from(&run));
        body["reports"] = reports.into();
        return Ok(answer::json(&body));
    }
    let [_, kind, started, ended, state] = cells(&run);
    let text = id.0.to_string();
    let mut blocks = vec![Block::Facts(vec![
        kind.figure("Kind"),
        state.figure("State"),
        started.figure("Started"),
        ended.figure("Ended"),
        Cell::from(run.program).figure("Program"),
    ])];
    if has_report {
        blocks.push(Block::Frame {
            title: format!("Report of run {text}"),
            source: Href::to(&["run", &text, "report"]),
        });
        blocks.push(Block::command(format!("magpie report --run {text}")));
    } else {
        blocks.push(Block::text(
            "A report is made of runs of `learn` and `recrawl`, and of each day of `watch`, when they have ended.",
        ));
    }
    let frame = asked
        .frame(format!("Run {text}"), "/runs")
        .with_json(Href::to(&["run", &format!("{text}.json")]));
    html(&Page { frame, blocks })
}

/// The report of a run, as `magpie report` writes it.
pub(super) async fn report(State(app): State<App>, Path(text): Path<String>) -> Result<Response, Error> {
    let id = number(&text)?;
    let shared = app.clone();
    let page = app.read_dear(move |reader| rendered(reader, &shared, id)).await?;
    let head = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, REPORT_POLICY),
    ];
    Ok((head, page).into_response())
}

fn rendered(reader: &dyn ReadStore, app: &App, id: RunId) -> Result<String, Error> {
    let target = targets(reader, id)?.pop().ok_or_else(|| unknown(id))?;
    Ok(magpie_report::render(&built(reader, app, &target)?.report))
}

/// Returns the reports that can be made of a run, one for each vertical.
fn targets(reader: &dyn ReadStore, id: RunId) -> Result<Vec<Reportable>, Error> {
    let runs = reader.runs()?;
    let mut found = Vec::new();
    for vertical in reader.learned_verticals()? {
        found.extend(reportable(reader, &vertical, &runs, Some(id))?.pop());
    }
    Ok(found)
}

fn built(reader: &dyn ReadStore, app: &App, target: &Reportable) -> Result<Built, Error> {
    let subject = match target.recrawl {
        None => Subject::Learned,
        Some(run) => Subject::Recrawled(Box::new(Account::read(reader, &target.vertical, run)?)),
    };
    let place = Place {
        folder: app.folder(),
        vertical: &target.vertical,
        settings: app.settings(),
        now: app.now(),
    };
    Ok(build(reader, place, &subject)?)
}

fn number(text: &str) -> Result<RunId, Error> {
    let named = Named::parse(text);
    let number = named.name.parse().ok().map(RunId);
    number.ok_or_else(|| Error::NotFound(format!("`{}` is not the number of a run", named.name)))
}

fn unknown(id: RunId) -> Error {
    Error::NotFound(format!("there is no run {}", id.0))
}
