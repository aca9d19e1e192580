//! Chance from a seed, and intervals over seeds.

/// A small generator, the same on every run.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(1))
    }

    /// Between 0 and 1, and neither of them.
    pub(crate) fn share(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (((mixed ^ (mixed >> 31)) >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }

    /// A normal number around none.
    pub(crate) fn normal(&mut self, deviation: f64) -> f64 {
        deviation * (-2.0 * self.share().ln()).sqrt() * (std::f64::consts::TAU * self.share()).cos()
    }

    /// A time that is exponential with a rate.
    pub(crate) fn wait(&mut self, rate: f64) -> f64 {
        -self.share().ln() / rate
    }
}

/// A mean over seeds, and how far on either side 95 % of such means would lie.
pub(crate) struct Interval {
    pub(crate) mean: f64,
    pub(crate) half: f64,
}

impl Interval {
    /// By Student's t, whose factor for `n-1` degrees is about `1.96 + 2.4/(n-1) + 3.6/(n-1)²` from three values on,
    /// to two percent.
    pub(crate) fn of(values: &[f64]) -> Self {
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let free = (count - 1.0).max(1.0);
        let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / free;
        let factor = 1.96 + 2.4 / free + 3.6 / (free * free);
        Self {
            mean,
            half: factor * (variance / count).sqrt(),
        }
    }

    /// The half of an interval from values that were each reached on a drawn sample of the whole size:
    /// they spread as the measured value does.
    pub(crate) fn of_draws(values: &[f64]) -> f64 {
        Self::of(values).half * (values.len() as f64).sqrt()
    }
}
