//! Recrawls: what is new and what is due, and nothing else.
//!
//! [`recrawl`] plans a round, crawls the plan, clusters the new records, records how each site did,
//! and repairs the sites that no longer yield what they did.

mod account;
mod coverage;
mod dry;
mod explore;
mod levels;
mod lists;
mod outdated;
mod plan;
mod record;
mod repair;

use std::sync::Arc;
use std::time::{Duration, Instant};

use magpie_patterns::drift::Relearn;
use magpie_rows::{RoundMethod, RoundState, RunId, RunKind, SiteId};
use magpie_values::Timestamp;

use crate::PipelineError;
use crate::crawl::{LinkFilters, Target};
use crate::crew::{SiteWork, WorkKind, share};
use crate::filters::{New, OnlyNew};
use crate::learn::{PatternsMade, RecordsClustered};
use crate::observer::{Event, Observer, observe_kept};
use crate::rendering_rules::{Occasion, learn_ways};
use crate::session::{CrawlRequest, Crawled, Session};
use crate::settings::Resolved;
use crate::site::Snapshots;
use crate::surface::{RoundQueries, ask_again};

pub(crate) use plan::{NO_RUN, is_over, named_pages};

pub use account::{Account, Alarmed, KeptUp, RepairedSite, Step, UnknownPages};
pub use coverage::CoverageFall;
pub use dry::DriedUp;
pub use explore::Exploration;
pub use lists::{ListCurve, ListWorth};
use outdated::queue_outdated;
pub use plan::{Method, Plan, PlannedSite};
pub use record::{Recorded, SiteOutcome};

/// A repair fetches at most 1/10 of the site's known pages, and one of folders no more than these
/// had. Most sites find their lists again with that, and an endless site would take all its pages
/// once more without a limit.
const REPAIR_SHARE: usize = 10;

/// Minimum pages of a repair. Fewer are not enough to learn from.
pub(crate) const MIN_REPAIR_PAGES: u64 = 50;

/// Rounds whose surplus is part of the promise of the next.
const PROMISE_ROUNDS: usize = 5;

/// Figures of a finished recrawl, and what changed at each site.
#[derive(Debug)]
pub struct RecrawlOutcome {
    /// The run that its pages belong to.
    pub run: RunId,
    /// The method that chose its pages.
    pub method: RoundMethod,
    /// The outcome at each site.
    pub recorded: Recorded,
    /// The crawl of the plan.
    pub crawled: Crawled,
    /// Pages that all sites were known to have.
    pub known: usize,
    /// Pages that it was to fetch, by a dry walk before it began and by the surplus of earlier
    /// rounds.
    pub promised: u64,
    /// Maximum number of pages it could fetch, including new pages; `None` without a ceiling.
    pub most: Option<u64>,
    /// Pages of the dry walk alone.
    pub walked: u64,
    /// Pages that it fetched, without those of repairs.
    pub fetched: u64,
    /// Pages that the next round fetches, as of its end.
    pub next: Option<u64>,
    /// Pages of unknown kinds that were fetched.
    pub explored: u64,
    /// Sites that were learned again.
    pub repaired: Vec<Repaired>,
    /// The reasons for which sites were left out.
    pub left_out: Vec<String>,
    /// Pages that were to be asked for.
    pub planned: usize,
    /// The steps, in their order, with the seconds that each took.
    pub steps: Vec<(StepOutcome, f64)>,
    /// The number of times that a site was read from the workspace after the crawl of the plan.
    pub site_reads: u64,
}

/// A site that was learned again.
#[derive(Clone, Debug, serde::Serialize, schemars::JsonSchema)]
pub struct Repaired {
    /// Key of the site.
    pub site: String,
    /// The folders that were learned again; none for the whole site.
    pub folders: Vec<String>,
    /// Number of pages that the repair fetched.
    pub pages: u64,
    /// True if the repair found no object; then the site keeps what it had learned before.
    pub in_vain: bool,
}

/// The outcome of a step of a recrawl.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StepOutcome {
    /// The planned pages.
    Plan {
        /// The number of sites.
        sites: usize,
        /// Pages that are read for their links.
        hubs: usize,
        /// Pages that are due.
        due: usize,
        /// Pages that were never fetched.
        unseen: usize,
        /// Lists that are not read, because others show their objects.
        #[serde(default)]
        resting: usize,
        /// Pages that are due and wait for a later round.
        #[serde(default)]
        waiting: usize,
        /// Pages that are known of the sites.
        known: usize,
        /// Pages that the round promises to fetch.
        promised: u64,
        /// Maximum number of pages it may fetch, including new pages; `None` without a ceiling.
        #[serde(default)]
        most: Option<u64>,
    },
    /// The fetched pages.
    Crawl {
        /// The number of fetched pages.
        pages: u64,
        /// Bytes over the wire.
        bytes: u64,
        /// Records on the pages.
        records: u64,
    },
    /// The searches that were asked for objects that no link leads to.
    Ask {
        /// The number of queries.
        queries: u64,
        /// Pages, with those of objects.
        pages: u64,
    },
    /// The clustered records.
    Cluster(RecordsClustered),
    /// Known pages that were fetched because lists showed their objects otherwise, or no longer.
    Check {
        /// The number of fetched pages.
        pages: u64,
    },
    /// The numbers of sites by outcome.
    Record {
        /// The number of sites.
        sites: usize,
        /// Sites with new objects.
        with_new_objects: usize,
        /// Sites with an alarm.
        with_alarms: usize,
        /// Sites with links to unknown kinds of pages.
        with_unknown_pages: usize,
    },
    /// Pages of unknown kinds that were fetched.
    Explore {
        /// The number of fetched pages.
        pages: u64,
    },
    /// A site that was crawled again.
    Repair {
        /// Its key.
        site: String,
        /// Its folders that were crawled again; none for all of it.
        #[serde(default)]
        folders: Vec<String>,
        /// The number of fetched pages.
        pages: u64,
    },
    /// Patterns and navigations of sites that were made again.
    Relearn {
        /// The number of sites.
        sites: usize,
    },
}

impl StepOutcome {
    /// The name of the step.
    pub fn name(&self) -> &'static str {
        match self {
            StepOutcome::Plan { .. } => "plan",
            StepOutcome::Crawl { .. } => "crawl",
            StepOutcome::Ask { .. } => "ask",
            StepOutcome::Cluster(_) => "cluster",
            StepOutcome::Check { .. } => "check",
            StepOutcome::Record { .. } => "record",
            StepOutcome::Explore { .. } => "explore",
            StepOutcome::Repair { .. } => "repair",
            StepOutcome::Relearn { .. } => "learn again",
        }
    }
}

/// Steps that are done, with their times.
#[derive(Debug)]
pub(crate) struct Steps {
    began: Instant,
    done: Vec<(StepOutcome, f64)>,
}

impl Steps {
    pub(crate) fn begin() -> Steps {
        Steps {
            began: Instant::now(),
            done: Vec::new(),
        }
    }

    fn push(&mut self, outcome: StepOutcome) {
        self.done.push((outcome, self.began.elapsed().as_secs_f64()));
        self.began = Instant::now();
    }
}

/// Returns settings for recrawls: what a site answers for pages that are not there is known from
/// what was learned.
pub fn recrawl_settings(mut settings: Resolved) -> Resolved {
    settings.change_all(|settings| settings.traps.soft_404 = false);
    settings
}

/// Recrawls all sites once. Returns `None` if it was stopped; the next call continues.
pub fn recrawl(
    session: &Session,
    method: Method,
    observer: &mut dyn Observer,
) -> Result<Option<RecrawlOutcome>, PipelineError> {
    // A run that is begun here would continue once something is learned, and take for new what was
    // found in between.
    if session.store().learned_sites(session.vertical())?.is_empty() {
        return Err(nothing_learned(session));
    }
    check_time(session)?;
    let (run, began) = session.begin_run(RunKind::Recrawl)?;
    let mut steps = Steps::begin();
    let plan = session.collection().plan(method, run)?;
    if plan.sites.is_empty() {
        // An open run would be continued once the files are mended, and would take for new what was
        // found since.
        session.end_run(run)?;
        return Err(match reasons(&plan) {
            reasons if reasons.is_empty() => nothing_learned(session),
            reasons => PipelineError::AllLeftOut(reasons),
        });
    }
    let promised = promise(session, &plan.sites, method.into())?;
    observer.observe(Event::Planned(&plan, promised));
    let sum = |of: fn(&PlannedSite) -> usize| plan.sites.iter().map(of).sum::<usize>();
    steps.push(StepOutcome::Plan {
        sites: plan.sites.len(),
        hubs: sum(|site| site.hubs),
        due: sum(|site| site.due),
        unseen: sum(|site| site.unseen),
        resting: sum(|site| site.resting),
        waiting: sum(|site| site.waiting),
        known: sum(|site| site.known),
        promised,
        most: plan.most(),
    });
    let round = Round {
        session,
        run,
        began,
        max_pages: None,
        max_repair_pages: None,
    };
    let mut snapshots = Snapshots::default();
    let mut outcome = round.execute(&plan, steps, &mut snapshots, observer)?;
    if let Some(outcome) = &mut outcome {
        // The next round is foretold before the run ends, so that a process that is killed here
        // continues the run and still writes its account.
        let next = promised_pages(session, Method::Selective, session.now(), &mut snapshots)?;
        outcome.next = Some(next);
        outcome.site_reads = snapshots.site_reads();
        session.end_run(run)?;
        session.prune_archive(observer);
        let account = Account::of(outcome, session.now());
        session
            .store()
            .put_stage(account.to_row(session.vertical(), session.now()), &[])?;
    }
    Ok(outcome)
}

/// Time by which a clock may step back between runs. Clocks that are set by the network step by
/// less.
const CLOCK_STEP: Duration = Duration::from_secs(5 * 60);

/// Refuses a time before the last run: an object counts as new if it was seen first after the round
/// began, so known objects would count.
fn check_time(session: &Session) -> Result<(), PipelineError> {
    let now = session.now();
    let runs = session.store().runs()?;
    match runs.into_iter().max_by_key(|run| run.started_at) {
        Some(last) if now + CLOCK_STEP < last.started_at => Err(PipelineError::BeforeLastRun {
            now,
            run: last.id,
            began: last.started_at,
        }),
        _ => Ok(()),
    }
}

/// Returns the pages that a round is to fetch at a moment, by a dry walk of the navigations and by
/// the surplus of earlier rounds.
pub fn promised_pages(
    session: &Session,
    method: Method,
    at: Timestamp,
    snapshots: &mut Snapshots,
) -> Result<u64, PipelineError> {
    let sites = session.collection_at(at).dry_walk(method, snapshots)?;
    promise(session, &sites, method.into())
}

/// Adds the surplus of earlier rounds to what is planned, up to the ceiling.
fn promise(session: &Session, sites: &[PlannedSite], method: RoundMethod) -> Result<u64, PipelineError> {
    let most: Option<u64> = sites.iter().map(PlannedSite::most).sum();
    let promised = walked(sites) + surplus(session, method)?;
    Ok(most.map_or(promised, |most| promised.min(most)))
}

fn walked(sites: &[PlannedSite]) -> u64 {
    sites.iter().map(PlannedSite::promised).sum::<usize>() as u64
}

/// Returns the pages that recent rounds fetched beyond their dry walks, on average: new pages, and
/// redirects.
fn surplus(session: &Session, method: RoundMethod) -> Result<u64, PipelineError> {
    let accounts = Account::all(session.store(), session.vertical())?;
    let of_method = accounts.iter().filter(|account| account.method == Some(method));
    let beyond: Vec<u64> = of_method.filter_map(Account::beyond_walk).collect();
    let last = &beyond[beyond.len().saturating_sub(PROMISE_ROUNDS)..];
    Ok(last.iter().sum::<u64>() / last.len().max(1) as u64)
}

fn nothing_learned(session: &Session) -> PipelineError {
    PipelineError::NothingLearned {
        vertical: session.vertical().to_owned(),
    }
}

/// The reasons for which sites are left out.
fn reasons(plan: &Plan) -> Vec<String> {
    plan.left_out.iter().map(ToString::to_string).collect()
}

/// A round of a recrawl or a watch.
pub(crate) struct Round<'a> {
    pub(crate) session: &'a Session,
    pub(crate) run: RunId,
    /// When it began: what is found from then on is new.
    pub(crate) began: Timestamp,
    /// Pages that may be asked for, besides those of repairs.
    pub(crate) max_pages: Option<u64>,
    /// Pages that the repair of a site may take; none for a share of its pages.
    pub(crate) max_repair_pages: Option<u64>,
}

/// A finished repair. A repair of folders also has the pages and patterns known before it.
struct Repair {
    made: Repaired,
    before: Option<Arc<New>>,
}

impl Round<'_> {
    /// Crawls the plan, clusters the new records, records how the sites did, and repairs those that
    /// drifted. Returns `None` if it was stopped.
    pub(crate) fn execute(
        &self,
        plan: &Plan,
        mut steps: Steps,
        snapshots: &mut Snapshots,
        observer: &mut dyn Observer,
    ) -> Result<Option<RecrawlOutcome>, PipelineError> {
        let known = plan.sites.iter().map(|site| Target::Known(site.key.clone()));
        let named = plan.named.iter().cloned().map(Target::From);
        let request = CrawlRequest {
            filters: plan.filters(),
            max_pages: self.max_pages,
            ..self.request(known.chain(named).collect())
        };
        let crawled = self.session.crawl(request, observer)?;
        if crawled.was_stopped() {
            return Ok(None);
        }
        steps.push(StepOutcome::Crawl {
            pages: crawled.progress.pages,
            bytes: crawled.progress.bytes,
            records: crawled.progress.objects,
        });
        // Searches come after links, so that objects which links lead to are not searched for.
        let queries = RoundQueries::read(self.session, &plan.searched, plan.since())?;
        let left = self
            .max_pages
            .map(|max| max.saturating_sub(crawled.progress.pages));
        let during = (self.run, self.began);
        let Some(asked) = ask_again(self.session, &queries, during, left, observer)? else {
            return Ok(None);
        };
        if asked.queries > 0 {
            steps.push(StepOutcome::Ask {
                queries: asked.queries,
                pages: asked.pages,
            });
        }
        // New records must be objects before the round is judged by them.
        let clustered = self.session.cluster(observer)?.unwrap_or_default();
        steps.push(StepOutcome::Cluster(clustered.into()));
        if plan.judges {
            let left = left.map(|left| left.saturating_sub(asked.pages));
            let Some(checked) = self.check_outdated(plan, left, observer)? else {
                return Ok(None);
            };
            if checked > 0 {
                steps.push(StepOutcome::Check { pages: checked });
                let clustered = self.session.cluster(observer)?.unwrap_or_default();
                steps.push(StepOutcome::Cluster(clustered.into()));
            }
        }
        let recorded = self.session.collection().record(plan, during, snapshots)?;
        for site in &recorded.sites {
            let falls: Vec<CoverageFall> = site.falls.iter().filter(|fall| fall.is_new).cloned().collect();
            if !falls.is_empty() {
                let site = &site.key;
                observer.observe(Event::CoverageFell { site, falls: &falls });
            }
        }
        let count = |is: fn(&&SiteOutcome) -> bool| recorded.sites.iter().filter(is).count();
        steps.push(StepOutcome::Record {
            sites: recorded.sites.len(),
            with_new_objects: count(|site| site.round.new_objects > 0),
            with_alarms: count(|site| !site.alarms.is_empty()),
            with_unknown_pages: count(|site| !site.shapes.is_empty()),
        });
        let walked = walked(&plan.sites);
        let mut outcome = RecrawlOutcome {
            promised: promise(self.session, &plan.sites, plan.method)?,
            most: plan.most(),
            walked,
            fetched: recorded.sites.iter().map(|site| site.round.pages).sum(),
            next: None,
            run: self.run,
            method: plan.method,
            known: plan.sites.iter().map(|site| site.known).sum(),
            recorded,
            crawled,
            explored: 0,
            repaired: Vec::new(),
            left_out: reasons(plan),
            planned: plan.sites.iter().map(PlannedSite::pages).sum(),
            steps: Vec::new(),
            site_reads: 0,
        };
        if plan.judges && !self.repair_drift(plan, &mut outcome, &mut steps, snapshots, observer)? {
            return Ok(None);
        }
        outcome.steps = steps.done;
        self.session.fetch_pictures(observer)?;
        Ok(Some(outcome))
    }

    fn request(&self, targets: Vec<Target>) -> CrawlRequest {
        CrawlRequest::new((self.run, self.began), targets)
    }

    /// Fetches the known pages that lists of this round show to be out of date. Returns their
    /// number, or `None` if it was stopped.
    fn check_outdated(
        &self,
        plan: &Plan,
        most: Option<u64>,
        observer: &mut dyn Observer,
    ) -> Result<Option<u64>, PipelineError> {
        let outdated = queue_outdated(self.session, plan, (self.run, self.began), most)?;
        if outdated.is_empty() {
            return Ok(Some(0));
        }
        let pages: usize = outdated.values().map(Vec::len).sum();
        let request = CrawlRequest {
            filters: Some(Arc::new(OnlyNew(None))),
            // Twice the pages, since each of them may be a redirect.
            max_pages: Some(2 * pages as u64),
            ..self.request(outdated.into_keys().map(Target::Known).collect())
        };
        let crawled = self.session.crawl(request, observer)?;
        observer.observe(Event::Checked(crawled.progress.pages));
        Ok((!crawled.was_stopped()).then_some(crawled.progress.pages))
    }

    /// Explores unknown kinds of pages and learns the sites again that no longer yield what they
    /// did. Returns `false` if it was stopped.
    fn repair_drift(
        &self,
        plan: &Plan,
        outcome: &mut RecrawlOutcome,
        steps: &mut Steps,
        snapshots: &mut Snapshots,
        observer: &mut dyn Observer,
    ) -> Result<bool, PipelineError> {
        let settings = &self.session.settings().settings.recrawl;
        let mut changed: Vec<String> = Vec::new();
        let sites = &outcome.recorded.sites;
        let unknown: Vec<&SiteOutcome> = sites.iter().filter(|site| !site.shapes.is_empty()).collect();
        if settings.explore > 0 && !unknown.is_empty() {
            let Some(explored) = self.explore(&unknown, observer)? else {
                return Ok(false);
            };
            // Pages were fetched since the snapshots were read.
            snapshots.forget_sites();
            outcome.explored = explored;
            outcome.fetched += explored;
            steps.push(StepOutcome::Explore { pages: explored });
            changed.extend(unknown.iter().map(|site| site.key.clone()));
        }
        let turned = sites.iter().filter(|site| site.further > 0);
        changed.extend(turned.map(|site| site.key.clone()));
        let broken = sites.iter().filter(|site| site.relearn != Relearn::Nothing);
        let mut of_folders: Vec<Option<Arc<New>>> = Vec::new();
        if settings.repair {
            for site in broken {
                let Some(Repair { made, before }) = self.repair(site, snapshots, observer)? else {
                    return Ok(false);
                };
                steps.push(StepOutcome::Repair {
                    site: site.key.clone(),
                    folders: made.folders.clone(),
                    pages: made.pages,
                });
                changed.push(site.key.clone());
                outcome.repaired.push(made);
                of_folders.push(before);
            }
        }
        // Exploration and repairs only fetch pages. The patterns of a site are made once from all
        // of them.
        changed.sort_unstable();
        changed.dedup();
        if !changed.is_empty() {
            let Some(empty) = self.relearn(&changed, snapshots, observer)? else {
                return Ok(false);
            };
            let collection = self.session.collection();
            for (repaired, before) in outcome.repaired.iter_mut().zip(of_folders) {
                repaired.in_vain = match before {
                    Some(before) => {
                        !collection.has_found_anew(&repaired.site, self.run, &before, snapshots)?
                    }
                    None => empty.contains(&repaired.site),
                };
            }
            steps.push(StepOutcome::Relearn { sites: changed.len() });
            let during = (self.run, self.began);
            collection.recount(plan, during, &mut outcome.recorded, &changed, snapshots)?;
        }
        Ok(true)
    }

    /// Fetches a few pages of every kind that lists began to link to. Returns their number, or
    /// `None` if it was stopped.
    fn explore(
        &self,
        sites: &[&SiteOutcome],
        observer: &mut dyn Observer,
    ) -> Result<Option<u64>, PipelineError> {
        let session = self.session;
        let each = usize::try_from(session.settings().settings.recrawl.explore).unwrap_or(usize::MAX);
        let (mut targets, mut pages) = (Vec::new(), 0);
        let collection = session.collection();
        for site in sites {
            let exploration = collection.view().exploration(&site.shapes, each)?;
            pages += exploration.pages();
            collection.queue_exploration(&exploration)?;
            targets.extend(exploration.known.into_keys().map(Target::Known));
            targets.extend(exploration.new.into_iter().map(Target::From));
        }
        let request = CrawlRequest {
            filters: Some(Arc::new(OnlyNew(None))),
            // Twice the pages, since each of them may be a redirect.
            max_pages: Some(2 * pages as u64),
            ..self.request(targets)
        };
        let crawled = session.crawl(request, observer)?;
        observer.observe(Event::Explored {
            kinds: sites.iter().map(|site| site.shapes.len()).sum(),
            pages: crawled.progress.pages,
        });
        Ok((!crawled.was_stopped()).then_some(crawled.progress.pages))
    }

    /// Crawls a site again from its entry page and the hubs that are intact, or its broken folders
    /// from the lists that lead there. Returns `None` if it was stopped.
    fn repair(
        &self,
        site: &SiteOutcome,
        snapshots: &mut Snapshots,
        observer: &mut dyn Observer,
    ) -> Result<Option<Repair>, PipelineError> {
        let key = &site.key;
        observer.observe(Event::RepairBegins {
            site: key,
            relearn: &site.relearn,
            lists_are_gone: site.round.state == RoundState::Gone,
        });
        // The share is one of fetched pages, because a site may name any number of URLs.
        let share = (site.fetched.div_ceil(REPAIR_SHARE) as u64).max(MIN_REPAIR_PAGES);
        let most = self.max_repair_pages.unwrap_or(share);
        let collection = self.session.collection();
        let (folders, of_folders) = match &site.relearn {
            Relearn::Folders(folders) => {
                let planned = collection.plan_folders(key, self.run, most, snapshots)?;
                (folders.as_slice(), planned)
            }
            _ => (&[][..], None),
        };
        let (named, filter, max_pages) = match of_folders {
            Some(repair) => (repair.named, Some(repair.filter), repair.max_pages),
            None => {
                let named = collection.plan_repair(key, self.run, most, snapshots)?;
                (named, None, most)
            }
        };
        let before = filter.as_ref().and_then(|filter| filter.0.clone());
        let known = [Target::Known(key.clone())].into_iter();
        let request = CrawlRequest {
            max_pages: Some(max_pages),
            filters: filter.map(|filter| Arc::new(filter) as Arc<dyn LinkFilters>),
            is_varied: true,
            ..self.request(known.chain(named.into_iter().map(Target::From)).collect())
        };
        let crawled = self.session.crawl(request, observer)?;
        if crawled.was_stopped() {
            return Ok(None);
        }
        let of_site = [(self.session.store().site(key)?, key.clone())];
        let (run, occasion) = ((self.run, self.began), Occasion::Repair(max_pages));
        // The site may show its objects by scripts now, and patterns are made from the pages that
        // have objects.
        let is_through = learn_ways(self.session, &of_site, run, occasion, observer)?;
        let made = Repaired {
            site: key.clone(),
            folders: before.as_ref().map_or_else(Vec::new, |_| folders.to_vec()),
            pages: crawled.progress.pages,
            in_vain: false,
        };
        Ok(is_through.then_some(Repair { made, before }))
    }

    /// Makes the patterns and navigations of some sites again. Returns the sites that have no
    /// object any more, or `None` if it was stopped.
    fn relearn(
        &self,
        keys: &[String],
        snapshots: &mut Snapshots,
        observer: &mut dyn Observer,
    ) -> Result<Option<Vec<String>>, PipelineError> {
        // Patterns are made from objects, so the pages of the repair are clustered first.
        self.session.cluster(observer)?;
        snapshots.forget_sites();
        let collection = self.session.collection();
        let mut sites = Vec::new();
        for key in keys {
            sites.push((self.session.store().site(key)?, key.clone()));
        }
        // A site without objects now keeps its patterns: a later round finds out what happened to
        // it.
        let here = |sites: &[(SiteId, String)]| Ok(Some(collection.site_patterns(sites, false, snapshots)?));
        let Some(parts) = share(self.session, WorkKind::Sites(SiteWork::Renew), &sites, here)? else {
            return Ok(None);
        };
        let made = PatternsMade::of(parts.into_iter().flatten());
        // The selection covers all sites: what this site has lost, another one may bring.
        collection.choose_again(snapshots)?;
        observe_kept(&collection.find_ways_of(keys, snapshots)?, observer);
        Ok(Some(made.without_objects))
    }
}
