//! The sequential test for the distinctness of a template.

/// Minimum number of samples before a prediction decides.
const MIN_SAMPLES: u32 = 6;

/// Minimum number of signatures seen twice before they bound the number of unseen ones.
const MIN_TWICE: u32 = 4;

/// The samples of a template so far.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Samples {
    pub(super) taken: u32,
    /// Number of samples that the whole test would take.
    pub(super) all: u32,
    /// Number of distinct signatures.
    pub(super) distinct: u32,
    /// Number of signatures that occurred once, and twice.
    pub(super) once: u32,
    pub(super) twice: u32,
}

impl Samples {
    /// Decides if at least the share `tau` of all samples would have distinct signatures. Returns
    /// `None` while that is open.
    ///
    /// The rate at which further samples bring new signatures is that of signatures seen once (Good
    /// and Turing), and falls as the signatures run out (Chao). `quantile` gives the width of the
    /// interval; without one, only certain decisions are made.
    pub(super) fn decide(&self, tau: f64, quantile: Option<f64>) -> Option<bool> {
        // The product may be a little above a whole number by rounding, which would ask for one
        // more.
        let needed = (tau * f64::from(self.all) - 1e-9).ceil().max(1.0);
        let distinct = f64::from(self.distinct);
        let rest = f64::from(self.all - self.taken);
        if distinct >= needed {
            return Some(true);
        }
        if distinct + rest < needed {
            return Some(false);
        }
        let quantile = quantile?;
        // The certain decisions above need no minimum.
        if self.taken < MIN_SAMPLES {
            return None;
        }
        let (low, expected, high) = self.rates(quantile);
        let noise = |share: f64| quantile * (rest * share * (1.0 - share)).max(0.0).sqrt();
        let share = (expected * self.depletion(expected, rest)).min(1.0);
        let middle = rest * share;
        let below = (middle - rest * low * self.depletion(low, rest)).hypot(noise(share));
        if distinct + middle - below >= needed {
            return Some(true);
        }
        // The estimate of unseen signatures is a lower bound, so it must not lower the upper bound
        // of the interval before signatures repeat.
        let most = (rest * high).min(self.max_unseen(quantile));
        (distinct + most.max(middle) < needed).then_some(false)
    }

    /// Returns the probability that the next sample is new, with a Wilson interval.
    fn rates(&self, quantile: f64) -> (f64, f64, f64) {
        let count = f64::from(self.taken);
        let rate = f64::from(self.once) / count;
        let square = quantile * quantile;
        let centre = (rate + square / (2.0 * count)) / (1.0 + square / count);
        let reach = quantile / (1.0 + square / count)
            * (rate * (1.0 - rate) / count + square / (4.0 * count * count)).sqrt();
        ((centre - reach).max(0.0), rate, (centre + reach).min(1.0))
    }

    /// Returns the estimated number of signatures that no sample has (Chao).
    fn unseen(&self) -> f64 {
        let (once, twice) = (f64::from(self.once), f64::from(self.twice));
        once * (once - 1.0) / (2.0 * (twice + 1.0))
    }

    /// Returns the upper bound of the number of signatures that no sample has.
    fn max_unseen(&self, quantile: f64) -> f64 {
        let unseen = self.unseen();
        if self.twice < MIN_TWICE || unseen <= 0.0 {
            return f64::INFINITY;
        }
        let ratio = f64::from(self.once) / f64::from(self.twice);
        let variance = f64::from(self.twice) * (ratio.powi(4) / 4.0 + ratio.powi(3) + ratio.powi(2) / 2.0);
        unseen * f64::exp(quantile * (variance / unseen.powi(2)).ln_1p().sqrt())
    }

    /// Returns the mean rate of new signatures over the remaining samples, relative to the present
    /// rate.
    fn depletion(&self, rate: f64, rest: f64) -> f64 {
        let unseen = self.unseen();
        if rest <= 0.0 || rate <= 0.0 || unseen <= rate {
            return 1.0;
        }
        let found = unseen * (1.0 - (1.0 - rate / unseen).powf(rest));
        (found / (rate * rest)).min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(taken: u32, all: u32, distinct: u32, once: u32, twice: u32) -> Samples {
        Samples {
            taken,
            all,
            distinct,
            once,
            twice,
        }
    }

    #[test]
    fn certain_decisions() {
        assert_eq!(samples(2, 10, 2, 2, 0).decide(0.2, None), Some(true));
        assert_eq!(samples(1, 10, 1, 1, 0).decide(0.2, None), None);
        assert_eq!(samples(10, 10, 1, 0, 0).decide(0.2, None), Some(false));
        assert_eq!(samples(9, 10, 1, 0, 0).decide(0.2, None), None);
        assert_eq!(samples(161, 200, 0, 0, 0).decide(0.2, None), Some(false));
    }

    #[test]
    fn predictions_decide_early_where_it_is_clear() {
        // Ten different ones of ten.
        assert_eq!(samples(10, 200, 10, 10, 0).decide(0.2, Some(1.96)), Some(true));
        // Always the same.
        assert_eq!(samples(20, 200, 1, 0, 0).decide(0.2, Some(1.96)), Some(false));
        // One in five is new: open.
        assert_eq!(samples(20, 200, 4, 4, 0).decide(0.2, Some(1.96)), None);
    }
}
