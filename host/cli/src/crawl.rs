//! `magpie crawl`.

use std::path::PathBuf;
use std::process::ExitCode;

use magpie_engine::crawl::Ending;
use magpie_engine::{PicturesFetched, PipelineError, Replay, SiteCrawl, SiteCrawlRequest};
use magpie_report::sentences;
use magpie_rows::{RunId, StoreError};
use magpie_terminal::errors::unreached;
use magpie_terminal::{Failure, Kind, Printer, format, settings, workspace};

use crate::args::CrawlArgs;
use crate::console::Console;
use crate::objects::cluster::told;

use magpie_terminal::process::found;

pub(crate) fn run(arguments: &CrawlArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let folder = folder(arguments, printer)?;
    let mut settings = arguments.settings.resolve(folder.as_deref())?;
    if arguments.no_verticals {
        settings.settings.verticals.run = false;
    }
    let request = SiteCrawlRequest {
        folder: folder.clone(),
        sites: arguments.sites.clone(),
        again: arguments.again,
        replay: arguments.replay.clone().map(|folder| Replay {
            folder,
            run: arguments.replay_run.map(RunId),
        }),
        options: workspace::session_options(settings, None),
    };
    let crawl = match SiteCrawl::prepare(request) {
        Err(PipelineError::NothingQueued { held }) => {
            printer.tell(&nothing_queued(held));
            return Ok(ExitCode::SUCCESS);
        }
        crawl => crawl?,
    };
    if let Some(sites) = crawl.resumed_sites() {
        printer.tell(&format!("going on with {}", format::count(sites, "site")));
    }
    let verticals = crawl.verticals();
    if !verticals.is_empty() {
        printer.tell(&format!("looking for objects of {}", verticals.join(", ")));
    }
    let (settings, runtime) = (crawl.settings(), crawl.runtime());
    let mut console = Console::open(folder.as_deref(), settings, runtime, arguments.json, printer)?;
    let crawled = crawl.run(&mut |event| console.tell(&event))?;
    let progress = &crawled.progress;
    console.finish(crawled.ending, progress, folder.as_deref())?;
    for report in &crawled.clustered {
        report.notices.iter().for_each(|notice| printer.warn(notice));
        printer.tell(&told(report));
    }
    if crawled.pictures != PicturesFetched::default() {
        printer.tell(&format!("pictures: {}", sentences::pictures(&crawled.pictures)));
    }
    match &crawled.pruned {
        Ok(pruned) if pruned.pages > 0 => printer.tell(&sentences::pruned(pruned)),
        Ok(_) => {}
        Err(error) => printer.warn(&sentences::not_pruned(error)),
    }
    Ok(match crawled.ending {
        Ending::Finished if progress.pages == 0 && !progress.unreached.is_empty() => {
            return Err(unreached(&progress.unreached));
        }
        Ending::Finished => found(progress.pages > 0 && !crawled.have_verticals_failed),
        Ending::Stopped => ExitCode::from(Kind::Stopped as u8),
    })
}

/// Returns a message about an empty queue, with the next step.
fn nothing_queued(held: u64) -> String {
    match held {
        0 => "nothing is queued; name a site to begin with, as in `magpie crawl https://example.org/`"
            .to_owned(),
        held => format!(
            "nothing is queued; {} put aside by recrawls or budgets: name their site to go on with it, as in \
             `magpie crawl https://example.org/`, or learn deeper with `magpie learn --pages N`",
            format::counted(held, "URL is", "URLs are"),
        ),
    }
}

/// The workspace: a named one is made when it is not there.
fn folder(arguments: &CrawlArgs, printer: &mut Printer) -> Result<Option<PathBuf>, Failure> {
    if arguments.forget {
        return Ok(None);
    }
    let Some(folder) = settings::workspace(&arguments.settings.any.place)? else {
        return Err(Failure::usage("there is no workspace here to keep the pages in").hint(
            "make one with `magpie init DIR` and crawl in there, or name one with `--workspace DIR`; `--forget` keeps nothing",
        ));
    };
    if !folder.exists() {
        if arguments.sites.is_empty() && arguments.replay.is_none() {
            return Err(StoreError::NotThere { path: folder }.into());
        }
        workspace::create(&folder, printer)?;
    }
    Ok(Some(folder))
}
