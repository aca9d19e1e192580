//! Decision of the patterns whose fate is clear: those worth their cost whatever else is chosen,
//! and those never worth it.
//!
//! If an object has a value, leaving it uncovered costs that value. Then a pattern is taken if the
//! objects that only it can cover are worth its maximum cost. It is rejected if all objects that it
//! can still add are not worth its minimum cost. Each decision covers objects, pays shared costs,
//! or leaves objects to fewer patterns, which decides other patterns. Often a fifth of the patterns
//! remains, for which most hubs and sites are paid.
//!
//! The value of an object is unknown, but lies in a range, and all decisions hold for the whole
//! range. So the minimum of cost plus uncovered value is unchanged by the reduction, and a bound
//! for the remaining candidates is a bound for all (`bound`).
//!
//! All patterns are evaluated in several passes. Propagating every decision to the affected
//! patterns would need the patterns of each object, with random memory access; passes read the
//! lists sequentially.

use super::candidates::Candidates;
use super::greedy::ROUNDING;
use super::remaining::remaining;

/// Maximum number of passes.
const MAX_PASSES: usize = 12;

/// Reciprocal of the share of open patterns below which a pass is the last.
const MIN_PROGRESS_RECIPROCAL: usize = 200;

/// Counts of providers saturate here: it would take as many decisions for such an object to matter.
const SATURATED: u8 = u8::MAX;

/// The range of an object's value; both ends are infinite if all must be covered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ValueRange {
    pub(super) min: f64,
    pub(super) max: f64,
}

/// Result of a reduction of certain candidates.
#[derive(Clone, Debug)]
pub(super) struct Reduction {
    pub(super) taken: Vec<usize>,
    /// Cost of the chosen patterns, and the number of objects they cover.
    pub(super) cost: f64,
    pub(super) covered: f64,
    /// The remaining candidates. Objects that only one pattern has are merged into one with a
    /// weight.
    pub(super) remaining: Candidates,
    /// Original index of each remaining pattern.
    pub(super) patterns: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Decision {
    pub(super) pattern: usize,
    pub(super) is_taken: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Open,
    Taken,
    Rejected,
}

/// Gains and costs of a pattern.
#[derive(Clone, Copy, Debug, Default)]
struct Evaluation {
    /// Weight of its uncovered objects.
    open: f64,
    /// Weight of those that no other open pattern has.
    exclusive: f64,
    /// Cost with all shared costs, and with only those that no other open pattern shares.
    max: f64,
    min: f64,
}

pub(super) struct Reducer<'a> {
    pub(super) candidates: &'a Candidates,
    range: ValueRange,
    fates: Vec<Fate>,
    /// Number of open patterns with each object; 0 if it is covered.
    providers: Vec<u8>,
    pub(super) shared: Shared<'a>,
    covered: f64,
}

/// Costs shared by several patterns: pages, hubs, and sites, numbered in this order.
pub(super) struct Shared<'a> {
    candidates: &'a Candidates,
    /// Number of open patterns that share each cost; 0 if it is paid.
    sharers: Vec<u32>,
}

impl ValueRange {
    pub(super) const ANY: ValueRange = ValueRange {
        min: 0.0,
        max: f64::INFINITY,
    };

    /// Infinite value: all objects must be covered.
    pub(super) const ALL: ValueRange = ValueRange {
        min: f64::INFINITY,
        max: f64::INFINITY,
    };

    /// Returns the range around a value, given by a factor.
    pub(super) fn about(value: f64, factor: f64) -> ValueRange {
        ValueRange {
            min: value / factor,
            max: value * factor,
        }
    }

    /// Returns the nearest value in the range.
    pub(super) fn nearest(self, value: f64) -> f64 {
        value.clamp(self.min, self.max)
    }
}

impl Reduction {
    pub(super) fn of(candidates: &Candidates, range: ValueRange) -> Reduction {
        Reduction::decided(candidates, range, &[])
    }

    /// Reduces candidates with some decisions made before.
    pub(super) fn decided(candidates: &Candidates, range: ValueRange, before: &[Decision]) -> Reduction {
        let mut reducer = Reducer::new(candidates, range);
        for decision in before {
            if decision.is_taken {
                reducer.take(decision.pattern);
            } else {
                reducer.reject(decision.pattern);
            }
        }
        reducer.decide_all();
        let taken: Vec<usize> = (0..candidates.patterns())
            .filter(|pattern| reducer.fates[*pattern] == Fate::Taken)
            .collect();
        let (remaining, patterns) = remaining(&reducer);
        Reduction {
            cost: candidates.cost(&taken),
            covered: reducer.covered,
            taken,
            remaining,
            patterns,
        }
    }

    /// Returns true if the remaining candidates can reach the target, and the taken patterns do not
    /// exceed it.
    pub(super) fn can_reach(&self, target: f64) -> bool {
        let max = self.covered + self.remaining.coverable();
        self.covered <= target + ROUNDING && max >= target - ROUNDING
    }
}

impl<'a> Reducer<'a> {
    fn new(candidates: &'a Candidates, range: ValueRange) -> Reducer<'a> {
        let mut providers = vec![0_u8; candidates.objects];
        for object in candidates.object_lists.items() {
            let providers = &mut providers[*object as usize];
            *providers = providers.saturating_add(1);
        }
        Reducer {
            candidates,
            range,
            fates: vec![Fate::Open; candidates.patterns()],
            providers,
            shared: Shared::new(candidates),
            covered: 0.0,
        }
    }

    /// Returns true if the pattern is undecided.
    pub(super) fn is_open(&self, pattern: usize) -> bool {
        self.fates[pattern] == Fate::Open
    }

    /// Returns true if an object is uncovered.
    pub(super) fn is_wanted(&self, object: u32) -> bool {
        self.providers[object as usize] > 0
    }

    /// Returns true if only one open pattern has the object.
    pub(super) fn is_exclusive(&self, object: u32) -> bool {
        self.providers[object as usize] == 1
    }

    /// Makes passes over all open patterns as long as they decide many.
    fn decide_all(&mut self) {
        let mut open: Vec<u32> = (0..self.fates.len() as u32).collect();
        for _ in 0..MAX_PASSES {
            let before = open.len();
            open.retain(|pattern| {
                self.decide_one(*pattern as usize);
                self.is_open(*pattern as usize)
            });
            // The last passes decide little, and no decision is required.
            if (before - open.len()) * MIN_PROGRESS_RECIPROCAL <= before {
                return;
            }
        }
    }

    fn decide_one(&mut self, pattern: usize) {
        if !self.is_open(pattern) {
            return;
        }
        let case = self.evaluate(pattern);
        // A decision must hold for every value in the range, so the costs and values that speak
        // against it are compared.
        if case.open == 0.0 || case.min >= self.range.max * case.open {
            self.reject(pattern);
        } else if case.max <= 0.0 || case.exclusive > 0.0 && case.max <= self.range.min * case.exclusive {
            self.take(pattern);
        }
    }

    fn evaluate(&self, pattern: usize) -> Evaluation {
        let own = self.candidates.own[pattern];
        let mut case = Evaluation {
            max: own,
            min: own,
            ..Evaluation::default()
        };
        // Branch-free, since the states of objects are unpredictable.
        for object in self.candidates.object_lists.get(pattern) {
            let providers = self.providers[*object as usize];
            let weight = f64::from(self.candidates.weight(*object as usize));
            case.open += weight * f64::from(u8::from(providers > 0));
            case.exclusive += weight * f64::from(u8::from(providers == 1));
        }
        self.shared.for_each_shared(pattern, |item, cost| {
            case.max += cost;
            if self.shared.sharers[item] == 1 {
                case.min += cost;
            }
        });
        case
    }

    fn take(&mut self, pattern: usize) {
        self.fates[pattern] = Fate::Taken;
        for object in self.candidates.object_lists.get(pattern) {
            let object = *object as usize;
            if std::mem::take(&mut self.providers[object]) > 0 {
                self.covered += f64::from(self.candidates.weight(object));
            }
        }
        self.shared.change(pattern, |sharers| *sharers = 0);
    }

    fn reject(&mut self, pattern: usize) {
        self.fates[pattern] = Fate::Rejected;
        for object in self.candidates.object_lists.get(pattern) {
            let providers = &mut self.providers[*object as usize];
            // A saturated count is unknown. It stays, since it would take as many decisions for the
            // object to matter.
            if *providers != SATURATED {
                *providers = providers.saturating_sub(1);
            }
        }
        self.shared.change(pattern, |sharers| *sharers -= 1);
    }
}

impl<'a> Shared<'a> {
    fn new(candidates: &'a Candidates) -> Shared<'a> {
        let items = candidates.shared_pages + candidates.hub_costs.len() + candidates.sites();
        let mut shared = Shared {
            sharers: vec![1; items],
            candidates,
        };
        let mut sharers = vec![0; items];
        for pattern in 0..candidates.patterns() {
            shared.for_each_shared(pattern, |item, _| sharers[item] += 1);
        }
        shared.sharers = sharers;
        shared
    }

    /// Returns true if several open patterns share a cost.
    pub(super) fn is_shared(&self, item: usize) -> bool {
        self.sharers[item] > 1
    }

    /// Returns the cost of a pattern with only the costs that no other open pattern shares.
    pub(super) fn min_cost(&self, pattern: usize) -> f64 {
        let mut min = self.candidates.own[pattern];
        self.for_each_shared(pattern, |item, cost| {
            if self.sharers[item] == 1 {
                min += cost;
            }
        });
        min
    }

    /// Returns the first indexes of hubs and of sites; pages come first.
    pub(super) fn starts(&self) -> (usize, usize) {
        let hubs = self.candidates.shared_pages;
        (hubs, hubs + self.candidates.hub_costs.len())
    }

    /// Calls a function with every unpaid cost that the pattern shares.
    fn for_each_shared(&self, pattern: usize, mut call: impl FnMut(usize, f64)) {
        let candidates = self.candidates;
        let (hubs, sites) = self.starts();
        let mut call = |item: usize, cost: f64| {
            if cost > 0.0 && self.sharers[item] > 0 {
                call(item, cost);
            }
        };
        for page in candidates.page_lists.get(pattern) {
            call(*page as usize, 1.0);
        }
        for hub in candidates.hub_lists.get(pattern) {
            call(hubs + *hub as usize, candidates.hub_costs[*hub as usize]);
        }
        let site = candidates.site_of[pattern] as usize;
        call(sites + site, candidates.overhead[site]);
    }

    /// Changes the number of sharers of each of these costs.
    fn change(&mut self, pattern: usize, change: impl Fn(&mut u32)) {
        let mut items = Vec::new();
        self.for_each_shared(pattern, |item, _| items.push(item));
        for item in items {
            change(&mut self.sharers[item]);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::select::PatternSpec;

    const OBJECTS: u32 = 12;

    fn any_candidates() -> impl Strategy<Value = Candidates> {
        let pattern = (
            0..3_u32,
            0..5_u32,
            vec(0..4_u32, 0..3),
            vec(0..3_u32, 0..3),
            vec(0..OBJECTS, 0..6),
        );
        (vec(pattern, 0..9), vec(0..5_u32, 3), vec(0..5_u32, 3)).prop_map(|(patterns, overheads, hubs)| {
            let mut builder = Candidates::builder(OBJECTS);
            for cost in &overheads {
                builder.site(f64::from(*cost));
            }
            for cost in &hubs {
                builder.hub(f64::from(*cost));
            }
            for (site, own, pages, hubs, objects) in &patterns {
                let spec = PatternSpec {
                    site: *site,
                    own_pages: f64::from(*own),
                    shared_pages: pages,
                    hubs,
                    objects,
                    likely: &[],
                };
                builder.pattern(spec).unwrap();
            }
            builder.build()
        })
    }

    /// Returns the minimum over all choices of cost plus value of uncovered objects.
    fn min_cost(candidates: &Candidates, value: f64) -> f64 {
        let total = candidates.coverable();
        let sum = |set: u32| {
            let chosen: Vec<usize> = (0..candidates.patterns())
                .filter(|index| set & (1 << index) != 0)
                .collect();
            let mut objects: Vec<u32> = chosen
                .iter()
                .flat_map(|pattern| candidates.object_lists.get(*pattern).to_vec())
                .collect();
            objects.sort_unstable();
            objects.dedup();
            let covered: f64 = objects
                .iter()
                .map(|object| f64::from(candidates.weight(*object as usize)))
                .sum();
            let missing = total - covered;
            candidates.cost(&chosen) + if missing > 0.0 { value * missing } else { 0.0 }
        };
        (0..1_u32 << candidates.patterns())
            .map(sum)
            .fold(f64::INFINITY, f64::min)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_reduction_preserves_the_optimum(
            candidates in any_candidates(),
            price in 0.1..8.0_f64,
            factor in 1.0..2.0_f64,
        ) {
            let range = ValueRange::about(price, factor);
            let reduction = Reduction::of(&candidates, range);
            let lost = candidates.coverable() - reduction.covered - reduction.remaining.coverable();
            for value in [range.min, price, range.max] {
                let reduced = reduction.cost + min_cost(&reduction.remaining, value) + value * lost;
                prop_assert!((min_cost(&candidates, value) - reduced).abs() < 1e-6);
            }
        }

        #[test]
        fn a_reduction_for_full_coverage_preserves_the_optimum(candidates in any_candidates()) {
            let reduction = Reduction::of(&candidates, ValueRange::ALL);
            let reached = reduction.covered + reduction.remaining.coverable();
            prop_assert_eq!(candidates.coverable(), reached);
            let reduced = reduction.cost + min_cost(&reduction.remaining, f64::INFINITY);
            prop_assert!((min_cost(&candidates, f64::INFINITY) - reduced).abs() < 1e-6);
        }
    }
}
