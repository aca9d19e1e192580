//! Bounds on all selections, from prices.
//!
//! Every object has a price, up to a limit. Then the cost of any selection, even a fractional one,
//! that reaches the goal is at least the prices of the needed objects minus the overpayment of
//! patterns. A pattern is overpaid if the prices of its objects exceed its cost. This holds for all
//! prices ([`Prices::bound`]), so the method that finds good ones needs no proof.
//!
//! The method is a simulated market with falling temperature. A pattern offers more of itself as
//! the prices of its objects approach its cost. The price of an object rises if too little of it is
//! offered, and falls if too much is. The lower the temperature, the sharper the offers. Shared
//! costs (hubs, sites, overlapping pages) are split again in each round so that all who pay have
//! the same ratio of cost to value (`shares`). A subgradient ascent took ten times as many passes
//! over the pairs and gave a worse bound.
//!
//! The rest after a reduction (`reduce`) is bounded in the same way. There the price limit stays
//! within the range of values for which the reduction holds.

use super::branch::Undecided;
use super::candidates::{Candidates, Lists};
use super::greedy::{Greedy, ROUNDING};
use super::reduce::ValueRange;
use super::selection::Goal;
use super::shares::Shares;

/// Maximum number of visits to pairs: enough for a near-optimal bound, and no more on large
/// instances.
const MAX_PAIR_VISITS: usize = 48_000_000;

/// Minimum and maximum number of rounds. With fewer rounds the market freezes at bad prices.
const MIN_AND_MAX_ROUNDS: (usize, usize) = (16, 100);

/// Reciprocal of the share of rounds, at the end, in which prices are good enough to be evaluated.
const EVALUATED_RECIPROCAL: usize = 3;

/// Temperature at the start and at the end, as a share of a pattern's cost. The latter is divided
/// by the square root of the number of rounds, since a market that cools too fast freezes at bad
/// prices.
const TEMPERATURE: (f64, f64) = (0.5, 0.04);

/// Relative change of the price limit per round, at the start and at the end.
const LIMIT_CHANGE: (f64, f64) = (0.2, 0.003);

/// Minimum relative change of a price at temperature one.
const MIN_PRICE_CHANGE: f32 = 0.02;

/// Maximum exponent of an offer, so that an outlier does not dominate the sum.
const MAX_OFFER_EXPONENT: f32 = 20.0;

/// Minimum cost that offers are measured by; a free pattern would be infinitely sharp.
const MIN_COST: f32 = 0.02;

/// Tolerance for rounding errors before a bound is raised to the next integer, in pages.
const ROUNDING_TOLERANCE_PAGES: f64 = 0.05;

/// The same tolerance for a bound of the coverage, in objects.
const ROUNDING_TOLERANCE_OBJECTS: f64 = 0.01;

/// Exponent by which a pattern is less uncertain, the further the ratio of its value to its cost is
/// from one.
const CERTAINTY_EXPONENT: i32 = 4;

/// Minimum ratio of value to cost in this comparison.
const MIN_RATIO: f64 = 1e-9;

/// Returns a value that decreases geometrically over the rounds.
fn decay_geometrically((from, to): (f64, f64), round: usize, rounds: usize) -> f64 {
    from * (to / from).powf(round as f64 / (rounds - 1) as f64)
}

/// Returns the number of objects for a share of all. Certain objects give an integer. For uncertain
/// ones the maximum rounding error is subtracted, which depends on the order of patterns.
pub(super) fn target(candidates: &Candidates, share: f64, total: f64) -> f64 {
    let target = (share * total).min(total);
    let target = match candidates.likely.is_empty() {
        true => (target - ROUNDING).ceil(),
        false => target - candidates.rounding(),
    };
    target.max(0.0)
}

/// Initial prices.
pub(super) struct Start {
    prices: Vec<f32>,
    /// Approximate maximum value of an object.
    limit: f64,
}

impl Start {
    /// Prices every object by its cheapest pattern, assuming that all objects of the pattern are
    /// needed. No pattern is overpaid at these prices.
    pub(super) fn by_cheapest_pattern(candidates: &Candidates, limit: f64) -> Start {
        let mut prices = vec![f32::INFINITY; candidates.objects];
        for pattern in 0..candidates.patterns() {
            let objects = candidates.object_lists.get(pattern);
            let weight: f32 = objects
                .iter()
                .map(|object| candidates.weight(*object as usize))
                .sum();
            // Own pages alone: hubs and sites may be shared, and a price that counts them twice
            // would overpay.
            let price = candidates.own[pattern] as f32 / weight;
            for object in objects {
                let min = &mut prices[*object as usize];
                *min = min.min(price);
            }
        }
        Start { prices, limit }
    }
}

/// Prices of objects, and the state of their improvement.
pub(super) struct Prices<'a> {
    candidates: &'a Candidates,
    demand: &'a [f32],
    of_object: Vec<f32>,
    /// Maximum value of an object; `None` if all must be covered.
    limit: Option<f32>,
    /// Allowed range of the limit.
    range: ValueRange,
    /// Split of the shared costs among patterns.
    shares: Shares,
    /// Value of each pattern at the start of a round: the sum of its objects' prices.
    value_of: Vec<f64>,
    offers: Vec<Offer>,
    /// Total offered in the last round; of each object at most its demand.
    offered: f64,
    goal: Target,
    /// The best bound so far, and its prices.
    best: f64,
    best_prices: Vec<f32>,
}

/// The offer of a pattern, in contiguous storage for sequential access.
#[derive(Clone, Copy, Debug, Default)]
struct Offer {
    /// Sum of its objects' prices.
    value: f32,
    /// Reciprocal of its cost.
    by_cost: f32,
    /// Offered part of the pattern.
    part: f32,
}

/// The goal in numbers.
#[derive(Clone, Copy, Debug)]
pub(super) enum Target {
    /// Minimum coverage.
    Covered(f64),
    /// Maximum cost.
    Paid(f64),
}

impl<'a> Prices<'a> {
    /// Finds good prices for the goal, starting from those that a greedy choice paid.
    pub(super) fn found(greedy: &'a Greedy<'a>, goal: Goal) -> Prices<'a> {
        let goal = Target::of(goal, greedy);
        let start = Start {
            prices: greedy.prices.clone(),
            limit: f64::from(greedy.price_at(goal.is_reached())),
        };
        Prices::found_for(
            greedy.candidates,
            greedy.covered.demand(),
            goal,
            &start,
            ValueRange::ANY,
        )
    }

    /// Finds good prices for a target, given the demand of each object and the range of its value.
    pub(super) fn found_for(
        candidates: &'a Candidates,
        demand: &'a [f32],
        goal: Target,
        start: &Start,
        range: ValueRange,
    ) -> Prices<'a> {
        Prices::new(candidates, demand, goal, start, range).improve()
    }

    fn improve(mut self) -> Prices<'a> {
        let candidates = self.candidates;
        let visits = (candidates.pairs() + candidates.patterns()).max(1);
        let rounds = (MAX_PAIR_VISITS / visits).clamp(MIN_AND_MAX_ROUNDS.0, MIN_AND_MAX_ROUNDS.1);
        let of_object = candidates.object_lists.inverted(candidates.objects);
        let temperature = (TEMPERATURE.0, TEMPERATURE.1 / (rounds as f64).sqrt());
        for round in 0..rounds {
            self.sum_up();
            // Prices at high temperature are bad. Those of the first round are kept so that there
            // are some.
            if round == 0 || round * EVALUATED_RECIPROCAL >= rounds * (EVALUATED_RECIPROCAL - 1) {
                self.keep_if_best();
            }
            self.trade(&of_object, decay_geometrically(temperature, round, rounds) as f32);
            self.move_limit(decay_geometrically(LIMIT_CHANGE, round, rounds));
        }
        self.sum_up();
        self.keep_if_best();
        self.of_object.clone_from(&self.best_prices);
        self
    }

    /// Returns the bound in the goal's unit: the minimum cost of a coverage, or the maximum
    /// coverage for a cost.
    pub(super) fn bound(&self) -> f64 {
        let candidates = self.candidates;
        match self.goal {
            Target::Covered(_) if candidates.costs_are_whole() => {
                (self.best - ROUNDING_TOLERANCE_PAGES).ceil().max(0.0)
            }
            Target::Covered(_) => self.best.max(0.0),
            Target::Paid(_) if candidates.likely.is_empty() => {
                (ROUNDING_TOLERANCE_OBJECTS - self.best).floor()
            }
            Target::Paid(_) => -self.best,
        }
    }

    /// Returns the pattern that these prices decide least, weighed by its size.
    pub(super) fn undecided(&self) -> Option<Undecided> {
        let (mut undecided, mut max, mut largest) = (None, 0.0, 0.0_f64);
        for pattern in 0..self.value_of.len() {
            let pairs = self.candidates.object_lists.range(pattern);
            if pairs.is_empty() {
                continue;
            }
            let cost = self.shares.cost(pattern).max(f64::from(MIN_COST));
            let size = match self.goal {
                Target::Covered(_) => cost,
                Target::Paid(_) => pairs.map(|pair| self.candidates.likely(pair)).sum(),
            };
            let ratio = (self.value_of[pattern] / cost).max(MIN_RATIO);
            let open = size / ratio.max(1.0 / ratio).powi(CERTAINTY_EXPONENT);
            largest = largest.max(size);
            if open > max {
                (undecided, max) = (Some(pattern), open);
            }
        }
        undecided.map(|pattern| Undecided { pattern, largest })
    }

    /// Returns the maximum value of an object; infinite if all must be covered.
    pub(super) fn limit(&self) -> f64 {
        self.limit.map_or(f64::INFINITY, f64::from)
    }

    /// Returns the price of each object.
    pub(super) fn of_objects(&self) -> &[f32] {
        &self.of_object
    }

    fn new(
        candidates: &'a Candidates,
        demand: &'a [f32],
        goal: Target,
        start: &Start,
        range: ValueRange,
    ) -> Prices<'a> {
        let total: f64 = demand.iter().map(|demand| f64::from(*demand)).sum();
        let limit = match goal {
            Target::Covered(target) if target >= total - ROUNDING => None,
            _ => Some(range.nearest(start.limit.max(f64::from(MIN_COST))) as f32),
        };
        let max = limit.unwrap_or(f32::INFINITY);
        let prices: Vec<f32> = start.prices.iter().map(|price| price.min(max)).collect();
        Prices {
            demand,
            best_prices: prices.clone(),
            of_object: prices,
            limit,
            range,
            shares: Shares::new(candidates),
            value_of: vec![0.0; candidates.patterns()],
            offers: vec![Offer::default(); candidates.patterns()],
            offered: 0.0,
            goal,
            best: f64::NEG_INFINITY,
            candidates,
        }
    }

    /// Moves each object's price to where it is offered as often as it is wanted.
    fn trade(&mut self, of_object: &Lists, temperature: f32) {
        self.offer(temperature);
        self.offered = 0.0;
        let max = self.limit.unwrap_or(f32::INFINITY);
        for object in 0..self.of_object.len() {
            let wanted = self.demand[object];
            let patterns = of_object.get(object);
            if wanted <= 0.0 || patterns.is_empty() {
                continue;
            }
            let (offered, sharpness) = self.offered_of(object, patterns);
            let change = -(offered / wanted).ln() * temperature * offered / sharpness;
            let before = self.of_object[object];
            let price = (before + change).clamp(0.0, max);
            self.offered += f64::from(if price < max { wanted } else { offered.min(wanted) });
            // Smaller changes would hardly affect offers, but would require updates of all of them.
            if (price - before).abs() > MIN_PRICE_CHANGE * temperature * before {
                self.of_object[object] = price;
                for pattern in patterns {
                    let likely = self.candidates.part_of(*pattern, object as u32);
                    let offer = &mut self.offers[*pattern as usize];
                    offer.value += (price - before) * likely;
                    offer.update(temperature);
                }
            }
        }
    }

    /// Returns the offered amount of an object, and its derivative by price.
    fn offered_of(&self, object: usize, patterns: &[u32]) -> (f32, f32) {
        let (mut offered, mut sharpness) = (1e-30, 1e-30);
        for pattern in patterns {
            let likely = self.candidates.part_of(*pattern, object as u32);
            let offer = &self.offers[*pattern as usize];
            offered += offer.part * likely;
            sharpness += offer.part * likely * likely * offer.by_cost;
        }
        (offered, sharpness)
    }

    /// Computes the values of patterns, and splits the shared costs by these.
    fn sum_up(&mut self) {
        for pattern in 0..self.value_of.len() {
            self.value_of[pattern] = self.exact_value(pattern);
        }
        self.shares.split(&self.value_of);
    }

    fn offer(&mut self, temperature: f32) {
        for (pattern, offer) in self.offers.iter_mut().enumerate() {
            *offer = Offer {
                value: self.value_of[pattern] as f32,
                by_cost: 1.0 / (self.shares.cost(pattern) as f32).max(MIN_COST),
                part: 0.0,
            };
            offer.update(temperature);
        }
    }

    /// Raises the limit if too little is covered or paid, and lowers it otherwise.
    fn move_limit(&mut self, by: f64) {
        let Some(limit) = self.limit else { return };
        let is_short = match self.goal {
            Target::Covered(target) => self.offered < target,
            Target::Paid(budget) => {
                let paid = |offer: &Offer| f64::from(offer.part.min(1.0) / offer.by_cost);
                self.offers.iter().map(paid).sum::<f64>() < budget
            }
        };
        let factor = if is_short { 1.0 + by } else { 1.0 / (1.0 + by) };
        self.limit = Some(self.range.nearest(f64::from(limit) * factor) as f32);
    }

    /// Keeps the current prices if their bound is the best so far.
    fn keep_if_best(&mut self) {
        let overpaid = self.overpaid();
        let bound = match self.goal {
            Target::Covered(target) => self.needed(target) - overpaid,
            // At these prices a cost bounds the coverage: a linear bound, evaluated at the budget.
            Target::Paid(budget) => {
                let limit = f64::from(self.limit.unwrap_or(1.0));
                let below =
                    |(price, demand): (&f32, &f32)| f64::from(*demand) * (limit - f64::from(*price)).max(0.0);
                let unused: f64 = self.of_object.iter().zip(self.demand).map(below).sum();
                let total: f64 = self.demand.iter().map(|demand| f64::from(*demand)).sum();
                -((budget + unused + overpaid) / limit).min(total)
            }
        };
        if bound > self.best {
            self.best = bound;
            self.best_prices.clone_from(&self.of_object);
        }
    }

    /// Returns the total price of the cheapest objects that reach the target.
    fn needed(&self, target: f64) -> f64 {
        let pairs = self.of_object.iter().copied().zip(self.demand.iter().copied());
        let mut priced: Vec<(f32, f32)> = pairs.filter(|(_, demand)| *demand > 0.0).collect();
        if self.limit.is_some() {
            priced.sort_unstable_by(|one, other| one.0.total_cmp(&other.0));
        }
        let (mut covered, mut sum, mut dearest) = (0.0, 0.0, 0.0);
        for (price, demand) in &priced {
            let demand = f64::from(*demand).min(target - covered);
            if demand <= 0.0 {
                break;
            }
            dearest = f64::from(*price);
            sum += dearest * demand;
            covered += demand;
        }
        if self.limit.is_none() || dearest >= self.range.min {
            return sum;
        }
        // The reduction holds for values from the minimum of the range on, so higher prices count
        // as that minimum.
        let min = self.range.min;
        let all = priced
            .iter()
            .map(|(price, demand)| f64::from(*demand) * f64::from(*price).min(min));
        let total: f64 = priced.iter().map(|(_, demand)| f64::from(*demand)).sum();
        all.sum::<f64>() - min * (total - target)
    }

    /// Returns the overpayment of all patterns.
    fn overpaid(&self) -> f64 {
        let over = |(pattern, value): (usize, &f64)| (value - self.shares.cost(pattern)).max(0.0);
        self.shares.excess() + self.value_of.iter().enumerate().map(over).sum::<f64>()
    }

    fn exact_value(&self, pattern: usize) -> f64 {
        let candidates = self.candidates;
        let objects = candidates.object_lists.get(pattern).iter();
        if candidates.likely.is_empty() {
            let value = |object: &u32| {
                let object = *object as usize;
                f64::from(self.of_object[object]) * f64::from(candidates.weight(object))
            };
            return objects.map(value).sum();
        }
        let pairs = objects.zip(candidates.object_lists.range(pattern));
        let value = |(object, pair): (&u32, usize)| {
            f64::from(self.of_object[*object as usize]) * candidates.likely(pair)
        };
        pairs.map(value).sum()
    }
}

impl Offer {
    fn update(&mut self, temperature: f32) {
        let close = (self.value * self.by_cost - 1.0) / temperature;
        self.part = close.min(MAX_OFFER_EXPONENT).exp();
    }
}

impl Target {
    pub(super) fn of(goal: Goal, greedy: &Greedy<'_>) -> Target {
        match goal {
            Goal::Coverage(share) => {
                Target::Covered(target(greedy.candidates, share, greedy.covered.total()))
            }
            Goal::Pages(budget) => Target::Paid(budget),
        }
    }

    /// Returns a test of whether a greedy choice has reached the target, from its cost and
    /// coverage.
    pub(super) fn is_reached(self) -> impl Fn(f64, f64) -> bool {
        move |cost, covered| match self {
            Target::Covered(target) => covered >= target - ROUNDING,
            Target::Paid(budget) => cost >= budget,
        }
    }
}
