//! Crawling whole sites as an operation: into a workspace or keeping nothing, from the web or from
//! the archive of another workspace.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use magpie_model::UrlReason;
use magpie_patterns::rendering::RenderingRules;
use magpie_rows::ReadStore;
use magpie_rows::{CrawlStore, MemoryFrontier, Pruned, RunId, RunKind, StoreError, UrlState};
use magpie_values::Timestamp;
use tokio::runtime::Runtime;

use super::names::home;
use super::rendering::rendering_rules;
use crate::browser::{Browsers, PageRenderer};
use crate::crawl::{
    Browser, CrawlConfig, Ending, Event, Extractor, Paces, Progress, Target, crawl, site_key,
};
use crate::crew::crawl_together;
use crate::observer::{self, Observer};
use crate::opened::{open_reader, open_workspace};
use crate::pictures::{PictureRound, PicturesFetched};
use crate::prune::prune;
use crate::reading::read_news;
use crate::session::{CrawlRequest, Crawled, Session, runtime};
use crate::settings::{Keep, Resolved};
use crate::warehouse::{self, Comparers, cluster_new};
use crate::{Archive, Clock, PipelineError, SessionOptions, Source, VERTICALS, Verticals, for_archive};

/// Reasons for which URLs are refused that settings or the site itself may have changed since.
const TEMPORARY: [UrlReason; 2] = [UrlReason::Robots, UrlReason::RefusedAddress];

/// Sites read at once from the database.
const MAX_SITES: usize = 1_000;

/// Sites to crawl, and the workspace that keeps the results.
#[derive(Clone, Debug)]
pub struct SiteCrawlRequest {
    /// The folder of the workspace that results go to; `None` keeps nothing.
    pub folder: Option<PathBuf>,
    /// The sites, as people name them. Without any, those of the replayed run, or those with URLs
    /// queued.
    pub sites: Vec<String>,
    /// Fetches pages again that were fetched.
    pub again: bool,
    /// An archive to read instead of the web.
    pub replay: Option<Replay>,
    /// Settings, clock and others. The vertical is not used: all of the workspace look for objects.
    pub options: SessionOptions,
}

/// A run whose archive is read instead of the web.
#[derive(Clone, Debug)]
pub struct Replay {
    /// The folder of its workspace.
    pub folder: PathBuf,
    /// The run; `None` for the last answers of all.
    pub run: Option<RunId>,
}

/// The outcome of a crawl of sites.
#[derive(Clone, Debug)]
pub struct SitesCrawled {
    /// Reason for which it ended.
    pub ending: Ending,
    /// The figures at its end.
    pub progress: Progress,
    /// A vertical failed on a page.
    pub have_verticals_failed: bool,
    /// The clustering of the records that were found, by vertical. A crawl that was stopped leaves
    /// them to the next one.
    pub clustered: Vec<warehouse::Report>,
    /// The pictures of objects that were asked for.
    pub pictures: PicturesFetched,
    /// The bodies that were removed from the archive; a sentence if that failed.
    pub pruned: Result<Pruned, String>,
}

/// A crawl of sites that can begin.
pub struct SiteCrawl {
    store: Store,
    source: Source,
    settings: Arc<Resolved>,
    options: SessionOptions,
    targets: Vec<Target>,
    is_resumed: bool,
    verticals: Option<Arc<Verticals>>,
    /// The ways to have pages that a plain fetch does not have whole, by the keys of sites.
    rendering: HashMap<String, Arc<RenderingRules>>,
    /// The begin of the replayed run.
    replayed_began: Option<Timestamp>,
    runtime: Runtime,
}

enum Store {
    Workspace(Arc<dyn magpie_rows::Store>, PathBuf),
    Memory(Arc<MemoryFrontier>),
}

impl SiteCrawl {
    /// Opens what a crawl needs, and queues URLs of named sites again that may do better now.
    pub fn prepare(request: SiteCrawlRequest) -> Result<SiteCrawl, PipelineError> {
        let SiteCrawlRequest {
            folder,
            sites,
            again,
            replay,
            options,
        } = request;
        let mut settings = options.settings.clone();
        let replayed = replay
            .map(|replay| ReplayedPage::open(&replay, folder.as_deref()))
            .transpose()?;
        // A replay asks no server, so it needs no delays.
        if replayed.is_some() {
            for_archive(&mut settings);
        }
        let sites = match &replayed {
            Some(replayed) if sites.is_empty() => replayed.reader.seeds()?,
            _ => sites,
        };
        let named = sites.iter().map(|site| named_target(site, &settings));
        let mut targets: Vec<Target> = named.collect::<Result<_, _>>()?;
        let store = match &folder {
            Some(folder) => Store::Workspace(open_workspace(folder, &settings)?, folder.clone()),
            None => Store::Memory(Arc::new(MemoryFrontier::new())),
        };
        let is_resumed = targets.is_empty();
        if let Store::Workspace(workspace, _) = &store {
            if is_resumed {
                targets = queued_sites(&**workspace)?;
            } else {
                queue_again(&**workspace, &targets, &settings, again)?;
            }
        }
        // A crawl without a target would end at once and look like success.
        if targets.is_empty() {
            return Err(PipelineError::NothingQueued { held: store.held()? });
        }
        let verticals = match &folder {
            Some(folder) if settings.settings.verticals.run => {
                Verticals::open(&folder.join(VERTICALS), options.cache.as_deref(), &settings)?
            }
            _ => None,
        };
        let rendering = match (&replayed, &folder) {
            (Some(replayed), _) => known_rules(&*replayed.reader, &replayed.folder)?,
            (None, Some(folder)) => known_rules(&*open_reader(folder)?, folder)?,
            (None, None) => HashMap::new(),
        };
        Ok(SiteCrawl {
            rendering,
            runtime: runtime(&settings)?,
            replayed_began: replayed.as_ref().map(|replayed| replayed.began),
            source: match replayed {
                Some(replayed) => Source::Archive(Box::new(Archive::new(replayed.reader, replayed.run))),
                None => Source::web(&settings)?,
            },
            verticals: verticals.map(Arc::new),
            settings: Arc::new(settings),
            store,
            options,
            targets,
            is_resumed,
        })
    }

    /// Returns the number of sites if no site was named, so that the crawl continues with all that
    /// have URLs queued.
    pub fn resumed_sites(&self) -> Option<usize> {
        self.is_resumed.then_some(self.targets.len())
    }

    /// Returns the components that look for objects, by name and version.
    pub fn verticals(&self) -> Vec<String> {
        let plugins = self.verticals.iter().flat_map(|verticals| verticals.plugins());
        plugins.map(|plugin| plugin.id().to_string()).collect()
    }

    /// Returns the settings in force.
    pub fn settings(&self) -> &Arc<Resolved> {
        &self.settings
    }

    /// Returns the runtime of requests.
    pub fn runtime(&self) -> &Runtime {
        &self.runtime
    }

    /// Crawls until nothing is left, or until it is asked to stop. A run that was stopped continues
    /// with the next crawl.
    pub fn run(self, watch: &mut dyn FnMut(Event)) -> Result<SitesCrawled, PipelineError> {
        let clock = &self.options.clock;
        let (run, began) = match &self.store {
            Store::Memory(_) => (None, clock.now()),
            Store::Workspace(workspace, _) => {
                let (run, began) = begin_run(&**workspace, &self.options, &self.settings)?;
                (Some(run), began)
            }
        };
        let together = self.together()?;
        let shared = match (run, &together) {
            (Some(run), Some(session)) => {
                let request = CrawlRequest::new((run, began), self.targets.clone());
                crawl_together(session, &request, &mut Watching(watch))?
            }
            _ => None,
        };
        let (ending, progress) = match shared {
            Some(Crawled { ending, progress }) => (ending, progress),
            None => {
                let browser = browser(&self.source, &self.settings, clock, self.store.crawl_store())?;
                let config = CrawlConfig {
                    store: self.store.crawl_store(),
                    source: Arc::new(self.source),
                    settings: Arc::clone(&self.settings),
                    run,
                    extractor: self
                        .verticals
                        .clone()
                        .map(|verticals| verticals as Arc<dyn Extractor>),
                    filters: None,
                    rendering: self.rendering,
                    browser,
                    max_pages: None,
                    until: None,
                    is_varied: false,
                    guide: None,
                    keep: matches!(self.store, Store::Workspace(..))
                        && self.settings.settings.archive.keep != Keep::Nothing,
                    clock: clock.clone(),
                    began: self.replayed_began.unwrap_or(began),
                };
                let stop = self.options.stop.receiver();
                crawl(config, &self.targets, &self.runtime, stop, watch)?
            }
        };
        let (mut clustered, mut pictures) = (Vec::new(), PicturesFetched::default());
        let mut pruned = Ok(Pruned::default());
        if let (Store::Workspace(workspace, folder), Some(run), Ending::Finished) = (&self.store, run, ending)
        {
            workspace.end_run(run, clock.now())?;
            if let Some(verticals) = &self.verticals {
                let options = warehouse::Options {
                    clock: clock.clone(),
                    ..warehouse::Options::default()
                };
                let plugins = verticals.plugins();
                // The records of the crawl may still wait for the writer.
                workspace.flush()?;
                let min_confidence = self.settings.settings.verticals.min_confidence;
                let notices = read_news(&**workspace, folder, &plugins, None, min_confidence)?;
                clustered = cluster_new(
                    &**workspace,
                    &plugins,
                    None,
                    &options,
                    together.as_ref().map(|session| session as &dyn Comparers),
                    &mut |_| (),
                )?;
                // They are about sites, and one of the reports is enough for them.
                if let Some(report) = clustered.first_mut() {
                    report.notices.extend(notices);
                }
            }
            // A replay asks no server.
            if self.replayed_began.is_none() {
                let round = PictureRound {
                    store: workspace,
                    settings: &self.settings,
                    clock,
                    paces: Paces::default(),
                    stop: self.options.stop.receiver(),
                };
                pictures = round.fetch(&self.runtime)?;
            }
            let archive = &self.settings.settings.archive;
            pruned = prune(&**workspace, archive, self.options.clock.now(), true)
                .map_err(|error| error.to_string());
        }
        Ok(SitesCrawled {
            ending,
            progress,
            have_verticals_failed: self.verticals.is_some_and(|verticals| verticals.have_failed()),
            clustered,
            pictures,
            pruned,
        })
    }
}

impl SiteCrawl {
    /// Opens a session for what the workers of the workspace can do: they read the web, and with
    /// the verticals of the workspace.
    fn together(&self) -> Result<Option<Session>, PipelineError> {
        let (Store::Workspace(workspace, folder), Some(verticals), None) =
            (&self.store, &self.verticals, self.replayed_began)
        else {
            return Ok(None);
        };
        let options = SessionOptions {
            settings: Resolved::clone(&self.settings),
            ..self.options.clone()
        };
        Session::together(folder, options, &verticals.plugins(), workspace)
    }
}

/// Passes the events of a crawl on.
struct Watching<'w>(&'w mut dyn FnMut(Event));

impl Observer for Watching<'_> {
    fn observe(&mut self, event: observer::Event<'_>) {
        if let observer::Event::Crawl(event) = event {
            (self.0)(event.clone());
        }
    }
}

/// Returns the rules about pages that a plain fetch does not have whole, of all verticals that
/// learned any.
fn known_rules(
    reader: &dyn ReadStore,
    folder: &Path,
) -> Result<HashMap<String, Arc<RenderingRules>>, StoreError> {
    rendering_rules(reader, folder, &reader.learned_verticals()?)
}

/// Returns what shows pages of a crawl with their scripts, if the settings allow it.
fn browser(
    source: &Source,
    settings: &Arc<Resolved>,
    clock: &Clock,
    store: Arc<dyn CrawlStore>,
) -> Result<Option<Arc<dyn Browser>>, PipelineError> {
    let Source::Web(clients) = source else {
        return Ok(None);
    };
    let Some(browsers) = Browsers::wanted(settings, None)? else {
        return Ok(None);
    };
    let (clients, settings, clock) = (Arc::clone(clients), Arc::clone(settings), clock.clone());
    let renderer = PageRenderer::of_crawl(browsers, clients, settings, clock, Some(store))?;
    Ok(Some(Arc::new(renderer)))
}

impl Store {
    fn crawl_store(&self) -> Arc<dyn CrawlStore> {
        match self {
            Store::Workspace(workspace, _) => Arc::clone(workspace) as Arc<dyn CrawlStore>,
            Store::Memory(memory) => Arc::clone(memory) as Arc<dyn CrawlStore>,
        }
    }

    /// Returns the number of URLs that recrawls and budgets have put aside.
    fn held(&self) -> Result<u64, StoreError> {
        let Store::Workspace(workspace, _) = self else {
            return Ok(0);
        };
        // A damaged database may report an empty queue, too.
        workspace.check()?;
        Ok(workspace.url_counts(None)?.of(UrlState::Held))
    }
}

/// Returns the target of a site as a person names it.
fn named_target(site: &str, settings: &Resolved) -> Result<Target, PipelineError> {
    let home = home(site, settings).map_err(PipelineError::NotASite)?;
    Ok(match site.contains("://") {
        true => Target::From(home),
        false => Target::Host(home),
    })
}

/// Queues URLs of named sites again: those that were put aside, failed, or were refused for a
/// reason that may have passed; and with `again` those that were fetched.
fn queue_again(
    workspace: &dyn magpie_rows::Store,
    targets: &[Target],
    settings: &Resolved,
    again: bool,
) -> Result<(), StoreError> {
    for target in targets {
        let key = match target {
            Target::From(home) | Target::Host(home) => site_key(settings.for_host(home.host()), home),
            Target::Known(key) => key.clone(),
        };
        let site = workspace.site(&key)?;
        workspace.queue_again(site, UrlState::Held, None)?;
        workspace.queue_again(site, UrlState::Failed, None)?;
        for reason in &TEMPORARY {
            workspace.queue_again(site, UrlState::Refused, Some(reason))?;
        }
        if again {
            workspace.queue_again(site, UrlState::Fetched, None)?;
        }
    }
    Ok(())
}

fn queued_sites(reader: &dyn ReadStore) -> Result<Vec<Target>, StoreError> {
    let mut queued = Vec::new();
    let mut after = None;
    loop {
        let sites = reader.sites_after(after, MAX_SITES)?;
        let Some(last) = sites.last() else {
            return Ok(queued);
        };
        after = Some(last.id);
        let sites = sites.into_iter().filter(|site| site.queued > 0);
        queued.extend(sites.map(|site| Target::Known(site.key)));
    }
}

/// Continues an interrupted run, or begins one. Returns its number and its begin.
fn begin_run(
    workspace: &dyn magpie_rows::Store,
    options: &SessionOptions,
    settings: &Resolved,
) -> Result<(RunId, Timestamp), StoreError> {
    let now = options.clock.now();
    let run = match workspace.resume_run(RunKind::Crawl, now)? {
        Some(run) => run,
        None => workspace.begin_run(RunKind::Crawl, &options.program, &settings.to_json(), now)?,
    };
    let runs = workspace.runs()?;
    let own = runs.into_iter().find(|row| row.id == run);
    Ok((run, own.map_or(now, |row| row.started_at)))
}

struct ReplayedPage {
    reader: Box<dyn ReadStore + Send>,
    folder: PathBuf,
    run: Option<RunId>,
    began: Timestamp,
}

impl ReplayedPage {
    fn open(replay: &Replay, into: Option<&Path>) -> Result<ReplayedPage, PipelineError> {
        let is_same = |into: &Path| match (replay.folder.canonicalize(), into.canonicalize()) {
            (Ok(from), Ok(into)) => from == into,
            _ => false,
        };
        if into.is_some_and(is_same) {
            return Err(PipelineError::ReplaysItself);
        }
        let reader = open_reader(&replay.folder)?;
        let runs = reader.runs()?;
        let chosen = match replay.run {
            Some(run) => runs.iter().find(|row| row.id == run),
            None => runs.last(),
        };
        let Some(chosen) = chosen else {
            return Err(PipelineError::NoSuchRun {
                folder: replay.folder.clone(),
                run: replay.run,
                known: runs.iter().map(|row| row.id).collect(),
            });
        };
        Ok(ReplayedPage {
            began: chosen.started_at,
            reader,
            folder: replay.folder.clone(),
            run: replay.run,
        })
    }
}
