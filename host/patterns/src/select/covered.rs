//! Which objects are covered, how well, and what a pattern would add.

use std::collections::HashMap;

use super::candidates::Candidates;

/// Objects counted with their probabilities.
pub(super) type Weight = f64;

/// Below this an object's missing part is nothing: rounding of probabilities, not objects.
const NOTHING: f64 = 1e-9;

/// What is still missing of every object.
///
/// With one source wanted, that is the probability that no chosen pattern brings it. With several wanted, it is
/// the sources still missing, where an uncertain source counts as its probability. Both only fall, and each
/// pattern takes less of them the later it comes, which is what lazy evaluation needs.
#[derive(Clone, Debug)]
pub(super) struct Covered<'a> {
    pub(super) candidates: &'a Candidates,
    missing: Vec<f32>,
    /// The most that can be missing, as at the start.
    demand: Vec<f32>,
    sources: u32,
    /// With several sources wanted: how surely a site already brings an object. A site that says it twice is one
    /// source, as sure as its surest page.
    heard: HashMap<(u32, u32), f32>,
    covered: Weight,
}

impl<'a> Covered<'a> {
    /// Nothing covered; every object is wanted from so many sites, or from all it has where it has fewer.
    pub(super) fn new(candidates: &'a Candidates, sources: u32) -> Covered<'a> {
        let sources = sources.max(1);
        let demand = demand(candidates, sources);
        let missing = match sources {
            1 if candidates.likely.is_empty() => demand.clone(),
            1 => demand.iter().map(|demand| f32::from(*demand > 0.0)).collect(),
            _ => demand.clone(),
        };
        Covered {
            candidates,
            missing,
            demand,
            sources,
            heard: HashMap::new(),
            covered: 0.0,
        }
    }

    pub(super) fn demand(&self) -> &[f32] {
        &self.demand
    }

    /// How much of each object is missing.
    pub(super) fn missing(&self) -> &[f32] {
        &self.missing
    }

    /// The objects of a pattern with what it would add of them.
    pub(super) fn added(&self, pattern: usize) -> impl Iterator<Item = (u32, Weight)> + '_ {
        let objects = self.candidates.object_lists.get(pattern).iter();
        let pairs = objects.zip(self.candidates.object_lists.range(pattern));
        pairs.map(move |(object, pair)| (*object, self.taken(*object, pattern, pair)))
    }

    /// All there is to cover.
    pub(super) fn total(&self) -> Weight {
        self.demand.iter().map(|demand| f64::from(*demand)).sum()
    }

    /// How much is covered.
    pub(super) fn covered(&self) -> Weight {
        self.covered
    }

    /// What the pattern would add.
    pub(super) fn gain(&self, pattern: usize) -> Weight {
        let objects = self.candidates.object_lists.get(pattern);
        if self.candidates.likely.is_empty() && self.sources == 1 {
            let missing: f32 = objects.iter().map(|object| self.missing[*object as usize]).sum();
            return f64::from(missing);
        }
        let range = self.candidates.object_lists.range(pattern);
        let pairs = objects.iter().zip(range);
        pairs
            .map(|(object, pair)| self.taken(*object, pattern, pair))
            .sum()
    }

    /// What the pattern would add, each object counting for what it is worth.
    pub(super) fn worth_of_gain(&self, pattern: usize, worth: &[f32]) -> Weight {
        let objects = self.candidates.object_lists.get(pattern).iter();
        if self.candidates.likely.is_empty() && self.sources == 1 {
            let worth = |object: &u32| worth[*object as usize] * self.missing[*object as usize];
            return f64::from(objects.map(worth).sum::<f32>());
        }
        let pairs = objects.zip(self.candidates.object_lists.range(pattern));
        let worth = |(object, pair): (&u32, usize)| {
            f64::from(worth[*object as usize]) * self.taken(*object, pattern, pair)
        };
        pairs.map(worth).sum()
    }

    /// Covers what the pattern brings, and says how much that was.
    pub(super) fn add(&mut self, pattern: usize) -> Weight {
        let range = self.candidates.object_lists.range(pattern);
        let mut gain = 0.0;
        for (object, pair) in self.candidates.object_lists.get(pattern).iter().zip(range) {
            let taken = self.taken(*object, pattern, pair);
            let missing = &mut self.missing[*object as usize];
            *missing -= taken as f32;
            if f64::from(*missing) < NOTHING {
                *missing = 0.0;
            }
            if self.sources > 1 {
                let likely = self.candidates.likely(pair) as f32;
                let site = self.candidates.site_of[pattern];
                let heard = self.heard.entry((*object, site)).or_default();
                *heard = heard.max(likely);
            }
            gain += taken;
        }
        self.covered += gain;
        gain
    }

    fn taken(&self, object: u32, pattern: usize, pair: usize) -> Weight {
        let missing = f64::from(self.missing[object as usize]);
        let likely = self.candidates.likely(pair);
        if self.sources == 1 {
            missing * likely
        } else {
            let site = self.candidates.site_of[pattern];
            let heard = self.heard.get(&(object, site)).copied().unwrap_or(0.0);
            missing.min((likely - f64::from(heard)).max(0.0))
        }
    }
}

/// The most of each object that can be covered: by all patterns, a site counting once where sites are counted.
fn demand(candidates: &Candidates, sources: u32) -> Vec<f32> {
    let mut demand = vec![0.0_f32; candidates.objects];
    // For each object the site that was looked at last, and how surely it brings the object.
    let mut of_site = vec![(u32::MAX, 0.0_f32); if sources > 1 { candidates.objects } else { 0 }];
    for site in 0..candidates.sites() as u32 {
        for pattern in candidates.site_lists.get(site as usize) {
            let pattern = *pattern as usize;
            let range = candidates.object_lists.range(pattern);
            for (object, pair) in candidates.object_lists.get(pattern).iter().zip(range) {
                let likely = candidates.likely(pair) as f32;
                let demand = &mut demand[*object as usize];
                if sources == 1 {
                    *demand = 1.0 - (1.0 - *demand) * (1.0 - likely);
                    continue;
                }
                let heard = &mut of_site[*object as usize];
                if heard.0 != site {
                    *heard = (site, 0.0);
                }
                *demand += (likely - heard.1).max(0.0);
                heard.1 = heard.1.max(likely);
            }
        }
    }
    let most = |object: usize| sources as f32 * candidates.weight(object);
    let demand = demand.iter().enumerate();
    demand
        .map(|(object, demand)| (demand * candidates.weight(object)).min(most(object)))
        .collect()
}
