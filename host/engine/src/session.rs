//! A workspace opened for work on one vertical.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use magpie_model::CanonicalUrl;
use magpie_rows::{CrawlStore, Crew, ObjectFilter, ObjectRow, RunId, RunKind, SiteId, Store, StoreError};
use magpie_runtime::Plugin;
use magpie_sqlite::ARCHIVES;
use magpie_values::Timestamp;
use tokio::runtime::Runtime;
use tokio::sync::watch;

use crate::browser::{Browsers, PageRenderer};
use crate::checkout::sync;
use crate::crawl::{
    Browser, CrawlConfig, Ending, Extractor, Guide, LinkFilters, Progress, Queries, Target, crawl_by,
    site_key,
};
use crate::crew::crawl_together;
use crate::observer::{Event, Observer};
use crate::opened::{create_workspace, open_workspace};
use crate::pictures::{PictureRound, PicturesFetched};
use crate::prune::prune;
use crate::reading::{READINGS, SiteReader};
use crate::settings::{Keep, Resolved};
use crate::site::{Collection, NAVIGATIONS, rendering_rules};
use crate::verticals::describing;
use crate::warehouse::{self, cluster_new};
use crate::{Clients, Clock, PipelineError, Source, Verticals};

/// The folder of a workspace that verticals are dropped into.
pub const VERTICALS: &str = "verticals";

/// All folders of a workspace.
pub const FOLDERS: [&str; 4] = [VERTICALS, ARCHIVES, NAVIGATIONS, READINGS];

/// Asks operations to stop. Clones ask the same operations.
#[derive(Clone, Debug)]
pub struct Stop(Arc<watch::Sender<bool>>);

impl Default for Stop {
    fn default() -> Self {
        Stop(Arc::new(watch::Sender::new(false)))
    }
}

impl Stop {
    /// Asks to stop. Returns `false` if that was asked before.
    pub fn ask(&self) -> bool {
        !self.0.send_replace(true)
    }

    /// Returns `true` if operations were asked to stop.
    pub fn is_asked(&self) -> bool {
        *self.0.borrow()
    }

    /// Returns a receiver of the request to stop.
    pub fn receiver(&self) -> watch::Receiver<bool> {
        self.0.subscribe()
    }
}

/// Options for opening a session.
#[derive(Clone, Debug)]
pub struct SessionOptions {
    /// The settings in force.
    pub settings: Resolved,
    /// The vertical; none for the only one that is there.
    pub vertical: Option<String>,
    /// The folder in which compiled components are kept.
    pub cache: Option<PathBuf>,
    /// The name and version that runs are recorded with.
    pub program: String,
    /// The time.
    pub clock: Clock,
    /// Asks the operations of the session to stop.
    pub stop: Stop,
}

impl SessionOptions {
    /// Options with these settings, for the only vertical of a workspace.
    pub fn new(settings: Resolved) -> SessionOptions {
        SessionOptions {
            settings,
            vertical: None,
            cache: None,
            program: concat!("magpie-engine ", env!("CARGO_PKG_VERSION")).to_owned(),
            clock: Clock::default(),
            stop: Stop::default(),
        }
    }
}

/// A workspace opened for work on one vertical: learning, recrawls and watches are operations on
/// it.
///
/// Operations block their thread, and run network work on threads of the session.
pub struct Session {
    folder: PathBuf,
    settings: Arc<Resolved>,
    store: Arc<dyn Store>,
    vertical: String,
    verticals: Arc<Verticals>,
    cache: Option<PathBuf>,
    program: String,
    clock: Clock,
    stop: Stop,
    runtime: Runtime,
    browsers: Option<Arc<Browsers>>,
    /// It does a share of the work of another process, and shares nothing out.
    is_worker: bool,
}

/// A crawl as part of an operation.
#[derive(Clone)]
pub struct CrawlRequest {
    /// The run that its pages belong to.
    pub run: RunId,
    /// When the run began.
    pub began: Timestamp,
    /// The sites and pages to begin with.
    pub targets: Vec<Target>,
    /// Filters of the links that are followed; `None` follows all.
    pub filters: Option<Arc<dyn LinkFilters>>,
    /// Lets kinds of pages take turns.
    pub is_varied: bool,
    /// Chooses the page that is fetched next.
    pub guide: Option<Guide>,
    /// The number of pages that may be asked for.
    pub max_pages: Option<u64>,
    /// Estimated share of a site's objects from which nothing more is fetched there.
    pub until: Option<f64>,
    /// Finds objects instead of the session's verticals.
    pub extractor: Option<Arc<dyn Extractor>>,
}

impl CrawlRequest {
    /// A crawl of all that these targets lead to.
    pub fn new((run, began): (RunId, Timestamp), targets: Vec<Target>) -> CrawlRequest {
        CrawlRequest {
            run,
            began,
            targets,
            filters: None,
            is_varied: false,
            guide: None,
            max_pages: None,
            until: None,
            extractor: None,
        }
    }

    /// The run that its pages belong to, and when it began.
    pub(crate) fn during(&self) -> (RunId, Timestamp) {
        (self.run, self.began)
    }
}

/// The outcome of a crawl.
#[derive(Clone, Debug)]
pub struct Crawled {
    /// Reason for which it ended.
    pub ending: Ending,
    /// The figures at its end.
    pub progress: Progress,
}

impl Crawled {
    /// Returns `true` if it was stopped before it was through.
    pub fn was_stopped(&self) -> bool {
        self.ending == Ending::Stopped
    }
}

impl Session {
    /// Makes a workspace with the components of verticals, and opens it.
    pub fn create(
        folder: &Path,
        components: &[&Path],
        options: SessionOptions,
    ) -> Result<Session, PipelineError> {
        create_workspace(folder)?;
        let verticals = folder.join(VERTICALS);
        let copied = components.iter().try_for_each(|component| {
            let name = component.file_name().unwrap_or(component.as_os_str());
            std::fs::copy(component, verticals.join(name)).map(drop)
        });
        copied.map_err(|cause| PipelineError::Copy {
            folder: verticals,
            cause,
        })?;
        Session::open(folder, options)
    }

    /// Opens a workspace for a vertical.
    pub fn open(folder: &Path, options: SessionOptions) -> Result<Session, PipelineError> {
        Session::over(folder, options, |settings| open_workspace(folder, settings))
    }

    /// Opens a session over a store that the caller opens. Components of verticals and navigations
    /// are in `folder`.
    pub fn over(
        folder: &Path,
        options: SessionOptions,
        open_store: impl FnOnce(&Resolved) -> Result<Arc<dyn Store>, StoreError>,
    ) -> Result<Session, PipelineError> {
        let mut settings = options.settings;
        // A session without its vertical would find nothing, so settings can't turn verticals off.
        settings.settings.verticals.run = true;
        let verticals = open_verticals(folder, options.cache.as_deref(), &settings)?;
        let vertical = choose_vertical(&verticals, options.vertical.as_deref(), folder)?;
        Ok(Session {
            store: open_store(&settings)?,
            browsers: Browsers::wanted(&settings, None)?,
            runtime: runtime(&settings)?,
            folder: folder.to_owned(),
            settings: Arc::new(settings),
            vertical,
            verticals: Arc::new(verticals),
            cache: options.cache,
            program: options.program,
            clock: options.clock,
            stop: options.stop,
            is_worker: false,
        })
    }

    /// Opens a session over the store of a workspace that workers share. Returns `None` if it is
    /// one that they don't, or there is no vertical.
    pub fn together(
        folder: &Path,
        options: SessionOptions,
        plugins: &[Plugin],
        store: &Arc<dyn Store>,
    ) -> Result<Option<Session>, PipelineError> {
        let (Some(plugin), Some(_)) = (plugins.first(), store.crew()) else {
            return Ok(None);
        };
        let options = SessionOptions {
            // Pages are shown to all verticals, whichever the session is for.
            vertical: Some(plugin.info().name.clone()),
            ..options
        };
        Session::over(folder, options, |_| Ok(Arc::clone(store))).map(Some)
    }

    /// Makes it the session of a worker, which does all that it is asked to itself.
    pub(crate) fn of_worker(self) -> Session {
        Session {
            is_worker: true,
            ..self
        }
    }

    /// Replaces the settings. Returns `false` if they are the same. The workspace and the
    /// threads stay as they were opened.
    pub fn change_settings(&mut self, mut settings: Resolved) -> Result<bool, PipelineError> {
        settings.settings.verticals.run = true;
        if settings == *self.settings {
            return Ok(false);
        }
        self.verticals = Arc::new(open_verticals(&self.folder, self.cache.as_deref(), &settings)?);
        self.browsers = Browsers::wanted(&settings, self.browsers.take())?;
        self.settings = Arc::new(settings);
        Ok(true)
    }

    /// The folder of the workspace.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The settings in force.
    pub fn settings(&self) -> &Arc<Resolved> {
        &self.settings
    }

    /// The store of the workspace.
    pub fn store(&self) -> &dyn Store {
        &*self.store
    }

    /// The store of the workspace, for work beside the operations of the session.
    pub fn shared_store(&self) -> Arc<dyn Store> {
        Arc::clone(&self.store)
    }

    /// The processes that work is shared with.
    pub(crate) fn crew(&self) -> Option<&dyn Crew> {
        self.store.crew().filter(|_| !self.is_worker)
    }

    /// The name of the vertical.
    pub fn vertical(&self) -> &str {
        &self.vertical
    }

    /// The time of the session's clock.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Returns the clock of all operations of the session.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Returns the number of pages that this session has opened in a browser.
    pub fn rendered_pages(&self) -> u64 {
        self.browsers.as_ref().map_or(0, |browsers| browsers.pages())
    }

    /// Shows pages with their scripts, with the clients of a crawl, if the settings allow it.
    pub(crate) fn browser(&self, clients: &Arc<Clients>) -> Result<Option<Arc<dyn Browser>>, PipelineError> {
        let Some(browsers) = &self.browsers else {
            return Ok(None);
        };
        let renderer = PageRenderer::of_crawl(
            Arc::clone(browsers),
            Arc::clone(clients),
            Arc::clone(&self.settings),
            self.clock.clone(),
            Some(Arc::clone(&self.store) as Arc<dyn CrawlStore>),
        )?;
        Ok(Some(Arc::new(renderer)))
    }

    /// The runtime of network work.
    pub fn runtime(&self) -> &Runtime {
        &self.runtime
    }

    /// Returns the objects that pass a filter.
    pub fn objects(&self, filter: &ObjectFilter) -> Result<Vec<ObjectRow>, StoreError> {
        let mut objects = Vec::new();
        self.store.objects(filter, &mut |object| {
            objects.push(object);
            ControlFlow::Continue(())
        })?;
        Ok(objects)
    }

    /// The steps of learning and recrawling, as of now.
    pub fn collection(&self) -> Collection<'_> {
        self.collection_at(self.now())
    }

    /// The steps of learning and recrawling, as of a moment.
    pub fn collection_at(&self, now: Timestamp) -> Collection<'_> {
        Collection {
            store: &*self.store,
            folder: &self.folder,
            settings: &self.settings,
            vertical: &self.vertical,
            now,
        }
    }

    /// The components of all verticals.
    pub(crate) fn plugins(&self) -> Vec<Plugin> {
        self.verticals.plugins()
    }

    /// The vertical's component; of two the one that finds objects.
    pub fn plugin(&self) -> Result<Plugin, PipelineError> {
        let plugins = self.verticals.plugins();
        describing(&plugins, &self.vertical)
            .cloned()
            .ok_or_else(|| no_vertical(&self.verticals, &self.folder))
    }

    /// The verticals as a crawl asks them.
    pub(crate) fn extractor(&self) -> Arc<dyn Extractor> {
        Arc::clone(&self.verticals) as Arc<dyn Extractor>
    }

    /// Returns the key of a page's site.
    pub fn site_key(&self, page: &CanonicalUrl) -> String {
        site_key(self.settings.for_host(page.host()), page)
    }

    /// Returns the number of a page's site.
    pub(crate) fn site_of(&self, page: &CanonicalUrl) -> Result<SiteId, StoreError> {
        self.store.site(&self.site_key(page))
    }

    /// Continues an interrupted run of a kind, or begins one. Returns its number, and when it
    /// began.
    pub fn begin_run(&self, kind: RunKind) -> Result<(RunId, Timestamp), StoreError> {
        let now = self.now();
        let run = match self.store.resume_run(kind, now)? {
            Some(run) => run,
            None => {
                let settings = self.settings.to_json();
                self.store.begin_run(kind, &self.program, &settings, now)?
            }
        };
        let runs = self.store.runs()?;
        // A resumed run keeps its beginning, from which on objects count as new.
        let began = runs
            .iter()
            .find(|row| row.id == run)
            .map_or(now, |row| row.started_at);
        Ok((run, began))
    }

    /// Ends a run that is through.
    pub fn end_run(&self, run: RunId) -> Result<(), StoreError> {
        // What it learned is on the server before it counts as done.
        sync(&self.folder)?;
        self.store.end_run(run, self.now())
    }

    /// Removes old bodies at the end of a run, and reports it. A failure costs no run.
    pub(crate) fn prune_archive(&self, observer: &mut dyn Observer) {
        match prune(&*self.store, &self.settings.settings.archive, self.now(), true) {
            Ok(pruned) if pruned.pages > 0 => observer.observe(Event::Pruned(&pruned)),
            Ok(_) => {}
            Err(error) => observer.observe(Event::NotPruned(&error)),
        }
    }

    /// Crawls what is queued of the targets' sites. If the workspace has workers, they do it.
    pub fn crawl(
        &self,
        request: CrawlRequest,
        observer: &mut dyn Observer,
    ) -> Result<Crawled, PipelineError> {
        match crawl_together(self, &request, observer)? {
            Some(crawled) => Ok(crawled),
            None => self.crawl_here(request, None, observer),
        }
    }

    /// Crawls what is queued of the targets' sites in this process, and then what a strategy makes
    /// of the answers.
    pub(crate) fn crawl_here(
        &self,
        request: CrawlRequest,
        queries: Option<&mut dyn Queries>,
        observer: &mut dyn Observer,
    ) -> Result<Crawled, PipelineError> {
        // Settings may have changed since the last crawl, and clients are made from them.
        let clients = Arc::new(Clients::new(&self.settings)?);
        let config = CrawlConfig {
            store: Arc::clone(&self.store) as Arc<dyn CrawlStore>,
            browser: self.browser(&clients)?,
            source: Arc::new(Source::Web(clients)),
            settings: Arc::clone(&self.settings),
            run: Some(request.run),
            extractor: Some(request.extractor.unwrap_or_else(|| self.extractor())),
            filters: request.filters,
            rendering: rendering_rules(&*self.store, &self.folder, std::slice::from_ref(&self.vertical))?,
            max_pages: request.max_pages,
            until: request.until,
            is_varied: request.is_varied,
            guide: request.guide,
            keep: self.settings.settings.archive.keep != Keep::Nothing,
            clock: self.clock.clone(),
            began: request.began,
        };
        let stop = self.stop.receiver();
        let mut watch = |event| observer.observe(Event::Crawl(&event));
        let outcome = crawl_by(config, queries, &request.targets, &self.runtime, stop, &mut watch);
        // Observers learn of the end even if the crawl has failed, since a display of its progress
        // must be closed.
        observer.observe(Event::CrawlEnded);
        let (ending, progress) = outcome?;
        Ok(Crawled { ending, progress })
    }

    /// Clusters the records that were found since this was done last. Returns `None` if no record
    /// of the vertical was ever found.
    pub fn cluster(&self, observer: &mut dyn Observer) -> Result<Option<warehouse::Report>, PipelineError> {
        self.cluster_read(&HashSet::new(), observer)
    }

    /// Does the same when the pages of some sites are read already.
    pub(crate) fn cluster_read(
        &self,
        read: &HashSet<SiteId>,
        observer: &mut dyn Observer,
    ) -> Result<Option<warehouse::Report>, PipelineError> {
        // The records of a crawl may still wait for the writer.
        self.store.flush()?;
        // Objects at old URLs are withdrawn first. Otherwise an object would be clustered together
        // with its own copy under the old name.
        self.collection().retire_aliased_pages()?;
        for notice in self.site_reader()?.read_news(&*self.store, read)? {
            observer.observe(Event::ClusteringNotice(&notice));
        }
        let plugins = self.verticals.plugins();
        let options = warehouse::Options {
            clock: self.clock.clone(),
            ..warehouse::Options::default()
        };
        let mut progress = |line: &str| observer.observe(Event::Clustering(line));
        let reports = cluster_new(
            &*self.store,
            &plugins,
            Some(&self.vertical),
            &options,
            Some(self),
            &mut progress,
        )?;
        let mut own = reports
            .into_iter()
            .filter(|report| report.vertical == self.vertical);
        Ok(own.next())
    }

    /// Reads the pages of sites by what was learned of them.
    pub fn site_reader(&self) -> Result<SiteReader<'_>, PipelineError> {
        let info = self.plugin()?.info().clone();
        let min_confidence = self.settings.settings.verticals.min_confidence;
        Ok(SiteReader::new(&*self.store, &self.folder, info, min_confidence))
    }

    /// Fetches pictures of objects, if the settings want them.
    pub(crate) fn fetch_pictures(&self, observer: &mut dyn Observer) -> Result<(), PipelineError> {
        let round = PictureRound {
            store: &self.store,
            settings: &self.settings,
            clock: &self.clock,
            paces: self
                .browsers
                .as_ref()
                .map(|browsers| browsers.paces())
                .unwrap_or_default(),
            stop: self.stop.receiver(),
        };
        let fetched = round.fetch(&self.runtime)?;
        if fetched != PicturesFetched::default() {
            observer.observe(Event::PicturesFetched(fetched));
        }
        Ok(())
    }

    /// Returns `true` if a stop was requested.
    pub(crate) fn is_stopping(&self) -> bool {
        *self.stop.receiver().borrow()
    }

    /// Waits. Returns `true` as soon as a stop is requested.
    pub fn wait(&self, time: Duration) -> bool {
        let mut stop = self.stop.receiver();
        self.runtime.block_on(async {
            let stopped = stop.wait_for(|stop| *stop);
            tokio::time::timeout(time, stopped).await.is_ok()
        })
    }
}

/// Starts the threads of network work.
pub fn runtime(resolved: &Resolved) -> Result<Runtime, PipelineError> {
    let threads = resolved.settings.crawl.thread_count();
    let mut builder = match threads {
        // One thread needs no scheduler that moves tasks between threads.
        1 => tokio::runtime::Builder::new_current_thread(),
        _ => tokio::runtime::Builder::new_multi_thread(),
    };
    let built = builder.worker_threads(threads).enable_all().build();
    built.map_err(PipelineError::Threads)
}

fn open_verticals(
    folder: &Path,
    cache: Option<&Path>,
    settings: &Resolved,
) -> Result<Verticals, PipelineError> {
    let dropped = folder.join(VERTICALS);
    let opened = Verticals::open(&dropped, cache, settings)?;
    opened.ok_or(PipelineError::NoVertical {
        folder: dropped,
        notices: Vec::new(),
    })
}

fn no_vertical(verticals: &Verticals, folder: &Path) -> PipelineError {
    PipelineError::NoVertical {
        folder: folder.join(VERTICALS),
        notices: verticals.notices(),
    }
}

/// Returns the vertical that is named, or the only one.
fn choose_vertical(
    verticals: &Verticals,
    named: Option<&str>,
    folder: &Path,
) -> Result<String, PipelineError> {
    let plugins = verticals.plugins();
    let names: Vec<String> = plugins.iter().map(|plugin| plugin.info().name.clone()).collect();
    match (named, names.as_slice()) {
        (_, []) => Err(no_vertical(verticals, folder)),
        (Some(named), names) if names.iter().any(|name| name == named) => Ok(named.to_owned()),
        (Some(named), _) => Err(PipelineError::UnknownVertical {
            name: named.to_owned(),
            folder: folder.to_owned(),
            known: names,
            notices: verticals.notices(),
        }),
        (None, [only]) => Ok(only.clone()),
        // An extractor and a clusterer of one vertical may be two components.
        (None, [first, others @ ..]) if others.iter().all(|name| name == first) => Ok(first.clone()),
        (None, _) => Err(PipelineError::AmbiguousVertical { known: names }),
    }
}
