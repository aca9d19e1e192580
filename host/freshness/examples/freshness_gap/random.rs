//! Random numbers from a seed, and intervals over seeds.

/// A small generator, the same on every run.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(1))
    }

    /// Returns a number between 0 and 1, exclusive.
    pub(crate) fn share(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (((mixed ^ (mixed >> 31)) >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }

    /// Returns a normal number with mean zero.
    pub(crate) fn normal(&mut self, deviation: f64) -> f64 {
        deviation * (-2.0 * self.share().ln()).sqrt() * (std::f64::consts::TAU * self.share()).cos()
    }

    /// Returns an exponential time of a rate.
    pub(crate) fn wait(&mut self, rate: f64) -> f64 {
        -self.share().ln() / rate
    }
}

/// A mean over seeds, with the half-width of its 95% interval.
pub(crate) struct Interval {
    pub(crate) mean: f64,
    pub(crate) half: f64,
}

impl Interval {
    /// Uses Student's t, whose factor for `n-1` degrees is about `1.96 + 2.4/(n-1) + 3.6/(n-1)²`
    /// from three values on, within two percent.
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

    /// Returns the half-width from values that were each computed on a drawn sample of the full
    /// size: they spread as the measured value does.
    pub(crate) fn of_draws(values: &[f64]) -> f64 {
        Self::of(values).half * (values.len() as f64).sqrt()
    }
}
