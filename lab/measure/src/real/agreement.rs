//! Agreement of two classifications of the same items.

use std::collections::HashMap;

/// Counts of things by true class, by found class, and by both.
struct Counts {
    of: f64,
    truth: HashMap<u32, f64>,
    found: HashMap<u32, f64>,
    both: HashMap<(u32, u32), f64>,
}

impl Counts {
    fn new(pairs: &[(u32, u32)]) -> Counts {
        let mut counts = Counts {
            of: pairs.len() as f64,
            truth: HashMap::new(),
            found: HashMap::new(),
            both: HashMap::new(),
        };
        for pair in pairs {
            *counts.truth.entry(pair.0).or_default() += 1.0;
            *counts.found.entry(pair.1).or_default() += 1.0;
            *counts.both.entry(*pair).or_default() += 1.0;
        }
        counts
    }
}

/// The harmonic mean of homogeneity and completeness, for pairs of true class and found class.
pub(super) fn v_measure(pairs: &[(u32, u32)]) -> f64 {
    let counts = Counts::new(pairs);
    let entropy = |values: Vec<f64>| -> f64 {
        values
            .iter()
            .map(|value| -(value / counts.of) * (value / counts.of).ln())
            .sum()
    };
    let truth = entropy(counts.truth.values().copied().collect());
    let found = entropy(counts.found.values().copied().collect());
    let both = entropy(counts.both.values().copied().collect());
    let homogeneity = if truth > 0.0 {
        1.0 - (both - found) / truth
    } else {
        1.0
    };
    let completeness = if found > 0.0 {
        1.0 - (both - truth) / found
    } else {
        1.0
    };
    match homogeneity + completeness {
        sum if sum > 0.0 => 2.0 * homogeneity * completeness / sum,
        _ => 0.0,
    }
}

/// The adjusted Rand index: the share of pairs on which both agree, minus the expected agreement by
/// chance.
pub(super) fn adjusted_rand(pairs: &[(u32, u32)]) -> f64 {
    let counts = Counts::new(pairs);
    let choose = |value: &f64| value * (value - 1.0) / 2.0;
    let both: f64 = counts.both.values().map(choose).sum();
    let truth: f64 = counts.truth.values().map(choose).sum();
    let found: f64 = counts.found.values().map(choose).sum();
    let chance = truth * found / choose(&counts.of);
    let most = f64::midpoint(truth, found);
    if most > chance {
        (both - chance) / (most - chance)
    } else {
        1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agreement_is_measured_as_defined() {
        let same = [(0, 5), (0, 5), (1, 6), (1, 6)];
        assert!((v_measure(&same) - 1.0).abs() < 1e-9 && (adjusted_rand(&same) - 1.0).abs() < 1e-9);
        // Computed by hand: one class split in two halves, the other whole. 8 pairs are together in
        // both, 12 and 8 in one each, of 28: (8 - 24/7) / (10 - 24/7) = 16/23.
        let split = [(0, 0), (0, 0), (0, 1), (0, 1), (1, 2), (1, 2), (1, 2), (1, 2)];
        assert!((v_measure(&split) - 0.8).abs() < 1e-9, "{}", v_measure(&split));
        assert!(
            (adjusted_rand(&split) - 16.0 / 23.0).abs() < 1e-5,
            "{}",
            adjusted_rand(&split)
        );
    }
}
