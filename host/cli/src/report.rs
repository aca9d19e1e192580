//! The report of a run: one HTML file that says what was done, why, and what it brought.
//!
//! `learn` and `recrawl` write it at their end, `magpie report` writes it again. All of it comes from the workspace, where a
//! recrawl leaves an [`Account`] of what the other tables do not tell.

mod build;
mod figures;
mod ground;
mod maps;
mod notices;
mod sites;
mod words;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use magpie_engine::Session;
use magpie_engine::collect::SiteFigures;
use magpie_engine::recrawl::{Account, RecrawlOutcome};
use magpie_report::{Report, render};
use magpie_store::{Learned as _, LearnedStore as _, Reader, RoundsOf, RunId, RunRow, Runs as _};
use serde_json::json;

use crate::args::{CrawlSettingArgs, ReportArgs, SettingArgs};
use crate::failure::{Failure, Kind};
use crate::printer::Printer;
use crate::{outlet, settings, show, sites as listed};

use ground::{Ground, Place};

/// The folder of the workspace that reports lie in.
const FOLDER: &str = "reports";

/// The stages of learning that fetch pages, and the one with which it is through.
const SAMPLE_STAGE: &str = "sample";
const CRAWL_STAGE: &str = "crawl";
const LAST_STAGE: &str = "navigate";

/// What a report is of.
pub(super) enum Subject {
    /// What was learned.
    Learned,
    /// A recrawl.
    Recrawled(Box<Account>),
}

pub(crate) fn run(arguments: &ReportArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let folder = settings::required_workspace(&arguments.workspace)?;
    outlet::check(arguments.out.as_deref())?;
    let set = SettingArgs {
        place: arguments.workspace.clone(),
        ..SettingArgs::default()
    };
    let resolved = settings::resolve(&set, &CrawlSettingArgs::default(), Some(&folder))?;
    let reader = Reader::open(&folder)?;
    let runs = reader.runs()?;
    let verticals = listed::verticals(&reader, arguments.vertical.as_deref())?;
    let wanted = arguments.run.map(RunId);
    let mut found: Vec<(i64, Target)> = Vec::new();
    for vertical in verticals {
        found.extend(targets(&reader, &vertical, &runs, wanted)?);
    }
    let last = found.into_iter().max_by_key(|(ended_at, _)| *ended_at);
    let (_, target) = last.ok_or_else(|| no_such_run(wanted))?;
    let subject = match target.recrawl {
        None => Subject::Learned,
        Some(run) => Subject::Recrawled(Box::new(Account::read(&reader, &target.vertical, run)?)),
    };
    let place = Place {
        folder: &folder,
        vertical: &target.vertical,
        settings: &resolved,
    };
    let ground = Ground::read(&reader, place, &subject)?;
    let (report, _) = build::report(&ground, &subject);
    let usual = usual_place(&folder, &target.vertical, target.run, &subject);
    let path = arguments.out.clone().unwrap_or(usual);
    write(&path, &report)?;
    match arguments.json {
        true => printer.json(
            &json!({"vertical": target.vertical, "report": path, "figures": report.figures, "notices": report.notices}),
        )?,
        false if path == Path::new(outlet::STDOUT) => {}
        false => printer.line(&told(&path))?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The place of a report, and its figures.
pub(crate) struct Written {
    pub(crate) path: PathBuf,
    pub(crate) figures: magpie_report::Figures,
    pub(crate) sites: Vec<SiteFigures>,
}

/// The figures of the report of a recrawl, and its place if it could be written.
pub(crate) struct Reported {
    pub(crate) path: Result<PathBuf, Failure>,
    pub(crate) figures: magpie_report::Figures,
    pub(crate) sites: Vec<SiteFigures>,
}

/// Writes the report of what was learned.
pub(crate) fn after_learning(session: &Session, named: Option<&Path>) -> Result<Written, Failure> {
    let reader = session.reader()?;
    let ground = Ground::read(&reader, Place::of(session), &Subject::Learned)?;
    let (report, _) = build::report(&ground, &Subject::Learned);
    let usual = || {
        usual_place(
            session.folder(),
            session.vertical(),
            ground.last_run(),
            &Subject::Learned,
        )
    };
    let path = named.map_or_else(usual, Path::to_owned);
    write(&path, &report)?;
    Ok(Written {
        path,
        figures: report.figures.unwrap_or_default(),
        sites: ground.site_figures,
    })
}

/// Keeps the account of a recrawl and writes its report.
pub(crate) fn after_recrawl(
    session: &Session,
    outcome: &RecrawlOutcome,
    named: Option<&Path>,
) -> Result<Reported, Failure> {
    let reader = session.reader()?;
    let account = Account::of(outcome, session.now());
    let subject = Subject::Recrawled(Box::new(account.clone()));
    let ground = Ground::read(&reader, Place::of(session), &subject)?;
    let (report, kept) = build::report(&ground, &subject);
    let account = Account { kept, ..account };
    session
        .workspace()
        .put_stage(account.to_row(session.vertical(), session.now()), &[])?;
    let usual = || usual_place(session.folder(), session.vertical(), Some(outcome.run), &subject);
    let path = named.map_or_else(usual, Path::to_owned);
    Ok(Reported {
        path: write(&path, &report).map(|()| path),
        figures: report.figures.unwrap_or_default(),
        sites: ground.site_figures,
    })
}

/// The line that says where a report is.
pub(crate) fn told(path: &Path) -> String {
    format!("report: {}", show::typed(path))
}

/// A run that can be reported.
struct Target {
    vertical: String,
    /// Its run; of what was learned the last that fetched pages.
    run: Option<RunId>,
    /// None for what was learned.
    recrawl: Option<RunId>,
}

/// What can be reported of a vertical, with when it ended: what was learned, and every recrawl. Or the one that is wanted.
fn targets(
    reader: &Reader,
    vertical: &str,
    runs: &[RunRow],
    wanted: Option<RunId>,
) -> Result<Vec<(i64, Target)>, Failure> {
    let target = |run, recrawl| Target {
        vertical: vertical.to_owned(),
        run,
        recrawl,
    };
    let mut found = Vec::new();
    let stages = reader.stages(vertical)?;
    let learned = stages.iter().find(|row| row.name == LAST_STAGE);
    let crawl = stages.iter().find(|row| row.name == CRAWL_STAGE);
    let run = crawl.and_then(|row| words::kept(row)["run"].as_i64()).map(RunId);
    if let Some(learned) = learned.filter(|_| wanted.is_none() || wanted == run) {
        found.push((learned.ended_at, target(run, None)));
    }
    for round in reader.rounds(vertical, wanted.map_or(RoundsOf::All, RoundsOf::Run))? {
        let row = runs.iter().find(|row| row.id == round.run);
        if let Some(ended_at) = row.and_then(|row| row.ended_at) {
            found.push((ended_at, target(Some(round.run), Some(round.run))));
        }
    }
    Ok(found)
}

fn no_such_run(wanted: Option<RunId>) -> Failure {
    let sentence = match wanted {
        Some(run) => format!("run {} is no `learn` or `recrawl` that is through", run.0),
        None => "no `learn` or `recrawl` is through yet".to_owned(),
    };
    Failure::new(Kind::Input, sentence)
        .hint("`magpie status` lists the runs; without `--run` the last one is reported")
}

/// The place of a report, by its run: a later one leaves it as it is.
fn usual_place(workspace: &Path, vertical: &str, run: Option<RunId>, subject: &Subject) -> PathBuf {
    let plain = |character: char| match character {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '.' | '-' => character,
        _ => '_',
    };
    let run = run.map_or(0, |run| run.0);
    let name = match subject {
        Subject::Recrawled(_) => format!("recrawl-{run}.html"),
        Subject::Learned => {
            let vertical: String = vertical.chars().map(plain).collect();
            format!("learn-{vertical}-{run}.html")
        }
    };
    workspace.join(FOLDER).join(name)
}

/// Writes a report. Its file is there whole or as it was.
fn write(path: &Path, report: &Report) -> Result<(), Failure> {
    if let Some(folder) = path.parent() {
        let _reported_by_what_follows = std::fs::create_dir_all(folder);
    }
    outlet::write(path, &render(report)).map_err(|error| {
        Failure::new(Kind::Input, format!("the report: {error}"))
            .hint("everything else is kept: `magpie report --out FILE` writes it to another place")
    })
}
