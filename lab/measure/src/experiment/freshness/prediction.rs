//! Published predictions for the web, computed again.
//!
//! The publication gives freshness and age for three distributions of one visit a month over the
//! pages, but not the underlying rates. A distribution of rates is therefore fitted to the two that
//! need no optimum. The rates are log-normal: the mean follows from the freshness of proportional
//! visits, the deviation from that of uniform ones. The optimum for these rates, and all ages, are
//! then predictions that can be compared with the publication.

use magpie_freshness::change::{Goal, SyncOrder};
use magpie_freshness::schedule::{Page, expected, optimal};

use crate::baselines::schedules::{proportional, uniform};

/// Number of sample pages, at evenly spaced quantiles.
const PAGES: usize = 4_000;

const MONTH: f64 = 30.0;

/// Number of bisection steps that determine a double.
const BISECTIONS: u32 = 60;

/// Distributions of visits: proportional to changes, uniform, and optimal.
pub(super) const DISTRIBUTIONS: [&str; 3] = ["proportional", "uniform", "optimal"];

/// Published figures for some pages of the web, by [`DISTRIBUTIONS`]: freshness, and age in days.
pub(super) struct Published {
    pub(super) name: &'static str,
    pub(super) freshness: [f64; 3],
    pub(super) age: [f64; 3],
}

/// Published for a thousand million pages, visited once a month on average.
pub(super) const PUBLISHED: [Published; 3] = [
    Published {
        name: "the web",
        freshness: [0.12, 0.57, 0.62],
        age: [400.0, 5.6, 4.3],
    },
    Published {
        name: "com",
        freshness: [0.07, 0.38, 0.44],
        age: [386.0, 8.5, 7.4],
    },
    Published {
        name: "gov",
        freshness: [0.69, 0.82, 0.85],
        age: [19.3, 2.0, 1.3],
    },
];

/// Computes freshness and age for rates that have the published freshness of proportional and
/// uniform visits.
pub(super) fn computed(published: &Published) -> ([f64; 3], [f64; 3]) {
    let [as_they_change, alike, _] = published.freshness;
    // Proportional visits make all pages as fresh as one of the mean rate.
    let mean = bisect(1e-6, 1e4, |rate| {
        SyncOrder::Fixed.freshness(rate, 1.0) < as_they_change
    });
    // At a fixed mean, a wider distribution of rates makes uniform visits keep pages fresher.
    let deviation = bisect(1e-3, 6.0, |deviation| {
        let pages = pages(mean, deviation);
        expected(&pages, Goal::Freshness, &uniform(&pages, PAGES as f64)) > alike
    });
    let pages = pages(mean, deviation);
    let by = |goal: Goal| {
        let best = optimal(&pages, goal, PAGES as f64).frequencies;
        [
            proportional(&pages, PAGES as f64),
            uniform(&pages, PAGES as f64),
            best,
        ]
        .map(|frequencies| expected(&pages, goal, &frequencies))
    };
    (by(Goal::Freshness), by(Goal::Age).map(|age| age * MONTH))
}

/// Returns pages with log-normal rates of a mean.
fn pages(mean: f64, deviation: f64) -> Vec<Page> {
    let quantile = |number: usize| (number as f64 + 0.5) / PAGES as f64;
    let rates: Vec<f64> = (0..PAGES)
        .map(|number| (deviation * normal_quantile(quantile(number))).exp())
        .collect();
    // A finite sample lacks the tail of the distribution, so the rates are scaled to the mean.
    let scale = mean * PAGES as f64 / rates.iter().sum::<f64>();
    rates.iter().map(|rate| Page::of_rate(rate * scale)).collect()
}

/// Returns a quantile of the normal distribution, by bisection of the cumulative distribution
/// function.
fn normal_quantile(share: f64) -> f64 {
    bisect(-9.0, 9.0, |at| normal_cdf(at) > share)
}

/// Cumulative distribution function of the normal distribution (Marsaglia's series, a sum of odd
/// powers that converges fast near 0).
fn normal_cdf(at: f64) -> f64 {
    let (mut sum, mut term, mut odd) = (at, at, 1.0);
    while f64::abs(term) > 1e-17 * f64::abs(sum) && odd < 2_000.0 {
        odd += 2.0;
        term *= at * at / odd;
        sum += term;
    }
    0.5 + sum * (-at * at / 2.0).exp() / std::f64::consts::TAU.sqrt()
}

/// Returns the smallest value at which a monotonic condition holds, by bisection.
fn bisect(low: f64, high: f64, holds: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (low, high);
    for _ in 0..BISECTIONS {
        let middle = low + (high - low) / 2.0;
        match holds(middle) {
            true => high = middle,
            false => low = middle,
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_the_normal_distribution() {
        for (share, expected) in [(0.5, 0.0), (0.975, 1.959_964), (0.001, -3.090_232)] {
            assert!((normal_quantile(share) - expected).abs() < 1e-5, "{share}");
        }
    }

    #[test]
    fn fitted_rates_have_the_freshness_they_were_fitted_to_and_the_best_is_above() {
        for published in &PUBLISHED {
            let (freshness, age) = computed(published);
            for distribution in 0..2 {
                assert!(
                    (freshness[distribution] - published.freshness[distribution]).abs() < 1e-3,
                    "{freshness:?}"
                );
            }
            assert!(freshness[2] > freshness[1] && age[2] < age[1]);
            // Nothing was fitted to the optimum.
            assert!(
                (freshness[2] - published.freshness[2]).abs() < 0.02,
                "{freshness:?}"
            );
        }
    }
}
