//! `magpie report`: a run as one HTML file. `learn` and `recrawl` write it at their end.

use std::path::{Path, PathBuf};

use magpie_engine::Session;
use magpie_engine::is_checkout;
use magpie_engine::recrawl::{Account, RecrawlOutcome};
use magpie_engine::site::SiteFigures;
use magpie_report::build::{Built, Place, Subject, build, reportable, usual_place};
use magpie_report::views::figures::ReportLine;
use magpie_report::{Report, render};
use magpie_rows::RunId;
use magpie_terminal::process::now;
use magpie_terminal::workspace::Opened;
use magpie_terminal::{Failure, Printer, format, output_file};

use crate::args::ReportArgs;
use crate::sites::verticals;

pub(crate) fn run(arguments: &ReportArgs, printer: &mut Printer) -> Result<(), Failure> {
    output_file::check(arguments.out.as_deref())?;
    let opened = Opened::by(&(&arguments.workspace).into())?;
    let (folder, reader) = (&opened.folder, &*opened.reader);
    let runs = reader.runs()?;
    let wanted = arguments.run.map(RunId);
    let mut found = Vec::new();
    for vertical in verticals(reader, arguments.vertical.as_deref())? {
        found.extend(reportable(reader, &vertical, &runs, wanted)?);
    }
    let last = found.into_iter().max_by_key(|run| run.ended_at);
    let target = last.ok_or_else(|| no_such_run(wanted))?;
    let subject = match target.recrawl {
        None => Subject::Learned,
        Some(run) => Subject::Recrawled(Box::new(Account::read(reader, &target.vertical, run)?)),
    };
    let place = Place {
        folder,
        vertical: &target.vertical,
        settings: &opened.settings,
        now: now(),
    };
    let built = build(reader, place, &subject)?;
    let usual = usual_place(folder, &target.vertical, target.run, &subject);
    let path = arguments.out.clone().unwrap_or(usual);
    write(&path, &built.report)?;
    match arguments.json {
        true => printer.json(&ReportLine {
            vertical: target.vertical,
            report: path,
            figures: built.figures,
            notices: built.report.notices,
        })?,
        false if path == Path::new(output_file::STDOUT) => {}
        false => printer.line(&told(&path))?,
    }
    Ok(())
}

/// The figures of a report, and its place if it could be written.
pub(crate) struct Reported {
    pub(crate) path: Result<PathBuf, Failure>,
    pub(crate) figures: magpie_report::Figures,
    pub(crate) sites: Vec<SiteFigures>,
}

/// Writes the report of what was learned.
pub(crate) fn after_learning(session: &Session, named: Option<&Path>) -> Result<Reported, Failure> {
    let subject = Subject::Learned;
    let built = build(session.store(), place(session), &subject)?;
    let run = built.last_run;
    Ok(reported(built, session, named, run, &subject))
}

/// Keeps the account of a recrawl and writes its report.
pub(crate) fn after_recrawl(
    session: &Session,
    outcome: &RecrawlOutcome,
    named: Option<&Path>,
) -> Result<Reported, Failure> {
    let account = Account::of(outcome, session.now());
    let subject = Subject::Recrawled(Box::new(account.clone()));
    let built = build(session.store(), place(session), &subject)?;
    let account = Account {
        kept: built.kept,
        ..account
    };
    session
        .store()
        .put_stage(account.to_row(session.vertical(), session.now()), &[])?;
    Ok(reported(built, session, named, Some(outcome.run), &subject))
}

fn place(session: &Session) -> Place<'_> {
    Place {
        folder: session.folder(),
        vertical: session.vertical(),
        settings: session.settings(),
        now: session.now(),
    }
}

fn reported(
    built: Built,
    session: &Session,
    named: Option<&Path>,
    run: Option<RunId>,
    subject: &Subject,
) -> Reported {
    let usual = || {
        // The folder of a workspace on a server is gone when the command ends.
        let below = match is_checkout(session.folder()) {
            true => Path::new(""),
            false => session.folder(),
        };
        usual_place(below, session.vertical(), run, subject)
    };
    let path = named.map_or_else(usual, Path::to_owned);
    Reported {
        path: write(&path, &built.report).map(|()| path),
        figures: built.figures,
        sites: built.sites,
    }
}

/// Line with the path of a report.
pub(crate) fn told(path: &Path) -> String {
    format!("report: {}", format::typed(path))
}

fn no_such_run(wanted: Option<RunId>) -> Failure {
    let sentence = match wanted {
        Some(run) => format!("run {} is not a finished `learn` or `recrawl`", run.0),
        None => "no `learn` or `recrawl` has finished".to_owned(),
    };
    Failure::input(sentence).hint("`magpie status` lists the runs; without `--run` the last one is reported")
}

/// Writes a report. Its file is there whole or as it was.
fn write(path: &Path, report: &Report) -> Result<(), Failure> {
    if let Some(folder) = path.parent() {
        let _reported_by_what_follows = std::fs::create_dir_all(folder);
    }
    output_file::write(path, &render(report)).map_err(|error| {
        Failure::input(format!("the report: {error}"))
            .hint("everything else is kept: `magpie report --out FILE` writes it to another place")
    })
}
