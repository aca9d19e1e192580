//! Which objects are covered, how well, and what a pattern would add.

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
    candidates: &'a Candidates,
    missing: Vec<f32>,
    /// The most that can be missing, as at the start.
    demand: Vec<f32>,
    sources: u32,
    covered: Weight,
}

impl<'a> Covered<'a> {
    /// Nothing covered; every object is wanted from so many sources, or from all it has where it has fewer.
    pub(super) fn new(candidates: &'a Candidates, sources: u32) -> Covered<'a> {
        let sources = sources.max(1);
        let mut available = vec![0.0_f32; candidates.objects];
        for pattern in 0..candidates.patterns() {
            for pair in candidates.object_lists.range(pattern) {
                let object = candidates.object_lists.get(pattern)[pair - candidates.object_lists.range(pattern).start];
                let likely = candidates.likely(pair) as f32;
                let available = &mut available[object as usize];
                *available = if sources == 1 {
                    1.0 - (1.0 - *available) * (1.0 - likely)
                } else {
                    (*available + likely).min(sources as f32)
                };
            }
        }
        let missing = match sources {
            1 => available.iter().map(|available| f32::from(*available > 0.0)).collect(),
            _ => available.clone(),
        };
        Covered {
            candidates,
            missing,
            demand: available,
            sources,
            covered: 0.0,
        }
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
        if self.candidates.likely.is_empty() {
            let missing = objects.iter().map(|object| self.missing[*object as usize].min(1.0));
            return f64::from(missing.sum::<f32>());
        }
        let start = self.candidates.object_lists.range(pattern).start;
        let taken = |(place, object): (usize, &u32)| self.taken(*object, self.candidates.likely(start + place));
        objects.iter().enumerate().map(taken).sum()
    }

    /// Covers what the pattern brings, and says how much that was.
    pub(super) fn add(&mut self, pattern: usize) -> Weight {
        let range = self.candidates.object_lists.range(pattern);
        let mut gain = 0.0;
        for (object, pair) in self.candidates.object_lists.get(pattern).iter().zip(range) {
            let taken = self.taken(*object, self.candidates.likely(pair));
            let missing = &mut self.missing[*object as usize];
            *missing -= taken as f32;
            if f64::from(*missing) < NOTHING {
                *missing = 0.0;
            }
            gain += taken;
        }
        self.covered += gain;
        gain
    }

    fn taken(&self, object: u32, likely: Weight) -> Weight {
        let missing = f64::from(self.missing[object as usize]);
        if self.sources == 1 {
            missing * likely
        } else {
            missing.min(likely)
        }
    }
}
