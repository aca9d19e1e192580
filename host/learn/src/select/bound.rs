//! What no selection can beat: a bound by Lagrangian relaxation.
//!
//! Every object gets a price. A pattern that costs less than the prices of its objects together would be taken;
//! whatever prices are chosen, what the prices of the needed objects exceed the profits of such patterns by
//! cannot be undercut by any selection, whole or in parts. Good prices are found by going uphill from those that
//! greedy choice paid (subgradient steps of Polyak's length). Profits of a site count only beyond its overhead;
//! the cost of a hub or a shared page is split among those that share it, and the split is improved on the way.

use super::candidates::{Candidates, Lists};
use super::greedy::{Greedy, ROUNDING};
use super::selection::{Bound, Goal};

/// Pairs that are visited at most: time enough to come near the best bound, and not more on large instances.
const MOST_VISITS: usize = 250_000_000;

/// Steps at most, where visits are cheap.
const MOST_STEPS: usize = 400;

/// Steps without a better bound before steps get shorter.
const PATIENCE: usize = 6;

/// A gap below this is as good as none.
const CLOSE: f64 = 1e-4;

/// What rounding may have added to a bound before it is raised to the next whole page, as a share of a page.
const WHOLE: f64 = 0.05;

/// Steps shorter than this no longer change anything.
const SHORTEST: f64 = 1e-3;

/// A bound for the goal; `reached` is the cost of a selection that meets a coverage goal.
pub(super) fn lower_bound(greedy: &Greedy<'_>, goal: Goal, reached: f64) -> Bound {
    let total: f64 = greedy.covered.total();
    match goal {
        Goal::Coverage(share) => {
            let mut target = (share * total).min(total);
            // Certain objects come whole, and so do pages that are counted.
            if greedy.candidates.likely.is_empty() {
                target = (target - ROUNDING).ceil();
            }
            let bound = Prices::new(greedy, target).climb(reached);
            let is_whole = greedy.candidates.costs_are_whole();
            Bound::Cost(if is_whole { (bound - WHOLE).ceil().max(0.0) } else { bound })
        }
        // The most that can be covered is where the least cost passes the budget. That cost is at least linear
        // in what is covered for any prices, so a bound for one coverage bounds all.
        Goal::Pages(budget) => Bound::Covered(most_covered(greedy, budget, total)),
    }
}

/// The smallest coverage that is proven to cost more than the budget, by halving.
fn most_covered(greedy: &Greedy<'_>, budget: f64, total: f64) -> f64 {
    /// Halvings; each multiplies the work by one climb.
    const HALVINGS: usize = 8;
    let (mut low, mut high) = (0.0, total);
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        let mut prices = Prices::new(greedy, middle);
        prices.most_visits /= HALVINGS;
        if prices.climb(budget.max(1.0)) > budget {
            high = middle;
        } else {
            low = middle;
        }
    }
    high
}

struct Prices<'a> {
    candidates: &'a Candidates,
    demand: &'a [f32],
    target: f64,
    of_object: Vec<f32>,
    /// For every pair of hub lists and page lists, the part of the cost that this pattern bears.
    of_hub: Vec<f32>,
    of_page: Vec<f32>,
    most_visits: usize,
}

/// One evaluation: the bound, and how much too little or too much each price buys.
struct Looked {
    bound: f64,
    objects: Vec<f32>,
    taken: Vec<bool>,
    hubs: Vec<bool>,
    pages: Vec<bool>,
}

impl<'a> Prices<'a> {
    fn new(greedy: &'a Greedy<'a>, target: f64) -> Prices<'a> {
        let candidates = greedy.candidates;
        let even = |lists: &Lists, costs: &dyn Fn(usize) -> f64, count: usize| -> Vec<f32> {
            let sharing = lists.inverted(count);
            (0..lists.total())
                .map(|place| {
                    let item = lists.item(place) as usize;
                    (costs(item) / sharing.range(item).len().max(1) as f64) as f32
                })
                .collect()
        };
        let hubs = candidates.hub_costs.len();
        Prices {
            of_hub: even(&candidates.hub_lists, &|hub| candidates.hub_costs[hub], hubs),
            of_page: even(&candidates.page_lists, &|_| 1.0, candidates.shared_pages),
            demand: greedy.covered.demand(),
            of_object: greedy.prices.clone(),
            candidates,
            target,
            most_visits: MOST_VISITS,
        }
    }

    /// The best bound found, never above `reached` by more than rounding.
    fn climb(&mut self, reached: f64) -> f64 {
        let visits = self.candidates.pairs().max(self.candidates.patterns()).max(1);
        let steps = (self.most_visits / visits).clamp(8, MOST_STEPS);
        let mut best = 0.0_f64;
        let mut length = 1.0;
        let mut patience = PATIENCE;
        for _ in 0..steps {
            let looked = self.look();
            if looked.bound > best * (1.0 + CLOSE / 10.0) {
                patience = PATIENCE;
            } else {
                patience -= 1;
            }
            best = best.max(looked.bound);
            if reached - best <= CLOSE * reached || length < SHORTEST {
                break;
            }
            if patience == 0 {
                length /= 2.0;
                patience = PATIENCE;
            }
            self.step(&looked, length, reached);
        }
        best
    }

    /// The price up to which objects are wanted: the dearest are left out as far as the goal allows.
    fn limit(&self) -> f32 {
        let mut priced: Vec<(f32, f32)> = self.of_object.iter().copied().zip(self.demand.iter().copied()).collect();
        priced.retain(|(_, demand)| *demand > 0.0);
        priced.sort_unstable_by(|one, other| one.0.total_cmp(&other.0));
        let mut wanted = 0.0;
        for (price, demand) in &priced {
            wanted += f64::from(*demand);
            if wanted >= self.target {
                return *price;
            }
        }
        priced.last().map_or(0.0, |(price, _)| *price)
    }

    fn look(&self) -> Looked {
        let limit = self.limit();
        let mut bound = f64::from(limit) * self.target;
        let mut objects = vec![0.0_f32; self.of_object.len()];
        for (object, price) in self.of_object.iter().enumerate() {
            if *price < limit {
                let demand = self.demand[object];
                bound -= f64::from(demand) * f64::from(limit - price);
                objects[object] = demand;
            }
        }
        self.share_limit(limit, &mut objects);
        let mut looked = Looked {
            bound,
            objects,
            taken: vec![false; self.candidates.patterns()],
            hubs: overspent(&self.candidates.hub_lists, &self.of_hub, |hub| self.candidates.hub_costs[hub], self.candidates.hub_costs.len(), &mut bound),
            pages: overspent(&self.candidates.page_lists, &self.of_page, |_| 1.0, self.candidates.shared_pages, &mut bound),
        };
        looked.bound = bound;
        self.take(&mut looked);
        looked
    }

    /// Objects at the limit itself are wanted in part, all alike, so that the goal is met exactly.
    fn share_limit(&self, limit: f32, objects: &mut [f32]) {
        let below: f64 = objects.iter().map(|demand| f64::from(*demand)).sum();
        let at = |object: &usize| self.of_object[*object] == limit;
        let places: Vec<usize> = (0..objects.len()).filter(at).collect();
        let there: f64 = places.iter().map(|object| f64::from(self.demand[*object])).sum();
        if there > 0.0 {
            let part = ((self.target - below) / there).clamp(0.0, 1.0) as f32;
            for object in places {
                objects[object] = self.demand[object] * part;
            }
        }
    }

    /// Takes every pattern that its objects' prices pay for, if those of its site together pay for the site.
    fn take(&self, looked: &mut Looked) {
        let candidates = self.candidates;
        let mut profitable: Vec<usize> = Vec::new();
        for site in 0..candidates.sites() {
            profitable.clear();
            let mut profit = 0.0;
            for pattern in candidates.site_lists.get(site) {
                let reduced = self.reduced(*pattern as usize);
                if reduced < 0.0 {
                    profit -= reduced;
                    profitable.push(*pattern as usize);
                }
            }
            if profit <= candidates.overhead[site] {
                continue;
            }
            looked.bound -= profit - candidates.overhead[site];
            for pattern in &profitable {
                looked.taken[*pattern] = true;
                let range = candidates.object_lists.range(*pattern);
                for (object, pair) in candidates.object_lists.get(*pattern).iter().zip(range) {
                    looked.objects[*object as usize] -= candidates.likely(pair) as f32;
                }
            }
        }
    }

    /// The cost of a pattern less the prices of its objects.
    fn reduced(&self, pattern: usize) -> f64 {
        let candidates = self.candidates;
        let part = |lists: &Lists, parts: &[f32]| -> f64 {
            lists.range(pattern).map(|place| f64::from(parts[place])).sum()
        };
        let cost = candidates.own[pattern]
            + part(&candidates.hub_lists, &self.of_hub)
            + part(&candidates.page_lists, &self.of_page);
        let objects = candidates.object_lists.get(pattern).iter();
        if candidates.likely.is_empty() {
            let prices: f32 = objects.map(|object| self.of_object[*object as usize]).sum();
            return cost - f64::from(prices);
        }
        let pairs = objects.zip(candidates.object_lists.range(pattern));
        let price = |(object, pair): (&u32, usize)| f64::from(self.of_object[*object as usize]) * candidates.likely(pair);
        cost - pairs.map(price).sum::<f64>()
    }

    /// Objects that are bought too little get dearer, others cheaper; who takes what is not paid for bears less.
    fn step(&mut self, looked: &Looked, length: f64, reached: f64) {
        let hubs = differences(&self.candidates.hub_lists, &looked.taken, &looked.hubs);
        let pages = differences(&self.candidates.page_lists, &looked.taken, &looked.pages);
        let square = |values: &[f32]| values.iter().map(|value| f64::from(value * value)).sum::<f64>();
        let norm = square(&looked.objects) + square(&hubs) + square(&pages);
        if norm <= 0.0 {
            return;
        }
        // A little beyond what was reached, for the bound may come up to it.
        let step = (length * (1.001 * reached - looked.bound).max(0.0) / norm) as f32;
        let parts = [(&mut self.of_hub, hubs), (&mut self.of_page, pages)];
        for (values, changes) in parts.into_iter().chain([(&mut self.of_object, looked.objects.clone())]) {
            for (value, change) in values.iter_mut().zip(changes) {
                *value = (*value + step * change).max(0.0);
            }
        }
    }
}

/// Shared costs that their sharers bear more of than there is: they would be paid, and the bound is less for it.
fn overspent(
    lists: &Lists,
    parts: &[f32],
    cost: impl Fn(usize) -> f64,
    count: usize,
    bound: &mut f64,
) -> Vec<bool> {
    let mut borne = vec![0.0_f64; count];
    for (place, part) in parts.iter().enumerate() {
        borne[lists.item(place) as usize] += f64::from(*part);
    }
    let is_over = |(item, borne): (usize, &f64)| {
        let over = borne - cost(item);
        *bound -= over.max(0.0);
        over > 0.0
    };
    borne.iter().enumerate().map(is_over).collect()
}

/// For every pair: taken and not paid is 1, paid and not taken is -1.
fn differences(lists: &Lists, taken: &[bool], paid: &[bool]) -> Vec<f32> {
    let mut differences = Vec::with_capacity(lists.total());
    if lists.total() > 0 {
        for (pattern, taken) in taken.iter().enumerate() {
            for item in lists.get(pattern) {
                differences.push(f32::from(u8::from(*taken)) - f32::from(u8::from(paid[*item as usize])));
            }
        }
    }
    differences
}
