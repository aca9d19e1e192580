//! What needs no choice: patterns that are worth their cost whatever else is chosen, and patterns that never are.
//!
//! With an object worth so much, leaving it uncovered costs that much. Then a pattern is taken when the objects
//! that it alone brings are worth all it may cost, and it is left when all objects it could still add are not
//! worth the least it costs. Each such decision covers objects, pays shared costs or leaves objects to fewer
//! patterns, which decides others. What remains is often a fifth, and in it hubs and sites are mostly paid.
//!
//! The worth is not known, but it lies in a range, and decisions are made that hold for all of the range. So the
//! least sum of cost and worth left uncovered is the same before and after, and a bound of what remains is one of
//! the whole (`bound`).
//!
//! All patterns are looked at in turn, several times over. To follow every decision to those it concerns would need
//! the patterns of each object, and would jump about in memory; to look again reads one list after another.

use super::candidates::Candidates;
use super::greedy::ROUNDING;
use super::remains::remains;

/// How often all patterns are looked at. The last times decide little, and nothing has to be decided.
const MOST_PASSES: usize = 12;

/// A pass is the last when it decides less than this share of what is open.
const FEW: usize = 200;

/// Objects with so many patterns are not counted down: it would take as many decisions to matter.
const MANY: u8 = u8::MAX;

/// Between what an object may be worth; both are infinite when all must be covered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Worth {
    pub(super) least: f64,
    pub(super) most: f64,
}

/// What became of candidates whose objects are certain.
#[derive(Clone, Debug)]
pub(super) struct Reduction {
    /// Patterns that are chosen.
    pub(super) taken: Vec<usize>,
    /// What they cost and how many objects they cover.
    pub(super) cost: f64,
    pub(super) covered: f64,
    /// What is left to choose from. Objects that one pattern alone brings are one, with a weight.
    pub(super) remains: Candidates,
    /// The numbers that its patterns had.
    pub(super) patterns: Vec<u32>,
}

/// What shall become of a pattern.
#[derive(Clone, Copy, Debug)]
pub(super) struct Decision {
    pub(super) pattern: usize,
    pub(super) is_taken: bool,
}

/// How a pattern stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Open,
    Taken,
    Left,
}

/// What speaks for a pattern and against it.
#[derive(Clone, Copy, Debug, Default)]
struct Case {
    /// Objects that nobody brings yet.
    open: f64,
    /// Those of them that no other pattern could bring.
    alone: f64,
    /// What it costs with all it shares, and with only what nobody is left to share.
    most: f64,
    least: f64,
}

/// Decides for all patterns for which that can be done.
pub(super) struct Reducer<'a> {
    pub(super) candidates: &'a Candidates,
    worth: Worth,
    fates: Vec<Fate>,
    /// How many patterns could still bring each object; none for what is covered.
    bringing: Vec<u8>,
    pub(super) shared: Shared<'a>,
    covered: f64,
}

/// All that is paid once for several: pages, hubs, sites, numbered one after another.
pub(super) struct Shared<'a> {
    candidates: &'a Candidates,
    /// How many patterns are left to share each; none where it is paid.
    sharing: Vec<u32>,
}

impl Worth {
    /// Whatever an object is worth.
    pub(super) const ANY: Worth = Worth {
        least: 0.0,
        most: f64::INFINITY,
    };

    /// All objects must be covered, whatever that costs.
    pub(super) const ALL: Worth = Worth {
        least: f64::INFINITY,
        most: f64::INFINITY,
    };

    /// About so much, by a factor.
    pub(super) fn about(worth: f64, factor: f64) -> Worth {
        Worth {
            least: worth / factor,
            most: worth * factor,
        }
    }

    /// The worth of the range that is nearest to this.
    pub(super) fn nearest(self, worth: f64) -> f64 {
        worth.clamp(self.least, self.most)
    }
}

impl Reduction {
    pub(super) fn of(candidates: &Candidates, worth: Worth) -> Reduction {
        Reduction::decided(candidates, worth, &[])
    }

    /// The same with some decisions made before.
    pub(super) fn decided(candidates: &Candidates, worth: Worth, before: &[Decision]) -> Reduction {
        let mut reducer = Reducer::new(candidates, worth);
        for decision in before {
            if decision.is_taken {
                reducer.take(decision.pattern);
            } else {
                reducer.leave(decision.pattern);
            }
        }
        reducer.decide();
        let taken: Vec<usize> = (0..candidates.patterns())
            .filter(|pattern| reducer.fates[*pattern] == Fate::Taken)
            .collect();
        let (remains, patterns) = remains(&reducer);
        Reduction {
            cost: candidates.cost(&taken),
            covered: reducer.covered,
            taken,
            remains,
            patterns,
        }
    }

    /// Whether so much can be covered by what was taken and remains, and does not ask for less than was taken.
    pub(super) fn allows(&self, target: f64) -> bool {
        let most = self.covered + self.remains.coverable();
        self.covered <= target + ROUNDING && most >= target - ROUNDING
    }
}

impl<'a> Reducer<'a> {
    fn new(candidates: &'a Candidates, worth: Worth) -> Reducer<'a> {
        let mut bringing = vec![0_u8; candidates.objects];
        for object in candidates.object_lists.items() {
            let bringing = &mut bringing[*object as usize];
            *bringing = bringing.saturating_add(1);
        }
        Reducer {
            candidates,
            worth,
            fates: vec![Fate::Open; candidates.patterns()],
            bringing,
            shared: Shared::new(candidates),
            covered: 0.0,
        }
    }

    /// Whether it is not decided for the pattern.
    pub(super) fn is_open(&self, pattern: usize) -> bool {
        self.fates[pattern] == Fate::Open
    }

    /// Whether an object is still to be covered.
    pub(super) fn is_wanted(&self, object: u32) -> bool {
        self.bringing[object as usize] > 0
    }

    /// Whether only one pattern is left to bring it.
    pub(super) fn is_alone(&self, object: u32) -> bool {
        self.bringing[object as usize] == 1
    }

    /// Looks at all patterns again and again, as long as that decides much.
    fn decide(&mut self) {
        let mut open: Vec<u32> = (0..self.fates.len() as u32).collect();
        for _ in 0..MOST_PASSES {
            let before = open.len();
            open.retain(|pattern| {
                self.look(*pattern as usize);
                self.is_open(*pattern as usize)
            });
            if (before - open.len()) * FEW <= before {
                return;
            }
        }
    }

    fn look(&mut self, pattern: usize) {
        if !self.is_open(pattern) {
            return;
        }
        let case = self.case(pattern);
        if case.open == 0.0 || case.least >= self.worth.most * case.open {
            self.leave(pattern);
        } else if case.most <= 0.0 || case.alone > 0.0 && case.most <= self.worth.least * case.alone {
            self.take(pattern);
        }
    }

    fn case(&self, pattern: usize) -> Case {
        let own = self.candidates.own[pattern];
        let mut case = Case {
            most: own,
            least: own,
            ..Case::default()
        };
        // Nobody can foretell how objects stand, so that each is counted, were it as nothing.
        for object in self.candidates.object_lists.get(pattern) {
            let bringing = self.bringing[*object as usize];
            let weight = f64::from(self.candidates.weight(*object as usize));
            case.open += weight * f64::from(u8::from(bringing > 0));
            case.alone += weight * f64::from(u8::from(bringing == 1));
        }
        self.shared.each(pattern, |item, cost| {
            case.most += cost;
            if self.shared.sharing[item] == 1 {
                case.least += cost;
            }
        });
        case
    }

    fn take(&mut self, pattern: usize) {
        self.fates[pattern] = Fate::Taken;
        for object in self.candidates.object_lists.get(pattern) {
            let object = *object as usize;
            if std::mem::take(&mut self.bringing[object]) > 0 {
                self.covered += f64::from(self.candidates.weight(object));
            }
        }
        self.shared.change(pattern, |sharing| *sharing = 0);
    }

    fn leave(&mut self, pattern: usize) {
        self.fates[pattern] = Fate::Left;
        for object in self.candidates.object_lists.get(pattern) {
            let bringing = &mut self.bringing[*object as usize];
            if *bringing != MANY {
                *bringing = bringing.saturating_sub(1);
            }
        }
        self.shared.change(pattern, |sharing| *sharing -= 1);
    }
}

impl<'a> Shared<'a> {
    fn new(candidates: &'a Candidates) -> Shared<'a> {
        let items = candidates.shared_pages + candidates.hub_costs.len() + candidates.sites();
        let mut shared = Shared {
            sharing: vec![1; items],
            candidates,
        };
        let mut sharing = vec![0; items];
        for pattern in 0..candidates.patterns() {
            shared.each(pattern, |item, _| sharing[item] += 1);
        }
        shared.sharing = sharing;
        shared
    }

    /// Whether several are left to share it.
    pub(super) fn by_several(&self, item: usize) -> bool {
        self.sharing[item] > 1
    }

    /// What a pattern costs with only what nobody is left to share.
    pub(super) fn least(&self, pattern: usize) -> f64 {
        let mut least = self.candidates.own[pattern];
        self.each(pattern, |item, cost| {
            if self.sharing[item] == 1 {
                least += cost;
            }
        });
        least
    }

    /// The numbers at which hubs and sites begin; pages come first.
    pub(super) fn starts(&self) -> (usize, usize) {
        let hubs = self.candidates.shared_pages;
        (hubs, hubs + self.candidates.hub_costs.len())
    }

    /// Calls with everything that the pattern shares, that costs something and is not paid.
    fn each(&self, pattern: usize, mut call: impl FnMut(usize, f64)) {
        let candidates = self.candidates;
        let (hubs, sites) = self.starts();
        let mut call = |item: usize, cost: f64| {
            if cost > 0.0 && self.sharing[item] > 0 {
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

    /// Changes how many share each of these.
    fn change(&mut self, pattern: usize, change: impl Fn(&mut u32)) {
        let mut items = Vec::new();
        self.each(pattern, |item, _| items.push(item));
        for item in items {
            change(&mut self.sharing[item]);
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

    /// The least cost of all choices, where an object left uncovered costs so much.
    fn least(candidates: &Candidates, worth: f64) -> f64 {
        let total = candidates.coverable();
        let sum = |set: u32| {
            let chosen: Vec<usize> = (0..candidates.patterns())
                .filter(|place| set & (1 << place) != 0)
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
            candidates.cost(&chosen) + if missing > 0.0 { worth * missing } else { 0.0 }
        };
        (0..1_u32 << candidates.patterns())
            .map(sum)
            .fold(f64::INFINITY, f64::min)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_remains_is_worth_as_much_as_the_whole(
            candidates in any_candidates(),
            price in 0.1..8.0_f64,
            factor in 1.0..2.0_f64,
        ) {
            let range = Worth::about(price, factor);
            let reduction = Reduction::of(&candidates, range);
            let lost = candidates.coverable() - reduction.covered - reduction.remains.coverable();
            for worth in [range.least, price, range.most] {
                let reduced = reduction.cost + least(&reduction.remains, worth) + worth * lost;
                prop_assert!((least(&candidates, worth) - reduced).abs() < 1e-6);
            }
        }

        #[test]
        fn nothing_is_lost_where_all_must_be_covered(candidates in any_candidates()) {
            let reduction = Reduction::of(&candidates, Worth::ALL);
            let reached = reduction.covered + reduction.remains.coverable();
            prop_assert_eq!(candidates.coverable(), reached);
            let reduced = reduction.cost + least(&reduction.remains, f64::INFINITY);
            prop_assert!((least(&candidates, f64::INFINITY) - reduced).abs() < 1e-6);
        }
    }
}
