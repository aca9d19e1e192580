//! Greedy choice in one sweep over levels of scores: the curve, and about what the last object costs.
//!
//! A pattern is chosen when its score, looked at anew, still lies in the level that is swept: levels are nine
//! percent wide, so the order is that of exact greedy choice but for these percents. What is known of an object is
//! one bit, and all bits of three million objects stay in the processor's cache.

use super::candidates::Candidates;
use super::selection::Point;

/// Bits of a score that a level leaves out: 8 levels for each doubling.
const LEFT_OUT: u32 = 20;

/// A cost below this is none; it keeps scores finite.
const FREE: f32 = 1e-6;

/// No pattern follows.
const END: u32 = u32::MAX;

/// What a sweep found.
pub(super) struct Sweep {
    pub(super) curve: Vec<Point>,
    /// What an object cost where the goal was reached.
    pub(super) price: f64,
}

/// Chooses from certain objects until all are covered. `goal` says where the price is looked at.
pub(super) fn sweep(candidates: &Candidates, goal: f64) -> Sweep {
    let prices = split_prices(candidates);
    let mut covered = Bits::new(candidates.objects);
    let mut paid = Paid::new(candidates);
    let mut levels = Levels::new(candidates.patterns());
    for (pattern, price) in prices.iter().enumerate() {
        let objects = weight(candidates, pattern, |_| true);
        if objects > 0.0 {
            levels.put(pattern, score(objects, *price));
        }
    }
    let mut last = Point {
        patterns: 0,
        cost: 0.0,
        covered: 0.0,
    };
    let mut found = Sweep {
        curve: vec![last],
        price: 0.0,
    };
    while let Some((pattern, level)) = levels.take() {
        let gain = weight(candidates, pattern, |object| !covered.has(object));
        if gain == 0.0 {
            continue;
        }
        let score = score(gain, prices[pattern]);
        if level_of(score) < level {
            levels.put(pattern, score);
            continue;
        }
        for object in candidates.object_lists.get(pattern) {
            covered.set(*object);
        }
        if last.covered < goal {
            found.price = 1.0 / f64::from(score);
        }
        last = Point {
            patterns: last.patterns + 1,
            cost: last.cost + paid.pay(pattern),
            covered: last.covered + f64::from(gain),
        };
        found.curve.push(last);
    }
    found
}

/// How many of its objects pass; each counts for all it stands for.
fn weight(candidates: &Candidates, pattern: usize, passes: impl Fn(u32) -> bool) -> f32 {
    let objects = candidates.object_lists.get(pattern).iter();
    let passing = objects.filter(|object| passes(**object));
    if candidates.weights.is_empty() {
        return passing.count() as f32;
    }
    passing.map(|object| candidates.weight(*object as usize)).sum()
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

/// Patterns by level: chains through one list of numbers.
struct Levels {
    first: Vec<u32>,
    next: Vec<u32>,
    top: usize,
}

impl Levels {
    fn new(patterns: usize) -> Levels {
        Levels {
            first: vec![END; level_of(f32::MAX) + 1],
            next: vec![END; patterns],
            top: 0,
        }
    }

    fn put(&mut self, pattern: usize, score: f32) {
        let level = level_of(score);
        self.next[pattern] = std::mem::replace(&mut self.first[level], pattern as u32);
        self.top = self.top.max(level);
    }

    /// A pattern of the highest level, with the level.
    fn take(&mut self) -> Option<(usize, usize)> {
        loop {
            let pattern = self.first[self.top];
            if pattern != END {
                self.first[self.top] = self.next[pattern as usize];
                return Some((pattern as usize, self.top));
            }
            self.top = self.top.checked_sub(1)?;
        }
    }
}

/// A set of numbers.
struct Bits(Vec<u64>);

impl Bits {
    fn new(count: usize) -> Bits {
        Bits(vec![0; count.div_ceil(64)])
    }

    fn has(&self, place: u32) -> bool {
        self.0[place as usize / 64] >> (place % 64) & 1 == 1
    }

    fn set(&mut self, place: u32) {
        self.0[place as usize / 64] |= 1 << (place % 64);
    }
}

/// What is shared and paid already.
struct Paid<'a> {
    candidates: &'a Candidates,
    pages: Vec<bool>,
    hubs: Vec<bool>,
    sites: Vec<bool>,
}

impl<'a> Paid<'a> {
    fn new(candidates: &'a Candidates) -> Paid<'a> {
        Paid {
            candidates,
            pages: vec![false; candidates.shared_pages],
            hubs: vec![false; candidates.hub_costs.len()],
            sites: vec![false; candidates.sites()],
        }
    }

    /// Pays for a pattern, and says how much that was.
    fn pay(&mut self, pattern: usize) -> f64 {
        let candidates = self.candidates;
        let mut cost = candidates.own[pattern];
        for page in candidates.page_lists.get(pattern) {
            cost += f64::from(!std::mem::replace(&mut self.pages[*page as usize], true));
        }
        for hub in candidates.hub_lists.get(pattern) {
            if !std::mem::replace(&mut self.hubs[*hub as usize], true) {
                cost += candidates.hub_costs[*hub as usize];
            }
        }
        let site = candidates.site_of[pattern] as usize;
        if !std::mem::replace(&mut self.sites[site], true) {
            cost += candidates.overhead[site];
        }
        cost
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
