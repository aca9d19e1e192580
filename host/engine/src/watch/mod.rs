//! Watching: recrawling without end, on a budget.
//!
//! A watch is one [`cycle`] after the other. Nothing of one is needed for the next but what the
//! workspace keeps, so the process may end between or within any two.

mod alerts;
mod health;
mod plan;

use std::collections::BTreeMap;
use std::time::Duration;

use magpie_rows::{RoundState, RunId, RunKind};
use magpie_values::Timestamp;

use crate::PipelineError;
use crate::observer::Observer;
use crate::recrawl::{MIN_REPAIR_PAGES, RecrawlOutcome, Repaired, Round, Steps};
use crate::session::Session;
use crate::settings::Budget;
use crate::site::Snapshots;
use crate::surface::RoundQueries;

pub use alerts::log_alerts;
pub use health::{CycleLine, Health, metrics, read_health};
pub use plan::{Allowance, Due, Forecast, Purpose, ScheduledVisit, WatchPlan, Watched, WatchedSite};

/// A run is ended and another begun after this time: each has its own files in the archive.
const RUN_LENGTH: Duration = Duration::from_secs(86_400);

/// The repair of a site may take this share of a period's budget in advance.
const REPAIR_SHARE: f64 = 0.1;

/// The outcome of a cycle.
#[derive(Debug)]
pub struct Cycle {
    /// When it began.
    pub at: Timestamp,
    /// The budget that it kept to.
    pub budget: Budget,
    /// Pages that were picked, by purpose.
    pub picked: Picked,
    /// Watched pages.
    pub watched: usize,
    /// Watched sites.
    pub sites: usize,
    /// The numbers of objects that were current when it began, and of those that had expired.
    pub objects: (u64, u64),
    /// Pages that were fetched, and those of them that failed.
    pub pages: u64,
    /// Fetches that failed.
    pub failures: u64,
    /// Objects that were not known before it began.
    pub new_objects: u64,
    /// Pages of unknown kinds that were fetched.
    pub explored: u64,
    /// Sites that were learned again.
    pub repaired: Vec<Repaired>,
    /// Requests that the budget allows now.
    pub left: u64,
    /// The time until a page may be asked for; none if never.
    pub wait: Option<Duration>,
    /// When the next page is due; none if none ever is.
    pub next_due: Option<Timestamp>,
    /// Pages that are due and wait for the budget of their site.
    pub held: usize,
    /// The freshness that the budget reaches.
    pub forecast: Forecast,
    /// Sites that are left out, with the cause.
    pub left_out: Vec<String>,
    /// Sites that did not answer, with their state.
    pub unanswered: Vec<(String, RoundState)>,
    /// Sites that had a round, with its state.
    pub rounds: Vec<(String, RoundState)>,
    /// Sites of which no page was visited for longer than `watch.max_gap`, with the last visit.
    pub overdue: Vec<(String, Timestamp)>,
    /// It was stopped before it was through.
    pub was_stopped: bool,
}

/// Numbers of picked pages by purpose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Picked {
    /// Lists that are read for new pages.
    pub lists: usize,
    /// Known pages.
    pub known: usize,
    /// Pages that were never fetched.
    pub new: usize,
}

impl Picked {
    /// The number of all picked pages.
    pub fn all(self) -> usize {
        self.lists + self.known + self.new
    }
}

/// Fetches what is due and paid for.
pub fn cycle(session: &Session, budget: Budget, observer: &mut dyn Observer) -> Result<Cycle, PipelineError> {
    cycle_of(session, budget, None, observer)
}

/// Visits the list pages of a site and its new pages now, due or not, as far as the budget goes.
pub fn visit(
    session: &Session,
    budget: Budget,
    site: &str,
    observer: &mut dyn Observer,
) -> Result<Cycle, PipelineError> {
    cycle_of(session, budget, Some(site), observer)
}

fn cycle_of(
    session: &Session,
    budget: Budget,
    site: Option<&str>,
    observer: &mut dyn Observer,
) -> Result<Cycle, PipelineError> {
    let at = session.now();
    let collection = session.collection_at(at);
    let watch_plan = collection.view().watch_plan(&budget)?;
    let due = watch_plan.due(watch_plan.allowance.pages());
    let picks = match site {
        None => due.picks,
        Some(site) => watch_plan.visits_of(site, watch_plan.allowance.pages()),
    };
    let mut cycle = Cycle {
        at,
        budget,
        picked: by_purpose(&watch_plan, &picks),
        watched: watch_plan.pages.len(),
        sites: watch_plan.sites.len(),
        objects: watch_plan.objects,
        pages: 0,
        failures: 0,
        new_objects: 0,
        explored: 0,
        repaired: Vec::new(),
        left: watch_plan.allowance.pages(),
        wait: watch_plan.allowance.wait(),
        next_due: due.next,
        held: due.held,
        forecast: watch_plan.forecast(1.0),
        left_out: watch_plan.problems.clone(),
        unanswered: Vec::new(),
        rounds: Vec::new(),
        overdue: overdue(&watch_plan, session.settings().settings.watch.max_gap),
        was_stopped: false,
    };
    let queries = RoundQueries::read(session, &watch_plan.searched(), Some(at))?;
    cycle.next_due = sooner(cycle.next_due, queries.next);
    // An idle cycle begins no run, since nothing would belong to it.
    if picks.is_empty() && (queries.is_empty() || cycle.left == 0) {
        return Ok(cycle);
    }
    let run = run_of_day(session, at)?;
    let plan = collection.plan_cycle(&watch_plan, &picks)?;
    let in_advance = (budget.amount / watch_plan.allowance.page * REPAIR_SHARE) as u64;
    let round = Round {
        session,
        run,
        began: at,
        max_pages: Some(watch_plan.allowance.pages()),
        max_repair_pages: Some(in_advance.max(MIN_REPAIR_PAGES)),
    };
    // The plan has the pages of all sites in memory, and the round reads them again.
    drop(watch_plan);
    match round.execute(&plan, Steps::begin(), &mut Snapshots::default(), observer)? {
        Some(outcome) => {
            cycle.add(&outcome);
            // An object that is new at several sites is one.
            let window = (at, Timestamp::MAX);
            cycle.new_objects = session.store().new_objects(session.vertical(), window)?;
        }
        None => cycle.was_stopped = true,
    }
    session.prune_archive(observer);
    cycle.count_left(session)?;
    if !cycle.was_stopped {
        // The fetches of this cycle have changed when pages are due.
        let watch_plan = session.collection().view().watch_plan(&budget)?;
        let queries = RoundQueries::read(session, &watch_plan.searched(), Some(session.now()))?;
        cycle.next_due = sooner(watch_plan.due(0).next, queries.next);
    }
    Ok(cycle)
}

fn sooner(one: Option<Timestamp>, other: Option<Timestamp>) -> Option<Timestamp> {
    one.into_iter().chain(other).min()
}

/// Continues the run of this day, or begins one.
fn run_of_day(session: &Session, now: Timestamp) -> Result<RunId, PipelineError> {
    let (run, began) = session.begin_run(RunKind::Watch)?;
    if (now - RUN_LENGTH..=now).contains(&began) {
        return Ok(run);
    }
    // A run from the future, as a clock that has stepped back leaves it, is ended as well: it would
    // last until the clock has caught up.
    session.end_run(run)?;
    Ok(session.begin_run(RunKind::Watch)?.0)
}

/// Returns the sites whose last visit is longer ago than `max_gap`.
fn overdue(watch_plan: &WatchPlan, max_gap: Duration) -> Vec<(String, Timestamp)> {
    let mut last: BTreeMap<usize, Timestamp> = BTreeMap::new();
    for page in &watch_plan.pages {
        if let Some(visited_at) = page.last {
            let newest = last.entry(page.site).or_insert(visited_at);
            *newest = visited_at.max(*newest);
        }
    }
    let late = last
        .into_iter()
        .filter(|(_, visited_at)| watch_plan.now.since(*visited_at) > max_gap);
    late.map(|(site, visited_at)| (watch_plan.sites[site].key.clone(), visited_at))
        .collect()
}

fn by_purpose(watch_plan: &WatchPlan, picks: &[ScheduledVisit]) -> Picked {
    let of = |purpose| {
        let is = |pick: &&ScheduledVisit| watch_plan.pages[pick.page].purpose == purpose;
        picks.iter().filter(is).count()
    };
    Picked {
        lists: of(Purpose::News),
        known: of(Purpose::Objects),
        new: of(Purpose::New),
    }
}

impl Cycle {
    fn add(&mut self, outcome: &RecrawlOutcome) {
        let rounds = || outcome.recorded.sites.iter().map(|site| &site.round);
        self.pages = rounds().map(|round| round.pages).sum();
        self.failures = rounds().map(|round| round.failures).sum();
        self.explored = outcome.explored;
        self.repaired.clone_from(&outcome.repaired);
        let silent = outcome
            .recorded
            .sites
            .iter()
            .filter(|site| !site.round.state.has_answered());
        self.unanswered = silent.map(|site| (site.key.clone(), site.round.state)).collect();
        let sites = outcome.recorded.sites.iter();
        self.rounds = sites.map(|site| (site.key.clone(), site.round.state)).collect();
    }

    /// Returns `true` if a page is due for which the budget has no room.
    pub(crate) fn is_spent(&self) -> bool {
        self.left == 0 && self.next_due.is_some_and(|due| due <= self.at)
    }

    /// Counts what is left of the budget.
    fn count_left(&mut self, session: &Session) -> Result<(), PipelineError> {
        let at = session.now();
        let since = Allowance::since(&self.budget, at);
        let spent = session.store().spent(RunKind::Watch, since)?;
        let bytes = spent.iter().map(|spent| spent.bytes).sum::<u64>() as f64 / spent.len().max(1) as f64;
        let allowance = Allowance::of(&self.budget, &spent, bytes, at);
        (self.left, self.wait) = (allowance.pages(), allowance.wait());
        Ok(())
    }
}
