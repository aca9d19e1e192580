//! Greedy choice in one sweep over levels of scores: the curve, and about what the last object costs.
//!
//! A pattern is chosen when its score, looked at anew, still lies in the level that is swept: levels are nine
//! percent wide, so the order is that of exact greedy choice but for these percents. What is known of an object is
//! one bit, and all bits of three million objects stay in the processor's cache; the patterns of a level lie one after
//! another with the objects that they still bring, so that all else is read from its beginning to its end.

use super::bits::Bits;
use super::candidates::Candidates;
use super::selection::Point;

/// A pattern or a cost that no choice has to do with.
const NEVER: u32 = u32::MAX;

/// Bits of a score that a level leaves out: 8 levels for each doubling.
const LEFT_OUT: u32 = 20;

/// A cost below this is none; it keeps scores finite.
const FREE: f32 = 1e-6;

/// What a sweep found.
pub(super) struct Sweep {
    pub(super) curve: Vec<Point>,
    /// What an object cost where the goal was reached.
    pub(super) price: f64,
}

/// A pattern that was chosen, and what it added.
struct Choice {
    pattern: u32,
    gain: f32,
}

/// Chooses from certain objects until all are covered. `goal` says where the price is looked at.
pub(super) fn sweep(candidates: &Candidates, goal: f64) -> Sweep {
    let mut covered = Bits::new(candidates.objects);
    let mut levels = Levels::default();
    for (pattern, price) in split_prices(candidates).into_iter().enumerate() {
        levels.put(
            pattern as u32,
            price,
            candidates.object_lists.get(pattern),
            candidates,
        );
    }
    let (mut choices, mut price, mut reached) = (Vec::new(), 0.0, 0.0);
    let mut new = Vec::new();
    while let Some((level, patterns)) = levels.highest() {
        for entry in patterns.entries() {
            new.clear();
            new.extend(entry.objects.iter().filter(|object| !covered.has(**object)));
            let gain = weight(candidates, &new);
            if gain == 0.0 {
                continue;
            }
            let score = score(gain, entry.price);
            if level_of(score) < level {
                levels.put(entry.pattern, entry.price, &new, candidates);
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

/// What the choices cost and cover together, one after another.
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

/// What each choice adds to the cost of those before it. All patterns are read in their order, and not in that of the choices, which
/// jumps about in memory.
fn costs(candidates: &Candidates, choices: &[Choice]) -> Vec<f64> {
    let mut ranks = vec![NEVER; candidates.patterns()];
    for (rank, choice) in choices.iter().enumerate() {
        ranks[choice.pattern as usize] = rank as u32;
    }
    // What is shared is paid by the first who needs it.
    let mut pages = vec![NEVER; candidates.shared_pages];
    let mut hubs = vec![NEVER; candidates.hub_costs.len()];
    let mut sites = vec![NEVER; candidates.sites()];
    let mut costs = vec![0.0; choices.len()];
    for (pattern, rank) in ranks.into_iter().enumerate().filter(|(_, rank)| *rank != NEVER) {
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

/// How many objects these stand for.
fn weight(candidates: &Candidates, objects: &[u32]) -> f32 {
    if candidates.weights.is_empty() {
        return objects.len() as f32;
    }
    let weights = objects.iter().map(|object| candidates.weight(*object as usize));
    weights.sum()
}

fn score(gain: f32, price: f32) -> f32 {
    gain / price.max(FREE)
}

/// Positive numbers are sorted like their bits.
fn level_of(score: f32) -> usize {
    (score.to_bits() >> LEFT_OUT) as usize
}

/// What patterns cost when all who can share a cost do.
fn split_prices(candidates: &Candidates) -> Vec<f32> {
    let lists = &candidates.page_lists;
    let pages = sharers(lists.items(), candidates.shared_pages);
    let hubs = sharers(candidates.hub_lists.items(), candidates.hub_costs.len());
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

/// How many lists have each item.
fn sharers(items: &[u32], count: usize) -> Vec<u32> {
    let mut sharers = vec![0; count];
    for item in items {
        sharers[*item as usize] += 1;
    }
    sharers
}

/// Patterns by level.
#[derive(Default)]
struct Levels(Vec<Level>);

/// Patterns one after another, each as its number, its price, the count of its objects, and these.
#[derive(Default)]
struct Level(Vec<u32>);

/// A pattern with the objects that it brought when it was put there.
struct Entry<'a> {
    pattern: u32,
    price: f32,
    objects: &'a [u32],
}

impl Levels {
    /// Puts a pattern where its objects belong; nowhere if it has none.
    fn put(&mut self, pattern: u32, price: f32, objects: &[u32], candidates: &Candidates) {
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

    /// The highest level that has patterns, with its number.
    fn highest(&mut self) -> Option<(usize, Level)> {
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
    fn the_sweep_takes_what_is_cheap_first_and_pays_what_is_shared_once() {
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
        // Two more objects for three pages and a quarter of what four share.
        assert!((found.price - 3.75 / 2.0).abs() < 1e-3, "{}", found.price);
    }
}
