//! A worker: a process that does a share of the work in a workspace on a server.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread::sleep;
use std::time::{Duration, Instant};

use magpie_postgres::Membership;
use magpie_rows::{Crew, CrewTask, SiteId, Store, StoreError};
use magpie_values::Timestamp;

use crate::checkout::{checkout, sync, workspace_name};
use crate::comparing::compare_tasks;
use crate::crawl::Progress;
use crate::crew::{Intervals, SiteTask, SiteWork, Work, WorkKind, components, crawl_tasks, end};
use crate::learn::{SitesNavigated, read_sites};
use crate::observer::Observer;
use crate::opened::{VERSION, on_server};
use crate::session::{Session, SessionOptions, Stop};
use crate::site::Snapshots;
use crate::surface::ask_sites;
use crate::{Clock, PipelineError, Resolved};

/// Sites that are worked on before the outcome is written. A worker that is killed loses these, and
/// what it knows of them is in its memory.
const SITES: usize = 16;

/// Shards of keys whose pairs are compared before the outcome is written.
const SHARDS: usize = 8;
/// The longest interval at which a worker looks for work, and at which it finds out that its work
/// was closed.
const LOOK: Duration = Duration::from_secs(1);

/// Interval at which it finds out that it is asked to stop.
const GLANCE: Duration = Duration::from_millis(100);

/// A worker of a workspace on a server.
pub struct Worker {
    folder: PathBuf,
    store: Arc<magpie_postgres::Store>,
    membership: Membership,
}

/// Work that a worker takes part in.
pub struct Order {
    job: i64,
    work: Work,
    clock: Clock,
}

impl Order {
    /// The settings of the driver, as a file.
    pub fn settings(&self) -> &str {
        &self.work.settings
    }

    /// The vertical whose objects are looked for.
    pub fn vertical(&self) -> &str {
        &self.work.vertical
    }

    /// Names the work.
    pub fn what(&self) -> &'static str {
        match self.work.kind {
            WorkKind::Crawl(_) => "a crawl",
            WorkKind::Ask { .. } => "asking search forms",
            WorkKind::Compare { .. } => "comparing records",
            WorkKind::Sites(SiteWork::Read) => "reading pages",
            WorkKind::Sites(SiteWork::Patterns | SiteWork::Renew) => "making patterns",
            WorkKind::Sites(SiteWork::Offer) => "selecting patterns",
            WorkKind::Sites(SiteWork::Navigate) => "making navigations",
        }
    }
}

impl Worker {
    /// Joins the workers of a workspace on a server, by the folder with its files.
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

    /// Waits for work. Returns `None` when it is asked to stop.
    pub fn next(&self, stop: &Stop) -> Result<Option<Order>, PipelineError> {
        let mut intervals = Intervals::up_to(LOOK);
        while !stop.is_asked() {
            if let Some(job) = self.store.open_now()? {
                // One of another version is refused when a worker joins, and when a driver begins.
                let work: Work = serde_json::from_str(&job.order)
                    .map_err(|error| PipelineError::Order(error.to_string()))?;
                sync(&self.folder)?;
                // Clocks of machines may differ by days. All that is done together has the time of
                // the driver, so that what is new or due is the same everywhere.
                let clock = Clock::default();
                clock.set(Timestamp::from_millis(work.now) + job.age);
                let job = job.id;
                return Ok(Some(Order { job, work, clock }));
            }
            self.membership.check()?;
            sleep(intervals.next());
        }
        Ok(None)
    }

    /// Returns true if work is open. A server that is down may come back; the work itself finds out
    /// if not.
    fn is_open(&self, order: &Order) -> bool {
        let open = self.store.open_now();
        open.map_or(true, |open| open.is_some_and(|open| open.id == order.job))
    }

    /// Does the tasks whose sites are this worker's, until the work is closed or the worker is
    /// asked to stop. Returns what it fetched.
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
                vertical: Some(order.work.vertical.clone()),
                stop: stop.clone(),
                clock: order.clock.clone(),
                ..options
            },
            |_| Ok(Arc::clone(&self.store) as Arc<dyn Store>),
        )?
        .of_worker();
        if components(&session) != order.work.components {
            return Err(PipelineError::OtherComponents {
                workspace: workspace_name(&self.folder),
            });
        }
        self.membership.work()?;
        let outcome = std::thread::scope(|scope| {
            // It is dropped when the work ends, also by a panic.
            let (_working, ended) = channel::<()>();
            let stop = &stop;
            scope.spawn(move || {
                let mut looked = Instant::now();
                while ended.recv_timeout(GLANCE) == Err(RecvTimeoutError::Timeout) {
                    let is_due = looked.elapsed() >= LOOK;
                    if process.is_asked() || is_due && !self.is_open(order) {
                        stop.ask();
                    }
                    if is_due {
                        looked = Instant::now();
                    }
                }
            });
            self.do_all(order, &session, stop, observer)
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
        let mut all = Progress::default();
        let mut snapshots = Snapshots::default();
        let mut tasks = OwnTasks {
            store: &self.store,
            job: order.job,
            claims: None,
        };
        let mut intervals = Intervals::up_to(LOOK);
        while !stop.is_asked() {
            self.membership.check()?;
            let found = tasks.found()?;
            if found.is_empty() {
                sleep(intervals.next());
                if !self.is_open(order) {
                    break;
                }
                continue;
            }
            match self.do_tasks(order, session, (&found, &mut tasks), &mut snapshots, observer) {
                Ok(progress) => {
                    match progress.requests {
                        // The sites of all tasks may be on their way to another worker.
                        0 => sleep(intervals.next()),
                        _ => intervals = Intervals::up_to(LOOK),
                    }
                    all.absorb(progress);
                }
                // Another worker has the site now, and its tasks.
                Err(error) if error.is_lease_over() => {}
                Err(error) => return Err(error),
            }
            tasks.claims = None;
        }
        Ok(all)
    }

    fn do_tasks(
        &self,
        order: &Order,
        session: &Session,
        (tasks, later): (&[CrewTask], &mut OwnTasks<'_>),
        snapshots: &mut Snapshots,
        observer: &mut dyn Observer,
    ) -> Result<Progress, PipelineError> {
        let site = |task: &CrewTask| (task.site, SiteTask::of(task).key);
        match &order.work.kind {
            WorkKind::Crawl(crawl) => {
                let (job, request) = ((&*self.store as &dyn Crew, order.job), crawl.request(session));
                let mut more = || later.found();
                return Ok(crawl_tasks(session, job, tasks, &mut more, &request, observer)?.progress);
            }
            // The templates of all sites are asked in turns.
            WorkKind::Ask { during, request } => {
                let request = serde_json::from_value(request.clone())
                    .map_err(|error| PipelineError::Order(error.to_string()))?;
                let sites: Vec<_> = tasks.iter().map(site).collect();
                let asked = ask_sites(session, &sites, &request, (*during).into(), observer)?;
                if let Some(asked) = asked {
                    let sites: Vec<_> = tasks.iter().map(|task| task.site).collect();
                    self.end(order, &sites, &asked)?;
                }
            }
            WorkKind::Compare { vertical } => {
                for tasks in tasks.chunks(SHARDS).take_while(|_| !session.is_stopping()) {
                    let compared = compare_tasks(&session.plugins(), vertical, tasks)?;
                    let shards: Vec<_> = tasks.iter().map(|task| task.site).collect();
                    self.end(order, &shards, &compared)?;
                }
            }
            WorkKind::Sites(work) => {
                for tasks in tasks.chunks(SITES).take_while(|_| !session.is_stopping()) {
                    let sites: Vec<_> = tasks.iter().map(site).collect();
                    let done: Vec<_> = tasks.iter().map(|task| task.site).collect();
                    let collection = session.collection();
                    match work {
                        SiteWork::Read => self.end(order, &done, &read_sites(session, &sites)?)?,
                        SiteWork::Patterns | SiteWork::Renew => {
                            let forgets = matches!(work, SiteWork::Patterns);
                            let made = collection.site_patterns(&sites, forgets, snapshots)?;
                            self.end(order, &done, &made)?;
                        }
                        SiteWork::Offer => {
                            let offers = collection.site_offers(&sites, snapshots)?;
                            self.end(order, &done, &offers)?;
                        }
                        SiteWork::Navigate => {
                            let made = collection.find_navigations(&sites, snapshots)?;
                            self.end(order, &done, &SitesNavigated::of(made, session.folder()))?;
                        }
                    }
                    snapshots.drop_pages();
                }
            }
        }
        Ok(Progress::default())
    }

    fn end(
        &self,
        order: &Order,
        sites: &[SiteId],
        outcome: &impl serde::Serialize,
    ) -> Result<(), PipelineError> {
        // Files that it wrote are on the server before the task counts as done.
        sync(&self.folder)?;
        Ok(end(&*self.store, order.job, sites.iter().copied(), outcome)?)
    }

    /// Leaves, with everything committed.
    pub fn leave(self) -> Result<(), StoreError> {
        self.membership.leave()
    }
}

/// The tasks of work whose sites are a worker's.
struct OwnTasks<'w> {
    store: &'w magpie_postgres::Store,
    job: i64,
    /// The number of buckets that the worker had leased when it looked last.
    claims: Option<u64>,
}

impl OwnTasks<'_> {
    /// Returns the tasks that are open, or none if no bucket was leased since they were returned.
    fn found(&mut self) -> Result<Vec<CrewTask>, StoreError> {
        let claims = self.store.buckets().claims();
        match self.claims.replace(claims) == Some(claims) {
            true => Ok(Vec::new()),
            false => self.store.tasks(self.job, true),
        }
    }
}
