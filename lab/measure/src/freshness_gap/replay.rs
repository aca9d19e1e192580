//! Replay of real histories: schedules of visits by policy, and the freshness of copies.

use std::collections::BTreeMap;

use magpie_freshness::change::{Belief, Goal, Observation, Population, RatePrior, Visits};
use magpie_freshness::schedule::{Page, Place, Queue, SiteSlot, price};

use super::histories::Life;

/// Share of the time, from the start, that is used for learning and not measured.
const LEARNING_SHARE: f64 = 0.25;
/// Factor by which the number of visits grows before patterns are relearned.
const RELEARN_FACTOR: f64 = 1.4;
/// Factor that keeps the price slightly too low, so that there is always a page to visit and all
/// policies make the same number of visits.
const PRICE_FACTOR: f64 = 0.9;

/// Method to choose pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Policy {
    /// All pages equally often.
    Uniform,
    /// By the most likely rate of each page alone.
    PlugIn,
    /// By beliefs that start from the page's pattern.
    Pattern,
    /// The same, with observations weighted by a half-life in days.
    PatternHalfLife(u32),
    /// By each page's true mean rate over its life, including the future.
    Oracle,
}

/// Result of a replay.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Outcome {
    /// Share of the pages' time in which copies were current.
    pub(crate) freshness: f64,
    /// Share of versions that were never seen.
    pub(crate) missed: f64,
}

/// Visits the pages with `per_page` visits per page and day.
pub(crate) fn replay(lives: &[Life], per_page: f64, policy: Policy) -> Outcome {
    let start = lives.iter().map(|life| life.born).fold(f64::INFINITY, f64::min);
    let end = lives.iter().map(|life| life.died).fold(start, f64::max);
    let mut watch = Watch::new(lives, policy, start + LEARNING_SHARE * (end - start));
    let mut now = start;
    while now < end {
        watch.come_and_go(now);
        let alive = watch.alive.max(1) as f64;
        // Time advances by one visit of the budget, which grows with the collection.
        now += 1.0 / (per_page * alive);
        watch.learn_when_due(per_page * alive);
        watch.visit_best(now.min(end));
    }
    watch.finish(end)
}

struct Watch<'a> {
    lives: &'a [Life],
    policy: Policy,
    from: f64,
    births: Vec<usize>,
    deaths: Vec<usize>,
    alive: usize,
    places: Vec<Option<Place>>,
    pages: Vec<usize>,
    queue: Queue,
    site: SiteSlot,
    visits: Vec<Visits>,
    patterns: Vec<usize>,
    priors: Vec<RatePrior>,
    made: f64,
    learn_at: f64,
    fresh: f64,
    time: f64,
    missed: f64,
    versions: f64,
}

impl<'a> Watch<'a> {
    fn new(lives: &'a [Life], policy: Policy, from: f64) -> Self {
        let mut queue = Queue::new(Goal::Freshness, 1e-9, f64::INFINITY);
        let site = queue.add_site(0.0);
        let mut births: Vec<usize> = (0..lives.len()).collect();
        let mut deaths = births.clone();
        births.sort_by(|one, two| lives[*two].born.total_cmp(&lives[*one].born));
        deaths.sort_by(|one, two| lives[*two].died.total_cmp(&lives[*one].died));
        let mut names = BTreeMap::new();
        let patterns = lives.iter().map(|life| {
            let next = names.len();
            *names.entry(life.pattern.as_str()).or_insert(next)
        });
        let patterns: Vec<usize> = patterns.collect();
        // Before any observation: a month, within a factor of seven.
        let unknown = Population::guess(1.0 / 30.0).new_pattern();
        Self {
            lives,
            policy,
            from,
            births,
            deaths,
            queue,
            site,
            alive: 0,
            places: vec![None; lives.len()],
            pages: Vec::new(),
            visits: vec![Visits::default(); lives.len()],
            priors: vec![unknown; names.len()],
            patterns,
            made: 0.0,
            learn_at: lives.len() as f64,
            fresh: 0.0,
            time: 0.0,
            missed: 0.0,
            versions: 0.0,
        }
    }

    fn come_and_go(&mut self, now: f64) {
        while let Some(page) = self.births.pop_if(|page| self.lives[*page].born <= now) {
            let born = self.lives[page].born;
            self.visits[page].record(born, Observation::Changed);
            self.places[page] = self.queue.add(self.site, self.page(page), born);
            self.alive += 1;
            let place = self.places[page].map_or(0, |place| place.0 as usize);
            self.pages.resize(self.pages.len().max(place + 1), 0);
            self.pages[place] = page;
        }
        while let Some(page) = self.deaths.pop_if(|page| self.lives[*page].died <= now) {
            self.count(page, self.lives[page].died);
            if let Some(place) = self.places[page].take() {
                self.queue.remove(place);
                self.alive -= 1;
            }
        }
    }

    fn visit_best(&mut self, now: f64) {
        if self.alive == 0 {
            return;
        }
        let mut due = self.queue.take(now);
        for _ in 0..200 {
            if due.is_some() {
                break;
            }
            // Nothing is worth the price although visits remain, so the price is too high.
            self.queue.set_price(self.queue.price() / 2.0);
            due = self.queue.take(now);
        }
        let Some(due) = due else { return };
        let page = self.pages[due.place.0 as usize];
        let last = self.visits[page].last.unwrap_or(now);
        let changed = self.changes(page, last, now) > 0;
        self.count(page, now);
        if let Policy::PatternHalfLife(half_life) = self.policy {
            let keep = 0.5_f64.powf((now - last) / f64::from(half_life));
            self.visits[page].history.forget(keep);
        }
        self.visits[page].record(
            now,
            if changed {
                Observation::Changed
            } else {
                Observation::Same
            },
        );
        self.made += 1.0;
        let known = self.page(page);
        self.queue.fetched(due.place, now, known);
    }

    /// Returns the page as the policy estimates it.
    fn page(&self, page: usize) -> Page {
        let belief = match self.policy {
            Policy::Uniform => Belief::certain(1e-6),
            Policy::Pattern | Policy::PatternHalfLife(_) => {
                self.priors[self.patterns[page]].belief_after(&self.visits[page].history)
            }
            Policy::PlugIn => {
                let rate = self.visits[page].history.most_likely_rate().unwrap_or(1.0 / 30.0);
                Belief::certain(rate.clamp(1e-9, 1e6))
            }
            Policy::Oracle => {
                let life = &self.lives[page];
                Belief::certain(life.changes.len() as f64 / (life.died - life.born))
            }
        };
        Page { belief, weight: 1.0 }
    }

    fn learn_when_due(&mut self, budget: f64) {
        if self.made < self.learn_at {
            return;
        }
        self.learn_at = self.made * RELEARN_FACTOR;
        let living: Vec<usize> = (0..self.lives.len())
            .filter(|page| self.places[*page].is_some())
            .collect();
        if matches!(self.policy, Policy::Pattern | Policy::PatternHalfLife(_)) {
            let mut groups = vec![Vec::new(); self.priors.len()];
            for (page, visits) in self.visits.iter().enumerate() {
                groups[self.patterns[page]].push(&visits.history);
            }
            self.priors = Population::learn(&Population::guess(1.0 / 30.0), groups).1;
        }
        let pages: Vec<Page> = living.iter().map(|page| self.page(*page)).collect();
        for (number, page) in living.iter().zip(&pages) {
            if let Some(place) = self.places[*number] {
                self.queue.update(place, *page);
            }
        }
        self.queue
            .set_price(PRICE_FACTOR * price(&pages, Goal::Freshness, budget));
    }

    fn changes(&self, page: usize, from: f64, to: f64) -> usize {
        let changes = &self.lives[page].changes;
        changes.partition_point(|change| *change <= to) - changes.partition_point(|change| *change <= from)
    }

    /// Accounts for a page from its last visit to now.
    fn count(&mut self, page: usize, now: f64) {
        let Some(last) = self.visits[page].last.filter(|last| *last < now) else {
            return;
        };
        let changes = &self.lives[page].changes;
        let first = changes.partition_point(|change| *change <= last);
        let stale_from = changes.get(first).copied().unwrap_or(f64::INFINITY).min(now);
        self.time += (now - last.max(self.from)).max(0.0);
        self.fresh += (stale_from - last.max(self.from)).max(0.0);
        if now > self.from {
            let seen = self.changes(page, last, now) as f64;
            self.versions += seen;
            self.missed += (seen - 1.0).max(0.0);
        }
    }

    fn finish(mut self, end: f64) -> Outcome {
        for page in 0..self.lives.len() {
            if self.places[page].is_some() {
                self.count(page, end);
            }
        }
        Outcome {
            freshness: self.fresh / self.time,
            missed: self.missed / self.versions.max(1.0),
        }
    }
}
