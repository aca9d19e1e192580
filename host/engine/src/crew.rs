//! Crawls that workers do together: the side that opens one and waits, and the side that does it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use magpie_model::CanonicalUrl;
use magpie_postgres::Membership;
use magpie_rows::{Crew, CrewCrawl, CrewTask, Store, StoreError, UrlState};
use serde::{Deserialize, Serialize};

use crate::checkout::{checkout, sync, workspace_name};
use crate::crawl::{self, CrawlError, Ending, Notice, Progress, Target};
use crate::focus::guide_named;
use crate::observer::{Event, Observer};
use crate::opened::{VERSION, on_server};
use crate::session::{CrawlRequest, Crawled, Session, SessionOptions, Stop};
use crate::{PipelineError, Resolved};

/// Interval at which the other side is looked at.
const INTERVAL: Duration = Duration::from_millis(500);

/// Interval of figures of a crawl that others do: each costs a query over the pages of the run.
const FIGURES: Duration = Duration::from_secs(5);

/// The way to crawl, for processes with other settings and other copies of the components.
#[derive(Debug, Serialize, Deserialize)]
struct Options {
    vertical: String,
    /// The settings of the driver, as a file.
    settings: String,
    guide: Option<String>,
    is_varied: bool,
    until: Option<f64>,
    /// Digests of the components that read the pages.
    components: BTreeSet<String>,
}

impl Options {
    /// Returns the options of a request, if workers can do it: what it is made of is theirs, too.
    fn of(session: &Session, request: &CrawlRequest) -> Option<Options> {
        let is_plain =
            request.filters.is_none() && request.extractor.is_none() && request.max_pages.is_none();
        let guide = request.guide.as_ref().map(|guide| guide.order.name().to_owned());
        let is_known = guide
            .as_ref()
            .is_none_or(|name| guide_named(session.settings(), name).is_some());
        (is_plain && is_known).then(|| Options {
            vertical: session.vertical().to_owned(),
            settings: session.settings().to_file(),
            guide,
            is_varied: request.is_varied,
            until: request.until,
            components: components(session),
        })
    }
}

fn components(session: &Session) -> BTreeSet<String> {
    let plugins = session.plugins();
    plugins
        .iter()
        .map(|plugin| plugin.inspection().digest.clone())
        .collect()
}

/// Has a crawl done by the workers of the workspace. Returns `None` if there are none, or they
/// can't do it.
pub(crate) fn crawl_together(
    session: &Session,
    request: &CrawlRequest,
    observer: &mut dyn Observer,
) -> Result<Option<Crawled>, PipelineError> {
    let Some(crew) = session.store().crew() else {
        return Ok(None);
    };
    let Some(options) = Options::of(session, request).filter(|_| !request.targets.is_empty()) else {
        return Ok(None);
    };
    if !has_workers(crew)? {
        return Ok(None);
    }
    let options = serde_json::to_string(&options).unwrap_or_default();
    let (run, began) = request.during();
    let tasks = tasks_of(session, &request.targets)?;
    // Workers read what the driver has written.
    session.store().flush()?;
    sync(session.folder())?;
    let crawl = crew.open_crawl(run, began, &options, &tasks)?;
    let outcome = wait(session, crew, crawl, request, observer);
    // An abandoned crawl is closed too. Otherwise the workers would continue it.
    crew.close_crawl(crawl)?;
    observer.observe(Event::CrawlEnded);
    outcome.map(Some)
}

fn has_workers(crew: &dyn Crew) -> Result<bool, StoreError> {
    Ok(crew.workers()?.iter().any(|row| row.is_worker && row.is_live))
}

/// Waits until all tasks are done. If all workers are gone, the driver does what is left.
fn wait(
    session: &Session,
    crew: &dyn Crew,
    crawl: i64,
    request: &CrawlRequest,
    observer: &mut dyn Observer,
) -> Result<Crawled, PipelineError> {
    let begin = Instant::now();
    let mut told: Option<Instant> = None;
    loop {
        let left = crew.tasks(crawl, false)?;
        let is_told = told.is_some_and(|told| told.elapsed() < FIGURES);
        if left.is_empty() || !is_told {
            let progress = figures(session, crew, crawl, request, &left, begin.elapsed())?;
            let event = crawl::Event::Progress(Box::new(progress.clone()));
            observer.observe(Event::Crawl(&event));
            told = Some(Instant::now());
            if left.is_empty() {
                return Ok(Crawled {
                    ending: Ending::Finished,
                    progress,
                });
            }
        }
        if !has_workers(crew)? {
            let crawled = do_tasks(session, crew, crawl, &left, request, observer)?;
            if crawled.was_stopped() {
                return Ok(crawled);
            }
        }
        if session.wait(INTERVAL) {
            return Ok(Crawled {
                ending: Ending::Stopped,
                progress: figures(session, crew, crawl, request, &left, begin.elapsed())?,
            });
        }
    }
}

/// Does tasks of a crawl in this process, but for those of sites that another process has.
fn do_tasks(
    session: &Session,
    crew: &dyn Crew,
    crawl: i64,
    tasks: &[CrewTask],
    request: &CrawlRequest,
    observer: &mut dyn Observer,
) -> Result<Crawled, PipelineError> {
    let request = request.with_targets(tasks.iter().flat_map(targets_of).collect());
    let mut skipped = Skipped {
        sites: BTreeSet::new(),
        observer,
    };
    let crawled = session.crawl_here(request, None, &mut skipped)?;
    if !crawled.was_stopped() {
        let done = tasks
            .iter()
            .filter(|task| !skipped.sites.contains(&SiteTask::of(task).key));
        let done: Vec<_> = done.map(|task| task.site).collect();
        crew.end_tasks(crawl, &done, &outcome_of(&crawled.progress))?;
    }
    Ok(crawled)
}

/// The figures of a crawl that others do.
fn figures(
    session: &Session,
    crew: &dyn Crew,
    crawl: i64,
    request: &CrawlRequest,
    left: &[CrewTask],
    elapsed: Duration,
) -> Result<Progress, StoreError> {
    let mut progress = Progress::default();
    for outcome in crew.outcomes(crawl)? {
        // One of another version counts in the totals of the run.
        progress.absorb(serde_json::from_str(&outcome).unwrap_or_default());
    }
    if !left.is_empty() {
        let (run, began) = request.during();
        let totals = session
            .store()
            .run_totals(session.vertical(), &[run], (began, session.now()))?;
        progress.pages = progress.pages.max(totals.pages);
        progress.bytes = progress.bytes.max(totals.bytes);
        progress.objects = progress.objects.max(totals.records);
    }
    progress.queued = session.store().url_counts(None)?.of(UrlState::Queued);
    progress.sites_waiting = left.len() as u64;
    progress.elapsed = elapsed;
    Ok(progress)
}

fn outcome_of(progress: &Progress) -> String {
    serde_json::to_string(progress).unwrap_or_default()
}

/// Returns a task for each site of the targets.
fn tasks_of(session: &Session, targets: &[Target]) -> Result<Vec<CrewTask>, StoreError> {
    let mut by_site: BTreeMap<String, Vec<Written>> = BTreeMap::new();
    for target in targets {
        let key = match target {
            Target::From(page) | Target::Host(page) => session.site_key(page),
            Target::Known(key) => key.clone(),
        };
        by_site.entry(key).or_default().push(Written::of(target));
    }
    let task = |(key, targets): (String, Vec<Written>)| {
        Ok(CrewTask {
            site: session.store().site(&key)?,
            targets: serde_json::to_string(&SiteTask { key, targets }).unwrap_or_default(),
        })
    };
    by_site.into_iter().map(task).collect()
}

/// The targets of a site as they are written for others.
#[derive(Default, Serialize, Deserialize)]
struct SiteTask {
    /// The name of the site.
    key: String,
    targets: Vec<Written>,
}

impl SiteTask {
    fn of(task: &CrewTask) -> SiteTask {
        serde_json::from_str(&task.targets).unwrap_or_default()
    }
}

fn targets_of(task: &CrewTask) -> Vec<Target> {
    let targets = SiteTask::of(task).targets.into_iter();
    targets.filter_map(Written::read).collect()
}

/// A target as it is written for others.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Written {
    From(String),
    Host(String),
    Known(String),
}

impl Written {
    fn of(target: &Target) -> Written {
        match target {
            Target::From(page) => Written::From(page.to_string()),
            Target::Host(page) => Written::Host(page.to_string()),
            Target::Known(key) => Written::Known(key.clone()),
        }
    }

    fn read(self) -> Option<Target> {
        Some(match self {
            Written::From(page) => Target::From(CanonicalUrl::trusted(page)?),
            Written::Host(page) => Target::Host(CanonicalUrl::trusted(page)?),
            Written::Known(key) => Target::Known(key),
        })
    }
}

/// A worker of a workspace on a server.
pub struct Worker {
    folder: PathBuf,
    store: Arc<magpie_postgres::Store>,
    membership: Membership,
}

/// A crawl that a worker takes part in.
pub struct Order {
    crawl: CrewCrawl,
    options: Options,
}

impl Order {
    /// The settings of the driver, as a file.
    pub fn settings(&self) -> &str {
        &self.options.settings
    }

    /// The vertical whose objects are looked for.
    pub fn vertical(&self) -> &str {
        &self.options.vertical
    }
}

impl Worker {
    /// Joins the workers of the workspace in a folder, which stands for one on a server.
    pub fn join(folder: &Path, resolved: &Resolved) -> Result<Worker, StoreError> {
        let Some(checkout) = checkout(folder) else {
            return Err(StoreError::OneMachine {
                path: folder.to_owned(),
            });
        };
        let store = Arc::new(on_server(&checkout.server, Some(resolved))?);
        Ok(Worker {
            folder: folder.to_owned(),
            membership: Membership::rest(&store, VERSION)?,
            store,
        })
    }

    /// Waits for a crawl. Returns `None` when it is asked to stop.
    pub fn next(&self, stop: &Stop) -> Result<Option<Order>, PipelineError> {
        while !stop.is_asked() {
            if let Some(crawl) = self.store.open_now()? {
                // One of another version is refused when a worker joins, and when a driver begins.
                let options = serde_json::from_str(&crawl.options)
                    .map_err(|error| PipelineError::Order(error.to_string()))?;
                sync(&self.folder)?;
                return Ok(Some(Order { crawl, options }));
            }
            self.membership.check()?;
            std::thread::sleep(INTERVAL);
        }
        Ok(None)
    }

    /// Does the tasks of a crawl whose sites are this worker's, until the crawl is closed or the
    /// worker is asked to stop. Returns what it did.
    pub fn work(
        &self,
        order: &Order,
        options: SessionOptions,
        observer: &mut dyn Observer,
    ) -> Result<Progress, PipelineError> {
        let process = options.stop.clone();
        let stop = Stop::default();
        let session = Session::over(
            &self.folder,
            SessionOptions {
                vertical: Some(order.options.vertical.clone()),
                stop: stop.clone(),
                ..options
            },
            |_| Ok(Arc::clone(&self.store) as Arc<dyn Store>),
        )?;
        if components(&session) != order.options.components {
            return Err(PipelineError::OtherComponents {
                workspace: workspace_name(&self.folder),
            });
        }
        self.membership.work()?;
        let outcome = std::thread::scope(|scope| {
            let watch = scope.spawn(|| {
                while !stop.is_asked() {
                    // A server that is down may come back; the crawl itself finds out if not.
                    let is_open = self
                        .store
                        .open_now()
                        .map_or(true, |open| open.is_some_and(|open| open.id == order.crawl.id));
                    if process.is_asked() || !is_open {
                        stop.ask();
                    }
                    std::thread::sleep(INTERVAL);
                }
            });
            let ending = AskToStop(&stop);
            let outcome = self.do_all(order, &session, &stop, observer);
            drop(ending);
            // A panic there was printed when it happened.
            let _ = watch.join();
            outcome
        });
        session.store().flush()?;
        self.membership.pause()?;
        outcome
    }

    fn do_all(
        &self,
        order: &Order,
        session: &Session,
        stop: &Stop,
        observer: &mut dyn Observer,
    ) -> Result<Progress, PipelineError> {
        let options = &order.options;
        let mut all = Progress::default();
        while !stop.is_asked() {
            self.membership.check()?;
            let tasks = self.store.tasks(order.crawl.id, true)?;
            if tasks.is_empty() {
                std::thread::sleep(INTERVAL);
                continue;
            }
            let guide = options.guide.as_deref();
            let request = CrawlRequest {
                guide: guide.and_then(|name| guide_named(session.settings(), name)),
                is_varied: options.is_varied,
                until: options.until,
                ..CrawlRequest::new((order.crawl.run, order.crawl.began), Vec::new())
            };
            match do_tasks(session, &*self.store, order.crawl.id, &tasks, &request, observer) {
                Ok(crawled) => {
                    if crawled.progress.requests == 0 {
                        // The sites of all tasks may be on their way to another worker.
                        std::thread::sleep(INTERVAL);
                    }
                    all.absorb(crawled.progress);
                }
                // Another worker has the site now, and its tasks.
                Err(PipelineError::Store(StoreError::LeaseOver { .. }))
                | Err(PipelineError::Crawl(CrawlError::Store(StoreError::LeaseOver { .. }))) => continue,
                Err(error) => return Err(error),
            }
        }
        Ok(all)
    }

    /// Leaves, with everything committed.
    pub fn leave(self) -> Result<(), StoreError> {
        self.membership.leave()
    }
}

/// Asks to stop when it is dropped, also by a panic: a thread would watch for ever.
struct AskToStop<'s>(&'s Stop);

impl Drop for AskToStop<'_> {
    fn drop(&mut self) {
        self.0.ask();
    }
}

/// Takes note of sites that another worker has.
struct Skipped<'o> {
    sites: BTreeSet<String>,
    observer: &'o mut dyn Observer,
}

impl Observer for Skipped<'_> {
    fn observe(&mut self, event: Event<'_>) {
        if let Event::Crawl(crawl::Event::Notice {
            site: Some(site),
            notice: Notice::Leased,
        }) = event
        {
            // Its buckets were given back, and their new owner does the task.
            self.sites.insert(site.clone());
            return;
        }
        self.observer.observe(event);
    }
}
