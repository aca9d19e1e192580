//! Simulation of one policy on a world with a budget.

use std::collections::HashMap;

use magpie_freshness::change::{Goal, History, Observation, Visits};
use magpie_freshness::schedule::{Due, Page, Place, Queue, SiteSlot, price};
use magpie_model::CanonicalUrl;
use magpie_patterns::pattern::{Inducer, PatternSet, SiteUrls, TypedInducer};

use super::DAYS;
use super::policy::{Known, PAGE_KINDS, Pattern, Policy, Role};
use super::tally::Tally;
use super::world::{ObjectIndex, PageHistory, Record, State, World};

/// Patterns are relearned after a week, then whenever the elapsed time has grown by this factor.
const RELEARN_FACTOR: f64 = 1.4;

/// Factor that keeps the price slightly too low, so that some page is always due and every policy
/// makes the same number of visits.
const PRICE_FACTOR: f64 = 0.9;

/// Maximum number of halvings of a price at which nothing is due.
const MAX_HALVINGS: u32 = 200;

/// Number of times a week at which objects are counted.
const SAMPLES_PER_WEEK: u32 = 8;

#[derive(Clone, Debug)]
pub(super) struct Outcome {
    /// Number of requests, including those of the learning time.
    pub(super) requests: f64,
    /// Measurements after the learning time.
    pub(super) tally: Tally,
    /// Time of the first reading of each object; `None` if it was never read.
    pub(super) seen: Vec<Option<f64>>,
}

/// Source of new pages for a crawler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Discovery {
    /// The crawler is notified at once. All policies visit the same pages, and only their visits
    /// differ.
    Told,
    /// The crawler is notified at once, and shown the page without a visit.
    Shown,
    /// The crawler follows the links on the lists that it visits.
    Linked,
}

#[derive(Clone, Debug)]
pub(super) struct Scenario {
    /// Number of visits in each week.
    pub(super) visits: Vec<u32>,
    /// Weeks at the beginning for learning; not measured.
    pub(super) learning: u32,
    /// Makes visits uniform during the learning time, so that all policies learn from the same
    /// visits.
    pub(super) has_uniform_learning: bool,
    pub(super) discovery: Discovery,
}

/// Simulates the visits of a policy. All pages of week 0 have been read by the learning crawl,
/// which does not count as visits.
pub(super) fn simulate(world: &World, scenario: &Scenario, policy: Policy) -> Outcome {
    let mut crawler = Crawler::new(world, policy, scenario);
    let mut arrivals = match scenario.discovery {
        Discovery::Told | Discovery::Shown => world.arrivals(),
        Discovery::Linked => Vec::new(),
    };
    crawler.start();
    for (week, visits) in (0..).zip(&scenario.visits) {
        if week == scenario.learning {
            crawler.policy = policy;
            crawler.learn_at = f64::from(week);
        }
        let week = f64::from(week);
        crawler.learn_when_due(week, f64::from(*visits));
        // Visits are spread evenly over the week; objects are counted in between.
        let mut samples = (0..SAMPLES_PER_WEEK)
            .map(|moment| f64::from(moment) / f64::from(SAMPLES_PER_WEEK))
            .peekable();
        for visit in 0..*visits {
            let passed = (f64::from(visit) + 0.5) / f64::from(*visits);
            while let Some(sample) = samples.next_if(|sample| *sample < passed) {
                crawler.sample(week + sample);
            }
            while let Some((_, page)) = arrivals.pop_if(|(at, _)| *at <= week + passed) {
                if scenario.discovery == Discovery::Shown {
                    crawler.copies[page].state = world.pages[page].state(week + passed);
                    crawler.copies[page]
                        .visits
                        .record(week + passed, Observation::Changed);
                }
                crawler.discover_page(page, None, week + passed);
            }
            crawler.visit_best(week + passed);
        }
        samples.for_each(|sample| crawler.sample(week + sample));
    }
    let end = scenario.visits.len() as f64;
    (0..world.pages.len()).for_each(|page| crawler.count(page, end));
    Outcome {
        requests: crawler.requests,
        tally: crawler.tally,
        seen: crawler.seen,
    }
}

struct Crawler<'a> {
    world: &'a World,
    policy: Policy,
    /// True if patterns are induced, now or for later.
    learns: bool,
    /// True if pages of past objects are distinguished.
    uses_dates: bool,
    /// All pages at the price 1; their weights are divided by the price of a visit.
    queue: Queue,
    price: f64,
    sites: Vec<SiteSlot>,
    /// Page of each place in the queue.
    pages: Vec<usize>,
    copies: Vec<WatchedPage>,
    patterns: Vec<Pattern>,
    pattern_sets: Vec<Patterns>,
    /// Last reading of each object: index into [`World::statements`], and time.
    held: Vec<Option<(u32, f64)>>,
    /// True for objects that were read or named anywhere.
    known_objects: Vec<bool>,
    /// Number of watched pages about each object.
    about: Vec<u32>,
    seen: Vec<Option<f64>>,
    learn_at: f64,
    requests: f64,
    from: f64,
    tally: Tally,
}

/// Knowledge of the crawler about a page.
#[derive(Clone, Debug, Default)]
struct WatchedPage {
    place: Option<Place>,
    state: Option<usize>,
    visits: Visits,
    found: History,
    pattern: usize,
    /// Object that the page is about, according to links and visits.
    about: Option<ObjectIndex>,
    /// True if the object is past, according to the last reading. The known changes are then those
    /// since its date.
    is_past: bool,
    /// Time up to which the page has been counted.
    counted: f64,
}

impl WatchedPage {
    /// Returns the index of the priors for pages of this kind.
    fn kind(&self) -> usize {
        let kind = match (self.about, self.is_past) {
            (None, _) => 0,
            (Some(_), false) => 1,
            (Some(_), true) => 2,
        };
        PAGE_KINDS * self.pattern + kind
    }
}

/// Patterns of a site, with their offset among all patterns.
struct Patterns {
    set: PatternSet,
    /// Index for pages that no pattern matches; the patterns of the set follow.
    rest: usize,
}

impl<'a> Crawler<'a> {
    fn new(world: &'a World, policy: Policy, scenario: &Scenario) -> Self {
        let mut queue = Queue::new(Goal::Freshness, 1.0, f64::INFINITY);
        let sites = world.hubs.iter().map(|_| queue.add_site(0.0)).collect();
        let (pages, objects) = (world.pages.len(), world.objects.len());
        Self {
            world,
            policy: match scenario.has_uniform_learning {
                true => Policy::Uniform,
                false => policy,
            },
            learns: policy.learns(),
            uses_dates: policy.uses_dates(),
            queue,
            price: 1e-9,
            sites,
            pages: Vec::new(),
            copies: vec![WatchedPage::default(); pages],
            patterns: Vec::new(),
            pattern_sets: Vec::new(),
            held: vec![None; objects],
            known_objects: vec![false; objects],
            about: vec![0; objects],
            seen: vec![None; objects],
            learn_at: 0.0,
            requests: 0.0,
            from: f64::from(scenario.learning),
            tally: Tally::default(),
        }
    }

    /// Reads all pages and induces patterns from them.
    fn start(&mut self) {
        let world = self.world;
        let there: Vec<usize> = (0..world.pages.len())
            .filter(|page| world.pages[*page].exists(0.0))
            .collect();
        for page in &there {
            let state = world.pages[*page].state(0.0).unwrap_or_default();
            let records = &world.pages[*page].states[state].records;
            let copy = &mut self.copies[*page];
            copy.state = Some(state);
            copy.visits.record(0.0, Observation::Changed);
            copy.about = about(world, &world.pages[*page].states[state]);
            self.read(records, 0.0);
        }
        let patterns = self.world.pages.iter().filter_map(|page| page.pattern).max();
        if let Some(last) = patterns {
            self.patterns = vec![Pattern::default(); PAGE_KINDS * (last + 1)];
        } else if self.learns {
            self.induce(&there);
        }
        for page in there {
            self.enqueue(page, 0.0);
        }
    }

    /// Induces typed patterns for each site: from pages with one object, and from pages with
    /// several.
    fn induce(&mut self, pages: &[usize]) {
        let world = self.world;
        let mut urls: HashMap<usize, [Vec<CanonicalUrl>; 2]> = HashMap::new();
        for page in pages {
            let life = &world.pages[*page];
            let kind = usize::from(self.copies[*page].about.is_none());
            if let Some(url) = CanonicalUrl::trusted(life.url.as_str()) {
                urls.entry(life.site).or_default()[kind].push(url);
            }
        }
        let mut rest = 0;
        for site in 0..world.hubs.len() {
            let mut set = PatternSet::default();
            if let Some(kinds) = urls.get(&site) {
                let kinds = [0, 1].map(|kind| kinds[kind].iter().collect::<Vec<_>>());
                for (wanted, others) in [(&kinds[0], &kinds[1]), (&kinds[1], &kinds[0])] {
                    set.extend(
                        TypedInducer::default()
                            .induce(&SiteUrls { wanted, others })
                            .patterns,
                    );
                }
            }
            let count = set.patterns().len();
            self.pattern_sets.push(Patterns { set, rest });
            rest += count + 1;
        }
        self.patterns = vec![Pattern::default(); PAGE_KINDS * rest];
    }

    /// Adds a known page to the queue.
    fn enqueue(&mut self, page: usize, now: f64) {
        let life = &self.world.pages[page];
        if let Some(pattern) = life.pattern {
            self.copies[page].pattern = pattern;
        } else if let Some(patterns) = self.pattern_sets.get(life.site) {
            let url = CanonicalUrl::trusted(life.url.as_str());
            let best = url.and_then(|url| patterns.set.best(&url));
            self.copies[page].pattern = patterns.rest + best.map_or(0, |best| best + 1);
        }
        if let Some(object) = self.copies[page].about {
            self.about[object as usize] += 1;
        }
        let role = self.role(page);
        let last = match (self.copies[page].visits.last, role) {
            (Some(last), _) => last,
            // Lists have already shown its content.
            (None, Role::About(_)) if self.policy == Policy::Objects => now,
            (None, _) => f64::NEG_INFINITY,
        };
        let Some(place) = self
            .queue
            .add(self.sites[life.site], self.priced_page(page), last)
        else {
            return;
        };
        self.copies[page].place = Some(place);
        self.pages.resize(self.pages.len().max(place.0 as usize + 1), 0);
        self.pages[place.0 as usize] = page;
    }

    fn visit_best(&mut self, now: f64) {
        let Some(due) = self.due(now) else { return };
        let page = self.pages[due.place.0 as usize];
        self.count(page, now);
        self.requests += 1.0;
        let life = &self.world.pages[page];
        match life
            .state(now)
            .filter(|state| life.states[*state].fingerprint.is_some())
        {
            Some(state) => {
                self.read_page(page, state, now);
                let known = self.priced_page(page);
                self.queue.fetched(due.place, now, known);
            }
            None => self.remove_page(page, due.place),
        }
    }

    /// Returns the page with the most valuable visit.
    fn due(&mut self, now: f64) -> Option<Due> {
        let mut halvings = 0;
        while halvings < MAX_HALVINGS {
            let Some(due) = self.queue.take(now) else {
                // No visit is worth the price although the budget is not used up, so the price is
                // too high.
                self.set_price(self.price / 2.0);
                halvings += 1;
                continue;
            };
            let page = self.pages[due.place.0 as usize];
            if !self.mark_past(page, now) {
                return Some(due);
            }
            // The date of its object has passed since the last reading, which changes the value of
            // a visit.
            let known = self.priced_page(page);
            self.queue.fetched(due.place, now - due.gap, known);
        }
        None
    }

    /// Marks a page as past if the date of its object has passed, according to the last reading.
    /// Returns true if it was not marked before.
    fn mark_past(&mut self, page: usize, now: f64) -> bool {
        let copy = &mut self.copies[page];
        let read = copy.state.map(|state| &self.world.pages[page].states[state]);
        let is_past = read.and_then(State::past_from).is_some_and(|from| from <= now);
        if !self.uses_dates || copy.is_past || !is_past {
            return false;
        }
        copy.is_past = true;
        copy.visits.history = History::default();
        true
    }

    /// Removes a page that no longer exists.
    fn remove_page(&mut self, page: usize, place: Place) {
        self.queue.remove(place);
        self.copies[page].place = None;
        if let Some(object) = self.copies[page].about {
            self.about[object as usize] -= 1;
        }
    }

    fn read_page(&mut self, page: usize, state: usize, now: f64) {
        let life: &'a PageHistory = &self.world.pages[page];
        let copy = &self.copies[page];
        let last = copy.visits.last;
        let before = copy.state.and_then(|state| life.states[state].fingerprint);
        let records = &life.states[state].records;
        let new = self.read(records, now);
        let observation = match before == life.states[state].fingerprint {
            true => Observation::Same,
            false => Observation::Changed,
        };
        let copy = &mut self.copies[page];
        let day = copy.state.and_then(|state| life.states[state].past_from());
        if let (Policy::HalfLife(days), Some(last)) = (self.policy, last) {
            copy.visits
                .history
                .forget(0.5_f64.powf((now - last) * DAYS / f64::from(days)));
        }
        if copy.is_past && last < day {
            // The change was before or after the date, so it is evidence for neither rate.
            copy.visits.last = Some(now);
        } else {
            copy.visits.record(now, observation);
        }
        if let Some(last) = last {
            copy.found.add(now - last, Observation::Counted(new));
        }
        copy.state = Some(state);
        if copy.about.is_none()
            && let Some(object) = about(self.world, &life.states[state])
        {
            copy.about = Some(object);
            self.about[object as usize] += 1;
        }
        self.mark_past(page, now);
        self.discover(page, records, now);
    }

    /// Records the statements of a page. Returns the number of new objects.
    fn read(&mut self, records: &[Record], now: f64) -> u32 {
        let mut new = 0;
        for record in records {
            let object = self.world.statements[record.statement as usize].object as usize;
            new += u32::from(!std::mem::replace(&mut self.known_objects[object], true));
            if record.values.is_some() {
                self.held[object] = Some((record.statement, now));
                self.seen[object].get_or_insert(now);
            }
        }
        new
    }

    /// Follows the links of a page: to the detail pages of its objects, and from a hub to the other
    /// hubs of the site.
    fn discover(&mut self, page: usize, records: &[Record], now: f64) {
        let world = self.world;
        if !world.pages[page].is_hub {
            return;
        }
        for record in records {
            let statement = &world.statements[record.statement as usize];
            for linked in &statement.pages {
                self.discover_page(*linked, Some(statement.object), now);
            }
        }
        for hub in &world.hubs[world.pages[page].site] {
            self.discover_page(*hub, None, now);
        }
    }

    fn discover_page(&mut self, page: usize, about: Option<ObjectIndex>, now: f64) {
        if self.copies[page].place.is_none() && self.world.pages[page].exists(now) {
            self.copies[page].about = about;
            self.enqueue(page, now);
        }
    }

    /// Describes a page as the policy sees it.
    fn page(&self, page: usize) -> Page {
        let copy = &self.copies[page];
        let unknown = Pattern::default();
        let known = Known {
            history: &copy.visits.history,
            found: &copy.found,
            pattern: self.patterns.get(copy.kind()).unwrap_or(&unknown),
            role: self.role(page),
            true_rate: self.world.pages[page].rates[usize::from(copy.is_past)],
        };
        known.page(self.policy)
    }

    fn role(&self, page: usize) -> Role {
        let Some(object) = self.copies[page].about else {
            return Role::List;
        };
        match self.held[object as usize] {
            Some(_) => Role::About(self.about[object as usize]),
            None => Role::Named,
        }
    }

    /// Learns the priors of patterns, and sets the price of a visit for the budget.
    fn learn_when_due(&mut self, now: f64, budget: f64) {
        if now < self.learn_at {
            return;
        }
        self.learn_at = (now * RELEARN_FACTOR).max(now + 1.0);
        for page in 0..self.copies.len() {
            self.mark_past(page, now);
        }
        if self.policy.learns() {
            let mut changes = vec![Vec::new(); self.patterns.len()];
            let mut found = vec![Vec::new(); self.patterns.len()];
            for copy in self.copies.iter().filter(|copy| copy.state.is_some()) {
                changes[copy.kind()].push(&copy.visits.history);
                found[copy.kind()].push(&copy.found);
            }
            self.patterns = Pattern::learn(&changes, found);
        }
        let waiting = (0..self.copies.len()).filter(|page| self.copies[*page].place.is_some());
        let pages: Vec<Page> = waiting.map(|page| self.page(page)).collect();
        let price = price(&pages, Goal::Freshness, budget);
        self.set_price(match price.is_finite() {
            true => PRICE_FACTOR * price,
            false => self.price,
        });
    }

    /// Sets the price of a visit, and updates all pages in the queue.
    fn set_price(&mut self, price: f64) {
        self.price = price;
        for page in 0..self.copies.len() {
            if let Some(place) = self.copies[page].place {
                let priced = self.priced_page(page);
                self.queue.update(place, priced);
            }
        }
    }

    /// Describes a page for the queue.
    fn priced_page(&self, page: usize) -> Page {
        let known = self.page(page);
        Page {
            weight: known.weight / self.price,
            ..known
        }
    }

    /// Counts the objects that currently exist.
    fn sample(&mut self, now: f64) {
        if now < self.from {
            return;
        }
        let there = self
            .world
            .objects
            .iter()
            .zip(&self.held)
            .filter(|(time, _)| time.contains(&now));
        for (_, held) in there {
            let is_right = held.is_some_and(|(statement, at)| {
                let changes = &self.world.statements[statement as usize].changes;
                !changes.iter().any(|change| *change > at && *change <= now)
            });
            self.tally.object(is_right);
        }
    }

    /// Adds the time since the last count of a page to the measurements.
    fn count(&mut self, page: usize, now: f64) {
        let copy = &mut self.copies[page];
        let from = std::mem::replace(&mut copy.counted, now).max(self.from);
        if from < now {
            self.tally.page(&self.world.pages[page], copy.state, from..now);
        }
    }
}

fn about(world: &World, state: &State) -> Option<ObjectIndex> {
    state
        .main()
        .map(|record| world.statements[record.statement as usize].object)
}

#[cfg(test)]
mod tests {
    use super::super::policy::POLICIES;
    use super::super::world::Statement;
    use super::*;

    /// Returns a world of one site with a page for each row, given by its states. All pages are
    /// hubs without objects.
    fn world(pages: &[&[(f64, u64)]]) -> World {
        let state = |(from, fingerprint): &(f64, u64)| State {
            from: *from,
            fingerprint: Some(*fingerprint),
            ..State::default()
        };
        let page = |states: &&[(f64, u64)]| PageHistory {
            url: format!("http://one.test/{}", states.len()),
            is_hub: true,
            states: states.iter().map(state).collect(),
            rates: [(states.len() - 1) as f64 / 10.0, 0.0],
            ..PageHistory::default()
        };
        World {
            pages: pages.iter().map(page).collect(),
            hubs: vec![(0..pages.len()).collect()],
            ..World::default()
        }
    }

    fn run(world: &World, visits: &[u32], discovery: Discovery, policy: Policy) -> Outcome {
        let scenario = Scenario {
            visits: visits.to_vec(),
            learning: 0,
            has_uniform_learning: false,
            discovery,
        };
        simulate(world, &scenario, policy)
    }

    #[test]
    fn a_static_page_is_fresh_with_every_policy() {
        let world = world(&[&[(0.0, 1)]]);
        for policy in POLICIES {
            let outcome = run(&world, &[1; 10], Discovery::Linked, policy);
            assert_eq!(outcome.tally.freshness(), 1.0, "{policy:?}");
            assert_eq!(outcome.tally.age(), 0.0, "{policy:?}");
        }
    }

    #[test]
    fn a_change_is_missed_until_the_next_visit() {
        // Visits at 0.5, 1.5 and so on: the change at 2 is seen at 2.5, that at 7.25 at 7.5.
        let world = world(&[&[(0.0, 1), (2.0, 2), (7.25, 3)]]);
        let outcome = run(&world, &[1; 10], Discovery::Told, Policy::Uniform);
        assert_eq!(outcome.requests, 10.0);
        assert!((outcome.tally.freshness() - 0.925).abs() < 1e-9, "{outcome:?}");
        let behind = (0.5_f64.powi(2) + 0.25_f64.powi(2)) / 2.0 / 10.0;
        assert!((outcome.tally.age() - behind).abs() < 1e-9, "{outcome:?}");
    }

    #[test]
    fn every_policy_makes_the_same_number_of_visits() {
        let often: Vec<(f64, u64)> = (0_u32..60)
            .map(|turn| (f64::from(turn) / 3.0, u64::from(turn)))
            .collect();
        let world = world(&[&[(0.0, 1)], &[(0.0, 1), (3.5, 2)], &often]);
        for policy in POLICIES {
            let outcome = run(&world, &[2; 20], Discovery::Linked, policy);
            assert_eq!(outcome.requests, 40.0, "{policy:?}");
        }
    }

    #[test]
    fn without_a_budget_there_are_no_visits() {
        let outcome = run(
            &world(&[&[(0.0, 1), (5.0, 2)]]),
            &[0; 10],
            Discovery::Told,
            Policy::Pattern,
        );
        assert_eq!(outcome.requests, 0.0);
        assert!((outcome.tally.freshness() - 0.5).abs() < 1e-9, "{outcome:?}");
    }

    #[test]
    fn the_oracle_skips_static_pages() {
        let weekly: Vec<(f64, u64)> = (0_u32..10)
            .map(|turn| (f64::from(turn), u64::from(turn)))
            .collect();
        let world = world(&[&[(0.0, 1)], &weekly]);
        let fresh = |policy| run(&world, &[1; 10], Discovery::Told, policy).tally.freshness();
        // One visit a week, always to the page that changes at the beginning of each week: fresh
        // from the middle of the week on.
        assert!((fresh(Policy::Oracle) - 0.75).abs() < 0.06);
        assert!(fresh(Policy::Uniform) < fresh(Policy::Oracle) - 0.05);
    }

    #[test]
    fn a_new_object_is_found_with_the_next_visit_of_a_list() {
        let record = |statement| Record {
            statement,
            values: std::num::NonZeroU32::new(7),
            is_main: false,
            past_from: None,
        };
        let mut world = world(&[&[(0.0, 1), (2.75, 2)]]);
        world.objects = vec![0.0..f64::INFINITY, 2.75..f64::INFINITY];
        world.statements = (0..2)
            .map(|object| Statement {
                object,
                ..Statement::default()
            })
            .collect();
        world.pages[0].states[0].records = [record(0)].into();
        world.pages[0].states[1].records = [record(0), record(1)].into();
        // A detail page that only the list links to.
        world.pages.push(PageHistory {
            url: "http://one.test/own".to_owned(),
            states: vec![State {
                from: 2.75,
                fingerprint: Some(9),
                records: [record(1)].into(),
            }],
            ..PageHistory::default()
        });
        world.statements[1].pages.push(1);
        world.pages[1].states[0].records[0].is_main = true;
        let visits = [1, 1, 1, 2, 2, 2, 2, 2, 2, 2];
        let outcome = run(&world, &visits, Discovery::Linked, Policy::Uniform);
        assert_eq!(outcome.seen, [Some(0.0), Some(3.25)]);
        let told = run(&world, &visits, Discovery::Told, Policy::Uniform);
        // The crawler is notified of the new page and visits it at once.
        assert_eq!(told.seen, [Some(0.0), Some(3.25)]);
        // Right except for the half week in which the new object was not yet seen: half of the
        // samples of the second object.
        let moments = (80.0, 8.0 * 7.25, 4.0);
        let expected = 1.0 - moments.2 / (moments.0 + moments.1);
        let right = outcome.tally.objects().expect("objects");
        assert!((right - expected).abs() < 1e-9, "{outcome:?}");
    }

    #[test]
    fn learning_is_the_same_for_all_and_not_measured() {
        let weekly: Vec<(f64, u64)> = (0_u32..20)
            .map(|turn| (f64::from(turn), u64::from(turn)))
            .collect();
        let world = world(&[&[(0.0, 1)], &weekly]);
        let scenario = Scenario {
            visits: vec![2; 20],
            learning: 20,
            has_uniform_learning: true,
            discovery: Discovery::Told,
        };
        for policy in POLICIES {
            let outcome = simulate(&world, &scenario, policy);
            assert_eq!(
                (outcome.requests, outcome.tally.freshness()),
                (40.0, 0.0),
                "{policy:?}"
            );
        }
        // Learned rates apply at once: two visits a week go to the page that changes.
        let scenario = Scenario {
            learning: 10,
            ..scenario
        };
        let fresh = |policy| simulate(&world, &scenario, policy).tally.freshness();
        assert!(fresh(Policy::PerPage) >= fresh(Policy::Uniform));
    }
}
