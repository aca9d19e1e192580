//! Logistic regression with several classes and an L1 penalty, by proximal gradient descent.
//!
//! The same examples give the same weights: there is no randomness, and sums have a fixed order.

use std::collections::{BTreeMap, BTreeSet};

pub(super) struct Example {
    pub(super) features: Vec<String>,
    /// The class, counted from 0.
    pub(super) class: usize,
    pub(super) site: String,
}

/// Steps of the descent. The objective hardly changes after some hundred.
const STEPS: usize = 300;

/// Trains weights by feature, for each of `classes`. Features that fewer than `min_sites` sites
/// have are left out, because they name sites.
pub(super) fn train(
    examples: &[&Example],
    classes: usize,
    penalty: f64,
    min_sites: usize,
) -> BTreeMap<String, Vec<f64>> {
    let mut sites: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for example in examples {
        for feature in &example.features {
            sites.entry(feature).or_default().insert(&example.site);
        }
    }
    let names: Vec<&str> = sites
        .iter()
        .filter(|(_, sites)| sites.len() >= min_sites)
        .map(|(name, _)| *name)
        .collect();
    let rows: Vec<Vec<usize>> = examples
        .iter()
        .map(|example| {
            let found = example.features.iter();
            found
                .filter_map(|feature| names.binary_search(&feature.as_str()).ok())
                .collect()
        })
        .collect();
    let bias = names.binary_search(&"bias").ok();
    let weights = descend(examples, &rows, names.len(), classes, penalty, bias);
    let weight_of = |feature: usize| weights[feature * classes..(feature + 1) * classes].to_vec();
    names
        .iter()
        .enumerate()
        .map(|(at, name)| ((*name).to_owned(), weight_of(at)))
        .filter(|(_, weights)| weights.iter().any(|weight| *weight != 0.0))
        .collect()
}

/// Accelerated proximal gradient descent (FISTA) on the mean log loss plus the penalty.
fn descend(
    examples: &[&Example],
    rows: &[Vec<usize>],
    features: usize,
    classes: usize,
    penalty: f64,
    bias: Option<usize>,
) -> Vec<f64> {
    let count = examples.len().max(1) as f64;
    // The curvature of the loss is at most a half of the greatest eigenvalue of the mean of the
    // outer products, which power iteration finds.
    let step = 1.0 / (0.5 * greatest_eigenvalue(rows, features)).max(1e-9);
    let mut weights = vec![0.0; features * classes];
    let mut ahead = weights.clone();
    let mut momentum = 1.0_f64;
    for _ in 0..STEPS {
        let mut gradient = vec![0.0; features * classes];
        for (row, example) in rows.iter().zip(examples) {
            let mut shares = probabilities(row, &ahead, classes);
            shares[example.class] -= 1.0;
            for &feature in row {
                let slot = &mut gradient[feature * classes..(feature + 1) * classes];
                for (sum, share) in slot.iter_mut().zip(&shares) {
                    *sum += share / count;
                }
            }
        }
        let next_momentum = f64::midpoint(1.0, (1.0 + 4.0 * momentum * momentum).sqrt());
        let push = (momentum - 1.0) / next_momentum;
        for (at, gradient) in gradient.iter().enumerate() {
            let moved = ahead[at] - step * gradient;
            let threshold = match Some(at / classes) == bias {
                true => 0.0,
                false => step * penalty,
            };
            let shrunk = moved.signum() * (moved.abs() - threshold).max(0.0);
            ahead[at] = shrunk + push * (shrunk - weights[at]);
            weights[at] = shrunk;
        }
        momentum = next_momentum;
    }
    weights
}

fn greatest_eigenvalue(rows: &[Vec<usize>], features: usize) -> f64 {
    let mut vector = vec![1.0 / (features.max(1) as f64).sqrt(); features];
    let mut value = 1.0;
    for _ in 0..30 {
        let mut product = vec![0.0; features];
        for row in rows {
            let dot: f64 = row.iter().map(|&feature| vector[feature]).sum();
            for &feature in row {
                product[feature] += dot / rows.len() as f64;
            }
        }
        value = product.iter().map(|part| part * part).sum::<f64>().sqrt();
        if value == 0.0 {
            return 1.0;
        }
        vector = product.into_iter().map(|part| part / value).collect();
    }
    value * 1.05
}

fn probabilities(row: &[usize], weights: &[f64], classes: usize) -> Vec<f64> {
    let mut scores = vec![0.0; classes];
    for &feature in row {
        for (score, weight) in scores
            .iter_mut()
            .zip(&weights[feature * classes..(feature + 1) * classes])
        {
            *score += weight;
        }
    }
    let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    scores.iter_mut().for_each(|score| *score = (*score - most).exp());
    let sum: f64 = scores.iter().sum();
    scores.iter_mut().for_each(|score| *score /= sum);
    scores
}
