//! How fresh and how old copies are on average, by the order in which pages are visited.

use super::numeric::phi;

/// In which order a collection is visited, every page equally often.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SyncOrder {
    /// The same order in each round: the gap between two visits is always the same. The best.
    Fixed,
    /// A new order in each round: a gap is anything between none and two rounds.
    RandomEachRound,
    /// Each visit goes to any page: gaps are exponential.
    PurelyRandom,
}

impl SyncOrder {
    /// The share of time in which the copy of a page is what the page is.
    ///
    /// `rate` is changes and `frequency` visits per unit of time. A page that never changes is always
    /// fresh; one that changes is never so when it is never visited.
    pub fn freshness(self, rate: f64, frequency: f64) -> f64 {
        let Some(ratio) = ratio(rate, frequency) else {
            return if rate > 0.0 { 0.0 } else { 1.0 };
        };
        match self {
            Self::Fixed => phi(1, ratio),
            // (1 - q²)/r with q = φ1, as 1 - q = rφ2.
            Self::RandomEachRound => phi(2, ratio) * (1.0 + phi(1, ratio)),
            Self::PurelyRandom => 1.0 / (1.0 + ratio),
        }
    }

    /// For how long, on average over time, the copy of a page has been behind; 0 while it is fresh.
    /// Infinite for a page that changes and is never visited.
    pub fn age(self, rate: f64, frequency: f64) -> f64 {
        let Some(ratio) = ratio(rate, frequency) else {
            return if rate > 0.0 { f64::INFINITY } else { 0.0 };
        };
        let rounds = match self {
            Self::Fixed => ratio * phi(3, ratio),
            // 7/12 - 1/r + (1-q²)/r², with everything that cancels for small r taken out by hand.
            Self::RandomEachRound => {
                let (third, fourth) = (phi(3, ratio), phi(4, ratio));
                ratio * (2.0 * fourth + third - ratio * third * third)
            }
            Self::PurelyRandom => ratio / (1.0 + ratio),
        };
        rounds / frequency
    }

    /// The mean freshness of a collection, each page as `(rate, frequency, weight)`; weights need not
    /// sum to one. A collection of nothing is fresh.
    pub fn mean_freshness(self, pages: impl IntoIterator<Item = (f64, f64, f64)>) -> f64 {
        mean(pages, 1.0, |rate, frequency| self.freshness(rate, frequency))
    }

    /// The mean age of a collection, each page as `(rate, frequency, weight)`.
    pub fn mean_age(self, pages: impl IntoIterator<Item = (f64, f64, f64)>) -> f64 {
        mean(pages, 0.0, |rate, frequency| self.age(rate, frequency))
    }
}

/// The share of pages of a rate that were up to date `grace` ago, when each is visited once per
/// `period`: the index is (share, grace)-current.
pub fn currency(rate: f64, period: f64, grace: f64) -> f64 {
    if !(period > grace && rate > 0.0) {
        return 1.0;
    }
    let late = period - grace.max(0.0);
    1.0 - (late / period) * (1.0 - phi(1, rate * late))
}

/// The longest period that keeps a collection (share, grace)-current, its pages as `(rate, weight)`.
///
/// Infinite when no page changes often enough to matter.
pub fn period_for_currency(pages: &[(f64, f64)], share: f64, grace: f64) -> f64 {
    let current = |period: f64| {
        let pages = pages.iter().map(|(rate, weight)| (*rate, period, *weight));
        mean(pages, 1.0, |rate, period| currency(rate, period, grace))
    };
    let (mut low, mut high) = (grace.max(f64::MIN_POSITIVE), grace.max(1.0));
    while current(high) >= share {
        low = high;
        high *= 2.0;
        if !high.is_finite() {
            return f64::INFINITY;
        }
    }
    // Currency falls with the period, so halving finds the place; by factors while they are large,
    // as a period of a second and one of a year are both likely.
    for _ in 0..200 {
        let middle = if high > 2.0 * low {
            (low * high).sqrt()
        } else {
            low + (high - low) / 2.0
        };
        if middle <= low || middle >= high {
            break;
        }
        if current(middle) >= share {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

fn ratio(rate: f64, frequency: f64) -> Option<f64> {
    (rate > 0.0 && frequency > 0.0).then(|| rate / frequency)
}

fn mean(
    pages: impl IntoIterator<Item = (f64, f64, f64)>,
    of_nothing: f64,
    of: impl Fn(f64, f64) -> f64,
) -> f64 {
    let (mut sum, mut weights) = (0.0, 0.0);
    for (rate, second, weight) in pages {
        // Nothing times infinity is not a number, and a page of no weight does not count.
        if weight > 0.0 {
            sum += weight * of(rate, second);
            weights += weight;
        }
    }
    if weights > 0.0 { sum / weights } else { of_nothing }
}
