//! The number of objects behind a form.
//!
//! Two estimators. [`Captures`] counts how often each object was found. It needs no knowledge of
//! the queries, and is low if some objects match few queries. [`PoolEstimate`] draws queries from a
//! known pool and gives each object the weight one by its degree: the number of queries of the pool
//! that match it. Objects with many words are then not counted more than others.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::outcome::{ObjectId, Outcome};

/// Quantile of the normal distribution for 95 % intervals.
const Z: f64 = 1.96;

/// Maximum number of objects that are counted.
const MAX_OBJECTS: usize = 5_000_000;

/// A number with its 95 % interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    pub value: f64,
    /// Lower bound of the interval.
    pub low: f64,
    /// Upper bound of the interval; infinite if nothing was found twice.
    pub high: f64,
}

impl Estimate {
    /// Raises the estimate to a known minimum.
    #[must_use]
    fn at_least(self, known: f64) -> Estimate {
        Estimate {
            value: self.value.max(known),
            low: self.low.max(known),
            high: self.high.max(known),
        }
    }

    /// Returns the share that `found` objects are of the estimated number, from 0 to 1.
    pub fn coverage(&self, found: usize) -> Estimate {
        let share = |size: f64| match size > 0.0 {
            true => (found as f64 / size).min(1.0),
            false => 0.0,
        };
        Estimate {
            value: share(self.value),
            low: share(self.high),
            high: share(self.low),
        }
    }
}

/// Estimates a number of objects from two samples that were drawn independently, such as the
/// objects that links lead to and those that a search has shown: Chapman's estimator, with a
/// log-normal interval.
pub fn two_samples(first: usize, second: usize, both: usize) -> Estimate {
    let [first, second, both] = [first, second, both].map(|count| count as f64);
    let known = first + second - both;
    let value = (first + 1.0) * (second + 1.0) / (both + 1.0) - 1.0;
    let variance = (first + 1.0) * (second + 1.0) * (first - both) * (second - both)
        / ((both + 1.0).powi(2) * (both + 2.0));
    let unseen = value - known;
    if unseen <= 0.0 {
        return Estimate {
            value: known,
            low: known,
            high: known,
        };
    }
    let reach = (Z * (1.0 + variance / unseen.powi(2)).ln().sqrt()).exp();
    Estimate {
        value,
        low: known + unseen / reach,
        high: known + unseen * reach,
    }
}

/// Counts of the answers that showed each object.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Captures {
    #[serde(with = "crate::pairs")]
    counts: BTreeMap<ObjectId, u32>,
    queries: u32,
    total: u64,
    largest: u64,
}

impl Captures {
    /// Adds the objects of the answer to one query, and the total number of its results if stated.
    pub fn add(&mut self, objects: &[ObjectId], reported_count: Option<u64>) {
        self.queries += 1;
        self.largest = self.largest.max(reported_count.unwrap_or(0));
        for object in objects {
            if self.counts.len() < MAX_OBJECTS || self.counts.contains_key(object) {
                *self.counts.entry(*object).or_default() += 1;
                self.total += 1;
            }
        }
    }

    pub fn distinct(&self) -> usize {
        self.counts.len()
    }

    /// Estimates the number of objects by sample coverage, with a correction for unequal chances
    /// (Chao and Lee). The interval is log-normal, so it never includes less than what was found.
    pub fn estimate(&self) -> Estimate {
        let distinct = self.distinct() as f64;
        let known = (self.largest as f64).max(distinct);
        let total = self.total as f64;
        let with = |wanted: u32| self.counts.values().filter(|count| **count == wanted).count() as f64;
        let (once, twice) = (with(1), with(2));
        if total == 0.0 {
            return Estimate {
                value: known,
                low: known,
                high: f64::INFINITY,
            };
        }
        if once >= total {
            // Nothing was found twice.
            return Estimate {
                value: (total * (total - 1.0) / 2.0).max(known),
                low: known,
                high: f64::INFINITY,
            };
        }
        let coverage = 1.0 - once / total;
        let pairs: f64 = self
            .counts
            .values()
            .map(|count| f64::from(*count) * f64::from(count - 1))
            .sum();
        let plain = distinct / coverage;
        let variation = (plain * pairs / (total * (total - 1.0).max(1.0)) - 1.0).max(0.0);
        let chao = once * (once - 1.0) / (2.0 * (twice + 1.0));
        let missing =
            (distinct / coverage + total * (1.0 - coverage) / coverage * variation - distinct).max(chao);
        let value = distinct + missing;
        // Variance of the number of missing objects, from that of the numbers found once and twice.
        let ratio = once / twice.max(1.0);
        let variance = missing + twice * (ratio.powi(4) / 4.0 + ratio.powi(3) + ratio.powi(2) / 2.0);
        log_normal(known, value.max(known), variance)
    }
}

/// An estimate from random queries of a known pool.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PoolEstimate {
    /// Weight of each answer, divided by the probability of its query.
    weights: Vec<f64>,
    captures: Captures,
    /// True if an answer has more results than were counted, of unknown number.
    is_cut: bool,
}

/// A result page that was drawn at random.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Draw {
    /// Probability with which the query was drawn from the pool.
    pub probability: f64,
    /// The position of the page among those of its query, from 0.
    pub page: u32,
    /// Number of pages from which the page was drawn, each with the same probability.
    pub pages: u32,
    /// Number of results that a page shows.
    pub page_size: u32,
}

impl PoolEstimate {
    /// Adds the page of an answer. Query and page are drawn with replacement.
    ///
    /// Sites show popular objects first, which match more queries than others, so first pages alone
    /// give too small a size: pages are drawn too. `objects` are those of the page, each with its
    /// degree: the number of queries of the pool that match it, at least 1.
    pub fn add(&mut self, draw: Draw, objects: &[(ObjectId, u32)], outcome: &Outcome) {
        if !(draw.probability > 0.0 && draw.probability <= 1.0) {
            return;
        }
        let ids: Vec<ObjectId> = objects.iter().map(|(id, _)| *id).collect();
        let reported_count = outcome.reported_count;
        self.captures.add(&ids, reported_count);
        // Results beyond the pages of the draw, in an unknown number, make the estimate a lower
        // bound.
        self.is_cut |= reported_count.is_none() && outcome.has_next && draw.page + 1 >= draw.pages;
        let pages = f64::from(draw.pages.max(1));
        let covered = (pages * f64::from(draw.page_size))
            .max(objects.len() as f64)
            .max(1.0);
        // The pages of the draw speak for results beyond them.
        let scale = (reported_count.unwrap_or(0) as f64 / covered).max(1.0);
        let sum: f64 = objects
            .iter()
            .map(|(_, degree)| 1.0 / f64::from((*degree).max(1)))
            .sum();
        self.weights.push(sum * pages * scale / draw.probability);
    }

    pub fn queries(&self) -> usize {
        self.weights.len()
    }

    pub fn distinct(&self) -> usize {
        self.captures.distinct()
    }

    /// Estimates the number of objects that some query of the pool matches. The interval has no
    /// upper bound if answers were cut off.
    pub fn estimate(&self) -> Estimate {
        let count = self.weights.len() as f64;
        let known = (self.captures.largest as f64).max(self.distinct() as f64);
        if count < 2.0 {
            return Estimate {
                value: self.weights.first().copied().unwrap_or(0.0).max(known),
                low: known,
                high: f64::INFINITY,
            };
        }
        let mean = self.weights.iter().sum::<f64>() / count;
        let squares: f64 = self.weights.iter().map(|weight| (weight - mean).powi(2)).sum();
        let variance = squares / (count - 1.0) / count;
        if mean <= 0.0 {
            return Estimate::default().at_least(known);
        }
        // The distribution of the mean is skewed like the weights: the interval is log-normal.
        let spread = f64::exp(Z * (variance / mean.powi(2)).ln_1p().sqrt());
        let estimate = Estimate {
            value: mean,
            low: mean / spread,
            high: if self.is_cut { f64::INFINITY } else { mean * spread },
        };
        estimate.at_least(known)
    }
}

/// Returns a log-normal interval for the part above a known minimum.
fn log_normal(known: f64, value: f64, variance: f64) -> Estimate {
    let missing = value - known;
    if missing <= 0.0 {
        return Estimate {
            value: known,
            low: known,
            high: known + Z * variance.max(0.0).sqrt(),
        };
    }
    let spread = f64::exp(Z * (variance / missing.powi(2)).ln_1p().sqrt());
    Estimate {
        value,
        low: known + missing / spread,
        high: known + missing * spread,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_known_without_answers() {
        let estimate = Captures::default().estimate();
        assert_eq!((estimate.value, estimate.low), (0.0, 0.0));
        assert_eq!(PoolEstimate::default().estimate().value, 0.0);
        assert_eq!(Estimate::default().coverage(0).value, 0.0);
    }

    /// Each of four objects twice: coverage is 1 and nothing is missing.
    #[test]
    fn objects_that_all_came_twice_are_all() {
        let mut captures = Captures::default();
        captures.add(&[1, 2, 3, 4], None);
        captures.add(&[1, 2, 3, 4], None);
        assert_eq!(captures.estimate().value, 4.0);
        captures.add(&[], Some(9));
        assert_eq!(
            captures.estimate().value,
            9.0,
            "a stated number of results is a minimum"
        );
    }

    /// A pool of two queries: one matches objects 1 and 2, the other 2 and 3. The weights are
    /// (1 + 1/2) / (1/2) = 3 each.
    #[test]
    fn weights_by_degree_by_hand() {
        let mut pool = PoolEstimate::default();
        pool.add(draw(0.5, 1), &[(1, 1), (2, 2)], &Outcome::default());
        pool.add(draw(0.5, 1), &[(2, 2), (3, 1)], &Outcome::default());
        let estimate = pool.estimate();
        assert_eq!((estimate.value, estimate.low, estimate.high), (3.0, 3.0, 3.0));
        assert_eq!(estimate.coverage(3).value, 1.0);
        pool.add(draw(f64::NAN, 1), &[(1, 1)], &Outcome::default());
        pool.add(draw(0.0, 1), &[(1, 1)], &Outcome::default());
        assert_eq!(pool.queries(), 2);
    }

    /// One query with 50 results: the first page of two speaks for all. If one of 25 pages is
    /// drawn, each has the weight 2 · 25.
    #[test]
    fn a_page_speaks_for_all_results() {
        let outcome = Outcome {
            reported_count: Some(50),
            ..Outcome::default()
        };
        for pages in [1, 25] {
            let mut pool = PoolEstimate::default();
            for _ in 0..3 {
                pool.add(draw(1.0, pages), &[(1, 1), (2, 1)], &outcome);
            }
            assert_eq!(pool.estimate().value, 50.0);
        }
    }

    #[test]
    fn answers_that_are_cut_off_give_a_lower_bound() {
        let outcome = Outcome {
            has_next: true,
            ..Outcome::default()
        };
        let mut pool = PoolEstimate::default();
        for _ in 0..3 {
            pool.add(draw(1.0, 1), &[(1, 1), (2, 1)], &outcome);
        }
        let estimate = pool.estimate();
        assert_eq!((estimate.value, estimate.high), (2.0, f64::INFINITY));
        assert_eq!(estimate.coverage(2).low, 0.0);
    }

    fn draw(probability: f64, pages: u32) -> Draw {
        Draw {
            probability,
            page: 0,
            pages,
            page_size: 2,
        }
    }
}
