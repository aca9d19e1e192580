//! The first page: is all well?

use axum::extract::State;
use axum::response::Response;
use magpie_engine::learn::sites_begun;
use magpie_report::format::{bytes, counted, many, thousands};
use magpie_report::sentences::{self, watch::health};
use magpie_report::views::status::Overview;
use magpie_rows::{CrewState, RoundFilter, RoundRow, RunKind, UrlState};
use magpie_values::Timestamp;
use serde_json::Value;

use crate::asked::Asked;
use crate::blocks::{Block, Cell, Figure, Table, Tone};
use crate::frame::Page;
use crate::href::Href;
use crate::operator::live::{NOTHING_RUNS, running, was_killed, watch_fact};
use crate::operator::sites::UNLEARNED;
use crate::operator::urls;
use crate::{App, Error, Format, control, html, json, objects, words};

/// Runs that are listed, the newest.
const MAX_RUNS: usize = 5;

/// Objects of each vertical that are listed.
const NEWEST: usize = 5;

/// Buckets that are listed which are worked carefully.
const MAX_CAREFUL: usize = 20;

/// The last rounds of a vertical.
struct Rounds {
    vertical: String,
    objects: u64,
    sites: usize,
    /// Sites that a person should look at.
    failing: usize,
    last: Vec<RoundRow>,
    /// Objects that the last round found first, each once.
    new: u64,
    /// The beginning of the last round.
    began: Option<Timestamp>,
}

pub(super) async fn show(State(app): State<App>, asked: Asked) -> Result<Response, Error> {
    let shared = app.clone();
    let (overview, rounds, newest, unlearned) = app
        .read(move |reader| {
            let overview = Overview::read(reader, shared.folder(), shared.settings(), shared.now())?;
            let (mut rounds, mut newest) = (Vec::new(), Vec::new());
            for row in reader.warehouse_verticals()? {
                let own = || {
                    overview
                        .health
                        .iter()
                        .filter(|site| site.vertical == row.vertical)
                };
                let all = reader.rounds(&row.vertical, RoundFilter::All)?;
                let last = all.iter().map(|round| round.run).max();
                let run = overview.runs.iter().find(|run| Some(run.id) == last);
                let window = run.map(|run| (run.started_at, run.ended_at.unwrap_or(Timestamp::MAX)));
                let hits = objects::newest(reader, &row.vertical, NEWEST, shared.now(), shared.settings())?;
                newest.push((row.vertical.clone(), hits));
                rounds.push(Rounds {
                    objects: reader.warehouse_objects(&row)?,
                    new: match window {
                        Some(window) => reader.new_objects(&row.vertical, window)?,
                        None => 0,
                    },
                    began: window.map(|(began, _)| began),
                    sites: own().count(),
                    failing: own().filter(|site| site.state.is_failing()).count(),
                    vertical: row.vertical.clone(),
                    last: all.into_iter().filter(|round| Some(round.run) == last).collect(),
                });
            }
            let mut unlearned = 0;
            for vertical in reader.learned_verticals()? {
                unlearned += sites_begun(reader, &vertical, shared.settings())?.len();
            }
            Ok((overview, rounds, newest, unlearned))
        })
        .await?;
    if asked.format == Format::Json {
        return Ok(json(&overview.view(app.folder())));
    }
    let mut blocks = vec![verdict(&overview, &rounds, unlearned)];
    blocks.push(Block::Figures(figures(&overview, &rounds)));
    blocks.extend(now(&app, &overview));
    for (vertical, hits) in newest {
        if !hits.is_empty() {
            blocks.push(Block::heading(format!("Newest {vertical}")));
            blocks.push(Block::Hits(hits));
            blocks.push(Block::Text(vec![
                Cell::link(Href::to(&[&vertical]), format!("All {vertical}")),
                Cell::from(" · "),
                Cell::link(
                    Href::to(&["changes"]).with("vertical", &vertical),
                    "what changed in the last 7 days",
                ),
            ]));
        }
    }
    if let Some(crew) = &overview.crew {
        blocks.push(Block::heading("Workers"));
        blocks.extend(workers(crew));
    }
    if !overview.killers.is_empty() {
        let mut table = Table::new("Pages that killed workers and are not fetched", &["Page"]);
        table.rows = overview.killers.iter().map(|url| vec![Cell::url(url)]).collect();
        blocks.push(Block::Table(table));
    }
    blocks.push(Block::heading("How the crawl does"));
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

/// Answers whether all is well.
fn verdict(overview: &Overview, rounds: &[Rounds], unlearned: usize) -> Block {
    let sites: usize = rounds.iter().map(|rounds| rounds.sites).sum();
    if sites == 0 {
        let mut cells = vec![Cell::from(
            "Nothing has been learned yet. `magpie learn` finds sites and their pages with objects.",
        )];
        cells.extend(brought_nothing(unlearned));
        return Block::Verdict {
            tone: Tone::Quiet,
            cells,
        };
    }
    let killed = overview
        .watch
        .as_ref()
        .filter(|watch| was_killed(Some(*watch)))
        .map(health);
    let failing = overview.trouble().count() as u64;
    let mut cells = Vec::new();
    let tone = match (&killed, failing) {
        (Some(_), _) => Tone::Bad,
        (None, 0) => Tone::Good,
        (None, _) => Tone::Odd,
    };
    if let Some(killed) = killed {
        cells.push(Cell::from(format!("{}. ", words::title(&killed))));
    }
    cells.extend(match failing {
        0 => vec![Cell::from(format!(
            "{} as {} should",
            counted(sites as u64, "site does", "sites do"),
            if sites == 1 { "it" } else { "they" }
        ))],
        failing => vec![
            Cell::link(
                Href::to(&["sites"]).with("state", "failing"),
                format!(
                    "{} of {}",
                    thousands(failing),
                    counted(sites as u64, "site", "sites")
                ),
            ),
            Cell::from(if failing == 1 {
                " needs a look"
            } else {
                " need a look"
            }),
        ],
    });
    let last = rounds.iter().flat_map(|rounds| &rounds.last);
    if let Some(began) = last.map(|round| round.began_at).max() {
        cells.extend([Cell::from("; the last round began on "), Cell::Time(began)]);
    }
    cells.push(Cell::from("."));
    cells.extend(brought_nothing(unlearned));
    Block::Verdict { tone, cells }
}

/// Leads to the sites that were named and not learned, if there are any.
fn brought_nothing(unlearned: usize) -> Vec<Cell> {
    if unlearned == 0 {
        return Vec::new();
    }
    let named = counted(unlearned as u64, "site that was named", "sites that were named");
    let href = Href::to(&["sites"]).with("state", UNLEARNED);
    vec![
        Cell::from(" "),
        Cell::link(href, format!("{named} brought nothing")),
        Cell::from("."),
    ]
}

/// Returns the command that runs now, and the reason if it waits.
fn now(app: &App, overview: &Overview) -> Vec<Block> {
    let sentence = match running(app.folder(), overview.runs.last()) {
        Some(sentence) => Cell::from(sentence),
        None => Cell::from(NOTHING_RUNS),
    };
    let mut facts = vec![
        sentence.figure("Now").live("state"),
        Cell::none().figure("Pages per minute").live("pace"),
    ];
    let mut blocks = Vec::new();
    if control::settings(app).settings.watch.pause {
        facts.push(Cell::from("all sites").figure("Paused"));
    }
    facts.push(watch_fact(overview.watch.as_ref()));
    if let Some(watch) = &overview.watch {
        let problems = watch["last"]["problems"].as_array().into_iter().flatten();
        for problem in problems.filter_map(Value::as_str) {
            blocks.push(Block::Text(vec![Cell::state(Tone::Bad, problem)]));
        }
    }
    blocks.insert(0, Block::Facts(facts));
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
    let new = rounds.iter().map(|rounds| rounds.new).sum();
    let began = rounds.iter().filter_map(|rounds| rounds.began).min();
    let since = began.map(|began| began.to_string()).unwrap_or_default();
    let violations: u64 = overview.components.iter().map(|totals| totals.violations).sum();
    vec![
        link(objects, "objects", &[]).figure("Objects"),
        link(new, "changes", &[("kind", "new"), ("since", &since)]).figure("New in the last round"),
        link(
            overview.trouble().count() as u64,
            "sites",
            &[("state", "failing")],
        )
        .figure("Sites with trouble"),
        link(urls.of(UrlState::Queued), "urls", &[("state", "queued")])
            .figure("URLs queued")
            .live("queued"),
        link(urls.of(UrlState::Fetched), "urls", &[("state", "fetched")])
            .figure("URLs fetched")
            .live("fetched"),
        link(urls.of(UrlState::Failed), "urls", &[("state", "failed")])
            .figure("URLs failed")
            .live("failed"),
        link(violations, "violations", &[]).figure("Values dropped or corrected"),
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
        table.row([
            Cell::link(Href::to(&[&rounds.vertical]), rounds.vertical.clone()),
            Cell::number(rounds.objects),
            Cell::number(rounds.sites as u64),
            Cell::time(rounds.last.iter().map(|round| round.began_at).max()),
            Cell::number(rounds.last.iter().map(|round| round.pages).sum()),
            Cell::number(rounds.new),
            match (rounds.sites, rounds.failing) {
                (0, _) => Cell::none(),
                (_, 0) => Cell::state(Tone::Good, "as it should be"),
                (_, bad) => Cell::state(Tone::Bad, format!("{} with trouble", many(bad as u64, "site"))),
            },
        ]);
    }
    table
}

/// The processes that work together, and the crawl that they do.
fn workers(crew: &CrewState) -> Vec<Block> {
    let columns = ["Process", "State", "#Buckets", "Joined", "Version"];
    let mut table = Table::new("Processes that work in the workspace", &columns)
        .or("No process works in the workspace: `magpie worker` starts a worker.");
    for row in &crew.workers {
        let tone = if row.is_live { Tone::Good } else { Tone::Bad };
        table.row([
            Cell::from(row.worker.as_str()),
            Cell::state(tone, sentences::worker(row)),
            Cell::number(row.buckets),
            Cell::Time(row.joined_at),
            Cell::from(row.version.as_str()),
        ]);
    }
    let mut blocks = vec![Block::Table(table)];
    if let Some(left) = crew.tasks_left {
        let left = format!("The open crawl has {} left.", many(left, "site"));
        blocks.insert(0, Block::Text(vec![Cell::from(left)]));
    }
    if !crew.careful.is_empty() {
        blocks.push(Block::Table(Table::of(
            "Buckets whose pages are worked on one at a time",
            &["#Bucket", "#Owners killed", "Owner", "Page under way"],
            &crew.careful,
            (MAX_CAREFUL, "bucket"),
            |careful| {
                vec![
                    Cell::number(careful.bucket),
                    Cell::number(careful.killed),
                    Cell::from(careful.worker.as_str()),
                    careful.url.as_deref().map_or_else(Cell::none, Cell::url),
                ]
            },
        )));
    }
    blocks
}

fn reasons(overview: &Overview) -> Table {
    let mut table = Table::new(
        "URLs that were not fetched, by reason",
        &["Reason", "State", "#URLs"],
    )
    .or("No URL was left out for a reason.");
    for ((state, reason), count) in &overview.status.urls.0 {
        let Some(reason) = reason else { continue };
        let href = Href::to(&["urls"])
            .with("state", state.as_str())
            .with("reason", &reason.as_str());
        table.row([
            Cell::link(href, urls::reason_words(reason)),
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
