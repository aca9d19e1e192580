//! A recrawl: what of each site is fetched, and what came of it.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use magpie_learn::drift::{
    Expected, NewShape, PatternHealth, PatternMonitor, Relearn, Sensitivity, ShapeWatch, relearn,
};
use magpie_learn::navigate::{Navigator, Role, replay};
use magpie_learn::pattern::{PatternSet, Proportion};
use magpie_learn::plan::{Known, Memory, Round, way};
use magpie_model::CanonicalUrl;
use magpie_store::{KnownPage, PatternRow, Reader, RoundRow, RunId, SiteId, UrlId};

use super::learn::{Standing, chosen_of};
use super::navigation::{navigation_file, read_navigation};
use super::survey::{Sightings, Surveyed};
use super::{CollectError, Collection};
use crate::crawl::{Guide, Guides};

/// Why queued URLs are put aside that are not part of a recrawl.
const NOT_PLANNED: &str = "not-planned";

/// Links of unknown shape to a false alarm: some hundred hubs show so many in a year.
const LINKS_TO_FALSE_ALARM: f64 = 100_000.0;

/// A site that answers nothing to so many requests has shut us out, or is down.
const BLOCKED: u64 = 3;

/// A hub that is said not to change is had whole once in so many rounds: a quarter of its bytes, for a delay of some rounds
/// at the worst where a site lies.
const WHOLE_EVERY: u32 = 4;

/// How much of a site a recrawl fetches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Hubs, and pages of chosen patterns that are new or due.
    Selective,
    /// The same for all patterns, chosen or not, due or not.
    AllPatterns,
    /// Everything that is known and all that is linked.
    Full,
}

impl Method {
    /// The word in the workspace.
    pub fn word(self) -> &'static str {
        match self {
            Method::Selective => "selective",
            Method::AllPatterns => "all-patterns",
            Method::Full => "full",
        }
    }
}

/// A recrawl that is about to begin.
pub struct Plan {
    /// How much is fetched.
    pub method: Method,
    /// The sites.
    pub sites: Vec<PlannedSite>,
    rounds: Arc<Rounds>,
}

/// What is to be fetched of a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedSite {
    /// The site.
    pub site: SiteId,
    /// Its key.
    pub key: String,
    /// Pages that are read for their links.
    pub hubs: usize,
    /// Pages with objects that may have changed.
    pub due: usize,
    /// Pages that were seen and never fetched.
    pub unseen: usize,
    /// Pages that are known, over all.
    pub known: usize,
}

impl Plan {
    /// What keeps a crawl to the plan.
    pub fn guides(&self) -> Option<Arc<dyn Guides>> {
        match self.method {
            Method::Full => None,
            _ => Some(Arc::clone(&self.rounds) as Arc<dyn Guides>),
        }
    }
}

/// What came of a recrawl.
#[derive(Clone, Debug, Default)]
pub struct Recorded {
    /// Site by site.
    pub sites: Vec<SiteOutcome>,
}

/// What came of a recrawl at one site.
#[derive(Clone, Debug)]
pub struct SiteOutcome {
    /// What was written down.
    pub round: RoundRow,
    /// The site's key.
    pub key: String,
    /// What is to be learned again of it.
    pub relearn: Relearn,
    /// Kinds of pages that its lists link to and nothing was known of.
    pub shapes: Vec<NewShape>,
    /// Further pages of lists, which had none before, that have objects.
    pub further: usize,
    /// Patterns with an alarm.
    pub alarms: Vec<(String, String)>,
}

/// The rounds of all sites, shared with the crawl.
#[derive(Default)]
struct Rounds(HashMap<String, Arc<Mutex<SiteRound>>>);

struct SiteRound {
    round: Round<Remembered>,
    /// What was queued or wanted already.
    taken: HashSet<u64>,
    /// Hubs that are had whole, whatever the site would say of their having changed.
    whole: HashSet<u64>,
    navigator: Arc<Navigator>,
    known: PatternSet,
    shapes: ShapeWatch,
    /// Further pages of lists that nothing was known of, by fingerprint.
    further: HashSet<u64>,
    /// How many of them may be looked at.
    explore: usize,
}

/// What earlier rounds know of pages, by fingerprint.
#[derive(Debug, Default)]
struct Remembered(HashMap<u64, Known>);

impl Memory for Remembered {
    fn known(&self, url: &CanonicalUrl) -> Known {
        self.0.get(&url.fingerprint().0).copied().unwrap_or(Known::Never)
    }
}

impl Guides for Rounds {
    fn guide(&self, site: &str) -> Option<Box<dyn Guide>> {
        let round = self.0.get(site)?;
        Some(Box::new(Shared(Arc::clone(round))))
    }
}

struct Shared(Arc<Mutex<SiteRound>>);

impl Guide for Shared {
    fn wants(&mut self, page: &CanonicalUrl, link: &CanonicalUrl) -> bool {
        lock(&self.0).wants(page, link)
    }

    fn wants_whole(&self, page: &CanonicalUrl) -> bool {
        lock(&self.0).whole.contains(&page.fingerprint().0)
    }

    fn fetched(&mut self, page: &CanonicalUrl, found: u64, objects: u64) {
        lock(&self.0).round.found(page, found + objects > 0);
    }
}

impl SiteRound {
    fn wants(&mut self, page: &CanonicalUrl, link: &CanonicalUrl) -> bool {
        let state = self.navigator.classify(page);
        let from_hub = state.is_some_and(|state| self.navigator.is_hub(state))
            || self.further.contains(&page.fingerprint().0);
        if !from_hub || link == page {
            return false;
        }
        let fingerprint = link.fingerprint().0;
        if self.taken.contains(&fingerprint) {
            return false;
        }
        if link.origin() == page.origin() {
            self.shapes.saw(page, link, &self.known);
        }
        let wanted = self.round.wants(page, link) || self.is_further(page, link);
        if wanted {
            self.taken.insert(fingerprint);
        }
        wanted
    }

    /// Whether a link leads to a further page of a list that had none before: the same path with another query. A site that
    /// begins to turn the pages of its lists would else hide what is not on the first.
    fn is_further(&mut self, page: &CanonicalUrl, link: &CanonicalUrl) -> bool {
        let is_further = link.origin() == page.origin()
            && link.path() == page.path()
            && self.further.len() < self.explore
            && !self.known.matches(link);
        if is_further {
            self.further.insert(link.fingerprint().0);
        }
        is_further
    }
}

fn lock(round: &Mutex<SiteRound>) -> MutexGuard<'_, SiteRound> {
    round.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Collection<'_> {
    /// Plans a recrawl and queues what is planned. Planned again within the same run it leaves out what was fetched meanwhile, so a
    /// recrawl that was interrupted goes on.
    pub fn plan(&self, method: Method, run: RunId) -> Result<Plan, CollectError> {
        let reader = self.reader()?;
        let sightings = Sightings::read(&reader, self.vertical, self.now)?;
        let mut sites = Vec::new();
        let mut rounds = Rounds::default();
        for standing in self.standing(&sightings)? {
            let (site, key) = (standing.site.site, standing.site.key.clone());
            if method == Method::Full {
                sites.push(self.plan_all(&standing, run)?);
                continue;
            }
            let Some(navigator) = self.navigator(method, &standing)? else {
                continue;
            };
            let memory = self.remembered(method, &standing.surveyed, &sightings, run);
            let (round, planned) = self.plan_site(navigator, memory, &standing, run);
            self.workspace.hold_queue(site, NOT_PLANNED)?;
            let urls = planned
                .urls
                .iter()
                .map(|place| standing.surveyed.pages[*place].id);
            self.workspace.queue_urls(site, urls.collect())?;
            rounds.0.insert(key, Arc::new(Mutex::new(round)));
            sites.push(planned.site);
        }
        Ok(Plan {
            method,
            sites,
            rounds: Arc::new(rounds),
        })
    }

    /// Everything again.
    fn plan_all(&self, standing: &Standing, run: RunId) -> Result<PlannedSite, CollectError> {
        let pages = &standing.surveyed.pages;
        let left = pages.iter().filter(|page| page.run != Some(run));
        let urls: Vec<UrlId> = left.map(|page| page.id).collect();
        let planned = PlannedSite {
            site: standing.site.site,
            key: standing.site.key.clone(),
            hubs: 0,
            due: urls.len(),
            unseen: 0,
            known: pages.len(),
        };
        self.workspace.queue_urls(standing.site.site, urls)?;
        Ok(planned)
    }

    /// The navigation of a site: the file's, or one that leads to all patterns.
    fn navigator(&self, method: Method, standing: &Standing) -> Result<Option<Arc<Navigator>>, CollectError> {
        let path = navigation_file(self.folder, self.vertical, &standing.site.key);
        let navigation = match method {
            Method::Selective => read_navigation(&path)?,
            _ => way(&standing.survey, &standing.patterns, &standing.patterns.wanted)
                .map(|learned| learned.navigation),
        };
        let Some(navigation) = navigation else {
            return Ok(None);
        };
        let navigator = Navigator::new(navigation)
            .map_err(|error| super::NavigationFileError::Content { path, error })?;
        Ok(Some(Arc::new(navigator)))
    }

    fn remembered(
        &self,
        method: Method,
        surveyed: &Surveyed,
        sightings: &Sightings,
        run: RunId,
    ) -> Remembered {
        let known = |page: &KnownPage| match method {
            Method::Selective => self.known(page, sightings, run),
            _ if page.run == Some(run) => Known::Fresh,
            _ => Known::Due,
        };
        let pages = surveyed.survey.urls.iter().zip(&surveyed.pages);
        Remembered(
            pages
                .map(|(url, page)| (url.fingerprint().0, known(page)))
                .collect(),
        )
    }

    /// What is known of a page with objects.
    fn known(&self, page: &KnownPage, sightings: &Sightings, run: RunId) -> Known {
        let Some(fetched_at) = page.fetched_at else {
            return Known::Never;
        };
        if page.run == Some(run) {
            return Known::Fresh;
        }
        if matches!(page.status, Some(404 | 410)) {
            return Known::Over;
        }
        if !sightings.of(&page.url).is_empty() && !sightings.has_current(&page.url) {
            return Known::Over;
        }
        let refresh = self.settings.settings.recrawl.refresh.as_millis();
        let wait = refresh.saturating_mul(1 + u128::from(page.unchanged));
        let age = u128::from((self.now - fetched_at).max(0).unsigned_abs());
        let hinted = page.hinted_at.is_some_and(|at| at > fetched_at && at <= self.now);
        match age >= wait || hinted {
            true => Known::Due,
            false => Known::Fresh,
        }
    }

    fn plan_site(
        &self,
        navigator: Arc<Navigator>,
        memory: Remembered,
        standing: &Standing,
        run: RunId,
    ) -> (SiteRound, Planned) {
        let surveyed = &standing.surveyed;
        let mut round = Round::new(Arc::clone(&navigator), memory);
        let pages = replay(&mut round, &surveyed.survey.graph(), surveyed.survey.entry);
        let mut planned = Planned {
            urls: Vec::new(),
            site: PlannedSite {
                site: standing.site.site,
                key: standing.site.key.clone(),
                hubs: 0,
                due: 0,
                unseen: 0,
                known: surveyed.pages.len(),
            },
        };
        let (mut taken, mut whole) = (HashSet::new(), HashSet::new());
        let lies = surveyed.pages.iter().any(|page| page.contradicted);
        for place in pages {
            let (url, page) = (&surveyed.survey.urls[place], &surveyed.pages[place]);
            taken.insert(url.fingerprint().0);
            if page.run == Some(run) {
                continue;
            }
            planned.urls.push(place);
            let is_hub = navigator
                .classify(url)
                .is_some_and(|state| navigator.is_hub(state));
            if is_hub && (lies || is_doubtful(page)) {
                whole.insert(url.fingerprint().0);
            }
            match (is_hub, page.fetched_at) {
                (true, _) => planned.site.hubs += 1,
                (false, Some(_)) => planned.site.due += 1,
                (false, None) => planned.site.unseen += 1,
            }
        }
        let patterns = standing.patterns.wanted.iter().chain(&standing.patterns.others);
        let round = SiteRound {
            round,
            taken,
            whole,
            known: PatternSet::new(patterns.cloned()),
            shapes: ShapeWatch::new(0.0, LINKS_TO_FALSE_ALARM),
            further: HashSet::new(),
            explore: usize::try_from(self.settings.settings.recrawl.explore).unwrap_or(usize::MAX),
            navigator,
        };
        (round, planned)
    }

    /// Writes down what a recrawl did, after its objects were clustered: what came of each site, and how its patterns do.
    pub fn record(&self, plan: &Plan, run: RunId, began: i64) -> Result<Recorded, CollectError> {
        let reader = self.reader()?;
        let sightings = Sightings::read(&reader, self.vertical, self.now)?;
        let planned: HashMap<i64, &PlannedSite> = plan.sites.iter().map(|site| (site.site.0, site)).collect();
        let mut recorded = Recorded::default();
        for mut standing in self.standing(&sightings)? {
            if !planned.contains_key(&standing.site.site.0) {
                continue;
            }
            let mut round = self.counted(&reader, plan, &standing, &sightings, run, began)?;
            let alarms = match plan.method {
                Method::Selective => self.watch(&mut standing, &sightings, run)?,
                _ => Vec::new(),
            };
            let shared = plan.rounds.0.get(&standing.site.key);
            let (shapes, hubs_broken, further) = shared.map_or((Vec::new(), false, 0), |round| {
                let round = lock(round);
                let further = fetched_in(&standing.surveyed, run).filter(|(url, page)| {
                    round.further.contains(&url.fingerprint().0) && !sightings.of(&page.url).is_empty()
                });
                (round.shapes.shapes(), round.shapes.is_alarmed(), further.count())
            });
            let relearn = relearn(&health(&standing)?, hubs_broken || round.state == "blocked");
            if relearn != Relearn::Nothing && round.state == "done" {
                "broken".clone_into(&mut round.state);
            }
            let wanted = standing.rows.into_iter().filter(|row| row.wanted);
            self.workspace
                .put_round(self.vertical, round.clone(), wanted.collect())?;
            recorded.sites.push(SiteOutcome {
                round,
                key: standing.site.key,
                relearn,
                shapes,
                further,
                alarms,
            });
        }
        Ok(recorded)
    }

    fn counted(
        &self,
        reader: &Reader,
        plan: &Plan,
        standing: &Standing,
        sightings: &Sightings,
        run: RunId,
        began: i64,
    ) -> Result<RoundRow, CollectError> {
        let shared = plan.rounds.0.get(&standing.site.key);
        let navigator = shared.map(|round| Arc::clone(&lock(round).navigator));
        let is_hub = |url: &CanonicalUrl| {
            let navigator = navigator.as_ref()?;
            Some(navigator.is_hub(navigator.classify(url)?))
        };
        let mut row = RoundRow {
            run,
            site: standing.site.site,
            method: plan.method.word().to_owned(),
            pages: 0,
            unchanged: 0,
            hubs: 0,
            failures: 0,
            bytes: 0,
            objects: 0,
            new_objects: 0,
            state: "done".to_owned(),
        };
        let mut objects: HashSet<u32> = HashSet::new();
        for (url, page) in fetched_in(&standing.surveyed, run) {
            row.pages += 1;
            row.bytes += page.bytes;
            row.unchanged += u64::from(page.status == Some(304));
            row.failures += u64::from(has_failed(page));
            row.hubs += u64::from(is_hub(url).unwrap_or(false));
            objects.extend(sightings.of(&page.url));
        }
        if row.pages >= BLOCKED && row.failures == row.pages {
            "blocked".clone_into(&mut row.state);
        }
        row.objects = objects.len() as u64;
        for object in objects {
            let cluster = sightings.cluster(object).map(|cluster| reader.cluster(cluster));
            let first_seen = cluster.transpose()?.flatten().map(|cluster| cluster.first_seen);
            row.new_objects += u64::from(first_seen.is_some_and(|at| at >= began));
        }
        Ok(row)
    }

    /// Hands what came of each page to the watch of its pattern. The alarms that stand.
    fn watch(
        &self,
        standing: &mut Standing,
        sightings: &Sightings,
        run: RunId,
    ) -> Result<Vec<(String, String)>, CollectError> {
        let chosen = chosen_of(&standing.rows)?;
        let set = PatternSet::new(chosen.iter().cloned());
        let places: BTreeMap<String, usize> = (0..)
            .zip(&standing.rows)
            .map(|(place, row)| (row.pattern.clone(), place))
            .collect();
        let mut monitors: BTreeMap<usize, PatternMonitor> = BTreeMap::new();
        for (url, page) in fetched_in(&standing.surveyed, run) {
            // What has not changed says nothing of how its pattern does.
            if page.status == Some(304) {
                continue;
            }
            for pattern in set.matching(url) {
                let Some(place) = places.get(&set.patterns()[pattern].to_string()) else {
                    continue;
                };
                let row = &mut standing.rows[*place];
                let monitor = monitors.entry(*place).or_insert_with(|| self.monitor(row));
                let failed = has_failed(page);
                let yields = !failed && !sightings.of(&page.url).is_empty();
                row.watched.fetches += 1;
                row.watched.failures += u64::from(failed);
                row.watched.yields += u64::from(yields);
                let _ = monitor.fetched(failed, yields);
            }
        }
        let mut alarms = Vec::new();
        for (place, monitor) in monitors {
            let row = &mut standing.rows[place];
            row.watched.alarm = monitor.alarm().map(|alarm| {
                let word = match alarm {
                    magpie_learn::drift::Alarm::Yield => "yield",
                    magpie_learn::drift::Alarm::Failures => "failures",
                };
                alarms.push((row.pattern.clone(), word.to_owned()));
                word.to_owned()
            });
            row.watched.monitor = serde_json::to_string(&monitor).ok();
        }
        Ok(alarms)
    }

    /// The watch of a pattern: as it stood, or a new one.
    fn monitor(&self, row: &PatternRow) -> PatternMonitor {
        let standing = row.watched.monitor.as_deref();
        if let Some(monitor) = standing.and_then(|text| serde_json::from_str(text).ok()) {
            return monitor;
        }
        let proportion = |hits: u64| Proportion {
            hits: hits as usize,
            of: row.pages as usize,
        };
        let expected = Expected {
            yielding: proportion(row.yielding),
            failing: proportion(0),
        };
        let sensitivity = Sensitivity {
            fetches_to_false_alarm: self.settings.settings.recrawl.false_alarm as f64,
            ..Sensitivity::default()
        };
        PatternMonitor::new(expected, sensitivity)
    }

    /// Queues what a site is learned again from: its entry page and the hubs that led somewhere. All that they link to and is new
    /// will be followed.
    pub fn plan_repair(&self, key: &str, run: RunId) -> Result<usize, CollectError> {
        let reader = self.reader()?;
        let sightings = Sightings::read(&reader, self.vertical, self.now)?;
        let path = navigation_file(self.folder, self.vertical, key);
        let navigation = read_navigation(&path)?;
        let navigator = navigation.and_then(|navigation| Navigator::new(navigation).ok());
        let site = self.workspace_site(key)?;
        let surveyed = self.surveyed(&reader, site, key, &sightings)?;
        let is_hub = |url: &CanonicalUrl| {
            let navigator = navigator.as_ref()?;
            let state = navigator.state(navigator.classify(url)?)?;
            Some(state.role != Role::Object)
        };
        let pages = surveyed.survey.urls.iter().zip(&surveyed.pages).enumerate();
        let again = pages.filter(|(place, (url, page))| {
            let was_read = page.run == Some(run) && !has_failed(page);
            *place == surveyed.survey.entry || (was_read && is_hub(url).unwrap_or(false))
        });
        let urls: Vec<UrlId> = again.map(|(_, (_, page))| page.id).collect();
        let queued = urls.len();
        self.workspace.hold_queue(site, NOT_PLANNED)?;
        self.workspace.queue_urls(site, urls)?;
        Ok(queued)
    }

    fn workspace_site(&self, key: &str) -> Result<SiteId, CollectError> {
        use magpie_store::Frontier;
        Ok(self.workspace.site(key)?)
    }
}

/// The pages of a site that are queued, by their places.
struct Planned {
    urls: Vec<usize>,
    site: PlannedSite,
}

/// Whether a site's word that a hub has not changed is not enough: before two bodies were compared, and now and then. Some
/// sites never change their `ETag` or `Last-Modified`, and a hub that is believed to stand still hides all that is new.
fn is_doubtful(page: &KnownPage) -> bool {
    page.bodies < 2 || page.unchanged % WHOLE_EVERY == WHOLE_EVERY - 1
}

fn fetched_in(surveyed: &Surveyed, run: RunId) -> impl Iterator<Item = (&CanonicalUrl, &KnownPage)> {
    let pages = surveyed.survey.urls.iter().zip(&surveyed.pages);
    pages.filter(move |(_, page)| page.run == Some(run))
}

fn has_failed(page: &KnownPage) -> bool {
    !matches!(page.status, Some(200..=399))
}

fn health(standing: &Standing) -> Result<Vec<PatternHealth>, CollectError> {
    let chosen = standing.rows.iter().filter(|row| row.chosen);
    let health = chosen.map(|row| {
        Ok(PatternHealth {
            pattern: super::learn::parsed(&row.pattern)?,
            alarm: row.watched.alarm.as_deref().map(|word| match word {
                "failures" => magpie_learn::drift::Alarm::Failures,
                _ => magpie_learn::drift::Alarm::Yield,
            }),
            objects: u32::try_from(row.objects).unwrap_or(u32::MAX),
        })
    });
    health.collect()
}
