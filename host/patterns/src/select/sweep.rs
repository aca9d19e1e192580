//! Greedy choice in one sweep over score levels, which gives the curve and an estimate of the cost
//! of the last object.
//!
//! A pattern is chosen if its current score is still in the level being swept. Levels are nine
//! percent wide, so the order is that of exact greedy choice within nine percent. The state of an
//! object is one bit, and the bits of three million objects fit the processor's cache. The patterns
//! of a level are contiguous with their uncovered objects, so all other memory is read
//! sequentially.

use super::candidates::Candidates;
use super::selection::Point;
use crate::bits::BitSet;

/// Marks patterns and costs that are not part of any choice.
const NOT_CHOSEN: u32 = u32::MAX;

/// Bits of a score that a level ignores, which leaves 8 levels for each power of two.
const DROPPED_BITS: u32 = 20;

/// Minimum cost in a score, which keeps scores finite.
const MIN_COST: f32 = 1e-6;

pub(super) struct Sweep {
    pub(super) curve: Vec<Point>,
    /// Cost per object where the goal was reached.
    pub(super) price: f64,
}

/// A chosen pattern and its gain.
struct Choice {
    pattern: u32,
    gain: f32,
}

/// Chooses among certain objects until all are covered. The price is taken where `goal` is reached.
pub(super) fn sweep(candidates: &Candidates, goal: f64) -> Sweep {
    let mut covered = BitSet::new(candidates.objects);
    let mut levels = Levels::default();
    for (pattern, price) in split_costs(candidates).into_iter().enumerate() {
        levels.insert(
            pattern as u32,
            price,
            candidates.object_lists.get(pattern),
            candidates,
        );
    }
    let (mut choices, mut price, mut reached) = (Vec::new(), 0.0, 0.0);
    let mut new = Vec::new();
    while let Some((level, patterns)) = levels.pop_highest() {
        for entry in patterns.entries() {
            new.clear();
            new.extend(entry.objects.iter().filter(|object| !covered.has(**object)));
            let gain = weight(candidates, &new);
            if gain == 0.0 {
                continue;
            }
            let score = score(gain, entry.price);
            if level_of(score) < level {
                // Stored anew with the objects that are still uncovered, so that the objects of a
                // level are read sequentially.
                levels.insert(entry.pattern, entry.price, &new, candidates);
                continue;
            }
            for object in &new {
                covered.add(*object);
            }
            if reached < goal {
                price = 1.0 / f64::from(score);
            }
            reached += f64::from(gain);
            choices.push(Choice {
                pattern: entry.pattern,
                gain,
            });
        }
    }
    Sweep {
        curve: curve(candidates, &choices),
        price,
    }
}

/// Returns the cumulative cost and coverage of the choices.
fn curve(candidates: &Candidates, choices: &[Choice]) -> Vec<Point> {
    let mut last = Point {
        patterns: 0,
        cost: 0.0,
        covered: 0.0,
    };
    let mut curve = Vec::with_capacity(choices.len() + 1);
    curve.push(last);
    for (choice, cost) in choices.iter().zip(costs(candidates, choices)) {
        last = Point {
            patterns: last.patterns + 1,
            cost: last.cost + cost,
            covered: last.covered + f64::from(choice.gain),
        };
        curve.push(last);
    }
    curve
}

/// Returns the cost that each choice adds to its predecessors.
fn costs(candidates: &Candidates, choices: &[Choice]) -> Vec<f64> {
    let mut ranks = vec![NOT_CHOSEN; candidates.patterns()];
    for (rank, choice) in choices.iter().enumerate() {
        ranks[choice.pattern as usize] = rank as u32;
    }
    // A shared cost is paid by the first pattern that needs it.
    let mut pages = vec![NOT_CHOSEN; candidates.shared_pages];
    let mut hubs = vec![NOT_CHOSEN; candidates.hub_costs.len()];
    let mut sites = vec![NOT_CHOSEN; candidates.sites()];
    let mut costs = vec![0.0; choices.len()];
    // In the order of storage, since that of the choices would access memory at random.
    for (pattern, rank) in ranks
        .into_iter()
        .enumerate()
        .filter(|(_, rank)| *rank != NOT_CHOSEN)
    {
        costs[rank as usize] = candidates.own[pattern];
        let needs = |firsts: &mut [u32], item: u32| {
            let first = &mut firsts[item as usize];
            *first = rank.min(*first);
        };
        let (of_pages, of_hubs) = (&candidates.page_lists, &candidates.hub_lists);
        of_pages
            .get(pattern)
            .iter()
            .for_each(|page| needs(&mut pages, *page));
        of_hubs.get(pattern).iter().for_each(|hub| needs(&mut hubs, *hub));
        needs(&mut sites, candidates.site_of[pattern]);
    }
    let pages = pages.into_iter().map(|first| (first, 1.0));
    let hubs = hubs.into_iter().zip(candidates.hub_costs.iter().copied());
    let sites = sites.into_iter().zip(candidates.overhead.iter().copied());
    for (first, cost) in pages.chain(hubs).chain(sites) {
        if let Some(paid) = costs.get_mut(first as usize) {
            *paid += cost;
        }
    }
    costs
}

/// Returns the weight of these objects.
fn weight(candidates: &Candidates, objects: &[u32]) -> f32 {
    if candidates.weights.is_empty() {
        return objects.len() as f32;
    }
    let weights = objects.iter().map(|object| candidates.weight(*object as usize));
    weights.sum()
}

fn score(gain: f32, price: f32) -> f32 {
    gain / price.max(MIN_COST)
}

/// Returns the level of a score. Non-negative floats sort like their bits.
fn level_of(score: f32) -> usize {
    (score.to_bits() >> DROPPED_BITS) as usize
}

/// Returns the costs of patterns if all possible sharers pay for shared costs.
fn split_costs(candidates: &Candidates) -> Vec<f32> {
    let lists = &candidates.page_lists;
    let pages = count_sharers(lists.items(), candidates.shared_pages);
    let hubs = count_sharers(candidates.hub_lists.items(), candidates.hub_costs.len());
    let price = |pattern: usize| {
        let site = candidates.site_of[pattern] as usize;
        let of_site = candidates.overhead[site] / candidates.site_lists.range(site).len() as f64;
        let of_page = |page: &u32| 1.0 / f64::from(pages[*page as usize]);
        let of_hub = |hub: &u32| candidates.hub_costs[*hub as usize] / f64::from(hubs[*hub as usize]);
        let of_pages: f64 = lists.get(pattern).iter().map(of_page).sum();
        let of_hubs: f64 = candidates.hub_lists.get(pattern).iter().map(of_hub).sum();
        (candidates.own[pattern] + of_site + of_pages + of_hubs) as f32
    };
    (0..candidates.patterns()).map(price).collect()
}

/// Counts the lists with each item.
fn count_sharers(items: &[u32], count: usize) -> Vec<u32> {
    let mut sharers = vec![0; count];
    for item in items {
        sharers[*item as usize] += 1;
    }
    sharers
}

#[derive(Default)]
struct Levels(Vec<Level>);

/// Contiguous patterns, each stored as its index, its price, its number of objects, and the
/// objects.
#[derive(Default)]
struct Level(Vec<u32>);

/// A pattern with its uncovered objects at the time of insertion.
struct Entry<'a> {
    pattern: u32,
    price: f32,
    objects: &'a [u32],
}

impl Levels {
    /// Inserts a pattern at the level of its score, unless it has no objects.
    fn insert(&mut self, pattern: u32, price: f32, objects: &[u32], candidates: &Candidates) {
        let gain = weight(candidates, objects);
        if gain == 0.0 {
            return;
        }
        let level = level_of(score(gain, price));
        if level >= self.0.len() {
            self.0.resize_with(level + 1, Level::default);
        }
        let entries = &mut self.0[level].0;
        entries.extend([pattern, price.to_bits(), objects.len() as u32]);
        entries.extend_from_slice(objects);
    }

    /// Removes and returns the highest non-empty level with its index.
    fn pop_highest(&mut self) -> Option<(usize, Level)> {
        while let Some(level) = self.0.pop() {
            if !level.0.is_empty() {
                return Some((self.0.len(), level));
            }
        }
        None
    }
}

impl Level {
    fn entries(&self) -> impl Iterator<Item = Entry<'_>> {
        let mut rest = &self.0[..];
        std::iter::from_fn(move || {
            let ([pattern, price, count], behind) = rest.split_first_chunk()?;
            let (objects, behind) = behind.split_at(*count as usize);
            rest = behind;
            Some(Entry {
                pattern: *pattern,
                price: f32::from_bits(*price),
                objects,
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::select::PatternSpec;

    #[test]
    fn the_sweep_takes_cheap_patterns_first_and_pays_shared_costs_once() {
        let mut builder = Candidates::builder(7);
        let site = builder.site(1.0);
        let hub = builder.hub(2.0);
        for (own_pages, objects) in [
            (30.0, &[0, 6][..]),
            (2.0, &[0, 1, 2, 3]),
            (3.0, &[3, 4, 5]),
            (50.0, &[1]),
        ] {
            let spec = PatternSpec {
                site,
                own_pages,
                hubs: &[hub],
                objects,
                ..PatternSpec::default()
            };
            builder.pattern(spec).unwrap();
        }
        let found = sweep(&builder.build(), 6.0);
        let points: Vec<(usize, f64, f64)> = found
            .curve
            .iter()
            .map(|point| (point.patterns, point.cost, point.covered))
            .collect();
        assert_eq!(
            points,
            [(0, 0.0, 0.0), (1, 5.0, 4.0), (2, 8.0, 6.0), (3, 38.0, 7.0)]
        );
        // Two more objects for three pages and a quarter of the costs that four patterns share.
        assert!((found.price - 3.75 / 2.0).abs() < 1e-3, "{}", found.price);
    }
}
