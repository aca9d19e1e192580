//! Estimation of rates from visits.

use magpie_freshness::change::{History, Observation, from_modification_dates, improved, most_likely, naive};

use crate::support::{Random, near};

#[test]
fn closed_forms_of_ten_comparisons() {
    near(naive(5, 10, 1.0).unwrap(), 0.5, 1e-12);
    near(improved(5, 10, 1.0).unwrap(), 0.6466, 5e-5);
    near(most_likely(5, 10, 1.0).unwrap(), std::f64::consts::LN_2, 1e-12);
    assert_eq!(most_likely(10, 10, 1.0), Some(f64::INFINITY));
    assert!(improved(10, 10, 1.0).unwrap().is_finite());
}

#[test]
fn nothing_is_estimated_from_nothing() {
    for estimate in [naive, improved, most_likely, from_modification_dates] {
        assert_eq!(estimate(0, 0, 1.0), None);
        assert_eq!(estimate(3, 2, 1.0), None);
        assert_eq!(estimate(1, 2, 0.0), None);
    }
}

/// Returns the exact mean of an estimator over the binomial distribution of detected changes.
fn mean(comparisons: u32, ratio: f64, estimate: impl Fn(u32) -> f64) -> f64 {
    let seen = -(-ratio).exp_m1();
    let mut chance = (1.0 - seen).powi(comparisons as i32);
    let mut sum = 0.0;
    for changed in 0..=comparisons {
        sum += chance * estimate(changed);
        chance *= f64::from(comparisons - changed) / f64::from(changed + 1) * seen / (1.0 - seen);
    }
    sum / ratio
}

#[test]
fn the_naive_estimator_is_biased_low() {
    for (ratio, expected) in [(0.1, 0.955), (0.5, 0.787), (1.0, 0.632), (2.0, 0.432)] {
        // The true rate times (1 - e^-r)/r, for any number of comparisons. Printed to three digits;
        // the first is 0.9516.
        let exact = (1.0 - f64::exp(-ratio)) / ratio;
        near(exact, expected, 0.004);
        near(
            mean(12, ratio, |changed| naive(changed, 12, 1.0).unwrap()),
            exact,
            1e-9,
        );
    }
}

#[test]
fn the_improved_estimator_is_nearly_unbiased() {
    let bias = |comparisons, ratio| {
        mean(comparisons, ratio, |changed| {
            improved(changed, comparisons, 1.0).unwrap()
        })
    };
    for comparisons in [9, 16, 30] {
        for ratio in [0.1, 0.5, 1.0, 2.0] {
            let bias = bias(comparisons, ratio);
            assert!((0.955..=1.005).contains(&bias), "{comparisons} {ratio}: {bias}");
        }
    }
    near(bias(4, 2.0), 0.83, 0.01);
    near(bias(9, 3.0), 0.83, 0.01);
}

#[test]
fn dates_of_modification_reduce_the_error() {
    let mut random = Random(11);
    for (comparisons, ratio) in [(4_u32, 0.3), (4, 3.0), (9, 1.0), (30, 0.1), (30, 2.0)] {
        let (mut sum, rounds) = (0.0, 100_000);
        for _ in 0..rounds {
            let (mut changed, mut unchanged_for) = (0, 0.0);
            for _ in 0..comparisons {
                // Backwards from the visit, the time to the last change is exponential.
                let ago = random.wait(ratio);
                changed += u32::from(ago < 1.0);
                unchanged_for += ago.min(1.0);
            }
            sum += from_modification_dates(changed, comparisons, unchanged_for).unwrap();
        }
        near(sum / f64::from(rounds) / ratio, 1.0, 0.02);
    }
}

#[test]
fn even_gaps_give_the_closed_form() {
    let mut history = History::default();
    for visit in 0..10 {
        history.add(
            2.0,
            if visit % 2 == 0 {
                Observation::Changed
            } else {
                Observation::Same
            },
        );
    }
    near(
        history.most_likely_rate().unwrap(),
        most_likely(5, 10, 2.0).unwrap(),
        1e-12,
    );
}

#[test]
fn uneven_gaps_solve_their_equation() {
    let (changed, unchanged) = ([0.5, 3.0, 11.0], [0.2, 1.5, 2.0]);
    let mut history = History::default();
    changed
        .iter()
        .for_each(|gap| history.add(*gap, Observation::Changed));
    unchanged
        .iter()
        .for_each(|gap| history.add(*gap, Observation::Same));
    let rate = history.most_likely_rate().unwrap();
    let left: f64 = changed.iter().map(|gap| gap / (rate * gap).exp_m1()).sum();
    near(left, unchanged.iter().sum(), 1e-9);
}

#[test]
fn forty_uneven_visits_are_about_right() {
    let mut random = Random(23);
    let (mut sum, rounds) = (0.0, 4000);
    for _ in 0..rounds {
        let mut history = History::default();
        for _ in 0..40 {
            let gap = 0.2 + 1.8 * random.share();
            let changed = random.wait(0.7) < gap;
            history.add(
                gap,
                if changed {
                    Observation::Changed
                } else {
                    Observation::Same
                },
            );
        }
        sum += history.most_likely_rate().unwrap();
    }
    near(sum / f64::from(rounds) / 0.7, 1.03, 0.02);
}

#[test]
fn edge_cases_of_the_most_likely_rate() {
    let mut history = History::default();
    assert_eq!(history.most_likely_rate(), None);
    history.add(3.0, Observation::Same);
    assert_eq!(history.most_likely_rate(), Some(0.0));
    let mut history = History::default();
    history.add(3.0, Observation::Changed);
    assert_eq!(history.most_likely_rate(), Some(f64::INFINITY));
    // Counts are exact: events divided by time.
    let mut history = History::default();
    history.add(4.0, Observation::Counted(12));
    near(history.most_likely_rate().unwrap(), 3.0, 1e-9);
}

#[test]
fn a_long_history_stays_small_and_accurate() {
    let mut random = Random(7);
    let mut history = History::default();
    for _ in 0..20_000 {
        let gap = 10_f64.powf(3.0 * random.share() - 2.0);
        let changed = random.wait(0.4) < gap;
        history.add(
            gap,
            if changed {
                Observation::Changed
            } else {
                Observation::Same
            },
        );
    }
    assert!(serde_json::to_string(&history).unwrap().len() < 2500);
    near(history.most_likely_rate().unwrap(), 0.4, 0.02);
}

#[test]
fn old_observations_fade() {
    let mut history = History::default();
    for _ in 0..100 {
        history.add(1.0, Observation::Changed);
        history.add(1.0, Observation::Same);
    }
    let before = history.most_likely_rate().unwrap();
    history.forget(0.1);
    near(history.most_likely_rate().unwrap(), before, 1e-9);
    for _ in 0..20 {
        history.add(1.0, Observation::Same);
    }
    assert!(history.most_likely_rate().unwrap() < 0.5 * before);
}
