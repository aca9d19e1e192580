//! The first page: is all well?

use axum::extract::State;
use axum::response::Response;
use magpie_report::format::{bytes, many, thousands};
use magpie_report::sentences::watch::health;
use magpie_report::views::status::Overview;
use magpie_store::{Learned as _, RoundFilter, RoundRow, RoundState, RunKind, UrlState};
use serde_json::Value;

use crate::asked::Asked;
use crate::blocks::{Block, Cell, Figure, Page, Table, Tone};
use crate::href::Href;
use crate::operator::live::{running, watch_sentence};
use crate::{App, Error, Format, html, json};

/// Runs that are listed, the newest.
const MAX_RUNS: usize = 5;

/// The last rounds of a vertical.
struct Rounds {
    vertical: String,
    objects: u64,
    sites: usize,
    last: Vec<RoundRow>,
}

pub(super) async fn show(State(app): State<App>, asked: Asked) -> Result<Response, Error> {
    let shared = app.clone();
    let (overview, rounds) = app
        .read(move |reader| {
            let overview = Overview::read(reader, shared.folder())?;
            let mut rounds = Vec::new();
            for row in reader.warehouse_verticals()? {
                let learned = reader.learned_sites(&row.vertical)?;
                let all = reader.rounds(&row.vertical, RoundFilter::All)?;
                let last = all.iter().map(|round| round.run).max();
                rounds.push(Rounds {
                    objects: reader.warehouse_objects(&row)?,
                    vertical: row.vertical,
                    sites: learned.len(),
                    last: all.into_iter().filter(|round| Some(round.run) == last).collect(),
                });
            }
            Ok((overview, rounds))
        })
        .await?;
    if asked.format == Format::Json {
        return Ok(json(&overview.to_json(app.folder())));
    }
    let mut blocks = vec![Block::Figures(figures(&overview, &rounds))];
    blocks.extend(now(&app, &overview));
    blocks.push(Block::Table(verticals(&rounds)));
    blocks.push(Block::Table(reasons(&overview)));
    blocks.push(Block::Table(runs(&overview)));
    blocks.push(Block::command("magpie status"));
    let frame = asked.frame("Overview", "/").with_json(Href {
        address: "/status.json".to_owned(),
        is_outside: false,
    });
    html(&Page { frame, blocks })
}

/// What runs at this moment, and why it waits.
fn now(app: &App, overview: &Overview) -> Vec<Block> {
    let mut blocks = vec![Block::heading("Now")];
    let sentence = match running(app.folder(), overview.runs.last()) {
        Some(sentence) => Cell::state(Tone::Good, sentence),
        None => Cell::state(Tone::Quiet, "nothing runs"),
    };
    blocks.push(Block::Figures(vec![
        sentence.figure("State").live("state"),
        Cell::Text("–".to_owned()).figure("Pages per minute").live("pace"),
    ]));
    if let Some(watch) = &overview.watch {
        blocks.push(Block::text(match watch_sentence(app.folder(), watch) {
            Some(killed) => killed,
            None => health(watch),
        }));
        let problems = watch["last"]["problems"].as_array().into_iter().flatten();
        for problem in problems.filter_map(Value::as_str) {
            blocks.push(Block::Text(vec![Cell::state(Tone::Bad, problem)]));
        }
    }
    blocks
}

fn figures(overview: &Overview, rounds: &[Rounds]) -> Vec<Figure> {
    let urls = &overview.status.urls;
    let link = |number: u64, path: &str, pairs: &[(&str, &str)]| {
        let href = pairs
            .iter()
            .fold(Href::to(&[path]), |href, (name, value)| href.with(name, value));
        Cell::link(href, thousands(number))
    };
    let objects = rounds.iter().map(|rounds| rounds.objects).sum();
    let last = || rounds.iter().flat_map(|rounds| &rounds.last);
    let failing = last().filter(|round| round.state != RoundState::Done).count() as u64;
    let new = last().map(|round| round.new_objects).sum();
    let violations: u64 = overview.components.iter().map(|totals| totals.violations).sum();
    vec![
        link(objects, "objects", &[]).figure("Objects"),
        link(new, "changes", &[("kind", "new")]).figure("New in the last round"),
        link(failing, "sites", &[("state", "failing")]).figure("Sites with trouble"),
        link(urls.of(UrlState::Queued), "urls", &[("state", "queued")])
            .figure("URLs queued")
            .live("queued"),
        link(urls.of(UrlState::Fetched), "urls", &[("state", "fetched")])
            .figure("URLs fetched")
            .live("fetched"),
        link(urls.of(UrlState::Failed), "urls", &[("state", "failed")])
            .figure("URLs failed")
            .live("failed"),
        link(violations, "quality", &[]).figure("Values dropped or corrected"),
        Cell::Text(bytes(overview.status.archive_bytes)).figure("Archive"),
    ]
}

fn verticals(rounds: &[Rounds]) -> Table {
    let columns = [
        "Vertical",
        "#Objects",
        "#Sites",
        "Last round",
        "#Pages",
        "#New objects",
        "State",
    ];
    let mut table = Table::new("Verticals and their last rounds", &columns)
        .or("No vertical has objects yet: `magpie learn` finds them.");
    for rounds in rounds {
        let bad = rounds
            .last
            .iter()
            .filter(|round| round.state != RoundState::Done)
            .count();
        table.row([
            Cell::link(Href::to(&[&rounds.vertical]), rounds.vertical.clone()),
            Cell::number(rounds.objects),
            Cell::number(rounds.sites as u64),
            Cell::time(rounds.last.iter().map(|round| round.began_at).max()),
            Cell::number(rounds.last.iter().map(|round| round.pages).sum()),
            Cell::number(rounds.last.iter().map(|round| round.new_objects).sum()),
            match (rounds.last.is_empty(), bad) {
                (true, _) => Cell::none(),
                (false, 0) => Cell::state(Tone::Good, "done"),
                (false, bad) => Cell::state(Tone::Bad, format!("{} with trouble", many(bad as u64, "site"))),
            },
        ]);
    }
    table
}

fn reasons(overview: &Overview) -> Table {
    let mut table = Table::new(
        "URLs that were not fetched, by reason",
        &["Reason", "State", "#URLs"],
    )
    .or("No URL was left out for a reason.");
    for ((state, reason), count) in &overview.status.urls.0 {
        let Some(reason) = reason else { continue };
        let word = reason.as_str();
        let href = Href::to(&["urls"])
            .with("state", state.as_str())
            .with("reason", &word);
        table.row([
            Cell::link(href, word.into_owned()),
            Cell::from(state.as_str()),
            Cell::number(*count),
        ]);
    }
    table
}

fn runs(overview: &Overview) -> Table {
    let columns = ["Run", "Kind", "Started", "Ended", "State"];
    let mut table = Table::new("The last runs", &columns).or("Nothing has run yet.");
    for run in overview.runs.iter().rev().take(MAX_RUNS) {
        table.row(super::runs::cells(run));
    }
    table
}

/// The state of a run in words.
pub(super) fn run_state(kind: RunKind, is_ended: bool, outcome: Option<&str>) -> Cell {
    match (is_ended, outcome) {
        (true, outcome) => Cell::state(Tone::Good, outcome.unwrap_or("ended")),
        // The rounds of a day are one run.
        (false, _) if kind == RunKind::Watch => Cell::state(Tone::Quiet, "the latest day of a watch"),
        (false, _) => Cell::state(Tone::Odd, "not finished"),
    }
}
