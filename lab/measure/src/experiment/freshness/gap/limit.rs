//! Upper limit of learning from visits: everything is known except the rates of single pages.
//!
//! Each page's rate has the posterior by Bayes' rule under the distribution that it was really
//! drawn from, computed on a grid. On average, no method of learning can be better than visits that
//! are optimal in the mean over it.

use magpie_freshness::change::{Belief, Goal, History};

/// Grid of the log rate: first point, step, and number of points.
const FIRST: f64 = -14.0;
const STEP: f64 = 0.05;
const POINTS: usize = 460;
/// Grid of the gaps at which the value of a visit is stored, as logarithms. Linear interpolation is
/// accurate to a few thousandths.
const FIRST_GAP: f64 = -6.0;
const GAP_STEP: f64 = 0.1;
const GAPS: usize = 180;
/// Number of bisections for the price of a visit.
const BISECTIONS: u32 = 60;

/// A distribution over the grid points.
pub(super) type Density = Vec<f64>;

/// Returns the log rates of the grid points.
pub(super) fn logs() -> impl Iterator<Item = f64> {
    (0..POINTS).map(|index| FIRST + STEP * index as f64)
}

/// Returns the index of the grid point nearest to a log rate.
pub(super) fn point_index(log: f64) -> usize {
    (((log - FIRST) / STEP).round().max(0.0) as usize).min(POINTS - 1)
}

pub(super) fn posterior(prior: &Density, history: &History) -> Density {
    let likely: Vec<f64> = logs().map(|log| history.log_likelihood(log.exp())).collect();
    let held = |(prior, likely): (&f64, &f64)| (*prior > 0.0).then_some(*likely);
    let top = prior
        .iter()
        .zip(&likely)
        .filter_map(held)
        .fold(f64::MIN, f64::max);
    let product = prior
        .iter()
        .zip(&likely)
        .map(|(prior, likely)| prior * (likely - top).exp());
    let product: Density = product.collect();
    let all: f64 = product.iter().sum();
    product.iter().map(|share| share / all).collect()
}

/// Values of visits for each grid point and gap.
pub(super) struct Values(Vec<Vec<f64>>);

impl Values {
    pub(super) fn new() -> Self {
        let gap = |gap: usize| (FIRST_GAP + GAP_STEP * gap as f64).exp();
        let of_rate = |log: f64| {
            let belief = Belief::certain(log.exp());
            (0..GAPS)
                .map(|number| belief.value(Goal::Freshness, gap(number)))
                .collect()
        };
        Self(logs().map(of_rate).collect())
    }

    /// Returns the value of a visit after each gap, in the mean over a distribution.
    pub(super) fn mean(&self, density: &Density) -> Vec<f64> {
        let mut mean = vec![0.0; GAPS];
        for (share, values) in density.iter().zip(&self.0).filter(|(share, _)| **share > 1e-12) {
            for (mean, value) in mean.iter_mut().zip(values) {
                *mean += share * value;
            }
        }
        mean
    }
}

/// Returns the optimal frequencies of pages, given as pairs of the values of visits and a weight.
pub(super) fn frequencies(pages: &[(&[f64], f64)], budget: f64) -> Vec<f64> {
    let at = |log_price: f64| -> Vec<f64> {
        let price = log_price.exp();
        pages
            .iter()
            .map(|(values, weight)| frequency(values, price / weight))
            .collect()
    };
    let (mut low, mut high) = (-40.0, 20.0);
    for _ in 0..BISECTIONS {
        let middle = f64::midpoint(low, high);
        match at(middle).iter().sum::<f64>() > budget {
            true => low = middle,
            false => high = middle,
        }
    }
    let frequencies = at(high);
    let scale = budget / frequencies.iter().sum::<f64>();
    frequencies.iter().map(|frequency| frequency * scale).collect()
}

/// Returns the frequency of visits to a page that is visited when a visit reaches this value.
fn frequency(values: &[f64], worth: f64) -> f64 {
    let after = values.partition_point(|value| *value < worth);
    if after == values.len() {
        return 0.0;
    }
    let gap = match after {
        0 => 0.0,
        after => {
            let (below, above) = (values[after - 1], values[after]);
            after as f64 - (above - worth) / (above - below)
        }
    };
    (-(FIRST_GAP + GAP_STEP * gap)).exp()
}
