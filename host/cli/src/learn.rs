//! `magpie learn`: from a few objects, or from sites, to the pages that are worth fetching.

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use magpie_engine::Session;
use magpie_engine::learn::{Beginning, LearnRequest, NamedSite, learn, learn_settings};
use magpie_engine::site::home;
use magpie_report::sentences::figures;
use magpie_report::views::figures::{LearnedLine, SiteFiguresView};
use magpie_search::read_seeds;
use magpie_terminal::workspace::open_session;
use magpie_terminal::{Failure, Kind, Printer, output_file};

use crate::args::{LearnArgs, LearningArgs};
use crate::console::Console;
use crate::{render, report};

/// The longest file of sites or seeds.
const MAX_FILE_BYTES: u64 = 16 << 20;

pub(crate) fn run(arguments: &LearnArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    output_file::check(arguments.learning.report.as_deref())?;
    let session = open_session(
        &arguments.learning.settings,
        arguments.learning.vertical.as_deref(),
        |resolved| {
            let mut resolved = learn_settings(resolved);
            resolved.change_all(|settings| {
                settings.learn.until = arguments.until.unwrap_or(settings.learn.until);
            });
            resolved
        },
    )?;
    let request = LearnRequest {
        beginning: beginning(arguments, &session)?,
        from: arguments.learning.from,
        ..LearnRequest::default()
    };
    learned("learn", &session, &request, &arguments.learning, printer)
}

/// Learns, writes the report, and shows what was learned.
pub(crate) fn learned(
    command: &str,
    session: &Session,
    request: &LearnRequest,
    arguments: &LearningArgs,
    printer: &mut Printer,
) -> Result<ExitCode, Failure> {
    let mut console = Console::new(session, arguments.json, printer)?;
    let outcome = learn(session, request, &mut console)?;
    console.check()?;
    if outcome.is_none() {
        printer.tell(&format!("stopped; `magpie {command}` continues where it stopped"));
        return Ok(ExitCode::from(Kind::Stopped as u8));
    }
    let began = Instant::now();
    let written = report::after_learning(session, arguments.report.as_deref())?;
    let report::Reported {
        path,
        figures: own,
        sites,
    } = written;
    let path = path?;
    if arguments.json {
        printer.json(&LearnedLine {
            stage: "report".to_owned(),
            did: report::told(&path),
            seconds: began.elapsed().as_secs_f64(),
            report: path,
            figures: own,
            sites: sites.iter().map(SiteFiguresView::from).collect(),
        })?;
    } else {
        render::warn_of_junk(&sites, printer);
        if !printer.is_quiet() {
            figures::learned(&own, &sites)
                .iter()
                .try_for_each(|line| printer.line(line))?;
        }
        printer.hint("`magpie recrawl` fetches what is new from now on; `magpie patterns` and `magpie sites` show what was learned");
        printer.line(&report::told(&path))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn beginning(arguments: &LearnArgs, session: &Session) -> Result<Option<Beginning>, Failure> {
    if let Some(beginning) = named(&arguments.urls, arguments.sites.as_deref(), session)? {
        return Ok(Some(beginning));
    }
    let Some(path) = &arguments.seeds else {
        return Ok(None);
    };
    let bytes = read(path)?;
    let name = path.display().to_string();
    let seeds = read_seeds(&name, &bytes, session.plugin()?.info())
        .map_err(|error| Failure::input(error.to_string()))?;
    Ok(Some(Beginning::Seeds {
        seeds,
        text: String::from_utf8_lossy(&bytes).into_owned(),
    }))
}

/// Returns the sites that arguments name, or that a file does.
pub(crate) fn named(
    urls: &[String],
    file: Option<&Path>,
    session: &Session,
) -> Result<Option<Beginning>, Failure> {
    if !urls.is_empty() {
        let sites = urls.iter().map(|url| named_site(url, session));
        let sites = sites.collect::<Result<_, _>>().map_err(Failure::usage)?;
        return Ok(Some(Beginning::Sites(sites)));
    }
    let sites = file.map(|path| sites(path, session)).transpose()?;
    Ok(sites.map(Beginning::Sites))
}

/// Returns the site that a text names, or the problem with it.
fn named_site(text: &str, session: &Session) -> Result<NamedSite, String> {
    Ok(NamedSite {
        text: text.to_owned(),
        home: home(text, session.settings())?,
    })
}

/// Reads a file that names a site on each line.
fn sites(path: &Path, session: &Session) -> Result<Vec<NamedSite>, Failure> {
    let text = String::from_utf8(read(path)?)
        .map_err(|_| Failure::input(format!("{} is not a text file in UTF-8", path.display())))?;
    // Some editors put a byte order mark before the first letter.
    let text = text.trim_start_matches('\u{feff}');
    let lines = text.lines().map(str::trim).zip(1..);
    let named = lines.filter(|(line, _)| !line.is_empty() && !line.starts_with('#'));
    let sites: Vec<NamedSite> = named
        .map(|(line, number)| {
            named_site(line, session).map_err(|problem| {
                let place = format!("{}, line {number}", path.display());
                Failure::input(format!("{place}: {problem}"))
            })
        })
        .collect::<Result<_, Failure>>()?;
    match sites.is_empty() {
        true => Err(Failure::input(format!("{} has no sites", path.display()))
            .hint("write one URL per line, such as https://example.org/")),
        false => Ok(sites),
    }
}

pub(crate) fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let failed = |error| Failure::unreadable(path, &error);
    let length = path.metadata().map_err(failed)?.len();
    if length > MAX_FILE_BYTES {
        return Err(Failure::input(format!(
            "{} is too large: {length} bytes, at most {MAX_FILE_BYTES}",
            path.display()
        )));
    }
    std::fs::read(path).map_err(failed)
}
