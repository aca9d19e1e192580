//! Decides which pages are worth a visit now, for a budget.
//!
//! A [`WatchPlan`] has an estimated rate of change for every relevant page, and the minimum value
//! of a visit at the budget. It is computed for every cycle from the past visits in the store. So a
//! watch that was stopped or killed continues without loss, settings and verticals may change
//! between cycles, and there is no state beside the workspace.
//!
//! Values have one unit, an object for a day: a known object that is outdated, or one that is
//! unknown yet. A page with objects loses its freshness once; a list that is not read misses more
//! and more. So both are in one [queue](magpie_freshness::schedule::Queue), at one price.

mod allowance;
mod belief;
mod cycle;
mod forecast;
mod news;
mod price;
mod quiet;
mod seen;

use std::time::Duration;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use magpie_freshness::change::{Goal, Meaning};
use magpie_freshness::schedule::{Page, Place, Queue};
use magpie_model::CanonicalUrl;
use magpie_patterns::navigate::{Navigator, Role, StateId, replay};
use magpie_patterns::plan::{Known, Memory, Round};
use magpie_rows::{KnownPage, Pages, RunKind, SiteId, Spent, StoreError, UrlId};
use magpie_values::Timestamp;

use crate::recrawl::{Method, NO_RUN, is_over};
use crate::settings::{Budget, ChangeChoice, GoalChoice};

use crate::site::{ObjectsByPage, SiteError, SitePages, SiteSnapshot, Snapshots, View, is_gone};

pub use allowance::Allowance;
pub use forecast::Forecast;

use belief::{Group, Groups};
use news::FoundLink;
use seen::{Fading, Seen, SiteSeen, Versions, counted, days};

/// Age from which visits are ignored: they don't show how a page changes today.
const MEMORY: Duration = DAY.saturating_mul(365);

/// Requests longer ago count against no budget of a site.
const SPENT: Duration = DAY.saturating_mul(14);

/// Initial retry delay of a page that can't be fetched, doubled after each failure.
const RETRY: Duration = Duration::from_secs(3_600);

const MAX_RETRY: Duration = DAY.saturating_mul(7);

/// Bytes of a page before one was seen.
const USUAL_BYTES: f64 = 50_000.0;

/// Expected events from which a page that changes quickly is visited before `watch.min_gap` is
/// over: one visit in four then brings something, and freshness is 88 % or more.
const EXPECTED_AT_VISIT: f64 = 0.25;

const DAY: Duration = Duration::from_secs(86_400);

/// The purpose of visits to a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// For what it links to and lists.
    News,
    /// For objects that are known, and may have changed.
    Objects,
    /// It was never fetched.
    New,
}

/// A page that is watched.
#[derive(Clone, Debug)]
pub struct Watched {
    /// The number of its site in the plan.
    pub site: usize,
    /// Its name of today.
    pub address: CanonicalUrl,
    /// The reason for visits to it.
    pub purpose: Purpose,
    /// Number of informative visits, and of those that showed something new.
    pub compared: (u32, u32),
    /// Expected events per day: changes, or new objects.
    pub rate: f64,
    /// When it was visited last.
    pub last: Option<Timestamp>,
    /// It has changed since, according to the site's sitemap or feed.
    pub hinted: bool,
    page: Page,
    /// Apparent age of the last visit in days, with hints taken into account; infinite if there was
    /// none.
    seems: f64,
    /// The events of a page in a day: objects that come, and changes of those that are there.
    pace: f64,
    /// It is not tried again before.
    not_before: Timestamp,
    place: usize,
}

/// A site that is watched.
pub struct WatchedSite {
    /// Its number in the workspace.
    pub site: SiteId,
    /// Its host, or its origin if that is not the usual one.
    pub key: String,
    /// Pages that may still be asked of it in this cycle.
    pub left: u64,
    /// Requests that its own budget allows in a day; infinite without one.
    per_day: f64,
    /// Time until its own budget pays for a page; `None` if it never does.
    wait: Option<Duration>,
    /// Nothing of it is asked for before this moment: it has no current object, and was looked at
    /// not long ago.
    opens_at: Timestamp,
    /// The share of visits that have pages whole, instead of asking whether they have changed.
    looks: f64,
    navigator: Arc<Navigator>,
    standing: SiteSnapshot,
}

/// Estimates at a moment, and the visits that follow from them for a budget.
pub struct WatchPlan {
    /// The moment.
    pub now: Timestamp,
    /// The sites with a usable navigation.
    pub sites: Vec<WatchedSite>,
    /// Their pages.
    pub pages: Vec<Watched>,
    /// The least worth of a visit to a page of each site, in objects for a day; infinite without
    /// a budget.
    pub prices: Vec<f64>,
    /// New objects in a day, estimated from the lists.
    pub news: f64,
    /// The numbers of objects that are current, and of those that have expired.
    pub objects: (u64, u64),
    /// The rest of the budget.
    pub allowance: Allowance,
    /// Reasons why sites are left out, in sentences.
    pub problems: Vec<String>,
    goal: Goal,
    longest_gap: f64,
}

/// The pages worth a visit now, and those that come after them.
#[derive(Clone, Debug, Default)]
pub struct Due {
    /// The pages, those that are worth most first.
    pub picks: Vec<ScheduledVisit>,
    /// Pages that are worth a visit, and wait for the budget of their site.
    pub held: usize,
    /// When the next page may be asked for and is worth it; none if that never is.
    pub next: Option<Timestamp>,
}

/// A page that is due.
#[derive(Clone, Copy, Debug)]
pub struct ScheduledVisit {
    /// Its number in the plan.
    pub page: usize,
    /// Value of the visit, in objects for a day.
    pub value: f64,
}

impl View<'_> {
    /// Computes the plan for a budget.
    pub fn watch_plan(&self, budget: &Budget) -> Result<WatchPlan, SiteError> {
        let reader = self.reader;
        let mut snapshots = Snapshots::default();
        let sightings = self.sightings(&mut snapshots)?;
        let versions = Versions::read(reader, self.vertical)?;
        let mut watch_plan = WatchPlan {
            now: self.now,
            sites: Vec::new(),
            pages: Vec::new(),
            prices: Vec::new(),
            news: 0.0,
            objects: sightings.count(),
            allowance: Allowance::of(budget, &[], USUAL_BYTES, self.now),
            problems: Vec::new(),
            goal: match self.settings.settings.watch.goal {
                GoalChoice::Freshness => Goal::Freshness,
                GoalChoice::Age => Goal::Age,
            },
            longest_gap: self.settings.settings.watch.max_gap.as_secs_f64() / 86_400.0,
        };
        // The budget of the watch and those of sites are counted from the same requests, so the
        // earlier beginning holds.
        let since = (self.now - SPENT).min(Allowance::since(budget, self.now));
        let spent = reader.spent(RunKind::Watch, since)?;
        let mut groups = Groups::default();
        for site in reader.learned_sites(self.vertical)? {
            let navigator = match self.navigator(&site) {
                Ok(Some(navigator)) => navigator,
                Ok(None) => continue,
                // One invalid file must not stop all other sites.
                Err(SiteError::Navigation(error)) => {
                    watch_plan.problems.push(error.to_string());
                    continue;
                }
                Err(error) => return Err(error),
            };
            let standing = self.snapshot_along(site, &navigator, &mut snapshots)?;
            let limit = self.limit_of(&standing, &spent)?;
            let watched = WatchedSite {
                left: limit.left,
                per_day: limit.per_day,
                wait: limit.wait,
                opens_at: Timestamp::MIN,
                site: standing.site.site,
                key: standing.site.key.clone(),
                looks: 0.0,
                navigator,
                standing,
            };
            self.watch_site(watched, &sightings, &versions, &mut watch_plan, &mut groups)?;
        }
        // Pages of all sites are needed first, since kinds with little history are judged by the
        // others.
        groups.believe(&mut watch_plan, self.settings.settings.watch.new_object);
        self.space_visits(&mut watch_plan);
        // A budget in bytes buys pages of the size that the pages of the plan have, which is known
        // only now.
        watch_plan.allowance = Allowance::of(budget, &spent, watch_plan.bytes_per_page(), self.now);
        watch_plan.prices = watch_plan.prices_at(watch_plan.allowance.haste());
        Ok(watch_plan)
    }

    fn watch_site(
        &self,
        mut site: WatchedSite,
        sightings: &ObjectsByPage,
        versions: &Versions,
        watch_plan: &mut WatchPlan,
        groups: &mut Groups,
    ) -> Result<(), SiteError> {
        let (surveyed, navigator) = (&site.standing.surveyed, &site.navigator);
        let urls = || surveyed.survey.urls.iter().zip(&surveyed.pages);
        let fingerprints = urls().map(|(url, page)| (page.id, url.fingerprint().0)).collect();
        let meaning = self.meaning();
        let since = self.now - MEMORY;
        let fading = Fading {
            half_life: self.settings.settings.watch.half_life.as_secs_f64() / 86_400.0,
            now: self.now,
        };
        let seen = SiteSeen::read(
            self.reader,
            site.site,
            since,
            meaning,
            versions,
            &fingerprints,
            fading,
        )?;
        let mut evidence = Evidence {
            found: found_by_links(self.reader, site.site, navigator)?,
            seen,
            versions,
            sightings,
            fading,
        };
        let mut round = Round::new(Arc::clone(navigator), Everything);
        let on_the_way = replay(&mut round, &surveyed.survey.graph(), surveyed.survey.entry);
        // A watch reads the lists that a recrawl would read. Its own budget is its ceiling.
        let memory = self.remembered(Method::Selective, surveyed, sightings, NO_RUN);
        let round = self.site_round(Arc::clone(navigator), memory, &site.standing);
        let resting = self
            .spending(&round, &on_the_way, (surveyed, sightings), NO_RUN, None)
            .resting;
        let reached: HashSet<usize> = on_the_way.into_iter().collect();
        let opens_at = evidence.opens_at(&site, self.now);
        if let Some(opens_at) = opens_at {
            site.opens_at = opens_at;
            // A site without a current object gets a few pages a look, whatever its own budget has
            // left.
            site.left = site.left.min(quiet::LOOK);
        }
        let number = watch_plan.sites.len();
        let mut hints = belief::Hints::default();
        for (place, (url, page)) in urls().enumerate() {
            let Some(state) = navigator.classify(url) else {
                continue;
            };
            let is_met = (reached.contains(&place), opens_at.is_some());
            let purpose = match purpose(navigator, state, page, is_met, sightings) {
                Some(Purpose::News) if resting.contains(&place) => {
                    let has_current = sightings.has_current(&page.url);
                    has_current.then_some(Purpose::Objects)
                }
                purpose => purpose,
            };
            let Some(purpose) = purpose else { continue };
            // Each page is met once, so its history is moved instead of copied.
            let of_page = evidence.seen.pages.remove(&page.id).unwrap_or_default();
            hints.learn(page, &of_page);
            let group = evidence.group(purpose, url, page, &of_page);
            groups.add((number, state), watch_plan.pages.len(), group);
            watch_plan
                .pages
                .push(self.watched((number, place), purpose, &site.standing.surveyed, &of_page));
        }
        groups.set_hints(number, hints);
        site.looks = evidence.seen.validators.looks();
        watch_plan.sites.push(site);
        Ok(())
    }

    /// A page, before anything is believed of it.
    fn watched(
        &self,
        (site, place): (usize, usize),
        purpose: Purpose,
        surveyed: &SitePages,
        seen: &Seen,
    ) -> Watched {
        let (url, page) = surveyed.at(place);
        let fetched = page.fetched_at;
        Watched {
            site,
            place,
            address: url.clone(),
            purpose,
            compared: match purpose {
                // A first visit can't be compared with one before.
                Purpose::News => (seen.times.len().saturating_sub(1) as u32, 0),
                _ => seen.compared,
            },
            rate: 0.0,
            pace: 0.0,
            last: fetched,
            hinted: fetched.zip(page.hinted_at()).is_some_and(|(at, hint)| hint > at),
            page: Page::of_rate(0.0),
            seems: fetched.map_or(f64::INFINITY, |at| days(at.min(self.now), self.now)),
            not_before: self.retry_at(page, seen.failures),
        }
    }

    /// Returns the time of the next try of a page that failed.
    fn retry_at(&self, page: &KnownPage, failures: u32) -> Timestamp {
        let (Some(at), 1..) = (page.fetched_at, failures) else {
            return Timestamp::MIN;
        };
        // A missing page is tried as rarely as in a recrawl.
        if is_gone(page) {
            return at + self.settings.settings.recrawl.refresh.saturating_mul(failures);
        }
        at + RETRY.saturating_mul(1 << (failures - 1).min(16)).min(MAX_RETRY)
    }

    /// Puts the next visit of each page off until `watch.min_gap` after the last one, or until
    /// about something happens to it, whichever is sooner.
    fn space_visits(&self, watch_plan: &mut WatchPlan) {
        let watch = &self.settings.settings.watch;
        // Less an interval, or a timer that comes every six hours would find a page visited a
        // second too late.
        let shortest = watch.min_gap.saturating_sub(watch.interval).as_secs_f64() / 86_400.0;
        for watched in watch_plan
            .pages
            .iter_mut()
            .filter(|page| page.purpose != Purpose::New)
        {
            let Some(last) = watched.last else { continue };
            let gap = match watched.pace > 0.0 {
                true => shortest.min(EXPECTED_AT_VISIT / watched.pace),
                false => shortest,
            };
            watched.not_before = watched.not_before.max(last.min(self.now) + of_days(gap));
        }
    }

    fn meaning(&self) -> Meaning {
        match self.settings.settings.watch.change {
            ChangeChoice::Bytes => Meaning::Bytes,
            ChangeChoice::Text => Meaning::Text,
            ChangeChoice::Objects => Meaning::Objects,
        }
    }

    /// Computes how much may be asked of a site: what its own budget has left, and no more than
    /// politeness allows in one cycle.
    fn limit_of(&self, standing: &SiteSnapshot, spent: &[Spent]) -> Result<Limit, StoreError> {
        let key = standing.site.key.as_str();
        let host = key.split_once("://").map_or(key, |(_, host)| host);
        let settings = self.settings.for_site(key);
        // A paused site stays in the plan, so that its pages are shown with the reason.
        if settings.watch.pause {
            return Ok(Limit {
                left: 0,
                per_day: 0.0,
                wait: None,
            });
        }
        let mut delay = settings.politeness.delay;
        // The key of a site has no scheme, and robots.txt may ask for a longer delay at either.
        for scheme in ["https", "http"] {
            if let Some(row) = self.reader.host(&format!("{scheme}://{host}"))? {
                delay = delay.max(row.delay);
            }
        }
        // A site that is slow must not keep the others waiting: no more is asked than politeness
        // allows in one cycle.
        let in_time = settings.watch.interval.as_millis() / delay.as_millis().max(1);
        let in_time = u64::try_from(in_time).unwrap_or(u64::MAX).max(1);
        let polite = polite_per_day(delay);
        let Some(budget) = &settings.watch.site_budget else {
            return Ok(Limit {
                left: in_time,
                per_day: polite,
                wait: Some(Duration::ZERO),
            });
        };
        let here = spent
            .iter()
            .filter(|spent| spent.site == Some(standing.site.site));
        let here: Vec<Spent> = here.copied().collect();
        let bytes = here.iter().map(|spent| spent.bytes).sum::<u64>() as f64 / here.len().max(1) as f64;
        let allowance = Allowance::of(budget, &here, bytes, self.now);
        Ok(Limit {
            left: allowance.pages().min(in_time),
            per_day: allowance.pages_per_day().min(polite),
            wait: allowance.wait(),
        })
    }
}

/// Returns the number of requests that fit in a day with a delay between them.
fn polite_per_day(delay: Duration) -> f64 {
    match delay {
        Duration::ZERO => f64::INFINITY,
        delay => DAY.div_duration_f64(delay),
    }
}

/// Returns a duration of whole milliseconds; zero for negative days.
fn of_days(days: f64) -> Duration {
    Duration::from_millis((days * DAY.as_millis() as f64) as u64)
}

/// The requests that one site may get.
struct Limit {
    /// Pages, in this cycle.
    left: u64,
    /// Requests, in a day.
    per_day: f64,
    /// Time until a page may be fetched; `None` if it never may.
    wait: Option<Duration>,
}

impl WatchPlan {
    /// Returns the sites whose searches may be asked, by id and key.
    pub fn searched(&self) -> Vec<(SiteId, String)> {
        let open = self.sites.iter().filter(|site| site.left > 0);
        open.map(|site| (site.site, site.key.clone())).collect()
    }

    /// The pages that are visited again and again.
    fn known(&self) -> impl Iterator<Item = &Watched> {
        self.pages.iter().filter(|page| page.purpose != Purpose::New)
    }

    /// Returns the mean cost of a visit in bytes; zero where the site answers that nothing has
    /// changed.
    fn bytes_per_page(&self) -> f64 {
        let bytes = self.pages.iter().filter_map(|watched| {
            let page = &self.sites[watched.site].standing.surveyed.pages[watched.place];
            page.fetched_at.map(|_| page.bytes as f64)
        });
        let (count, sum) = bytes.fold((0.0, 0.0), |(count, sum), bytes| (count + 1.0, sum + bytes));
        if count > 0.0 { sum / count } else { USUAL_BYTES }
    }

    /// Returns what is worth a visit now, and when the next page is. `most` is a number of pages.
    pub fn due(&self, most: u64) -> Due {
        let mut left: Vec<u64> = self.sites.iter().map(|site| site.left).collect();
        let (mut queue, numbers) = self.queue();
        let mut found = Due::default();
        let mut is_picked = vec![false; self.pages.len()];
        while let Some(due) = queue.take(0.0) {
            let number = numbers[&due.place];
            let page = &self.pages[number];
            // The queue gives the most valuable pages first, so the limit leaves out the least
            // valuable ones.
            if (found.picks.len() as u64) >= most {
                break;
            }
            // A failed or quiet page keeps its place in the queue until it may be tried.
            if self.opens_in(page) > 0.0 {
                continue;
            }
            let site = &mut left[page.site];
            if *site == 0 {
                found.held += 1;
                continue;
            }
            *site -= 1;
            is_picked[number] = true;
            found.picks.push(ScheduledVisit {
                page: number,
                value: self.value(number),
            });
        }
        // Pages that were held back count too: the watch wakes when the budget of their site pays
        // for one.
        let next = numbers.iter().filter(|(_, number)| !is_picked[**number]);
        let next = next.map(|(place, number)| {
            let page = &self.pages[*number];
            let due = queue.due_at(*place).unwrap_or(f64::INFINITY);
            let paid = match left[page.site] {
                0 => self.sites[page.site]
                    .wait
                    .map_or(f64::INFINITY, |wait| wait.div_duration_f64(DAY)),
                _ => 0.0,
            };
            due.max(self.opens_in(page)).max(paid)
        });
        let next = next.fold(f64::INFINITY, f64::min);
        found.next = next.is_finite().then(|| self.now + of_days(next));
        found
    }

    /// Returns visits to the list pages and the new pages of a site, due or not, the most valuable
    /// first. `most` is a number of pages.
    pub(crate) fn visits_of(&self, site: &str, most: u64) -> Vec<ScheduledVisit> {
        let pages = self.pages.iter().enumerate();
        let mut visits: Vec<ScheduledVisit> = pages
            .filter(|(_, page)| page.purpose != Purpose::Objects && self.sites[page.site].key == site)
            .map(|(number, _)| ScheduledVisit {
                page: number,
                value: self.value(number),
            })
            .collect();
        visits.sort_by(|one, other| other.value.total_cmp(&one.value));
        let left = self
            .sites
            .iter()
            .find(|own| own.key == site)
            .map_or(0, |own| own.left);
        visits.truncate(usize::try_from(most.min(left)).unwrap_or(usize::MAX));
        visits
    }

    /// Days until a page may be visited. The value of a visit does not count here.
    fn opens_in(&self, page: &Watched) -> f64 {
        let at = page.not_before.max(self.sites[page.site].opens_at);
        at.days_since(self.now)
    }

    /// Returns the due times of pages in days from now, by index. Pages that are already due are
    /// ordered by value.
    pub fn calendar(&self) -> Vec<(usize, f64)> {
        let (queue, numbers) = self.queue();
        let mut calendar: Vec<(usize, f64)> = numbers
            .iter()
            .filter_map(|(place, number)| Some((*number, queue.due_at(*place)?)))
            .filter(|(_, at)| at.is_finite() || *at == f64::NEG_INFINITY)
            .map(|(number, at)| (number, at.max(self.opens_in(&self.pages[number])).max(0.0)))
            .collect();
        calendar.sort_by(|one, other| {
            let sooner = one.1.total_cmp(&other.1);
            let worthier = || self.value(other.0).total_cmp(&self.value(one.0));
            sooner.then_with(worthier).then(one.0.cmp(&other.0))
        });
        calendar
    }

    /// Returns the value of a visit to a page now.
    pub fn value(&self, page: usize) -> f64 {
        let watched = &self.pages[page];
        watched.page.weight * watched.page.belief.value(self.goal, watched.seems)
    }

    /// Returns all pages in a queue whose time is days from now.
    fn queue(&self) -> (Queue, HashMap<Place, usize>) {
        let has_budget = self.prices.iter().any(|price| price.is_finite());
        // The price of the queue is one. The weight of a page is divided by the price at its site
        // below, so that one queue orders the pages of all sites.
        let price = if has_budget { 1.0 } else { f64::INFINITY };
        let mut queue = Queue::new(self.goal, price, self.longest_gap);
        let sites: Vec<_> = self.sites.iter().map(|_| queue.add_site(0.0)).collect();
        let mut numbers = HashMap::new();
        for (number, watched) in self.pages.iter().enumerate() {
            let page = Page {
                weight: watched.page.weight / self.prices[watched.site],
                ..watched.page
            };
            if let Some(place) = queue.add(sites[watched.site], page, -watched.seems) {
                numbers.insert(place, number);
            }
        }
        (queue, numbers)
    }
}

/// Results of past visits to the pages of a site.
struct Evidence<'a> {
    seen: SiteSeen,
    /// The links to pages that are wanted, by the list on which they were found first.
    found: HashMap<UrlId, Vec<FoundLink>>,
    versions: &'a Versions,
    sightings: &'a ObjectsByPage,
    fading: Fading,
}

impl Evidence<'_> {
    /// Returns the evidence for the rate of a page, by purpose.
    fn group(&self, purpose: Purpose, url: &CanonicalUrl, page: &KnownPage, seen: &Seen) -> Group {
        match purpose {
            Purpose::News => {
                let (new, records) = self.versions.events(url.fingerprint().0);
                let found = self.found.get(&page.id).map_or(&[][..], Vec::as_slice);
                let news = news::news(found, new, &seen.times, self.versions);
                let second = seen.times.get(1).map_or(Timestamp::MAX, |(at, _)| *at);
                Group::News {
                    found: news.iter().filter(|at| **at >= second).count() as u32,
                    news: counted(&seen.times, &news, self.seen.trusts(), self.fading),
                    edits: counted(&seen.times, records, self.seen.trusts(), self.fading),
                }
            }
            Purpose::Objects => {
                let objects = self.sightings.of(&page.url).iter();
                Group::Objects {
                    history: seen.history.clone(),
                    objects: objects
                        .filter(|object| self.sightings.is_current(**object))
                        .copied()
                        .collect(),
                }
            }
            Purpose::New => Group::New,
        }
    }
}

/// Every page that is there is part of what is watched.
struct Everything;

impl Memory for Everything {
    fn known(&self, _: &CanonicalUrl) -> Known {
        Known::Due
    }
}

/// Returns the purpose of watching a page, or `None` if it is not watched.
fn purpose(
    navigator: &Navigator,
    state: StateId,
    page: &KnownPage,
    (reached, is_quiet): (bool, bool),
    sightings: &ObjectsByPage,
) -> Option<Purpose> {
    let leads_elsewhere = page.redirect.is_some() && page.page.is_none();
    // On a site whose objects are all over, new ones appear on the lists of past ones.
    let is_past = is_over(page, sightings) && !(is_quiet && navigator.is_hub(state));
    if is_past || leads_elsewhere {
        return None;
    }
    if is_gone(page) {
        // A page that is gone is tried again only while a list still links to it.
        return reached.then_some(Purpose::New);
    }
    match (navigator.is_hub(state), page.fetched_at.is_some()) {
        (true, true) => reached.then_some(Purpose::News),
        (true, false) => reached.then_some(Purpose::New),
        (false, false) => Some(Purpose::New),
        (false, true) => sightings.has_current(&page.url).then_some(Purpose::Objects),
    }
}

/// URLs found by links that are read at a time.
const FOUND: usize = 20_000;

/// Reads the links to pages that are wanted, by the list on which they were found first.
fn found_by_links(
    reader: &dyn Pages,
    site: SiteId,
    navigator: &Navigator,
) -> Result<HashMap<UrlId, Vec<FoundLink>>, StoreError> {
    let mut found: HashMap<UrlId, Vec<FoundLink>> = HashMap::new();
    let mut after = None;
    loop {
        let rows = reader.found_by_links_after(site, after, FOUND)?;
        let Some(last) = rows.last() else {
            return Ok(found);
        };
        after = Some(last.id);
        for row in rows {
            let Some(url) = CanonicalUrl::trusted(row.url) else {
                continue;
            };
            let state = navigator.classify(&url).and_then(|state| navigator.state(state));
            if state.is_some_and(|state| state.role == Role::Object) {
                let (page, at) = (url.fingerprint().0, row.found_at);
                found
                    .entry(row.found_on)
                    .or_default()
                    .push(FoundLink { page, at });
            }
        }
    }
}
