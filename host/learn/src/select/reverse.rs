//! Reverse delete: what later choices made needless is dropped again.

use std::collections::HashMap;

use super::candidates::Candidates;
use super::covered::Covered;
use super::greedy::ROUNDING;

/// How often what is left is gone through; a second time finds what the first made needless.
const ROUNDS: usize = 2;

/// The patterns without those that the goal does not need, the dearest for what they alone bring first.
pub(super) fn without_waste(
    candidates: &Candidates,
    sources: u32,
    chosen: Vec<usize>,
    target: f64,
) -> Vec<usize> {
    let mut held = Held::new(candidates, sources, &chosen);
    for _ in 0..ROUNDS {
        let mut rated: Vec<(f64, usize)> = chosen
            .iter()
            .filter(|pattern| held.chosen[**pattern])
            .map(|pattern| (held.saving(*pattern) / held.loss(*pattern).max(ROUNDING), *pattern))
            .collect();
        rated.sort_by(|one, other| other.0.total_cmp(&one.0).then(other.1.cmp(&one.1)));
        let mut dropped = false;
        for (_, pattern) in rated {
            let loss = held.loss(pattern);
            if held.covered - loss >= target - ROUNDING {
                held.drop(pattern, loss);
                dropped = true;
            }
        }
        if !dropped {
            break;
        }
    }
    chosen.into_iter().filter(|pattern| held.chosen[*pattern]).collect()
}

/// Chosen patterns, and who holds what with whom.
struct Held<'a> {
    candidates: &'a Candidates,
    sources: u32,
    chosen: Vec<bool>,
    covered: f64,
    demand: Vec<f32>,
    /// How many certain patterns bring an object; with several sources wanted, what they bring together.
    certain: Vec<f32>,
    /// The probability that none of the uncertain ones brings it.
    missed: Vec<f32>,
    /// With several sources wanted: by how many patterns of a site an object is brought.
    heard: HashMap<(u32, u32), u32>,
    pages: Vec<u32>,
    hubs: Vec<u32>,
    sites: Vec<u32>,
}

impl<'a> Held<'a> {
    fn new(candidates: &'a Candidates, sources: u32, chosen: &[usize]) -> Held<'a> {
        let mut covered = Covered::new(candidates, sources);
        for pattern in chosen {
            covered.add(*pattern);
        }
        let mut held = Held {
            candidates,
            sources,
            chosen: vec![false; candidates.patterns()],
            covered: covered.covered(),
            demand: covered.demand().to_vec(),
            certain: vec![0.0; candidates.objects],
            missed: vec![1.0; candidates.objects],
            heard: HashMap::new(),
            pages: vec![0; candidates.shared_pages],
            hubs: vec![0; candidates.hub_costs.len()],
            sites: vec![0; candidates.sites()],
        };
        for pattern in chosen {
            held.chosen[*pattern] = true;
            held.count(*pattern, 1);
        }
        held
    }

    fn count(&mut self, pattern: usize, change: i32) {
        let candidates = self.candidates;
        for (object, pair) in pairs(candidates, pattern) {
            let likely = candidates.likely(pair) as f32;
            if self.sources > 1 {
                let site = candidates.site_of[pattern];
                let heard = self.heard.entry((object as u32, site)).or_default();
                let before = *heard;
                *heard = heard.saturating_add_signed(change);
                if before == 0 || *heard == 0 {
                    self.certain[object] += likely * change as f32;
                }
            } else if likely >= 1.0 {
                self.certain[object] += change as f32;
            } else if change > 0 {
                self.missed[object] *= 1.0 - likely;
            } else {
                self.missed[object] /= 1.0 - likely;
            }
        }
        let step = |count: &mut u32| *count = count.saturating_add_signed(change);
        for page in candidates.page_lists.get(pattern) {
            step(&mut self.pages[*page as usize]);
        }
        for hub in candidates.hub_lists.get(pattern) {
            step(&mut self.hubs[*hub as usize]);
        }
        step(&mut self.sites[candidates.site_of[pattern] as usize]);
    }

    /// What would no longer be paid.
    fn saving(&self, pattern: usize) -> f64 {
        let candidates = self.candidates;
        let pages = candidates.page_lists.get(pattern).iter();
        let pages = pages.filter(|page| self.pages[**page as usize] == 1).count();
        let hubs = candidates.hub_lists.get(pattern).iter();
        let hubs: f64 = hubs
            .filter(|hub| self.hubs[**hub as usize] == 1)
            .map(|hub| candidates.hub_costs[*hub as usize])
            .sum();
        let site = candidates.site_of[pattern] as usize;
        let overhead = if self.sites[site] == 1 { candidates.overhead[site] } else { 0.0 };
        candidates.own[pattern] + pages as f64 + hubs + overhead
    }

    /// What would no longer be covered. Where sites are counted and a site brings an object by several uncertain
    /// pages, it is not worked out what the others would leave; such patterns stay.
    fn loss(&self, pattern: usize) -> f64 {
        pairs(self.candidates, pattern).map(|(object, pair)| self.loss_of(object, pattern, pair)).sum()
    }

    fn loss_of(&self, object: usize, pattern: usize, pair: usize) -> f64 {
        let likely = self.candidates.likely(pair);
        let certain = f64::from(self.certain[object]);
        let missed = f64::from(self.missed[object]);
        if self.sources > 1 {
            let site = self.candidates.site_of[pattern];
            if self.heard.get(&(object as u32, site)).is_some_and(|heard| *heard > 1) {
                let is_certain = self.candidates.likely.is_empty();
                return if is_certain { 0.0 } else { f64::INFINITY };
            }
            let demand = f64::from(self.demand[object]);
            return demand.min(certain) - demand.min(certain - likely);
        }
        match likely >= 1.0 {
            true if certain < 1.5 => missed,
            false if certain < 0.5 => missed * likely / (1.0 - likely),
            _ => 0.0,
        }
    }

    fn drop(&mut self, pattern: usize, loss: f64) {
        self.covered -= loss;
        self.chosen[pattern] = false;
        self.count(pattern, -1);
    }
}

fn pairs(candidates: &Candidates, pattern: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
    let objects = candidates.object_lists.get(pattern).iter();
    objects
        .map(|object| *object as usize)
        .zip(candidates.object_lists.range(pattern))
}
