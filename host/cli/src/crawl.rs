//! `magpie crawl`.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use magpie_engine::collect::{CollectError, Made, NavigationFileError};
use magpie_engine::crawl::{
    CrawlConfig, CrawlError, Ending, Extractor, Progress, Target, crawl as run_crawl, site_key,
};
use magpie_engine::learn::PatternsMade;
use magpie_engine::settings::{Raw, Resolved, Value};
use magpie_engine::{
    Archive, ClientError, Clock, PipelineError, Source, Stop, Verticals, VerticalsError, canonicaliser,
    for_archive, open_workspace, runtime,
};
use magpie_model::{CanonicalUrl, UrlReason};
use magpie_store::{
    Counts, CrawlStore, Frontier, MemoryFrontier, Reader, RunId, RunKind, StoreError, Timestamp, UrlState, Workspace, Pages as _, RunStore as _, Runs as _,
};
use magpie_web::masked;

use crate::args::CrawlArgs;
use crate::crawl_log::CrawlLog;
use crate::failure::{Failure, Kind};
use crate::metrics::Metrics;
use crate::plugin::found;
use crate::printer::Printer;
use crate::progress::Reporter;
use crate::recrawl::{NAVIGATION_REMEDY, left_out};
use crate::render::learn::empty_sites;
use crate::{init, settings, setup, show};

/// What runs of this program are recorded as.
pub(crate) const PROGRAM: &str = concat!("magpie ", env!("CARGO_PKG_VERSION"));

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
        clock: clock().clone(),
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

/// Says which sites can't be reached, and why.
pub(crate) fn unreached(sites: &BTreeMap<String, String>) -> Failure {
    let sites: Vec<String> = sites
        .iter()
        .map(|(site, why)| format!("{site} can't be reached: {why}"))
        .collect();
    Failure::new(Kind::Found, sites.join("\n"))
        .hint("look whether the address is right, and whether the network is there; then call it again")
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
                show::counted(held, "URL is", "URLs are"),
            ),
        })
    }

    /// Goes on with a run that was interrupted, or begins one.
    fn begin(&self, resolved: &Resolved) -> Result<Option<RunId>, Failure> {
        let Place::Disk(workspace) = self else {
            return Ok(None);
        };
        let now = now();
        if let Some(run) = workspace.resume_run(KIND, now)? {
            return Ok(Some(run));
        }
        let settings = resolved.to_json();
        Ok(Some(workspace.begin_run(KIND, PROGRAM, &settings, now)?))
    }

    /// When the run began.
    fn began(&self, run: Option<RunId>) -> Result<i64, Failure> {
        let Place::Disk(workspace) = self else {
            return Ok(now());
        };
        let runs = workspace.reader()?.runs()?;
        let own = runs.into_iter().find(|row| Some(row.id) == run);
        Ok(own.map_or_else(now, |row| row.started_at))
    }

    /// A run that was stopped goes on the next time, so only one that is through has ended.
    fn end(&self, run: Option<RunId>, outcome: &Result<(Ending, Progress), Failure>) -> Result<(), Failure> {
        if let (Place::Disk(workspace), Some(run), Ok((Ending::Finished, _))) = (self, run, outcome) {
            workspace.end_run(run, now())?;
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
    let verticals = verticals_of(folder, resolved)?;
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

/// The same without a word.
pub(crate) fn verticals_of(folder: &Path, resolved: &Resolved) -> Result<Option<Verticals>, Failure> {
    if !resolved.settings.verticals.run {
        return Ok(None);
    }
    let cache = setup::cache_folder();
    Ok(Verticals::open(
        &folder.join(init::VERTICALS),
        cache.as_deref(),
        resolved,
    )?)
}

pub(crate) fn log(folder: &Path, resolved: &Resolved) -> Result<Option<CrawlLog>, Failure> {
    CrawlLog::open(folder, &resolved.settings.crawl).map_err(|error| {
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
    let stop = stop_on_interrupt().receiver();
    let outcome = run_crawl(config, targets, &runtime, stop, &mut |event| {
        reporter.tell(&event);
    });
    Ok(outcome?)
}

/// Returns the handle that asks operations to stop when somebody presses Ctrl-C or stops the
/// service. The second time the process ends at once, which loses nothing but the pages under way.
pub(crate) fn stop_on_interrupt() -> &'static Stop {
    static STOP: LazyLock<Stop> = LazyLock::new(|| {
        let stop = Stop::default();
        let own = stop.clone();
        // A thread of its own hears of it whatever the others are doing. Without signals there is
        // nothing to wait for.
        std::thread::spawn(move || {
            let mut builder = tokio::runtime::Builder::new_current_thread();
            let Ok(runtime) = builder.enable_io().build() else {
                return;
            };
            while runtime.block_on(asked_to_stop()).is_ok() {
                if !own.ask() {
                    std::process::exit(i32::from(Kind::Stopped as u8));
                }
            }
        });
        stop
    });
    &STOP
}

/// Waits for Ctrl-C, or for the signal by which services are stopped.
#[cfg(unix)]
async fn asked_to_stop() -> std::io::Result<()> {
    let mut terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
    tokio::select! {
        outcome = tokio::signal::ctrl_c() => outcome,
        _ = terminate.recv() => Ok(()),
    }
}

#[cfg(not(unix))]
async fn asked_to_stop() -> std::io::Result<()> {
    tokio::signal::ctrl_c().await
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
        init::create(&folder, printer)?;
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
        printer.tell(&format!("going on with {}", show::count(queued.len(), "site")));
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

/// The clock of this process.
pub(crate) fn clock() -> &'static Clock {
    static CLOCK: LazyLock<Clock> = LazyLock::new(Clock::default);
    &CLOCK
}

/// The time, in milliseconds since 1970.
pub(crate) fn now() -> i64 {
    clock().now()
}

/// Starts the clock of this process at the time of `--now`, if it is given.
pub(crate) fn start_clock(time: Option<&str>) -> Result<(), Failure> {
    let Some(text) = time else {
        return Ok(());
    };
    let time = Timestamp::parse(text).ok_or_else(|| {
        Failure::usage(format!(
            "invalid value `{text}` for `--now`: expected a time such as 2026-07-17T09:00Z"
        ))
    })?;
    clock().set(time.0.saturating_mul(1_000));
    Ok(())
}

/// Takes it to be so much later from now on, where that is said.
pub(crate) fn move_clock(later: Option<&str>) -> Result<(), Failure> {
    let Some(text) = later else {
        return Ok(());
    };
    let time = Duration::read(&Raw::Text(text.to_owned()))
        .ok_or_else(|| Failure::usage(format!("`--later {text}`: it takes a time, as in 1w or 36h")))?;
    clock().advance(time);
    Ok(())
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        let kind = if error.is_disk_full() {
            Kind::Stopped
        } else {
            Kind::Input
        };
        let message = magpie_kit::causes::with_causes(&error);
        let failure = Failure::new(kind, message);
        match &error {
            StoreError::NotThere { .. } => failure.hint("make a workspace with `magpie init DIR`"),
            StoreError::ArchiveMissing { .. } | StoreError::ArchiveCut { .. } => failure.hint(
                "put the file back as it was; without it, `--set archive.damage=requeue` forgets the pages that are lost and queues them \
                 again",
            ),
            StoreError::Corrupt { .. } | StoreError::Empty { .. } => failure.hint(
                "put back a copy of the workspace; without one, begin anew with `magpie init NEW`: the pages are still in the WARC files of \
                 its folder `archive`, which Magpie alone can't read without the database",
            ),
            StoreError::Locked { .. } => {
                failure.hint("wait for it, or stop it; reading commands work meanwhile")
            }
            _ => failure,
        }
    }
}

impl From<CrawlError> for Failure {
    fn from(error: CrawlError) -> Self {
        match error {
            CrawlError::Store(error) => error.into(),
            error => Failure::usage(error.to_string()),
        }
    }
}

impl From<CollectError> for Failure {
    fn from(error: CollectError) -> Self {
        match error {
            CollectError::Store(error) => error.into(),
            CollectError::Navigation(
                NavigationFileError::Content { .. } | NavigationFileError::Missing(_),
            ) => Failure::new(Kind::Input, error.to_string()).hint(NAVIGATION_REMEDY),
            error => Failure::new(Kind::Input, error.to_string()),
        }
    }
}

impl From<PipelineError> for Failure {
    fn from(error: PipelineError) -> Self {
        let message = error.to_string();
        match error {
            PipelineError::Store(error) => error.into(),
            PipelineError::Crawl(error) => error.into(),
            PipelineError::Collect(error) => error.into(),
            PipelineError::Warehouse(error) => error.into(),
            PipelineError::Verticals(error) => error.into(),
            PipelineError::Client(error) => error.into(),
            PipelineError::Threads(_) => Failure::new(Kind::Input, message),
            PipelineError::NoVertical { folder, notices } if notices.is_empty() => {
                let what = format!("there is no vertical in {}", folder.display());
                Failure::new(Kind::Plugin, what)
                    .hint("put a component there, as `magpie plugin build` makes it")
            }
            PipelineError::NoVertical { folder, notices } => {
                let what = format!(
                    "no vertical in {} can be used: {}",
                    folder.display(),
                    notices.join("; ")
                );
                Failure::new(Kind::Plugin, what).hint(
                    "`magpie plugin check FILE` says more; put a component there, as `magpie plugin build` makes it",
                )
            }
            PipelineError::UnknownVertical {
                name,
                folder,
                known,
                notices,
            } => {
                let what = format!("there is no vertical `{name}` in {}", folder.display());
                let lines: Vec<String> = std::iter::once(what).chain(notices).collect();
                Failure::usage(lines.join("\n")).hint(format!("there is {}", known.join(", ")))
            }
            PipelineError::AmbiguousVertical { known } => {
                Failure::usage("which vertical is meant?").hint(format!(
                    "name it with `--vertical NAME`: there are {}",
                    known.join(", ")
                ))
            }
            PipelineError::NothingToBeginWith => Failure::usage("there is nothing to begin with").hint(
                "name a file with a few objects with `--seeds FILE`, or one with sites with `--sites FILE`",
            ),
            PipelineError::NothingToSearchFor => Failure::new(Kind::Input, message).hint(
                "give them the attributes by which people look for such objects: `magpie plugin inspect` shows which",
            ),
            PipelineError::SearchSettings(message) => Failure::usage(message).hint(
                "`search.engine` and `search.url` in magpie.toml say who is asked; `--sites FILE` does without",
            ),
            PipelineError::SearchFailed(_) => Failure::new(Kind::Input, message)
                .hint("`magpie learn` tries again; `--sites FILE` does without a search engine"),
            PipelineError::NoSiteFound { engine, seeds } => {
                let seeds = show::count(seeds, "seed");
                Failure::new(Kind::Input, format!("{engine} knows no site with any of {seeds}"))
                    .hint("give other seeds, with what people look for; or name sites with `--sites FILE`")
            }
            PipelineError::Unreached(sites) => unreached(&sites),
            PipelineError::NoObjects {
                vertical,
                made,
                counts,
            } => no_objects(&vertical, *made, &counts),
            PipelineError::NothingLearned { .. } => Failure::usage(message).hint(
                "learn first, as in `magpie learn --sites FILE` or `magpie learn --seeds FILE`",
            ),
            PipelineError::AllLeftOut(reasons) => left_out(Kind::Input, &reasons),
        }
    }
}

fn no_objects(vertical: &str, made: Made, counts: &Counts) -> Failure {
    let made = PatternsMade::from(made);
    let mut what = format!(
        "no object of {vertical} was found on {} of {}",
        show::count(made.pages, "page"),
        show::listed(&empty_sites(&made))
    );
    let reasons = counts.0.iter().filter_map(|((state, reason), count)| {
        let reason = reason.as_ref()?;
        Some(format!(
            "{} {} ({reason})",
            show::thousands(*count),
            state.as_str()
        ))
    });
    let reasons: Vec<String> = reasons.collect();
    if !reasons.is_empty() {
        what.push_str(&format!("; of the other URLs: {}", reasons.join(", ")));
    }
    Failure::new(Kind::Input, what).hint(match made.pages {
        0 => "`magpie explain URL` says why a page was not fetched; with other sites (`--sites FILE`) or seeds (`--seeds FILE`), `magpie learn` begins anew",
        _ => "`magpie fetch URL` shows what the vertical makes of a page that has one; the pages are kept, so that `magpie learn --from crawl` goes on with them",
    })
}

impl From<VerticalsError> for Failure {
    fn from(error: VerticalsError) -> Self {
        Failure::new(Kind::Plugin, error.to_string())
    }
}

impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Self {
        Failure::usage(error.to_string())
    }
}
