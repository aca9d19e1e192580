//! Greedy choice by whatever brings most for its cost, evaluated lazily.
//!
//! What a pattern adds only falls as others are chosen, so a score computed once is an upper bound for ever, as
//! long as costs do not fall. Costs do fall when something shared is paid; then the patterns that share it are
//! queued again. So the choice is the one that looking at all patterns every time would make.

use std::collections::HashSet;

use super::candidates::{Candidates, Lists};
use super::covered::Covered;
use super::groups::{Group, Groups};
use super::queue::{Entry, Queue};
use super::reduce::Decision;
use super::selection::Point;

/// What a score divides by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Price {
    /// Nothing: the count of new objects decides.
    Nothing,
    /// Pages alone.
    Pages,
    /// Pages, hubs and overheads.
    All,
}

/// A cost below this is none; it keeps scores finite.
const FREE: f64 = 1e-6;

/// Coverage that is missing by less than this is not missing.
pub(super) const ROUNDING: f64 = 1e-6;

/// A choice in progress.
pub(super) struct Greedy<'a> {
    pub(super) candidates: &'a Candidates,
    pub(super) covered: Covered<'a>,
    price: Price,
    /// What was chosen, and what shall never be.
    chosen: Vec<bool>,
    pub(super) order: Vec<usize>,
    /// What each pattern would cost now.
    marginal: Vec<f64>,
    paid_pages: Vec<bool>,
    paid_hubs: Vec<bool>,
    paid_sites: Vec<bool>,
    of_page: Lists,
    queue: Queue,
    /// The latest entry of each item; older ones are void.
    version: Vec<u32>,
    /// Patterns that are weighed together because they share a cost; items after the patterns.
    groups: Groups,
    pub(super) cost: f64,
    pub(super) curve: Vec<Point>,
    /// For each object the cost per object at which it was covered; a start for the bound.
    pub(super) prices: Vec<f32>,
    /// What an object counts for in a choice, where not all count alike.
    worth: Option<&'a [f32]>,
}

/// The best of a group: its patterns in order, what they bring and cost.
struct Bundle {
    patterns: Vec<usize>,
    gain: f64,
    cost: f64,
}

impl<'a> Greedy<'a> {
    pub(super) fn new(candidates: &'a Candidates, sources: u32, price: Price) -> Greedy<'a> {
        Greedy::with_worth(candidates, sources, price, None)
    }

    /// A choice in which objects count for what they are worth: those that are hard to have elsewhere count more.
    pub(super) fn with_worth(
        candidates: &'a Candidates,
        sources: u32,
        price: Price,
        worth: Option<&'a [f32]>,
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
            worth,
        };
        greedy.fill();
        greedy
    }

    /// Chooses until so much is covered. Towards the end, what is more than enough counts as enough.
    pub(super) fn until_covered(&mut self, goal: f64, least_gain: f64) {
        while self.covered.covered() < goal - ROUNDING {
            let need = goal - self.covered.covered();
            if !self.step(need, f64::INFINITY, least_gain) {
                return;
            }
        }
    }

    /// Chooses until so much is covered, every pattern weighed by all it adds.
    pub(super) fn until_reached(&mut self, goal: f64, least_gain: f64) {
        while self.covered.covered() < goal - ROUNDING {
            if !self.step(f64::INFINITY, f64::INFINITY, least_gain) {
                return;
            }
        }
    }

    /// Chooses as long as anything can be added for the pages left.
    pub(super) fn until_paid(&mut self, budget: f64, least_gain: f64) {
        while self.step(f64::INFINITY, budget - self.cost, least_gain) {}
    }

    /// From now on every object counts alike.
    pub(super) fn forget_worth(&mut self) {
        self.worth = None;
        self.queue.clear();
        self.fill();
    }

    /// Adds a pattern whatever its score, as one that stood before.
    pub(super) fn take(&mut self, pattern: usize) {
        if !self.chosen[pattern] {
            let cost = self.marginal[pattern];
            self.choose(pattern, cost);
        }
    }

    /// Takes and leaves what is decided, whatever its score.
    pub(super) fn decide(&mut self, decided: &[Decision]) {
        for decision in decided {
            if decision.is_taken {
                self.take(decision.pattern);
            } else {
                self.chosen[decision.pattern] = true;
            }
        }
    }

    /// Leaves what can never be paid from this budget.
    pub(super) fn leave_what_costs_more(&mut self, budget: f64) {
        for pattern in 0..self.chosen.len() {
            if !self.chosen[pattern] && self.cost + self.marginal[pattern] > budget + ROUNDING {
                self.chosen[pattern] = true;
            }
        }
    }

    /// What was taken and what still can be.
    pub(super) fn not_left(&self) -> Vec<usize> {
        let open = (0..self.chosen.len()).filter(|pattern| !self.chosen[*pattern]);
        self.order.iter().copied().chain(open).collect()
    }

    /// Chooses until so much is paid, or more by the last choice.
    pub(super) fn until_spent(&mut self, cost: f64) {
        while self.cost < cost && self.step(f64::INFINITY, f64::INFINITY, 0.0) {}
    }

    /// What is left to choose from as candidates of their own, patterns with the same numbers, and how much of every
    /// object they can add together. Each brings what it would add now, for what is not paid yet.
    pub(super) fn rest(&self) -> (Candidates, Vec<f32>) {
        let whole = self.candidates;
        let mut rest = Candidates::empty();
        let mut after = self.covered.clone();
        rest.objects = whole.objects;
        rest.shared_pages = whole.shared_pages;
        rest.hub_costs.clone_from(&whole.hub_costs);
        rest.overhead.clone_from(&whole.overhead);
        // A site for those that are decided, and cost nothing.
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

    /// The cost per object of the choice by which cost and coverage came so far.
    pub(super) fn price_at(&self, is_reached: impl Fn(f64, f64) -> bool) -> f32 {
        let steps = self.curve.windows(2);
        let mut reached = steps.skip_while(|pair| !is_reached(pair[1].cost, pair[1].covered));
        let last = self.curve.windows(2).last();
        let Some([before, after]) = reached.next().or(last) else {
            return 0.0;
        };
        ((after.cost - before.cost) / (after.covered - before.covered).max(FREE)) as f32
    }

    /// Whether a pattern adds anything and the pages left are enough for it.
    pub(super) fn fits(&self, pattern: usize, budget: f64) -> bool {
        self.covered.gain(pattern) > 0.0 && self.cost + self.marginal[pattern] <= budget + ROUNDING
    }

    /// Takes the best item. Items beyond the budget are dropped, and so are those that add too little: both can
    /// only get worse, except that a cost falls, which queues them again.
    fn step(&mut self, need: f64, budget: f64, least_gain: f64) -> bool {
        while let Some(entry) = self.queue.pop() {
            if entry.version != self.version[entry.item as usize] {
                continue;
            }
            let (bundled, gain, cost) = self.look(entry.item);
            if gain < least_gain.max(ROUNDING) || cost > budget + ROUNDING {
                continue;
            }
            let now = self.entry(entry.item, gain.min(need), cost);
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

    /// What an item is now: the patterns it would add if it is a group, what they bring and what they cost.
    fn look(&self, item: u32) -> (Vec<usize>, f64, f64) {
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

    /// What a pattern adds, as it counts for the choice.
    fn gain(&self, pattern: usize) -> f64 {
        match self.worth {
            Some(worth) => self.covered.worth_of_gain(pattern, worth),
            None => self.covered.gain(pattern),
        }
    }

    /// The entry of an item. Between equal ratios the larger gain counts, and equal ratios of equal gains have equal
    /// costs; between equal counts, the smaller cost.
    fn entry(&self, item: u32, gain: f64, cost: f64) -> Entry {
        let (score, tie) = match self.price {
            Price::Nothing => (gain, -cost),
            _ => (gain / cost.max(FREE), gain),
        };
        Entry {
            score,
            tie: tie as f32,
            item,
            version: self.version[item as usize],
        }
    }

    fn fill(&mut self) {
        for item in 0..self.version.len() as u32 {
            let (_, gain, cost) = self.look(item);
            if gain > 0.0 {
                let entry = self.entry(item, gain, cost);
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

    /// Everyone's share of the cost of what covered them first.
    fn note_price(&mut self, pattern: usize, cost: f64, gain: f64) {
        let price = (cost / gain.max(FREE)) as f32;
        for object in self.candidates.object_lists.get(pattern) {
            let noted = &mut self.prices[*object as usize];
            if *noted == 0.0 {
                *noted = price;
            }
        }
    }

    /// Pays what the pattern shares, and queues those again for whom that got cheaper.
    fn pay(&mut self, pattern: usize) {
        let candidates = self.candidates;
        for page in candidates.page_lists.get(pattern) {
            if !std::mem::replace(&mut self.paid_pages[*page as usize], true) {
                self.cost += 1.0;
                if self.price != Price::Nothing {
                    for place in self.of_page.range(*page as usize) {
                        self.cheaper(self.of_page.item(place), 1.0);
                    }
                }
            }
        }
        for hub in candidates.hub_lists.get(pattern) {
            if !std::mem::replace(&mut self.paid_hubs[*hub as usize], true) {
                let cost = candidates.hub_costs[*hub as usize];
                self.cost += cost;
                if self.price == Price::All {
                    for place in self.groups.of_hub.range(*hub as usize) {
                        self.cheaper(self.groups.of_hub.item(place), cost);
                    }
                }
            }
        }
        let site = candidates.site_of[pattern] as usize;
        if !std::mem::replace(&mut self.paid_sites[site], true) {
            self.cost += candidates.overhead[site];
            if self.price == Price::All && candidates.overhead[site] > 0.0 {
                for other in candidates.site_lists.get(site) {
                    self.cheaper(*other, candidates.overhead[site]);
                }
            }
        }
    }

    fn cheaper(&mut self, pattern: u32, by: f64) {
        let place = pattern as usize;
        self.marginal[place] = (self.marginal[place] - by).max(0.0);
        if self.chosen[place] {
            return;
        }
        self.version[place] += 1;
        let gain = self.gain(place);
        if gain > 0.0 {
            let entry = self.entry(pattern, gain, self.marginal[place]);
            self.queue.push(entry);
        }
    }

    /// The patterns of a group that together bring most for their cost, what they share counted once.
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
        // Once it is paid, each of the group stands for itself.
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
                rated.push((gain / self.alone(member).max(FREE), gain, member));
            }
        }
        rated.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.2.cmp(&other.2)));
        self.best_start(&rated)
    }

    /// The cost of a pattern when what it shares is shared by all who can.
    fn alone(&self, pattern: usize) -> f64 {
        let hubs = self.candidates.hub_lists.get(pattern).iter();
        let unpaid = hubs.filter(|hub| !self.paid_hubs[**hub as usize]);
        let share = |hub: &u32| {
            let sharing = self.groups.of_hub.range(*hub as usize).len().max(1);
            self.candidates.hub_costs[*hub as usize] / sharing as f64
        };
        self.candidates.own[pattern] + unpaid.map(share).sum::<f64>()
    }

    /// The first so many of the rated patterns that have the best ratio together.
    fn best_start(&self, rated: &[(f64, f64, usize)]) -> Bundle {
        let (mut hubs, mut sites) = (Met::default(), Met::default());
        let (mut gain, mut cost) = (0.0, 0.0);
        let mut best = (0.0, 0, 0.0, 0.0);
        for (place, (_, more, pattern)) in rated.iter().enumerate() {
            gain += more;
            cost += self.candidates.own[*pattern] + self.unpaid(*pattern, &mut hubs, &mut sites);
            let score = gain / cost.max(FREE);
            if score > best.0 {
                best = (score, place + 1, gain, cost);
            }
        }
        Bundle {
            patterns: rated[..best.1].iter().map(|(_, _, pattern)| *pattern).collect(),
            gain: best.2,
            cost: best.3,
        }
    }

    /// What a pattern adds to the shared costs of a bundle. Shared pages are few there and counted in full.
    fn unpaid(&self, pattern: usize, hubs: &mut Met, sites: &mut Met) -> f64 {
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

/// Numbers that were met. Most bundles share a few hubs, for which a list is fastest; some patterns
/// of real sites need thousands.
#[derive(Default)]
struct Met {
    few: Vec<u32>,
    many: HashSet<u32>,
}

impl Met {
    const FEW: usize = 32;

    /// Adds a number. Returns `false` if it was met before.
    fn insert(&mut self, number: u32) -> bool {
        if self.few.contains(&number) {
            return false;
        }
        if self.few.len() < Met::FEW {
            self.few.push(number);
            return true;
        }
        self.many.insert(number)
    }
}

/// The cost of a pattern alone.
pub(super) fn full_price(candidates: &Candidates, pattern: usize, price: Price) -> f64 {
    let pages = candidates.own[pattern] + candidates.page_lists.get(pattern).len() as f64;
    if price != Price::All {
        return pages;
    }
    let hubs = candidates.hub_lists.get(pattern).iter();
    let hubs: f64 = hubs.map(|hub| candidates.hub_costs[*hub as usize]).sum();
    pages + hubs + candidates.overhead[candidates.site_of[pattern] as usize]
}
