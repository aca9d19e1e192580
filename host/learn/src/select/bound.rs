//! What no selection can beat: a bound from prices.
//!
//! Every object gets a price, up to a limit. Then the cost of any selection, whole or in parts, that covers the
//! goal is at least what the prices of the needed objects come to, less what patterns are overpaid by: those
//! whose objects' prices together exceed their cost. This holds for all prices ([`Prices::bound`]), so how good
//! ones are found needs no proof.
//!
//! They are found by a market that cools down. Every pattern offers itself the more, the closer the prices of
//! its objects come to its cost; an object that is offered too little gets dearer, one that is offered too often
//! cheaper; the cooler the market, the sharper the offers. Costs that are shared (hubs, sites, pages that
//! overlap) are borne by the sharers in proportion to their offers. A subgradient ascent was tried first and
//! needed ten times as many looks at every pair for a worse bound.

use super::candidates::{Candidates, Lists};
use super::greedy::{Greedy, ROUNDING};
use super::selection::Goal;
use super::shares::Shares;

/// Pairs that are visited at most: time enough to come near the best bound, and not more on large instances.
const MOST_VISITS: usize = 80_000_000;

/// Rounds at least, where visits are dear (half as many leave gaps of 5%); and at most, where they are not.
const ROUNDS: (usize, usize) = (16, 150);

/// The last rounds of so many, whose prices are good enough to be looked at.
const LOOKED_AT: usize = 3;

/// How sharp offers are at the start and at the end, as a share of a pattern's cost.
const WARMTH: (f64, f64) = (0.3, 0.004);

/// How far the limit of prices moves in a round, at the start and at the end.
const LIMIT_MOVES: (f64, f64) = (0.2, 0.003);

/// An offer is cut off here, for a price far off must not run away with the sum.
const MOST_OFFERED: f32 = 20.0;

/// The least cost that offers are measured by; a free pattern would be infinitely sharp.
const LEAST_COST: f32 = 0.02;

/// What rounding may have added to a bound before it is raised to the next whole page, as a share of a page.
const WHOLE: f64 = 0.05;

/// Prices for objects, and what follows from them.
pub(super) struct Prices<'a> {
    candidates: &'a Candidates,
    demand: &'a [f32],
    of_object: Vec<f32>,
    /// The most that any object is worth; none where all must be covered.
    limit: Option<f32>,
    /// What each pattern bears of the costs it shares.
    shares: Shares<'a>,
    offers: Vec<Offer>,
    /// What was offered in the last round, of each object no more than is wanted.
    offered: f64,
    goal: Target,
    /// The best bound so far, and the prices that gave it.
    best: f64,
    best_prices: Vec<f32>,
}

/// What a pattern offers; side by side, for that is how it is looked at.
#[derive(Clone, Copy, Debug, Default)]
struct Offer {
    /// The prices of its objects together.
    worth: f32,
    cost: f32,
    /// How much of itself it offers.
    part: f32,
}

/// The goal in numbers.
#[derive(Clone, Copy, Debug)]
enum Target {
    Covered(f64),
    Paid(f64),
}

impl<'a> Prices<'a> {
    /// Good prices for the goal, starting from those that a greedy choice paid.
    pub(super) fn found(greedy: &'a Greedy<'a>, goal: Goal) -> Prices<'a> {
        let mut prices = Prices::new(greedy, goal);
        let candidates = greedy.candidates;
        let visits = (candidates.pairs() + candidates.patterns()).max(1);
        let rounds = (MOST_VISITS / visits).clamp(ROUNDS.0, ROUNDS.1);
        let of_object = candidates.object_lists.inverted(candidates.objects);
        let cool = |range: (f64, f64), round: usize| {
            let part = round as f64 / (rounds - 1) as f64;
            range.0 * (range.1 / range.0).powf(part)
        };
        for round in 0..rounds {
            prices.trade(&of_object, cool(WARMTH, round) as f32);
            prices.move_limit(cool(LIMIT_MOVES, round));
            // A warm market has no good prices, and to look at them costs half a round.
            if round * LOOKED_AT >= rounds * (LOOKED_AT - 1) {
                prices.note();
            }
        }
        prices.of_object.clone_from(&prices.best_prices);
        prices
    }

    /// The bound in the goal's unit: the least cost of a coverage, or the most coverage for a cost.
    pub(super) fn bound(&self) -> f64 {
        let candidates = self.candidates;
        match self.goal {
            Target::Covered(_) if candidates.costs_are_whole() => (self.best - WHOLE).ceil().max(0.0),
            Target::Covered(_) => self.best.max(0.0),
            Target::Paid(_) => -self.best,
        }
    }

    /// What each object is worth.
    pub(super) fn of_objects(&self) -> &[f32] {
        &self.of_object
    }

    fn new(greedy: &'a Greedy<'a>, goal: Goal) -> Prices<'a> {
        let candidates = greedy.candidates;
        let total = greedy.covered.total();
        let goal = match goal {
            Goal::Coverage(share) => {
                let target = (share * total).min(total);
                // Certain objects come whole.
                let is_certain = candidates.likely.is_empty();
                Target::Covered(if is_certain {
                    (target - ROUNDING).ceil().max(0.0)
                } else {
                    target
                })
            }
            Goal::Pages(budget) => Target::Paid(budget),
        };
        let limit = match goal {
            Target::Covered(target) if target >= total - ROUNDING => None,
            _ => Some(greedy.price_at(goal.is_reached_by()).max(LEAST_COST)),
        };
        let mut prices = Prices {
            demand: greedy.covered.demand(),
            of_object: greedy.prices.clone(),
            limit,
            shares: Shares::new(candidates),
            offers: vec![Offer::default(); candidates.patterns()],
            offered: 0.0,
            goal,
            best: f64::NEG_INFINITY,
            best_prices: greedy.prices.clone(),
            candidates,
        };
        prices.note();
        prices
    }

    /// One round: every object's price moves to where it is offered as often as it is wanted.
    fn trade(&mut self, of_object: &Lists, warmth: f32) {
        self.sum_up(warmth);
        let parts: Vec<f32> = self.offers.iter().map(|offer| offer.part).collect();
        self.shares.rebalance(&parts);
        self.offered = 0.0;
        let most = self.limit.unwrap_or(f32::INFINITY);
        for object in 0..self.of_object.len() {
            let wanted = self.demand[object];
            let patterns = of_object.get(object);
            if wanted <= 0.0 || patterns.is_empty() {
                continue;
            }
            let (offered, sharpness) = self.offered_of(object, patterns);
            let change = -(offered / wanted).ln() * warmth * offered / sharpness;
            let before = self.of_object[object];
            let price = (before + change).clamp(0.0, most);
            self.offered += f64::from(if price < most { wanted } else { offered.min(wanted) });
            if price != before {
                self.of_object[object] = price;
                for pattern in patterns {
                    let likely = self.candidates.likely_of(*pattern, object as u32);
                    let offer = &mut self.offers[*pattern as usize];
                    offer.worth += (price - before) * likely;
                    offer.renew(warmth);
                }
            }
        }
    }

    /// How much of an object is offered, and how much that changes with its price.
    fn offered_of(&self, object: usize, patterns: &[u32]) -> (f32, f32) {
        let (mut offered, mut sharpness) = (1e-30, 1e-30);
        for pattern in patterns {
            let likely = self.candidates.likely_of(*pattern, object as u32);
            let offer = &self.offers[*pattern as usize];
            offered += offer.part * likely;
            sharpness += offer.part * likely * likely / offer.cost;
        }
        (offered, sharpness)
    }

    fn sum_up(&mut self, warmth: f32) {
        for pattern in 0..self.offers.len() {
            let mut offer = Offer {
                worth: self.exact_worth(pattern) as f32,
                cost: self.shares.cost(pattern).max(LEAST_COST),
                part: 0.0,
            };
            offer.renew(warmth);
            self.offers[pattern] = offer;
        }
    }

    /// Objects may be worth more where too little is covered or paid, and less where it is too much.
    fn move_limit(&mut self, by: f64) {
        let Some(limit) = self.limit else { return };
        let is_short = match self.goal {
            Target::Covered(target) => self.offered < target,
            Target::Paid(budget) => {
                let paid = |offer: &Offer| f64::from(offer.part.min(1.0) * offer.cost);
                self.offers.iter().map(paid).sum::<f64>() < budget
            }
        };
        let factor = if is_short { 1.0 + by } else { 1.0 / (1.0 + by) };
        self.limit = Some(limit * factor as f32);
    }

    /// Keeps the present prices if their bound is the best so far.
    fn note(&mut self) {
        let overpaid = self.overpaid();
        let bound = match self.goal {
            Target::Covered(target) => self.needed(target) - overpaid,
            // At these prices a cost bounds what is covered: a line, and where it meets the budget.
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

    /// What the cheapest objects that meet the goal come to.
    fn needed(&self, target: f64) -> f64 {
        let pairs = self.of_object.iter().copied().zip(self.demand.iter().copied());
        let mut priced: Vec<(f32, f32)> = pairs.filter(|(_, demand)| *demand > 0.0).collect();
        if self.limit.is_some() {
            priced.sort_unstable_by(|one, other| one.0.total_cmp(&other.0));
        }
        let (mut covered, mut sum) = (0.0, 0.0);
        for (price, demand) in priced {
            let demand = f64::from(demand).min(target - covered);
            sum += f64::from(price) * demand;
            covered += demand;
        }
        sum
    }

    /// By how much all patterns together are overpaid. A site's patterns pay its overhead first.
    fn overpaid(&self) -> f64 {
        let candidates = self.candidates;
        let mut overpaid = self.shares.overborne();
        for site in 0..candidates.sites() {
            let patterns = candidates.site_lists.get(site).iter();
            let of_one = |pattern: &u32| {
                let pattern = *pattern as usize;
                (self.exact_worth(pattern) - self.shares.cost_without_site(pattern)).max(0.0)
            };
            overpaid += (patterns.map(of_one).sum::<f64>() - candidates.overhead[site]).max(0.0);
        }
        overpaid
    }

    fn exact_worth(&self, pattern: usize) -> f64 {
        let candidates = self.candidates;
        let objects = candidates.object_lists.get(pattern).iter();
        if candidates.likely.is_empty() {
            return objects
                .map(|object| f64::from(self.of_object[*object as usize]))
                .sum();
        }
        let pairs = objects.zip(candidates.object_lists.range(pattern));
        let worth = |(object, pair): (&u32, usize)| {
            f64::from(self.of_object[*object as usize]) * candidates.likely(pair)
        };
        pairs.map(worth).sum()
    }
}

impl Offer {
    fn renew(&mut self, warmth: f32) {
        let close = (self.worth / self.cost - 1.0) / warmth;
        self.part = close.min(MOST_OFFERED).exp();
    }
}

impl Target {
    /// Whether a greedy choice has come as far, from its cost and coverage.
    fn is_reached_by(self) -> impl Fn(f64, f64) -> bool {
        move |cost, covered| match self {
            Target::Covered(target) => covered >= target - ROUNDING,
            Target::Paid(budget) => cost >= budget,
        }
    }
}
