//! Records the outcome of a recrawl: the state of each site and pattern, and the sites to learn
//! again.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use magpie_model::{CanonicalUrl, UrlReason};
use magpie_patterns::drift::{
    Alarm, Expected, NewShape, PatternHealth, PatternMonitor, Relearn, Sensitivity, SiteState,
    has_lost_lists, relearn,
};
use magpie_patterns::pattern::{PatternSet, Proportion, UrlPattern};
use magpie_rows::{KnownPage, PatternRow, RoundFilter, RoundRow, RoundState, RunId, UrlState};
use magpie_values::Timestamp;

use super::coverage::CoverageFall;
use super::plan::Plan;
use crate::filters::lock;
use crate::site::{
    Collection, ObjectsByPage, SiteError, SitePages, SiteSnapshot, Snapshots, is_gone, moved_to,
};

/// Failed requests after which a site without a single answer counts as blocked or down. A failing
/// entry page suffices alone.
const REFUSED: u64 = 3;

/// Factor of the time between false alarms for a site without earlier rounds: nothing shows yet how
/// it usually does.
const CARE_AT_FIRST: f64 = 10.0;

/// The sums of a site's earlier rounds in which nothing was broken: how it usually does.
#[derive(Clone, Copy, Debug, Default)]
struct History {
    rounds: usize,
    /// Fetches, without pages that were unchanged.
    fetches: u64,
    failures: u64,
    /// Fetches of lists.
    lists: u64,
}

impl History {
    fn of(rounds: &[RoundRow]) -> History {
        let done = rounds.iter().filter(|round| round.state == RoundState::Done);
        done.fold(History::default(), |sum, round| History {
            rounds: sum.rounds + 1,
            fetches: sum.fetches + round.pages.saturating_sub(round.unchanged),
            failures: sum.failures + round.failures,
            lists: sum.lists + round.hubs,
        })
    }
}

/// The outcome of a recrawl.
#[derive(Clone, Debug, Default)]
pub struct Recorded {
    /// The outcomes of the planned sites.
    pub sites: Vec<SiteOutcome>,
}

/// The outcome of a recrawl at one site.
#[derive(Clone, Debug)]
pub struct SiteOutcome {
    /// The row of the round.
    pub round: RoundRow,
    /// The site's key.
    pub key: String,
    /// Pages of it that were ever fetched.
    pub fetched: usize,
    /// The part of the site to learn again.
    pub relearn: Relearn,
    /// Kinds of pages that its lists link to and nothing was known of.
    pub shapes: Vec<NewShape>,
    /// Further pages of lists, which had none before, that have objects or led to new ones.
    pub further: usize,
    /// Patterns with an alarm.
    pub alarms: Vec<(String, Alarm)>,
    /// Attributes of which it has fewer values than when it was learned.
    pub falls: Vec<CoverageFall>,
    /// New pages that it did not fetch, because it had come to its ceiling.
    pub left_over: usize,
}

impl Collection<'_> {
    /// Writes down the outcome of a recrawl after its objects were clustered: the state of each
    /// site and of its patterns. Adds to earlier rounds of the same run.
    pub fn record(
        &self,
        plan: &Plan,
        (run, began): (RunId, Timestamp),
        snapshots: &mut Snapshots,
    ) -> Result<Recorded, SiteError> {
        let sightings = self.view().sightings(snapshots)?;
        let planned: HashSet<i64> = plan.sites.iter().map(|site| site.site.0).collect();
        let mut recorded = Recorded::default();
        let learned = self.store.learned_sites(self.vertical)?.into_iter();
        for site in learned.filter(|site| planned.contains(&site.site.0)) {
            let mut standing = self.view().pages_snapshot(site, snapshots)?;
            let fetched = fetched_in(&standing.surveyed, plan, run);
            let mut round = counted(plan, &standing, &fetched, &sightings, (run, began));
            let mut earlier = self.store.rounds(self.vertical, RoundFilter::Site(round.site))?;
            earlier.retain(|before| before.run < run);
            let history = History::of(&earlier);
            let alarms = match plan.judges {
                true => self.watch(&mut standing, &fetched, &sightings, history),
                false => Vec::new(),
            };
            let falls = match plan.judges {
                true => self.watch_coverage(standing.site.site, &standing.surveyed, &fetched)?,
                false => Vec::new(),
            };
            let shared = plan.round(&standing.site.key);
            let last = earlier.iter().rev();
            let gone_before = last.take_while(|round| round.state == RoundState::Gone).count();
            let lists_are_gone = plan.judges
                && (leads_nowhere(plan, &standing, &fetched, &sightings)
                    || self.lists_are_gone(plan, &standing, &fetched, (run, gone_before, history))?);
            let (shapes, strange, further) = shared.map_or((Vec::new(), false, 0), |round| {
                let round = lock(round);
                let further = fetched.iter().filter(|place| {
                    let (url, page) = standing.surveyed.at(**place);
                    let print = url.fingerprint().0;
                    let has_objects = || !sightings.of(&page.url).is_empty();
                    round.leading.contains(&print) || (round.further.contains(&print) && has_objects())
                });
                let shapes = not_looked_at(round.shapes.shapes(), &standing.surveyed);
                (shapes, round.shapes.is_alarmed(), further.count())
            });
            let shapes = self.view().untried(shapes)?;
            // All cycles of a watch of one day are one run, and their rounds are added up in one
            // row.
            let before = match plan.since {
                Some(_) => self.store.rounds(self.vertical, RoundFilter::Run(run))?,
                None => Vec::new(),
            };
            let before = before.iter().find(|before| before.site == round.site);
            // Lists that repairs did not find may never come back. They are looked for after one
            // round, two, four, and so on.
            let waits = gone_before > 0 && !gone_before.is_power_of_two();
            let was_tried = before.is_some_and(|before| before.state == RoundState::Gone);
            let state = match round.state {
                RoundState::Blocked => SiteState::Blocked,
                RoundState::Forbidden => SiteState::Forbidden,
                RoundState::Done | RoundState::Broken | RoundState::Gone => match (lists_are_gone, strange) {
                    (true, _) if waits || was_tried => SiteState::StillGone,
                    (true, _) => SiteState::Gone,
                    (false, true) => SiteState::Suspect,
                    (false, false) => SiteState::Intact,
                },
            };
            let relearn = relearn(&health(&standing), state);
            round.state = match state {
                SiteState::Blocked => RoundState::Blocked,
                SiteState::Forbidden => RoundState::Forbidden,
                SiteState::Gone | SiteState::StillGone => RoundState::Gone,
                SiteState::Intact | SiteState::Suspect => match relearn {
                    Relearn::Nothing => RoundState::Done,
                    Relearn::Folders(_) | Relearn::Site => RoundState::Broken,
                },
            };
            let of_run = before.map_or(round, |before| together(before, &round));
            let rows = standing.rows.into_iter().map(|learned| learned.row);
            // Monitors belong to patterns with objects, so no other row has changed.
            let wanted = rows.filter(|row| row.wanted).collect();
            self.store.put_round(self.vertical, of_run, wanted)?;
            recorded.sites.push(SiteOutcome {
                round,
                fetched: ever_fetched(&standing.surveyed),
                key: standing.site.key,
                relearn,
                shapes,
                further,
                alarms,
                falls,
                left_over: shared.map_or(0, |round| lock(round).refused.len()),
            });
        }
        Ok(recorded)
    }

    /// Counts again what a recrawl did at some sites: pages of theirs were asked for after it was
    /// written down.
    pub(crate) fn recount(
        &self,
        plan: &Plan,
        (run, began): (RunId, Timestamp),
        recorded: &mut Recorded,
        keys: &[String],
        snapshots: &mut Snapshots,
    ) -> Result<(), SiteError> {
        let sightings = self.view().sightings(snapshots)?;
        let learned = self.store.learned_sites(self.vertical)?;
        for site in recorded.sites.iter_mut().filter(|site| keys.contains(&site.key)) {
            let Some(learned) = learned.iter().find(|learned| learned.key == site.key) else {
                continue;
            };
            let standing = self.view().pages_snapshot(learned.clone(), snapshots)?;
            let fetched = fetched_in(&standing.surveyed, plan, run);
            let counted = counted(plan, &standing, &fetched, &sightings, (run, began));
            // The state was judged by the planned pages, and later fetches must not change it.
            site.round = RoundRow {
                state: site.round.state,
                ..counted
            };
            self.store.put_round(self.vertical, site.round, Vec::new())?;
        }
        Ok(())
    }

    /// Returns `true` if most lists of a site are gone, by what this run has fetched of them.
    fn lists_are_gone(
        &self,
        plan: &Plan,
        standing: &SiteSnapshot,
        fetched: &[usize],
        (run, gone_before, history): (RunId, usize, History),
    ) -> Result<bool, SiteError> {
        let Some(round) = plan.round(&standing.site.key) else {
            return Ok(false);
        };
        let navigator = Arc::clone(lock(round).navigator());
        let canonicaliser = self.view().canonicaliser(&standing.site.key)?;
        let is_entry = |url: &CanonicalUrl| navigator.navigation().entry.matches(url);
        let is_list = |url: &CanonicalUrl| navigator.reads(url) && !is_entry(url);
        let has_moved = |page: &KnownPage| {
            let to = moved_to(page).and_then(|to| canonicaliser.canonicalise_text(to, None).ok());
            to.is_some_and(|to| !is_list(&to.url))
        };
        let mut is_entry_read = false;
        let (mut lists, mut gone, mut gone_now, mut lost_before) = (0, 0, 0, 0);
        for (place, (url, page)) in standing.surveyed.named_pages().enumerate() {
            // One that was never there can't go.
            if page.page.is_none() {
                continue;
            }
            if page.run != Some(run) {
                lost_before += usize::from(is_gone(page) && is_list(url));
                continue;
            }
            // In a watch the lists of earlier cycles of the run count as well, but only a list that
            // was lost in this cycle can raise the alarm.
            let is_now = fetched.binary_search(&place).is_ok();
            if is_now && is_entry(url) {
                if is_gone(page) {
                    return Ok(true);
                }
                is_entry_read |= !has_failed(page);
            }
            if is_list(url) {
                let has_gone = is_gone(page) || has_moved(page);
                lists += 1;
                gone += usize::from(has_gone);
                gone_now += usize::from(has_gone && is_now);
            }
        }
        let is_whole_round = plan.since.is_none() && is_entry_read;
        // Lists that were gone before are not fetched any more. If no new one was found, they are
        // still gone.
        // Months and categories come and go; a site that has put its lists elsewhere has most of
        // them go at once.
        let none_is_left = is_whole_round && lists == 0 && navigator.has_hubs() && gone_before > 0;
        let before = Proportion {
            hits: lost_before.min(history.lists as usize),
            of: history.lists as usize,
        };
        let most_are_gone = gone_now > 0 && has_lost_lists(gone, lists, before);
        Ok(none_is_left || most_are_gone)
    }

    /// Hands the outcome of each fetch to the watch of its pattern. Returns the alarms that stand.
    fn watch(
        &self,
        standing: &mut SiteSnapshot,
        fetched: &[usize],
        sightings: &ObjectsByPage,
        history: History,
    ) -> Vec<(String, Alarm)> {
        let set = PatternSet::new(standing.chosen_patterns());
        let place_of = |pattern: &UrlPattern| {
            standing
                .rows
                .iter()
                .position(|learned| learned.pattern == *pattern)
        };
        let places: Vec<Option<usize>> = set.patterns().iter().map(place_of).collect();
        let of_patterns = |url| {
            set.matching(url)
                .into_iter()
                .filter_map(|pattern| places[pattern])
        };
        let was_dead = |page: &KnownPage| {
            is_gone(page) && page.page.is_none() && page.fetched_at <= Some(standing.site.learned_at)
        };
        let mut dead: BTreeMap<usize, usize> = BTreeMap::new();
        let pages = standing.surveyed.named_pages();
        for place in pages
            .filter(|(_, page)| was_dead(page))
            .flat_map(|(url, _)| of_patterns(url))
        {
            *dead.entry(place).or_default() += 1;
        }
        let mut monitors: BTreeMap<usize, PatternMonitor> = BTreeMap::new();
        for (url, page) in fetched.iter().map(|place| standing.surveyed.at(*place)) {
            // An unchanged page is no evidence about its pattern today.
            if page.status == Some(304) {
                continue;
            }
            for place in of_patterns(url) {
                let row = &mut standing.rows[place].row;
                // The monitor continues from the row, so the evidence of several small rounds adds
                // up.
                let monitor = monitors.entry(place).or_insert_with(|| {
                    self.monitor(row, dead.get(&place).copied().unwrap_or_default(), history)
                });
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
            let row = &mut standing.rows[place].row;
            row.watched.alarm = monitor.alarm();
            alarms.extend(monitor.alarm().map(|alarm| (row.pattern.clone(), alarm)));
            row.watched.monitor = serde_json::to_string(&monitor).ok();
        }
        alarms
    }

    /// The watch of a pattern: as it stood, or a new one. It expects what the site has done so far.
    /// `dead` are the links of the pattern that led nowhere when it was learned.
    fn monitor(&self, row: &PatternRow, dead: usize, history: History) -> PatternMonitor {
        let pages = row.pages as usize;
        let failing = Proportion {
            hits: dead + history.failures as usize,
            of: pages + dead + history.fetches as usize,
        };
        let there = failing.of.saturating_sub(failing.hits).max(1);
        let expected = Expected {
            // Patterns are learned from pages that were there. A dead link yields nothing.
            yielding: Proportion {
                hits: row.yielding as usize,
                of: pages + pages * failing.hits / there,
            },
            failing,
        };
        let care = if history.rounds == 0 { CARE_AT_FIRST } else { 1.0 };
        let sensitivity = Sensitivity {
            fetches_to_false_alarm: care * self.settings.settings.recrawl.false_alarm as f64,
            ..Sensitivity::default()
        };
        // A monitor written by another version may be unreadable. The pattern then gets a new
        // monitor.
        let standing = row.watched.monitor.as_deref();
        match standing.and_then(|text| serde_json::from_str::<PatternMonitor>(text).ok()) {
            Some(standing) => standing.expecting(expected, sensitivity),
            None => PatternMonitor::new(expected, sensitivity),
        }
    }
}

/// Counts what a round did at a site.
fn counted(
    plan: &Plan,
    standing: &SiteSnapshot,
    fetched: &[usize],
    sightings: &ObjectsByPage,
    (run, began): (RunId, Timestamp),
) -> RoundRow {
    let shared = plan.round(&standing.site.key);
    let navigator = shared.map(|round| Arc::clone(lock(round).navigator()));
    let is_hub = |url| {
        let navigator = navigator.as_ref();
        navigator.is_some_and(|navigator| navigator.reads(url))
    };
    let is_entry = |url| {
        let navigator = navigator.as_ref();
        navigator.is_some_and(|navigator| navigator.navigation().entry.matches(url))
    };
    let mut row = RoundRow {
        began_at: Timestamp::default(),
        run,
        site: standing.site.site,
        method: plan.method,
        pages: 0,
        unchanged: 0,
        hubs: 0,
        failures: 0,
        bytes: 0,
        objects: 0,
        new_objects: 0,
        current_objects: 0,
        state: RoundState::Done,
    };
    let mut objects: HashSet<u32> = HashSet::new();
    // A page that is gone is an answer of a working site, so it is no sign of a block.
    let (mut refused, mut is_entry_refused) = (0, false);
    for place in fetched {
        let (url, page) = standing.surveyed.at(*place);
        let is_refused = has_failed(page) && !is_gone(page);
        refused += u64::from(is_refused);
        is_entry_refused |= is_refused && is_entry(url);
        row.pages += 1;
        row.bytes += page.bytes;
        row.unchanged += u64::from(page.status == Some(304));
        row.failures += u64::from(has_failed(page));
        row.hubs += u64::from(is_hub(url));
        // Objects of a page that was not read were not seen this time, even if the page redirects.
        if matches!(page.status, Some(200..=299 | 304)) {
            objects.extend(sightings.of(&page.url));
        }
    }
    if refused == row.pages && (refused >= REFUSED || is_entry_refused) {
        row.state = RoundState::Blocked;
    }
    let planned = plan.sites.iter().find(|site| site.site == standing.site.site);
    if row.pages == 0 && planned.is_some_and(|planned| planned.pages() > 0) {
        // One of many rounds may end with its budget before a site's turn comes.
        let otherwise = match plan.since {
            None => RoundState::Blocked,
            Some(_) => RoundState::Done,
        };
        row.state = shut_by(&standing.surveyed).unwrap_or(otherwise);
    }
    row.objects = objects.len() as u64;
    let new = objects
        .iter()
        .filter(|object| sightings.is_new_since(**object, began));
    row.new_objects = new.count() as u64;
    let pages = standing.surveyed.pages.iter();
    let all: HashSet<u32> = pages.flat_map(|page| sightings.of(&page.url)).copied().collect();
    let current = all.iter().filter(|object| sightings.is_current(**object));
    row.current_objects = current.count() as u64;
    row
}

/// Fetched URLs of a kind, none of them a page, after which the kind is known: an API, files, or
/// addresses that answer nothing.
const NO_PAGES: usize = 3;

/// Keeps the unfetched URLs of each kind, and the kinds that may be pages.
fn not_looked_at(shapes: Vec<NewShape>, surveyed: &SitePages) -> Vec<NewShape> {
    if shapes.is_empty() {
        return shapes;
    }
    let was_asked = |page: &KnownPage| {
        page.fetched_at.is_some() || page.state == UrlState::Failed || page.state == UrlState::Refused
    };
    let asked: Vec<_> = surveyed
        .named_pages()
        .filter(|(_, page)| was_asked(page))
        .collect();
    let urls: HashSet<&CanonicalUrl> = asked.iter().map(|(url, _)| *url).collect();
    let may_be_pages = |shape: &NewShape| {
        let of_kind = asked.iter().filter(|(url, _)| shape.pattern.matches(url));
        let (mut pages, mut others) = (0, 0);
        of_kind.for_each(|(_, page)| match page.page {
            Some(_) => pages += 1,
            None => others += 1,
        });
        // A few URLs that are no pages may be exceptions, such as a file in a folder of pages.
        pages > 0 || others < NO_PAGES
    };
    let mut kept: Vec<NewShape> = shapes.into_iter().filter(may_be_pages).collect();
    for shape in &mut kept {
        shape.urls.retain(|url| !urls.contains(url));
    }
    kept.retain(|shape| !shape.urls.is_empty());
    kept
}

/// The pages of a site that this round has fetched, by their places.
fn fetched_in(surveyed: &SitePages, plan: &Plan, run: RunId) -> Vec<usize> {
    let since = plan.since.unwrap_or(Timestamp::MIN);
    let is_of_round =
        |page: &KnownPage| page.run == Some(run) && page.fetched_at.is_some_and(|at| at >= since);
    let pages = surveyed.pages.iter().enumerate();
    pages
        .filter(|(_, page)| is_of_round(page))
        .map(|(place, _)| place)
        .collect()
}

/// Returns true if the lists of a site were read, have no objects and lead to no page that may have
/// some: an outage with status 200, a redesigned entry page, or lists that scripts make now.
fn leads_nowhere(plan: &Plan, standing: &SiteSnapshot, fetched: &[usize], sightings: &ObjectsByPage) -> bool {
    let Some(round) = plan.round(&standing.site.key).map(|round| lock(round)) else {
        return false;
    };
    // Sitemaps lead to objects without lists, and a spent budget leaves lists unread.
    if plan.since.is_some() || round.is_resumed || round.reads_sitemaps || round.left == 0 {
        return false;
    }
    let entry = &round.navigator().navigation().entry;
    let mut is_entry_read = false;
    // Lists that were read, and pages that are gone, lead to no objects.
    let mut without = HashSet::new();
    for (url, page) in fetched.iter().map(|place| standing.surveyed.at(*place)) {
        let is_entry = entry.matches(url);
        let is_read = matches!(page.status, Some(200..=299));
        is_entry_read |= is_entry && is_read;
        if !is_entry && !round.navigator().reads(url) {
            continue;
        }
        let is_unchanged = page.status == Some(304);
        // One list with objects, or one that is as it was, shows that the navigation still leads to
        // objects.
        if is_unchanged || (is_read && !sightings.of(&page.url).is_empty()) {
            return false;
        }
        without.insert(url.fingerprint().0);
    }
    let gone = standing.surveyed.named_pages().filter(|(_, page)| is_gone(page));
    without.extend(gone.map(|(url, _)| url.fingerprint().0));
    is_entry_read && round.listed.is_subset(&without)
}

/// Returns the state of a round whose entry page failed, or `None` if the answer does not explain
/// it.
fn shut_by(surveyed: &SitePages) -> Option<RoundState> {
    let entry = surveyed.pages.get(surveyed.survey.entry)?;
    match &entry.reason {
        _ if entry.state != UrlState::Failed => None,
        Some(UrlReason::Robots) => Some(RoundState::Forbidden),
        _ => Some(RoundState::Blocked),
    }
}

fn ever_fetched(surveyed: &SitePages) -> usize {
    let fetched = surveyed.pages.iter().filter(|page| page.fetched_at.is_some());
    fetched.count()
}

/// Adds two rounds of a run at a site.
fn together(before: &RoundRow, round: &RoundRow) -> RoundRow {
    RoundRow {
        pages: before.pages + round.pages,
        unchanged: before.unchanged + round.unchanged,
        hubs: before.hubs + round.hubs,
        failures: before.failures + round.failures,
        bytes: before.bytes + round.bytes,
        // Some are met in both; the greater number is what is known for sure.
        objects: before.objects.max(round.objects),
        new_objects: before.new_objects + round.new_objects,
        ..*round
    }
}

pub(crate) fn has_failed(page: &KnownPage) -> bool {
    !matches!(page.status, Some(200..=399))
}

fn health(standing: &SiteSnapshot) -> Vec<PatternHealth> {
    let health = standing.chosen().map(|learned| PatternHealth {
        pattern: learned.pattern.clone(),
        alarm: learned.row.watched.alarm,
        objects: u32::try_from(learned.row.objects).unwrap_or(u32::MAX),
    });
    health.collect()
}
