//! `magpie crawl`.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use magpie_engine::crawl::{CrawlConfig, Ending, Extractor, Progress, Target, crawl as run_crawl, site_key};
use magpie_engine::settings::Resolved;
use magpie_engine::{
    Archive, CrawlLog, Metrics, Source, Verticals, canonicaliser, for_archive, open_workspace, runtime,
};
use magpie_model::{CanonicalUrl, UrlReason};
use magpie_store::{
    CrawlStore, Frontier, MemoryFrontier, Pages as _, Reader, RunId, RunKind, RunStore as _, Runs as _,
    StoreError, UrlState, Workspace,
};
use magpie_terminal::errors::unreached;
use magpie_terminal::workspace::open_verticals;
use magpie_terminal::{Failure, Kind, Printer, format, process, settings, workspace};
use magpie_web::masked;

use crate::args::CrawlArgs;
use crate::plugin::found;
use crate::progress::Reporter;

/// Reasons that settings or the site itself can have changed since.
const REFUSED_FOR_NOW: [UrlReason; 2] = [UrlReason::Robots, UrlReason::RefusedAddress];

/// The kind of a run that crawls.
const KIND: RunKind = RunKind::Crawl;

pub(crate) fn run(arguments: &CrawlArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let folder = folder(arguments, printer)?;
    let mut resolved = settings::resolve(&arguments.settings, &arguments.short, folder.as_deref())?;
    let replayed = Replayed::open(arguments, folder.as_deref())?;
    if replayed.is_some() {
        for_archive(&mut resolved);
    }
    if arguments.no_verticals {
        resolved.settings.verticals.run = false;
    }
    let resolved = Arc::new(resolved);
    let sites = match (arguments.sites.as_slice(), &replayed) {
        ([], Some(replayed)) => replayed.reader.seeds()?,
        (sites, _) => sites.to_vec(),
    };
    let seeds = seeds(&sites, &resolved)?;
    let place = match &folder {
        Some(folder) => Place::Disk(open_workspace(folder, &resolved)?),
        None => Place::Memory(Arc::new(MemoryFrontier::new())),
    };
    place.queue_again(&seeds, &resolved, arguments.again)?;
    let named = sites.iter().zip(seeds).map(|(site, home)| target(site, home));
    let targets = targets(&place, named.collect(), printer)?;
    if targets.is_empty() {
        printer.tell(&place.nothing_queued()?);
        return Ok(ExitCode::SUCCESS);
    }
    let verticals = verticals(folder.as_deref(), &resolved, printer)?.map(Arc::new);
    let run = place.begin(&resolved)?;
    let began = match &replayed {
        Some(replayed) => replayed.began,
        None => place.began(run)?,
    };
    let config = CrawlConfig {
        store: place.store(),
        source: Arc::new(match replayed {
            Some(replayed) => Source::Archive(Archive::new(replayed.reader, replayed.run)),
            None => Source::web(&resolved)?,
        }),
        settings: Arc::clone(&resolved),
        run,
        extractor: verticals.clone().map(|verticals| verticals as Arc<dyn Extractor>),
        filters: None,
        max_pages: None,
        is_varied: false,
        keep: folder.is_some() && resolved.settings.archive.keep,
        clock: process::clock().clone(),
        began,
    };
    let log = match &folder {
        Some(folder) => log(folder, &resolved)?,
        None => None,
    };
    let mut reporter = Reporter::new(arguments.json, printer).with_log(log);
    let outcome = crawl(config, &targets, &mut reporter);
    let ended = place.end(run, &outcome);
    let (ending, progress) = outcome?;
    ended?;
    reporter.finish(ending, &progress, folder.as_deref())?;
    Ok(match ending {
        Ending::Finished if progress.pages == 0 && !progress.unreached.is_empty() => {
            return Err(unreached(&progress.unreached));
        }
        Ending::Finished => {
            let have_failed = verticals.is_some_and(|verticals| verticals.have_failed());
            found(progress.pages > 0 && !have_failed)
        }
        Ending::Stopped => ExitCode::from(Kind::Stopped as u8),
    })
}

/// Where the crawl is written down.
enum Place {
    Disk(Arc<Workspace>),
    /// Nowhere: the pages are told, and forgotten.
    Memory(Arc<MemoryFrontier>),
}

impl Place {
    fn store(&self) -> Arc<dyn CrawlStore> {
        match self {
            Place::Disk(workspace) => Arc::clone(workspace) as Arc<dyn CrawlStore>,
            Place::Memory(memory) => Arc::clone(memory) as Arc<dyn CrawlStore>,
        }
    }

    /// Who names a site wants it tried: what failed or was refused for a reason that may have passed is queued again, and with
    /// `again` what was fetched too.
    fn queue_again(&self, seeds: &[CanonicalUrl], resolved: &Resolved, again: bool) -> Result<(), Failure> {
        let Place::Disk(workspace) = self else {
            return Ok(());
        };
        for seed in seeds {
            let site = workspace.site(&site_key(resolved.for_host(seed.host()), seed))?;
            workspace.queue_again(site, UrlState::Held, None)?;
            workspace.queue_again(site, UrlState::Failed, None)?;
            for reason in &REFUSED_FOR_NOW {
                workspace.queue_again(site, UrlState::Refused, Some(reason))?;
            }
            if again {
                workspace.queue_again(site, UrlState::Fetched, None)?;
            }
        }
        Ok(())
    }

    /// Says that there is nothing to go on with, and what to type.
    fn nothing_queued(&self) -> Result<String, Failure> {
        let held = match self {
            Place::Disk(workspace) => {
                let reader = workspace.reader()?;
                // A damaged database may say so too.
                reader.check()?;
                reader.counts(None)?.of(UrlState::Held)
            }
            Place::Memory(_) => 0,
        };
        Ok(match held {
            0 => "nothing is queued; name a site to begin with, as in `magpie crawl https://example.org/`"
                .to_owned(),
            held => format!(
                "nothing is queued; {} put aside by recrawls or budgets: name their site to go on with it, as in \
                 `magpie crawl https://example.org/`, or learn deeper with `magpie learn --pages N`",
                format::counted(held, "URL is", "URLs are"),
            ),
        })
    }

    /// Goes on with a run that was interrupted, or begins one.
    fn begin(&self, resolved: &Resolved) -> Result<Option<RunId>, Failure> {
        let Place::Disk(workspace) = self else {
            return Ok(None);
        };
        let now = process::now();
        if let Some(run) = workspace.resume_run(KIND, now)? {
            return Ok(Some(run));
        }
        let settings = resolved.to_json();
        Ok(Some(workspace.begin_run(
            KIND,
            process::PROGRAM,
            &settings,
            now,
        )?))
    }

    /// When the run began.
    fn began(&self, run: Option<RunId>) -> Result<i64, Failure> {
        let Place::Disk(workspace) = self else {
            return Ok(process::now());
        };
        let runs = workspace.reader()?.runs()?;
        let own = runs.into_iter().find(|row| Some(row.id) == run);
        Ok(own.map_or_else(process::now, |row| row.started_at))
    }

    /// A run that was stopped goes on the next time, so only one that is through has ended.
    fn end(&self, run: Option<RunId>, outcome: &Result<(Ending, Progress), Failure>) -> Result<(), Failure> {
        if let (Place::Disk(workspace), Some(run), Ok((Ending::Finished, _))) = (self, run, outcome) {
            workspace.end_run(run, process::now())?;
        }
        Ok(())
    }
}

/// A workspace whose archive stands in for the web.
struct Replayed {
    reader: Reader,
    run: Option<RunId>,
    began: i64,
}

impl Replayed {
    fn open(arguments: &CrawlArgs, into: Option<&Path>) -> Result<Option<Replayed>, Failure> {
        let Some(from) = &arguments.replay else {
            return Ok(None);
        };
        let same = |one: &Path, other: &Path| match (one.canonicalize(), other.canonicalize()) {
            (Ok(one), Ok(other)) => one == other,
            _ => false,
        };
        if into.is_some_and(|into| same(from, into)) {
            return Err(Failure::usage("a workspace can't be replayed into itself")
                .hint("name another one with `--workspace DIR`, or keep nothing with `--forget`"));
        }
        let reader = Reader::open(from)?;
        let runs = reader.runs()?;
        let run = arguments.replay_run.map(RunId);
        let chosen = match run {
            Some(run) => runs.iter().find(|row| row.id == run),
            None => runs.last(),
        };
        let Some(chosen) = chosen else {
            let known: Vec<_> = runs.iter().map(|row| row.id.0.to_string()).collect();
            let problem = match run {
                Some(run) => format!("{} has no run {}", from.display(), run.0),
                None => format!("{} has no runs to replay", from.display()),
            };
            return Err(Failure::new(Kind::Input, problem).hint(match known.as_slice() {
                [] => "crawl something first".to_owned(),
                known => format!("its runs are {}", known.join(", ")),
            }));
        };
        Ok(Some(Replayed {
            began: chosen.started_at,
            reader,
            run,
        }))
    }
}

/// The verticals that are dropped into the workspace.
fn verticals(
    folder: Option<&Path>,
    resolved: &Resolved,
    printer: &mut Printer,
) -> Result<Option<Verticals>, Failure> {
    let Some(folder) = folder else {
        return Ok(None);
    };
    let verticals = open_verticals(folder, resolved)?;
    if let Some(verticals) = &verticals {
        let names: Vec<_> = verticals
            .plugins()
            .iter()
            .map(|plugin| plugin.id().to_string())
            .collect();
        if !names.is_empty() {
            printer.tell(&format!("looking for objects of {}", names.join(", ")));
        }
    }
    Ok(verticals)
}

pub(crate) fn log(folder: &Path, resolved: &Resolved) -> Result<Option<CrawlLog>, Failure> {
    CrawlLog::open(folder, &resolved.settings.crawl, process::clock()).map_err(|error| {
        Failure::new(
            Kind::Input,
            format!("can't write the log in {}: {error}", folder.display()),
        )
        .hint("`--set crawl.log=nothing` does without")
    })
}

/// Gives the numbers out, where the settings say so: the page, and the address it has.
pub(crate) async fn serve_metrics(resolved: &Resolved) -> Result<Option<(Metrics, SocketAddr)>, Failure> {
    let wanted = &resolved.settings.crawl.metrics;
    if wanted.is_empty() {
        return Ok(None);
    }
    let address = wanted.parse().map_err(|_| {
        Failure::usage(format!(
            "`crawl.metrics` can't be {wanted:?}: it takes an address and a port"
        ))
        .hint("write it as 127.0.0.1:9464")
    })?;
    let metrics = Metrics::default();
    metrics.update(&Progress::default());
    let bound = metrics.serve(address).await.map_err(|error| {
        Failure::new(
            Kind::Input,
            format!("can't give out numbers at {wanted}: {error}"),
        )
        .hint("name another port in `crawl.metrics`; a port of 0 takes a free one")
    })?;
    Ok(Some((metrics, bound)))
}

pub(crate) fn metrics_are_at(address: SocketAddr) -> String {
    format!("numbers for Prometheus are at http://{address}/metrics")
}

fn crawl(
    config: CrawlConfig,
    targets: &[Target],
    reporter: &mut Reporter<'_>,
) -> Result<(Ending, Progress), Failure> {
    let runtime = runtime(&config.settings)?;
    if let Some((metrics, address)) = runtime.block_on(serve_metrics(&config.settings))? {
        reporter.say(&metrics_are_at(address));
        reporter.with_metrics(metrics);
    }
    let stop = process::stop_on_interrupt().receiver();
    let outcome = run_crawl(config, targets, &runtime, stop, &mut |event| {
        reporter.tell(&event);
    });
    Ok(outcome?)
}

/// The workspace: a named one is made when it is not there.
fn folder(arguments: &CrawlArgs, printer: &mut Printer) -> Result<Option<PathBuf>, Failure> {
    if arguments.forget {
        return Ok(None);
    }
    let Some(folder) = settings::workspace(&arguments.settings.place) else {
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

pub(crate) fn seeds(sites: &[String], resolved: &Resolved) -> Result<Vec<CanonicalUrl>, Failure> {
    let named = sites.iter().map(|site| home(site, resolved));
    named.collect::<Result<_, _>>().map_err(Failure::usage)
}

/// People leave out `https://`; where that can't be had, `http://` is tried too ([`Target::Host`]).
pub(crate) fn with_scheme(site: &str) -> String {
    if site.contains("://") {
        site.to_owned()
    } else {
        format!("https://{site}")
    }
}

/// A site as a person names it, or why it can't be crawled.
pub(crate) fn home(site: &str, resolved: &Resolved) -> Result<CanonicalUrl, String> {
    let text = with_scheme(site);
    let host = url::Url::parse(&text)
        .ok()
        .and_then(|url| url.host_str().map(str::to_owned));
    let settings = resolved.for_host(host.as_deref().unwrap_or_default());
    let canonical = canonicaliser(settings).canonicalise_text(&text, None);
    canonical
        .map(|canonical| canonical.url)
        .map_err(|problem| format!("`{}` can't be crawled: {problem}", masked(site)))
}

/// Returns the target of a site as a person names it, whose first page this is.
pub(crate) fn target(site: &str, home: CanonicalUrl) -> Target {
    match site.contains("://") {
        true => Target::From(home),
        false => Target::Host(home),
    }
}

/// Returns what was named; or all that is queued.
fn targets(place: &Place, named: Vec<Target>, printer: &mut Printer) -> Result<Vec<Target>, Failure> {
    if !named.is_empty() {
        return Ok(named);
    }
    let Place::Disk(workspace) = place else {
        return Ok(Vec::new());
    };
    let queued = queued_sites(&workspace.reader()?)?;
    if !queued.is_empty() {
        printer.tell(&format!("going on with {}", format::count(queued.len(), "site")));
    }
    Ok(queued.into_iter().map(Target::Known).collect())
}

/// Sites read at once from the database.
const SITES: usize = 1_000;

fn queued_sites(reader: &Reader) -> Result<Vec<String>, StoreError> {
    let mut queued = Vec::new();
    let mut after = None;
    loop {
        let sites = reader.sites_after(after, SITES)?;
        let Some(last) = sites.last() else {
            return Ok(queued);
        };
        after = Some(last.id);
        queued.extend(
            sites
                .into_iter()
                .filter(|site| site.queued > 0)
                .map(|site| site.key),
        );
    }
}
