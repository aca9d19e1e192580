//! Sets as sorted lists of distinct numbers.

use std::cmp::Ordering;

pub(crate) fn intersection(one: &[u64], other: &[u64]) -> Vec<u64> {
    let (mut left, mut right) = (one, other);
    let mut both = Vec::new();
    while let (Some(first), Some(second)) = (left.first(), right.first()) {
        match first.cmp(second) {
            Ordering::Equal => {
                both.push(*first);
                (left, right) = (&left[1..], &right[1..]);
            }
            Ordering::Less => left = &left[1..],
            Ordering::Greater => right = &right[1..],
        }
    }
    both
}

/// Returns the elements of the first set that the second lacks.
pub(crate) fn difference(one: &[u64], other: &[u64]) -> Vec<u64> {
    let mut rest = other;
    let is_missing = |number: &&u64| {
        let place = rest.partition_point(|other| other < number);
        rest = &rest[place..];
        rest.first() != Some(number)
    };
    one.iter().filter(is_missing).copied().collect()
}

/// Returns true if the second set has all elements of the first.
pub(crate) fn is_subset(one: &[u64], other: &[u64]) -> bool {
    intersection(one, other).len() == one.len()
}

/// Returns the Jaccard similarity: 1 for two empty sets.
pub(crate) fn jaccard(one: &[u64], other: &[u64]) -> f64 {
    let both = intersection(one, other).len();
    match one.len() + other.len() - both {
        0 => 1.0,
        all => both as f64 / all as f64,
    }
}

pub(crate) fn sorted(mut numbers: Vec<u64>) -> Vec<u64> {
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}
