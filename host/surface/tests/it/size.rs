//! Sizes of sources.

use magpie_surface::size::Captures;

use crate::database::{Database, Random};
use crate::trials;

#[test]
fn the_size_is_within_a_fifth_after_a_hundred_queries() {
    let mut within = 0;
    let mut holds = 0;
    let seeds = 12;
    for seed in 0..seeds {
        let size = 2_000.0 + 500.0 * seed as f64;
        let database = Database::new(size as usize, seed);
        let (_, estimate) = trials::estimate_size(&database, 100, seed);
        within += u32::from((estimate.value / size - 1.0).abs() <= 0.2);
        holds += u32::from(estimate.low <= size && size <= estimate.high);
        assert!(estimate.low <= estimate.value && estimate.value <= estimate.high);
    }
    assert!(within >= 10, "{within} of {seeds}");
    assert!(holds >= 10, "{holds} of {seeds}");
}

/// Answers of unknown length are cut off, so the interval must not exclude the true size.
#[test]
fn unknown_numbers_of_results_give_a_lower_bound() {
    for seed in 0..4 {
        let mut database = Database::new(3_000, seed);
        database.states_count = false;
        let (_, estimate) = trials::estimate_size(&database, 100, seed);
        assert!(
            estimate.low <= 3_000.0 && estimate.high >= 3_000.0,
            "{estimate:?}"
        );
    }
}

/// Equal chances: the textbook case of capture and recapture.
#[test]
fn random_samples_give_the_size() {
    for seed in 0..10 {
        let mut random = Random(seed);
        let mut captures = Captures::default();
        for _ in 0..30 {
            let mut sample: Vec<u64> = (0..40).map(|_| random.below(1_000) as u64).collect();
            sample.sort_unstable();
            sample.dedup();
            captures.add(&sample, None);
        }
        let estimate = captures.estimate();
        assert!((estimate.value - 1_000.0).abs() < 200.0, "{estimate:?}");
        assert!(estimate.low >= captures.distinct() as f64, "{estimate:?}");
        let coverage = estimate.coverage(captures.distinct());
        assert!(
            coverage.high <= 1.0 && coverage.low <= coverage.value,
            "{coverage:?}"
        );
    }
}
