//! Distribution of a page's rate before and after visits: a prior for the pages of one pattern, and
//! by Bayes' rule a posterior for each page.

use serde::{Deserialize, Serialize};

use super::belief::Belief;
use super::history::History;
use super::numeric::increasing_root;

/// Number of nodes over which a posterior is summed. They are denser around its peak. The sum of a
/// smooth function that vanishes at both ends gains digits with each node: seven digits here.
const NODES: usize = 49;
/// The density is followed down to `e^-16` of its peak.
const MAX_LOG_DROP: f64 = 16.0;
/// Probabilities of no change at which a belief matches a distribution. The value of a visit is
/// mostly decided between them.
const MATCHED_PROBABILITIES: [f64; 2] = [0.8, 0.2];
/// Maximum absolute logarithm of a rate that is a finite number.
const MAX_LOG_RATE: f64 = 600.0;
/// Minimum and maximum width of a peak on the log scale, so that hostile histories stay finite.
const MIN_AND_MAX_PEAK_WIDTH: (f64, f64) = (1e-4, 20.0);

/// Distribution of the rates of a pattern's pages.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum RatePrior {
    /// A normal distribution of the rate's logarithm. Its tails fit real pages better, and it
    /// composes over levels of patterns.
    LogNormal {
        /// Mean of the logarithm.
        centre: f64,
        /// Standard deviation of the logarithm.
        deviation: f64,
    },
    /// A gamma distribution: exact for counted events such as new objects.
    Gamma {
        /// The shape: the number of events that the prior is worth.
        shape: f64,
        /// The time in which they occurred.
        time: f64,
    },
}

/// Distribution of a page's rate after its visits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Posterior {
    pub mean: f64,
    /// Standard deviation of the rate.
    pub deviation: f64,
    /// Mean of the rate's logarithm.
    pub log_mean: f64,
    /// Standard deviation of the rate's logarithm.
    pub log_deviation: f64,
}

impl RatePrior {
    /// Creates a prior of a rate known up to a factor, whose logarithm becomes the standard
    /// deviation of the logarithm.
    pub fn about(rate: f64, factor: f64) -> Self {
        Self::LogNormal {
            centre: rate.ln(),
            deviation: factor.ln().abs(),
        }
    }

    /// Returns the belief for a page that was never visited.
    pub fn belief(&self) -> Belief {
        self.belief_after(&History::default())
    }

    /// Returns the belief for a page after its visits: the gamma distribution for which the page is
    /// unchanged with either of two probabilities after the same times.
    ///
    /// The value of a visit depends only on the probability of no change over time. A gamma
    /// distribution with the same moments may be far off there: if every visit saw a change, it
    /// would imply that the rate may still be small.
    pub fn belief_after(&self, history: &History) -> Belief {
        let rates = self.rates_after(history);
        Belief::matching(MATCHED_PROBABILITIES.map(|unchanged| (rates.time_to(unchanged), unchanged)))
    }

    /// Returns the posterior of a page's rate after its visits.
    pub fn posterior(&self, history: &History) -> Posterior {
        self.rates_after(history).moments()
    }

    fn rates_after(&self, history: &History) -> Rates {
        let density = |log: f64| {
            self.log_density(log) + history.log_likelihood(log.clamp(-MAX_LOG_RATE, MAX_LOG_RATE).exp())
        };
        let (peak, width) = self.peak(history);
        let top = density(peak);
        let left = tail_distance(&density, peak, top, -width);
        let right = tail_distance(&density, peak, top, width);
        // Nodes at peak + width·sinh(t), for even steps of t.
        let (first, last) = (-(left / width).asinh(), (right / width).asinh());
        let step = (last - first) / (NODES - 1) as f64;
        let nodes = std::array::from_fn(|node| {
            let t = first + step * node as f64;
            let away = width * t.sinh();
            (away, (density(peak + away) - top).exp() * t.cosh())
        });
        Rates { peak, nodes }
    }

    /// Returns the logarithm of the density of the rate's logarithm, up to a constant.
    pub(super) fn log_density(&self, log: f64) -> f64 {
        match *self {
            Self::LogNormal { centre, deviation } => {
                let away = (log - centre) / deviation.max(MIN_AND_MAX_PEAK_WIDTH.0);
                -away * away / 2.0
            }
            Self::Gamma { shape, time } => shape * log - time * log.exp(),
        }
    }

    /// Returns the peak of the posterior of the log rate, and its width.
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
        (
            peak,
            width.clamp(MIN_AND_MAX_PEAK_WIDTH.0, MIN_AND_MAX_PEAK_WIDTH.1),
        )
    }

    fn slope(&self, log: f64) -> f64 {
        match *self {
            Self::LogNormal { centre, deviation } => {
                (centre - log) / deviation.max(MIN_AND_MAX_PEAK_WIDTH.0).powi(2)
            }
            Self::Gamma { shape, time } => shape - time * log.exp(),
        }
    }

    /// Returns log rates between which the posterior has its peak.
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

/// Returns the distance from the peak at which the density is negligible.
fn tail_distance(density: &impl Fn(f64) -> f64, peak: f64, top: f64, width: f64) -> f64 {
    let mut away = 4.0 * width;
    // The distance grows by half each time, so this ends soon even with the longest tail.
    for _ in 0..24 {
        if density(peak + away) < top - MAX_LOG_DROP {
            break;
        }
        away *= 1.5;
    }
    away.abs()
}

/// A distribution of rates by its nodes.
struct Rates {
    /// Logarithm of the rate that all nodes are relative to, so that no digits are lost to it.
    peak: f64,
    /// Logarithms of rates, and their weights.
    nodes: [(f64, f64); NODES],
}

impl Rates {
    fn moments(&self) -> Posterior {
        let mean = |of: &dyn Fn(f64) -> f64| {
            let weights = self.nodes.iter().map(|(_, weight)| weight).sum::<f64>();
            self.nodes
                .iter()
                .map(|(away, weight)| weight * of(*away))
                .sum::<f64>()
                / weights
        };
        let (log, ratio) = (mean(&|away| away), mean(&f64::exp));
        let deviation = (mean(&|away| (2.0 * away).exp()) - ratio * ratio).max(0.0).sqrt();
        Posterior {
            mean: ratio * self.peak.exp(),
            deviation: deviation * self.peak.exp(),
            log_mean: log + self.peak,
            log_deviation: (mean(&|away| away * away) - log * log).max(0.0).sqrt(),
        }
    }

    /// Returns the time after which a page is unchanged with this probability.
    fn time_to(&self, unchanged: f64) -> f64 {
        let weights: f64 = self.nodes.iter().map(|(_, weight)| weight).sum();
        let rates = self.nodes.map(|(away, weight)| (away.exp(), weight / weights));
        // In terms of the logarithm of the time, which is between those of the fastest and the
        // slowest node alone.
        let loss = -unchanged.ln();
        let [low, high] = [NODES - 1, 0].map(|node| (loss / rates[node].0).ln());
        let log = increasing_root(low, high, loss.ln(), |log| {
            let time = log.exp();
            let (mut same, mut lost) = (0.0, 0.0);
            for (rate, weight) in &rates {
                let still = weight * (-rate * time).exp();
                same += still;
                lost += rate * time * still;
            }
            (f64::ln(unchanged / same), lost / same)
        });
        (log - self.peak).exp()
    }
}
