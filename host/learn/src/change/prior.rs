//! What is known of a page's rate before it is visited, and after: a distribution for the pages of
//! one pattern, and by Bayes' rule one for each page.

use serde::{Deserialize, Serialize};

use super::belief::Belief;
use super::history::History;
use super::numeric::{gamma_shape, increasing_root};

/// Places at which a posterior is summed. They are denser around its peak, and the sum of a smooth
/// function that vanishes at both ends gains digits with each place: seven digits here.
const NODES: usize = 49;
/// The density is followed to where it is `e^-16` of its peak.
const DROP: f64 = 16.0;
/// Beyond these logarithms a rate is no number any more.
const LOGS: f64 = 600.0;
/// No peak is narrower or wider than this on the log scale, so that hostile histories stay finite.
const PEAK_WIDTHS: (f64, f64) = (1e-4, 20.0);

/// How rates are spread among the pages of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum RatePrior {
    /// The logarithm of the rate is normal. Its tails fit what is known of pages better, and it
    /// is what patterns of patterns are made of.
    LogNormal {
        /// The mean of the logarithm.
        centre: f64,
        /// The standard deviation of the logarithm.
        deviation: f64,
    },
    /// A gamma distribution: exact for what is counted, as new objects are.
    Gamma {
        /// The shape: as if so many events had been seen ...
        shape: f64,
        /// ... in so much time.
        time: f64,
    },
}

/// A page's rate after its visits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Posterior {
    /// The mean of the rate.
    pub mean: f64,
    /// The standard deviation of the rate.
    pub deviation: f64,
    /// The mean of the rate's logarithm.
    pub log_mean: f64,
    /// The standard deviation of the rate's logarithm.
    pub log_deviation: f64,
}

impl Posterior {
    /// The gamma distribution that is nearest to it: the one with the same mean and the same mean
    /// logarithm, which loses least information.
    pub fn belief(&self) -> Belief {
        Belief::uncertain(self.mean, 1.0 / gamma_shape(self.mean.ln() - self.log_mean))
    }
}

impl RatePrior {
    /// A rate known up to a factor: the standard deviation of the logarithm is the factor's.
    pub fn about(rate: f64, factor: f64) -> Self {
        Self::LogNormal {
            centre: rate.ln(),
            deviation: factor.ln().abs(),
        }
    }

    /// What is believed of a page that was never visited.
    pub fn belief(&self) -> Belief {
        self.posterior(&History::default()).belief()
    }

    /// What is believed of a page after its visits.
    pub fn posterior(&self, history: &History) -> Posterior {
        let density = |log: f64| self.log_density(log) + history.log_likelihood(log.clamp(-LOGS, LOGS).exp());
        let (peak, width) = self.peak(history);
        let top = density(peak);
        let left = reach(&density, peak, top, -width);
        let right = reach(&density, peak, top, width);
        // Places at peak + width·sinh(t), for even steps of t.
        let (first, last) = (-(left / width).asinh(), (right / width).asinh());
        let step = (last - first) / (NODES - 1) as f64;
        let mut sums = Sums::default();
        for node in 0..NODES {
            let t = first + step * node as f64;
            let log = peak + width * t.sinh();
            sums.add(log, peak, (density(log) - top).exp() * t.cosh());
        }
        sums.posterior(peak)
    }

    /// The logarithm of the density of the rate's logarithm, up to a constant.
    pub(super) fn log_density(&self, log: f64) -> f64 {
        match *self {
            Self::LogNormal { centre, deviation } => {
                let away = (log - centre) / deviation.max(PEAK_WIDTHS.0);
                -away * away / 2.0
            }
            Self::Gamma { shape, time } => shape * log - time * log.exp(),
        }
    }

    /// Where the posterior of the log rate peaks, and how wide it is there.
    fn peak(&self, history: &History) -> (f64, f64) {
        let slope = |log: f64| -self.slope(log) - history.slope(log);
        let bend = |log: f64| (slope(log + 1e-4) - slope(log - 1e-4)) / 2e-4;
        let (low, high) = self.bracket(history);
        let start = match *self {
            Self::LogNormal { centre, .. } => centre,
            Self::Gamma { shape, time } => (shape / time).ln(),
        };
        let peak = increasing_root(low, high, start, |log| (slope(log), bend(log)));
        let width = 1.0 / bend(peak).sqrt();
        let width = if width.is_finite() { width } else { 1.0 };
        (peak, width.clamp(PEAK_WIDTHS.0, PEAK_WIDTHS.1))
    }

    fn slope(&self, log: f64) -> f64 {
        match *self {
            Self::LogNormal { centre, deviation } => (centre - log) / deviation.max(PEAK_WIDTHS.0).powi(2),
            Self::Gamma { shape, time } => shape - time * log.exp(),
        }
    }

    /// Log rates between which the posterior's slope changes from up to down.
    fn bracket(&self, history: &History) -> (f64, f64) {
        let (count, time) = (history.weight(), history.time());
        match *self {
            Self::LogNormal { centre, deviation } => {
                let up = deviation.powi(2) * count + 1.0;
                let low = if time > 0.0 {
                    centre.min(-time.ln())
                } else {
                    centre
                };
                (low - 20.0, (centre + up).min(centre.max(0.0) + 300.0))
            }
            Self::Gamma { shape, time: before } => {
                let low = (shape / (before + time)).ln();
                (low - 20.0, ((shape + count) / before).ln() + 1.0)
            }
        }
    }
}

/// How far one must go from the peak until nothing is left.
fn reach(density: &impl Fn(f64) -> f64, peak: f64, top: f64, width: f64) -> f64 {
    let mut away = 4.0 * width;
    // Doubles, so it ends soon even with the longest tail.
    for _ in 0..24 {
        if density(peak + away) < top - DROP {
            break;
        }
        away *= 1.5;
    }
    away.abs()
}

#[derive(Default)]
struct Sums {
    weight: f64,
    log: f64,
    log_square: f64,
    ratio: f64,
    ratio_square: f64,
}

impl Sums {
    /// Moments relative to the peak, so that no digits are lost to its place.
    fn add(&mut self, log: f64, peak: f64, weight: f64) {
        let (away, ratio) = (log - peak, (log - peak).exp());
        self.weight += weight;
        self.log += weight * away;
        self.log_square += weight * away * away;
        self.ratio += weight * ratio;
        self.ratio_square += weight * ratio * ratio;
    }

    fn posterior(&self, peak: f64) -> Posterior {
        let (log, ratio) = (self.log / self.weight, self.ratio / self.weight);
        let deviation = (self.ratio_square / self.weight - ratio * ratio).max(0.0).sqrt();
        Posterior {
            mean: ratio * peak.exp(),
            deviation: deviation * peak.exp(),
            log_mean: log + peak,
            log_deviation: (self.log_square / self.weight - log * log).max(0.0).sqrt(),
        }
    }
}
