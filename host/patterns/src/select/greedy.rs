//! Greedy choice by gain per cost with lazy evaluation.
//!
//! The gain of a pattern only falls as others are chosen. So a computed score remains an upper
//! bound as long as costs do not fall. Costs do fall when a shared cost is paid; then the patterns
//! that share it are queued again. The result equals that of evaluating all patterns in every step.

use std::collections::HashSet;

use super::candidates::{Candidates, Lists};
use super::covered::Covered;
use super::groups::{Group, Groups};
use super::queue::{Entry, Queue};
use super::reduce::Decision;
use super::selection::Point;

/// Denominator of a score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Price {
    /// None: the number of new objects decides.
    Nothing,
    /// Pages alone.
    Pages,
    /// Pages, hubs, and overheads.
    All,
}

/// Minimum cost in a score, which keeps scores finite.
const MIN_COST: f64 = 1e-6;

/// Tolerance for missing coverage.
pub(super) const ROUNDING: f64 = 1e-6;

pub(super) struct Greedy<'a> {
    pub(super) candidates: &'a Candidates,
    pub(super) covered: Covered<'a>,
    price: Price,
    /// Patterns that are chosen or rejected.
    chosen: Vec<bool>,
    pub(super) order: Vec<usize>,
    /// Marginal cost of each pattern.
    marginal: Vec<f64>,
    paid_pages: Vec<bool>,
    paid_hubs: Vec<bool>,
    paid_sites: Vec<bool>,
    of_page: Lists,
    queue: Queue,
    /// Version of the latest entry of each item; older ones are invalid.
    version: Vec<u32>,
    /// Patterns evaluated together because they share a cost. Their items follow the patterns.
    groups: Groups,
    pub(super) cost: f64,
    pub(super) curve: Vec<Point>,
    /// Cost per object at which each object was covered; initial prices of the bound.
    pub(super) prices: Vec<f32>,
    /// Value of each object in the choice; all are equal by default.
    values: Option<&'a [f32]>,
}

/// The best part of a group: its patterns in order, with gain and cost.
struct Bundle {
    patterns: Vec<usize>,
    gain: f64,
    cost: f64,
}

impl<'a> Greedy<'a> {
    pub(super) fn new(candidates: &'a Candidates, sources: u32, price: Price) -> Greedy<'a> {
        Greedy::with_values(candidates, sources, price, None)
    }

    /// Creates a choice in which objects have values: those that are rare elsewhere count more.
    pub(super) fn with_values(
        candidates: &'a Candidates,
        sources: u32,
        price: Price,
        values: Option<&'a [f32]>,
    ) -> Greedy<'a> {
        let of_page = candidates.page_lists.inverted(candidates.shared_pages);
        let groups = match price {
            Price::All => Groups::new(candidates),
            _ => Groups::none(),
        };
        let patterns = candidates.patterns();
        let mut greedy = Greedy {
            candidates,
            covered: Covered::new(candidates, sources),
            price,
            chosen: vec![false; patterns],
            order: Vec::new(),
            marginal: (0..patterns)
                .map(|pattern| full_price(candidates, pattern, price))
                .collect(),
            paid_pages: vec![false; candidates.shared_pages],
            paid_hubs: vec![false; candidates.hub_costs.len()],
            paid_sites: vec![false; candidates.sites()],
            of_page,
            queue: Queue::default(),
            version: vec![0; patterns + groups.len()],
            groups,
            cost: 0.0,
            curve: vec![Point {
                patterns: 0,
                cost: 0.0,
                covered: 0.0,
            }],
            prices: vec![0.0; candidates.objects],
            values,
        };
        greedy.fill_queue();
        greedy
    }

    /// Chooses until the goal is covered. Gains beyond the goal do not count.
    pub(super) fn until_covered(&mut self, goal: f64, min_gain: f64) {
        while self.covered.covered() < goal - ROUNDING {
            let need = goal - self.covered.covered();
            if !self.step(need, f64::INFINITY, min_gain) {
                return;
            }
        }
    }

    /// Chooses until the goal is covered. Each pattern is ranked by its whole gain.
    pub(super) fn until_reached(&mut self, goal: f64, min_gain: f64) {
        while self.covered.covered() < goal - ROUNDING {
            if !self.step(f64::INFINITY, f64::INFINITY, min_gain) {
                return;
            }
        }
    }

    /// Chooses as long as anything fits the rest of the budget.
    pub(super) fn until_paid(&mut self, budget: f64, min_gain: f64) {
        while self.step(f64::INFINITY, budget - self.cost, min_gain) {}
    }

    /// Gives all objects the same value from now on.
    pub(super) fn clear_values(&mut self) {
        self.values = None;
        self.queue.clear();
        self.fill_queue();
    }

    /// Adds a pattern regardless of its score.
    pub(super) fn take(&mut self, pattern: usize) {
        if !self.chosen[pattern] {
            let cost = self.marginal[pattern];
            self.choose(pattern, cost);
        }
    }

    /// Takes and rejects patterns regardless of their scores.
    pub(super) fn decide(&mut self, decided: &[Decision]) {
        for decision in decided {
            if decision.is_taken {
                self.take(decision.pattern);
            } else {
                self.chosen[decision.pattern] = true;
            }
        }
    }

    /// Rejects patterns that exceed this budget.
    pub(super) fn reject_unaffordable(&mut self, budget: f64) {
        for pattern in 0..self.chosen.len() {
            if !self.chosen[pattern] && self.cost + self.marginal[pattern] > budget + ROUNDING {
                self.chosen[pattern] = true;
            }
        }
    }

    /// Returns the patterns that are taken or open.
    pub(super) fn not_rejected(&self) -> Vec<usize> {
        let open = (0..self.chosen.len()).filter(|pattern| !self.chosen[*pattern]);
        self.order.iter().copied().chain(open).collect()
    }

    /// Chooses until the cost is reached or exceeded.
    pub(super) fn until_spent(&mut self, cost: f64) {
        while self.cost < cost && self.step(f64::INFINITY, f64::INFINITY, 0.0) {}
    }

    /// Returns the open patterns as separate candidates with the same indexes, and the amount of
    /// each object that they can add together. Each has its current gains and its unpaid costs.
    pub(super) fn rest(&self) -> (Candidates, Vec<f32>) {
        let whole = self.candidates;
        let mut rest = Candidates::empty();
        let mut after = self.covered.clone();
        rest.objects = whole.objects;
        rest.shared_pages = whole.shared_pages;
        rest.hub_costs.clone_from(&whole.hub_costs);
        rest.overhead.clone_from(&whole.overhead);
        // A site without cost for the decided patterns.
        let nowhere = rest.overhead.len() as u32;
        rest.overhead.push(0.0);
        for pattern in 0..whole.patterns() {
            let is_open = !self.chosen[pattern];
            let open = |list: &'a [u32]| list.iter().copied().filter(move |_| is_open);
            let site = whole.site_of[pattern];
            let is_paid = self.paid_sites[site as usize];
            rest.site_of
                .push(if is_open && !is_paid { site } else { nowhere });
            rest.own.push(if is_open { whole.own[pattern] } else { 0.0 });
            let pages = open(whole.page_lists.get(pattern));
            rest.page_lists
                .push(pages.filter(|page| !self.paid_pages[*page as usize]));
            let hubs = open(whole.hub_lists.get(pattern));
            rest.hub_lists
                .push(hubs.filter(|hub| !self.paid_hubs[*hub as usize]));
            let added = self.covered.added(pattern).filter(|_| is_open);
            let added: Vec<(u32, f64)> = added.filter(|(_, part)| *part > ROUNDING).collect();
            rest.object_lists.push(added.iter().map(|(object, _)| *object));
            rest.likely.extend(added.iter().map(|(_, part)| *part as f32));
            if is_open {
                after.add(pattern);
            }
        }
        rest.list_sites();
        if rest.likely.iter().all(|likely| *likely == 1.0) {
            rest.likely.clear();
        }
        let missing = self.covered.missing().iter().zip(after.missing());
        let demand = missing.map(|(before, after)| before - after);
        (rest, demand.collect())
    }

    /// Returns the cost per object of the step that reached this cost and coverage.
    pub(super) fn price_at(&self, is_reached: impl Fn(f64, f64) -> bool) -> f32 {
        let steps = self.curve.windows(2);
        let mut reached = steps.skip_while(|pair| !is_reached(pair[1].cost, pair[1].covered));
        let last = self.curve.windows(2).last();
        let Some([before, after]) = reached.next().or(last) else {
            return 0.0;
        };
        ((after.cost - before.cost) / (after.covered - before.covered).max(MIN_COST)) as f32
    }

    /// Returns true if a pattern adds anything and fits the budget.
    pub(super) fn fits(&self, pattern: usize, budget: f64) -> bool {
        self.covered.gain(pattern) > 0.0 && self.cost + self.marginal[pattern] <= budget + ROUNDING
    }

    /// Takes the best item. Drops items that exceed the budget or add too little. Both only get
    /// worse, unless a cost falls, which queues them again.
    fn step(&mut self, need: f64, budget: f64, min_gain: f64) -> bool {
        while let Some(entry) = self.queue.pop() {
            // A cost fell since, and the pattern was queued again with it.
            if entry.version != self.version[entry.item as usize] {
                continue;
            }
            let (bundled, gain, cost) = self.evaluate(entry.item);
            if gain < min_gain.max(ROUNDING) || cost > budget + ROUNDING {
                continue;
            }
            let now = self.make_entry(entry.item, gain.min(need), cost);
            // Gains only fall, so a score that was computed before is an upper bound. The entry is
            // the best if its score of now still is.
            if now < entry && self.queue.peek().is_some_and(|next| now < *next) {
                self.queue.push(now);
                continue;
            }
            let goal = self.covered.covered() + need;
            let single = (entry.item as usize) < self.chosen.len();
            let patterns = single.then_some(entry.item as usize).into_iter().chain(bundled);
            for pattern in patterns {
                let is_needed = self.covered.covered() < goal - ROUNDING;
                if is_needed && !self.chosen[pattern] && self.covered.gain(pattern) > 0.0 {
                    let cost = self.marginal[pattern];
                    self.choose(pattern, cost);
                }
            }
            return true;
        }
        false
    }

    /// Returns the current state of an item: the patterns of a group, its gain, and its cost.
    fn evaluate(&self, item: u32) -> (Vec<usize>, f64, f64) {
        let item = item as usize;
        match item.checked_sub(self.chosen.len()) {
            None if self.chosen[item] => (Vec::new(), 0.0, 0.0),
            None => (Vec::new(), self.gain(item), self.marginal[item]),
            Some(group) => {
                let bundle = self.bundle(group);
                (bundle.patterns, bundle.gain, bundle.cost)
            }
        }
    }

    /// Returns the gain of a pattern, with objects weighted by value.
    fn gain(&self, pattern: usize) -> f64 {
        match self.values {
            Some(values) => self.covered.value_of_gain(pattern, values),
            None => self.covered.gain(pattern),
        }
    }

    /// Creates the entry of an item. For equal ratios the larger gain comes first; equal ratios of
    /// equal gains have equal costs. For equal counts the smaller cost comes first.
    fn make_entry(&self, item: u32, gain: f64, cost: f64) -> Entry {
        let (score, tie) = match self.price {
            Price::Nothing => (gain, -cost),
            _ => (gain / cost.max(MIN_COST), gain),
        };
        Entry {
            score,
            tie: tie as f32,
            item,
            version: self.version[item as usize],
        }
    }

    fn fill_queue(&mut self) {
        for item in 0..self.version.len() as u32 {
            let (_, gain, cost) = self.evaluate(item);
            if gain > 0.0 {
                let entry = self.make_entry(item, gain, cost);
                self.queue.push(entry);
            }
        }
    }

    fn choose(&mut self, pattern: usize, cost: f64) {
        let gain = self.covered.gain(pattern);
        self.note_price(pattern, cost, gain);
        self.covered.add(pattern);
        self.chosen[pattern] = true;
        self.order.push(pattern);
        self.cost += self.candidates.own[pattern];
        self.pay(pattern);
        self.curve.push(Point {
            patterns: self.order.len(),
            cost: self.cost,
            covered: self.covered.covered(),
        });
    }

    /// Records for each newly covered object its share of the cost.
    fn note_price(&mut self, pattern: usize, cost: f64, gain: f64) {
        let price = (cost / gain.max(MIN_COST)) as f32;
        for object in self.candidates.object_lists.get(pattern) {
            let noted = &mut self.prices[*object as usize];
            // The first pattern that covers an object pays for it.
            if *noted == 0.0 {
                *noted = price;
            }
        }
    }

    /// Pays the pattern's shared costs, and queues again the patterns whose costs fell.
    fn pay(&mut self, pattern: usize) {
        let candidates = self.candidates;
        for page in candidates.page_lists.get(pattern) {
            if !std::mem::replace(&mut self.paid_pages[*page as usize], true) {
                self.cost += 1.0;
                if self.price != Price::Nothing {
                    for index in self.of_page.range(*page as usize) {
                        // A cost that falls raises a score, which the bound of the queue does not
                        // allow for. So the patterns that share the page are queued again.
                        self.reduce_cost(self.of_page.item(index), 1.0);
                    }
                }
            }
        }
        for hub in candidates.hub_lists.get(pattern) {
            if !std::mem::replace(&mut self.paid_hubs[*hub as usize], true) {
                let cost = candidates.hub_costs[*hub as usize];
                self.cost += cost;
                if self.price == Price::All {
                    for index in self.groups.of_hub.range(*hub as usize) {
                        self.reduce_cost(self.groups.of_hub.item(index), cost);
                    }
                }
            }
        }
        let site = candidates.site_of[pattern] as usize;
        if !std::mem::replace(&mut self.paid_sites[site], true) {
            self.cost += candidates.overhead[site];
            if self.price == Price::All && candidates.overhead[site] > 0.0 {
                for other in candidates.site_lists.get(site) {
                    self.reduce_cost(*other, candidates.overhead[site]);
                }
            }
        }
    }

    fn reduce_cost(&mut self, pattern: u32, by: f64) {
        let index = pattern as usize;
        self.marginal[index] = (self.marginal[index] - by).max(0.0);
        if self.chosen[index] {
            return;
        }
        self.version[index] += 1;
        let gain = self.gain(index);
        if gain > 0.0 {
            let entry = self.make_entry(pattern, gain, self.marginal[index]);
            self.queue.push(entry);
        }
    }

    /// Returns the patterns of a group with the best ratio of gain to cost, with shared costs
    /// counted once.
    fn bundle(&self, group: usize) -> Bundle {
        let members = self.groups.members(self.candidates, group);
        let shared_is_paid = match self.groups.get(group) {
            Group::Site(site) => self.paid_sites[site as usize],
            Group::Hub(hub) => self.paid_hubs[hub as usize],
        };
        let nothing = Bundle {
            patterns: Vec::new(),
            gain: 0.0,
            cost: 0.0,
        };
        // Once the cost is paid, each pattern is evaluated by itself.
        if shared_is_paid {
            return nothing;
        }
        let mut rated: Vec<(f64, f64, usize)> = Vec::with_capacity(members.len());
        for member in members {
            let member = *member as usize;
            let gain = if self.chosen[member] {
                0.0
            } else {
                self.gain(member)
            };
            if gain > 0.0 {
                rated.push((gain / self.split_cost(member).max(MIN_COST), gain, member));
            }
        }
        rated.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.2.cmp(&other.2)));
        self.best_prefix(&rated)
    }

    /// Returns the cost of a pattern if all possible sharers pay for its shared costs.
    fn split_cost(&self, pattern: usize) -> f64 {
        let hubs = self.candidates.hub_lists.get(pattern).iter();
        let unpaid = hubs.filter(|hub| !self.paid_hubs[**hub as usize]);
        let share = |hub: &u32| {
            let sharing = self.groups.of_hub.range(*hub as usize).len().max(1);
            self.candidates.hub_costs[*hub as usize] / sharing as f64
        };
        self.candidates.own[pattern] + unpaid.map(share).sum::<f64>()
    }

    /// Returns the prefix of the rated patterns with the best ratio.
    fn best_prefix(&self, rated: &[(f64, f64, usize)]) -> Bundle {
        let (mut hubs, mut sites) = (SeenIds::default(), SeenIds::default());
        let (mut gain, mut cost) = (0.0, 0.0);
        let mut best = (0.0, 0, 0.0, 0.0);
        for (index, (_, more, pattern)) in rated.iter().enumerate() {
            gain += more;
            cost += self.candidates.own[*pattern] + self.unpaid(*pattern, &mut hubs, &mut sites);
            let score = gain / cost.max(MIN_COST);
            if score > best.0 {
                best = (score, index + 1, gain, cost);
            }
        }
        Bundle {
            patterns: rated[..best.1].iter().map(|(_, _, pattern)| *pattern).collect(),
            gain: best.2,
            cost: best.3,
        }
    }

    /// Returns the shared costs that a pattern adds to a bundle. Shared pages are few there and
    /// counted in full.
    fn unpaid(&self, pattern: usize, hubs: &mut SeenIds, sites: &mut SeenIds) -> f64 {
        let candidates = self.candidates;
        let mut cost = 0.0;
        for hub in candidates.hub_lists.get(pattern) {
            if !self.paid_hubs[*hub as usize] && hubs.insert(*hub) {
                cost += candidates.hub_costs[*hub as usize];
            }
        }
        let site = candidates.site_of[pattern];
        if !self.paid_sites[site as usize] && sites.insert(site) {
            cost += candidates.overhead[site as usize];
        }
        let pages = candidates.page_lists.get(pattern).iter();
        cost + pages.filter(|page| !self.paid_pages[**page as usize]).count() as f64
    }
}

/// A set of ids. Most bundles share a few hubs, for which a list is fastest; some patterns of real
/// sites need thousands.
#[derive(Default)]
struct SeenIds {
    few: Vec<u32>,
    many: HashSet<u32>,
}

impl SeenIds {
    const FEW: usize = 32;

    /// Adds an id. Returns `false` if it was present.
    fn insert(&mut self, number: u32) -> bool {
        if self.few.contains(&number) {
            return false;
        }
        if self.few.len() < SeenIds::FEW {
            self.few.push(number);
            return true;
        }
        self.many.insert(number)
    }
}

/// Returns the cost of a pattern alone.
pub(super) fn full_price(candidates: &Candidates, pattern: usize, price: Price) -> f64 {
    let pages = candidates.own[pattern] + candidates.page_lists.get(pattern).len() as f64;
    if price != Price::All {
        return pages;
    }
    let hubs = candidates.hub_lists.get(pattern).iter();
    let hubs: f64 = hubs.map(|hub| candidates.hub_costs[*hub as usize]).sum();
    pages + hubs + candidates.overhead[candidates.site_of[pattern] as usize]
}
