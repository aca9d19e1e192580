//! Learning: from a few objects, or from sites, to the pages that are worth fetching.
//!
//! [`learn`] does the stages of [`Stage`] that are not done yet, in their order. The outcome of
//! each is written into the workspace before the next begins, so that learning continues where it
//! was stopped.

mod answers;
mod find;
mod sample;
mod selection;
mod stage;
mod undo;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use magpie_model::{CanonicalUrl, UrlReason};
use magpie_rows::{
    Counts, QueryTemplateRow, ReadStore, RunKind, SiteId, StageRow, Store, StoreError, TemplateState,
    UrlState,
};
use magpie_search::Seed;
use magpie_values::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::PipelineError;
use crate::checkout::sync;
use crate::crawl::{Activity, CrawlError, Guide, Progress, Target, site_key};
use crate::crew::{SiteWork, WorkKind, share};
use crate::focus::{Token, guide, learning_guide};
use crate::observer::{Event, Observer, observe_kept};
use crate::reading::{PagesRead, ReadingError};
use crate::recrawl::Method;
use crate::recrawl::promised_pages;
use crate::rendering_rules::{Occasion, learn_ways};
use crate::session::{CrawlRequest, Session};
use crate::settings::{Resolved, RobotsRule, Settings};
use crate::site::Snapshots;
use crate::surface::{SurfaceRequest, ask_forms};

pub use find::queries_of;
pub use sample::{SampledObject, sampled_objects};
pub use stage::{
    FormsAsked, Idle, NavigationsMade, PatternsMade, PatternsSelected, RecordsClustered, SitesCrawled,
    SitesExpanded, SitesFound, Stage, StageOutcome, WordSearch,
};
pub use undo::SiteUndone;

use stage::{texts, urls};

/// The key under which a stage keeps the seconds that it took.
pub const SECONDS: &str = "seconds";

/// Codes of URLs that were not fetched because their host can't be reached.
const UNREACHED: [UrlReason; 4] = [
    UrlReason::Dns,
    UrlReason::Connect,
    UrlReason::Tls,
    UrlReason::Timeout,
];

/// Sites or seeds to learn, and the stages to repeat.
#[derive(Clone, Debug, Default)]
pub struct LearnRequest {
    /// The beginning; none to continue what was begun.
    pub beginning: Option<Beginning>,
    /// The stage from which everything is done again.
    pub from: Option<Stage>,
    /// Crawls with a guide that chooses every page, until enough of each site is found.
    pub is_focused: bool,
    /// Pages that the crawl of their sites begins with, besides the first ones.
    pub targets: Vec<CanonicalUrl>,
}

impl LearnRequest {
    /// A request to learn the sites of these pages.
    pub fn sites<T: Into<String>>(homes: impl IntoIterator<Item = T>) -> Result<LearnRequest, CrawlError> {
        let named = homes.into_iter().map(|home| {
            let text = home.into();
            match CanonicalUrl::trusted(text.as_str()) {
                Some(home) => Ok(NamedSite { text, home }),
                None => Err(CrawlError::Seed(text)),
            }
        });
        Ok(LearnRequest {
            beginning: Some(Beginning::Sites(named.collect::<Result<_, _>>()?)),
            ..LearnRequest::default()
        })
    }
}

/// Returns settings for learning: of each site only the pages that learning needs are read.
pub fn learn_settings(mut settings: Resolved) -> Resolved {
    let pages = settings.settings.learn.pages;
    settings.change_all(|settings| settings.scope.pages = settings.scope.pages.min(pages));
    settings
}

/// The beginning of learning.
#[derive(Clone, Debug)]
pub enum Beginning {
    /// With these sites.
    Sites(Vec<NamedSite>),
    /// With sites that a search engine finds for these seeds.
    Seeds {
        /// The seeds that queries are made of.
        seeds: Vec<Seed>,
        /// Their text, which distinguishes beginnings.
        text: String,
    },
    /// With the sites of pages that the vertical accepts, which a search engine finds by these
    /// words.
    Words(Vec<Token>),
}

/// A site as a person names it.
#[derive(Clone, Debug)]
pub struct NamedSite {
    /// The name as the person wrote it.
    pub text: String,
    /// The first page that it means.
    pub home: CanonicalUrl,
}

impl Beginning {
    /// Returns a value that distinguishes beginnings.
    fn fingerprint(&self) -> Value {
        match self {
            Beginning::Sites(sites) => json!(sites.iter().map(|site| &site.text).collect::<Vec<_>>()),
            Beginning::Seeds { text, .. } => json!(text),
            Beginning::Words(tokens) => {
                // Whole numbers, since others may differ when they were read from text.
                let weight = |token: &Token| (token.tf_idf * 1e6).round() as u64;
                let words = tokens.iter().map(|token| (&token.word, weight(token)));
                json!({ "words": words.collect::<Vec<_>>() })
            }
        }
    }
}

/// The outcome of learning.
#[derive(Clone, Debug)]
pub struct LearnOutcome {
    /// The stages that were done now.
    pub stages: Vec<StageOutcome>,
    /// The number of times that a site was read from the workspace.
    pub site_reads: u64,
}

/// Learns. Returns `None` if it was stopped; the next call continues.
pub fn learn(
    session: &Session,
    request: &LearnRequest,
    observer: &mut dyn Observer,
) -> Result<Option<LearnOutcome>, PipelineError> {
    let mut learning = Learning {
        session,
        request,
        done: session.store().stages(session.vertical())?,
        again: Vec::new(),
        snapshots: Snapshots::default(),
    };
    learning.forget()?;
    let mut stages = Vec::new();
    for stage in Stage::ALL {
        if learning.is_done(stage) {
            continue;
        }
        if session.is_stopping() {
            return Ok(None);
        }
        let began = Instant::now();
        // A stage that was stopped is not recorded, so the next call does it again.
        let Some(outcome) = learning.work(stage, observer)? else {
            return Ok(None);
        };
        let took = began.elapsed();
        learning.keep(&outcome, took)?;
        observer.observe(Event::StageEnded(&outcome, took));
        stages.push(outcome);
    }
    session.fetch_pictures(observer)?;
    Ok(Some(LearnOutcome {
        stages,
        site_reads: learning.snapshots.site_reads(),
    }))
}

/// Learning under way.
struct Learning<'a> {
    session: &'a Session,
    request: &'a LearnRequest,
    done: Vec<StageRow>,
    /// Stages that are to be done again. They stay in the workspace until the first of them is
    /// done, so that a beginning that leads nowhere loses nothing.
    again: Vec<&'static str>,
    /// The sites as they are after the crawl.
    snapshots: Snapshots,
}

impl Learning<'_> {
    /// Forgets what is to be done again.
    fn forget(&mut self) -> Result<(), PipelineError> {
        let first = match (self.request.from, &self.request.beginning) {
            (Some(stage), _) => stage,
            // Other sites or seeds are another beginning.
            (None, Some(beginning)) => match self.begins_anew(beginning) {
                true => Stage::Find,
                false => return Ok(()),
            },
            // All was done: it is done again with what came in since.
            (None, None) if self.is_done(Stage::Navigate) => Stage::Crawl,
            (None, None) => return Ok(()),
        };
        if first > Stage::Find && !self.is_done(Stage::Find) {
            return Err(PipelineError::NothingToBeginWith);
        }
        let again = Stage::ALL.into_iter().filter(|stage| *stage >= first);
        self.again = again.map(Stage::as_str).collect();
        self.done.retain(|row| !self.again.contains(&row.name.as_str()));
        Ok(())
    }

    fn begins_anew(&self, beginning: &Beginning) -> bool {
        let before = self.found().map(|found| found.begun_with);
        before != Some(beginning.fingerprint())
    }

    fn is_done(&self, stage: Stage) -> bool {
        self.outcome_row(stage).is_some()
    }

    fn outcome_row(&self, stage: Stage) -> Option<&StageRow> {
        self.done.iter().find(|row| row.name == stage.as_str())
    }

    fn found(&self) -> Option<SitesFound> {
        match StageOutcome::of_row(self.outcome_row(Stage::Find)?)? {
            StageOutcome::Find(found) => Some(*found),
            _ => None,
        }
    }

    /// The sites to learn, if that is known by now.
    fn expanded(&self) -> Option<SitesExpanded> {
        match StageOutcome::of_row(self.outcome_row(Stage::Expand)?)? {
            StageOutcome::Expand(expanded) => Some(expanded),
            _ => None,
        }
    }

    fn keep(&mut self, outcome: &StageOutcome, took: Duration) -> Result<(), PipelineError> {
        let mut kept = outcome.to_json();
        kept[SECONDS] = json!(took.as_secs_f64());
        let mut again = std::mem::take(&mut self.again);
        // The search is finished, so its intermediate state goes with the same transaction.
        if outcome.stage() == Stage::Find {
            again.push(find::SEARCH_UNDER_WAY);
        }
        let workspace = self.session.store();
        // What the stage has learned is on the server before it counts as done.
        sync(self.session.folder())?;
        let row = StageRow {
            vertical: self.session.vertical().to_owned(),
            name: outcome.stage().to_string(),
            ended_at: self.session.now(),
            // Sentences are made of the outcome where they are shown.
            sentence: String::new(),
            kept: kept.to_string(),
        };
        workspace.put_stage(row.clone(), &again)?;
        self.done.push(row);
        Ok(())
    }

    /// Does a stage. Returns `None` if it was stopped.
    fn work(
        &mut self,
        stage: Stage,
        observer: &mut dyn Observer,
    ) -> Result<Option<StageOutcome>, PipelineError> {
        Ok(Some(match stage {
            Stage::Find => {
                let Some(mut found) = find::find(self, observer)? else {
                    return Ok(None);
                };
                if self.request.is_focused {
                    found.strategy = self.guide().map(|guide| guide.order.name().to_owned());
                }
                StageOutcome::Find(Box::new(found))
            }
            Stage::Sample => {
                let found = self.found().unwrap_or_default();
                if !found.search {
                    return Ok(Some(StageOutcome::Sample(None)));
                }
                let crawled = self.crawl(
                    RunKind::Sample,
                    &found.sites,
                    &found.bare,
                    &found.ways_in,
                    observer,
                )?;
                return Ok(crawled.map(|crawled| StageOutcome::Sample(Some(crawled))));
            }
            Stage::Expand => StageOutcome::Expand(find::expand(self, observer)?),
            Stage::Crawl => {
                let SitesExpanded {
                    sites,
                    bare,
                    mut ways_in,
                    ..
                } = self.expanded().unwrap_or_default();
                ways_in.extend(texts(&self.request.targets));
                let crawled = self.crawl(RunKind::Learn, &sites, &bare, &ways_in, observer)?;
                return Ok(crawled.map(StageOutcome::Crawl));
            }
            Stage::Surface => return self.ask_forms(observer),
            Stage::Cluster => {
                let read = self.learn_reading(observer)?;
                let report = self.session.cluster_read(&read, observer)?.unwrap_or_default();
                for notice in &report.notices {
                    observer.observe(Event::ClusteringNotice(notice));
                }
                StageOutcome::Cluster(report.into())
            }
            Stage::Patterns => StageOutcome::Patterns(self.patterns()?),
            Stage::Select => StageOutcome::Select(self.select()?),
            Stage::Navigate => StageOutcome::Navigate(self.navigate(observer)?),
        }))
    }

    /// Crawls sites. Returns `None` if it was stopped.
    fn crawl(
        &self,
        kind: RunKind,
        sites: &[String],
        bare: &[String],
        ways_in: &[String],
        observer: &mut dyn Observer,
    ) -> Result<Option<SitesCrawled>, PipelineError> {
        let session = self.session;
        let homes = urls(sites);
        let bare: HashSet<CanonicalUrl> = urls(bare).into_iter().collect();
        for home in &homes {
            let site = session.site_of(home)?;
            if kind == RunKind::Learn {
                // Recrawls and smaller budgets have put URLs aside; learning goes as deep as its
                // own.
                session.store().queue_again(site, UrlState::Held, None)?;
            }
            for reason in &UNREACHED {
                session
                    .store()
                    .queue_again(site, UrlState::Failed, Some(reason))?;
            }
            for (state, reason) in lifted(session.settings().for_host(home.host())) {
                session.store().queue_again(site, state, Some(&reason))?;
            }
        }
        let (run, began) = session.begin_run(kind)?;
        // A sample is crawled without a guide.
        let guide = self.guide().filter(|_| kind == RunKind::Learn);
        let strategy = guide.as_ref().map(|guide| guide.order.name().to_owned());
        // The first pages come first: a site is entered by the first of its pages that is there.
        let first = homes.into_iter().map(|home| match bare.contains(&home) {
            true => Target::Host(home),
            false => Target::From(home),
        });
        let targets = first.chain(urls(ways_in).into_iter().map(Target::From)).collect();
        let request = CrawlRequest {
            until: self
                .share()
                .filter(|_| kind == RunKind::Learn || !self.request.is_focused),
            guide,
            ..CrawlRequest::new((run, began), targets)
        };
        let crawled = session.crawl(request, observer)?;
        if crawled.was_stopped() {
            return Ok(None);
        }
        if kind == RunKind::Learn {
            let (sites, occasion) = (self.known_sites()?, Occasion::Learning);
            if !learn_ways(session, &sites, (run, began), occasion, observer)? {
                return Ok(None);
            }
        }
        session.end_run(run)?;
        session.prune_archive(observer);
        if kind == RunKind::Sample {
            session.cluster(observer)?;
        }
        // A resumed crawl also counts what it had fetched before.
        session.store().flush()?;
        let reader = session.store();
        let totals = reader.run_totals(session.vertical(), &[run], (began, Timestamp::MAX))?;
        let progress = crawled.progress;
        let is_unreached = !progress.unreached.is_empty() && progress.unreached.len() >= sites.len();
        // Without this error the next stages would forget everything about the sites.
        if totals.pages == 0 && is_unreached {
            return Err(PipelineError::Unreached(progress.unreached));
        }
        let is_idle = progress.pages == 0 && progress.unreached.is_empty();
        Ok(Some(SitesCrawled {
            run: run.0,
            pages: totals.pages,
            bytes: totals.bytes,
            records: totals.records,
            sites: sites.len(),
            idle: is_idle
                .then(|| reader.url_counts(None).map(|counts| Idle::of(&progress, &counts)))
                .transpose()?,
            unreached: progress.unreached,
            found: progress.found,
            strategy,
        }))
    }

    /// The guide of the crawl, if each page is chosen by itself.
    fn guide(&self) -> Option<Guide> {
        let settings = self.session.settings();
        match self.request.is_focused {
            true => Some(guide(settings)),
            false => learning_guide(settings),
        }
    }

    /// The estimated share of a site's objects at which its crawl ends.
    fn share(&self) -> Option<f64> {
        let settings = self.session.settings();
        match self.request.is_focused {
            true => Some(settings.settings.focus.until).filter(|share| *share < 1.0),
            false => learning_share(settings),
        }
    }

    /// Asks the search forms of the sites. Returns `None` if it was stopped.
    fn ask_forms(&self, observer: &mut dyn Observer) -> Result<Option<StageOutcome>, PipelineError> {
        let max_requests = self.session.settings().settings.surface.requests;
        if max_requests == 0 {
            return Ok(Some(StageOutcome::Surface(None)));
        }
        let request = SurfaceRequest {
            max_requests,
            ..SurfaceRequest::default()
        };
        let asked = ask_forms(self.session, &self.known_sites()?, &request, observer)?;
        Ok(asked.map(|asked| {
            let of_state = |row: &&QueryTemplateRow| row.state == TemplateState::Working;
            StageOutcome::Surface(Some(FormsAsked {
                templates: asked.templates.len(),
                working: asked.templates.iter().filter(of_state).count(),
                requests: asked.templates.iter().map(|row| row.asked).sum(),
                pages: asked.pages,
                objects: asked.templates.iter().map(|row| row.objects).sum(),
            }))
        }))
    }

    /// Leaves the sites out that were named before, never learned, and are not among these. Returns
    /// their keys.
    fn leave_out_others(&self, homes: &[CanonicalUrl]) -> Result<Vec<String>, PipelineError> {
        let session = self.session;
        let keys: HashSet<String> = homes.iter().map(|home| session.site_key(home)).collect();
        let begun = sites_begun(session.store(), session.vertical(), session.settings())?;
        let others = begun.into_iter().map(|(key, _)| key);
        let others: Vec<String> = others.filter(|key| !keys.contains(key)).collect();
        for other in &others {
            session.collection().leave_queue(other)?;
        }
        Ok(others)
    }

    /// Returns how many sites were learned before and are not among these.
    fn others_than(&self, homes: &[CanonicalUrl]) -> Result<usize, PipelineError> {
        let keys: HashSet<String> = homes.iter().map(|home| self.session.site_key(home)).collect();
        let learned = self.session.store().learned_sites(self.session.vertical())?;
        Ok(learned.iter().filter(|site| !keys.contains(&site.key)).count())
    }

    /// Returns the sites to learn.
    fn known_sites(&self) -> Result<Vec<(SiteId, String)>, PipelineError> {
        let session = self.session;
        let homes = urls(&self.expanded().unwrap_or_default().sites);
        // If all that were named have been dropped, these are the sites that were learned before.
        if homes.is_empty() {
            return Ok(session.collection().learned_sites()?);
        }
        let mut met = HashSet::new();
        let mut sites = Vec::new();
        for key in homes.iter().map(|home| session.site_key(home)) {
            if met.insert(key.clone()) {
                sites.push((session.store().site(&key)?, key));
            }
        }
        Ok(sites)
    }

    /// Learns how to read the sites, and reads their pages by that. Returns the sites.
    fn learn_reading(&self, observer: &mut dyn Observer) -> Result<HashSet<SiteId>, PipelineError> {
        let (session, sites) = (self.session, self.known_sites()?);
        session.store().flush()?;
        let here = |sites: &[(SiteId, String)]| read_sites(session, sites).map(Some);
        let read = share(session, WorkKind::Sites(SiteWork::Read), &sites, here)?;
        for site in read.into_iter().flatten().flatten() {
            if let Some(notice) = &site.notice {
                observer.observe(Event::ClusteringNotice(notice));
            }
            observer.observe(Event::SiteRead(&site.key, &site.pages));
        }
        Ok(sites.into_iter().map(|(site, _)| site).collect())
    }

    fn patterns(&mut self) -> Result<PatternsMade, PipelineError> {
        let (session, sites) = (self.session, self.known_sites()?);
        let snapshots = &mut self.snapshots;
        let here = |sites: &[(SiteId, String)]| {
            let made = session.collection().site_patterns(sites, true, snapshots)?;
            Ok(Some(made))
        };
        let parts = share(session, WorkKind::Sites(SiteWork::Patterns), &sites, here)?;
        let made = PatternsMade::of(parts.into_iter().flatten().flatten());
        // The stage ends here, before a selection of nothing replaces the one before.
        if made.sites == 0 {
            return Err(PipelineError::NoObjects {
                vertical: self.session.vertical().to_owned(),
                counts: self.session.store().counts(None)?,
                made: Box::new(made),
            });
        }
        Ok(made)
    }

    fn select(&mut self) -> Result<PatternsSelected, PipelineError> {
        let (session, snapshots) = (self.session, &mut self.snapshots);
        let here = |sites: &[(SiteId, String)]| {
            let offers = session.collection().site_offers(sites, snapshots)?;
            Ok(Some(offers))
        };
        let offers = share(
            session,
            WorkKind::Sites(SiteWork::Offer),
            &session.collection().learned_sites()?,
            here,
        )?;
        let offers = offers.into_iter().flatten().flatten().collect();
        Ok(session.collection().choose(offers, &mut self.snapshots)?)
    }

    fn navigate(&mut self, observer: &mut dyn Observer) -> Result<NavigationsMade, PipelineError> {
        let (session, snapshots) = (self.session, &mut self.snapshots);
        let here = |sites: &[(SiteId, String)]| {
            let made = session.collection().find_navigations(sites, snapshots)?;
            Ok(Some(SitesNavigated::of(made, session.folder())))
        };
        let parts = share(
            session,
            WorkKind::Sites(SiteWork::Navigate),
            &session.collection().learned_sites()?,
            here,
        )?;
        let mut made = NavigationsMade::default();
        for part in parts.into_iter().flatten() {
            made.add(part.navigations(session.folder()));
        }
        observe_kept(&made, observer);
        made.round_pages = promised_pages(session, Method::Selective, session.now(), snapshots)?;
        Ok(made)
    }
}

/// Navigations that were made of some sites.
#[derive(Serialize, Deserialize)]
pub(crate) struct SitesNavigated {
    made: NavigationsMade,
    /// The edited files that were kept, within the folder of the workspace.
    kept: Vec<PathBuf>,
}

impl SitesNavigated {
    pub(crate) fn of(made: NavigationsMade, folder: &Path) -> SitesNavigated {
        let within = |path: &PathBuf| path.strip_prefix(folder).map(Path::to_owned).ok();
        SitesNavigated {
            kept: made.kept.iter().filter_map(within).collect(),
            made,
        }
    }

    fn navigations(self, folder: &Path) -> NavigationsMade {
        NavigationsMade {
            kept: self.kept.iter().map(|path| folder.join(path)).collect(),
            ..self.made
        }
    }
}

/// A site whose pages were read by what was learned of it.
#[derive(Serialize, Deserialize)]
pub(crate) struct SiteRead {
    key: String,
    pages: PagesRead,
    notice: Option<String>,
}

/// Learns how to read sites, and reads their pages by that.
pub(crate) fn read_sites(
    session: &Session,
    sites: &[(SiteId, String)],
) -> Result<Vec<SiteRead>, PipelineError> {
    let reader = session.site_reader()?;
    let mut read = Vec::new();
    for (site, key) in sites {
        let mut notice = None;
        let previous = match reader.present(key) {
            Err(error @ ReadingError::Invalid { .. }) => {
                notice = Some(format!("{error}; it is replaced, and kept beside the new one"));
                None
            }
            other => other?,
        };
        let reading = reader.learn(*site, key, previous.as_ref())?;
        reader.keep(key, &reading)?;
        read.push(SiteRead {
            key: key.clone(),
            pages: reader.read_again(session.store(), *site, &reading)?,
            notice,
        });
    }
    Ok(read)
}

/// Returns the URLs that a prohibition of their site kept from being used, and that the settings
/// now permit to use.
fn lifted(settings: &Settings) -> Vec<(UrlState, UrlReason)> {
    let mut lifted = Vec::new();
    if settings.politeness.robots == RobotsRule::Ignore {
        lifted.push((UrlState::Refused, UrlReason::Robots));
    }
    if !settings.politeness.robots_tags {
        lifted.push((UrlState::Fetched, UrlReason::Nofollow));
        lifted.push((UrlState::Fetched, UrlReason::Noindex));
    }
    lifted
}

impl Idle {
    /// The state of the queue after a crawl.
    pub fn of(progress: &Progress, counts: &Counts) -> Idle {
        let waiting = progress
            .sites
            .iter()
            .filter(|site| site.queued > 0 && site.activity != Activity::Done);
        Idle {
            known: counts.total(),
            queued: counts.of(UrlState::Queued),
            fetched: counts.of(UrlState::Fetched),
            failed: counts.of(UrlState::Failed) + counts.of(UrlState::Refused),
            waiting: waiting
                .map(|site| (site.site.clone(), site.activity.to_string()))
                .collect(),
        }
    }
}

/// Returns the estimated share of a site's objects from which learning fetches nothing more there,
/// or
/// `None` if it fetches all.
pub fn learning_share(resolved: &Resolved) -> Option<f64> {
    Some(resolved.settings.learn.until).filter(|share| *share < 1.0)
}

/// Returns the strategy that chose every page of a site while it was learned, if one did.
pub fn strategy_of(
    reader: &dyn ReadStore,
    vertical: &str,
    resolved: &Resolved,
    site: &str,
) -> Result<Option<String>, StoreError> {
    let (mut strategy, mut is_among) = (None, false);
    for row in reader.stages(vertical)? {
        let own = urls(&sites_of(&row));
        is_among |= own
            .iter()
            .any(|home| site_key(resolved.for_host(home.host()), home) == site);
        match StageOutcome::of_row(&row) {
            Some(StageOutcome::Find(found)) => strategy = strategy.or(found.strategy),
            Some(StageOutcome::Crawl(crawled)) => strategy = crawled.strategy,
            _ => {}
        }
    }
    Ok(strategy.filter(|_| is_among))
}

/// Returns the sites that learning has found and that were not learned, by their keys, with their
/// first pages.
pub fn sites_begun(
    reader: &dyn ReadStore,
    vertical: &str,
    resolved: &Resolved,
) -> Result<Vec<(String, CanonicalUrl)>, PipelineError> {
    let learned = reader.learned_sites(vertical)?;
    let mut met: HashSet<String> = learned.into_iter().map(|site| site.key).collect();
    let mut begun = Vec::new();
    for row in reader.stages(vertical)? {
        for home in urls(&sites_of(&row)) {
            let key = site_key(resolved.for_host(home.host()), &home);
            if met.insert(key.clone()) {
                begun.push((key, home));
            }
        }
    }
    Ok(begun)
}

/// The sites that a stage has found.
fn sites_of(row: &StageRow) -> Vec<String> {
    match StageOutcome::of_row(row) {
        Some(StageOutcome::Find(found)) => found.sites,
        Some(StageOutcome::Expand(expanded)) => expanded.sites,
        _ => Vec::new(),
    }
}

/// Returns a site to the selection and the navigation before its last learning or repair, or to
/// those after it if that was done already. Returns `None` if there are none.
pub fn undo_site(
    session: &Session,
    key: &str,
    observer: &mut dyn Observer,
) -> Result<Option<SiteUndone>, PipelineError> {
    let undone = session.collection().undo(key)?;
    let kept = undone.as_ref().and_then(|undone| undone.kept.as_ref());
    kept.into_iter()
        .for_each(|kept| observer.observe(Event::NavigationKept(kept)));
    Ok(undone)
}

/// Drops a site: nothing more is asked of it, and it is not learned again with the others. Its
/// pages and objects stay.
pub fn drop_site(session: &Session, key: &str, observer: &mut dyn Observer) -> Result<(), PipelineError> {
    leave_out(session.store(), session.vertical(), |home| {
        let home = CanonicalUrl::trusted(home);
        home.is_none_or(|home| session.site_key(&home) != key)
    })?;
    observe_kept(&session.collection().drop_site(key)?, observer);
    Ok(())
}

/// Removes sites from the outcomes of stages, but for those whose first page stays.
pub(crate) fn leave_out(
    store: &dyn Store,
    vertical: &str,
    stays: impl Fn(&str) -> bool,
) -> Result<(), StoreError> {
    for mut row in store.stages(vertical)? {
        let outcome = match StageOutcome::of_row(&row) {
            Some(StageOutcome::Find(mut found)) => {
                found.sites.retain(|home| stays(home));
                StageOutcome::Find(found)
            }
            Some(StageOutcome::Expand(mut expanded)) => {
                expanded.sites.retain(|home| stays(home));
                StageOutcome::Expand(expanded)
            }
            _ => continue,
        };
        let before: Value = serde_json::from_str(&row.kept).unwrap_or_default();
        let mut kept = outcome.to_json();
        kept[SECONDS] = before[SECONDS].clone();
        row.kept = kept.to_string();
        store.put_stage(row, &[])?;
    }
    Ok(())
}
