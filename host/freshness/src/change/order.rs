//! Mean freshness and age of copies, by the order of visits.

use super::numeric::phi;

/// The order in which a collection is visited, with every page equally often.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SyncOrder {
    /// The same order in each round, with a constant gap between visits. This order is the best.
    Fixed,
    /// A new random order in each round: gaps are between zero and two rounds.
    RandomEachRound,
    /// Each visit goes to a random page: gaps are exponential.
    PurelyRandom,
}

impl SyncOrder {
    /// Returns the share of time in which the copy of a page equals the page.
    ///
    /// `rate` is changes and `frequency` visits per unit of time. A page that never changes is
    /// always fresh; a changing page that is never visited never is.
    pub fn freshness(self, rate: f64, frequency: f64) -> f64 {
        let Some(ratio) = ratio(rate, frequency) else {
            return if rate > 0.0 { 0.0 } else { 1.0 };
        };
        match self {
            Self::Fixed => phi(1, ratio),
            // (1 - q²)/r with q = φ1, since 1 - q = rφ2.
            Self::RandomEachRound => phi(2, ratio) * (1.0 + phi(1, ratio)),
            Self::PurelyRandom => 1.0 / (1.0 + ratio),
        }
    }

    /// Returns the mean time by which the copy of a page is behind; 0 while it is fresh. Infinite
    /// for a changing page that is never visited.
    pub fn age(self, rate: f64, frequency: f64) -> f64 {
        let Some(ratio) = ratio(rate, frequency) else {
            return if rate > 0.0 { f64::INFINITY } else { 0.0 };
        };
        let rounds = match self {
            Self::Fixed => ratio * phi(3, ratio),
            // 7/12 - 1/r + (1-q²)/r², rearranged so that nothing cancels for small r.
            Self::RandomEachRound => {
                let (third, fourth) = (phi(3, ratio), phi(4, ratio));
                ratio * (2.0 * fourth + third - ratio * third * third)
            }
            Self::PurelyRandom => ratio / (1.0 + ratio),
        };
        rounds / frequency
    }
}

fn ratio(rate: f64, frequency: f64) -> Option<f64> {
    (rate > 0.0 && frequency > 0.0).then(|| rate / frequency)
}
