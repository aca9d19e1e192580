//! Estimation of the number of objects on unfetched pages, with an interval.
//!
//! The yield of the next page of a form is estimated from the objects that each fetched page has
//! and no other one (Good and Turing; the leave-one-out estimate). Where pages repeat one another,
//! the supply of new objects is limited. Its size is estimated from the number of objects seen once
//! and seen twice (Chao). The overlap of forms with the same objects, such as lists and detail
//! pages, is estimated from the objects found on both (Lincoln and Petersen). Pages of one folder
//! are alike, so each counts for less if few folders were seen.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Quantile of the normal distribution for 95% intervals.
const QUANTILE_95: f64 = 1.959_963_985;

/// A number with its 95% interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Estimate {
    pub value: f64,
    /// Lower bound of the interval.
    pub low: f64,
    /// Upper bound of the interval.
    pub high: f64,
}

impl Estimate {
    /// Returns the sum of independent estimates.
    pub fn sum<'a>(parts: impl IntoIterator<Item = &'a Estimate>) -> Estimate {
        let (mut value, mut below, mut above) = (0.0, 0.0, 0.0);
        for part in parts {
            value += part.value;
            below += (part.value - part.low).powi(2);
            above += (part.high - part.value).powi(2);
        }
        Estimate {
            value,
            low: (value - f64::sqrt(below)).max(0.0),
            high: value + f64::sqrt(above),
        }
    }

    /// Adds the number of objects found already.
    #[must_use]
    pub(crate) fn plus_found(self, found: f64) -> Estimate {
        Estimate {
            value: found + self.value,
            low: found + self.low,
            high: found + self.high,
        }
    }

    /// Returns the size of the union of two sets. `both` elements were seen in both sets, where
    /// `seen` is the share of common elements that would be seen.
    #[must_use]
    pub fn with(&self, other: &Estimate, both: f64, seen: f64) -> Estimate {
        let max = self.value.min(other.value);
        let shared = |both: f64| if seen > 0.0 { (both / seen).min(max) } else { 0.0 };
        let reach = QUANTILE_95 * both.sqrt();
        let (shared, fewer, more) = (
            shared(both),
            shared((both - reach).max(0.0)),
            shared(both + reach),
        );
        let value = self.value + other.value - shared;
        let below = (self.value - self.low)
            .hypot(other.value - other.low)
            .hypot(more - shared);
        let above = (self.high - self.value)
            .hypot(other.high - other.value)
            .hypot(shared - fewer);
        Estimate {
            value,
            // The union is at least as large as the larger set, and at most as large as both
            // together.
            low: (value - below).max(self.low).max(other.low),
            high: (value + above).min(self.high + other.high),
        }
    }

    /// Raises the estimate to a known minimum.
    #[must_use]
    pub(crate) fn not_below(self, known: f64) -> Estimate {
        Estimate {
            value: self.value.max(known),
            low: self.low.max(known),
            high: self.high.max(known),
        }
    }
}

/// Counts of the objects that each fetched page of a form has and no other one.
#[derive(Clone, Debug, Default)]
pub struct Novelty {
    pages: f64,
    hits: f64,
    sum: f64,
    squares: f64,
    /// Number of objects on exactly two pages.
    pub twice: u32,
    /// Numbers of pages and objects in each folder.
    folders: BTreeMap<String, (f64, f64)>,
}

impl Novelty {
    /// Adds a page: its folder, and the number of objects that no other page has.
    pub(crate) fn add(&mut self, folder: &str, alone: u32) {
        let alone = f64::from(alone);
        self.pages += 1.0;
        self.hits += f64::from(u8::from(alone > 0.0));
        self.sum += alone;
        self.squares += alone * alone;
        match self.folders.get_mut(folder) {
            Some((pages, sum)) => {
                *pages += 1.0;
                *sum += alone;
            }
            None => {
                self.folders.insert(folder.to_owned(), (1.0, alone));
            }
        }
    }

    /// Returns the number of new objects on this many further pages.
    pub(crate) fn further(&self, unfetched: f64) -> Estimate {
        if unfetched <= 0.0 || self.pages <= 0.0 {
            return Estimate::default();
        }
        // Pages of one folder are alike, so each counts for less than an independent page.
        let effect = self.design_effect();
        let share = self.hits / self.pages;
        let (share_low, share_high) = wilson(share, self.pages / effect);
        // If no page has an object of its own, assume one object for a page that has.
        let mean = if self.hits > 0.0 {
            self.sum / self.hits
        } else {
            1.0
        };
        let spread = match self.hits {
            0.0..=1.0 => (mean - 1.0).powi(2),
            hits => (self.squares / hits - mean * mean).max(0.0) * hits / (hits - 1.0),
        };
        let rate = share * mean;
        // Interval of a product of two estimates.
        let of_mean = share * QUANTILE_95 * (spread * effect / self.hits.max(1.0)).sqrt();
        let below = (mean * (share - share_low)).hypot(of_mean);
        let above = (mean * (share_high - share)).hypot(of_mean);
        // The further pages vary, too.
        let of_page = (share * (spread + mean * mean) - rate * rate).max(0.0);
        let varying = QUANTILE_95 * (unfetched * of_page * effect).sqrt();
        let expected = unfetched * rate;
        let low = (expected - (unfetched * below).hypot(varying)).max(0.0);
        let high = expected + (unfetched * above).hypot(varying);
        let twice = f64::from(self.twice);
        let reach = |count: f64| QUANTILE_95 * count.sqrt();
        // Each bound takes the counts that make it wider: fewer repetitions mean a larger supply of
        // new objects.
        let (of_twice, of_once) = (reach(twice), reach(self.sum));
        Estimate {
            value: saturated(expected, self.sum, twice),
            low: saturated(low, self.sum - of_once, twice + of_twice),
            high: saturated(high, self.sum + of_once, twice - of_twice),
        }
    }

    /// Returns the number of pages that are as informative as one independent page.
    fn design_effect(&self) -> f64 {
        let folders = self.folders.len() as f64;
        let rate = self.sum / self.pages;
        let within = self.squares - self.pages * rate * rate;
        // One folder shows nothing about the difference between folders.
        if folders < 2.0 || within <= 0.0 {
            return 1.0;
        }
        let between = self.folders.values();
        let between: f64 = between.map(|(pages, sum)| (sum - rate * pages).powi(2)).sum();
        (between * folders / (folders - 1.0) / within).clamp(1.0, (self.pages / 2.0).max(1.0))
    }
}

/// Reduces an expected number of new objects where pages repeat one another, by the number of
/// objects seen once and twice.
fn saturated(expected: f64, once: f64, twice: f64) -> f64 {
    if twice <= 0.0 || expected <= 0.0 {
        return expected;
    }
    let left = once.max(0.5).powi(2) / (2.0 * twice);
    left * (1.0 - (-expected / left).exp())
}

/// Returns the 95% Wilson interval of a proportion. The number of trials need not be an integer.
fn wilson(share: f64, of: f64) -> (f64, f64) {
    let square = QUANTILE_95 * QUANTILE_95;
    let middle = share + square / (2.0 * of);
    let reach = QUANTILE_95 * (share * (1.0 - share) / of + square / (4.0 * of * of)).sqrt();
    let scale = 1.0 + square / of;
    (
        ((middle - reach) / scale).max(0.0),
        ((middle + reach) / scale).min(1.0),
    )
}
