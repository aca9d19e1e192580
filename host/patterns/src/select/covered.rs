//! Coverage of objects, and the gain of a pattern.

use std::collections::HashMap;

use super::candidates::Candidates;

/// Number of objects, weighted by probability.
pub(super) type Weight = f64;

/// Missing parts below this are rounding errors of probabilities.
const NEGLIGIBLE: f64 = 1e-9;

/// The missing part of every object.
///
/// If one source is wanted, this is the probability that no chosen pattern has the object. If
/// several are wanted, it is the number of missing sources, where an uncertain source counts as its
/// probability. Both only fall, and the later a pattern comes, the less it adds, as lazy evaluation
/// requires.
#[derive(Clone, Debug)]
pub(super) struct Covered<'a> {
    pub(super) candidates: &'a Candidates,
    missing: Vec<f32>,
    /// Maximum of `missing`, as at the start.
    demand: Vec<f32>,
    sources: u32,
    /// If several sources are wanted: the probability with which a site has an object. A site with
    /// several such pages is one source, with the highest of their probabilities.
    site_likelihood: HashMap<(u32, u32), f32>,
    covered: Weight,
}

impl<'a> Covered<'a> {
    /// Starts with nothing covered. Every object is wanted from `sources` sites, or from all it has
    /// if these are fewer.
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
            site_likelihood: HashMap::new(),
            covered: 0.0,
        }
    }

    pub(super) fn demand(&self) -> &[f32] {
        &self.demand
    }

    /// Returns the missing part of each object.
    pub(super) fn missing(&self) -> &[f32] {
        &self.missing
    }

    /// Returns the objects of a pattern with its contribution to each.
    pub(super) fn added(&self, pattern: usize) -> impl Iterator<Item = (u32, Weight)> + '_ {
        let objects = self.candidates.object_lists.get(pattern).iter();
        let pairs = objects.zip(self.candidates.object_lists.range(pattern));
        pairs.map(move |(object, pair)| (*object, self.contribution(*object, pattern, pair)))
    }

    /// Returns the maximum coverage.
    pub(super) fn total(&self) -> Weight {
        self.demand.iter().map(|demand| f64::from(*demand)).sum()
    }

    pub(super) fn covered(&self) -> Weight {
        self.covered
    }

    /// Returns the gain of the pattern.
    pub(super) fn gain(&self, pattern: usize) -> Weight {
        let objects = self.candidates.object_lists.get(pattern);
        // Certain objects need no look-up of their probability.
        if self.candidates.likely.is_empty() && self.sources == 1 {
            let missing: f32 = objects.iter().map(|object| self.missing[*object as usize]).sum();
            return f64::from(missing);
        }
        let range = self.candidates.object_lists.range(pattern);
        let pairs = objects.iter().zip(range);
        pairs
            .map(|(object, pair)| self.contribution(*object, pattern, pair))
            .sum()
    }

    /// Returns the gain of the pattern, with objects weighted by value.
    pub(super) fn value_of_gain(&self, pattern: usize, values: &[f32]) -> Weight {
        let objects = self.candidates.object_lists.get(pattern).iter();
        if self.candidates.likely.is_empty() && self.sources == 1 {
            let values = |object: &u32| values[*object as usize] * self.missing[*object as usize];
            return f64::from(objects.map(values).sum::<f32>());
        }
        let pairs = objects.zip(self.candidates.object_lists.range(pattern));
        let values = |(object, pair): (&u32, usize)| {
            f64::from(values[*object as usize]) * self.contribution(*object, pattern, pair)
        };
        pairs.map(values).sum()
    }

    /// Adds a pattern and returns its gain.
    pub(super) fn add(&mut self, pattern: usize) -> Weight {
        let range = self.candidates.object_lists.range(pattern);
        let mut gain = 0.0;
        for (object, pair) in self.candidates.object_lists.get(pattern).iter().zip(range) {
            let taken = self.contribution(*object, pattern, pair);
            let missing = &mut self.missing[*object as usize];
            *missing -= taken as f32;
            if f64::from(*missing) < NEGLIGIBLE {
                *missing = 0.0;
            }
            if self.sources > 1 {
                let likely = self.candidates.likely(pair) as f32;
                let site = self.candidates.site_of[pattern];
                let site_likelihood = self.site_likelihood.entry((*object, site)).or_default();
                *site_likelihood = site_likelihood.max(likely);
            }
            gain += taken;
        }
        self.covered += gain;
        gain
    }

    fn contribution(&self, object: u32, pattern: usize, pair: usize) -> Weight {
        let missing = f64::from(self.missing[object as usize]);
        let likely = self.candidates.likely(pair);
        if self.sources == 1 {
            missing * likely
        } else {
            let site = self.candidates.site_of[pattern];
            let site_likelihood = self.site_likelihood.get(&(object, site)).copied().unwrap_or(0.0);
            missing.min((likely - f64::from(site_likelihood)).max(0.0))
        }
    }
}

/// Returns the maximum coverage of each object by all patterns. If several sources are wanted, each
/// site counts once.
fn demand(candidates: &Candidates, sources: u32) -> Vec<f32> {
    let mut demand = vec![0.0_f32; candidates.objects];
    // Last site seen with each object, and the probability with which it has the object.
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
                let site_likelihood = &mut of_site[*object as usize];
                // The sites come one after another, so one entry for each object is enough.
                if site_likelihood.0 != site {
                    *site_likelihood = (site, 0.0);
                }
                *demand += (likely - site_likelihood.1).max(0.0);
                site_likelihood.1 = site_likelihood.1.max(likely);
            }
        }
    }
    let most = |object: usize| sources as f32 * candidates.weight(object);
    let demand = demand.iter().enumerate();
    demand
        .map(|(object, demand)| (demand * candidates.weight(object)).min(most(object)))
        .collect()
}
