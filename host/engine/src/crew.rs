//! Work on sites that the workers of a workspace do: the side that opens it and waits.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use magpie_rows::{Crew, CrewTask, RunId, SiteId, StoreError, UrlState};
use magpie_values::Timestamp;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::PipelineError;
use crate::checkout::sync;
use crate::crawl::{self, Ending, Joining, LinkFilters, Notice, Progress, Queries, Target};
use crate::filters::WrittenFilters;
use crate::focus::guide_named;
use crate::observer::{Event, Observer};
use crate::session::{CrawlRequest, Crawled, Session};

/// Intervals at which the other side is looked at. They grow while nothing happens.
pub(crate) struct Intervals {
    next: Duration,
    longest: Duration,
}

impl Intervals {
    pub(crate) fn up_to(longest: Duration) -> Intervals {
        let next = Duration::from_millis(100);
        Intervals { next, longest }
    }

    pub(crate) fn next(&mut self) -> Duration {
        let interval = self.next;
        self.next = (interval * 5 / 4).min(self.longest);
        interval
    }
}

/// The longest interval of a driver that waits: it counts the tasks of all sites.
const LOOK: Duration = Duration::from_secs(2);

/// Interval of figures of a crawl that others do: each costs a query over the pages of the run.
const FIGURES: Duration = Duration::from_secs(5);

/// Work on sites, with all that another process needs to do it.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Work {
    pub(crate) vertical: String,
    /// The settings of the driver, as a file.
    pub(crate) settings: String,
    /// Digests of the components that read the pages.
    pub(crate) components: BTreeSet<String>,
    /// The time of the driver's clock when it was opened.
    pub(crate) now: i64,
    pub(crate) kind: WorkKind,
}

/// The kinds of work.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum WorkKind {
    /// Crawls sites.
    Crawl(CrawlWork),
    /// Asks search forms.
    Ask { during: During, request: Value },
    /// Works on one site after the other.
    Sites(SiteWork),
    /// Compares records. Each task has the pairs of a shard of keys.
    Compare { vertical: String },
}

/// The kinds of work that needs one site at a time.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) enum SiteWork {
    /// Learns how to read pages, and reads them.
    Read,
    /// Makes the patterns of pages that were fetched for learning.
    Patterns,
    /// Makes the patterns of sites again that were learned before.
    Renew,
    /// Collects what the selection of patterns can choose from.
    Offer,
    /// Makes navigations to the selected patterns.
    Navigate,
}

/// The run that pages belong to, and its beginning.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct During {
    run: i64,
    began: i64,
}

impl From<(RunId, Timestamp)> for During {
    fn from((run, began): (RunId, Timestamp)) -> During {
        During {
            run: run.0,
            began: began.as_millis(),
        }
    }
}

impl From<During> for (RunId, Timestamp) {
    fn from(during: During) -> (RunId, Timestamp) {
        (RunId(during.run), Timestamp::from_millis(during.began))
    }
}

/// A crawl, without its targets.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct CrawlWork {
    during: During,
    guide: Option<String>,
    is_varied: bool,
    until: Option<f64>,
}

impl CrawlWork {
    /// Returns a crawl that workers can do: they have all that it is made of.
    fn of(session: &Session, request: &CrawlRequest) -> Option<CrawlWork> {
        let guide = request.guide.as_ref().map(|guide| guide.order.name().to_owned());
        let is_known = guide
            .as_ref()
            .is_none_or(|name| guide_named(session.settings(), name).is_some());
        (request.extractor.is_none() && is_known).then_some(CrawlWork {
            during: request.during().into(),
            guide,
            is_varied: request.is_varied,
            until: request.until,
        })
    }

    /// Returns the request that others have written, without targets.
    pub(crate) fn request(&self, session: &Session) -> CrawlRequest {
        let guide = self.guide.as_deref();
        CrawlRequest {
            guide: guide.and_then(|name| guide_named(session.settings(), name)),
            is_varied: self.is_varied,
            until: self.until,
            ..CrawlRequest::new(self.during.into(), Vec::new())
        }
    }
}

/// A site, and what is to be done there.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct SiteTask {
    /// Its name.
    pub(crate) key: String,
    /// The pages that a crawl begins with.
    targets: Vec<Target>,
    /// The filter of its links.
    filter: Option<String>,
    /// The number of pages that may be asked for.
    max_pages: Option<u64>,
}

impl SiteTask {
    pub(crate) fn of(task: &CrewTask) -> SiteTask {
        serde_json::from_str(&task.order).unwrap_or_default()
    }

    fn row(&self, site: SiteId) -> CrewTask {
        CrewTask {
            site,
            order: serde_json::to_string(self).unwrap_or_default(),
            is_begun: false,
        }
    }
}

/// The outcome of crawling some sites.
#[derive(Default, Serialize, Deserialize)]
struct CrawlOutcome {
    progress: Progress,
    /// The filters of the sites, as the crawl has left them.
    filters: BTreeMap<String, String>,
}

/// Returns the digests of the components of a session.
pub(crate) fn components(session: &Session) -> BTreeSet<String> {
    let plugins = session.plugins();
    plugins
        .iter()
        .map(|plugin| plugin.inspection().digest.clone())
        .collect()
}

/// Work that is open.
struct Opened<'a> {
    session: &'a Session,
    crew: &'a dyn Crew,
    job: i64,
}

/// Opens work for the workers of a workspace, and closes it after `act`. Returns `None` if there
/// are none.
fn together<T>(
    session: &Session,
    kind: WorkKind,
    tasks: impl FnOnce() -> Result<Option<Vec<CrewTask>>, PipelineError>,
    act: impl FnOnce(&Opened<'_>) -> Result<T, PipelineError>,
) -> Result<Option<T>, PipelineError> {
    let Some(crew) = session.crew() else {
        return Ok(None);
    };
    if !has_workers(crew)? {
        return Ok(None);
    }
    let Some(tasks) = tasks()?.filter(|tasks| !tasks.is_empty()) else {
        return Ok(None);
    };
    let work = Work {
        vertical: session.vertical().to_owned(),
        settings: session.settings().to_file(),
        components: components(session),
        now: session.now().as_millis(),
        kind,
    };
    // Workers read what the driver has written.
    session.store().flush()?;
    sync(session.folder())?;
    let order = serde_json::to_string(&work).unwrap_or_default();
    let opened = Opened {
        session,
        crew,
        job: crew.open_job(&order, &tasks)?,
    };
    let outcome = act(&opened);
    // Abandoned work is closed too. Otherwise the workers would continue it.
    crew.close_job(opened.job)?;
    // The driver reads what workers have written.
    sync(session.folder())?;
    outcome.map(Some)
}

fn has_workers(crew: &dyn Crew) -> Result<bool, StoreError> {
    Ok(crew.workers()?.iter().any(|row| row.is_worker && row.is_live))
}

/// An act of the driver while it waits.
enum Turn<'t> {
    /// Looks at the number of tasks that are left.
    Watch(u64),
    /// Does tasks, since all workers have left. It returns false if it was stopped.
    Work(&'t [CrewTask]),
}

impl Opened<'_> {
    /// Waits until all tasks are done. Returns the number of those that are left: none, unless it
    /// was stopped.
    fn wait(
        &self,
        mut act: impl FnMut(Turn<'_>) -> Result<bool, PipelineError>,
    ) -> Result<u64, PipelineError> {
        let mut watched: Option<Instant> = None;
        let mut intervals = Intervals::up_to(LOOK);
        loop {
            let left = self.crew.left(self.job)?;
            let is_watched = watched.is_some_and(|watched| watched.elapsed() < FIGURES);
            if left == 0 || !is_watched {
                act(Turn::Watch(left))?;
                watched = Some(Instant::now());
            }
            let is_stopped = match left == 0 || has_workers(self.crew)? {
                true => false,
                // A worker whose heartbeat is late may still have its sites.
                false => {
                    let own = self.crew.claim(self.crew.tasks(self.job, false)?)?;
                    match own.is_empty() {
                        true => false,
                        false => match act(Turn::Work(&own)) {
                            // Another has the site now. The rest is for whoever is there.
                            Err(error) if error.is_lease_over() => {
                                self.crew.give_back()?;
                                false
                            }
                            done => !done?,
                        },
                    }
                }
            };
            if left == 0 || is_stopped || self.session.wait(intervals.next()) {
                return Ok(left);
            }
        }
    }

    fn outcomes<T: DeserializeOwned>(&self) -> Result<Vec<T>, StoreError> {
        let outcomes = self.crew.outcomes(self.job)?;
        // Processes of other versions are refused.
        let read = |text: &String| serde_json::from_str(text).ok();
        Ok(outcomes.iter().filter_map(read).collect())
    }

    /// The figures of a crawl that others do.
    fn figures(&self, request: &CrawlRequest, left: u64, elapsed: Duration) -> Result<Progress, StoreError> {
        let session = self.session;
        let mut progress = Progress::default();
        for outcome in self.outcomes::<CrawlOutcome>()? {
            progress.absorb(outcome.progress);
        }
        if left > 0 {
            let (run, began) = request.during();
            let totals = session
                .store()
                .run_totals(session.vertical(), &[run], (began, session.now()))?;
            progress.pages = progress.pages.max(totals.pages);
            progress.bytes = progress.bytes.max(totals.bytes);
            progress.objects = progress.objects.max(totals.records);
        }
        progress.queued = session.store().url_counts(None)?.of(UrlState::Queued);
        progress.sites_waiting = left;
        progress.elapsed = elapsed;
        Ok(progress)
    }
}

/// Has the workers of the workspace work on sites, or does it `here` if there are none. `here`
/// returns `None` if it was stopped. Returns what came of the parts of the work.
pub(crate) fn share<T: Serialize + DeserializeOwned>(
    session: &Session,
    kind: WorkKind,
    sites: &[(SiteId, String)],
    mut here: impl FnMut(&[(SiteId, String)]) -> Result<Option<T>, PipelineError>,
) -> Result<Option<Vec<T>>, PipelineError> {
    let tasks = || {
        let task = |(site, key): &(SiteId, String)| {
            let task = SiteTask {
                key: key.clone(),
                ..SiteTask::default()
            };
            task.row(*site)
        };
        sites.iter().map(task).collect()
    };
    let shared = share_tasks(session, kind, tasks, |tasks| {
        let sites = tasks.iter().map(|task| (task.site, SiteTask::of(task).key));
        here(&sites.collect::<Vec<_>>())
    })?;
    match shared {
        Some(outcomes) => Ok(outcomes),
        None => Ok(here(sites)?.map(|outcome| vec![outcome])),
    }
}

/// Has the workers of the workspace do tasks, and does `here` what is left when they have all left.
/// Returns `None` if there are none, and no outcomes if it was stopped.
#[expect(clippy::option_option, reason = "two reasons to have nothing")]
pub(crate) fn share_tasks<T: Serialize + DeserializeOwned>(
    session: &Session,
    kind: WorkKind,
    tasks: impl FnOnce() -> Vec<CrewTask>,
    mut here: impl FnMut(&[CrewTask]) -> Result<Option<T>, PipelineError>,
) -> Result<Option<Option<Vec<T>>>, PipelineError> {
    together(
        session,
        kind,
        || Ok(Some(tasks())),
        |opened| {
            let left = opened.wait(|turn| {
                let Turn::Work(own) = turn else { return Ok(true) };
                let outcome = here(own)?;
                if let Some(outcome) = &outcome {
                    let sites = own.iter().map(|task| task.site);
                    end(opened.crew, opened.job, sites, outcome)?;
                }
                Ok(outcome.is_some())
            })?;
            match left {
                0 => opened.outcomes().map(Some).map_err(PipelineError::from),
                _ => Ok(None),
            }
        },
    )
}

/// Marks tasks as done.
pub(crate) fn end(
    crew: &dyn Crew,
    job: i64,
    sites: impl Iterator<Item = SiteId>,
    outcome: &impl Serialize,
) -> Result<(), StoreError> {
    let outcome = serde_json::to_string(outcome).unwrap_or_default();
    crew.end_tasks(job, &sites.collect::<Vec<_>>(), &outcome)
}

/// Has a crawl done by the workers of the workspace. Returns `None` if there are none, or they
/// can't do it.
pub(crate) fn crawl_together(
    session: &Session,
    request: &CrawlRequest,
    observer: &mut dyn Observer,
) -> Result<Option<Crawled>, PipelineError> {
    let Some(work) = CrawlWork::of(session, request) else {
        return Ok(None);
    };
    let crawled = together(
        session,
        WorkKind::Crawl(work),
        || tasks_of(session, request),
        |opened| {
            let begin = Instant::now();
            let left = opened.wait(|turn| match turn {
                Turn::Watch(left) => {
                    let progress = opened.figures(request, left, begin.elapsed())?;
                    observer.observe(Event::Crawl(&crawl::Event::Progress(Box::new(progress))));
                    Ok(true)
                }
                Turn::Work(tasks) => {
                    let job = (opened.crew, opened.job);
                    let mut none = || Ok(Vec::new());
                    Ok(!crawl_tasks(session, job, tasks, &mut none, request, observer)?.was_stopped())
                }
            })?;
            if let Some(filters) = &request.filters {
                for outcome in opened.outcomes::<CrawlOutcome>()? {
                    let of_sites = outcome.filters.iter();
                    of_sites.for_each(|(site, written)| filters.take_back(site, written));
                }
            }
            Ok(Crawled {
                ending: match left {
                    0 => Ending::Finished,
                    _ => Ending::Stopped,
                },
                progress: opened.figures(request, left, begin.elapsed())?,
            })
        },
    )?;
    if crawled.is_some() {
        observer.observe(Event::CrawlEnded);
    }
    Ok(crawled)
}

/// Returns a task for each site of a crawl, or `None` if other processes can't use its filters.
fn tasks_of(session: &Session, request: &CrawlRequest) -> Result<Option<Vec<CrewTask>>, PipelineError> {
    let mut by_site: BTreeMap<String, Vec<Target>> = BTreeMap::new();
    for target in &request.targets {
        let key = match target {
            Target::From(page) | Target::Host(page) => session.site_key(page),
            Target::Known(key) => key.clone(),
        };
        by_site.entry(key).or_default().push(target.clone());
    }
    let mut tasks = Vec::new();
    let (mut left, mut sites) = (request.max_pages, by_site.len() as u64);
    for (key, targets) in by_site {
        let site = session.store().site(&key)?;
        let mut filter = None;
        if let Some(filters) = &request.filters {
            filter = filters.written(&key);
            if filter.is_none() {
                return Ok(None);
            }
        }
        let max_pages = match &mut left {
            None => None,
            Some(left) => {
                // Each has what is planned there, and a share of what is left for new pages.
                let queued = session.store().url_counts(Some(site))?.of(UrlState::Queued);
                let planned = queued + targets.len() as u64;
                let share = planned.max(*left / sites).min(*left);
                *left -= share;
                sites -= 1;
                Some(share)
            }
        };
        let task = SiteTask {
            key,
            targets,
            filter,
            max_pages,
        };
        tasks.push(task.row(site));
    }
    Ok(Some(tasks))
}

/// Crawls the sites of tasks in this process, but for sites that another process has. `more`
/// returns tasks that have come since it was called last, whose sites join the crawl.
pub(crate) fn crawl_tasks(
    session: &Session,
    (crew, job): (&dyn Crew, i64),
    tasks: &[CrewTask],
    more: &mut (dyn FnMut() -> Result<Vec<CrewTask>, StoreError> + Send),
    request: &CrawlRequest,
    observer: &mut dyn Observer,
) -> Result<Crawled, PipelineError> {
    let skipped = Mutex::default();
    let mut crawling = Crawling {
        crew,
        job,
        more,
        orders: BTreeMap::new(),
        filters: Arc::default(),
        skipped: &skipped,
    };
    let Joining { targets, max_pages } = crawling.begin(tasks)?;
    let has_filters = crawling.orders.values().any(|order| order.filter.is_some());
    let request = CrawlRequest {
        targets,
        filters: has_filters.then(|| Arc::clone(&crawling.filters) as Arc<dyn LinkFilters>),
        max_pages,
        ..request.clone()
    };
    let mut observer = Skipping {
        skipped: &skipped,
        observer,
    };
    let crawled = session.crawl_here(request, Some(&mut crawling), &mut observer)?;
    if !crawled.was_stopped() {
        let skipped = sites_of(&skipped);
        let Crawling {
            mut orders, filters, ..
        } = crawling;
        orders.retain(|_, order| !skipped.contains(&order.key));
        let written = orders.values().filter_map(|order| {
            let filter = filters.written(&order.key)?;
            Some((order.key.clone(), filter))
        });
        let outcome = CrawlOutcome {
            progress: crawled.progress.clone(),
            filters: written.collect(),
        };
        end(crew, job, orders.keys().copied(), &outcome)?;
    }
    Ok(crawled)
}

/// Tasks whose sites are crawled together.
struct Crawling<'a> {
    crew: &'a dyn Crew,
    job: i64,
    more: &'a mut (dyn FnMut() -> Result<Vec<CrewTask>, StoreError> + Send),
    orders: BTreeMap<SiteId, SiteTask>,
    filters: Arc<WrittenFilters>,
    skipped: &'a Mutex<BTreeSet<String>>,
}

impl Crawling<'_> {
    /// Marks tasks as begun, but for those whose sites are crawled already.
    fn begin(&mut self, tasks: &[CrewTask]) -> Result<Joining, StoreError> {
        let mut joining = Joining {
            targets: Vec::new(),
            max_pages: Some(0),
        };
        let mut begun = Vec::new();
        for task in tasks {
            let order = SiteTask::of(task);
            // A skipped one had been given to another process, and has come back.
            let is_skipped = sites_of(self.skipped).remove(&order.key);
            if self.orders.contains_key(&task.site) && !is_skipped {
                continue;
            }
            if let Some(filter) = &order.filter {
                let read = self.filters.add(&order.key, filter, task.is_begun);
                read.map_err(|error| StoreError::Disagreement {
                    detail: format!("the task of the site {} can't be read: {error}", order.key),
                })?;
            }
            joining.targets.extend(order.targets.iter().cloned());
            joining.max_pages = joining.max_pages.zip(order.max_pages).map(|(all, own)| all + own);
            if !task.is_begun {
                begun.push(task.site);
            }
            self.orders.insert(task.site, order);
        }
        if !begun.is_empty() {
            self.crew.begin_tasks(self.job, &begun)?;
        }
        Ok(joining)
    }
}

impl Queries for Crawling<'_> {
    fn next(&mut self) -> Result<Vec<Target>, StoreError> {
        Ok(Vec::new())
    }

    fn join(&mut self) -> Result<Joining, StoreError> {
        let tasks = (self.more)()?;
        self.begin(&tasks)
    }
}

fn sites_of(skipped: &Mutex<BTreeSet<String>>) -> MutexGuard<'_, BTreeSet<String>> {
    skipped.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes note of sites that another process has.
struct Skipping<'o> {
    skipped: &'o Mutex<BTreeSet<String>>,
    observer: &'o mut dyn Observer,
}

impl Observer for Skipping<'_> {
    fn observe(&mut self, event: Event<'_>) {
        if let Event::Crawl(crawl::Event::Notice {
            site: Some(site),
            notice: Notice::Leased,
        }) = event
        {
            // Its buckets were given back, and their new owner does the task.
            sites_of(self.skipped).insert(site.clone());
            return;
        }
        self.observer.observe(event);
    }
}
