//! A recrawl: what of each site is fetched.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use magpie_model::{CanonicalUrl, UrlReason};
use magpie_patterns::drift::ShapeWatch;
use magpie_patterns::navigate::{Lists, Navigation, Navigator, Search, State, replay};
use magpie_patterns::pattern::{PatternSet, UrlPattern};
use magpie_patterns::plan::{Known, Round, way};
use magpie_rows::{KnownPage, LearnedSite, RoundMethod, RoundState, RunId, SiteId, SubmissionRow, UrlId};
use magpie_values::Timestamp;

use super::levels::LevelWalks;
use super::lists::Spending;
use crate::crawl::{LinkFilters, site_key};
use crate::filters::{FetchHistory, Rounds, SiteRound};
use crate::site::{
    Collection, LearnedPattern, NavigationFileError, ObjectsByPage, SiteError, SitePages, SiteSnapshot,
    Snapshots, View, entry_of, is_gone, navigation_file, only_of_site, read_navigation,
};

/// Mean number of links between false alarms: some hundred hubs show that many in a year.
const LINKS_TO_FALSE_ALARM: f64 = 100_000.0;

/// Objects of a page that a result leads to: its own, and at times a similar one. A page with more
/// is a page of results.
pub(super) const MAX_DETAIL_OBJECTS: u64 = 2;

/// Stands for the run of a dry walk, which fetches nothing.
pub(crate) const NO_RUN: RunId = RunId(i64::MAX);

/// Time, as a multiple of `recrawl.refresh`, after which a URL is tried again that was gone. Some
/// pages are announced before they are there, and few come back.
const GONE_WAIT: u32 = 12;

/// Rounds after which a hub is fetched unconditionally although it was unchanged so far. It
/// costs a quarter of the bytes of hubs, and a wrong answer delays new objects by some rounds at
/// most.
const WHOLE_EVERY: u32 = 4;

/// The pages of a site that a recrawl fetches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Hubs, and pages of chosen patterns that are new or due.
    Selective,
    /// The same for all patterns, chosen or not, due or not.
    AllPatterns,
    /// The pages that the published method fetches: level by level along learned patterns.
    Levels,
    /// All known and all linked pages.
    Full,
}

impl From<Method> for RoundMethod {
    fn from(method: Method) -> RoundMethod {
        match method {
            Method::Selective => RoundMethod::Selective,
            Method::AllPatterns => RoundMethod::AllPatterns,
            Method::Levels => RoundMethod::Levels,
            Method::Full => RoundMethod::Full,
        }
    }
}

/// A recrawl that is about to begin.
pub struct Plan {
    /// The method that chose the pages.
    pub method: RoundMethod,
    /// The sites with their numbers of pages.
    pub sites: Vec<PlannedSite>,
    /// Pages that were never fetched under these URLs: lists that a person added to a navigation,
    /// and pages whose URL has changed since they were fetched.
    pub named: Vec<CanonicalUrl>,
    /// Reasons why sites are left out: invalid files, which must not stop other sites.
    pub left_out: Vec<NavigationFileError>,
    /// States of navigations that match no known page, with their sites. They may be mistakes of
    /// the person who edited the file.
    pub idle: Vec<(String, String)>,
    /// Sites whose searches are asked.
    pub searched: Vec<(SiteId, String)>,
    /// The outcome shows whether patterns still yield.
    pub judges: bool,
    /// It is one of many rounds of a run, and began at this moment.
    pub(crate) since: Option<Timestamp>,
    /// The round of each site's crawl along its navigation.
    pub(crate) rounds: Option<Arc<Rounds>>,
    /// The walk of each site's crawl by levels.
    pub(crate) levels: Option<Arc<LevelWalks>>,
}

/// The pages of a site to fetch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedSite {
    /// Its number in the workspace.
    pub site: SiteId,
    /// Its host, or its origin if that is not the usual one.
    pub key: String,
    /// Pages that are read for their links.
    pub hubs: usize,
    /// Pages with objects that may have changed.
    pub due: usize,
    /// Pages that were seen and never fetched.
    pub unseen: usize,
    /// Pages of unknown kinds that are looked at, as the hubs were read last.
    pub explored: usize,
    /// Pages of results that search forms are asked for.
    pub asked: usize,
    /// Lists that are not read this time, because others show their objects or the ceiling leaves
    /// no room.
    pub resting: usize,
    /// Pages that are due for their age and wait for a later round.
    pub waiting: usize,
    /// Maximum number of newly found pages that it may also fetch; `None` without a ceiling.
    pub room: Option<u64>,
    /// HTML pages that are known, over all.
    pub known: usize,
}

impl Plan {
    /// Returns the filters that keep a crawl to the plan.
    pub fn filters(&self) -> Option<Arc<dyn LinkFilters>> {
        let rounds = self.rounds.clone().map(|rounds| rounds as Arc<dyn LinkFilters>);
        rounds.or_else(|| self.levels.clone().map(|levels| levels as Arc<dyn LinkFilters>))
    }

    /// Returns the moment at which it began, if it is one of many rounds of a run.
    pub fn since(&self) -> Option<Timestamp> {
        self.since
    }

    /// Returns the maximum number of pages it may fetch, including new pages; `None` without a
    /// ceiling.
    pub fn most(&self) -> Option<u64> {
        self.sites.iter().map(PlannedSite::most).sum()
    }

    pub(crate) fn round(&self, site: &str) -> Option<&Arc<Mutex<SiteRound>>> {
        self.rounds.as_ref()?.0.get(site)
    }
}

impl PlannedSite {
    /// All pages that are to be asked for.
    pub fn pages(&self) -> usize {
        self.hubs + self.due + self.unseen
    }

    /// All pages that a round asks for while the site stays as it was read last.
    pub fn promised(&self) -> usize {
        self.pages() + self.explored + self.asked
    }

    /// Returns the maximum number of pages that a round may fetch here, including new pages;
    /// `None` without a ceiling.
    pub(crate) fn most(&self) -> Option<u64> {
        self.room.map(|room| self.promised() as u64 + room)
    }

    /// A site of which nothing is planned yet.
    pub(crate) fn of(standing: &SiteSnapshot) -> PlannedSite {
        PlannedSite {
            site: standing.site.site,
            key: standing.site.key.clone(),
            hubs: 0,
            due: 0,
            unseen: 0,
            explored: 0,
            asked: 0,
            resting: 0,
            waiting: 0,
            room: None,
            known: standing.surveyed.known_pages(),
        }
    }
}

impl Collection<'_> {
    /// Plans a recrawl and queues its pages. Planned again in the same run, it leaves out pages
    /// fetched meanwhile, so an interrupted recrawl continues.
    pub fn plan(&self, method: Method, run: RunId) -> Result<Plan, SiteError> {
        self.planned(method, run, true, &mut Snapshots::default())
    }

    /// Returns what a recrawl would fetch now, without queueing anything: a dry walk of the
    /// navigations.
    pub(crate) fn dry_walk(
        &self,
        method: Method,
        snapshots: &mut Snapshots,
    ) -> Result<Vec<PlannedSite>, SiteError> {
        Ok(self.planned(method, NO_RUN, false, snapshots)?.sites)
    }

    fn planned(
        &self,
        method: Method,
        run: RunId,
        queues: bool,
        snapshots: &mut Snapshots,
    ) -> Result<Plan, SiteError> {
        let sightings = self.view().sightings(snapshots)?;
        let (mut sites, mut named, mut left_out) = (Vec::new(), Vec::new(), Vec::new());
        let mut idle = Vec::new();
        if matches!(method, Method::Full | Method::Levels) {
            let mut levels = (method == Method::Levels).then(LevelWalks::default);
            for learned in self.store.learned_sites(self.vertical)? {
                let view = self.view();
                let (standing, pages) = match &mut levels {
                    None => {
                        let standing = view.pages_snapshot(learned, snapshots)?;
                        let pages = (0..standing.surveyed.pages.len()).collect();
                        (standing, pages)
                    }
                    Some(levels) => {
                        let standing = view.whole_snapshot(learned, snapshots)?;
                        let pages = levels.add(&standing);
                        if queues {
                            self.store
                                .hold_queue(standing.site.site, &UrlReason::NotPlanned)?;
                        }
                        (standing, pages)
                    }
                };
                let (site, renamed) = self.plan_all(&standing, pages, run, queues)?;
                named.extend(renamed);
                sites.push(site);
            }
            return Ok(Plan {
                method: method.into(),
                sites,
                named,
                left_out,
                idle,
                searched: Vec::new(),
                judges: false,
                since: None,
                rounds: None,
                levels: levels.map(Arc::new),
            });
        }
        let mut rounds = Rounds::default();
        let view = self.view();
        for learned in self.store.learned_sites(self.vertical)? {
            let (site, key) = (learned.site, learned.key.clone());
            let (standing, navigator) = match view.guided(method, learned, snapshots) {
                Ok(Some(guided)) => guided,
                Ok(None) => continue,
                // One broken file leaves out its own site and not the whole round.
                Err(SiteError::Navigation(error)) => {
                    left_out.push(error);
                    continue;
                }
                Err(error) => return Err(error),
            };
            named.extend(named_pages(&navigator, &standing));
            let states = idle_states(&navigator, &standing).into_iter();
            idle.extend(states.map(|state| (key.clone(), state)));
            let memory = view.remembered(method, &standing.surveyed, &sightings, run);
            let mut round = view.site_round(Arc::clone(&navigator), memory, &standing);
            let surveyed = &standing.surveyed;
            let mut pages = replay(&mut round.round, &surveyed.survey.graph(), surveyed.survey.entry);
            let mut spending = Spending::default();
            if method == Method::Selective {
                let ceiling = view.ceiling(surveyed);
                spending = view.spending(&round, &pages, (surveyed, &sightings), run, ceiling);
                pages.retain(|place| !spending.resting.contains(place));
            }
            // The navigation alone does not reach all pages whose changes matter.
            if method == Method::Selective {
                pages.extend(due_but_unreachable(&round, &pages, surveyed, &sightings));
                let searches = &navigator.navigation().searches;
                if !searches.is_empty() {
                    let details = details_of(searches, &self.store.submissions(self.vertical, site)?);
                    pages.extend(due_behind_searches(
                        &round, &pages, &details, surveyed, &sightings,
                    ));
                }
                let last = self
                    .store
                    .states_before(self.vertical, site, run)?
                    .into_iter()
                    .next();
                // The last round may have read a temporary notice in the place of lists, so lists
                // that the navigation has lost since are tried too.
                if last.is_some_and(|state| state != RoundState::Done) {
                    pages.extend(lists_beside_the_way(&round, &pages, surveyed));
                }
            }
            let waiting = match method {
                Method::Selective => view.hold_back(&mut pages, &round, &spending.aged, surveyed, run),
                _ => 0,
            };
            let resting = spending.resting.iter();
            let resting: HashSet<u64> = resting
                .map(|place| surveyed.at(*place).0.fingerprint().0)
                .collect();
            round.round.memory_mut().resting.clone_from(&resting);
            let mut planned = plan_pages(&mut round, &pages, &standing, run, &spending);
            planned.site.resting = resting.len();
            planned.site.waiting = waiting;
            if method == Method::Selective {
                let memory = FetchHistory {
                    resting,
                    ..view.remembered(method, surveyed, &sightings, run)
                };
                // The walk changes its round, so it gets one of its own: the round of the crawl
                // must not count links that no page has shown yet.
                let dry = view.site_round(Arc::clone(&navigator), memory, &standing);
                let (explored, usual) = view.walk_links(dry, &planned.urls, surveyed)?;
                planned.site.explored = explored;
                round.shapes = ShapeWatch::new(usual, LINKS_TO_FALSE_ALARM);
                let searches = navigator.navigation().searches.iter();
                let pages = searches.map(|search| search.queries.len() * search.pages as usize);
                planned.site.asked = pages.sum();
            }
            let (urls, renamed) = standing.surveyed.asked_by(planned.urls);
            named.extend(renamed);
            if queues {
                // URLs that another operation has queued are not part of this round.
                self.store.hold_queue(site, &UrlReason::NotPlanned)?;
                self.store.queue_urls(site, urls)?;
            }
            rounds.0.insert(key, Arc::new(Mutex::new(round)));
            sites.push(planned.site);
        }
        let searched = sites.iter().filter(|_| method == Method::Selective);
        let searched = searched.map(|site: &PlannedSite| (site.site, site.key.clone()));
        Ok(Plan {
            method: method.into(),
            searched: searched.collect(),
            sites,
            named,
            left_out,
            idle,
            judges: method == Method::Selective,
            since: None,
            rounds: Some(Arc::new(rounds)),
            levels: None,
        })
    }

    fn plan_all(
        &self,
        standing: &SiteSnapshot,
        pages: Vec<usize>,
        run: RunId,
        queues: bool,
    ) -> Result<(PlannedSite, Vec<CanonicalUrl>), SiteError> {
        let surveyed = &standing.surveyed;
        let left = pages
            .into_iter()
            .filter(|place| !has_answered(&surveyed.pages[*place], run));
        let (urls, renamed) = surveyed.asked_by(left);
        let planned = PlannedSite {
            due: urls.len() + renamed.len(),
            ..PlannedSite::of(standing)
        };
        if queues {
            self.store.queue_urls(standing.site.site, urls)?;
        }
        Ok((planned, renamed))
    }
}

impl View<'_> {
    pub(crate) fn remembered(
        &self,
        method: Method,
        surveyed: &SitePages,
        sightings: &ObjectsByPage,
        run: RunId,
    ) -> FetchHistory {
        let known = |page: &KnownPage| match method {
            Method::Selective => self.known(page, sightings, run),
            _ if has_answered(page, run) => Known::Fresh,
            _ => Known::Due,
        };
        let known = surveyed.pages.iter().map(known);
        let mut known: Vec<Known> = known.collect();
        for page in &surveyed.survey.moved {
            // A page that moved for good is passed by its redirect, and not asked for again.
            let known = &mut known[*page as usize];
            if *known == Known::Fresh {
                *known = Known::Moved;
            }
        }
        let refresh = self.settings.settings.recrawl.refresh;
        let is_missing = |page: &KnownPage| {
            let wait = refresh.saturating_mul(GONE_WAIT);
            let is_recent = page.fetched_at.is_some_and(|at| self.now.since(at) < wait);
            method == Method::Selective && is_gone(page) && page.page.is_none() && is_recent
        };
        let missing = surveyed.named_pages().filter(|(_, page)| is_missing(page));
        let missing = missing.map(|(url, _)| url.fingerprint().0).collect();
        let urls = surveyed.survey.urls.iter();
        let pages = urls.map(|url| url.fingerprint().0).zip(known);
        FetchHistory {
            pages: pages.collect(),
            missing,
            resting: HashSet::new(),
            hubs_are_due: true,
        }
    }

    /// Classifies a page with objects by its fetches.
    fn known(&self, page: &KnownPage, sightings: &ObjectsByPage, run: RunId) -> Known {
        let Some(fetched_at) = page.fetched_at else {
            return Known::Never;
        };
        if has_answered(page, run) {
            return Known::Fresh;
        }
        if is_over(page, sightings) {
            return Known::Over;
        }
        let refresh = self.settings.settings.recrawl.refresh;
        // A page that did not change at its last visits is visited less often.
        let visits = match is_gone(page) {
            true => GONE_WAIT,
            false => page.unchanged.saturating_add(1),
        };
        let wait = refresh.saturating_mul(visits);
        let age = self.now.since(fetched_at);
        // A date in the future would keep the page due in every round, and says nothing about a
        // change.
        let hinted = page
            .hinted_at()
            .is_some_and(|at| at > fetched_at && at <= self.now);
        match age >= wait || hinted {
            true => Known::Due,
            false => Known::Fresh,
        }
    }

    /// A round that is about to begin.
    pub(crate) fn site_round(
        &self,
        navigator: Arc<Navigator>,
        memory: FetchHistory,
        standing: &SiteSnapshot,
    ) -> SiteRound {
        let patterns = standing.patterns.wanted.iter().chain(&standing.patterns.others);
        let is_foreseen = |learned: &&LearnedPattern| learned.row.wanted && learned.row.pages == 0;
        let foreseen = standing.rows.iter().filter(is_foreseen);
        SiteRound {
            reads_sitemaps: navigator.navigation().sitemaps,
            round: Round::new(navigator, memory),
            taken: HashSet::new(),
            whole: HashSet::new(),
            known: PatternSet::new(patterns.cloned()),
            foreseen: PatternSet::new(foreseen.map(|learned| learned.pattern.clone())),
            shapes: ShapeWatch::new(0.0, LINKS_TO_FALSE_ALARM),
            further: HashSet::new(),
            leading: HashSet::new(),
            listed: HashSet::new(),
            is_resumed: false,
            strange: 0,
            explore: usize::try_from(self.settings.settings.recrawl.explore).unwrap_or(usize::MAX),
            left: u64::MAX,
            refused: HashSet::new(),
        }
    }

    /// Follows the links of the planned pages as they were read last: how many pages of unknown
    /// kinds a round looks at, and the share of links to such pages.
    fn walk_links(
        &self,
        mut round: SiteRound,
        planned: &[usize],
        surveyed: &SitePages,
    ) -> Result<(usize, f64), SiteError> {
        let graph = surveyed.survey.graph();
        for place in planned {
            let page = surveyed.at(*place).0;
            // All other links that are known lead to pages that are planned or are not due.
            for link in graph.links(*place) {
                round.wants(page, surveyed.at(*link as usize).0, false);
            }
        }
        let shapes = round.shapes.shapes();
        let explored = self.exploration(&shapes, round.explore)?.pages();
        Ok((explored, round.shapes.share_of_unknown()))
    }

    /// Returns a site and its navigator for a recrawl, or `None` if it has no navigation.
    pub(super) fn guided(
        &self,
        method: Method,
        site: LearnedSite,
        snapshots: &mut Snapshots,
    ) -> Result<Option<(SiteSnapshot, Arc<Navigator>)>, SiteError> {
        if method == Method::Selective {
            let Some(navigator) = self.navigator(&site)? else {
                return Ok(None);
            };
            let standing = self.snapshot_along(site, &navigator, snapshots)?;
            return Ok(Some((standing, navigator)));
        }
        let standing = self.whole_snapshot(site, snapshots)?;
        let way = way(
            &standing.survey,
            &standing.patterns,
            &standing.patterns.wanted,
            Lists::Needed,
        );
        let navigator = way.map(|way| self.compiled(&standing.site.key, way.navigation));
        Ok(navigator.transpose()?.map(|navigator| (standing, navigator)))
    }

    /// Returns an error if rounds can't use the navigation of a site with selected patterns.
    pub fn check_navigation(&self, site: &LearnedSite) -> Result<(), SiteError> {
        self.navigator(site).map(drop)
    }

    /// Returns the navigation in the file of a site; none for a site without chosen patterns.
    pub(crate) fn navigator(&self, site: &LearnedSite) -> Result<Option<Arc<Navigator>>, SiteError> {
        let path = navigation_file(self.folder, self.vertical, &site.key);
        let Some(navigation) = read_navigation(&path)? else {
            let rows = self.reader.patterns(self.vertical, site.site)?;
            // A site without chosen patterns needs no file: its objects are not wanted, or other
            // sites bring them. With chosen patterns, a silent omission would look like a site
            // without news.
            return match rows.iter().any(|row| row.chosen) {
                true => Err(NavigationFileError::Missing(path).into()),
                false => Ok(None),
            };
        };
        let is_of_site = |url: &CanonicalUrl| {
            let settings = self.settings.for_host(url.host());
            site_key(settings, url) == site.key
        };
        // A person may have edited the file, so its URLs are checked again before any of them is
        // asked for.
        only_of_site(&navigation, &site.key, is_of_site)
            .map_err(|error| NavigationFileError::Content { path, error })?;
        self.compiled(&site.key, navigation).map(Some)
    }

    fn compiled(&self, key: &str, navigation: Navigation) -> Result<Arc<Navigator>, SiteError> {
        let path = navigation_file(self.folder, self.vertical, key);
        let navigator =
            Navigator::new(navigation).map_err(|error| NavigationFileError::Content { path, error })?;
        Ok(Arc::new(navigator))
    }
}

/// Returns the unknown pages that a navigation starts with: an entry page and lists that a person
/// added.
pub(crate) fn named_pages(navigator: &Navigator, standing: &SiteSnapshot) -> Vec<CanonicalUrl> {
    let navigation = navigator.navigation();
    // A learned entry is a known page, perhaps under another name.
    let entry = entry_of(navigation).filter(|entry| entry.as_str() != standing.site.entry);
    let also = navigation.also.iter();
    let also = also.filter_map(|list| CanonicalUrl::trusted(list.as_str()));
    let known = &standing.surveyed.survey.urls;
    entry
        .into_iter()
        .chain(also)
        .filter(|page| !known.contains(page))
        .collect()
}

/// Returns true if a page has answered in this run, with any status.
pub(super) fn has_answered(page: &KnownPage, run: RunId) -> bool {
    // An unreachable page is fetched again when the run is resumed, since the network may have been
    // down.
    page.run == Some(run) && page.status.is_some()
}

/// Returns the states of a navigation that match no known page though their patterns were not
/// predicted.
fn idle_states(navigator: &Navigator, standing: &SiteSnapshot) -> Vec<String> {
    // A pattern that was not learned was written by a person, and may be a mistake.
    let learned: HashSet<&UrlPattern> = standing.rows.iter().map(|learned| &learned.pattern).collect();
    let urls = standing.surveyed.survey.urls.iter();
    let met: HashSet<&str> = urls
        .filter_map(|url| navigator.state_of(url))
        .map(|state| state.name.as_str())
        .collect();
    let states = navigator.navigation().states.iter();
    let is_idle = |state: &&State| {
        let mut patterns = state.patterns.iter();
        !met.contains(state.name.as_str()) && !patterns.any(|pattern| learned.contains(pattern))
    };
    states.filter(is_idle).map(|state| state.name.clone()).collect()
}

/// Queues pages: those that are due, the lists, and as many pages that were never fetched as the
/// ceiling leaves room for.
fn plan_pages(
    round: &mut SiteRound,
    pages: &[usize],
    standing: &SiteSnapshot,
    run: RunId,
    spending: &Spending,
) -> Planned {
    let surveyed = &standing.surveyed;
    let mut planned = Planned {
        urls: Vec::new(),
        site: PlannedSite::of(standing),
    };
    // One page that has changed under the same `ETag` or `Last-Modified` discredits those of the
    // whole site.
    let lies = surveyed.pages.iter().any(|page| page.contradicted);
    let is_for_news = |place: &&usize| {
        let (url, page) = surveyed.at(**place);
        page.fetched_at.is_some() && round.navigator().reads(url) && !spending.aged.contains(place)
    };
    let lists = pages.iter().filter(is_for_news).count() as u64;
    round.left = spending
        .ceiling
        .map_or(u64::MAX, |ceiling| ceiling.saturating_sub(lists));
    // A partly learned site may have thousands of lists that were never fetched. They get half of
    // the room, so that the round can still fetch new pages.
    let mut unread = round.left / 2;
    for place in pages {
        let (url, page) = surveyed.at(*place);
        round.taken.insert(url.fingerprint().0);
        round.is_resumed |= has_answered(page, run);
        // The redirect of a moved page is known, and a page that robots.txt forbids is not fetched.
        // The entry page is asked for all the same, since a round judges the site by it.
        let is_passed = (round.round.known(url) == Known::Moved || !surveyed.may_fetch(*place))
            && *place != surveyed.survey.entry;
        if has_answered(page, run) || is_passed {
            continue;
        }
        let is_hub = round.navigator().reads(url);
        if page.fetched_at.is_none() {
            if round.left == 0 || (is_hub && unread == 0) {
                round.refused.insert(url.fingerprint().0);
                continue;
            }
            round.left -= 1;
            unread -= u64::from(is_hub);
        }
        planned.urls.push(*place);
        if is_hub && (lies || is_doubtful(page)) {
            round.whole.insert(url.fingerprint().0);
        }
        match (is_hub, page.fetched_at) {
            (true, _) => planned.site.hubs += 1,
            (false, Some(_)) => planned.site.due += 1,
            (false, None) => planned.site.unseen += 1,
        }
    }
    planned.site.room = spending.ceiling.map(|_| round.left);
    planned
}

/// Returns due pages with current objects that the navigation no longer reaches.
fn due_but_unreachable(
    round: &SiteRound,
    on_the_way: &[usize],
    surveyed: &SitePages,
    sightings: &ObjectsByPage,
) -> Vec<usize> {
    let mut is_met = vec![false; surveyed.pages.len()];
    on_the_way.iter().for_each(|place| is_met[*place] = true);
    // A shop removes a product from its lists before its page is gone, and the change of the page
    // matters.
    let is_due = |place: &usize| {
        let (url, page) = surveyed.at(*place);
        !is_met[*place]
            && round.navigator().may_have_objects(url)
            && round.round.known(url) == Known::Due
            && sightings.has_current(&page.url)
    };
    (0..surveyed.pages.len()).filter(is_due).collect()
}

/// Returns the pages that the results of the searches of a navigation led to.
fn details_of(searches: &[Search], submissions: &[SubmissionRow]) -> HashSet<UrlId> {
    let is_asked = |row: &&SubmissionRow| {
        let mut searches = searches.iter();
        searches.any(|search| {
            search.template == row.template
                && row.result_page < search.pages
                && search.queries.contains(&row.query)
        })
    };
    // A single page with many objects is the page of results itself.
    let leads_on = |row: &&SubmissionRow| row.shown_on.len() > 1 || row.objects <= MAX_DETAIL_OBJECTS;
    let rows = submissions.iter().filter(is_asked).filter(leads_on);
    rows.flat_map(|row| &row.shown_on).copied().collect()
}

/// Returns due pages with current objects that results of searches lead to.
fn due_behind_searches(
    round: &SiteRound,
    planned: &[usize],
    details: &HashSet<UrlId>,
    surveyed: &SitePages,
    sightings: &ObjectsByPage,
) -> Vec<usize> {
    let planned: HashSet<usize> = planned.iter().copied().collect();
    // The searches themselves fetch only pages that are new.
    let is_due = |place: &usize| {
        let (url, page) = surveyed.at(*place);
        details.contains(&page.id)
            && !planned.contains(place)
            && round.round.known(url) == Known::Due
            && sightings.has_current(&page.url)
    };
    (0..surveyed.pages.len()).filter(is_due).collect()
}

/// Returns at most a few lists that existed at the last fetch and that the navigation no longer
/// reaches.
fn lists_beside_the_way(round: &SiteRound, on_the_way: &[usize], surveyed: &SitePages) -> Vec<usize> {
    const MOST: usize = 50;
    let on_the_way: HashSet<usize> = on_the_way.iter().copied().collect();
    let is_there = |page: &KnownPage| page.page.is_some() && matches!(page.status, Some(200..=299 | 304));
    let is_list = |place: &usize| {
        let (url, page) = surveyed.at(*place);
        !on_the_way.contains(place) && is_there(page) && round.navigator().reads(url)
    };
    (0..surveyed.pages.len()).filter(is_list).take(MOST).collect()
}

/// The pages of a site that are queued, by their places.
struct Planned {
    urls: Vec<usize>,
    site: PlannedSite,
}

/// Returns true if all objects of a page have expired, so that it is not fetched any more.
pub(crate) fn is_over(page: &KnownPage, sightings: &ObjectsByPage) -> bool {
    !sightings.of(&page.url).is_empty() && !sightings.has_current(&page.url)
}

/// Returns true if a hub is fetched unconditionally, although the site may answer "not modified":
/// before two bodies were compared, and every few rounds.
fn is_doubtful(page: &KnownPage) -> bool {
    // Some sites never change `ETag` or `Last-Modified`, and a hub that wrongly seems unchanged
    // hides all new objects.
    page.bodies < 2 || page.unchanged % WHOLE_EVERY == WHOLE_EVERY - 1
}
