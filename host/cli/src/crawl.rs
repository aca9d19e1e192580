//! `magpie crawl`.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use magpie_engine::crawl::{Ending, Progress};
use magpie_engine::settings::Resolved;
use magpie_engine::{CrawlLog, Metrics, PipelineError, Replay, SessionOptions, SiteCrawl, SiteCrawlRequest};
use magpie_rows::{RunId, StoreError};
use magpie_terminal::errors::unreached;
use magpie_terminal::{Failure, Kind, Printer, format, process, settings, workspace};

use crate::args::CrawlArgs;
use crate::objects::cluster::told;
use crate::progress::Reporter;
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
        options: SessionOptions {
            settings,
            vertical: None,
            cache: workspace::cache_folder(),
            program: process::PROGRAM.to_owned(),
            clock: process::clock().clone(),
            stop: process::stop_on_interrupt().clone(),
        },
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
    let log = match &folder {
        Some(folder) => log(folder, crawl.settings())?,
        None => None,
    };
    let mut reporter = Reporter::new(arguments.json, printer).with_log(log);
    if let Some((metrics, address)) = crawl.runtime().block_on(serve_metrics(crawl.settings()))? {
        reporter.say(&metrics_are_at(address));
        reporter.with_metrics(metrics);
    }
    let crawled = crawl.run(&mut |event| reporter.tell(&event))?;
    let progress = &crawled.progress;
    reporter.finish(crawled.ending, progress, folder.as_deref())?;
    for report in &crawled.clustered {
        report.notices.iter().for_each(|notice| printer.warn(notice));
        printer.tell(&told(report));
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

pub(crate) fn log(folder: &Path, resolved: &Resolved) -> Result<Option<CrawlLog>, Failure> {
    CrawlLog::open(folder, &resolved.settings.crawl, process::clock()).map_err(|error| {
        Failure::new(
            Kind::Input,
            format!("can't write the log in {}: {error}", folder.display()),
        )
        .hint("disable the log with `--set crawl.log=nothing`")
    })
}

/// Serves the metrics page if the settings have an address for it. Port 0 takes a free port, so the
/// address in use is returned with the metrics.
pub(crate) async fn serve_metrics(resolved: &Resolved) -> Result<Option<(Metrics, SocketAddr)>, Failure> {
    let wanted = &resolved.settings.crawl.metrics;
    if wanted.is_empty() {
        return Ok(None);
    }
    let address = wanted.parse().map_err(|_| {
        Failure::usage(format!(
            "invalid value `{wanted}` for `crawl.metrics`: expected an address and a port, such as 127.0.0.1:9464"
        ))
    })?;
    let metrics = Metrics::default();
    metrics.update(&Progress::default());
    let bound = metrics.serve(address).await.map_err(|error| {
        Failure::new(Kind::Input, format!("can't serve metrics at {wanted}: {error}"))
            .hint("name another port in `crawl.metrics`; a port of 0 takes a free one")
    })?;
    Ok(Some((metrics, bound)))
}

pub(crate) fn metrics_are_at(address: SocketAddr) -> String {
    format!("serving metrics at http://{address}/metrics")
}

/// The workspace: a named one is made when it is not there.
fn folder(arguments: &CrawlArgs, printer: &mut Printer) -> Result<Option<PathBuf>, Failure> {
    if arguments.forget {
        return Ok(None);
    }
    let Some(folder) = settings::workspace(&arguments.settings.any.place) else {
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
