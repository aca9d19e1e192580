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
//! overlap) are split anew in each round so that those who bear them stand equally well (`shares`). A subgradient
//! ascent was tried first and needed ten times as many looks at every pair for a worse bound.
//!
//! What a reduction left (`reduce`) is bounded in the same way. There the price limit stays in the range of worths
//! that the reduction holds for.

use super::branch::Doubt;
use super::candidates::{Candidates, Lists};
use super::greedy::{Greedy, ROUNDING};
use super::reduce::Worth;
use super::selection::Goal;
use super::shares::Shares;

/// Pairs that are visited at most: time enough to come near the best bound, and not more on large instances.
const MOST_VISITS: usize = 48_000_000;

/// Rounds at least, where visits are dear: a market that has fewer freezes. And at most, where they are not.
const ROUNDS: (usize, usize) = (16, 100);

/// The last rounds of so many, whose prices are good enough to be looked at.
const LOOKED_AT: usize = 3;

/// How sharp offers are at the start and at the end, as a share of a pattern's cost. The end is divided by the root of the
/// number of rounds: a market that cools too fast freezes at bad prices.
const WARMTH: (f64, f64) = (0.5, 0.04);

/// How far the limit of prices moves in a round, at the start and at the end.
const LIMIT_MOVES: (f64, f64) = (0.2, 0.003);

/// A price stays when it would move by less than this share of itself in a market of warmth one: nobody's offer would
/// change by much, and all would have to be told.
const SETTLED: f32 = 0.02;

/// An offer is cut off here, for a price far off must not run away with the sum.
const MOST_OFFERED: f32 = 20.0;

/// The least cost that offers are measured by; a free pattern would be infinitely sharp.
const LEAST_COST: f32 = 0.02;

/// What rounding may have added to a bound before it is raised to the next whole page, as a share of a page.
const WHOLE: f64 = 0.05;

/// The same for a bound of what is covered, as a share of an object.
const WHOLE_OBJECT: f64 = 0.01;

/// How much less a pattern is in doubt, the further its worth is from its cost: a power of their ratio.
const DECIDED: i32 = 4;

/// A pattern that is worth nothing is in as much doubt as one that is worth this share of its cost.
const LEAST_RATIO: f64 = 1e-9;

/// What is reached in this round, falling evenly by factors.
fn cooled((from, to): (f64, f64), round: usize, rounds: usize) -> f64 {
    from * (to / from).powf(round as f64 / (rounds - 1) as f64)
}

/// How many objects this share of all is. Certain objects come whole; of uncertain ones, rounding may add up to less
/// in one order of patterns than in another, and what it may take is not asked for.
pub(super) fn target(candidates: &Candidates, share: f64, total: f64) -> f64 {
    let target = (share * total).min(total);
    let target = match candidates.likely.is_empty() {
        true => (target - ROUNDING).ceil(),
        false => target - candidates.rounding(),
    };
    target.max(0.0)
}

/// Prices to start from.
pub(super) struct Start {
    prices: Vec<f32>,
    /// About the most that an object is worth.
    limit: f64,
}

impl Start {
    /// For every object what it costs where it is cheapest, all that a pattern could bring brought. No pattern is
    /// overpaid at these prices.
    pub(super) fn cheapest(candidates: &Candidates, limit: f64) -> Start {
        let mut prices = vec![f32::INFINITY; candidates.objects];
        for pattern in 0..candidates.patterns() {
            let objects = candidates.object_lists.get(pattern);
            let weight: f32 = objects
                .iter()
                .map(|object| candidates.weight(*object as usize))
                .sum();
            let price = candidates.own[pattern] as f32 / weight;
            for object in objects {
                let least = &mut prices[*object as usize];
                *least = least.min(price);
            }
        }
        Start { prices, limit }
    }
}

/// Prices for objects, and what follows from them.
pub(super) struct Prices<'a> {
    candidates: &'a Candidates,
    demand: &'a [f32],
    of_object: Vec<f32>,
    /// The most that any object is worth; none where all must be covered.
    limit: Option<f32>,
    /// Between what that must stay.
    worth: Worth,
    /// What each pattern bears of the costs it shares.
    shares: Shares,
    /// What the prices of its objects come to, for each pattern at the start of a round.
    worth_of: Vec<f64>,
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
    /// One by its cost.
    by_cost: f32,
    /// How much of itself it offers.
    part: f32,
}

/// The goal in numbers.
#[derive(Clone, Copy, Debug)]
pub(super) enum Target {
    /// So much is to be covered.
    Covered(f64),
    /// No more than so much may be paid.
    Paid(f64),
}

impl<'a> Prices<'a> {
    /// Good prices for the goal, starting from those that a greedy choice paid.
    pub(super) fn found(greedy: &'a Greedy<'a>, goal: Goal) -> Prices<'a> {
        let goal = Target::of(goal, greedy);
        let start = Start {
            prices: greedy.prices.clone(),
            limit: f64::from(greedy.price_at(goal.is_reached_by())),
        };
        Prices::found_for(
            greedy.candidates,
            greedy.covered.demand(),
            goal,
            &start,
            Worth::ANY,
        )
    }

    /// Good prices for a target, where so much of each object is to be had, and objects are of such worth.
    pub(super) fn found_for(
        candidates: &'a Candidates,
        demand: &'a [f32],
        goal: Target,
        start: &Start,
        worth: Worth,
    ) -> Prices<'a> {
        Prices::new(candidates, demand, goal, start, worth).improved()
    }

    fn improved(mut self) -> Prices<'a> {
        let candidates = self.candidates;
        let visits = (candidates.pairs() + candidates.patterns()).max(1);
        let rounds = (MOST_VISITS / visits).clamp(ROUNDS.0, ROUNDS.1);
        let of_object = candidates.object_lists.inverted(candidates.objects);
        let warmth = (WARMTH.0, WARMTH.1 / (rounds as f64).sqrt());
        for round in 0..rounds {
            self.sum_up();
            // A warm market has no good prices.
            if round == 0 || round * LOOKED_AT >= rounds * (LOOKED_AT - 1) {
                self.note();
            }
            self.trade(&of_object, cooled(warmth, round, rounds) as f32);
            self.move_limit(cooled(LIMIT_MOVES, round, rounds));
        }
        self.sum_up();
        self.note();
        self.of_object.clone_from(&self.best_prices);
        self
    }

    /// The bound in the goal's unit: the least cost of a coverage, or the most coverage for a cost.
    pub(super) fn bound(&self) -> f64 {
        let candidates = self.candidates;
        match self.goal {
            Target::Covered(_) if candidates.costs_are_whole() => (self.best - WHOLE).ceil().max(0.0),
            Target::Covered(_) => self.best.max(0.0),
            Target::Paid(_) if candidates.likely.is_empty() => (WHOLE_OBJECT - self.best).floor(),
            Target::Paid(_) => -self.best,
        }
    }

    /// The pattern for which these prices decide least, weighed by what depends on it.
    pub(super) fn doubt(&self) -> Option<Doubt> {
        let (mut doubt, mut most, mut largest) = (None, 0.0, 0.0_f64);
        for pattern in 0..self.worth_of.len() {
            let pairs = self.candidates.object_lists.range(pattern);
            if pairs.is_empty() {
                continue;
            }
            let cost = self.shares.cost(pattern).max(f64::from(LEAST_COST));
            let size = match self.goal {
                Target::Covered(_) => cost,
                Target::Paid(_) => pairs.map(|pair| self.candidates.likely(pair)).sum(),
            };
            let ratio = (self.worth_of[pattern] / cost).max(LEAST_RATIO);
            let open = size / ratio.max(1.0 / ratio).powi(DECIDED);
            largest = largest.max(size);
            if open > most {
                (doubt, most) = (Some(pattern), open);
            }
        }
        doubt.map(|pattern| Doubt { pattern, largest })
    }

    /// The most that an object was worth at last; without end where all must be covered.
    pub(super) fn limit(&self) -> f64 {
        self.limit.map_or(f64::INFINITY, f64::from)
    }

    /// What each object is worth.
    pub(super) fn of_objects(&self) -> &[f32] {
        &self.of_object
    }

    fn new(
        candidates: &'a Candidates,
        demand: &'a [f32],
        goal: Target,
        start: &Start,
        worth: Worth,
    ) -> Prices<'a> {
        let total: f64 = demand.iter().map(|demand| f64::from(*demand)).sum();
        let limit = match goal {
            Target::Covered(target) if target >= total - ROUNDING => None,
            _ => Some(worth.nearest(start.limit.max(f64::from(LEAST_COST))) as f32),
        };
        let most = limit.unwrap_or(f32::INFINITY);
        let prices: Vec<f32> = start.prices.iter().map(|price| price.min(most)).collect();
        Prices {
            demand,
            best_prices: prices.clone(),
            of_object: prices,
            limit,
            worth,
            shares: Shares::new(candidates),
            worth_of: vec![0.0; candidates.patterns()],
            offers: vec![Offer::default(); candidates.patterns()],
            offered: 0.0,
            goal,
            best: f64::NEG_INFINITY,
            candidates,
        }
    }

    /// One round: every object's price moves to where it is offered as often as it is wanted.
    fn trade(&mut self, of_object: &Lists, warmth: f32) {
        self.offer(warmth);
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
            if (price - before).abs() > SETTLED * warmth * before {
                self.of_object[object] = price;
                for pattern in patterns {
                    let likely = self.candidates.part_of(*pattern, object as u32);
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
            let likely = self.candidates.part_of(*pattern, object as u32);
            let offer = &self.offers[*pattern as usize];
            offered += offer.part * likely;
            sharpness += offer.part * likely * likely * offer.by_cost;
        }
        (offered, sharpness)
    }

    /// Adds up what patterns are worth, and splits for that what they share.
    fn sum_up(&mut self) {
        for pattern in 0..self.worth_of.len() {
            self.worth_of[pattern] = self.exact_worth(pattern);
        }
        self.shares.split(&self.worth_of);
    }

    fn offer(&mut self, warmth: f32) {
        for (pattern, offer) in self.offers.iter_mut().enumerate() {
            *offer = Offer {
                worth: self.worth_of[pattern] as f32,
                by_cost: 1.0 / (self.shares.cost(pattern) as f32).max(LEAST_COST),
                part: 0.0,
            };
            offer.renew(warmth);
        }
    }

    /// Objects may be worth more where too little is covered or paid, and less where it is too much.
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
        self.limit = Some(self.worth.nearest(f64::from(limit) * factor) as f32);
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
        if self.limit.is_none() || dearest >= self.worth.least {
            return sum;
        }
        // What was reduced away holds from the least worth on: what lies above it counts as that much.
        let least = self.worth.least;
        let all = priced
            .iter()
            .map(|(price, demand)| f64::from(*demand) * f64::from(*price).min(least));
        let total: f64 = priced.iter().map(|(_, demand)| f64::from(*demand)).sum();
        all.sum::<f64>() - least * (total - target)
    }

    /// By how much all patterns together are overpaid.
    fn overpaid(&self) -> f64 {
        let over = |(pattern, worth): (usize, &f64)| (worth - self.shares.cost(pattern)).max(0.0);
        self.shares.overborne() + self.worth_of.iter().enumerate().map(over).sum::<f64>()
    }

    fn exact_worth(&self, pattern: usize) -> f64 {
        let candidates = self.candidates;
        let objects = candidates.object_lists.get(pattern).iter();
        if candidates.likely.is_empty() {
            let worth = |object: &u32| {
                let object = *object as usize;
                f64::from(self.of_object[object]) * f64::from(candidates.weight(object))
            };
            return objects.map(worth).sum();
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
        let close = (self.worth * self.by_cost - 1.0) / warmth;
        self.part = close.min(MOST_OFFERED).exp();
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

    /// Whether a greedy choice has come as far, from its cost and coverage.
    pub(super) fn is_reached_by(self) -> impl Fn(f64, f64) -> bool {
        move |cost, covered| match self {
            Target::Covered(target) => covered >= target - ROUNDING,
            Target::Paid(budget) => cost >= budget,
        }
    }
}
