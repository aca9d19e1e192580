//! What is known of a page's rate before it is visited, and after: a distribution for the pages of
//! one pattern, and by Bayes' rule one for each page.

use serde::{Deserialize, Serialize};

use super::belief::Belief;
use super::history::History;
use super::numeric::increasing_root;

/// Places at which a posterior is summed. They are denser around its peak, and the sum of a smooth
/// function that vanishes at both ends gains digits with each place: seven digits here.
const NODES: usize = 49;
/// The density is followed to where it is `e^-16` of its peak.
const DROP: f64 = 16.0;
/// Probabilities of no change by which a belief is made from a distribution: most of what a visit can be worth is decided between.
const UNCHANGED: [f64; 2] = [0.8, 0.2];
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
        self.belief_after(&History::default())
    }

    /// What is believed of a page after its visits: the gamma distribution by which the page is unchanged with either of two
    /// probabilities after the same times.
    ///
    /// What a visit is worth follows from how probably the page is unchanged after which time, and from nothing else. The gamma
    /// distribution that is nearest by its moments may be far off there: where every visit saw a change, it would say that the
    /// rate may still be small.
    pub fn belief_after(&self, history: &History) -> Belief {
        let rates = self.rates_after(history);
        Belief::through(UNCHANGED.map(|unchanged| (rates.time_to(unchanged), unchanged)))
    }

    /// What is known of a page's rate after its visits.
    pub fn posterior(&self, history: &History) -> Posterior {
        self.rates_after(history).moments()
    }

    fn rates_after(&self, history: &History) -> Rates {
        let density = |log: f64| self.log_density(log) + history.log_likelihood(log.clamp(-LOGS, LOGS).exp());
        let (peak, width) = self.peak(history);
        let top = density(peak);
        let left = reach(&density, peak, top, -width);
        let right = reach(&density, peak, top, width);
        // Places at peak + width·sinh(t), for even steps of t.
        let (first, last) = (-(left / width).asinh(), (right / width).asinh());
        let step = (last - first) / (NODES - 1) as f64;
        let places = std::array::from_fn(|node| {
            let t = first + step * node as f64;
            let away = width * t.sinh();
            (away, (density(peak + away) - top).exp() * t.cosh())
        });
        Rates { peak, places }
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

/// A distribution of rates by its places.
struct Rates {
    /// The logarithm of the rate that all places are relative to, so that no digits are lost to it.
    peak: f64,
    /// Logarithms of rates, and their weights.
    places: [(f64, f64); NODES],
}

impl Rates {
    fn moments(&self) -> Posterior {
        let mean = |of: &dyn Fn(f64) -> f64| {
            let weights = self.places.iter().map(|(_, weight)| weight).sum::<f64>();
            self.places
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

    /// The time after which a page is unchanged with this probability.
    fn time_to(&self, unchanged: f64) -> f64 {
        let weights: f64 = self.places.iter().map(|(_, weight)| weight).sum();
        let rates = self.places.map(|(away, weight)| (away.exp(), weight / weights));
        // By the logarithm of the time; it is between those that the fastest and the slowest place alone would have.
        let loss = -unchanged.ln();
        let [low, high] = [NODES - 1, 0].map(|place| (loss / rates[place].0).ln());
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
